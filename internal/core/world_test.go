package core

import (
	"fmt"
	"math"
	"slices"

	"bourse/internal/core/naive"
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
	listed   []schema.Command     // that list assets, markets and accounts; nil: genesis
	edges    *edges               // where the numbers come from; nil: the ordinary middle
	exits    bool                 // money moves as often as orders are placed
	lively   schema.MarketID      // where most happens; 0: everywhere alike
	faucets  []schema.Command     // that set the first ones; nil: money is rarely taken from one
	coded    bool                 // codes are made and tried as often as orders are placed
	codes    []*schema.CreateCode // that somebody asked for
	tried    []schema.Command     // that try a code so often that it is about to go back
	chains   *worldChains         // by which deposits come; nil: there are none
	leaving  *worldLeaving        // what bounds what leaves, and what else customers do with their money; nil: nothing does
	subs     *worldSubs           // families of accounts, and keys that customers make; nil: there are none
	plan     []schema.Command     // what comes next in any case
	whole    bool                 // ticks are done at once
	bank     *Machine             // that the commands are for; nil: amounts are drawn without looking
	oracle   *naive.Exchange      // that they are for, too; nil: deposits to refund and prices are drawn without looking
	last     *schema.PlaceOrder
	marks    []schema.Time    // when something is to happen
	taker    schema.Command   // the last that took from a faucet
	retry    schema.Command   // that asks for what is just covered
	due      schema.Time      // when it is sent, if that is later
	nonce    uint64           // of the last request of those who count them
	signed   schema.Origin    // of the last signed request
	requests []moment         // that were signed in window mode
	hooked   []schema.Command // that give accounts webhooks; nil: they have none
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
	if chance(t, 3) == 0 {
		w.wantChains(t)
	}
	if w.edges != nil {
		return w
	}
	w.switches = nil
	for _, birth := range schema.BirthFeatures() {
		kind := chance(t, 6)
		if birth.Feature == schema.ExactNonces {
			kind = 2 // the oracle knows no other nonces; those of before are pinned in logs
		}
		switch kind {
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
	if chance(t, 4) == 0 {
		for asset := range schema.AssetID(worldAssets) {
			w.faucets = append(w.faucets, w.setFaucet(t, asset+1))
		}
	}
	if chance(t, 4) == 0 {
		w.wantCodes(t)
	}
	if chance(t, 4) == 0 {
		w.wantLeaving(t)
	}
	if chance(t, 3) == 0 {
		w.wantWebhooks(t)
	}
	if chance(t, 3) == 0 {
		for _, c := range w.listed[:worldAssets] {
			c.(*schema.SetAsset).Asset.NotInEU = coin(t)
		}
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
	if w.chains != nil {
		list = append(list, w.chains.set()...)
	}
	list = slices.Concat(list, w.listed, w.faucets, w.tried, w.hooked)
	if w.subs != nil {
		list = append(list, w.subs.born...)
	}
	return list
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
		a.CanDeposit, a.CanWithdraw, a.Codes = true, true, true
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
	switch n := chance(t, 100); {
	case w.retry != nil && w.due > w.now:
		w.now = w.due
	case n == 0:
		w.now -= 5 * schema.Second // a clock that goes back
	case n < 3:
		w.now += schema.Time(chance(t, 24*3600)) * schema.Second
	case n < 9:
		w.marks = slices.DeleteFunc(w.marks, func(at schema.Time) bool { return at <= w.now })
		if len(w.marks) > 0 {
			w.now = w.marks[chance(t, len(w.marks))] + schema.Time(chance(t, 3)-1)
			if coin(t) {
				return w.now, &schema.Tick{}
			}
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
	if len(w.plan) > 0 && chance(t, 8) != 0 {
		planned := w.plan[0]
		w.plan = w.plan[1:]
		return planned
	}
	if list := w.proposals(); len(list) > 0 && chance(t, 8) == 0 {
		return decideProposal(t, list)
	}
	account := w.account(t)
	switch {
	case w.hooked != nil && chance(t, 10) == 0:
		return w.webhook(t, account)
	case w.subs != nil && chance(t, 5) < 2:
		return w.subCommand(t)
	case w.chains != nil && chance(t, 5) < 3:
		return w.chainCommand(t, account)
	case w.leaving != nil && coin(t):
		return w.leavingCommand(t, account)
	case w.exits && coin(t):
		if chance(t, 5) == 0 {
			return w.index(t)
		}
		return w.money(t, account)
	case w.faucets != nil && chance(t, 3) == 0:
		return w.faucet(t, account, schema.AssetID(1+chance(t, worldAssets)))
	case w.coded && coin(t):
		return w.code(t, account, pick(t, schema.AssetID(1), 2, 1, 2, 3))
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
	case n < 80 && !w.ticksAlone():
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

func (w *world) account(t *dice) schema.AccountID {
	if rarely(t) {
		return pick(t, schema.AccountID(0), schema.Fees, 100, 999)
	}
	if w.subs != nil && w.oracle != nil && coin(t) {
		_, sub := w.family(t)
		return sub
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
