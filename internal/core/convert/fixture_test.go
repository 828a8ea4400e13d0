package convert_test

import (
	"fmt"
	"reflect"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	start = schema.Time(1_700_000_000) * schema.Second

	usdt schema.AssetID = 1
	btc  schema.AssetID = 2
	eth  schema.AssetID = 3
	eur  schema.AssetID = 4
	gem  schema.AssetID = 5

	alice = schema.FirstCustomer // converts
	maker = alice + 1
	ben   = alice + 2 // converts, too
	sub   = alice + 3 // of alice
)

func d(s string) fixed.Decimal { return fixed.MustParse(s) }

// exchange is an exchange where alice and ben convert, and a maker has the books. A bitcoin is worth 50000, an ether 2500, a euro 1.1 and a gem 10.
type exchange struct {
	*testing.T
	m  *core.Machine
	at schema.Time
	// alone leaves out the second machine that is restored before each command.
	alone   bool
	markets map[string]schema.MarketID
}

// empty is an exchange without markets on which conversions were never set.
func empty(t *testing.T) *exchange {
	x := &exchange{T: t, m: core.NewExchange(), at: start, alone: true, markets: map[string]schema.MarketID{}}
	for i, ticker := range []string{"USDT", "BTC", "ETH", "EUR", "GEM"} {
		precision := uint8(8)
		if ticker == "EUR" {
			precision = 2
		}
		x.do(&schema.SetAsset{Asset: schema.Asset{
			Ticker: ticker, Class: schema.Crypto, Scale: 18, Precision: precision, CanDeposit: true, CanWithdraw: true, Codes: i == 0,
		}})
	}
	for _, name := range []string{"alice", "maker", "ben"} {
		x.do(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, Verified: true}})
	}
	x.do(&schema.SetSub{Master: alice, External: "sub", Alias: "sub", ShareKYC: true, Active: true, Spot: true})
	for account := alice; account <= sub; account++ {
		for asset := usdt; asset <= gem; asset++ {
			x.do(&schema.Deposit{Account: account, Asset: asset, Amount: d("100000000")})
			x.do(&schema.Transfer{Account: account, Asset: asset, Amount: d("100000000"), From: schema.Main, To: schema.Trade})
		}
	}
	for asset := usdt; asset <= gem; asset++ {
		x.do(&schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: d("100000000")})
		x.do(&schema.SetCollateral{Asset: asset, IndexMaxAge: 3600 * schema.Second})
	}
	for _, asset := range []string{"BTC", "ETH", "EUR", "GEM"} {
		x.list(asset+"_USDT", 4, 4)
	}
	for asset, price := range map[string]string{"BTC": "50000", "ETH": "2500", "EUR": "1.1", "GEM": "10"} {
		x.index(asset, price)
	}
	return x
}

// open is an exchange on which conversions cost 0.2 % for each market, over no hub.
func open(t *testing.T, edits ...func(*schema.SetConversion)) *exchange {
	x := empty(t)
	x.do(settings(edits...))
	x.alone = false
	return x
}

func settings(edits ...func(*schema.SetConversion)) *schema.SetConversion {
	m := &schema.SetConversion{On: true, Spread: d("0.002"), OpenMost: d("100000"), DayMost: d("1000000"), LossMost: d("10000")}
	for _, edit := range edits {
		edit(m)
	}
	return m
}

func over(hubs ...schema.AssetID) func(*schema.SetConversion) {
	return func(m *schema.SetConversion) { m.Hubs = hubs }
}

var ids = map[string]schema.AssetID{"USDT": usdt, "BTC": btc, "ETH": eth, "EUR": eur, "GEM": gem}

// list lists a spot market, or lists it with other settings.
func (x *exchange) list(name string, stock, money uint8, edits ...func(*schema.MarketInfo)) {
	x.Helper()
	info := schema.MarketInfo{
		Name: name, Base: ids[name[:3]], Quote: ids[name[4:]], Type: schema.Spot, StockPrec: stock, MoneyPrec: money, FeePrec: 8, Enabled: true,
	}
	for _, edit := range edits {
		edit(&info)
	}
	x.markets[name] = schema.MarketID(x.do(&schema.SetMarket{Market: info}).Result.ID)
}

// index sets what an asset is worth.
func (x *exchange) index(asset, price string) {
	x.Helper()
	x.do(&schema.SetIndex{Market: x.markets[asset+"_USDT"], Price: d(price)})
}

// rest puts orders of an account into a book: amounts and prices.
func (x *exchange) rest(account schema.AccountID, market string, side schema.Side, orders ...string) {
	x.Helper()
	for i := 0; i < len(orders); i += 2 {
		x.do(&schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
			Market: x.markets[market], Type: schema.Limit, Side: side, Amount: d(orders[i]), Price: d(orders[i+1]),
		}})
	}
}

// do applies a command that must be accepted.
func (x *exchange) do(c schema.Command) *schema.Outcome {
	x.Helper()
	return x.refused(schema.OK, c)
}

// refused applies a command that must be refused for a reason, and then changes nothing. A machine that is restored from a snapshot does the
// same, and every invariant holds.
func (x *exchange) refused(reason schema.Reason, c schema.Command) *schema.Outcome {
	x.Helper()
	return x.refusedIn(schema.Global, reason, c)
}

func (x *exchange) refusedIn(region schema.Region, reason schema.Reason, c schema.Command) *schema.Outcome {
	x.Helper()
	var before [32]byte
	shadow := x.m
	if !x.alone {
		snapshot := x.m.Snapshot()
		before = x.m.Hash()
		var err error
		if shadow, err = core.Restore(snapshot); err != nil {
			x.Fatalf("before %T: %v", c, err)
		}
	}
	from := schema.Origin{Region: region}
	out := x.m.ApplyFrom(x.at, from, c)
	if got := out.Result.Rejection.Reason; got != reason {
		x.Fatalf("%T %+v: refused with %v, want %v", c, c, got, reason)
	}
	if x.alone {
		return out
	}
	if err := x.m.Verify(); err != nil {
		x.Fatalf("after %T: %v", c, err)
	}
	if reason != schema.OK && (x.m.Hash() != before || out.Events.Len() != 0) {
		x.Errorf("%T was refused, and something changed", c)
	}
	same := shadow.ApplyFrom(x.at, from, c)
	if !reflect.DeepEqual(same.Result, out.Result) || shadow.Hash() != x.m.Hash() {
		x.Errorf("after %T a restored machine is another one: %+v and %+v", c, same.Result, out.Result)
	}
	return out
}

// exchangeOf is what an account wants: it gives an amount, or receives it where that is said.
func exchangeOf(account schema.AccountID, from, to schema.AssetID, amount string, inTo ...bool) schema.Exchange {
	return schema.Exchange{Account: account, From: from, To: to, Amount: d(amount), InTo: len(inTo) != 0}
}

func ask(account schema.AccountID, from, to schema.AssetID, amount string, inTo ...bool) *schema.QuoteConversion {
	return &schema.QuoteConversion{Exchange: exchangeOf(account, from, to, amount, inTo...)}
}

func auto(account schema.AccountID, from, to schema.AssetID, amount string, inTo ...bool) *schema.AutoConvert {
	return &schema.AutoConvert{Exchange: exchangeOf(account, from, to, amount, inTo...)}
}

// quote asks for a quote that must be given, and returns it.
func (x *exchange) quote(c *schema.QuoteConversion) schema.Conversion {
	x.Helper()
	return *x.do(c).Result.Conversion
}

func (x *exchange) confirm(reason schema.Reason, account schema.AccountID, id schema.ConversionID) {
	x.Helper()
	x.refused(reason, &schema.ConfirmConversion{Account: account, Quote: id})
}

// says holds a conversion to what it gives, receives, its rate, and the rates of its path.
func (x *exchange) says(c schema.Conversion, want string) {
	x.Helper()
	got := fmt.Sprintf("%s for %s at %s by", c.Receive, c.Give, c.Rate)
	for _, hop := range c.Path {
		got += fmt.Sprintf(" %d>%d %s", hop.From, hop.To, hop.Rate)
	}
	if got != want {
		x.Errorf("it is %s, want %s", got, want)
	}
}

// has holds a balance to what is available and frozen.
func (x *exchange) has(account schema.AccountID, w schema.Wallet, asset schema.AssetID, want string) {
	x.Helper()
	available, frozen, _ := x.m.Balance(account, w, asset)
	if got := fmt.Sprintf("%s %s", available, frozen); got != want {
		x.Errorf("account %d has %s of asset %d, want %s", account, got, asset, want)
	}
}

// pass lets time pass, and timers run when it has.
func (x *exchange) pass(t schema.Time) {
	x.Helper()
	x.at += t
	x.do(&schema.Tick{})
}
