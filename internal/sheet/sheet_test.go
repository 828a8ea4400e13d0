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
	UnifiedID: 825, DepositMemo: true, PayoutMemo: true, Providers: []string{"SEPA"},
	Networks: []schema.Network{{
		Name: "ERC20", Default: true, CanDeposit: true, CanWithdraw: true, MinDeposit: number("5"), MaxDeposit: number("6"),
		MinWithdraw: number("7"), MaxWithdraw: number("8"), Confirmations: 32, ConfirmationsForTrading: 6,
	}},
}

func TestSettingsSurviveTheSheet(t *testing.T) {
	written := again(t, AssetOf(&asset))
	set, err := written.Command()
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

	account := schema.Account{
		ID: 101, Name: "alice", Region: schema.EU, Blocked: true, Retail: true, RPI: true, Partner: true, Mining: true,
		MakerFee: schema.Some(number("0.05")), TakerFee: schema.Some(fixed.Zero),
	}
	customer := again(t, AccountOf(&account))
	opened, err := customer.Command(101)
	if err != nil || opened.Account != account {
		t.Errorf("an account became %+v, %v", opened, err)
	}

	key := schema.Key{Key: "k", Account: 101, Title: "bot", Sealed: []byte("s"), Enabled: true, URLs: []string{"*"}, Addresses: []string{"10.0.0.1"}}
	credential := again(t, KeyOf(&key))
	if made := credential.Command(101, []byte("s")); !reflect.DeepEqual(made.Key, key) {
		t.Errorf("a key became %+v", made)
	}
}

func TestASheetChangesOnlyWhatItSays(t *testing.T) {
	s := AssetOf(&asset)
	if err := Decode(strings.NewReader(`{"precision":2,"networks":[]}`), &s); err != nil {
		t.Fatal(err)
	}
	set, err := s.Command()
	want := asset
	want.Precision, want.Networks = 2, nil
	if err != nil || !reflect.DeepEqual(set.Asset, want) {
		t.Errorf("got %+v, %v", set, err)
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
	} {
		var s Asset
		err := Decode(strings.NewReader(text), &s)
		if err == nil {
			_, err = s.Command()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v instead of %s", text, err, want)
		}
	}
	for name, err := range map[string]error{
		`a type is spot, futures or tradfiFutures, not "swap"`: second((&Market{Type: "swap"}).Command(listing.New())),
		`market M: a region is global or eu, not "mars"`:       second((&Market{Name: "M", Type: "spot", Regions: []string{"mars"}}).Command(listing.New())),
		`account A: a region is global or eu, not ""`:          second((&Account{Name: "A"}).Command(0)),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v instead of %s", err, name)
		}
	}
}

func second[T any](_ T, err error) error { return err }
