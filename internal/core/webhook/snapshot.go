package webhook

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are the webhooks, who sends, and what is looked after.
func (h *Webhooks) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagWebhooks, Name: "webhooks", Version: 1, Write: h.writeList, Read: h.readList},
		{Tag: product.TagWebhookShards, Name: "shards of webhooks", Version: 1, Write: h.writeShards, Read: h.readShards},
		{Tag: product.TagWebhookCounts, Name: "confirmations for webhooks", Version: 1, Write: h.writeCounts, Read: h.readCounts},
	}
}

func (h *Webhooks) writeList(w *product.Writer) {
	for i := range h.list {
		w.Message(&h.list[i])
	}
}

func (h *Webhooks) readList(r *product.Reader) error {
	for m, err := range product.Messages[schema.Webhook](r) {
		if err != nil {
			return err
		}
		if _, twice := h.places[m.Account]; twice || h.accounts.Get(m.Account) == nil || !valid(m) {
			return fmt.Errorf("webhook of account %d: it cannot be, or stands there twice", m.Account)
		}
		h.add(*m)
	}
	return nil
}

func (h *Webhooks) writeShards(w *product.Writer) {
	for i := range h.shards {
		if h.shards[i].Owner != 0 {
			w.Message(&h.shards[i])
		}
	}
}

func (h *Webhooks) readShards(r *product.Reader) error {
	last := -1
	for m, err := range product.Messages[schema.Shard](r) {
		if err != nil {
			return err
		}
		if int64(m.Number) <= int64(last) || m.Number >= schema.WebhookShards || m.Owner == 0 || m.Epoch == 0 {
			return fmt.Errorf("shard %d: it cannot be, or stands in the wrong place", m.Number)
		}
		h.shards[m.Number], last = *m, int(m.Number)
	}
	return nil
}

// pass is how far looking at confirmations is.
type pass struct {
	next  schema.DepositID // 0: the first
	rest  uint64
	since schema.Time
}

func (m *pass) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "next", &m.next)
	wire.Uint(c, 2, "rest", &m.rest)
	wire.Int(c, 3, "since", &m.since)
}

// countRecord is a deposit whose confirmations are looked after, as snapshots keep it.
type countRecord struct{ counted }

func (m *countRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "deposit", &m.deposit)
	wire.Uint(c, 2, "account", &m.account)
	wire.Uint(c, 3, "actual", &m.actual)
}

func (h *Webhooks) writeCounts(w *product.Writer) {
	c := &h.counts
	if c.size == 0 {
		return
	}
	state := pass{rest: uint64(c.rest)}
	if c.next != 0 {
		state.next = c.shelf.At(c.next).deposit
	}
	if c.rest > 0 {
		state.since = c.since
	}
	w.Message(&state)
	for place := c.order.First; place != 0; place = c.shelf.At(place).After {
		w.Message(&countRecord{*c.shelf.At(place)})
	}
}

func (h *Webhooks) readCounts(r *product.Reader) error {
	c := &h.counts
	var state pass
	if more, err := r.Next(&state); err != nil || !more {
		return err
	}
	for m, err := range product.Messages[countRecord](r) {
		if err != nil {
			return err
		}
		if c.order.Last != 0 && m.deposit <= c.shelf.At(c.order.Last).deposit {
			return fmt.Errorf("deposit %d: it stands in the wrong place", m.deposit)
		}
		if !h.validCount(&m.counted) || c.of[m.account] >= mostCounted {
			return fmt.Errorf("deposit %d: it is not one whose confirmations are looked after", m.deposit)
		}
		h.addCount(m.counted)
	}
	place, known := c.places[state.next]
	if known != (state.next != 0) || known && state.rest == 0 || state.rest > uint64(c.size) || state.rest == 0 && state.since != 0 {
		return errors.New("it is not known how far looking at them is")
	}
	c.next, c.rest, c.since = place, int(state.rest), state.since
	return nil
}

// validCount reports whether the confirmations of a deposit can be looked after.
func (h *Webhooks) validCount(m *counted) bool {
	d, known := h.chains.Deposit(m.deposit)
	return known && waits(d.Status) && d.Account == m.account && h.at(m.account) != nil
}

// Verify holds webhooks, shards and what is looked after against what can be.
func (h *Webhooks) Verify() error {
	for i := range h.list {
		w := &h.list[i]
		if !valid(w) || h.places[w.Account] != i {
			return fmt.Errorf("webhooks: that of account %d cannot be, or is in another place", w.Account)
		}
	}
	for i := range h.shards {
		if s := &h.shards[i]; s.Number != uint32(i) || (s.Owner == 0) != (s.Epoch == 0) || s.Owner == 0 && s.Beat != 0 {
			return fmt.Errorf("webhooks: shard %d cannot be", i)
		}
	}
	return h.verifyCounts()
}

func (h *Webhooks) verifyCounts() error {
	c := &h.counts
	size, last := 0, schema.DepositID(0)
	of := map[schema.AccountID]int{} // only ever asked
	for place := c.order.First; place != 0; place = c.shelf.At(place).After {
		entry := c.shelf.At(place)
		if entry.deposit <= last || c.places[entry.deposit] != place || !h.validCount(entry) {
			return fmt.Errorf("webhooks: confirmations of deposit %d are looked after, and should not be, or not here", entry.deposit)
		}
		last = entry.deposit
		size++
		if of[entry.account]++; of[entry.account] > mostCounted {
			return fmt.Errorf("webhooks: more than %d deposits of account %d are looked after", mostCounted, entry.account)
		}
	}
	for place := c.order.First; place != 0; place = c.shelf.At(place).After {
		if account := c.shelf.At(place).account; of[account] != c.of[account] {
			return fmt.Errorf("webhooks: account %d has %d deposits, and %d are counted", account, of[account], c.of[account])
		}
	}
	if size != c.size || len(c.places) != size || len(c.of) != len(of) || c.rest > size || c.moved {
		return fmt.Errorf("webhooks: %d deposits are looked after, %d counted, %d known, %d left", size, c.size, len(c.places), c.rest)
	}
	return nil
}
