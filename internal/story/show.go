package story

import (
	"math"
	"strings"

	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// show prints a part of the state.
func (t *teller) show(l *line) {
	switch what := l.next("what to show"); what {
	case "book":
		if id := t.listed(l); l.finished() {
			t.showBook(id)
		}
	case "money":
		if account := t.account(l); l.finished() {
			t.showMoney(account)
		}
	case "orders":
		if account := t.account(l); l.finished() {
			t.showOrders(account)
		}
	case "positions":
		if account := t.account(l); l.finished() {
			t.showPositions(account)
		}
	case "margin":
		if account := t.account(l); l.finished() {
			t.showMargin(account)
		}
	case "loans":
		if account := t.account(l); l.finished() {
			t.showLoans(account)
		}
	case "prices":
		if id := t.listed(l); l.finished() {
			t.showPrices(id)
		}
	case "rates":
		account := t.account(l)
		l.want("on")
		if id := t.listed(l); l.finished() {
			t.showRates(account, id)
		}
	case "fees":
		if l.finished() {
			t.showMoney(schema.Fees)
		}
	case "fund":
		if l.finished() {
			t.showMoney(schema.Insurance)
		}
	case "pool":
		if l.finished() {
			t.showMoney(schema.Lending)
		}
	case "timers":
		if l.finished() {
			t.showTimers()
		}
	case "hash":
		if l.finished() {
			t.say("%x", t.machine.Hash())
		}
	default:
		l.fail("%q cannot be shown", what)
	}
}

// listed is a market that must exist to be looked at.
func (t *teller) listed(l *line) schema.MarketID {
	id := t.market(l)
	if id == 0 {
		l.fail("there is no such market")
	}
	return id
}

// showBook prints the public book, bids on the left and asks on the right, best first.
func (t *teller) showBook(id schema.MarketID) {
	engine := t.machine.Trading()
	bids := engine.Depth(id, schema.Buy, math.MaxInt)
	asks := engine.Depth(id, schema.Sell, math.MaxInt)
	last := "no trade yet"
	if p := engine.Market(id).Last; !p.IsZero() {
		last = "last " + p.String()
	}
	if len(bids)+len(asks) == 0 {
		t.say("empty, %s", last)
		return
	}
	rows := [][4]string{{"amount", "bid", "ask", "amount"}}
	for i := range max(len(bids), len(asks)) {
		var row [4]string
		row[1], row[0] = level(bids, i)
		row[2], row[3] = level(asks, i)
		rows = append(rows, row)
	}
	var width [4]int
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	for _, row := range rows {
		text := pad(row[0], width[0]) + "  " + pad(row[1], width[1]) + " | " + pad(row[2], width[2])
		if row[3] != "" {
			text += "  " + row[3]
		}
		t.say("%s", strings.TrimRight(text, " "))
	}
	t.say("%s", last)
}

// level is the price and the amount of a level, empty where the side has fewer.
func level(levels []trading.Level, i int) (price, amount string) {
	if i >= len(levels) {
		return "", ""
	}
	return levels[i].Price.String(), levels[i].Amount.String()
}

// pad puts a text at the right end of a column.
func pad(s string, width int) string { return strings.Repeat(" ", width-len(s)) + s }

func (t *teller) showMoney(account schema.AccountID) {
	none := true
	for _, asset := range t.machine.Listing().Assets() {
		for w := schema.Main; schema.Valid(w); w++ {
			available, frozen, held := t.machine.Balance(account, w, asset.ID)
			if available.IsZero() && frozen.IsZero() && held.IsZero() {
				continue
			}
			none = false
			t.balance(w, asset.ID, available, frozen, held)
		}
	}
	if none {
		t.say("nothing")
	}
}

// balance prints what an account has of an asset in a wallet. Nothing is frozen for orders
// except in trade, and nothing is held except in main.
func (t *teller) balance(w schema.Wallet, asset schema.AssetID, available, frozen, held fixed.Decimal) {
	text := ""
	if w == schema.Trade {
		text += ", frozen " + frozen.String()
	}
	if !held.IsZero() {
		text += ", held " + held.String()
	}
	t.say("%s %s: available %s%s", t.ticker(asset), w, available, text)
}

func (t *teller) showOrders(account schema.AccountID) {
	none := true
	for _, m := range t.machine.Listing().Markets() {
		for _, o := range t.machine.Trading().Open(account, m.ID) {
			none = false
			t.say("%s", t.describe(&o))
		}
	}
	if none {
		t.say("none")
	}
}

// describe says what an open order wants and how far it is.
func (t *teller) describe(o *schema.Order) string {
	m := t.machine.Listing().Market(o.Market)
	unit := ""
	if o.Type.InQuote(o.Side) {
		unit = " " + t.ticker(m.Quote) + " on"
	}
	var b strings.Builder
	b.WriteString("order " + id(o.ID) + ": " + o.Type.String() + " " + o.Side.String() + " " +
		o.Amount.String() + unit + " " + m.Name)
	if !o.Price.IsZero() {
		b.WriteString(" @ " + o.Price.String())
	}
	if o.Type.IsStop() {
		condition, activated := "gte", "0"
		if (o.Side == schema.Sell) != (o.Role == schema.TakeProfit) {
			condition = "lte"
		}
		if o.ActivatedAt != 0 {
			activated = "1"
		}
		b.WriteString(" once " + condition + " " + o.ActivationPrice.String() + ", activated " + activated)
	}
	b.WriteString(", " + t.progress(o, 0))
	for _, flag := range []struct {
		name string
		set  bool
	}{{"postonly", o.PostOnly}, {"ioc", o.IOC}, {"rpi", o.RPI}, {"retail", o.Retail}, {"margin", o.Collateral && !m.Future()}, {"reduceonly", o.ReduceOnly}, {"long", o.PositionSide == schema.LongSide}, {"short", o.PositionSide == schema.ShortSide}} {
		if flag.set {
			b.WriteString(", " + flag.name)
		}
	}
	if o.STP != schema.STPNo {
		b.WriteString(", stp=" + o.STP.String())
	}
	if !o.ClientID.IsZero() {
		b.WriteString(", id=" + o.ClientID.String())
	}
	if what := role(o); what != "" {
		b.WriteString(", " + what)
	}
	if !o.TakeProfit.IsZero() {
		b.WriteString(", take profit " + o.TakeProfit.String())
	}
	if !o.StopLoss.IsZero() {
		b.WriteString(", stop loss " + o.StopLoss.String())
	}
	return b.String()
}

// showRates prints what an account pays on a market, as the fee endpoint reports it.
func (t *teller) showRates(account schema.AccountID, id schema.MarketID) {
	maker, taker := t.machine.Trading().Rates(account, id)
	premium := "null"
	if p := t.machine.Listing().Market(id).RPIPremium; p.Set() {
		premium = p.Value().String()
	}
	t.say("maker %s, taker %s, rpi premium %s", maker, taker, premium)
}

func (t *teller) showTimers() {
	running := t.machine.Trading().KillSwitches()
	for i := range running {
		t.say("%s", t.timer(&running[i]))
	}
	if len(running) == 0 {
		t.say("none")
	}
}
