package express

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/tier"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	coin   schema.AssetID = 1
	dollar schema.AssetID = 2
	euro   schema.AssetID = 3
	lone   schema.AssetID = 4 // has no price
	shop                  = schema.FirstCustomer
	stall                 = shop + 1
	ben                   = shop + 2
)

// exchange is tokens of two partners, shop and stall, and ben, who has 200 coins. A coin is worth 100 dollars by its index and its last price.
type exchange struct {
	*Tokens
	t           *testing.T
	handlers    product.Handlers
	index, last fixed.Decimal
}

func open(t *testing.T) *exchange {
	t.Helper()
	out, whole := &schema.Outcome{}, true
	l, listed, a := ledger.New(&out.Events), listing.New(), accounts.New()
	listed.Out, a.Out = out, out
	listed.MarketChanged = func(schema.MarketID) {}
	x := &exchange{t: t, index: fixed.FromInt(100), last: fixed.FromInt(100)}
	w := &wallet.Wallets{
		Ledger: l, Listing: listed, Accounts: a, Out: out, WholeAccount: &whole,
		Index: func(schema.MarketID) (index, last fixed.Decimal) { return x.index, x.last },
	}
	tiers := tier.New(a, w, out)
	x.Tokens = New(l, listed, a, w, tiers, out)
	for _, p := range []product.Product{listed, a, w, tiers, x.Tokens} {
		p.Commands(&x.handlers)
	}
	x.do(0, asset("BTC"), schema.OK)
	x.do(0, asset("USDT"), schema.OK)
	x.do(0, asset("EUR", func(a *schema.Asset) { a.Class = schema.Fiat }), schema.OK)
	x.do(0, asset("OLD"), schema.OK)
	x.do(0, &schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USDT", Base: coin, Quote: dollar, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8,
	}}, schema.OK)
	for _, name := range []string{"shop", "stall", "ben"} {
		x.do(0, &schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global, Partner: name != "ben"}}, schema.OK)
	}
	x.do(0, &schema.Deposit{Account: ben, Asset: coin, Amount: fixed.FromInt(200)}, schema.OK)
	return x
}

func asset(ticker string, change ...func(*schema.Asset)) *schema.SetAsset {
	a := schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 4, CanWithdraw: true}
	for _, edit := range change {
		edit(&a)
	}
	return &schema.SetAsset{Asset: a}
}

// do applies a command at a moment, says why it was refused and verifies. What is refused changes nothing.
func (x *exchange) do(at schema.Time, c schema.Command, want schema.Reason) schema.Rejection {
	x.t.Helper()
	before := written(x.Tokens)
	x.out.Reset(at)
	r := x.handlers[c.Kind()](c)
	if r.Reason != want {
		x.t.Errorf("%T %+v: %v, want %v", c, c, r.Reason, want)
	}
	if r.Refused() && string(before) != string(written(x.Tokens)) {
		x.t.Errorf("%T was refused and changed something", c)
	}
	if err := x.Verify(); err != nil {
		x.t.Error(err)
	}
	return r
}

func (x *exchange) tick(at schema.Time, kept int) {
	x.t.Helper()
	x.out.Reset(at)
	x.Tick()
	if n := len(x.byDigest); n != kept {
		x.t.Errorf("%d tokens are kept, want %d", n, kept)
	}
	if err := x.Verify(); err != nil {
		x.t.Error(err)
	}
}

// has holds a main wallet to an amount of coins.
func (x *exchange) has(account schema.AccountID, want string) {
	x.t.Helper()
	if got := x.ledger.Available(x.ledger.Find(account, schema.Main, coin)); got != fixed.MustParse(want) {
		x.t.Errorf("account %d has %s, want %s", account, got, want)
	}
}

// is holds the result to a token.
func (x *exchange) is(external, amount string, expires schema.Time, sealed byte) {
	x.t.Helper()
	e := x.out.Result.Express
	if e == nil {
		x.t.Fatal("the result has no token")
	}
	if e.Account != shop || e.External != external || e.Amount != fixed.MustParse(amount) || e.Expires != expires || string(e.Sealed) != string([]byte{sealed}) {
		x.t.Errorf("the token is %+v", e)
	}
	if n := x.out.Events.Len(); n != 0 {
		x.t.Errorf("%d events", n)
	}
}

func digest(n byte) schema.Digest { return schema.Digest{n, 31: 1} }

func ask(n byte, external, amount string, edits ...func(*schema.RequestExpress)) *schema.RequestExpress {
	c := &schema.RequestExpress{Account: shop, Asset: coin, Amount: fixed.MustParse(amount), External: external, Digest: digest(n), Sealed: []byte{n}}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func pay(account schema.AccountID, n byte) *schema.PayExpress {
	return &schema.PayExpress{Account: account, Digest: digest(n)}
}

func partner(account schema.AccountID) func(*schema.RequestExpress) {
	return func(c *schema.RequestExpress) { c.Account = account }
}

func written(t *Tokens) []byte {
	w := &product.Writer{}
	for _, s := range t.Sections() {
		w.Section(&s)
	}
	return w.Bytes
}

// TestATokenIsPaidOnce: its reference is paid for ever, for its partner.
func TestATokenIsPaidOnce(t *testing.T) {
	x := open(t)
	x.do(5, ask(1, "rent", "2.5"), schema.OK)
	x.is("rent", "2.5", 5+life, 1)
	x.do(6, pay(shop, 1), schema.ExpressOwn)
	x.do(6, pay(ben, 2), schema.ExpressUnknown)
	x.do(6, pay(999, 1), schema.AccountUnknown)
	for name, other := range map[string]*schema.PayExpress{
		"partner": {Account: ben, Digest: digest(1), Partner: stall, Asset: coin, Amount: fixed.MustParse("2.5")},
		"asset":   {Account: ben, Digest: digest(1), Partner: shop, Asset: dollar, Amount: fixed.MustParse("2.5")},
		"amount":  {Account: ben, Digest: digest(1), Partner: shop, Asset: coin, Amount: fixed.MustParse("2.4")},
		"no more": {Account: ben, Digest: digest(1), Partner: shop},
	} {
		t.Log("another ", name)
		x.do(6, other, schema.ExpressUnknown)
	}
	x.do(4+life, &schema.PayExpress{Account: ben, Digest: digest(1), Partner: shop, Asset: coin, Amount: fixed.MustParse("2.5")}, schema.OK)
	if x.out.Result.Express != nil {
		t.Error("a token waits that was paid")
	}
	for e := range x.out.Events.All() {
		if e := e.(*schema.BalanceChanged); e.Cause != schema.ByWithdrawal {
			t.Errorf("money moved by %s", e.Cause)
		}
	}
	x.has(ben, "197.5")
	x.has(shop, "2.5")
	x.do(4+life, pay(ben, 1), schema.ExpressUnknown)
	x.do(9+life, ask(2, "rent", "2.5"), schema.ExpressPaid)
	x.do(9+life, ask(2, "rent", "2.5", partner(stall)), schema.OK)
	x.do(9+life, ask(1, "rent 2", "2.5"), schema.OK) // the digest is free
	x.tick(9+2*life, 0)
	x.do(10+2*life, ask(3, "rent", "1"), schema.ExpressPaid)
}

// TestAReferenceHasOneToken while that can be paid; a request for the same is answered with it.
func TestAReferenceHasOneToken(t *testing.T) {
	x := open(t)
	x.do(5, ask(1, "rent", "2.5"), schema.OK)
	before := written(x.Tokens)
	x.do(7, ask(2, "rent", "2.5"), schema.OK)
	x.is("rent", "2.5", 5+life, 1)
	if string(before) != string(written(x.Tokens)) {
		t.Error("the same request changed something")
	}
	x.do(7, ask(2, "rent", "2.6"), schema.ExpressPending)
	x.do(7, ask(2, "rent", "2.5", func(c *schema.RequestExpress) { c.Asset = dollar }), schema.ExpressPending)
	x.do(7, ask(2, "rent", "2.6", partner(stall)), schema.OK)
	x.do(4+life, ask(3, "rent", "2.6"), schema.ExpressPending)
	x.do(5+life, ask(3, "rent", "2.6"), schema.OK) // the first has expired, and no tick came
	x.is("rent", "2.6", 5+2*life, 3)
	x.do(5+life, pay(ben, 1), schema.ExpressUnknown)
	if list := x.Live(shop, 5+life); len(list) != 1 || list[0].Amount != fixed.MustParse("2.6") {
		t.Errorf("%+v waits", list)
	}
}

// TestTokensExpire: at once for those who pay and ask, and are forgotten by ticks, a thousand at a time.
func TestTokensExpire(t *testing.T) {
	x := open(t)
	x.do(5, ask(1, "a", "1"), schema.OK)
	x.do(5, ask(2, "b", "1", partner(stall)), schema.OK)
	x.do(6, ask(3, "c", "1"), schema.OK)
	if at, running := x.NextTimer(); !running || at != 5+life {
		t.Errorf("the timer is at %d", at)
	}
	x.do(5+life, pay(ben, 1), schema.ExpressUnknown)
	if list := x.Live(shop, 4+life); len(list) != 2 || list[0].External != "a" || list[1].External != "c" {
		t.Errorf("%+v waits", list)
	}
	if list := x.Live(shop, 5+life); len(list) != 1 || list[0].External != "c" {
		t.Errorf("%+v waits", list)
	}
	x.do(5+life, ask(2, "d", "1"), schema.OK) // in place of the digest of another partner that expired
	x.tick(5+life, 2)
	if at, running := x.NextTimer(); !running || at != 6+life {
		t.Errorf("the timer is at %d", at)
	}
	x.tick(5+2*life, 0)
	if _, running := x.NextTimer(); running {
		t.Error("a timer runs for nothing")
	}
	for n := range slice + 1 {
		c := ask(0, fmt.Sprint(n), "1", partner(shop+schema.AccountID(n%2)))
		c.Digest = schema.Digest{byte(n), byte(n >> 8), 1}
		x.out.Reset(6 + 2*life)
		if r := x.request(c); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	x.tick(6+3*life, 1)
	if at, running := x.NextTimer(); !running || at != 6+3*life {
		t.Errorf("the timer is at %d", at)
	}
	x.tick(6+3*life, 0)
}

// TestAPartnerHasSoManyTokens: a thousand that can be paid; what expired does not count.
func TestAPartnerHasSoManyTokens(t *testing.T) {
	x := open(t)
	for n := range mostLive {
		c := ask(0, fmt.Sprint(n), "1")
		c.Digest = schema.Digest{byte(n), byte(n >> 8), 1}
		x.out.Reset(schema.Time(1 + n/999)) // the last comes later
		if r := x.request(c); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	if r := x.do(2, ask(1, "more", "1"), schema.ExpressTooMany); r.Value != fixed.FromInt(1000) {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(2, ask(1, "more", "1", partner(stall)), schema.OK)
	x.do(3, &schema.PayExpress{Account: ben, Digest: schema.Digest{7, 0, 1}}, schema.OK)
	x.do(3, ask(2, "more", "1"), schema.OK)
	x.do(life, ask(3, "most", "1"), schema.ExpressTooMany)
	x.do(1+life, ask(3, "most", "1"), schema.OK)
	if n := len(x.of[shop]); n != 3 {
		t.Errorf("%d are kept", n)
	}
}

func TestWhatCannotBeAsked(t *testing.T) {
	x := open(t)
	x.do(0, ask(1, "a", "1", partner(999)), schema.AccountUnknown)
	x.do(0, ask(1, "a", "1", partner(ben)), schema.ExpressUnavailable)
	x.do(0, ask(1, "a", "1", func(c *schema.RequestExpress) { c.Asset = 9 }), schema.AssetUnknown)
	x.do(0, ask(1, "a", "1", func(c *schema.RequestExpress) { c.Asset = euro }), schema.ExpressDisabled)
	x.do(0, asset("BTC", func(a *schema.Asset) { a.CanWithdraw = false }), schema.OK)
	x.do(0, ask(1, "a", "1"), schema.ExpressDisabled)
	x.do(0, asset("BTC"), schema.OK)
	x.do(0, ask(1, "a", "0"), schema.MoveNotPositive)
	x.do(0, ask(1, "a", "0.00001"), schema.MoveTooPrecise)
	x.do(0, ask(1, "", "1"), schema.ExpressInvalid)
	x.do(0, ask(1, strings.Repeat("x", schema.MaxExternal+1), "1"), schema.ExpressInvalid)
	x.do(0, ask(1, "a", "1", func(c *schema.RequestExpress) { c.Digest = schema.Digest{} }), schema.ExpressInvalid)
	x.do(0, ask(1, "a", "1", func(c *schema.RequestExpress) { c.Sealed = nil }), schema.ExpressInvalid)
	x.do(0, ask(1, "a", "1", func(c *schema.RequestExpress) { c.Sealed = make([]byte, schema.MaxSealedCode+1) }), schema.ExpressInvalid)
	x.do(0, ask(1, strings.Repeat("x", schema.MaxExternal), "1", func(c *schema.RequestExpress) { c.Sealed = make([]byte, schema.MaxSealedCode) }), schema.OK)
	x.do(0, ask(1, "a", "1"), schema.ExpressInvalid) // a digest that is there
	x.do(0, ask(1, "a", "1", partner(stall)), schema.ExpressInvalid)
	x.do(0, &schema.SetAccount{Account: schema.Account{ID: shop, Name: "shop", Region: schema.Global, Partner: true, Blocked: true}}, schema.OK)
	x.do(0, ask(2, "a", "1"), schema.AccountBlocked)
}

// TestThereIsACap of the value at the higher of index and last price, when it is asked for and when it is paid.
func TestThereIsACap(t *testing.T) {
	x := open(t)
	x.do(1, ask(1, "a", "100"), schema.OK)
	if r := x.do(1, ask(2, "b", "100.0001"), schema.ExpressAboveCap); r.Value != fixed.FromInt(10_000) {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(1, ask(2, "b", "10000", func(c *schema.RequestExpress) { c.Asset = dollar }), schema.OK)
	x.do(1, ask(3, "c", "10000.0001", func(c *schema.RequestExpress) { c.Asset = dollar }), schema.ExpressAboveCap)
	x.do(1, ask(3, "c", "1", func(c *schema.RequestExpress) { c.Asset = lone }), schema.RateUnknown)
	x.last = fixed.MustParse("100.000000000001") // the value is rounded up
	x.do(2, ask(3, "c", "100"), schema.ExpressAboveCap)
	x.do(2, pay(ben, 1), schema.ExpressAboveCap)
	x.index, x.last = fixed.MustParse("100.01"), fixed.FromInt(1)
	x.do(2, pay(ben, 1), schema.ExpressAboveCap)
	x.index = fixed.Zero
	x.do(2, ask(3, "c", "10000"), schema.OK)
	x.last = fixed.Zero
	x.do(2, pay(ben, 1), schema.RateUnknown)
	x.last = fixed.Max
	x.do(2, pay(ben, 1), schema.ExpressAboveCap)
	x.last = fixed.FromInt(100)
	x.do(2, pay(ben, 1), schema.OK)
	x.has(shop, "100")
}

// TestWhatCannotBePaid: by what may not leave the payer, and to a blocked partner.
func TestWhatCannotBePaid(t *testing.T) {
	x := open(t)
	x.do(1, ask(1, "a", "50"), schema.OK)
	if r := x.do(1, pay(stall, 1), schema.WithdrawNotCovered); !r.Value.IsZero() {
		t.Errorf("the refusal says %s", r.Value)
	}
	x.do(1, &schema.Deposit{Account: stall, Asset: coin, Amount: fixed.FromInt(50), Held: true}, schema.OK)
	x.do(1, pay(stall, 1), schema.MoveHeld)
	block := func(account schema.AccountID, name string, blocked bool) {
		x.do(1, &schema.SetAccount{Account: schema.Account{ID: account, Name: name, Region: schema.Global, Blocked: blocked}}, schema.OK)
	}
	block(shop, "shop", true)
	x.do(1, pay(ben, 1), schema.ExpressUnknown)
	block(shop, "shop", false) // and is no partner any more: the token holds
	block(ben, "ben", true)
	x.do(1, pay(ben, 1), schema.AccountBlocked)
	block(ben, "ben", false)
	x.do(1, pay(ben, 1), schema.OK)
	x.has(shop, "50")
}

// TestTiersBindWhoPays: what was paid counts, and a restricted account pays nothing.
func TestTiersBindWhoPays(t *testing.T) {
	x := open(t)
	x.do(1, &schema.SetTier{Tier: schema.Tier{Day: fixed.FromInt(1000)}}, schema.OK)
	x.do(1, ask(1, "a", "6"), schema.OK)
	x.do(1, ask(2, "b", "6"), schema.OK)
	x.do(1, ask(3, "c", "4"), schema.OK)
	x.do(2, pay(ben, 1), schema.OK)
	if r := x.do(2, pay(ben, 2), schema.DayLimit); r.Value != fixed.FromInt(400) {
		t.Errorf("the refusal says %s", r.Value)
	}
	restricted := schema.Account{ID: ben, Name: "ben", Region: schema.Global, RestrictedUntil: schema.Second}
	x.do(2, &schema.SetAccount{Account: restricted}, schema.OK)
	x.do(2, pay(ben, 3), schema.Restricted)
	x.do(schema.Second, pay(ben, 3), schema.OK)
	x.has(shop, "10")
}

// TestWhatIsPaidPaysWhatIsOwedFirst: it is there for good.
func TestWhatIsPaidPaysWhatIsOwedFirst(t *testing.T) {
	x := open(t)
	x.ledger.Move(x.ledger.Open(schema.House, schema.Owed, coin), x.ledger.Open(shop, schema.Owed, coin), fixed.FromInt(3), ledger.Note{})
	x.do(1, ask(1, "a", "5"), schema.OK)
	x.do(1, pay(ben, 1), schema.OK)
	x.has(shop, "2")
	x.has(schema.House, "3")
}

// TestSectionsComeBack restores what was written, and refuses what no command could have brought about.
func TestSectionsComeBack(t *testing.T) {
	x := open(t)
	if len(written(x.Tokens)) != 0 {
		t.Error("there are sections of nothing")
	}
	x.do(1, ask(1, "a", "1"), schema.OK)
	x.do(2, ask(2, "b", "2"), schema.OK)
	x.do(3, ask(3, "a", "3", partner(stall)), schema.OK)
	x.do(3, pay(ben, 2), schema.OK)
	back := open(t)
	if err := (&product.Reader{Rest: written(x.Tokens)}).Sections(back.Sections()); err != nil {
		t.Fatal(err)
	}
	if string(written(back.Tokens)) != string(written(x.Tokens)) {
		t.Error("another snapshot")
	}
	back.do(4, ask(4, "b", "2"), schema.ExpressPaid)
	back.do(4, ask(4, "a", "1"), schema.OK)
	back.is("a", "1", 1+life, 1)
	back.do(4, pay(ben, 3), schema.OK)
	back.has(stall, "3")

	good := func() *token {
		return &token{digest: digest(9), Express: schema.Express{Account: shop, Asset: coin, Amount: fixed.One, External: "a", Expires: 9, Sealed: []byte{9}}}
	}
	for want, write := range map[string]func(*Tokens, *token){
		`payment "b" of account 101: it stands in the wrong`: func(t *Tokens, m *token) {
			t.add(m)
			m.External, m.digest, m.Expires = "b", digest(8), 8
			t.add(m)
		},
		"its digest stands there twice":       func(t *Tokens, m *token) { t.add(m); m.External = "b"; t.add(m) },
		"or it cannot be one":                 func(t *Tokens, m *token) { m.Sealed = nil; t.add(m) },
		"twice, or it cannot be one":          func(t *Tokens, m *token) { m.External = ""; t.add(m) },
		"its account or its asset":            func(t *Tokens, m *token) { m.Account = 999; t.add(m) },
		"account or its asset cannot be":      func(t *Tokens, m *token) { m.Asset = euro; t.add(m) },
		"its amount cannot be":                func(t *Tokens, m *token) { m.Amount = fixed.Zero; t.add(m) },
		"amount cannot be":                    func(t *Tokens, m *token) { m.Amount = fixed.MustParse("0.000000001"); t.add(m) },
		"its reference stands there twice":    func(t *Tokens, m *token) { t.add(m); m.digest = digest(8); t.add(m) },
		"that were made: a name stands there": func(t *Tokens, _ *token) { t.paid.Add(shop, "a"); t.paid.Add(shop, "a") },
		"there are too many": func(t *Tokens, m *token) {
			for n := range mostLive + 1 {
				m.External, m.digest = fmt.Sprint(n), schema.Digest{byte(n), byte(n >> 8), 1}
				t.add(m)
			}
		},
	} {
		bad := New(nil, nil, nil, nil, nil, nil)
		write(bad, good())
		err := (&product.Reader{Rest: written(bad)}).Sections(open(t).Sections())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestVerifyFindsWhatCannotBe(t *testing.T) {
	for want, spoil := range map[string]func(*Tokens){
		`the payment "b" of account 101 stands in the wrong`: func(t *Tokens) { t.tokens.At(t.order.Last).Expires = 1 },
		`the payment "a" of account 101 is not found`:        func(t *Tokens) { delete(t.byDigest, digest(1)) },
		`the payment "b" of account 101 is not found`:        func(t *Tokens) { t.of[shop] = t.of[shop][:1] },
		"account 101 has 2 payments, and 3 are found":        func(t *Tokens) { t.of[shop] = append(t.of[shop], 1) },
		`"a" of account 101 waits and was made`:              func(t *Tokens) { t.paid.Add(shop, "a") },
		"2 payments of 1 accounts, and 3 of 1":               func(t *Tokens) { t.byDigest[digest(9)] = 1 },
	} {
		x := open(t)
		x.do(1, ask(1, "a", "1"), schema.OK)
		x.do(2, ask(2, "b", "1"), schema.OK)
		spoil(x.Tokens)
		if err := x.Verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPaymentsWhereAnAssetIsNotOffered: in the EU no partner asks for it and nobody pays it; the payment waits for somebody who may.
func TestPaymentsWhereAnAssetIsNotOffered(t *testing.T) {
	x := open(t)
	asks := func(account schema.AccountID, n byte) *schema.RequestExpress {
		return &schema.RequestExpress{
			Account: account, Asset: coin, Amount: fixed.One, External: "rent", Digest: schema.Digest{n}, Sealed: []byte("sealed"),
		}
	}
	x.do(1, asset("BTC", func(a *schema.Asset) { a.NotInEU = true }), schema.OK)
	x.do(1, &schema.SetAccount{Account: schema.Account{ID: stall, Name: "stall", Region: schema.EU, Partner: true}}, schema.OK)
	x.do(1, asks(stall, 1), schema.AssetNotOffered)
	x.do(1, asks(shop, 1), schema.OK)
	x.out.Region = schema.EU
	x.do(1, asks(shop, 2), schema.AssetNotOffered)
	x.do(1, &schema.PayExpress{Account: ben, Digest: schema.Digest{1}}, schema.AssetNotOffered)
	x.out.Region = schema.Global
	x.do(1, &schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.EU}}, schema.OK)
	x.do(1, &schema.PayExpress{Account: ben, Digest: schema.Digest{1}}, schema.AssetNotOffered)
	x.do(1, &schema.SetAccount{Account: schema.Account{ID: ben, Name: "ben", Region: schema.Global}}, schema.OK)
	x.do(1, &schema.PayExpress{Account: ben, Digest: schema.Digest{1}}, schema.OK)
}
