package price

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are what is set, the indexes and the futures. Each lists what there is by id: every asset that has an index and
// every future, also before anything is known of its price. Assets are known by what is set and what is listed.
func (b *Board) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagCollaterals, Name: "what assets are worth as collateral", Version: 1, Write: b.writeCollaterals, Read: b.readCollaterals},
		{Tag: product.TagIndexes, Name: "index prices", Version: 1, Write: b.writeIndexes, Read: b.readIndexes},
		{Tag: product.TagFutures, Name: "prices of futures", Version: 1, Write: b.writeFutures, Read: b.readFutures},
	}
}

func (b *Board) writeCollaterals(w *product.Writer) {
	for _, a := range b.assets {
		if a != nil && a.set {
			w.Message(&a.collateral)
		}
	}
}

func (b *Board) readCollaterals(r *product.Reader) error {
	last := schema.AssetID(0)
	for c, err := range product.Messages[schema.SetCollateral](r) {
		if err != nil {
			return err
		}
		if b.Listing.Asset(c.Asset) == nil || c.Asset <= last || !validCollateral(c) {
			return errors.New("something cannot be set, or stands there twice")
		}
		last = c.Asset
		a := b.learn(c.Asset)
		a.collateral, a.set = *c, true
	}
	return nil
}

// assetRecord is an asset as snapshots keep it.
type assetRecord struct {
	asset schema.AssetID
	index IndexRecord
}

func (r *assetRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "asset", &r.asset)
	wire.Embed(c, 2, "index", &r.index)
}

func (b *Board) writeIndexes(w *product.Writer) {
	for _, a := range b.assets {
		if a != nil && !b.Listing.IsUSDT(a.id) {
			w.Message(&assetRecord{a.id, a.index.Record()})
		}
	}
}

func (b *Board) readIndexes(r *product.Reader) error {
	last := schema.AssetID(0)
	for record, err := range product.Messages[assetRecord](r) {
		if err != nil {
			return err
		}
		a := b.find(record.asset)
		if a == nil || b.Listing.IsUSDT(a.id) || a.id <= last {
			return fmt.Errorf("asset %d has no index, or stands there twice", record.asset)
		}
		last = a.id
		if err := a.index.Restore(&record.index); err != nil {
			return fmt.Errorf("asset %d: %w", a.id, err)
		}
	}
	return nil
}

// futureRecord is a future as snapshots keep it.
type futureRecord struct {
	last    schema.MarkChanged
	sampler SamplerRecord
}

func (r *futureRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "last", &r.last)
	wire.Embed(c, 2, "sampler", &r.sampler)
}

func (b *Board) writeFutures(w *product.Writer) {
	for _, f := range b.futures {
		if f != nil {
			w.Message(&futureRecord{f.last, f.sampler.Record()})
		}
	}
}

func (b *Board) readFutures(r *product.Reader) error {
	last := schema.MarketID(0)
	for record, err := range product.Messages[futureRecord](r) {
		if err != nil {
			return err
		}
		f := b.future(record.last.Market)
		if f == nil || f.info.ID <= last {
			return fmt.Errorf("market %d is no future, or stands there twice", record.last.Market)
		}
		last = f.info.ID
		f.last = record.last
		if err := f.sampler.Restore(&record.sampler); err != nil {
			return fmt.Errorf("market %s: %w", f.info.Name, err)
		}
	}
	return nil
}

// Verify checks that the prices of futures can be and that those which trade have the index of their asset.
func (b *Board) Verify() error {
	for _, a := range b.assets {
		if a != nil && b.Listing.IsUSDT(a.id) && a.index != (Index{}) {
			return errors.New("USDT has an index beside 1")
		}
	}
	for _, f := range b.futures {
		if f == nil {
			continue
		}
		if err := f.verify(); err != nil {
			return fmt.Errorf("market %s: %w", f.info.Name, err)
		}
	}
	return nil
}

func (f *future) verify() error {
	l := &f.last
	if l.Settles == 0 { // nothing happened since it was listed
		if *l != (schema.MarkChanged{Market: l.Market}) || f.sampler != (Sampler{}) {
			return errors.New("it has prices from before its first")
		}
		return nil
	}
	index, fresh := f.index()
	switch {
	case !f.info.Delisted && (l.Index != index || l.Fresh != fresh || l.Money != f.money()):
		return fmt.Errorf("it has an index of %s, and its asset one of %s", l.Index, index)
	case f.quote == nil && !l.Money.IsZero(), f.quote != nil && !l.Money.IsZero() && !Valid(l.Money):
		return fmt.Errorf("its quote is worth %s", l.Money)
	case !l.Index.IsZero() && !Valid(l.Index), l.Fresh && l.Index.IsZero():
		return fmt.Errorf("an index of %s", l.Index)
	// A mark in another money stays when the index in that money is none that can be counted.
	case !l.Mark.IsZero() && (!Valid(l.Mark) || l.Mark.Decimals() > int(f.info.MoneyPrec) || l.Index.IsZero() && f.quote == nil):
		return fmt.Errorf("a mark of %s", l.Mark)
	case l.Rate.Abs().Cmp(fixed.One) > 0 || l.Rate.Decimals() > RatePlaces:
		return fmt.Errorf("a rate of %s", l.Rate)
	case l.Settles < 0 || l.Settles%minute != 0:
		return fmt.Errorf("funding is settled at %d", l.Settles)
	}
	return nil
}
