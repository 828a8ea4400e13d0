package history

import (
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Notice says what ended something that lets people or programs into an account, so that nobody has to wonder why it works no more. It is about a
// key or a session, or about what a client of OAuth was given.
type Notice struct {
	Title   string           // of the key, or the device of the session
	Partner schema.PartnerID // whose key or access it was; 0: nobody else's
	Cause   schema.Kind      // the command by which it ended
	// Operated and Signed say who gave the command: an operator, or somebody by a key or a session. Neither: the exchange itself, a program with a
	// token, or somebody who is not signed in.
	Operated, Signed bool
}

func (n *Notice) Fields(c *wire.Coder) {
	wire.Text(c, 1, "title", &n.Title)
	wire.Uint(c, 2, "partner", &n.Partner)
	wire.Uint(c, 3, "cause", &n.Cause)
	c.Bool(4, "operated", &n.Operated)
	c.Bool(5, "signed", &n.Signed)
}

// appendKey records that a key or a session ended, or that a key was found to be idle, which only the timer finds.
func appendKey(dst []Record, e *schema.KeyChanged, h *node.CommandEvents, id schema.EventID) []Record {
	k, class := &e.Key, KeyEnded
	switch {
	case e.Deleted && k.Web:
		class = SessionEnded
	case e.Deleted:
	case k.Idle && h.Kind == tick:
		class = KeyIdle
	default:
		return dst
	}
	return append(dst, Record{
		Kind: Notices, Account: k.Account, Time: h.Time, ID: uint64(k.ID), Ref: place(id), Class: class, Payload: noticed(k.Title, k.Partner, h),
	})
}

// endedAccess records that what a client was given is over. Its number is set apart from those of keys.
func endedAccess(e *schema.GrantChanged, h *node.CommandEvents, id schema.EventID) Record {
	g := &e.Grant
	return Record{
		Kind: Notices, Account: g.Account, Time: h.Time, ID: 1<<62 | uint64(g.Partner), Ref: place(id), Class: AccessEnded, Payload: noticed("", g.Partner, h),
	}
}

var tick = new(schema.Tick).Kind()

func noticed(title string, partner schema.PartnerID, h *node.CommandEvents) *Notice {
	return &Notice{Title: title, Partner: partner, Cause: h.Kind, Operated: h.Operated, Signed: h.Signed}
}
