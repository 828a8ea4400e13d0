package story

import (
	"strconv"
	"strings"
	"time"

	"bourse/internal/api"
	"bourse/internal/core/listing"
	"bourse/internal/schema"
)

// report prints what came of a command: its own answer first, then what happened because of it,
// in order.
func (t *teller) report(out *schema.Outcome) {
	r := &out.Result
	if r.Rejection.Refused() {
		t.refuse("", r.Rejection)
		return
	}
	// shown is the state of an order that its answer shows. What happened to the order up to
	// there is not shown twice.
	shown := map[schema.OrderID]schema.Order{}
	if r.Order.ID != 0 {
		shown[r.Order.ID] = r.Order
		t.say("%s", t.answer(out, &r.Order))
	}
	for i := range r.Items {
		item := &r.Items[i]
		label := strconv.Itoa(i+1) + ": "
		if item.Rejection.Refused() {
			t.refuse(label, item.Rejection)
			continue
		}
		shown[item.Order.ID] = item.Order
		t.say("%s%s", label, t.answer(out, &item.Order))
	}
	for event := range out.Events.All() {
		switch e := event.(type) {
		case *schema.Deal:
			t.deal(e)
		case *schema.OrderChanged:
			if answer, ok := shown[e.Order.ID]; ok {
				if answer == e.Order {
					delete(shown, e.Order.ID)
				}
				continue
			}
			t.change(e)
		case *schema.PositionChanged:
			t.positionChange(e)
		case *schema.LoanChanged:
			t.loanChange(e)
		case *schema.FundingSettled:
			t.say("funding of %s: rate %s, mark %s", t.marketName(e.Market), e.Rate, e.Mark)
		case *schema.RiskChanged:
			t.say("risk of %s: %s, total %s, maintenance %s", t.name(e.Account), e.State, e.Total, e.Maintenance)
		case *schema.Shortfall:
			t.say("the insurance fund pays %s %s for %s and has %s", e.Amount, t.ticker(e.Asset), t.name(e.Account), e.Fund)
		case *schema.KillSwitchChanged:
			t.timerChange(e)
		case *schema.MarketChanged:
			t.marketChange(&e.Market)
		}
	}
}

// refuse prints a refusal as a client of the API gets it.
func (t *teller) refuse(label string, r schema.Rejection) {
	field := ""
	if name := api.FieldOf(r.Reason); name != "" {
		field = " " + name
	}
	t.say("%srefused: %d code %d%s: %s", label, api.Status(r.Reason), api.Code(r.Reason), field, r.Text())
}

// answer is what the answer to a command says of an order.
func (t *teller) answer(out *schema.Outcome, o *schema.Order) string {
	text := "order " + id(o.ID)
	if what := role(o); what != "" {
		text += " (" + what + ")"
	}
	return text + " " + t.progress(o, cause(out, o))
}

// cause is why an order came into a state.
func cause(out *schema.Outcome, o *schema.Order) schema.Cause {
	for event := range out.Events.All() {
		if e, ok := event.(*schema.OrderChanged); ok && e.Order == *o {
			return e.Cause
		}
	}
	return 0
}

func (t *teller) deal(d *schema.Deal) {
	m := t.machine.Listing().Market(d.Market)
	place := ""
	if d.OffBook {
		place = " off the book"
	}
	t.say("deal %d%s: %s @ %s, maker order %s (%s, fee %s %s), taker order %s (%s, fee %s %s)",
		d.ID, place, d.Amount, d.Price,
		id(d.Maker.Order), t.name(d.Maker.Account), d.Maker.Fee, t.feeAsset(m, d.TakerSide.Opposite(), d.Maker.Margin),
		id(d.Taker.Order), t.name(d.Taker.Account), d.Taker.Fee, t.feeAsset(m, d.TakerSide, d.Taker.Margin))
}

// feeAsset is what a side pays its fee in: of what it receives, of the money if it is paid from collateral, on futures USDT.
func (t *teller) feeAsset(m *schema.MarketInfo, side schema.Side, collateral bool) string {
	switch {
	case m.Future():
		return listing.USDT
	case side == schema.Sell || collateral:
		return t.ticker(m.Quote)
	}
	return t.ticker(m.Base)
}

// change prints what happened to an order that the command was not about.
func (t *teller) change(e *schema.OrderChanged) {
	what := "activated"
	if e.Change != schema.Activated {
		what = t.progress(&e.Order, e.Cause)
	}
	who := t.name(e.Order.Account)
	if name := e.Order.ClientID.String(); strings.HasSuffix(name, "_!") {
		who += ", " + name // the exchange itself placed it
	}
	if what := role(&e.Order); what != "" {
		who += ", " + what
	}
	t.say("order %s (%s) %s", id(e.Order.ID), who, what)
}

// progress describes how an order stands. CANCELED alone does not say why; the other words do.
func (t *teller) progress(o *schema.Order, cause schema.Cause) string {
	m := t.machine.Listing().Market(o.Market)
	var b strings.Builder
	b.WriteString(o.Status.String())
	if o.Status == schema.Canceled && cause != schema.ByRequest {
		b.WriteString(" (" + cause.String() + ")")
	}
	b.WriteString(", left " + o.Left.String())
	if o.Type.InQuote(o.Side) {
		b.WriteString(" " + t.ticker(m.Quote))
	}
	if o.DealStock.IsZero() {
		return b.String()
	}
	b.WriteString(", dealt " + o.DealStock.String() + " for " + o.DealMoney.String() +
		", fee " + o.DealFee.String() + " " + t.feeAsset(m, o.Side, o.Collateral))
	return b.String()
}

func (t *teller) timerChange(e *schema.KillSwitchChanged) {
	switch {
	case e.Running:
		t.say("%s", t.timer(&e.Timer))
	case e.Fired:
		t.say("kill switch of %s on %s fires", t.name(e.Timer.Account), t.marketName(e.Timer.Market))
	default:
		t.say("kill switch of %s on %s removed", t.name(e.Timer.Account), t.marketName(e.Timer.Market))
	}
}

// timer describes a kill switch that runs.
func (t *teller) timer(k *schema.KillSwitch) string {
	text := "kill switch of " + t.name(k.Account) + " on " + t.marketName(k.Market) +
		" from " + clock(k.Start) + " to " + clock(k.Deadline)
	for _, p := range []struct {
		name string
		kind schema.Products
	}{{"spot", schema.SpotOrders}, {"margin", schema.MarginOrders}, {"futures", schema.FuturesOrders}} {
		if k.Products&p.kind != 0 {
			text += ", " + p.name
		}
	}
	return text
}

// marketChange prints what a market goes through and what is planned for it.
func (t *teller) marketChange(m *schema.MarketInfo) {
	switch {
	case m.Delisted:
		t.say("%s is delisted", m.Name)
	case m.InMaintenance:
		t.say("%s is in maintenance until %s", m.Name, clock(m.MaintenanceTo))
	case m.MaintenanceFrom != 0:
		t.say("%s will be in maintenance from %s to %s", m.Name, clock(m.MaintenanceFrom), clock(m.MaintenanceTo))
	case m.DelistsAt != 0:
		t.say("%s will be delisted at %s", m.Name, clock(m.DelistsAt))
	case m.Enabled:
		t.say("%s is open", m.Name)
	default:
		t.say("%s is closed", m.Name)
	}
}

// clock prints a moment.
func clock(t schema.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format(time.RFC3339Nano)
}

func id(n schema.OrderID) string { return strconv.FormatUint(uint64(n), 10) }

func (t *teller) name(account schema.AccountID) string { return t.machine.Accounts().Get(account).Name }

func (t *teller) ticker(asset schema.AssetID) string { return t.machine.Listing().Asset(asset).Ticker }

func (t *teller) marketName(market schema.MarketID) string {
	return t.machine.Listing().Market(market).Name
}
