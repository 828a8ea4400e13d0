package core

import (
	"bytes"
	"fmt"
	"testing"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

const (
	convertUSDT schema.AssetID = 1
	convertBTC  schema.AssetID = 2
)

// converting is an exchange where trader 102 has a book of bitcoins for USDT, and 101 and 103 convert.
func converting(t testing.TB) *Machine {
	t.Helper()
	m := NewExchange()
	for _, ticker := range []string{"USDT", "BTC"} {
		apply(t, m, start, &schema.SetAsset{Asset: schema.Asset{
			Ticker: ticker, Class: schema.Crypto, Scale: 18, Precision: 8, CanDeposit: true, CanWithdraw: true,
		}})
	}
	apply(t, m, start,
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "BTC_USDT", Base: convertBTC, Quote: convertUSDT, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8, Enabled: true,
		}},
		&schema.SetCollateral{Asset: convertBTC, IndexMaxAge: 3600 * schema.Second},
		&schema.SetConversion{On: true, Spread: d("0.002"), Hubs: []schema.AssetID{1}, OpenMost: d("100000000"), DayMost: d("100000000"), LossMost: d("100000000")},
		&schema.SetIndex{Market: 1, Price: d("49999")}, &schema.SetIndex{Market: 1, Price: d("50000")},
	)
	for i := range 3 {
		apply(t, m, start, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", i), Region: schema.Global}})
		for asset := convertUSDT; asset <= convertBTC; asset++ {
			account := schema.FirstCustomer + schema.AccountID(i)
			apply(t, m, start, &schema.Deposit{Account: account, Asset: asset, Amount: d("100000000")},
				&schema.Transfer{Account: account, Asset: asset, Amount: d("100000000"), From: schema.Main, To: schema.Trade},
				&schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: d("1000000000")})
		}
	}
	apply(t, m, start, limit(102, 1, schema.Buy, "1000", "49990"), limit(102, 1, schema.Sell, "1000", "50010"))
	return m
}

func exchanged(account schema.AccountID, from, to schema.AssetID, amount string) schema.Exchange {
	return schema.Exchange{Account: account, From: from, To: to, Amount: d(amount)}
}

// TestUnusedConversionsAreInNoSnapshot: what nobody set leaves none, and what is refused neither.
func TestUnusedConversionsAreInNoSnapshot(t *testing.T) {
	m := lively(t)
	before := m.Snapshot()
	for _, c := range []schema.Command{
		&schema.QuoteConversion{Exchange: exchanged(101, 1, 2, "1")}, &schema.AutoConvert{Exchange: exchanged(101, 1, 2, "1")}, &schema.ConfirmConversion{Account: 101, Quote: 1},
	} {
		if r := m.Apply(m.Time(), c).Result.Rejection; r.Reason != schema.ConversionsOff {
			t.Errorf("%T: %v", c, r.Reason)
		}
	}
	if !bytes.Equal(m.Snapshot(), before) {
		t.Error("there is another snapshot")
	}
}

// converted is an exchange with a quote that is open, one that was confirmed, one that ended, records, sums, a result and moves.
func converted(t testing.TB) *Machine {
	m := converting(t)
	sell := exchanged(101, convertBTC, convertUSDT, "0.5")
	apply(t, m, start,
		&schema.QuoteConversion{Exchange: sell}, &schema.ConfirmConversion{Account: 101, Quote: 1}, &schema.QuoteConversion{Exchange: sell},
		&schema.QuoteConversion{Exchange: sell}, &schema.QuoteConversion{Exchange: exchanged(103, convertUSDT, convertBTC, "100")},
		&schema.AutoConvert{Exchange: sell, Key: schema.Digest{1}}, &schema.AutoConvert{Exchange: exchanged(103, convertUSDT, convertBTC, "100"), Key: schema.Digest{2}},
	)
	apply(t, m, start+3*schema.Second, &schema.SetIndex{Market: 1, Price: d("50001")})
	return m
}

// TestWrongConversionsUnderARightChecksum: each byte of what snapshots keep of conversions is changed, and nothing may be taken that is not sound.
func TestWrongConversionsUnderARightChecksum(t *testing.T) {
	m := converted(t)
	body := unseal(m.Snapshot())
	w := &product.Writer{}
	for _, s := range m.conversions.Sections() {
		w.Section(&s)
	}
	from := bytes.Index(body, w.Bytes)
	if from < 0 || len(w.Bytes) < 500 {
		t.Fatalf("%d bytes are kept of conversions, at %d", len(w.Bytes), from)
	}
	for i := from; i < from+len(w.Bytes); i++ {
		old := body[i]
		for _, value := range []byte{old ^ 0x01, old ^ 0x80, old + 2} {
			body[i] = value
			if err := sound(seal(body)); err != nil {
				t.Fatalf("byte %d of %d from %#x to %#x: %v", i-from, len(w.Bytes), old, value, err)
			}
		}
		body[i] = old
	}
}

// TestAllAccountsHaveSoManyKeys: known ones are answered still.
func TestAllAccountsHaveSoManyKeys(t *testing.T) {
	m := converting(t)
	m.conversions.MostKeys = 2
	key := func(account schema.AccountID, n byte) *schema.AutoConvert {
		return &schema.AutoConvert{Exchange: exchanged(account, convertBTC, convertUSDT, "0.001"), Key: schema.Digest{n}}
	}
	apply(t, m, start, key(101, 1), key(103, 2), key(101, 1))
	if r := m.Apply(start, key(103, 3)).Result.Rejection; r.Reason != schema.ConversionKeysTooMany {
		t.Errorf("a third key: %v", r.Reason)
	}
	apply(t, m, start, &schema.AutoConvert{Exchange: exchanged(103, convertBTC, convertUSDT, "0.001")})
}
