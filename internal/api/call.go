package api

import (
	"context"
	"time"

	"bourse/internal/directory"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// Call is one request on its way through its operation. It is used again.
type Call struct {
	API       *API
	Context   context.Context
	Operation *Operation
	Form      Form
	// Account and Origin are who calls; nil and zero on public operations.
	Account *schema.Account
	Origin  schema.Origin
	// Body is the answer.
	Body []byte
	// Journaled says that the log has the command of the call, and with it the nonce.
	Journaled bool
}

// Reset makes the call ready for another request and keeps its memory.
func (c *Call) Reset() {
	c.Form.Reset()
	*c = Call{API: c.API, Form: c.Form, Body: c.Body[:0]}
}

// Do runs the operation. What a node that is deaf knows of an account may be old: it is shown to nobody.
func (c *Call) Do() *Error {
	if c.Account != nil && !c.Operation.Writes() && c.API.Deaf() {
		return c.Operation.Error(Unavailable())
	}
	if err := c.Operation.run(c); err != nil {
		return c.Operation.Error(err)
	}
	return nil
}

// Directory is who and what there is.
func (c *Call) Directory() *directory.Directory { return c.API.directory }

// Region is that whose rules hold for the caller.
func (c *Call) Region() schema.Region {
	if c.Account == nil {
		return c.API.options.Region
	}
	return schema.Stricter(c.Account.Region, c.API.options.Region)
}

// Offered is a market that the caller may see, or nil.
func (c *Call) Offered(name string) *schema.MarketInfo {
	m := c.API.directory.Market(name)
	if m == nil || !m.Offered(c.Region()) {
		return nil
	}
	return m
}

// pastTimeout is how long a page may wait for a history that is behind.
const pastTimeout = 5 * time.Second

// Past is a page of the caller's past.
func (c *Call) Past(q *history.Query) ([]history.Record, error) {
	q.Account = c.Account.ID
	return c.past(q)
}

// PastOf is a page of the past of a sub-account of the caller.
func (c *Call) PastOf(sub schema.AccountID, q *history.Query) ([]history.Record, error) {
	q.Account = sub
	return c.past(q)
}

// Settlements is a page of the settlements of funding of a market, which are public.
func (c *Call) Settlements(q *history.Query) ([]history.Record, error) {
	q.Kind, q.Account = history.Settlements, 0
	return c.past(q)
}

// Counted is a page of the caller's past, and how many records there are in all.
func (c *Call) Counted(q *history.Query) (records []history.Record, total int, err error) {
	q.Account = c.Account.ID
	err = c.look(func(ctx context.Context) error {
		if total, err = c.API.history.Count(ctx, q); err != nil {
			return err
		}
		records, err = c.API.history.Page(ctx, q)
		return err
	})
	return records, total, err
}

func (c *Call) past(q *history.Query) (records []history.Record, err error) {
	err = c.look(func(ctx context.Context) error {
		records, err = c.API.history.Page(ctx, q)
		return err
	})
	return records, err
}

// look reads the history, as long as a client may wait for that.
func (c *Call) look(read func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(c.Context, pastTimeout)
	defer cancel()
	if err := read(ctx); err != nil {
		c.API.options.Log.Warn("reading the history", "error", err)
		return Unavailable()
	}
	return nil
}

// call lets WriteCall embed a call that other packages cannot put there.
type call = Call

// WriteCall is a call that may change something. Handlers get one only if their operation is a Writer, so
// that an operation that reads cannot submit a command.
type WriteCall struct{ *call }

// limited is a context in which a command may be on its way as long as the options say.
func (a *API) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.options.Timeout > 0 {
		return context.WithTimeout(ctx, a.options.Timeout)
	}
	return ctx, func() {}
}

// Submit lets a command happen. A refusal of the core comes back as an *Error.
func (c WriteCall) Submit(command schema.Command, result *schema.Result) error {
	ctx, cancel := c.API.limited(c.Context)
	defer cancel()
	if err := c.API.node.SubmitFrom(ctx, c.Origin, command, result); err != nil {
		return err
	}
	c.Journaled = true
	if result.Rejection.Refused() {
		return Refusal(result.Rejection)
	}
	return nil
}

// Prepare lets a command happen without the nonce of the call, which is left for the command that follows. It is for commands that change
// nothing when they happen again: only what has the nonce is done at most once.
func (c WriteCall) Prepare(command schema.Command, result *schema.Result) error {
	ctx, cancel := c.API.limited(c.Context)
	defer cancel()
	if err := c.API.node.SubmitFrom(ctx, schema.Origin{Region: c.Origin.Region}, command, result); err != nil {
		return err
	}
	if result.Rejection.Refused() {
		return Refusal(result.Rejection)
	}
	return nil
}

// Handling is what an operation does: how it reads what it is asked, what it does then, and what
// the documentation says about it.
type Handling struct {
	read   func(*Form)
	run    func(*Call) error
	writes bool
	About  *About
}

// Writes tells operations that send a command, whose nonce the log keeps, from the others.
func (h *Handling) Writes() bool { return h.writes }

// Check says what is wrong with a form, as far as that can be seen without an exchange.
func (h *Handling) Check(f *Form) error {
	f.problems = f.problems[:0]
	h.read(f)
	return f.Err()
}

// Request reads itself from a form.
type Request[Q any] interface {
	*Q
	Read(*Form)
}

// Nothing is the request of operations that ask for nothing.
type Nothing struct{}

func (*Nothing) Read(*Form) {}

// Reader makes an operation of a handler that changes nothing.
func Reader[Q any, P Request[Q]](do func(*Call, P) (Answer, error), about *About) Handling {
	return Handling{reading[Q, P](), running(do), false, about}
}

// Writer makes an operation of a handler that sends a command.
func Writer[Q any, P Request[Q]](do func(WriteCall, P) (Answer, error), about *About) Handling {
	return Handling{reading[Q, P](), running(func(c *Call, q P) (Answer, error) { return do(WriteCall{c}, q) }), true, about}
}

func reading[Q any, P Request[Q]]() func(*Form) {
	return func(f *Form) { P(new(Q)).Read(f) }
}

func running[Q any, P Request[Q]](do func(*Call, P) (Answer, error)) func(*Call) error {
	return func(c *Call) error {
		q := P(new(Q))
		c.Form.api = c.API
		q.Read(&c.Form)
		if err := c.Form.Err(); err != nil {
			return err
		}
		answer, err := do(c, q)
		if err != nil {
			return err
		}
		c.Body = answer.AppendTo(c.Body)
		return nil
	}
}
