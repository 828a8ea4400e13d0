package story

import (
	"strconv"
	"strings"

	"bourse/internal/schema"
)

const formOrder = `alice buys 1 BTC_USDT @ 100 (or @ bbo1, @ bbo2, at market, at stock market) [once 104] [postonly] [ioc] [rpi] [retail] [margin] [reduceonly] [long] [short] [stp=cn] [id=my-1], on a future or with margin also [take profit 110] [stop loss 95], or alice sells 1 BTC_PERP @ 110 or @ 94 once 95 [reduceonly] [long] [short] [stp=cn] [id=my-1] [stopid=my-2]`

// traderVerbs are the lines that begin with the name of an account.
var traderVerbs = map[string]verb{
	"buys":     {formOrder, placing("buys")},
	"sells":    {formOrder, placing("sells")},
	"spends":   {`alice spends 100 USDT on BTC_USDT [once 104] [stp=cn] [id=my-1]`, placing("spends")},
	"places":   {`alice places together [stop on failure]: and below it lines like "- buys 1 BTC_USDT @ 100"`, (*teller).places},
	"cancels":  {`alice cancels 3 on BTC_USDT, or my-1 on BTC_USDT, or bulk 1 2 my-3 on BTC_USDT, or all [on BTC_USDT] [for spot margin], or group 3 on BTC_PERP, or oco (or oto) my-1 on BTC_PERP`, (*teller).cancels},
	"modifies": {`alice modifies 3 on BTC_USDT [price 101] [amount 2] [total 50] [trigger 99] [stp=cb]`, (*teller).modifies},
	"uses":     {`alice uses leverage 20, or hedge mode, or one-way mode`, (*teller).uses},
	"closes":   {`alice closes BTC_PERP [long] [short]`, (*teller).closes},
	"protects": {`alice protects BTC_PERP [long] [short] [take profit 110] [stop loss 95] [stp=cn]`, (*teller).protects},
	"arms":     {`alice arms kill switch on BTC_USDT 10s [for spot margin]`, (*teller).arms},
	"disarms":  {`alice disarms kill switch on BTC_USDT`, (*teller).disarms},
}

// placing reads and places one order, or the two of an OCO.
func placing(how string) func(*teller, *line) {
	return func(t *teller, l *line) {
		r := t.wanted(l, how)
		if l.take("or") {
			t.oco(l, &r)
			return
		}
		t.terms(l, &r)
		t.send(l, &schema.PlaceOrder{Account: l.trader, Order: r})
	}
}

// send applies a trader's command unless a word of it was refused already.
func (t *teller) send(l *line, cmd schema.Command) {
	if l.refused.Refused() && l.finished() {
		t.refuse("", l.refused)
		return
	}
	t.apply(l, cmd)
}

// wanted reads what an order is to trade: how much, where, and at what price.
func (t *teller) wanted(l *line, how string) schema.OrderRequest {
	r := schema.OrderRequest{Side: schema.Buy}
	if how == "sells" {
		r.Side = schema.Sell
	}
	r.Amount = l.decimal("an amount")
	if how == "spends" {
		r.Type = schema.Market
		asset := t.asset(l)
		l.want("on")
		r.Market = t.market(l)
		if m := t.machine.Listing().Market(r.Market); m != nil && m.Quote != asset {
			l.fail("on %s one spends %s", m.Name, t.ticker(m.Quote))
		}
	} else {
		r.Market = t.market(l)
		r.Collateral = t.future(r.Market)
		t.price(l, &r)
	}
	return r
}

// terms reads what may follow what an order wants.
func (t *teller) terms(l *line, r *schema.OrderRequest) {
	if l.take("once") {
		t.trigger(l, r)
	}
	for l.more() {
		if !l.exit(&r.TakeProfit, &r.StopLoss) {
			l.flag(r)
		}
	}
}

// price reads at what price an order may trade.
func (t *teller) price(l *line, r *schema.OrderRequest) {
	switch {
	case l.take("at", "stock", "market"):
		r.Type = schema.StockMarket
	case l.take("at", "market"):
		r.Type = schema.Market
		if r.Side == schema.Buy {
			l.fail("a buy at the market counts what it spends (alice spends 100 USDT on BTC_USDT) unless it is at stock market")
		}
	default:
		l.want("@")
		r.Type = schema.Limit
		word := l.next("a price")
		role, bbo := strings.CutPrefix(word, "bbo")
		if !bbo {
			r.Price = l.parse("a price", word)
			return
		}
		n, err := strconv.ParseUint(role, 10, 8)
		if err != nil {
			l.fail("a role is bbo1 or bbo2, not %q", word)
		}
		r.BBO = schema.BBORole(n)
	}
}

// trigger makes a stop of an order.
func (t *teller) trigger(l *line, r *schema.OrderRequest) {
	switch r.Type {
	case schema.Limit:
		r.Type = schema.StopLimit
	case schema.Market:
		r.Type = schema.StopMarket
	case schema.StockMarket:
		r.Type = schema.StopStockMarket
	}
	r.ActivationPrice = l.decimal("a trigger")
}

// flag reads one of the words that may follow an order.
func (l *line) flag(r *schema.OrderRequest) {
	word := l.next("a flag")
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "postonly":
		r.PostOnly = true
	case "ioc":
		r.IOC = true
	case "rpi":
		r.RPI = true
	case "retail":
		r.Retail = true
	case "margin":
		r.Collateral = true
	case "reduceonly":
		r.ReduceOnly = true
	case "long":
		r.PositionSide = schema.LongSide
	case "short":
		r.PositionSide = schema.ShortSide
	case "stp":
		r.STP = l.stp(value)
	case "id":
		r.ClientID = l.client(value)
	default:
		l.fail("%q is not a flag of orders", word)
	}
}

// places sends the orders of the following lines, each behind a dash, in one command.
func (t *teller) places(l *line) {
	cmd := &schema.PlaceBulk{Account: l.trader, StopOnFail: !l.take("together:")}
	if cmd.StopOnFail {
		l.want("together", "stop", "on", "failure:")
	}
	if !l.finished() {
		return
	}
	for t.at < len(t.lines) && l.err == nil {
		if !strings.HasPrefix(t.lines[t.at], "- ") {
			break
		}
		item := t.read()
		item.want("-")
		how := item.next("buys or sells")
		if how != "buys" && how != "sells" && how != "spends" {
			item.fail("an item begins with buys, sells or spends, not %q", how)
		}
		r := t.wanted(item, how)
		t.terms(item, &r)
		cmd.Orders = append(cmd.Orders, r)
		if item.refused.Refused() {
			item.fail("%s", item.refused.Text())
		}
		if !item.finished() {
			l.number, l.err = item.number, item.err
		}
	}
	t.apply(l, cmd)
}

// ref reads which order is meant: a number is its id, anything else its client id. "3/my-1"
// sends both and "/" neither, which the exchange refuses.
func (l *line) ref() (r schema.OrderRef) {
	id, client, both := strings.Cut(l.next("an order"), "/")
	n, err := strconv.ParseUint(id, 10, 64)
	switch {
	case err == nil:
		r.ID = schema.OrderID(n)
	case !both:
		client = id
	}
	r.ClientID = l.client(strings.TrimPrefix(client, "id="))
	return r
}

func (t *teller) cancels(l *line) {
	switch {
	case l.take("all"):
		cmd := &schema.CancelAll{Account: l.trader}
		if l.take("on") {
			if cmd.Market = t.market(l); cmd.Market == 0 {
				// To the exchange 0 means all markets; an API surface looks the name up first.
				l.refused = schema.Refuse(schema.MarketUnavailable)
			}
		}
		cmd.Products = l.products()
		t.send(l, cmd)
	case l.take("bulk"):
		cmd := &schema.CancelBulk{Account: l.trader}
		named := 0 // so many of the orders have their market
		for l.more() {
			if !l.take("on") {
				cmd.Orders = append(cmd.Orders, l.ref())
				continue
			}
			for market := t.market(l); named < len(cmd.Orders); named++ {
				cmd.Orders[named].Market = market
			}
		}
		t.send(l, cmd)
	case l.take("group"):
		t.cancelGroup(l, schema.AnyGroup)
	case l.take("oco"):
		t.cancelGroup(l, schema.OCO)
	case l.take("oto"):
		t.cancelGroup(l, schema.OTO)
	default:
		cmd := &schema.CancelOrder{Account: l.trader, Order: l.ref()}
		l.want("on")
		cmd.Order.Market = t.market(l)
		t.send(l, cmd)
	}
}

func (t *teller) modifies(l *line) {
	cmd := &schema.ModifyOrder{Account: l.trader, Order: l.ref()}
	l.want("on")
	cmd.Order.Market = t.market(l)
	for l.more() {
		switch word := l.next("what to modify"); word {
		case "price":
			cmd.Price = schema.Some(l.decimal("a price"))
		case "amount":
			cmd.Amount = schema.Some(l.decimal("an amount"))
		case "total":
			cmd.Total = schema.Some(l.decimal("a total"))
		case "trigger":
			cmd.ActivationPrice = schema.Some(l.decimal("a trigger"))
		default:
			mode, stp := strings.CutPrefix(word, "stp=")
			if !stp {
				l.fail("%q cannot be modified", word)
			}
			cmd.STP = l.stp(mode)
		}
	}
	t.send(l, cmd)
}

func (t *teller) arms(l *line) {
	l.want("kill", "switch", "on")
	cmd := &schema.SetKillSwitch{Account: l.trader, Market: t.market(l), Timeout: l.span("a timeout")}
	cmd.Products = l.products()
	if cmd.Timeout == 0 {
		l.fail("a timer of no time is none; alice disarms kill switch on BTC_USDT")
	}
	t.apply(l, cmd)
}

func (t *teller) disarms(l *line) {
	l.want("kill", "switch", "on")
	t.apply(l, &schema.SetKillSwitch{Account: l.trader, Market: t.market(l)})
}
