package core

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/product"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// parts is a snapshot taken apart: its lists, in the order in which they stand.
type parts struct {
	heads    []head
	assets   []schema.Asset
	markets  []schema.MarketInfo
	records  []trading.MarketRecord // of the markets
	accounts []schema.Account
	keys     []accounts.KeyRecord
	balances []ledger.Record
	desks    []trading.DeskRecord
	orders   [][]trading.OrderRecord // by market
}

func takeApart(t *testing.T, snapshot []byte) *parts {
	t.Helper()
	r := &product.Reader{Rest: unseal(snapshot)}
	p := &parts{}
	p.heads = list[head](t, r)
	p.assets = list[schema.Asset](t, r)
	for {
		var info schema.MarketInfo
		var record trading.MarketRecord
		if more, err := r.Next(&info); err != nil {
			t.Fatal(err)
		} else if !more {
			break
		}
		if _, err := r.Next(&record); err != nil {
			t.Fatal(err)
		}
		p.markets, p.records = append(p.markets, info), append(p.records, record)
	}
	p.accounts = list[schema.Account](t, r)
	p.keys = list[accounts.KeyRecord](t, r)
	p.balances = list[ledger.Record](t, r)
	p.desks = list[trading.DeskRecord](t, r)
	for range p.markets {
		p.orders = append(p.orders, list[trading.OrderRecord](t, r))
	}
	return p
}

func list[T any, M interface {
	*T
	wire.Message
}](t *testing.T, r *product.Reader) (all []T) {
	t.Helper()
	for item, err := range product.Messages[T, M](r) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *item)
	}
	return all
}

func (p *parts) put() []byte {
	w := &product.Writer{}
	putAll(w, p.heads)
	putAll(w, p.assets)
	for i := range p.markets {
		w.Message(&p.markets[i])
		if i < len(p.records) {
			w.Message(&p.records[i])
		}
	}
	w.End()
	putAll(w, p.accounts)
	putAll(w, p.keys)
	putAll(w, p.balances)
	putAll(w, p.desks)
	for _, orders := range p.orders {
		putAll(w, orders)
	}
	return seal(w.Bytes)
}

func putAll[T any, M interface {
	*T
	wire.Message
}](w *product.Writer, all []T) {
	for i := range all {
		w.Message(M(&all[i]))
	}
	w.End()
}

// balance is the record of a balance, to be changed.
func (p *parts) balance(account schema.AccountID, wallet schema.Wallet, asset schema.AssetID) *ledger.Record {
	i := slices.IndexFunc(p.balances, func(r ledger.Record) bool {
		return r.Account == account && r.Wallet == wallet && r.Asset == asset
	})
	return &p.balances[i]
}

// order is the first order on the first market that has a property, to be changed.
func (p *parts) order(is func(o *schema.Order) bool) *trading.OrderRecord {
	i := slices.IndexFunc(p.orders[0], func(r trading.OrderRecord) bool { return is(&r.Order) })
	return &p.orders[0][i]
}

func kind(side schema.Side, kind schema.OrderType) func(o *schema.Order) bool {
	return func(o *schema.Order) bool { return o.Side == side && o.Type == kind }
}

func TestTakenApartAndPutTogetherIsTheSame(t *testing.T) {
	data := lively(t).Snapshot()
	if string(takeApart(t, data).put()) != string(data) {
		t.Error("the tests of broken content do not begin with a good one")
	}
}

// TestBrokenContentIsRefused changes one thing each in what a snapshot says and puts the
// checksum right.
func TestBrokenContentIsRefused(t *testing.T) {
	limit, stopLimit, stopMarket := schema.Limit, schema.StopLimit, schema.StopMarket
	buy, sell := schema.Buy, schema.Sell
	for name, tt := range map[string]struct {
		change func(p *parts)
		says   string
	}{
		"no head":                     {func(p *parts) { p.heads = nil }, "0 heads"},
		"two heads":                   {func(p *parts) { p.heads = append(p.heads, p.heads[0]) }, "2 heads"},
		"an order beyond the last id": {func(p *parts) { p.heads[0].Counters.Order = 3 }, "not one that was handed out"},
		"an asset missing":            {func(p *parts) { p.assets = p.assets[:2] }, "two listed assets"},
		"an asset of the middle gone": {func(p *parts) { p.assets = slices.Delete(p.assets, 0, 1) }, "The name is taken"},
		"an asset twice":              {func(p *parts) { p.assets[1].Ticker = p.assets[0].Ticker }, "The name is taken"},
		"an asset of 19 decimals":     {func(p *parts) { p.assets[0].Scale = 19 }, "Scale is at most 18"},
		"a coarser asset":             {func(p *parts) { p.assets[1].Scale, p.assets[1].Precision = 5, 5 }, "too few decimals"},
		"a balance too fine":          {func(p *parts) { p.balance(101, schema.Main, 2).Available = d("0.0000000000001") }, "finer than the asset's 12 decimals"},
		"a market id that is off":     {func(p *parts) { p.markets[2].ID = 9 }, "The name is taken"},
		"a market twice":              {func(p *parts) { p.markets[1] = p.markets[0]; p.markets[1].ID = 2 }, "The name is taken"},
		"a market too precise":        {func(p *parts) { p.markets[0].MoneyPrec = 200 }, "too few decimals"},
		"a step that is no step":      {func(p *parts) { p.markets[0].StepSize = d("-1") }, "Tick and step"},
		"a fee of 90 percent":         {func(p *parts) { p.markets[0].TakerFee = d("90") }, "Fees are percents"},
		"a market without its record": {func(p *parts) { p.records = p.records[:2] }, "has no record"},
		"a last price below zero":     {func(p *parts) { p.records[0].Last = d("-1") }, "a last price of -1"},
		"a last price too fine":       {func(p *parts) { p.records[0].Last = d("0.001") }, "a last price of 0.001"},
		"a last price too large":      {func(p *parts) { p.records[0].Last = fixed.Max }, "a last price of"},
		"an account missing":          {func(p *parts) { p.accounts = p.accounts[:3] }, "does not exist"},
		"an account id that is off":   {func(p *parts) { p.accounts[0].ID = 102 }, "unauthorized"},
		"a name twice":                {func(p *parts) { p.accounts[1].Name = p.accounts[0].Name }, "The name is taken"},
		"a region that is none":       {func(p *parts) { p.accounts[0].Region = 9 }, "The region"},
		"a tier that there is not":    {func(p *parts) { p.accounts[0].Tier = 10 }, "Tiers are numbered"},
		"a time below zero":           {func(p *parts) { p.accounts[0].RestrictedUntil = -1 }, "Tiers are numbered"},
		"a key twice":                 {func(p *parts) { p.keys[1].Key.Key = p.keys[0].Key.Key; p.keys[1].Key.Account = 101 }, "A key is"},
		"a key of nobody":             {func(p *parts) { p.keys[0].Key.Account = 999 }, "unauthorized"},
		"a key without a secret":      {func(p *parts) { p.keys[0].Key.Sealed = nil }, "A key is"},
		"a balance twice":             {func(p *parts) { p.balances = append(p.balances, p.balances[3]) }, "stands there twice"},
		"a balance of nobody":         {func(p *parts) { p.balance(101, schema.Main, 1).Account = 105 }, "does not exist"},
		"a balance in no wallet":      {func(p *parts) { p.balance(101, schema.Main, 1).Wallet = 7 }, "names no account"},
		"a balance of no asset":       {func(p *parts) { p.balance(101, schema.Main, 1).Asset = 9 }, "not listed"},
		"a balance below zero":        {func(p *parts) { p.balance(101, schema.Main, 1).Available = d("-5") }, "-5 is negative"},
		"money from nowhere":          {func(p *parts) { p.balance(101, schema.Main, 1).Available = d("10001") }, "sums to 1 over"},
		"sums beyond 128 bits": {func(p *parts) {
			p.balance(101, schema.Main, 1).Available = fixed.Max
			p.balance(102, schema.Main, 1).Available = fixed.Max
		}, "overflows"},
		"held money of trade": {func(p *parts) { p.balance(101, schema.Trade, 1).Held = d("1") }, "held outside"},
		"frozen more than orders hold": {func(p *parts) {
			b := p.balance(104, schema.Trade, 1)
			b.Frozen = d("1")
			b.Available = b.Available.Sub(d("1"))
		}, "its orders hold 0"},
		"frozen less than orders hold": {func(p *parts) {
			b := p.balance(101, schema.Trade, 1)
			b.Available = b.Available.Add(b.Frozen)
			b.Frozen = d("0")
		}, "has 0 of asset 1 frozen"},
		"a desk missing":               {func(p *parts) { p.desks = p.desks[1:] }, "has no desk"},
		"a desk twice":                 {func(p *parts) { p.desks = append(p.desks, p.desks[0]) }, "a desk stands there twice"},
		"a desk on no market":          {func(p *parts) { p.desks[0].Fee.Market = 4 }, "names no account or market"},
		"a desk without balances":      {func(p *parts) { p.desks[0].Fee.Account = 101; p.desks[0].Fee.Market = 3 }, ""},
		"a desk with a fee of 60":      {func(p *parts) { p.desks[0].Fee.Taker = schema.Some(d("60")) }, "fees that cannot be charged"},
		"a timer of another desk":      {func(p *parts) { p.desks[0].Timer.Account = 104 }, "timer that cannot run"},
		"a timer for unknown products": {func(p *parts) { p.desks[0].Timer.Products = 8 }, "timer that cannot run"},

		"an order twice":                  {func(p *parts) { p.orders[0] = append(p.orders[0], p.orders[0][0]) }, "stands there twice"},
		"an order id on two markets":      {func(p *parts) { p.orders[1][0].Order.ID = p.orders[0][0].Order.ID }, "stands in two books"},
		"order id 0":                      {func(p *parts) { p.orders[0][0].Order.ID = 0 }, "not one that was handed out"},
		"an order of an unknown desk":     {func(p *parts) { p.orders[2][0].Order.Account = 104 }, "has no desk"},
		"an order of another market":      {func(p *parts) { p.orders[0][0].Order.Market = 2 }, "another market"},
		"an order of no side":             {func(p *parts) { p.orders[0][0].Order.Side = 0 }, "its words"},
		"an order of no type":             {func(p *parts) { p.orders[0][0].Order.Type = 7 }, "its words"},
		"a role that is none":             {func(p *parts) { p.orders[0][0].BBO = 3 }, "its words"},
		"an order at the market":          {func(p *parts) { p.orders[0][0].Order.Type = schema.Market }, "at the market cannot be open"},
		"a triggered order at the market": {func(p *parts) { p.order(kind(buy, stopMarket)).Order.ActivatedAt = 1 }, "at the market cannot be open"},
		"an ioc order":                    {func(p *parts) { p.orders[0][0].Order.IOC = true }, "such flags"},
		"a stop with flags":               {func(p *parts) { p.order(kind(buy, stopLimit)).Order.RPI = true }, "such flags"},
		"a limit order activated":         {func(p *parts) { p.orders[0][0].Order.ActivatedAt = 1 }, "only stop orders"},
		"a limit order with a role":       {func(p *parts) { p.orders[0][0].BBO = schema.BBOQueue }, "take their price from the book"},
		"a client id twice": {func(p *parts) {
			p.order(kind(buy, stopLimit)).Order.ClientID = p.order(kind(buy, limit)).Order.ClientID
		}, "client id stands there twice"},
		"a price of zero":                {func(p *parts) { p.orders[0][0].Order.Price = fixed.Zero }, "its prices are"},
		"a price below zero":             {func(p *parts) { p.order(kind(sell, stopMarket)).Order.Price = d("-1") }, "its prices are"},
		"a price too fine":               {func(p *parts) { p.orders[0][0].Order.Price = d("19.001") }, "its prices are"},
		"a price on a stop market order": {func(p *parts) { p.order(kind(buy, stopMarket)).Order.Price = d("5") }, "its prices are"},
		"a stop without a trigger":       {func(p *parts) { p.order(kind(buy, stopMarket)).Order.ActivationPrice = fixed.Zero }, "its prices are"},
		"more left than there was":       {func(p *parts) { p.order(kind(sell, limit)).Order.Left = d("5") }, "is left of"},
		"nothing left":                   {func(p *parts) { p.order(kind(sell, limit)).Order.Left = fixed.Zero }, "is left of"},
		"an amount that is too fine":     {func(p *parts) { p.order(kind(sell, limit)).Order.Left = d("0.0001") }, "is left of"},
		"a waiting order filled":         {func(p *parts) { p.order(kind(sell, stopMarket)).Order.Left = d("1") }, "that waits was filled"},
		"a budget below zero":            {func(p *parts) { o := &p.order(kind(buy, stopMarket)).Order; o.Amount, o.Left = d("-1"), d("-1") }, "its amount is -1"},
		"a budget overspent":             {func(p *parts) { p.order(kind(buy, stopMarket)).Order.DealMoney = fixed.Min }, "was paid"},
		"money for no fill":              {func(p *parts) { p.order(kind(buy, stopLimit)).Order.DealMoney = d("1") }, "was paid"},
		"more than can be held": {func(p *parts) {
			o := &p.order(kind(buy, stopLimit)).Order
			o.Price, o.Amount, o.Left = d("90000000000000000"), d("9000000000000000"), d("9000000000000000")
		}, "more than can be held"},
		"holds beyond 128 bits":        {breakHolds, "overflows"},
		"a crossed book":               {func(p *parts) { p.orders[0][0].Order.Price = d("20") }, "crossed"},
		"a status that is not its own": {func(p *parts) { p.orders[0][0].Order.Status = schema.Filled }, "another snapshot"},
		"a filled amount that is not":  {func(p *parts) { p.orders[0][0].Order.DealStock = d("7") }, "another snapshot"},
		"orders out of their order":    {func(p *parts) { o := p.orders[0]; last := len(o) - 1; o[0], o[last] = o[last], o[0] }, "another snapshot"},
		"a list of orders missing":     {func(p *parts) { p.orders = p.orders[:2] }, "cut off"},
		"a list too many":              {func(p *parts) { p.orders = append(p.orders, nil) }, "1 bytes are left over"},
	} {
		t.Run(name, func(t *testing.T) {
			p := takeApart(t, lively(t).Snapshot())
			tt.change(p)
			m, err := Restore(p.put())
			if !errors.Is(err, ErrSnapshot) || m != nil {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error %q does not say %q", err, tt.says)
			}
		})
	}
}

// breakHolds makes two orders hold amounts that fit one by one and not together.
func breakHolds(p *parts) {
	for i := range p.orders[0] {
		if o := &p.orders[0][i].Order; o.Side == schema.Buy && o.Type == schema.StopLimit {
			o.Account, o.Amount, o.Left = 102, d("150000000000000"), d("150000000000000")
			o.ActivationPrice = d("1000000")
			if !o.Price.IsZero() { // the other one takes its price from the book
				o.Price = d("1000000")
			}
		}
	}
}

func TestFieldOfANewerVersionIsRefused(t *testing.T) {
	p := takeApart(t, lively(t).Snapshot())
	w := &product.Writer{}
	w.Message(&newer{p.heads[0]})
	if _, err := Restore(seal(append(w.Bytes, 0))); !errors.Is(err, ErrSnapshot) || !strings.Contains(err.Error(), "field 99 is not known to this version") {
		t.Errorf("got %v", err)
	}
}

// newer is a head with a field that this version does not know.
type newer struct{ head }

func (n *newer) Fields(c *wire.Coder) {
	n.head.Fields(c)
	one := uint64(1)
	wire.Uint(c, 99, "later", &one)
}
