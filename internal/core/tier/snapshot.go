package tier

import (
	"errors"
	"fmt"

	"bourse/internal/core/hours"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are the tiers, and what left of accounts in the last month.
func (t *Tiers) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagTiers, Name: "tiers", Version: 1, Write: t.writeTiers, Read: t.readTiers},
		{Tag: product.TagOutflows, Name: "what left of accounts", Version: 1, Write: t.writeOutflows, Read: t.readOutflows},
	}
}

func (t *Tiers) writeTiers(w *product.Writer) {
	for i := range t.tiers {
		w.Message(&t.tiers[i])
	}
}

func (t *Tiers) readTiers(r *product.Reader) error {
	for m, err := range product.Messages[schema.Tier](r) {
		if err != nil {
			return err
		}
		if !valid(m) || len(t.tiers) > 0 && t.tiers[len(t.tiers)-1].Number >= m.Number {
			return fmt.Errorf("tier %d cannot be, or stands in the wrong place", m.Number)
		}
		t.tiers = append(t.tiers, *m)
	}
	return nil
}

// record is what left an account in an hour, as snapshots keep it.
type record struct {
	account schema.AccountID
	hour    int64
	sum     fixed.Decimal
}

func (r *record) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &r.account)
	wire.Int(c, 2, "hour", &r.hour)
	c.Decimal(3, "sum", &r.sum)
}

// writeOutflows leaves out what is over: it is forgotten when the account next sends something away, and that is no part of the state.
func (t *Tiers) writeOutflows(w *product.Writer) {
	for _, a := range t.accounts.All() {
		for _, o := range t.live(a.ID, t.Clock()) {
			w.Message(&record{a.ID, o.Hour, o.Sum})
		}
	}
}

func (t *Tiers) readOutflows(r *product.Reader) error {
	var last record
	now := hours.Of(t.Clock())
	for m, err := range product.Messages[record](r) {
		if err != nil {
			return err
		}
		switch {
		case t.accounts.Get(m.account) == nil || t.accounts.Get(m.account).IsSub() || m.account < last.account || m.account == last.account && m.hour <= last.hour:
			return errors.New("a sum stands in the wrong place, twice, or is of nobody")
		case m.sum.Sign() <= 0 || m.hour > now || m.hour <= now-month || m.hour < 0:
			return errors.New("a sum cannot be, or is over")
		}
		t.outflows[m.account] = append(t.outflows[m.account], hours.Sum{Hour: m.hour, Sum: m.sum})
		last = *m
	}
	return nil
}

// Verify checks the sums of what left.
func (t *Tiers) Verify() error {
	for _, a := range t.accounts.All() {
		for i, list := 0, t.outflows[a.ID]; i < len(list); i++ {
			if list[i].Sum.Sign() <= 0 || i > 0 && list[i].Hour <= list[i-1].Hour {
				return fmt.Errorf("tiers: account %d: %s in hour %d is no sum, or stands in the wrong place", a.ID, list[i].Sum, list[i].Hour)
			}
		}
	}
	return nil
}
