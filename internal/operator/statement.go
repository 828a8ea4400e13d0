package operator

import (
	"encoding/json"
	"net/http"
	"time"

	"bourse/internal/archive"
	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// line is a line of a statement: a balance after it changed.
type line struct {
	Batch     uint64         `json:"batch"`
	Time      time.Time      `json:"time"`
	Wallet    string         `json:"wallet"`
	Asset     string         `json:"asset"`
	Change    sheet.Number   `json:"change"` // of available and frozen together
	Cause     string         `json:"cause"`
	Order     schema.OrderID `json:"order,omitempty"`
	Deal      schema.DealID  `json:"deal,omitempty"`
	Available sheet.Number   `json:"available"`
	Frozen    sheet.Number   `json:"frozen"`
	Held      sheet.Number   `json:"held"`
}

// statement answers with every change of the balances of an account, from its first day to the moment of
// asking, as JSON lines. It is made from the log, which takes its time on an exchange that is old:
// so one is made at a time. The query may choose an asset and a wallet.
func (s *Server) statement(w http.ResponseWriter, c *call) error {
	id, err := s.owner(c)
	if err != nil {
		return err
	}
	if !s.replaying.TryLock() {
		return &Error{Status: http.StatusServiceUnavailable, Message: "another statement is being made; try again when it is done"}
	}
	defer s.replaying.Unlock()
	w.Header().Set("Content-Type", "application/jsonl")
	out, connection := json.NewEncoder(w), http.NewResponseController(w)
	asset, wallet := c.FormValue("asset"), c.FormValue("wallet")
	lines := archive.NewStatement(id, s.ticker)
	reader, end := s.options.Node.Itemized(0), s.options.Node.Applied()
	defer reader.Close()
	for at := uint64(0); at < end; {
		step, err := reader.Next(c.Context())
		if err == nil {
			at = step.Seq
			// It may take long, as long as it is read: one that is not must not keep others from
			// having theirs.
			err = connection.SetWriteDeadline(time.Now().Add(writeTimeout))
		}
		if err == nil {
			err = writeLines(out, lines, step, func(l *archive.Line) bool {
				return (asset == "" || asset == l.Asset) && (wallet == "" || wallet == l.Wallet.String())
			})
		}
		if err == nil && at%1024 == 0 {
			err = connection.Flush()
		}
		if err != nil {
			// The status is out. A cut-off body is how a client learns of it.
			s.options.Log.Warn("a statement was cut off", "batch", at, "error", err)
			panic(http.ErrAbortHandler)
		}
	}
	return nil
}

// writeLines writes the lines of a step that are wanted.
func writeLines(out *json.Encoder, lines *archive.Statement, step *node.Step, wanted func(*archive.Line) bool) error {
	for i := range step.Commands {
		h := &step.Commands[i]
		for _, event := range step.Events(h) {
			l, is := lines.Line(step.Seq, h.Time, event)
			if !is || !wanted(&l) {
				continue
			}
			err := out.Encode(line{
				l.Batch, moment(l.Time), l.Wallet.String(), l.Asset,
				sheet.Number{Decimal: l.Change},
				l.Cause.String(), l.Order, l.Deal,
				sheet.Number{Decimal: l.Available},
				sheet.Number{Decimal: l.Frozen},
				sheet.Number{Decimal: l.Held},
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Server) ticker(id schema.AssetID) (ticker string) {
	s.look(func(m core.View) { ticker = m.Listing().Asset(id).Ticker })
	return ticker
}
