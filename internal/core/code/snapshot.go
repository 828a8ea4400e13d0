package code

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are the codes that can be applied, and what is remembered of those that were.
func (c *Codes) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagCodes, Name: "codes", Version: 1, Write: c.writeActive, Read: c.readActive},
		{Tag: product.TagAppliedCodes, Name: "codes that were applied", Version: 1, Write: c.writeApplied, Read: c.readApplied},
		product.Counter(product.TagCodeCounter, "the number of codes", &c.last),
	}
}

// record is an active code as snapshots keep it.
type record struct{ active }

func (r *record) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "code", &r.Code)
	c.Array(2, "digest", r.digest[:])
	c.Array(3, "lock", r.lock[:])
	wire.Uint(c, 4, "tries", &r.tries)
}

// trace is what is remembered of a code that was applied.
type trace struct{ digest schema.Digest }

func (r *trace) Fields(c *wire.Coder) { c.Array(1, "digest", r.digest[:]) }

func (c *Codes) writeActive(w *product.Writer) {
	for place := c.order.First; place != 0; place = c.active.At(place).After {
		w.Message(&record{*c.active.At(place)})
	}
}

func (c *Codes) readActive(r *product.Reader) error {
	for m, err := range product.Messages[record](r) {
		if err != nil {
			return err
		}
		if err := c.check(&m.active); err != nil {
			return fmt.Errorf("code %d: %w", m.ID, err)
		}
		c.add(&m.active)
		c.last = m.ID
	}
	return nil
}

// check refuses a code that no command could have left.
func (c *Codes) check(a *active) error {
	asset := c.listing.Asset(a.Asset)
	_, taken := c.places[a.digest]
	switch {
	case a.ID <= c.last || c.order.Last != 0 && a.Created < c.active.At(c.order.Last).Created:
		return errors.New("it stands in the wrong place")
	case taken || !valid(a.digest, a.Sealed, a.Description):
		return errors.New("its digest stands there twice, or it cannot be one")
	case c.accounts.Get(a.Account) == nil || asset == nil || asset.Class != schema.Crypto:
		return errors.New("its account or its asset cannot be")
	case a.Amount.Sign() <= 0 || a.Amount.Decimals() > int(asset.Scale):
		return errors.New("its amount cannot be")
	case a.Status != schema.CodeActive || a.Ended != 0 || a.Redeemer != 0 || a.tries >= mostTries || c.counts[a.Account] >= mostActive:
		return errors.New("it should have ended, or not have been created")
	}
	return nil
}

func (c *Codes) writeApplied(w *product.Writer) {
	for i := range c.applied {
		w.Message(&trace{c.applied[(c.oldest+i)%len(c.applied)]})
	}
}

func (c *Codes) readApplied(r *product.Reader) error {
	for m, err := range product.Messages[trace](r) {
		if err != nil {
			return err
		}
		if _, taken := c.places[m.digest]; taken || m.digest.IsZero() || len(c.applied) == c.Remembered {
			return errors.New("a digest stands there twice, is none, or there are too many")
		}
		c.remember(m.digest)
	}
	return nil
}

// Verify holds the money of the codes against the codes.
func (c *Codes) Verify() error {
	sums := make([]fixed.Decimal, len(c.listing.Assets())+1)
	for place := c.order.First; place != 0; place = c.active.At(place).After {
		a := c.active.At(place)
		sums[a.Asset] = sums[a.Asset].Add(a.Amount)
		if c.places[a.digest] != place {
			return fmt.Errorf("codes: code %d is not found by its digest", a.ID)
		}
	}
	for _, asset := range c.listing.Assets() {
		if has := c.ledger.Available(c.ledger.Find(schema.Codes, schema.Main, asset.ID)); has != sums[asset.ID] {
			return fmt.Errorf("codes: there is %s of %s, and %s in active codes", has, asset.Ticker, sums[asset.ID])
		}
	}
	return nil
}
