package operator

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"bourse/internal/core"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// act is what an operator did or tried, as it is listed.
type act struct {
	ID       uint64    `json:"id"` // grows with time
	Time     time.Time `json:"time"`
	Operator string    `json:"operator"`
	// Refusal is why it was not done; "": it was done.
	Refusal string `json:"refusal"`
	// Proposal is the number under which it waited for a second operator; 0: it was done, or refused.
	Proposal schema.ProposalID `json:"proposal"`
	// Subject is what it was about, by the names of today: commands know numbers.
	Subject string `json:"subject"`
	// Command is what was asked: its name and what is in it.
	Command json.RawMessage `json:"command"`
}

// audit answers with what operators did, newest first. The query may choose an operator, and moments
// from and to in Unix seconds.
func (s *Server) audit(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	from, err := c.number("from", 0, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	to, err := c.number("to", 0, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	q := &history.Query{Kind: history.Acts, Tag: c.FormValue("operator"), From: seconds(int64(from)), Offset: offset, Limit: limit}
	if to > 0 {
		q.To = seconds(int64(to)) + schema.Second - 1
	}
	records, err := s.options.History.Page(c.Context(), q)
	if err != nil {
		// The exchange goes on without its history, which comes back by itself or is said by /readyz.
		return nil, &Error{Status: http.StatusServiceUnavailable, Message: err.Error()}
	}
	list := make([]act, 0, len(records))
	for _, r := range records {
		a := r.Payload.(*schema.AuditRecord)
		list = append(list, act{r.ID, moment(r.Time), a.Operator, a.Refusal, a.Proposal, s.subject(a.Command), command(a)})
	}
	return list, nil
}

// command is the command of an act and nothing else, under its name.
func command(a *schema.AuditRecord) json.RawMessage {
	return wire.AppendJSON(nil, &schema.AuditRecord{Command: a.Command})
}

// subject names what a command is about.
func (s *Server) subject(c schema.Command) string {
	audited, is := c.(schema.Audited)
	if !is {
		return ""
	}
	about := audited.Subject()
	var names []string
	s.look(func(m core.View) {
		if a := m.Accounts().Get(about.Account); a != nil {
			names = append(names, a.Name)
		} else if name := about.Account.SystemName(); name != "" {
			names = append(names, name)
		}
		if a := m.Listing().Asset(about.Asset); a != nil {
			names = append(names, a.Ticker)
		}
		if info := m.Listing().Market(about.Market); info != nil {
			names = append(names, info.Name)
		}
		if on := m.Chains().Get(about.Chain); on != nil {
			names = append(names, on.Name)
		}
	})
	if about.Name != "" {
		names = append(names, about.Name)
	}
	return strings.Join(names, " ")
}
