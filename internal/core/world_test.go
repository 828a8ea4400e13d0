package core

import (
	"fmt"
	"math"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// world draws the commands of a small exchange where things happen often: few accounts, few
// prices, orders that meet, and a good part of nonsense.
type world struct {
	now      schema.Time
	orders   schema.OrderID // the highest id that may exist
	sent     int            // how many commands were drawn
	switches []featureSwitch
	listed   []schema.Command // that list assets, markets and accounts; nil: genesis
	edges    *edges           // where the numbers come from; nil: the ordinary middle
	exits    bool             // money moves as often as orders are placed
	lively   schema.MarketID  // where most happens; 0: everywhere alike
	bank     *Machine         // that the commands are for; nil: amounts are drawn without looking
	last     *schema.PlaceOrder
	marks    []schema.Time  // when something is to happen
	retry    schema.Command // that asks for what is just covered
	nonce    uint64         // of the last request of those who count them
	signed   schema.Origin  // of the last signed request
}

// featureSwitch is a feature that is switched on for good when so many commands were drawn; 0: at
// birth.
type featureSwitch struct {
	feature schema.Feature
	after   int
}

// newWorld is a world with the features of a new exchange from birth; an ordinary one also from some
// moment on, or never.
func newWorld(t *dice) *world {
	w := newborn(t)
	w.exits = chance(t, 4) == 0
	if w.edges != nil {
		return w
	}
	w.switches = nil
	for _, birth := range schema.BirthFeatures() {
		switch chance(t, 6) {
		case 0: // never
		case 1:
			w.switches = append(w.switches, featureSwitch{birth.Feature, 1 + chance(t, 60)})
		default:
			w.switches = append(w.switches, featureSwitch{birth.Feature, 0})
		}
	}
	return w
}

// newborn is a world that has the features of a new exchange from birth, ordinary or at the edges.
// Ordinary markets come in one of two orders, because the first decides in what all is counted.
func newborn(t *dice) *world {
	w := &world{now: start, listed: genesis(), lively: schema.MarketID(chance(t, worldMarkets+1))}
	if chance(t, 3) == 0 {
		w.now = schema.StepRuleFrom + schema.Time(chance(t, 60)-30)*schema.Second
	}
	w.mark(schema.StepRuleFrom)
	w.listed[chance(t, worldAssets)].(*schema.SetAsset).Asset.CanWithdraw = chance(t, 4) != 0
	if chance(t, 3) == 0 {
		w.impoverish(t)
	}
	switch chance(t, 6) {
	case 0, 1:
		w.edges = newEdges(t)
		w.listed = w.edges.genesis(t)
	case 2, 3:
		w.listed[worldAssets], w.listed[worldAssets+2] = w.listed[worldAssets+2], w.listed[worldAssets]
	}
	for _, birth := range schema.BirthFeatures() {
		w.switches = append(w.switches, featureSwitch{birth.Feature, 0})
	}
	return w
}

// impoverish leaves accounts little to trade with, so that some cannot pay for what they ask.
func (w *world) impoverish(t *dice) {
	for _, c := range w.listed {
		if c, is := c.(*schema.Transfer); is {
			c.Amount = fixed.FromInt(int64(1 + chance(t, 1000)))
		}
	}
}

// birth is the commands with which the world begins.
func (w *world) birth() []schema.Command {
	var list []schema.Command
	for _, s := range w.switches {
		if s.after == 0 {
			list = append(list, &schema.SetFeature{Feature: s.feature, On: true})
		}
	}
	return append(list, w.listed...)
}

const (
	worldAssets   = 3
	worldMarkets  = 3
	worldAccounts = 4
)

// genesis lists assets and markets and gives everyone money.
func genesis() []schema.Command {
	d := fixed.MustParse
	var list []schema.Command
	for _, a := range []schema.Asset{
		{Ticker: "AAA", Scale: 18, Precision: 8, Class: schema.Crypto},
		{Ticker: "BBB", Scale: 12, Precision: 6, Class: schema.Crypto},
		{Ticker: "CCC", Scale: 18, Precision: 2, Class: schema.Fiat},
	} {
		a.CanDeposit, a.CanWithdraw = true, true
		list = append(list, &schema.SetAsset{Asset: a})
	}
	markets := []schema.MarketInfo{
		{
			Name: "AAA_BBB", Base: 1, Quote: 2, StockPrec: 3, MoneyPrec: 2, FeePrec: 6, TickSize: d("0.05"), StepSize: d("0.005"),
			MinAmount: d("0.01"), MinTotal: d("1"), MakerFee: d("0.1"), TakerFee: d("0.2"), RPIPremium: schema.Some(d("0.05")), TakerBand: d("5"),
		},
		{
			Name: "AAA_CCC", Base: 1, Quote: 3, StockPrec: 4, MoneyPrec: 3, FeePrec: 10,
			MakerFee: d("-0.0123"), TakerFee: d("0.1234567"), MaxTotal: d("5000"),
		},
		{
			Name: "BBB_CCC", Base: 2, Quote: 3, StockPrec: 0, MoneyPrec: 4, FeePrec: 3, TickSize: d("0.5"), StepSize: d("2"),
			MinAmount: d("2"), MinTotal: d("5"), MakerFee: d("0"), TakerFee: d("1.5"), RPIPremium: schema.Some(d("0")), TakerBand: d("1.5"),
		},
	}
	for _, m := range markets {
		m.Type, m.Enabled = schema.Spot, true
		list = append(list, &schema.SetMarket{Market: m})
	}
	for i := range worldAccounts {
		a := schema.Account{Name: fmt.Sprintf("trader%d", i), Region: schema.Global, Retail: i < 3, RPI: i%2 == 0}
		if i == 1 {
			a.MakerFee, a.TakerFee = schema.Some(d("0.01")), schema.Some(d("5"))
		}
		list = append(list, &schema.SetAccount{Account: a})
	}
	for i := range worldAccounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		for asset := schema.AssetID(1); asset <= worldAssets; asset++ {
			list = append(list,
				&schema.Deposit{Account: account, Asset: asset, Amount: d("100000")},
				&schema.Transfer{Account: account, Asset: asset, Amount: d("90000"), From: schema.Main, To: schema.Trade})
		}
	}
	return list
}

// start is a few days before the step rule comes into force, so that both sides of it are seen.
const start = schema.StepRuleFrom - 2*24*3600*schema.Second

func (w *world) next(t *dice) (schema.Time, schema.Command) {
	switch chance(t, 100) {
	case 0:
		w.now -= 5 * schema.Second // a clock that goes back
	case 1, 2:
		w.now += schema.Time(chance(t, 24*3600)) * schema.Second
	case 3, 4, 5:
		if len(w.marks) > 0 {
			w.now = max(w.now, w.marks[chance(t, len(w.marks))]+schema.Time(chance(t, 3)-1))
		}
	default:
		w.now += schema.Time(chance(t, 3*int(schema.Second)))
	}
	w.sent++
	for _, s := range w.switches {
		if s.after == w.sent {
			return w.now, &schema.SetFeature{Feature: s.feature, On: true}
		}
	}
	return w.now, w.command(t)
}

// on reports whether a feature is switched on by now.
func (w *world) on(feature schema.Feature) bool {
	for _, s := range w.switches {
		if s.feature == feature {
			return s.after <= w.sent
		}
	}
	return false
}

func (w *world) command(t *dice) schema.Command {
	if retry := w.retry; retry != nil {
		w.retry = nil
		return retry
	}
	account := w.account(t)
	switch {
	case w.exits && coin(t):
		if chance(t, 5) == 0 {
			return w.index(t)
		}
		return w.money(t, account)
	case w.edges != nil && w.last != nil && coin(t):
		return w.answer(account)
	}
	switch n := chance(t, 100); {
	case n < 45:
		w.last = &schema.PlaceOrder{Account: account, Order: w.request(t)}
		if w.edges != nil && w.bank != nil && coin(t) {
			w.edges.allIn(t, w.last, w.bank)
		}
		return w.last
	case n < 53:
		c := &schema.PlaceBulk{Account: account, StopOnFail: coin(t)}
		for range w.size(t, 20) {
			r := w.request(t)
			if !rarely(t) {
				r.Type = schema.Limit
			}
			c.Orders = append(c.Orders, r)
		}
		return c
	case n < 59:
		if o := w.open(t); o != nil {
			return &schema.CancelOrder{Account: o.Account, Order: w.refTo(t, o)}
		}
		return &schema.CancelOrder{Account: account, Order: w.ref(t)}
	case n < 62:
		c := &schema.CancelBulk{Account: account}
		for range w.size(t, 100) {
			if o := w.open(t); o != nil && o.Account == account {
				c.Orders = append(c.Orders, w.refTo(t, o))
			} else {
				c.Orders = append(c.Orders, w.ref(t))
			}
		}
		return c
	case n < 64:
		return &schema.CancelAll{Account: account, Market: pick(t, 0, w.market(t)), Products: w.products(t)}
	case n < 76:
		return w.modify(t, account)
	case n < 80:
		timeout := schema.Time(chance(t, 12)) * schema.Second
		if rarely(t) {
			timeout = pick(t, -1, 1, 5*schema.Second-1, 600*schema.Second, 600*schema.Second+1, math.MaxInt64, math.MinInt64)
		}
		w.mark(w.now + min(timeout, 1000*schema.Second))
		return &schema.SetKillSwitch{Account: account, Market: w.market(t), Timeout: timeout, Products: w.products(t)}
	case n < 86:
		if rarely(t) {
			return &schema.Continue{}
		}
		return &schema.Tick{}
	case n < 91:
		return w.money(t, account)
	default:
		return w.operator(t)
	}
}

// answer is the order that meets the last one, if that one rests.
func (w *world) answer(account schema.AccountID) schema.Command {
	r := w.last.Order
	w.last = nil
	r.Type, r.Side, r.ClientID = schema.Limit, r.Side.Opposite(), schema.ClientID{}
	r.PostOnly, r.IOC, r.RPI, r.Retail, r.BBO = false, false, false, true, schema.BBONone
	return &schema.PlaceOrder{Account: account, Order: r}
}

// owned is what an account has in a wallet, as far as somebody knows.
func (w *world) owned(account schema.AccountID, wallet schema.Wallet, asset schema.AssetID) (available, held fixed.Decimal) {
	if w.bank == nil {
		return fixed.One, fixed.One
	}
	available, _, held = w.bank.Balance(account, wallet, asset)
	return available, held
}

func (w *world) index(t *dice) schema.Command {
	price := pick(t, fixed.Zero, fixed.FromUnits(20001, 3), fixed.FromUnits(int64(chance(t, 40000)), 3), fixed.FromUnits(5, 18), fixed.FromInt(-1))
	if w.edges != nil {
		price = w.edges.index(t)
	}
	return &schema.SetIndex{Market: w.market(t), Price: price}
}

func (w *world) request(t *dice) schema.OrderRequest {
	r := schema.OrderRequest{
		Market: w.market(t),
		Type:   pick(t, schema.Limit, schema.Limit, schema.Limit, schema.Limit, schema.Market, schema.StockMarket, schema.StopLimit, schema.StopMarket, schema.StopStockMarket),
		Side:   pick(t, schema.Buy, schema.Sell),
		STP:    pick(t, schema.STPNo, schema.STPNo, schema.STPCancelBoth, schema.STPCancelNew, schema.STPCancelOld),
	}
	r.Amount, r.Price, r.ActivationPrice = w.amount(t), w.price(t), w.price(t)
	if r.Type.InQuote(r.Side) {
		r.Amount = fixed.FromUnits(int64(chance(t, pick(t, 1_000, 100_000, 100_000, 1_000_000))), 2)
	}
	w.suit(t, &r)
	flagged := r.Type == schema.Limit || rarely(t)
	if flagged {
		switch chance(t, 10) {
		case 0:
			r.PostOnly = true
		case 1:
			r.IOC = true
		case 2:
			r.RPI = true
		case 3:
			r.RPI, r.PostOnly, r.IOC = coin(t), coin(t), coin(t)
		}
		r.Retail = chance(t, 4) == 0
	}
	if chance(t, 10) == 0 {
		r.BBO = pick(t, schema.BBOQueue, schema.BBOCounterparty, schema.BBOCounterparty, 3)
	}
	if chance(t, 5) == 0 {
		r.ClientID = w.clientID(t)
	}
	if w.edges != nil {
		w.edges.request(t, &r)
	}
	if cost, ok := w.cost(t, r.Market); ok && r.Type.InQuote(r.Side) && coin(t) {
		r.Amount = cost
	}
	if rarely(t) {
		r.Type, r.Side, r.STP = pick(t, r.Type, 0, 9), pick(t, r.Side, 0, 3), pick(t, r.STP, 7)
	}
	return r
}

// suit makes most orders such as the market takes them: no more decimals than it has, and stops only
// where there is a last price, most of them close to it.
func (w *world) suit(t *dice, r *schema.OrderRequest) {
	if w.bank == nil || w.bank.Listing().Market(r.Market) == nil || chance(t, 6) == 0 {
		return
	}
	if m := w.bank.Listing().Market(r.Market); r.Amount.Sign() > 0 && !r.Type.InQuote(r.Side) {
		r.Amount = cut(r.Amount, int(m.StockPrec))
	}
	last := w.bank.Trading().Last(r.Market)
	switch {
	case !r.Type.IsStop():
	case last.IsZero():
		r.Type = schema.Limit
	case coin(t) && w.edges == nil:
		r.ActivationPrice = last.Add(fixed.FromUnits(int64(chance(t, 11)-5), 1))
	}
}

// cost is what the best asks of a market cost together, or a little more or less.
func (w *world) cost(t *dice, market schema.MarketID) (fixed.Decimal, bool) {
	if w.bank == nil || w.bank.Listing().Market(market) == nil {
		return fixed.Zero, false
	}
	places := int(w.bank.Listing().Market(market).MoneyPrec)
	sum := pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(1, places), fixed.FromUnits(int64(chance(t, 1000)), places))
	levels := w.bank.Trading().Depth(market, schema.Sell, 1+chance(t, 3))
	for _, level := range levels {
		cost, countable := fixed.Mul(level.Price, level.Amount, places, fixed.Up)
		total, fits := sum.AddChecked(cost)
		if !countable || !fits {
			return fixed.Zero, false
		}
		sum = total
	}
	return sum, len(levels) > 0
}

func (w *world) modify(t *dice, account schema.AccountID) schema.Command {
	if o := w.open(t); o != nil && chance(t, 5) != 0 {
		c, _ := w.replace(t, o)
		c.Order, c.KeepSTP = w.refTo(t, o), coin(t)
		if chance(t, 8) == 0 {
			any := schema.Some(w.price(t))
			c.Amount, c.Total, c.Price, c.ActivationPrice = pick(t, c.Amount, any), pick(t, c.Total, any), pick(t, c.Price, any), pick(t, c.ActivationPrice, any)
		}
		if w.edges != nil {
			w.edges.modify(t, c)
		}
		return c
	}
	c := &schema.ModifyOrder{Account: account, Order: w.ref(t), STP: pick(t, schema.STPNo, schema.STPCancelOld, schema.STPCancelBoth), KeepSTP: coin(t)}
	if rarely(t) {
		c.STP = 9
	}
	maybe := func(d fixed.Decimal) schema.Optional {
		if chance(t, 3) == 0 {
			return schema.Some(d)
		}
		return schema.Optional{}
	}
	c.Amount, c.Price, c.ActivationPrice = maybe(w.amount(t)), maybe(w.price(t)), maybe(w.price(t))
	if chance(t, 5) == 0 {
		c.Total = maybe(fixed.FromUnits(int64(chance(t, 100000)), 2))
	}
	if w.edges != nil {
		w.edges.modify(t, c)
	}
	return c
}

func (w *world) money(t *dice, account schema.AccountID) schema.Command {
	asset := pick(t, schema.AssetID(1), 2, 3)
	if rarely(t) {
		asset = pick(t, schema.AssetID(0), 4)
	}
	amount := pick(t, fixed.FromUnits(int64(chance(t, 200000)), 2), fixed.FromUnits(int64(chance(t, 1e9)), 7), fixed.FromInt(int64(chance(t, 4e6))))
	if w.edges != nil {
		amount = w.edges.money(t, asset)
	}
	if rarely(t) {
		amount = pick(t, fixed.Max, fixed.FromInt(-1), fixed.FromUnits(1, 18))
	}
	// some is the amount, or all or half of what there is of it.
	some := func(there fixed.Decimal, places int) fixed.Decimal {
		if there.Sign() <= 0 || coin(t) {
			return amount
		}
		half, _ := fixed.Div(there, fixed.FromInt(2), places, fixed.Down)
		return pick(t, cut(there, places), half)
	}
	available, held := w.owned(account, schema.Main, asset)
	switch chance(t, 5) {
	case 0:
		return &schema.Deposit{Account: account, Asset: asset, Amount: some(available, 0), Held: coin(t)}
	case 1:
		return &schema.ConfirmDeposit{Account: account, Asset: asset, Amount: some(held, fixed.Places)}
	case 2:
		return &schema.Withdraw{Account: account, Asset: asset, Amount: some(available, pick(t, 0, 2))}
	case 3:
		to := pick(t, schema.Collateral, schema.Trade)
		return &schema.Transfer{Account: account, Asset: asset, Amount: some(available, pick(t, 0, 2)), From: schema.Main, To: to}
	}
	wallets := []schema.Wallet{schema.Main, schema.Trade, schema.Collateral, schema.Main, schema.Trade, schema.Earn, 0}
	from := wallets[chance(t, len(wallets))]
	available, _ = w.owned(account, from, asset)
	return &schema.Transfer{Account: account, Asset: asset, Amount: some(available, pick(t, 0, 2)), From: from, To: wallets[chance(t, len(wallets))]}
}

func (w *world) operator(t *dice) schema.Command {
	list := w.listed
	if list == nil {
		list = genesis()
	}
	account := w.account(t)
	switch chance(t, 12) {
	case 0:
		c := *list[chance(t, worldAssets)].(*schema.SetAsset)
		c.Asset.Precision = uint8(chance(t, 20))
		c.Asset.Scale += pick(t, uint8(0), 0, 0, 1)
		c.Asset.CanDeposit, c.Asset.CanWithdraw = chance(t, 4) != 0, chance(t, 4) != 0
		oddAsset(t, &c.Asset)
		return &c
	case 1:
		c := *list[worldAssets+chance(t, worldMarkets)].(*schema.SetMarket)
		m := &c.Market
		if w.edges != nil {
			w.edges.sharpen(t, m)
			return &c
		}
		m.Enabled = !rarely(t)
		if chance(t, 8) == 0 {
			m.Base, m.Quote = pick(t, m.Base, schema.AssetID(chance(t, 5))), pick(t, m.Quote, schema.AssetID(chance(t, 5)))
			m.Name = pick(t, m.Name, m.Name, "AAA_BBB", "AAA_DDD", "")
			m.Type = pick(t, m.Type, m.Type, schema.Futures, 0)
		}
		m.TakerBand = pick(t, m.TakerBand, fixed.Zero, fixed.FromInt(1), fixed.FromInt(100))
		m.MakerFee = pick(t, m.MakerFee, fixed.FromUnits(-1, 2), fixed.FromInt(50))
		m.StepSize = pick(t, m.StepSize, fixed.Zero, fixed.FromInt(1))
		m.FeePrec += pick(t, uint8(0), 1, 30)
		m.OpensAt = pick(t, 0, 0, w.now+schema.Time(chance(t, 60))*schema.Second)
		w.mark(m.OpensAt)
		m.Regions = pick(t, 0, 0, 0, 0, schema.In(schema.EU), schema.In(schema.Global), schema.In(schema.Global, schema.EU))
		if rarely(t) {
			m.Regions = pick[schema.Regions](t, 1, 3, 7, 8, 255)
		}
		m.RPIPremium = pick(t, m.RPIPremium, schema.Optional{}, schema.Some(fixed.FromUnits(-2, 2)))
		m.MaxOrders = pick[uint32](t, 0, 0, 1, 3, schema.HighestMaxOrders, schema.HighestMaxOrders+1)
		return &c
	case 2:
		n := chance(t, worldAccounts)
		a := list[worldAssets+worldMarkets+n].(*schema.SetAccount).Account
		a.ID = pick(t, schema.FirstCustomer+schema.AccountID(n), schema.FirstCustomer+schema.AccountID(n), schema.FirstCustomer+schema.AccountID(n), account, 0)
		a.Region = pick(t, schema.Global, schema.Global, schema.EU, 0)
		a.Blocked, a.Retail, a.RPI = chance(t, 8) == 0, coin(t), coin(t)
		a.MakerFee = pick(t, schema.Optional{}, schema.Some(fixed.Zero), schema.Some(fixed.FromUnits(-3, 2)))
		if rarely(t) {
			a.Name = pick(t, "", "trader0", strings.Repeat("x", 64), strings.Repeat("x", 65))
		}
		if w.edges != nil {
			a.MakerFee, a.TakerFee = w.edges.fee(t), w.edges.fee(t)
		}
		return &schema.SetAccount{Account: a}
	case 3:
		if w.edges != nil {
			return &schema.SetFee{Account: account, Market: w.market(t), Maker: w.edges.fee(t), Taker: w.edges.fee(t)}
		}
		return &schema.SetFee{
			Account: account, Market: w.market(t),
			Maker: pick(t, schema.Optional{}, schema.Some(fixed.FromUnits(7, 2)), schema.Some(fixed.FromUnits(-7, 2))),
			Taker: pick(t, schema.Optional{}, schema.Some(fixed.Zero), schema.Some(fixed.FromInt(60))),
		}
	case 4:
		from := w.now + schema.Time(chance(t, 20)-2)*schema.Second
		to := from + schema.Time(chance(t, 20)-1)*schema.Second
		if rarely(t) {
			from, to = w.moment(t), w.moment(t)
		}
		w.mark(from)
		w.mark(to)
		return &schema.PlanMaintenance{Market: w.market(t), From: pick(t, from, from, 0), To: to}
	case 5:
		at := pick(t, 0, w.now+schema.Time(chance(t, 600)-1)*schema.Second, w.moment(t))
		w.mark(at)
		return &schema.PlanDelisting{Market: w.market(t), At: at}
	case 6:
		if feature := pick(t, schema.BoundedWork, schema.ExactMoney); rarely(t) {
			return &schema.SetFeature{Feature: feature, On: w.on(feature) && coin(t)}
		}
		return &schema.SetFeature{Feature: pick(t, schema.StepRule, schema.StepRule, schema.PlatformMaintenance, 7), On: !rarely(t)}
	case 7:
		return w.index(t)
	case 8, 9, 10:
		n := chance(t, worldAccounts)
		k := schema.Key{Key: keyName(n), Account: pick(t, account, schema.FirstCustomer+schema.AccountID(n)), Sealed: []byte("sealed"), Enabled: chance(t, 6) != 0, URLs: []string{"/api/v4/orders"}}
		if rarely(t) {
			k.Key = pick(t, "", strings.Repeat("k", 128), strings.Repeat("k", 129))
			k.Sealed = pick(t, nil, []byte("s"))
		}
		return &schema.SetKey{Key: k}
	default:
		return &schema.DeleteKey{Key: keyName(chance(t, worldAccounts+1))}
	}
}

// learn makes of a refusal that names how much would do a command that asks for just that, or for the
// least more.
func (w *world) learn(t *dice, cmd schema.Command, r schema.Rejection) {
	switch r.Reason {
	case schema.MoveHeld, schema.MoveNotCovered, schema.WithdrawNotCovered, schema.ConfirmTooMuch:
	default:
		return
	}
	amount, fits := r.Value.AddChecked(pick(t, fixed.Zero, fixed.Zero, smallest, fixed.FromUnits(1, 2)))
	if r.Value.Sign() <= 0 || !fits {
		return
	}
	switch c := cmd.(type) {
	case *schema.Withdraw:
		w.retry = &schema.Withdraw{Account: c.Account, Asset: c.Asset, Amount: amount}
	case *schema.ConfirmDeposit:
		w.retry = &schema.ConfirmDeposit{Account: c.Account, Asset: c.Asset, Amount: amount}
	case *schema.Transfer:
		again := *c
		again.Amount = amount
		w.retry = &again
	}
}

// mark notes a moment at which something is to happen, so that commands come right then.
func (w *world) mark(at schema.Time) {
	if at > 0 && at < w.now+schema.StepRuleFrom { // and not at the end of time
		w.marks = append(w.marks, at)
	}
}

// moment is a time at an edge.
func (w *world) moment(t *dice) schema.Time {
	return pick(t, w.now-1, w.now, w.now+1, 0, 1, -1, math.MaxInt64, math.MinInt64, schema.StepRuleFrom)
}

// oddAsset draws settings of an asset that few have, right or wrong.
func oddAsset(t *dice, a *schema.Asset) {
	switch chance(t, 8) {
	case 0:
		a.Ticker = pick(t, "", "a", "DDD", "A_1", "ABCDEFGHIJKLMNOPQRST", "ABCDEFGHIJKLMNOPQRSTU", "A-B")
	case 1:
		a.Class = pick[schema.AssetClass](t, 0, schema.Fiat, schema.PaymentMethod, 4)
	case 2:
		a.MinDeposit, a.MaxDeposit = pick(t, fixed.Zero, fixed.One, smallest.Neg()), pick(t, fixed.Zero, fixed.One, smallest)
	case 3:
		a.MinWithdraw, a.MaxWithdraw = pick(t, fixed.Zero, fixed.Max, smallest.Neg()), pick(t, fixed.Zero, fixed.Max, smallest)
	case 4:
		for range chance(t, 3) {
			a.Networks = append(a.Networks, schema.Network{
				Name: pick(t, "one", "two", ""), Default: coin(t), MinDeposit: pick(t, fixed.Zero, fixed.One), MaxDeposit: pick(t, fixed.Zero, fixed.One, smallest),
				Confirmations: uint32(chance(t, 3)), ConfirmationsForTrading: uint32(chance(t, 2)),
			})
		}
	}
}

func (w *world) account(t *dice) schema.AccountID {
	if rarely(t) {
		return pick(t, schema.AccountID(0), schema.Fees, 100, 999)
	}
	return schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
}

func (w *world) market(t *dice) schema.MarketID {
	if rarely(t) {
		return pick(t, schema.MarketID(0), 4)
	}
	if w.lively != 0 && chance(t, 4) != 0 {
		return w.lively
	}
	return schema.MarketID(1 + chance(t, worldMarkets))
}

// open is an order that is open, or nil: nobody knows one, or it should be another.
func (w *world) open(t *dice) *schema.Order {
	market := w.market(t)
	if w.bank == nil || w.bank.Listing().Market(market) == nil || rarely(t) {
		return nil
	}
	open := w.bank.Trading().All(market)
	if len(open) == 0 {
		return nil
	}
	return &open[chance(t, len(open))]
}

// refTo names an order, by its client id if it has one.
func (w *world) refTo(t *dice, o *schema.Order) schema.OrderRef {
	if !o.ClientID.IsZero() && coin(t) {
		return schema.OrderRef{Market: o.Market, ClientID: o.ClientID}
	}
	return schema.OrderRef{Market: o.Market, ID: o.ID}
}

// ref names an order that probably exists: one of the latest, or one with a client id.
func (w *world) ref(t *dice) schema.OrderRef {
	ref := schema.OrderRef{Market: w.market(t)}
	if chance(t, 4) == 0 {
		ref.ClientID = w.clientID(t)
	} else {
		ref.ID = w.orders - min(w.orders, schema.OrderID(chance(t, 40))) + 1
	}
	if rarely(t) {
		ref.ID, ref.ClientID = pick(t, 0, w.orders), pick(t, schema.ClientID{}, w.clientID(t))
	}
	return ref
}

func (w *world) clientID(t *dice) schema.ClientID {
	id, err := schema.ParseClientID(pick(t, "a", "b", "c-1.x_Y"))
	if err != nil {
		panic(err)
	}
	return id
}

func (w *world) products(t *dice) schema.Products {
	return pick(t, 0, schema.SpotOrders, schema.SpotOrders|schema.FuturesOrders, schema.MarginOrders, 8)
}

func (w *world) size(t *dice, limit int) int {
	if chance(t, 12) == 0 {
		return pick(t, 0, limit-1, limit, limit+1)
	}
	return 1 + chance(t, 4)
}

func (w *world) price(t *dice) fixed.Decimal {
	if rarely(t) {
		return pick(t, fixed.Zero, fixed.FromInt(-5), fixed.FromUnits(1001, 3), fixed.FromInt(1e15), fixed.Max, fixed.FromUnits(1, 18))
	}
	return fixed.FromUnits(int64(200+chance(t, 8)-chance(t, 8)), 1).Add(pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(5, 1), fixed.FromUnits(5, 2)))
}

func (w *world) amount(t *dice) fixed.Decimal {
	if rarely(t) {
		return pick(t, fixed.Zero, fixed.FromInt(-5), fixed.FromUnits(1, 3), fixed.FromInt(90000), fixed.FromInt(1e18), fixed.Max, fixed.FromUnits(1, 18))
	}
	return pick(t, fixed.FromInt(int64(2+2*chance(t, 20))), fixed.FromInt(int64(1+chance(t, 40))), fixed.FromUnits(int64(chance(t, 9000)), 3), fixed.FromUnits(int64(chance(t, 5000)), 2), fixed.FromUnits(int64(5*chance(t, 5000)), 3))
}
