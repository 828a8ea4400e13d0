package faucet

import (
	"errors"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// Sections are the limits and what was taken.
func (f *Faucets) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagFaucets, Name: "limits of the faucet", Version: 1, Write: f.writeLimits, Read: f.readLimits},
		{Tag: product.TagFaucetTaken, Name: "what was taken from the faucet", Version: 1, Write: f.writeTaken, Read: f.readTaken},
	}
}

func (f *Faucets) writeLimits(w *product.Writer) {
	for i := range f.limits {
		w.Message(&f.limits[i])
	}
}

func (f *Faucets) readLimits(r *product.Reader) error {
	for limit, err := range product.Messages[schema.SetFaucet](r) {
		if err != nil {
			return err
		}
		asset := f.Listing.Asset(limit.Asset)
		if asset == nil || f.limit(limit.Asset) != nil || !amountOf(asset, limit.Limit) {
			return errors.New("a limit cannot be one, or stands there twice")
		}
		f.limits = append(f.limits, *limit)
	}
	return nil
}

func (f *Faucets) writeTaken(w *product.Writer) {
	for i := range f.taken {
		w.Message(&f.taken[i])
	}
}

func (f *Faucets) readTaken(r *product.Reader) error {
	for t, err := range product.Messages[record](r) {
		if err != nil {
			return err
		}
		_, known := f.places[place{t.account, t.asset}]
		if known || f.Accounts.Get(t.account) == nil || f.limit(t.asset) == nil ||
			t.amount.IsZero() || !amountOf(f.Listing.Asset(t.asset), t.amount) {
			return errors.New("what was taken cannot have been, or stands there twice")
		}
		f.add(*t)
	}
	return nil
}
