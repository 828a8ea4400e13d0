package naive

import "bourse/internal/schema"

// trading is the orders: how they are checked, matched and ended, what fills cost, and what ends them
// by itself.
type trading struct {
	call      *call
	features  *features
	ledger    *ledger
	listing   *listing
	accounts  *accounts
	prices    *prices
	margins   *margins // of orders that are paid from collateral
	sweepMost int      // makers that are looked at to know what a stock market buy pays, with bounded work

	markets  []*market // in the order of their ids, as far as they were asked for
	fees     []schema.SetFee
	switches []schema.KillSwitch

	lastOrder   schema.OrderID
	lastDeal    schema.DealID
	lastArrival uint64
}

// market is a listing and what goes on there.
type market struct {
	*schema.MarketInfo
	last    num         // the price of the last deal, 0 when there was none
	index   num         // the price in the world outside, 0 when there is none; that of a known asset counts before it
	indexAt schema.Time // since when
	orders  []*order    // alive, by id
	queue   []*order    // stops that were triggered and have not entered yet, without bounded work

	primaries []*order // that ended and are to be followed, in the order in which they did

	// The highest and the lowest price of the deals since no stop was due, with bounded work.
	dealt     bool
	high, low num
}

func (t *trading) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.PlaceOrder:
		result = t.placeOrder(c)
	case *schema.PlaceBulk:
		result = t.placeBulk(c)
	case *schema.CancelOrder:
		result = t.cancelOrder(c)
	case *schema.CancelBulk:
		result = t.cancelBulk(c)
	case *schema.CancelAll:
		result = t.cancelAll(c)
	case *schema.ModifyOrder:
		result = t.modifyOrder(c)
	case *schema.PlaceOCO:
		result = t.placeOCO(c)
	case *schema.PlaceTPSL:
		result = t.placeTPSL(c)
	case *schema.CancelGroup:
		result = t.cancelGroup(c)
	case *schema.ClosePosition:
		result = t.closePosition(c)
	case *schema.SetKillSwitch:
		result = t.setKillSwitch(c)
	case *schema.SetFee:
		result = t.setFee(c)
	default:
		return nil
	}
	return &result
}

// market finds a market, or nil.
func (t *trading) market(id schema.MarketID) *market {
	if t.listing.market(id) == nil {
		return nil
	}
	for len(t.markets) < int(id) {
		t.markets = append(t.markets, &market{MarketInfo: t.listing.markets[len(t.markets)]})
	}
	return t.markets[id-1]
}

// all are all markets, in the order of their ids.
func (t *trading) all() []*market {
	t.market(schema.MarketID(len(t.listing.markets)))
	return t.markets
}

// lot is the smallest amount.
func (m *market) lot() num { return unit(m.StockPrec) }

// priceUnit is the smallest price.
func (m *market) priceUnit() num { return unit(m.MoneyPrec) }

// step is what amounts are multiples of.
func (m *market) step() num {
	if of(m.StepSize).sign() == 0 {
		return m.lot()
	}
	return of(m.StepSize)
}

// tick is what prices are multiples of.
func (m *market) tick() num {
	if of(m.TickSize).sign() == 0 {
		return m.priceUnit()
	}
	return of(m.TickSize)
}

// level records what stands at a price of the public book now.
func (t *trading) level(m *market, side schema.Side, price num) {
	sum := num{}
	for _, o := range m.orders {
		if o.resting && !o.rpi && o.side == side && o.price.cmp(price) == 0 {
			sum = sum.plus(o.left)
		}
	}
	t.call.record(&schema.LevelChanged{Market: m.ID, Side: side, Price: price.decimal(), Amount: sum.decimal()})
}

// changed records what happens to an order.
func (t *trading) changed(what schema.Change, o *order, cause schema.Cause) {
	t.call.record(&schema.OrderChanged{Change: what, Cause: cause, Order: o.view()})
}
