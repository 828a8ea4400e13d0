package sheet

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"bourse/internal/core/listing"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// again reads what a sheet is written as.
func again[T any](t *testing.T, sheet T) T {
	t.Helper()
	text, err := json.Marshal(sheet)
	if err != nil {
		t.Fatal(err)
	}
	var read T
	if err := Decode(strings.NewReader(string(text)), &read); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return read
}

func number(s string) fixed.Decimal { return fixed.MustParse(s) }

var asset = schema.Asset{
	Ticker: "USDT", Name: "Tether", Class: schema.Crypto, Scale: 18, Precision: 6, CanDeposit: true, CanWithdraw: true,
	MinDeposit: number("1"), MaxDeposit: number("2"), MinWithdraw: number("3.5"), MaxWithdraw: number("4"),
	UnifiedID: 825, DepositMemo: true, PayoutMemo: true, Providers: []string{"SEPA"}, NotInEU: true,
	Networks: []schema.Network{{
		Name: "ERC20", Default: true, CanDeposit: true, CanWithdraw: true, MinDeposit: number("5"), MaxDeposit: number("6"),
		MinWithdraw: number("7"), MaxWithdraw: number("8"), Confirmations: 32, ConfirmationsForTrading: 6, Chain: 2,
		DepositFixed: number("0.1"), DepositPercent: number("0.2"), DepositMinFee: number("0.3"), DepositMaxFee: number("0.4"), HeldCap: number("9"),
		WithdrawFixed: number("0.5"), WithdrawPercent: number("0.6"), WithdrawMinFee: number("0.7"), WithdrawMaxFee: number("0.8"),
		ApproveAbove: number("10"), Approve2Above: number("11"), HourCap: number("12"), HotCap: number("13"),
	}, {Name: "SEPA"}},
}

// chains are those that assets come by.
type chains []schema.Chain

func (c chains) Get(id schema.ChainID) *schema.Chain { return &c[id-1] }

func (c chains) ByName(name string) *schema.Chain {
	for i := range c {
		if c[i].Name == name {
			return &c[i]
		}
	}
	return nil
}

var known = chains{
	{ID: 1, Name: "BTC", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest},
	{ID: 2, Name: "ETH", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet, Interval: schema.Second / 8, Paused: true},
	{ID: 3, Name: "TRON", Driver: schema.Sandbox, Family: schema.TRON, Net: schema.Mainnet, Stuck: true},
}

func TestSettingsSurviveTheSheet(t *testing.T) {
	written := again(t, AssetOf(&asset, known))
	set, err := written.Command(known)
	if err != nil || !reflect.DeepEqual(set.Asset, asset) {
		t.Errorf("an asset became %+v, %v", set, err)
	}

	l, out := listing.New(), &schema.Outcome{}
	for _, ticker := range []string{"BTC", "USDT_PERP"} {
		l.SetAsset(schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 18}, out)
	}
	market := schema.MarketInfo{
		Name: "BTC_USDT_PERP", Base: 1, Quote: 2, Type: schema.Spot, TickSize: number("0.5"), StepSize: number("0.005"),
		StockPrec: 6, MoneyPrec: 2, FeePrec: 8, MinAmount: number("0.005"), MinTotal: number("5"), MaxTotal: number("1000"),
		MakerFee: number("-0.01"), TakerFee: number("0.1"), RPIPremium: schema.Some(number("0.02")), TakerBand: number("5"),
		Enabled: true, Regions: schema.In(schema.EU), OpensAt: 1_800_000_000 * schema.Second,
	}
	sheet := again(t, MarketOf(&market))
	listed, err := sheet.Command(l)
	if err != nil || listed.Market != market {
		t.Errorf("a market became %+v, %v", listed, err)
	}

	for _, account := range []schema.Account{{
		ID: 101, Name: "alice", Region: schema.EU, Blocked: true, Retail: true, RPI: true, Partner: true, Mining: true, TradFi: true,
		MakerFee: schema.Some(number("0.05")), TakerFee: schema.Some(fixed.Zero), MaxLeverage: 20,
		Tier: 9, Verified: true, RestrictedUntil: 1_790_000_000*schema.Second + 1, NewAddresses: true, Checker: true, CreditLine: true, Invoices: true,
	}, {ID: 101, Name: "bob", Region: schema.Global}} {
		customer := again(t, AccountOf(&account))
		opened, err := customer.Command(101)
		if err != nil || opened.Account != account {
			t.Errorf("an account became %+v, %v", opened, err)
		}
	}

	tier := schema.Tier{Number: 9, Day: number("0.00000001"), Month: number("2000")}
	bounds := again(t, TierOf(&tier))
	if set := bounds.Command(); set.Tier != tier {
		t.Errorf("a tier became %+v", set)
	}

	for _, plan := range []schema.Plan{{
		Name: "ten-days", Kind: schema.FixedPlan, Asset: 1, Payout: 2, Percent: number("1.5"), Minutes: 14400, Ratio: number("0.00001"), Min: number("1"), Max: number("2"), Cap: number("3"),
		Status: schema.PlanSoldOut, Regions: schema.In(schema.EU), Private: true,
	}, {Name: "daily", Kind: schema.FlexPlan, Asset: 2, Payout: 2, Rate: number("0.05"), Min: number("1"), Status: schema.PlanPaused}} {
		offered := again(t, PlanOf(&plan, func(id schema.AssetID) string { return l.Asset(id).Ticker }))
		set, err := offered.Command(0, l)
		if err != nil || set.Plan != plan {
			t.Errorf("a plan became %+v, %v", set, err)
		}
	}

	key := schema.Key{Key: "k", Account: 101, Title: "bot", Sealed: []byte("s"), Enabled: true, URLs: []string{"*"}, Addresses: []string{"10.0.0.1"}}
	credential := again(t, KeyOf(&key))
	if made := credential.Command(101, []byte("s")); !reflect.DeepEqual(made.Key, key) {
		t.Errorf("a key became %+v", made)
	}

	for _, chain := range known {
		named := again(t, ChainOf(&chain))
		chain.ID = 0 // the core's
		if set, err := named.Command(); err != nil || set.Chain != chain {
			t.Errorf("a chain became %+v, %v", set, err)
		}
	}
}

// perpetual is a future with terms that are nobody's default.
func perpetual() schema.MarketInfo {
	return schema.MarketInfo{
		Name: "BTC_PERP", Base: 1, Quote: 2, Type: schema.Futures, StockPrec: 3, MoneyPrec: 2,
		Margin: schema.Margin{
			MaxLeverage: 50, Bracket100: number("1"), Bracket50: number("2"), Bracket20: number("3"), MaxPosition: number("4"), MaxPending: number("5"),
			MaxOpenInterest: number("6"), PriceBand: number("7"), MarkBand: number("0"), ImpactNotional: number("9"), FundingMinutes: 11,
			FundingCap: number("0"), FundingFloor: number("-0.5"), LiquidationFee: number("0"), LiquidationBand: number("12"),
		},
	}
}

func tickers(t *testing.T) *listing.Listing {
	t.Helper()
	l, out := listing.New(), &schema.Outcome{}
	for _, ticker := range []string{"BTC", "USDT", "AAPL", "USD"} {
		if r := l.SetAsset(schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 18}, out); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	return l
}

func TestFuturesSurviveTheSheet(t *testing.T) {
	market := perpetual()
	sheet := again(t, MarketOf(&market))
	if listed, err := sheet.Command(tickers(t)); err != nil || listed.Market != market {
		t.Errorf("a future became %+v, %v", listed, err)
	}
	market.Name, market.Type, market.Base, market.Quote = "AAPL_USD", schema.TradFiFutures, 3, 4
	sheet = again(t, MarketOf(&market))
	if listed, err := sheet.Command(tickers(t)); err != nil || listed.Market != market {
		t.Errorf("a TradFi future became %+v, %v", listed, err)
	}
	set := schema.SetCollateral{Asset: 1, Weight: number("0.95"), Rate: number("0.1"), PoolCap: number("2"), AccountCap: number("3"), IndexMaxAge: 7 * schema.Second}
	collateral := again(t, CollateralOf("BTC", &set))
	if c, err := collateral.Command(tickers(t)); err != nil || *c != set {
		t.Errorf("collateral became %+v, %v", c, err)
	}
}

// TestPoolsSurviveTheSheet: what is set comes back, what is left out is the default, and so is all where nothing was set.
func TestPoolsSurviveTheSheet(t *testing.T) {
	names := func(id schema.AssetID) string { return map[schema.AssetID]string{1: "BTC", 2: "USDT"}[id] }
	set := schema.PoolTerms{Open: true, Asset: 2, Chain: 1, Unit: 32, Fee: number("0.1"), Least: number("5"), Accounts: 6, Links: 7}
	s := again(t, PoolOf(set, names, known))
	if c, err := s.Command(tickers(t), known); err != nil || c.Terms != set {
		t.Errorf("%+v is %+v, %v", s, c, err)
	}
	want := schema.PoolTerms{Asset: 1, Fee: number("0.04"), Least: number("0.001"), Accounts: 10, Links: 3}
	var said Pool
	if c, err := said.Command(tickers(t), known); err != nil || c.Terms != want {
		t.Errorf("nothing is %+v, %v", c, err)
	}
	never := again(t, PoolOf(schema.PoolTerms{}, names, known))
	if c, err := never.Command(tickers(t), known); err != nil || c.Terms != want {
		t.Errorf("what was never set is %+v, %v", c, err)
	}
}

// TestConversionsSurviveTheSheet: what is set comes back, what is left out is the default, and so is all where nothing was set.
func TestConversionsSurviveTheSheet(t *testing.T) {
	names := func(id schema.AssetID) string { return map[schema.AssetID]string{1: "BTC", 2: "USDT"}[id] }
	set := schema.SetConversion{On: true, Spread: number("0.1"), Hubs: []schema.AssetID{2, 1}, OpenMost: number("5"), DayMost: number("6"), LossMost: number("7")}
	s := again(t, ConversionOf(set, names))
	if c, err := s.Command(tickers(t)); err != nil || !reflect.DeepEqual(*c, set) {
		t.Errorf("what is set became %+v, %v", c, err)
	}
	want := schema.SetConversion{On: true, Spread: number("0.002"), Hubs: []schema.AssetID{1}, OpenMost: number("100000"), DayMost: number("1000000"), LossMost: number("10000")}
	var said Conversion
	if err := Decode(strings.NewReader(`{"on":true,"hubs":["BTC"],"spread":null}`), &said); err != nil {
		t.Fatal(err)
	}
	if c, err := said.Command(tickers(t)); err != nil || !reflect.DeepEqual(*c, want) {
		t.Errorf("the defaults are %+v, %v", c, err)
	}
	want.On, want.Hubs = false, nil
	never := ConversionOf(schema.SetConversion{}, names)
	if c, err := never.Command(tickers(t)); err != nil || !reflect.DeepEqual(*c, want) {
		t.Errorf("where nothing was set there is %+v, %v", c, err)
	}
}

// TestWhatIsLeftOutIsTheDefault: of futures and of collateral; a spot market has no terms at all.
func TestWhatIsLeftOutIsTheDefault(t *testing.T) {
	command := func(text string) schema.Margin {
		t.Helper()
		var s Market
		if err := Decode(strings.NewReader(text), &s); err != nil {
			t.Fatal(err)
		}
		c, err := s.Command(tickers(t))
		if err != nil || c.Market.Base != 1 || c.Market.Quote != 2 {
			t.Fatalf("%+v, %v", c, err)
		}
		return c.Market.Margin
	}
	want := schema.Margin{
		MaxLeverage: 100, PriceBand: number("10"), MarkBand: number("0.5"), ImpactNotional: number("10000"), FundingMinutes: 480,
		FundingCap: number("0.0003"), FundingFloor: number("-0.0003"), LiquidationFee: number("0.2"), LiquidationBand: number("2"),
	}
	if got := command(`{"name":"BTC_PERP","type":"futures"}`); got != want {
		t.Errorf("a future has %+v", got)
	}
	stock := Market{Name: "AAPL_USD", Type: "tradfiFutures"}
	if c, err := stock.Command(tickers(t)); err != nil || c.Market.Margin != want || c.Market.Base != 3 || c.Market.Quote != 4 {
		t.Errorf("a TradFi future is %+v, %v", c, err)
	}
	want.MaxLeverage, want.MarkBand, want.Bracket50 = 20, fixed.Zero, number("5")
	if got := command(`{"name":"BTC_PERP","type":"futures","max_leverage":20,"mark_band":"0","bracket_50":"5","funding_cap":null}`); got != want {
		t.Errorf("a future has %+v", got)
	}
	if got := command(`{"name":"BTC_USDT","type":"spot"}`); got != (schema.Margin{}) {
		t.Errorf("a spot market has %+v", got)
	}
	if got := command(`{"name":"BTC_USDT","type":"spot","mark_band":"1"}`); got != (schema.Margin{MarkBand: fixed.One}) {
		t.Errorf("a spot market that wants terms has %+v", got)
	}
	var s Collateral
	if err := Decode(strings.NewReader(`{"asset":"BTC","weight":"0.5"}`), &s); err != nil {
		t.Fatal(err)
	}
	c, err := s.Command(tickers(t))
	if want := (schema.SetCollateral{Asset: 1, Weight: number("0.5"), Rate: number("0.000024375"), IndexMaxAge: 30 * schema.Second}); err != nil || *c != want {
		t.Errorf("collateral is %+v, %v", c, err)
	}
}

func TestASheetChangesOnlyWhatItSays(t *testing.T) {
	s := AssetOf(&asset, known)
	if err := Decode(strings.NewReader(`{"precision":2,"networks":[]}`), &s); err != nil {
		t.Fatal(err)
	}
	set, err := s.Command(known)
	want := asset
	want.Precision, want.Networks = 2, nil
	if err != nil || !reflect.DeepEqual(set.Asset, want) {
		t.Errorf("got %+v, %v", set, err)
	}
}

// TestARestrictionIsATimeOrNone: null takes it away, and what no calendar has is refused.
func TestARestrictionIsATimeOrNone(t *testing.T) {
	const noon = 1_790_000_000 * schema.Second
	for text, want := range map[string]schema.Time{
		`{}`:                        noon,
		`{"restricted_until":null}`: 0,
		`{"restricted_until":"2026-12-24T12:00:00.5+01:00"}`: 1_798_110_000*schema.Second + schema.Second/2,
		`{"restricted_until":"1970-01-01T00:00:00.000001Z"}`: 1,
		`{"restricted_until":"9999-12-31T23:59:59Z"}`:        LastSecond * schema.Second,
	} {
		s := AccountOf(&schema.Account{Name: "alice", Region: schema.Global, RestrictedUntil: noon})
		if err := Decode(strings.NewReader(text), &s); err != nil {
			t.Fatal(err)
		}
		if c, err := s.Command(101); err != nil || c.Account.RestrictedUntil != want {
			t.Errorf("%s: %v, %v instead of %v", text, c.Account.RestrictedUntil, err, want)
		}
	}
	for text, want := range map[string]string{
		`1790000000`:                  `"restricted_until" should be a time in quotes, such as "2026-12-24T12:00:00Z", not number`,
		`"1970-01-01T00:00:00Z"`:      `"1970-01-01T00:00:00Z" is not a time after 1970 and before the year 10000, such as "2026-12-24T12:00:00Z"`,
		`"9999-12-31T23:59:59-01:00"`: `"9999-12-31T23:59:59-01:00" is not a time after 1970 and before the year 10000, such as "2026-12-24T12:00:00Z"`,
		`"tomorrow"`:                  `"tomorrow" is not a time after 1970 and before the year 10000, such as "2026-12-24T12:00:00Z"`,
	} {
		var s Account
		if err := Decode(strings.NewReader(`{"restricted_until":`+text+`}`), &s); err == nil || err.Error() != want {
			t.Errorf("%s: %v instead of %s", text, err, want)
		}
	}
}

func TestWhatCannotBeUnderstoodIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"tickr":"X"}`:          `unknown field "tickr"`,
		`{"ticker":5}`:           `"ticker" should be a text in quotes, not number`,
		`{"scale":"1"}`:          `"scale" should be a whole number within bounds, not string`,
		`{"scale":300}`:          `"scale" should be a whole number within bounds, not number 300`,
		`{"min_deposit":1}`:      `"min_deposit" should be a number in quotes, such as "0.1", not number`,
		`{"min_deposit":"x"}`:    `"x" is not a number`,
		`{"can_deposit":"true"}`: `"can_deposit" should be true or false, not string`,
		`{"providers":"SEPA"}`:   `"providers" should be a list, not string`,
		`{"networks":["x"]}`:     `"networks" should be a JSON object, not string`,
		`{} {}`:                  "something follows",
		`{"ticker":`:             "ends in the middle",
		``:                       "there is nothing",
		`[]`:                     "a JSON object is wanted, not array",
		`{"class":"gold"}`:       `a class is crypto, fiat or payment method, not "gold"`,
		`{"ticker":"T","class":"crypto","networks":[{"name":"N","chain":"eth"}]}`: `asset T: network N: there is no chain "eth"`,
	} {
		var s Asset
		err := Decode(strings.NewReader(text), &s)
		if err == nil {
			_, err = s.Command(known)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v instead of %s", text, err, want)
		}
	}
	for name, err := range map[string]error{
		`a type is spot, futures or tradfiFutures, not "swap"`:                        second((&Market{Type: "swap"}).Command(listing.New())),
		`market M: a region is global or eu, not "mars"`:                              second((&Market{Name: "M", Type: "spot", Regions: []string{"mars"}}).Command(listing.New())),
		`account A: a region is global or eu, not ""`:                                 second((&Account{Name: "A"}).Command(0)),
		`chain C: a driver is sandbox, bitcoin, evm or provider, not ""`:              second((&Chain{Name: "C"}).Command()),
		`chain C: an evm chain has a number, its chain id, such as 1`:                 second((&Chain{Name: "C", Driver: "evm", Family: "evm", Net: "mainnet"}).Command()),
		`chain C: a family is bitcoin, evm, tron, xrp, solana or ton, not "btc"`:      second((&Chain{Name: "C", Driver: "sandbox", Family: "btc"}).Command()),
		`chain C: a net is mainnet, testnet, signet, regtest or simnet, not ""`:       second((&Chain{Name: "C", Driver: "sandbox", Family: "evm"}).Command()),
		`chain C: the interval is in seconds, with at most 6 decimals, not 0.0000001`: second((&Chain{Name: "C", Driver: "sandbox", Family: "evm", Net: "testnet", Interval: Number{number("0.0000001")}}).Command()),
		`a risk is low, medium or high, not "none"`:                                   second(ParseRisk("none")),
		`collateral ETH: there is no such asset`:                                      second((&Collateral{Asset: "ETH"}).Command(tickers(t))),
		`pool: there is no asset "GOLD"`:                                              second((&Pool{Asset: "GOLD"}).Command(tickers(t), known)),
		`pool: there is no chain "GOLD"`:                                              second((&Pool{Chain: "GOLD"}).Command(tickers(t), known)),
		`conversion: there is no asset "GOLD" for a hub`:                              second((&Conversion{Hubs: []string{"GOLD"}}).Command(tickers(t))),
		`index_max_age is 1 to 3600 seconds, not 0`:                                   second((&Collateral{Asset: "BTC", IndexMaxAge: new(int64)}).Command(tickers(t))),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v instead of %s", err, name)
		}
	}
}

func second[T any](_ T, err error) error { return err }
