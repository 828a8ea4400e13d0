package price

import (
	"testing"

	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// board is one with a future on BTC (asset 1, market 1) and ETH as collateral; USDT is asset 2.
func board(t *testing.T) *Board {
	t.Helper()
	out := &schema.Outcome{}
	l := listing.New()
	for _, ticker := range []string{"BTC", "USDT", "ETH", "EUR"} {
		if r := l.SetAsset(schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 8}, out); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	r := l.SetMarket(schema.MarketInfo{
		Name: "BTC_PERP", Base: 1, Quote: 2, Type: schema.Futures, StockPrec: 3, MoneyPrec: 2,
		Margin: schema.Margin{MaxLeverage: 1, PriceBand: fixed.One, ImpactNotional: fixed.One, FundingMinutes: 5},
	}, out)
	if r.Refused() {
		t.Fatal(r.Text())
	}
	r = l.SetMarket(schema.MarketInfo{Name: "ETH_USDT", Base: 3, Quote: 2, Type: schema.Spot, StockPrec: 3, MoneyPrec: 2}, out)
	if r.Refused() {
		t.Fatal(r.Text())
	}
	b := &Board{Listing: l, Out: out, Weighed: func() {}, Moved: func(schema.AssetID, fixed.Decimal, fixed.Decimal) {}}
	b.Listed(1)
	b.Listed(2)
	if r := b.setCollateral(&schema.SetCollateral{Asset: 3, IndexMaxAge: schema.Second}); r.Refused() {
		t.Fatal(r.Text())
	}
	return b
}

// restore reads a section of a board from messages, and checks what it gives.
func restore(b *Board, tag uint64, messages ...wire.Message) error {
	for _, s := range b.Sections() {
		if s.Tag != tag {
			continue
		}
		w := &product.Writer{}
		for _, m := range messages {
			w.Message(m)
		}
		w.End()
		if err := s.Read(&product.Reader{Rest: w.Bytes, Version: 1}); err != nil {
			return err
		}
	}
	return b.Verify()
}

func TestSectionsThatCannotBe(t *testing.T) {
	one, second := fixed.One, schema.Second
	set := func(asset schema.AssetID, weight fixed.Decimal) wire.Message {
		return &schema.SetCollateral{Asset: asset, Weight: weight, IndexMaxAge: second}
	}
	index := func(asset schema.AssetID) wire.Message {
		return &assetRecord{asset, IndexRecord{Quotes: []QuoteRecord{{0, one, 1, true}}, Price: one}}
	}
	last := func(change func(e *schema.MarkChanged)) wire.Message {
		e := schema.MarkChanged{Market: 1, Settles: minute}
		change(&e)
		return &futureRecord{e, SamplerRecord{}}
	}
	if err := restore(board(t), product.TagCollaterals, set(1, one), set(4, one)); err != nil {
		t.Error(err)
	}
	if err := restore(board(t), product.TagIndexes, &assetRecord{1, IndexRecord{}}, index(3)); err != nil {
		t.Error(err)
	}
	if err := restore(board(t), product.TagFutures, last(func(*schema.MarkChanged) {})); err != nil {
		t.Error(err)
	}
	for name, tt := range map[string]struct {
		tag      uint64
		messages []wire.Message
	}{
		"something set of no asset":     {product.TagCollaterals, []wire.Message{set(5, one)}},
		"something set twice":           {product.TagCollaterals, []wire.Message{set(1, one), set(1, one)}},
		"set out of order":              {product.TagCollaterals, []wire.Message{set(4, one), set(1, one)}},
		"a weight above 1":              {product.TagCollaterals, []wire.Message{set(1, one.Add(one))}},
		"an index of no asset":          {product.TagIndexes, []wire.Message{index(5)}},
		"an index of an unknown asset":  {product.TagIndexes, []wire.Message{index(4)}},
		"an index of USDT":              {product.TagIndexes, []wire.Message{index(2)}},
		"an index twice":                {product.TagIndexes, []wire.Message{index(3), index(3)}},
		"a wrong index":                 {product.TagIndexes, []wire.Message{&assetRecord{3, IndexRecord{Price: one.Neg()}}}},
		"an index that its future lags": {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Index = one })}},
		"a price of a spot market":      {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Market = 2 })}},
		"a price of no market":          {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Market = 3 })}},
		"a future twice":                {product.TagFutures, []wire.Message{last(func(*schema.MarkChanged) {}), last(func(*schema.MarkChanged) {})}},
		"a wrong sampler":               {product.TagFutures, []wire.Message{&futureRecord{schema.MarkChanged{Market: 1}, SamplerRecord{Next: -1}}}},
		"samples before any tick":       {product.TagFutures, []wire.Message{&futureRecord{schema.MarkChanged{Market: 1}, SamplerRecord{Next: 1}}}},
		"a mark without an index":       {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Mark = one })}},
		"fresh without an index":        {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Fresh = true })}},
		"prices before the first":       {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Settles, e.Rate = 0, one })}},
		"a rate above 1":                {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Rate = one.Add(one) })}},
		"too fine a rate":               {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Rate = fixed.FromUnits(1, 17) })}},
		"settled at half a minute":      {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Settles = minute / 2 })}},
		"settled before time":           {product.TagFutures, []wire.Message{last(func(e *schema.MarkChanged) { e.Settles = -minute })}},
	} {
		if restore(board(t), tt.tag, tt.messages...) == nil {
			t.Errorf("%s is let in", name)
		}
	}
	// With an index of the asset behind it.
	for name, e := range map[string]schema.MarkChanged{
		"a mark that is too fine": {Mark: fixed.FromUnits(1, 3), Index: one, Fresh: true, Settles: minute},
		"a negative mark":         {Mark: one.Neg(), Index: one, Fresh: true, Settles: minute},
		"stale beside its asset":  {Mark: one, Index: one, Settles: minute},
	} {
		b := board(t)
		if err := restore(b, product.TagIndexes, index(1)); err != nil {
			t.Fatal(err)
		}
		e.Market = 1
		if restore(b, product.TagFutures, &futureRecord{e, SamplerRecord{}}) == nil {
			t.Errorf("%s is let in", name)
		}
	}
}

// TestReadingPricesAllocatesNothing: it is done for every order with collateral.
func TestReadingPricesAllocatesNothing(t *testing.T) {
	b := board(t)
	b.Set(b.Listing.Market(1).Base, 0, fixed.One)
	n := testing.AllocsPerRun(100, func() {
		sinkDecimal, sinkBool = b.Mark(1)
		sinkDecimal, sinkBool = b.Index(1)
		sinkDecimal, sinkBool = b.Index(2)
		_, sinkBool = b.Collateral(3)
	})
	if n != 0 {
		t.Errorf("reading allocates %v times", n)
	}
}
