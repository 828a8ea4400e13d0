package express

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are the tokens, and the references that were paid.
func (t *Tokens) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagExpress, Name: "express payments", Version: 1, Write: t.write, Read: t.read},
		{Tag: product.TagExpressPaid, Name: "express payments that were made", Version: 1, Write: t.paid.Write, Read: t.paid.Read},
	}
}

// record is a token as snapshots keep it.
type record struct{ token }

func (r *record) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "express", &r.Express)
	c.Array(2, "digest", r.digest[:])
}

func (t *Tokens) write(w *product.Writer) {
	for place := t.order.First; place != 0; place = t.tokens.At(place).After {
		w.Message(&record{*t.tokens.At(place)})
	}
}

func (t *Tokens) read(r *product.Reader) error {
	for m, err := range product.Messages[record](r) {
		if err != nil {
			return err
		}
		if err := t.check(&m.token); err != nil {
			return fmt.Errorf("the payment %q of account %d: %w", m.External, m.Account, err)
		}
		t.add(&m.token)
	}
	return nil
}

// check refuses a token that no command could have left.
func (t *Tokens) check(m *token) error {
	asset := t.listing.Asset(m.Asset)
	of := t.of[m.Account]
	switch {
	case t.order.Last != 0 && m.Expires < t.tokens.At(t.order.Last).Expires:
		return errors.New("it stands in the wrong place")
	case t.byDigest[m.digest] != 0 || !valid(m.digest, m.Sealed, m.External):
		return errors.New("its digest stands there twice, or it cannot be one")
	case t.accounts.Get(m.Account) == nil || asset == nil || asset.Class != schema.Crypto:
		return errors.New("its account or its asset cannot be")
	case m.Amount.Sign() <= 0 || m.Amount.Decimals() > int(asset.Scale):
		return errors.New("its amount cannot be")
	case len(of) >= mostLive:
		return errors.New("there are too many")
	}
	for _, place := range of {
		if t.tokens.At(place).External == m.External {
			return errors.New("its reference stands there twice")
		}
	}
	return nil
}

// Verify holds the list of tokens against what finds them, and against what was paid.
func (t *Tokens) Verify() error {
	count, expires := 0, schema.Time(0)
	next := map[schema.AccountID]int{} // only ever asked
	for place := t.order.First; place != 0; place = t.tokens.At(place).After {
		m := t.tokens.At(place)
		at := next[m.Account]
		next[m.Account]++
		count++
		switch {
		case m.Expires < expires:
			return fmt.Errorf("express: the payment %q of account %d stands in the wrong place", m.External, m.Account)
		case t.byDigest[m.digest] != place || at >= len(t.of[m.Account]) || t.of[m.Account][at] != place:
			return fmt.Errorf("express: the payment %q of account %d is not found", m.External, m.Account)
		case t.paid.Has(m.Account, m.External):
			return fmt.Errorf("express: the payment %q of account %d waits and was made", m.External, m.Account)
		}
		expires = m.Expires
	}
	for place := t.order.First; place != 0; place = t.tokens.At(place).After {
		account := t.tokens.At(place).Account
		if has := len(t.of[account]); has != next[account] || has > mostLive {
			return fmt.Errorf("express: account %d has %d payments, and %d are found", account, next[account], has)
		}
	}
	if count != len(t.byDigest) || len(next) != len(t.of) {
		return fmt.Errorf("express: there are %d payments of %d accounts, and %d of %d are found", count, len(next), len(t.byDigest), len(t.of))
	}
	return nil
}
