package story

import (
	"strings"

	"bourse/internal/core/listing"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// operatorVerbs are the lines that begin with what is done: by the operator of the exchange, by
// the world outside, by time, and by the teller.
var operatorVerbs = map[string]verb{
	"at":          {`at 2026-10-01T12:00:00Z`, (*teller).setTime},
	"wait":        {`wait 5s`, (*teller).wait},
	"tick":        {`tick, or tick every 5s for 5m`, (*teller).tick},
	"asset":       {`asset BTC [precision 8] [scale 18]`, (*teller).listAsset},
	"market":      {`market BTC_USDT [prices 2] [amounts 3] [fees 6] [tick 0.5] [step 0.005] [min 0.005] [total 5] [max 1000] [maker 0.1] [taker 0.2] [premium 0.05 (or none)] [band 5] [opens +1h], with margin also leverage 10 liquidationband 2 [maxposition 60000] [maxpending 70000], and of a future like BTC_PERP or AAPL_USD tradfi, which always has it, [leverage 100] [bracket100 50000] [bracket50 250000] [bracket20 500000] [maxposition 60000] [maxpending 70000] [maxinterest 1000000] [priceband 10] [markband 0.5] [impact 10000] [funding 8h] [cap 0.0003] [floor -0.0003] [liquidationfee 0.2] [liquidationband 2]`, (*teller).listMarket},
	"open":        {`open BTC_USDT`, func(t *teller, l *line) { t.enable(l, true) }},
	"close":       {`close BTC_USDT`, func(t *teller, l *line) { t.enable(l, false) }},
	"maintenance": {`maintenance BTC_USDT from +10s to +20s, or maintenance BTC_USDT off`, (*teller).maintenance},
	"index":       {`index BTC_USDT 100 [source 3]`, (*teller).index},
	"delist":      {`delist BTC_USDT at +1h, or delist BTC_USDT never`, (*teller).delist},
	"feature":     {`feature step rule off`, (*teller).feature},
	"account":     {`account alice [retail] [rpi] [tradfi]`, (*teller).openAccount},
	"allow":       {`allow alice retail rpi tradfi`, func(t *teller, l *line) { t.permit(l, true) }},
	"forbid":      {`forbid alice retail rpi tradfi`, func(t *teller, l *line) { t.permit(l, false) }},
	"block":       {`block alice`, func(t *teller, l *line) { t.block(l, true) }},
	"unblock":     {`unblock alice`, func(t *teller, l *line) { t.block(l, false) }},
	"region":      {`region alice eu (or global)`, (*teller).region},
	"fee":         {`fee alice on BTC_USDT maker 0.05 taker 0.07, or fee alice on BTC_USDT none`, (*teller).fee},
	"default":     {`default fee alice maker 0.05 taker 0.07, or default fee alice none`, (*teller).defaultFee},
	"collateral":  {`collateral BTC [weight 0.95] [rate 0.000024375] [pool 100] [cap 2] [age 30s]`, (*teller).collateral},
	"fund":        {`fund insurance 1000 USDT, or fund lending 1000 USDT`, (*teller).fund},
	"give":        {`give alice 10 BTC [as collateral]`, (*teller).give},
	"deposit":     {`deposit alice 10 BTC [held]`, (*teller).deposit},
	"confirm":     {`confirm alice 10 BTC`, (*teller).confirm},
	"withdraw":    {`withdraw alice 10 BTC`, (*teller).withdraw},
	"transfer":    {`transfer alice 10 BTC main to trade (or collateral)`, (*teller).transfer},
	"show":        {`show book BTC_USDT, show money alice, show orders alice, show positions alice, show margin alice, show loans alice, show prices BTC_PERP, show rates alice on BTC_USDT, show fees, show fund, show pool, show timers or show hash`, (*teller).show},
}

func (t *teller) setTime(l *line) {
	if at := l.moment(t.now); l.finished() {
		t.now = at
	}
}

// wait lets time pass without telling the exchange: what is due happens at the next tick.
func (t *teller) wait(l *line) {
	if d := l.span("how long"); l.finished() {
		t.now += d
	}
}

// tick lets what is due happen, once now or at each of many moments to come.
func (t *teller) tick(l *line) {
	if !l.take("every") {
		t.apply(l, &schema.Tick{})
		return
	}
	step := l.span("a time between two ticks")
	l.want("for")
	end := t.now + l.span("how long")
	if step <= 0 {
		l.fail("between two ticks is more than no time")
	}
	for l.finished() && t.now+step <= end {
		t.now += step
		t.report(t.machine.Apply(t.now, &schema.Tick{}))
	}
}

func (t *teller) listAsset(l *line) {
	a := schema.Asset{Class: schema.Crypto, Scale: fixed.Places, Precision: 8, CanDeposit: true, CanWithdraw: true}
	a.Ticker = l.next("a ticker")
	if old := t.machine.Listing().AssetByTicker(a.Ticker); old != nil {
		a = *old
	}
	for l.more() {
		switch word := l.next("a setting"); word {
		case "precision":
			a.Precision = l.digits(word)
		case "scale":
			a.Scale = l.digits(word)
		default:
			l.fail("%q is not a setting of assets", word)
		}
	}
	t.set(l, &schema.SetAsset{Asset: a})
}

// listMarket lists a market, or changes of one that is listed what the line names.
func (t *teller) listMarket(l *line) {
	name := l.next("a market")
	m := schema.MarketInfo{Name: name, Type: schema.Spot, Enabled: true}
	if old := t.machine.Listing().MarketByName(name); old != nil {
		m = *old
	} else if base, is := strings.CutSuffix(name, "_PERP"); is {
		m.Base, m.Quote = t.pair(base + "_" + listing.USDT)
		m.Type, m.Margin = schema.Futures, sheet.Futures()
	} else {
		m.Base, m.Quote = t.pair(name)
		if l.take("tradfi") {
			m.Type, m.Margin = schema.TradFiFutures, sheet.Futures()
		}
	}
	decimals := map[string]*fixed.Decimal{
		"tick": &m.TickSize, "step": &m.StepSize, "min": &m.MinAmount, "total": &m.MinTotal, "max": &m.MaxTotal,
		"maker": &m.MakerFee, "taker": &m.TakerFee, "band": &m.TakerBand,
		"bracket100": &m.Bracket100, "bracket50": &m.Bracket50, "bracket20": &m.Bracket20,
		"maxposition": &m.MaxPosition, "maxpending": &m.MaxPending, "maxinterest": &m.MaxOpenInterest,
		"priceband": &m.PriceBand, "markband": &m.MarkBand, "impact": &m.ImpactNotional, "cap": &m.FundingCap, "floor": &m.FundingFloor,
		"liquidationfee": &m.LiquidationFee, "liquidationband": &m.LiquidationBand,
	}
	digits := map[string]*uint8{"prices": &m.MoneyPrec, "amounts": &m.StockPrec, "fees": &m.FeePrec}
	for l.more() {
		word := l.next("a setting")
		switch {
		case decimals[word] != nil:
			*decimals[word] = l.decimal(word)
		case digits[word] != nil:
			*digits[word] = l.digits(word)
		case word == "leverage":
			m.MaxLeverage = l.leverage()
		case word == "funding":
			m.FundingMinutes = l.minutes("an interval")
		case word == "opens":
			m.OpensAt = l.moment(t.now)
		case word == "premium" && l.take("none"):
			m.RPIPremium = schema.Optional{}
		case word == "premium":
			m.RPIPremium = schema.Some(l.decimal(word))
		default:
			l.fail("%q is not a setting of markets", word)
		}
	}
	t.set(l, &schema.SetMarket{Market: m})
}

// pair finds the two assets of a market's name, 0 where there is none. A ticker may contain the
// character that stands between the two.
func (t *teller) pair(name string) (base, quote schema.AssetID) {
	for i := range name {
		if name[i] != '_' {
			continue
		}
		b, q := t.machine.Listing().AssetByTicker(name[:i]), t.machine.Listing().AssetByTicker(name[i+1:])
		if b != nil && q != nil {
			return b.ID, q.ID
		}
	}
	return 0, 0
}

func (t *teller) enable(l *line, on bool) {
	name := l.next("a market")
	m := t.machine.Listing().MarketByName(name)
	if m == nil {
		l.fail("there is no market %q", name)
		return
	}
	info := *m
	info.Enabled = on
	t.set(l, &schema.SetMarket{Market: info})
}

func (t *teller) maintenance(l *line) {
	cmd := &schema.PlanMaintenance{Market: t.market(l)}
	if !l.take("off") {
		l.want("from")
		cmd.From = l.moment(t.now)
		l.want("to")
		cmd.To = l.moment(t.now)
	}
	t.apply(l, cmd)
}

func (t *teller) delist(l *line) {
	cmd := &schema.PlanDelisting{Market: t.market(l)}
	if !l.take("never") {
		l.want("at")
		cmd.At = l.moment(t.now)
	}
	t.apply(l, cmd)
}

func (t *teller) feature(l *line) {
	l.want("step", "rule")
	cmd := &schema.SetFeature{Feature: schema.StepRule, On: l.take("on")}
	if !cmd.On {
		l.want("off")
	}
	t.apply(l, cmd)
}

func (t *teller) index(l *line) {
	cmd := &schema.SetIndex{Market: t.market(l), Price: l.decimal("a price")}
	if l.take("source") {
		cmd.Source = l.small("a source")
	}
	t.apply(l, cmd)
}

func (t *teller) openAccount(l *line) {
	a := schema.Account{Name: l.next("a name"), Region: schema.Global}
	l.permissions(&a, true)
	t.set(l, &schema.SetAccount{Account: a})
}

// permissions reads the names of what an account may do.
func (l *line) permissions(a *schema.Account, on bool) {
	for l.more() {
		switch word := l.next("a permission"); word {
		case "retail":
			a.Retail = on
		case "rpi":
			a.RPI = on
		case "tradfi":
			a.TradFi = on
		default:
			l.fail("accounts are allowed retail, rpi and tradfi, not %q", word)
		}
	}
}

// settings are the settings of the account that the next word names, to be changed.
func (t *teller) settings(l *line) schema.Account {
	id := t.account(l)
	if l.err != nil {
		return schema.Account{}
	}
	return *t.machine.Accounts().Get(id)
}

func (t *teller) permit(l *line, on bool) {
	a := t.settings(l)
	l.permissions(&a, on)
	t.set(l, &schema.SetAccount{Account: a})
}

func (t *teller) block(l *line, on bool) {
	a := t.settings(l)
	a.Blocked = on
	t.set(l, &schema.SetAccount{Account: a})
}

func (t *teller) region(l *line) {
	a := t.settings(l)
	switch word := l.next("a region"); word {
	case "eu":
		a.Region = schema.EU
	case "global":
		a.Region = schema.Global
	default:
		l.fail("a region is eu or global, not %q", word)
	}
	t.set(l, &schema.SetAccount{Account: a})
}

func (t *teller) fee(l *line) {
	cmd := &schema.SetFee{Account: t.account(l)}
	l.want("on")
	cmd.Market = t.market(l)
	cmd.Maker, cmd.Taker = l.rates()
	t.apply(l, cmd)
}

func (t *teller) defaultFee(l *line) {
	l.want("fee")
	a := t.settings(l)
	a.MakerFee, a.TakerFee = l.rates()
	t.set(l, &schema.SetAccount{Account: a})
}

// rates are fees in percent; one that is not named is not assigned.
func (l *line) rates() (maker, taker schema.Optional) {
	if l.take("none") {
		return maker, taker
	}
	if l.take("maker") {
		maker = schema.Some(l.decimal("a maker fee"))
	}
	if l.take("taker") {
		taker = schema.Some(l.decimal("a taker fee"))
	}
	if !maker.Set() && !taker.Set() {
		l.fail("a fee is missing")
	}
	return maker, taker
}
