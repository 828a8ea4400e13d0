package core

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// pit draws the commands of a small exchange where all trade futures with little collateral, prices move in
// leaps, and most of what is asked for is close to what just can be.
type pit struct {
	now    schema.Time
	orders schema.OrderID
	// whole says that ticks are done at once. In slices a mark is sampled before a kill switch has canceled all that it
	// will, and the oracle knows no slices.
	whole  bool
	bank   *Machine
	prices [4]fixed.Decimal // of the assets, roughly, in USDT
	stocks bool             // the second future is a TradFi future, with prices in USD
	pairs  bool             // spot markets are traded with margin, and the pool has something to lend
	scales [2]uint8         // decimals of the prices of futures
	follow []schema.Command // what comes next in any case
	subs   int              // how many accounts after the first are sub-accounts of these
}

const (
	pitUSDT = schema.AssetID(1)
	pitSpot = schema.MarketID(1)
	pitBTC  = schema.MarketID(2)
	pitETH  = schema.MarketID(3)
	pitPair = schema.MarketID(4) // ETH_BTC

	pitUSD    = schema.AssetID(4)
	pitDollar = schema.MarketID(5) // USD_USDT
)

func (p *pit) birth(t *dice) (list []schema.Command) {
	for _, f := range schema.BirthFeatures() {
		list = append(list, &f)
	}
	for _, ticker := range []string{"USDT", "BTC", "ETH", "USD"} {
		list = append(list, &schema.SetAsset{Asset: schema.Asset{
			Ticker: ticker, Scale: 18, Precision: 8, Class: schema.Crypto, CanDeposit: true, CanWithdraw: true,
		}})
	}
	p.stocks = coin(t)
	p.pairs = coin(t)
	list = append(list, p.pair(t, "BTC_USDT", 2, pitUSDT))
	// One of the prices may be as small, as large or as precise as can be.
	p.prices = [...]fixed.Decimal{fixed.One, pick(t, d("1000"), d("1000"), d("0.00000123"), d("123456789.123456")), d("50"), pick(t, d("0.9995"), fixed.One, d("0.123456789123456789"), d("333.3"))}
	p.scales = [2]uint8{uint8(chance(t, 3)), uint8(chance(t, 3))}
	if p.stocks && p.prices[3].Cmp(d("100")) > 0 {
		p.scales[1] += 3
	}
	switch {
	case p.prices[1].Less(fixed.One):
		p.scales[0] = 8 + uint8(chance(t, 5))
	case p.prices[1].Cmp(d("1000")) > 0:
		p.scales[0] = uint8(chance(t, 7))
	}
	second := "ETH_PERP"
	if p.stocks {
		second = "ETH_USD"
	}
	list = append(list, p.future(t, "BTC_PERP", 2), p.future(t, second, 3), p.pair(t, "ETH_BTC", 3, 2), p.pair(t, "USD_USDT", pitUSD, pitUSDT))
	for asset := range pitUSD {
		list = append(list, p.collateral(t, asset+1))
		if p.pairs {
			amount, _ := fixed.Div(pick(t, d("1000"), d("10000"), d("1000000")), p.prices[asset], 6, fixed.Up)
			list = append(list, &schema.FundSystem{Account: schema.Lending, Asset: asset + 1, Amount: amount})
		}
	}
	for i := range worldAccounts {
		a := schema.Account{Name: string(rune('a' + i)), Region: schema.Global, RPI: i == 0}
		a.TradFi = i < 2 || !rarely(t)
		if i == 1 {
			a.MakerFee, a.TakerFee = schema.Some(d("-0.01")), schema.Some(d("0.02"))
		}
		list = append(list, &schema.SetAccount{Account: a})
	}
	for i := range worldAccounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		if coin(t) {
			list = append(list, &schema.SetLeverage{Account: account, Leverage: 100})
		}
		if chance(t, 3) == 0 {
			list = append(list, &schema.SetHedgeMode{Account: account, On: true})
		}
		for asset := schema.AssetID(1); asset <= 3; asset++ {
			amount := fixed.FromInt(int64(1 + chance(t, pick(t, 300, 3000, 20_000))))
			if asset != pitUSDT {
				amount = fixed.FromUnits(int64(1+chance(t, 100)), 3)
			}
			list = append(list, &schema.Deposit{Account: account, Asset: asset, Amount: amount},
				&schema.Transfer{Account: account, Asset: asset, Amount: amount, From: schema.Main, To: pick(t, schema.Collateral, schema.Collateral, schema.Trade)})
		}
	}
	list = append(list, p.families(t)...)
	return append(list,
		&schema.SetIndex{Market: pitBTC, Price: p.prices[1]}, &schema.SetIndex{Market: pitDollar, Price: p.prices[3]}, &schema.SetIndex{Market: pitETH, Price: p.worth(pitETH)})
}

// pair is a spot market, with margin where there is some.
func (p *pit) pair(t *dice, name string, base, quote schema.AssetID) schema.Command {
	m := schema.MarketInfo{
		Name: name, Base: base, Quote: quote, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8, Enabled: true,
		MakerFee: d("0.1"), TakerFee: d("0.1"), MinAmount: pick(t, fixed.Zero, d("0.005")),
	}
	if base == pitUSD {
		return &schema.SetMarket{Market: m}
	}
	if quote != pitUSDT {
		m.MoneyPrec, m.TakerFee, m.TakerBand = 6, pick(t, fixed.Zero, d("0.2")), pick(t, fixed.Zero, d("2"))
		if p.prices[1].Cmp(d("1000")) > 0 {
			m.MoneyPrec = 12
		}
	}
	if p.pairs {
		m.Margin = schema.Margin{MaxLeverage: pick(t, uint8(10), 10, 5, 3), LiquidationBand: pick(t, d("2"), d("5"), d("0.1"))}
		m.MakerFee = pick(t, d("0.1"), d("-0.02"))
		if chance(t, 3) == 0 {
			m.MaxPosition, m.MaxPending = pick(t, fixed.Zero, d("8000")), pick(t, fixed.Zero, d("9000"))
		}
	}
	return &schema.SetMarket{Market: m}
}

func (p *pit) future(t *dice, name string, base schema.AssetID) schema.Command {
	m := schema.MarketInfo{
		Name: name, Base: base, Quote: pitUSDT, Type: schema.Futures, StockPrec: uint8(chance(t, 4)), MoneyPrec: p.scales[base-2], FeePrec: uint8(chance(t, pick(t, 9, 19))),
		MakerFee: pick(t, fixed.Zero, d("0.02"), d("-0.01")), TakerFee: pick(t, fixed.Zero, d("0.05"), d("0.3")), TakerBand: pick(t, fixed.Zero, d("2"), d("0.5")),
		Enabled: true,
		Margin: schema.Margin{
			MaxLeverage: pick(t, uint8(100), 100, 50, 20, 5), PriceBand: pick(t, d("10"), d("3"), d("100")), MarkBand: pick(t, fixed.Zero, d("0.5"), d("5")),
			ImpactNotional: pick(t, d("100"), d("1000")), FundingMinutes: pick(t, uint32(1), 5, 480), FundingCap: d("0.0003"), FundingFloor: d("-0.0003"),
			LiquidationFee: d("0.2"), LiquidationBand: d("2"),
		},
	}
	if name == "ETH_USD" {
		m.Type, m.Quote = schema.TradFiFutures, pitUSD
	}
	if name == "BTC_PERP" && p.prices[1].Cmp(d("1000")) > 0 {
		m.StockPrec = 4 + uint8(chance(t, 8))
	}
	if coin(t) {
		m.Bracket100, m.Bracket50 = d("1000"), pick(t, fixed.Zero, d("5000"))
	}
	if chance(t, 3) == 0 {
		m.MaxPosition, m.MaxPending, m.MaxOpenInterest = pick(t, fixed.Zero, d("8000")), pick(t, fixed.Zero, d("9000")), pick(t, fixed.Zero, d("20000"))
	}
	return &schema.SetMarket{Market: m}
}

func (p *pit) collateral(t *dice, asset schema.AssetID) schema.Command {
	c := &schema.SetCollateral{Asset: asset, Weight: fixed.One, Rate: pick(t, fixed.Zero, d("0.0001"), d("0.01")), IndexMaxAge: pick(t, 30*schema.Second, 3600*schema.Second)}
	if asset != pitUSDT {
		c.Weight = pick(t, fixed.Zero, d("0.95"), d("0.5"))
	}
	if p.pairs {
		c.PoolCap, _ = fixed.Div(pick(t, d("100000000"), d("5000")), p.prices[asset-1], 8, fixed.Up)
		c.AccountCap, _ = fixed.Div(pick(t, d("100000000"), d("3000"), fixed.Zero), p.prices[asset-1], 8, fixed.Up)
	}
	return c
}

func (p *pit) next(t *dice) (schema.Time, schema.Command) {
	switch n := chance(t, 60); {
	case n == 0:
		p.now += schema.Time(chance(t, 3600)) * schema.Second
	case n < 4:
		p.now += schema.Time(chance(t, 90)) * schema.Second
	default:
		p.now += schema.Time(chance(t, int(schema.Second)))
	}
	return p.now, p.command(t)
}

func (p *pit) account(t *dice) schema.AccountID {
	return schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts+p.subs))
}

func (p *pit) market(t *dice) schema.MarketID {
	if p.pairs && coin(t) {
		return pick(t, pitSpot, pitSpot, pitPair)
	}
	if p.stocks {
		return pick(t, pitBTC, pitETH, pitETH)
	}
	return pick(t, pitBTC, pitBTC, pitBTC, pitETH)
}

func (p *pit) command(t *dice) schema.Command {
	if len(p.follow) > 0 {
		next := p.follow[0]
		p.follow = p.follow[1:]
		return next
	}
	account := p.account(t)
	if p.subs > 0 && chance(t, 8) == 0 {
		return p.family(t)
	}
	switch n := chance(t, 165); {
	case n >= 130:
		return p.group(t, account)
	case n >= 100:
		return p.clash(t)
	case n < 5:
		return p.spot(t, account)
	case n < 6:
		return &schema.ClosePosition{Account: account, Market: p.market(t), Position: p.position(t, account), Forced: coin(t)}
	case n < 52:
		return &schema.PlaceOrder{Account: account, Order: p.request(t)}
	case n < 55:
		c := &schema.PlaceBulk{Account: account, StopOnFail: coin(t)}
		for range 1 + chance(t, 4) {
			r := p.request(t)
			r.Type = schema.Limit
			if chance(t, 4) == 0 {
				r.ReduceOnly = false
				p.protect(t, account, &r)
			}
			c.Orders = append(c.Orders, r)
		}
		return c
	case n < 59:
		return &schema.CancelOrder{Account: account, Order: p.ref(t)}
	case n < 60:
		c := &schema.CancelAll{Account: account, Market: pick(t, 0, p.market(t)), Products: pick(t, 0, schema.SpotOrders, schema.FuturesOrders, schema.MarginOrders, schema.MarginOrders|schema.FuturesOrders)}
		if coin(t) {
			c.Sides = schema.PositionSides(1 + chance(t, 8))
		}
		return c
	case n < 66:
		c := &schema.ModifyOrder{Account: account, Order: p.ref(t), KeepSTP: true}
		c.Price = pick(t, schema.Optional{}, schema.Some(p.price(t, c.Order.Market)))
		c.Amount = pick(t, schema.Optional{}, schema.Some(p.amount(t, c.Order.Market)))
		if chance(t, 4) == 0 {
			c.ActivationPrice = schema.Some(p.price(t, c.Order.Market))
		}
		return c
	case n < 78:
		return p.move(t)
	case n < 85:
		return &schema.Tick{}
	case n < 89:
		return &schema.SetLeverage{Account: account, Leverage: pick(t, uint8(1), 2, 3, 5, 10, 20, 50, 100, 100, 100, 7, 0)}
	case n < 91:
		return &schema.SetHedgeMode{Account: account, On: coin(t)}
	case n < 96:
		c := &schema.Transfer{Account: account, Asset: schema.AssetID(1 + chance(t, 3)), From: schema.Main, To: schema.Collateral}
		c.Amount = pick(t, d("1"), d("0.01"), fixed.FromInt(int64(1+chance(t, 500))))
		if coin(t) {
			c.From, c.To = c.To, c.From
		}
		return c
	case n < 97:
		return &schema.Deposit{Account: account, Asset: schema.AssetID(1 + chance(t, 3)), Amount: pick(t, d("1"), d("100"))}
	case n < 98:
		return &schema.FundSystem{
			Account: pick(t, schema.Insurance, schema.Lending, schema.Fees), Asset: schema.AssetID(chance(t, 5)),
			Amount: pick(t, d("1000"), d("-10"), fixed.Zero, d("0.0000000000001")),
		}
	case n < 99:
		return &schema.SetFee{Account: account, Market: p.market(t), Maker: pick(t, schema.Optional{}, schema.Some(d("-0.02"))), Taker: pick(t, schema.Optional{}, schema.Some(d("0.01")))}
	case rarely(t):
		return &schema.PlanDelisting{Market: p.market(t), At: p.now + schema.Time(chance(t, 3))*schema.Second}
	case p.whole && coin(t):
		return &schema.SetKillSwitch{Account: account, Market: p.market(t), Timeout: 5 * schema.Second, Products: pick(t, 0, schema.FuturesOrders, schema.MarginOrders, schema.SpotOrders)}
	default:
		return pick(t, p.collateral(t, schema.AssetID(1+chance(t, 3))), p.future(t, "BTC_PERP", 2), p.pair(t, "BTC_USDT", 2, pitUSDT))
	}
}

// clash lets two accounts meet for about as much as one of them can have.
func (p *pit) clash(t *dice) schema.Command {
	market, buyer, seller := p.market(t), p.account(t), p.account(t)
	info := p.bank.Listing().Market(market)
	mark, _ := p.bank.Prices().Mark(market)
	if info != nil && info.Type == schema.Spot {
		mark, _ = p.bank.prices.Pair(info)
		mark, _ = mark.Round(int(info.MoneyPrec), fixed.Down)
	}
	if info == nil || mark.IsZero() {
		return &schema.Tick{}
	}
	all := fixed.Max
	for _, a := range []schema.AccountID{buyer, seller} {
		s := p.bank.Collateral().Summary(a)
		free, _ := fixed.Mul(fixed.MaxOf(fixed.Zero, s.Equity.Add(s.Unrealized).Sub(s.Margin)), fixed.FromInt(int64(s.Leverage)), 2, fixed.Down)
		all = fixed.MinOf(all, free)
	}
	worth := p.prices[info.Base-1]
	if info.Future() {
		worth, _ = p.bank.prices.Worth(market)
	}
	amount, fits := fixed.MulDiv(all, fixed.FromUnits(int64(pick(t, 98, 90, 50)), 2), worth, int(info.StockPrec), fixed.Down)
	if !fits || amount.IsZero() {
		amount = fixed.FromUnits(1, int(info.StockPrec))
	}
	order := func(a schema.AccountID, side schema.Side, of schema.PositionSide) *schema.PlaceOrder {
		r := schema.OrderRequest{Market: market, Type: schema.Limit, Side: side, Amount: amount, Price: mark, Collateral: true}
		if p.bank.Collateral().Summary(a).Hedge {
			r.PositionSide = of
		}
		if chance(t, 3) == 0 {
			p.protect(t, a, &r)
		}
		return &schema.PlaceOrder{Account: a, Order: r}
	}
	p.follow = append(p.follow, order(buyer, schema.Buy, schema.LongSide))
	if coin(t) {
		p.follow = append(p.follow, p.move(t))
	}
	return order(seller, schema.Sell, schema.ShortSide)
}

// spot is an order that is paid from the trade wallet, mostly one that collateral could be sold to.
func (p *pit) spot(t *dice, account schema.AccountID) schema.Command {
	r := schema.OrderRequest{Market: pitSpot, Type: schema.Limit, Side: pick(t, schema.Buy, schema.Buy, schema.Sell), RPI: account == schema.FirstCustomer && rarely(t)}
	r.Amount = fixed.FromUnits(int64(1+chance(t, 400)), 4)
	if p.pairs && chance(t, 3) == 0 {
		r.Market = pitPair
		r.Price = p.price(t, pitPair)
		return &schema.PlaceOrder{Account: account, Order: r}
	}
	r.Price, _ = fixed.Mul(p.prices[1], fixed.FromUnits(int64(97+chance(t, 5)), 2), 2, fixed.Down)
	if r.Price.IsZero() {
		r.Price = d("0.01")
	}
	return &schema.PlaceOrder{Account: account, Order: r}
}

// position is one that an account has, or not.
func (p *pit) position(t *dice, account schema.AccountID) schema.PositionID {
	if list := p.bank.Collateral().Positions(account); len(list) > 0 && !rarely(t) {
		return list[chance(t, len(list))].ID
	}
	return schema.PositionID(chance(t, 5))
}

// move lets a price move, mostly a little, and is sometimes withdrawn.
func (p *pit) move(t *dice) schema.Command {
	i := 1 + chance(t, 2)
	c := &schema.SetIndex{Market: schema.MarketID(1 + i), Source: uint8(pick(t, 0, 0, 0, 1, 2, 9))}
	if i == 1 && coin(t) {
		c.Market = pitSpot
	}
	if p.stocks && chance(t, 3) == 0 {
		i, c.Market = 3, pitDollar
	}
	percent := int64(100 + chance(t, 7) - 3)
	if chance(t, 6) == 0 {
		percent = int64(pick(t, 50, 70, 80, 90, 110, 120, 130, 200, 0))
	}
	c.Price, _ = fixed.Mul(p.prices[i], fixed.FromUnits(percent, 2), pick(t, 8, 12, 18), fixed.Down)
	if percent != 0 {
		p.prices[i] = c.Price
	}
	if c.Market == pitETH && p.stocks {
		c.Price, _ = fixed.Div(c.Price, p.prices[3], pick(t, 4, 18), fixed.Down)
	}
	return c
}

// worth is about the price of a market.
func (p *pit) worth(market schema.MarketID) fixed.Decimal {
	switch {
	case market == pitPair:
		price, _ := fixed.Div(p.prices[2], p.prices[1], 18, fixed.Down)
		return price
	case market == pitETH && p.stocks:
		price, _ := fixed.Div(p.prices[2], p.prices[3], 18, fixed.Down)
		return price
	case market == pitETH:
		return p.prices[2]
	}
	return p.prices[1]
}

func (p *pit) price(t *dice, market schema.MarketID) fixed.Decimal {
	of, places := p.worth(market), 2
	if info := p.bank.Listing().Market(market); info != nil {
		places = int(info.MoneyPrec)
	}
	percent := int64(1000 + chance(t, 9) - 4)
	if rarely(t) {
		percent = int64(pick(t, 850, 1150, 970, 1030))
	}
	price, _ := fixed.Mul(of, fixed.FromUnits(percent, 3), places, fixed.Down)
	return price
}

func (p *pit) amount(t *dice, market schema.MarketID) fixed.Decimal {
	places, price := 0, p.prices[1]
	if info := p.bank.Listing().Market(market); info != nil {
		places = int(info.StockPrec)
	}
	if market == pitETH || market == pitPair {
		price = p.prices[2]
	}
	most, _ := fixed.Div(fixed.FromInt(6000), price, places, fixed.Up)
	units, _ := most.Units(places)
	return fixed.FromUnits(int64(1+chance(t, int(pick(t, units/8, units/3, units))+1)), places)
}

func (p *pit) request(t *dice) schema.OrderRequest {
	r := schema.OrderRequest{
		Market: p.market(t), Side: pick(t, schema.Buy, schema.Sell), Collateral: !rarely(t), ReduceOnly: chance(t, 8) == 0,
		Type:         pick(t, schema.Limit, schema.Limit, schema.Limit, schema.Limit, schema.StockMarket, schema.StopLimit, schema.StopStockMarket),
		STP:          pick(t, schema.STPNo, schema.STPNo, schema.STPNo, schema.STPCancelOld, schema.STPCancelNew, schema.STPCancelBoth),
		PositionSide: pick(t, schema.BothSides, schema.LongSide, schema.ShortSide),
	}
	if rarely(t) {
		r.Market, r.Type, r.PositionSide, r.Retail, r.BBO = pick(t, r.Market, pitSpot), pick(t, r.Type, schema.Market, schema.StopMarket), pick(t, r.PositionSide, 3), coin(t), pick(t, schema.BBONone, schema.BBOQueue)
	}
	r.Amount, r.Price, r.ActivationPrice = p.amount(t, r.Market), p.price(t, r.Market), p.price(t, r.Market)
	if r.Type == schema.Limit {
		switch chance(t, 10) {
		case 0:
			r.PostOnly = true
		case 1:
			r.IOC = true
		case 2:
			r.RPI = true
		}
	}
	if m := p.bank.Listing().Market(r.Market); m != nil && r.Type.IsStop() && p.bank.Trading().Market(r.Market).Last.IsZero() && !rarely(t) {
		r.Type = schema.Limit
	}
	if chance(t, 12) == 0 {
		r.ClientID = p.clientID(t)
	}
	p.bbo(t, &r)
	return r
}

// bbo lets some orders take their price from the book, limit orders mostly where somebody is. Stops do more often: few of
// them come to wake up.
func (p *pit) bbo(t *dice, r *schema.OrderRequest) {
	role := pick(t, schema.BBOQueue, schema.BBOCounterparty)
	switch r.Type {
	case schema.Limit:
		if _, there := p.best(r.Market, r.Side, role); chance(t, 8) == 0 && (there || rarely(t)) {
			r.BBO = role
		}
	case schema.StopLimit:
		if chance(t, 3) == 0 {
			r.BBO = role
		}
	}
}

// best is the price that a role picks now for an order of a side, if there is one.
func (p *pit) best(market schema.MarketID, side schema.Side, role schema.BBORole) (price fixed.Decimal, there bool) {
	if role == schema.BBOCounterparty {
		side = side.Opposite()
	}
	book := p.bank.Trading().Depth(market, side, 1)
	if len(book) == 0 {
		return fixed.Zero, false
	}
	return book[0].Price, true
}

func (p *pit) ref(t *dice) schema.OrderRef {
	market := p.market(t)
	if m := p.bank.Listing().Market(market); m != nil {
		if open := p.bank.Trading().All(market); len(open) > 0 && !rarely(t) {
			return schema.OrderRef{Market: market, ID: open[chance(t, len(open))].ID}
		}
	}
	return schema.OrderRef{Market: market, ID: p.orders}
}

// TestMarginAgainstNaive is TestAgainstNaive for those who trade with collateral.
func TestMarginAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(pick(r, 1, 2, 3, slice))
		tr.limit(pick(r, collateral.DefaultBounds.Units, collateral.DefaultBounds.Units, 1, 2, 3, 5, 8))
		w := &pit{now: start, bank: tr.fast, whole: tr.slice == slice}
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(tr.apply).run(m); err != nil {
				t.Fatalf("slices of %d\n%s", tr.slice, story(slices.Clone(log), func() sender {
					again := newTrial(tr.slice)
					again.limit(tr.units)
					return again.apply
				}))
			}
		}
		for _, cmd := range w.birth(r) {
			send(moment{at: w.now, cmd: cmd})
		}
		for range 1 + chance(r, 160) {
			at, cmd := w.next(r)
			send(moment{at: at, cmd: cmd})
			w.orders = tr.fast.Trading().Counters().Order
		}
	})
}
