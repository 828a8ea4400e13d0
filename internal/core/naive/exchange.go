// Package naive is an exchange that is slow and simple: the easiest code that could be right,
// written from the documents alone. The real core is tested against it, so it shares nothing
// with the core but the schema: numbers are big fractions, books are unsorted lists, and every
// question is answered by looking at everything.
package naive

import (
	"fmt"

	"bourse/internal/schema"
)

// Exchange is the whole state.
type Exchange struct {
	now      schema.Time // of the last accepted command
	at       schema.Time // at which the command happens that is being applied
	lastTick schema.Time

	stepRule    bool
	boundedWork bool
	sweepMost   int // makers that are looked at to know what a stock market buy pays, with bounded work
	exactMoney  bool
	accounts    []schema.Account
	assets      []asset   // the id of an asset is its place, from 1
	markets     []*market // so is the id of a market
	keys        map[string]schema.AccountID
	fees        []schema.SetFee
	switches    []schema.KillSwitch

	balances map[balanceKey]*balance
	held     map[heldKey]num

	lastOrder   schema.OrderID
	lastDeal    schema.DealID
	lastArrival uint64
	deals       []schema.Deal // of the last command
	changes     []Change      // of orders by the last command
}

// asset is what the rules ask of an asset.
type asset struct {
	ticker    string
	class     schema.AssetClass
	scale     uint8
	precision uint8
	deposits  bool
	withdraws bool
}

// market is a listing and what goes on there.
type market struct {
	schema.MarketInfo
	last   num      // the price of the last deal, 0 when there was none
	index  num      // the price in the world outside, 0 when there is none
	orders []*order // alive, by id
	queue  []*order // stops that were triggered and have not entered yet, without bounded work

	// The highest and the lowest price of the deals since no stop was due, with bounded work.
	dealt     bool
	high, low num
}

// New is an exchange with nothing in it.
func New() *Exchange {
	return &Exchange{
		stepRule:  true,
		sweepMost: 4096,
		keys:      map[string]schema.AccountID{},
		balances:  map[balanceKey]*balance{},
		held:      map[heldKey]num{},
	}
}

// Apply runs one command. It never changes cmd, and a refused command changes nothing.
func (x *Exchange) Apply(at schema.Time, cmd schema.Command) schema.Result {
	x.deals, x.changes = nil, nil
	x.at = max(at, x.now)
	result := x.run(cmd)
	if !result.Rejection.Refused() {
		x.now = x.at
	}
	return result
}

func (x *Exchange) run(cmd schema.Command) schema.Result {
	switch c := cmd.(type) {
	case *schema.Tick:
		return x.tick()
	case *schema.Continue: // every command is done at once, so that nothing is left over
		return schema.Result{}
	case *schema.PlaceOrder:
		return x.placeOrder(c)
	case *schema.PlaceBulk:
		return x.placeBulk(c)
	case *schema.CancelOrder:
		return x.cancelOrder(c)
	case *schema.CancelBulk:
		return x.cancelBulk(c)
	case *schema.CancelAll:
		return x.cancelAll(c)
	case *schema.ModifyOrder:
		return x.modifyOrder(c)
	case *schema.SetKillSwitch:
		return x.setKillSwitch(c)
	case *schema.Deposit:
		return x.deposit(c)
	case *schema.ConfirmDeposit:
		return x.confirmDeposit(c)
	case *schema.Withdraw:
		return x.withdraw(c)
	case *schema.Transfer:
		return x.transfer(c)
	case *schema.SetAsset:
		return x.setAsset(&c.Asset)
	case *schema.SetMarket:
		return x.setMarket(&c.Market)
	case *schema.PlanMaintenance:
		return x.planMaintenance(c)
	case *schema.PlanDelisting:
		return x.planDelisting(c)
	case *schema.SetFeature:
		return x.setFeature(c)
	case *schema.SetIndex:
		return x.setIndex(c)
	case *schema.SetAccount:
		return x.setAccount(&c.Account)
	case *schema.SetKey:
		return x.setKey(&c.Key)
	case *schema.DeleteKey:
		return x.deleteKey(c)
	case *schema.SetFee:
		return x.setFee(c)
	}
	panic(fmt.Sprintf("naive: a command of type %T", cmd))
}

// accepted is the rejection of what is not rejected.
var accepted schema.Rejection

// about is a rejection whose text speaks of a number.
func about(r schema.Reason, value num) schema.Rejection {
	return schema.Rejection{Reason: r, Value: value.decimal()}
}

// refuse answers a command with a rejection whose text speaks of no number.
func refuse(r schema.Reason) schema.Result { return reject(schema.Refuse(r)) }

// reject answers a command with a rejection.
func reject(r schema.Rejection) schema.Result { return schema.Result{Rejection: r} }

// account finds a customer, or nil.
func (x *Exchange) account(id schema.AccountID) *schema.Account {
	for i := range x.accounts {
		if x.accounts[i].ID == id {
			return &x.accounts[i]
		}
	}
	return nil
}

// asset finds an asset, or nil.
func (x *Exchange) asset(id schema.AssetID) *asset {
	if id < 1 || int(id) > len(x.assets) {
		return nil
	}
	return &x.assets[id-1]
}

// market finds a market, or nil.
func (x *Exchange) market(id schema.MarketID) *market {
	if id < 1 || int(id) > len(x.markets) {
		return nil
	}
	return x.markets[id-1]
}

// lot is the smallest amount.
func (m *market) lot() num { return unit(m.StockPrec) }

// priceUnit is the smallest price.
func (m *market) priceUnit() num { return unit(m.MoneyPrec) }

// step is what amounts are multiples of.
func (m *market) step() num {
	if m.StepSize.IsZero() {
		return m.lot()
	}
	return of(m.StepSize)
}

// tick is what prices are multiples of.
func (m *market) tick() num {
	if m.TickSize.IsZero() {
		return m.priceUnit()
	}
	return of(m.TickSize)
}
