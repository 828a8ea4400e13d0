package setup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

func open(t *testing.T) *node.Node {
	t.Helper()
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

func apply(t *testing.T, n *node.Node, text string) error {
	t.Helper()
	f, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Apply(context.Background(), n)
}

func mustApply(t *testing.T, n *node.Node, text string) {
	t.Helper()
	if err := apply(t, n, text); err != nil {
		t.Fatal(err)
	}
}

const (
	assets = `"assets":[
		{"ticker":"USDT","name":"Tether","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true},
		{"ticker":"BTC","name":"Bitcoin","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true}]`
	markets = `"markets":[{"name":"BTC_USDT","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"maker_fee":"0.1","taker_fee":"0.2","enabled":true}]`
	alice   = `{"name":"alice","region":"global","retail":true,"deposits":{"USDT":"1000","BTC":"2"},"trade":{"USDT":"400"},
		"fees":{"BTC_USDT":{"maker":"0.05"}},"keys":[{"key":"a","secret":"s","enabled":true},{"key":"a2","secret":"s","enabled":true}]}`
	bob = `{"name":"bob","region":"eu","blocked":true,"deposits":{"USDT":"70"},"trade":{"USDT":"30"},"keys":[{"key":"b","secret":"s","enabled":true}]}`
)

func file(accounts ...string) string {
	return "{" + assets + "," + markets + `,"accounts":[` + strings.Join(accounts, ",") + "]}"
}

// holds checks the money of an account.
func holds(t *testing.T, n *node.Node, name, ticker, main, trade string) {
	t.Helper()
	n.Read(func(m core.View) {
		id, asset := m.Accounts().ByName(name).ID, m.Listing().AssetByTicker(ticker).ID
		inMain, _, _ := m.Balance(id, schema.Main, asset)
		inTrade, _, _ := m.Balance(id, schema.Trade, asset)
		if inMain != fixed.MustParse(main) || inTrade != fixed.MustParse(trade) {
			t.Errorf("%s has %s and %s %s, not %s and %s", name, inMain, inTrade, ticker, main, trade)
		}
	})
}

// hash is the state of the whole exchange.
func hash(n *node.Node) (sum [32]byte) {
	n.Read(func(m core.View) { sum = m.Hash() })
	return sum
}

func TestAFileAppliedTwiceChangesNothing(t *testing.T) {
	n := open(t)
	keyless := `{"name":"carol","region":"global","deposits":{"BTC":"1"},"trade":{"BTC":"1"}}`
	if f, err := Read(strings.NewReader(file(alice, bob, keyless))); err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	mustApply(t, n, file(alice, bob, keyless))
	holds(t, n, "alice", "USDT", "600", "400")
	holds(t, n, "alice", "BTC", "2", "0")
	holds(t, n, "bob", "USDT", "40", "30")
	holds(t, n, "carol", "BTC", "0", "1")
	before, batches := hash(n), n.Applied()
	mustApply(t, n, file(alice, bob, keyless))
	if hash(n) != before || n.Applied() != batches {
		t.Errorf("the second time changed something: %d batches, then %d", batches, n.Applied())
	}
}

// TestAFileWithChains: they come before the assets that name them, and what was set since stays.
func TestAFileWithChains(t *testing.T) {
	const text = `{"chains":[{"name":"BTC","driver":"sandbox","family":"bitcoin","net":"regtest","interval":"5"}],
		"assets":[{"ticker":"BTC","name":"Bitcoin","class":"crypto","scale":18,"networks":[{"name":"BTC","confirmations":4,"confirmations_for_trading":2,"chain":"BTC"}]}]}`
	if f, err := Read(strings.NewReader(text)); err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	n := open(t)
	mustApply(t, n, text)
	var chain schema.Chain
	n.Read(func(m core.View) {
		chain = *m.Chains().ByName("BTC")
		if on := m.Listing().AssetByTicker("BTC").Networks[0].Chain; on != chain.ID {
			t.Errorf("the network is on chain %d", on)
		}
	})
	if want := (schema.Chain{ID: 1, Name: "BTC", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest, Interval: 5 * schema.Second}); chain != want {
		t.Errorf("the chain is %+v", chain)
	}
	chain.Interval = 0
	if err := n.Submit(context.Background(), &schema.SetChain{Chain: chain}, &schema.Result{}); err != nil {
		t.Fatal(err)
	}
	before := hash(n)
	mustApply(t, n, text)
	if hash(n) != before {
		t.Error("the second time changed something")
	}
	for file, want := range map[string]string{
		`{"chains":[{"name":"NODE","driver":"evm","family":"evm","net":"mainnet"}]}`:                        "chain NODE: an evm chain has a number, its chain id",
		`{"chains":[{"name":"eth","driver":"sandbox","family":"evm","net":"mainnet"}]}`:                     "chain eth: A chain has a name of 1 to 20 capital letters",
		`{"assets":[{"ticker":"ETH","class":"crypto","networks":[{"name":"ERC20","chain":"ETH"}]}]}`:        `asset ETH: network ERC20: there is no chain "ETH"`,
		`{"assets":[{"ticker":"ETH","name":"E","class":"crypto","networks":[{"name":"N","chain":"BTC"}]}]}`: "asset ETH: A network names a chain only of a crypto asset",
	} {
		if err := apply(t, n, file); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v instead of %s", file, err, want)
		}
	}
}

// TestAFileWithTiers: they bind the accounts of the file, and what was set since stays.
func TestAFileWithTiers(t *testing.T) {
	const customers = `"accounts":[{"name":"alice","region":"global","tier":2,"verified":true,"restricted_until":"2026-12-24T12:00:00Z","new_addresses":true,
		"checker":true,"credit_line":true,"invoices":true,"approvals":true,"kyc_links":true},{"name":"bob","region":"global"}]`
	const text = "{" + assets + "," + markets + `,"tiers":[{"tier":2,"day":"1000","month":"20000.5"},{"tier":0,"day":"100"}],` + customers + "}"
	if f, err := Read(strings.NewReader(text)); err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	n := open(t)
	mustApply(t, n, text)
	poor, rich := schema.Tier{Day: fixed.FromInt(100)}, schema.Tier{Number: 2, Day: fixed.FromInt(1000), Month: fixed.MustParse("20000.5")}
	n.Read(func(m core.View) {
		if got := m.Tiers().All(); !slices.Equal(got, []schema.Tier{poor, rich}) {
			t.Errorf("the tiers are %+v", got)
		}
		alice, bob := m.Accounts().ByName("alice"), m.Accounts().ByName("bob")
		want := schema.Account{
			ID: alice.ID, Name: "alice", Region: schema.Global, Created: alice.Created, Tier: 2, Verified: true, RestrictedUntil: 1_798_113_600 * schema.Second,
			NewAddresses: true, Checker: true, CreditLine: true, Invoices: true, Approvals: true, KYCLinks: true,
		}
		if *alice != want {
			t.Errorf("alice is %+v", alice)
		}
		if bounds, _ := m.Tiers().Of(alice.ID); bounds != rich {
			t.Errorf("alice is bound by %+v", bounds)
		}
		if bounds, _ := m.Tiers().Of(bob.ID); bounds != poor {
			t.Errorf("bob is bound by %+v", bounds)
		}
	})
	before, batches := hash(n), n.Applied()
	mustApply(t, n, text)
	if hash(n) != before || n.Applied() != batches {
		t.Errorf("the second time changed something: %d batches, then %d", batches, n.Applied())
	}
	var result schema.Result
	if err := n.Submit(t.Context(), &schema.SetTier{Tier: schema.Tier{Number: 2}}, &result); err != nil || result.Rejection.Refused() {
		t.Fatal(err, result.Rejection.Text())
	}
	before = hash(n)
	mustApply(t, n, text)
	if hash(n) != before {
		t.Error("the limits came back")
	}
}

// TestFilesSayWhatTheEUHasNot: those that come with the program say it of USDT alone; one that says nothing leaves it off.
func TestFilesSayWhatTheEUHasNot(t *testing.T) {
	n := open(t)
	mustApply(t, n, file(alice))
	n.Read(func(m core.View) {
		if m.Listing().AssetByTicker("USDT").NotInEU {
			t.Error("it is on where nobody said it")
		}
	})
	for _, path := range []string{"../../examples/venue.json", "../../deploy/venue.json", "../demo/venue.json"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, a := range f.Assets {
			if a.NotInEU != (a.Ticker == "USDT") {
				t.Errorf("%s: not in the EU: %s %t", path, a.Ticker, a.NotInEU)
			}
		}
	}
}

// TestAFileWithAFuture: what its terms leave out is their default, and what was set since stays.
func TestAFileWithAFuture(t *testing.T) {
	const text = "{" + assets + `,"markets":[{"name":"BTC_PERP","type":"futures","stock_prec":3,"money_prec":2,"fee_prec":6,"max_leverage":20,"enabled":true}],
		"collateral":[{"asset":"USDT","weight":"1"},{"asset":"BTC","weight":"0.95","pool_cap":"100","index_max_age":10}]}`
	if f, err := Read(strings.NewReader(text)); err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	n := open(t)
	mustApply(t, n, text)
	var btc schema.SetCollateral
	n.Read(func(m core.View) {
		info := m.Listing().MarketByName("BTC_PERP")
		if info.Type != schema.Futures || info.Base != 2 || info.Quote != 1 || info.MaxLeverage != 20 || info.FundingMinutes != 480 {
			t.Errorf("the future is %+v", info)
		}
		if usdt, set := m.Prices().Collateral(1); !set || usdt.Weight != fixed.One || usdt.Rate != fixed.MustParse("0.000024375") || usdt.IndexMaxAge != 30*schema.Second {
			t.Errorf("of USDT is set %+v", usdt)
		}
		btc, _ = m.Prices().Collateral(2)
	})
	if btc.PoolCap != fixed.FromInt(100) || btc.IndexMaxAge != 10*schema.Second {
		t.Errorf("of BTC is set %+v", btc)
	}
	btc.Weight = fixed.FromUnits(5, 1)
	var result schema.Result
	if err := n.Submit(context.Background(), &btc, &result); err != nil || result.Rejection.Refused() {
		t.Fatal(err, result.Rejection.Text())
	}
	before := hash(n)
	mustApply(t, n, text)
	if hash(n) != before {
		t.Error("a file that is applied again changed what was set since")
	}
	err := apply(t, n, `{"collateral":[{"asset":"GOLD","weight":"1"}]}`)
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "collateral GOLD: there is no such asset") {
		t.Errorf("collateral that is not listed: %v", err)
	}
}

// TestAFileWithATradFiFuture: it is quoted in USD, and accounts are enabled for it.
func TestAFileWithATradFiFuture(t *testing.T) {
	const text = `{"assets":[{"ticker":"USDT","class":"crypto","scale":18},{"ticker":"USD","class":"fiat","scale":18},{"ticker":"AAPL","class":"crypto","scale":18}],
		"markets":[{"name":"AAPL_USD","type":"tradfiFutures","stock_prec":3,"money_prec":2,"fee_prec":6,"max_leverage":20,"enabled":true}],
		"accounts":[{"name":"alice","region":"global","tradfi":true},{"name":"bob","region":"global"}]}`
	if f, err := Read(strings.NewReader(text)); err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	n := open(t)
	mustApply(t, n, text)
	n.Read(func(m core.View) {
		info := m.Listing().MarketByName("AAPL_USD")
		if info.Type != schema.TradFiFutures || info.Base != 3 || info.Quote != 2 || info.MaxLeverage != 20 || info.FundingMinutes != 480 {
			t.Errorf("the future is %+v", info)
		}
		if !m.Accounts().ByName("alice").TradFi || m.Accounts().ByName("bob").TradFi {
			t.Error("the wrong accounts are enabled")
		}
	})
}

// TestAFileWithVASPs: they are known once, and what was changed since stays.
func TestAFileWithPlans(t *testing.T) {
	n := open(t)
	text := "{" + assets + `,"plans":[
		{"name":"ten-days","kind":"fixed","asset":"BTC","payout":"USDT","percent":"1.5","minutes":14400,"ratio":"0.00001","min":"0.1","max":"5","cap":"50","regions":["eu"],"private":true},
		{"name":"daily","kind":"flex","asset":"USDT","rate":"0.05","min":"10","status":"paused"}],
		"funds":{"interest":{"USDT":"500"}},"accounts":[{"name":"anna","region":"global"}]}`
	mustApply(t, n, text)
	first := hash(n)
	n.Read(func(m core.View) {
		fixedPlan, flex := *m.Earn().PlanByName("ten-days"), *m.Earn().PlanByName("daily")
		want := schema.Plan{
			ID: 1, Name: "ten-days", Kind: schema.FixedPlan, Asset: 2, Payout: 1, Percent: fixed.MustParse("1.5"), Minutes: 14400, Ratio: fixed.MustParse("0.00001"),
			Min: fixed.MustParse("0.1"), Max: fixed.FromInt(5), Cap: fixed.FromInt(50), Status: schema.PlanActive, Regions: schema.In(schema.EU), Private: true,
			Created: fixedPlan.Created,
		}
		if fixedPlan != want {
			t.Errorf("the fixed plan is %+v, want %+v", fixedPlan, want)
		}
		want = schema.Plan{
			ID: 2, Name: "daily", Kind: schema.FlexPlan, Asset: 1, Payout: 1, Rate: fixed.MustParse("0.05"), Min: fixed.FromInt(10), Status: schema.PlanPaused, Created: flex.Created,
		}
		if flex != want {
			t.Errorf("the flex plan is %+v, want %+v", flex, want)
		}
		if free, _, _ := m.Balance(schema.Interest, schema.Main, 1); free != fixed.FromInt(500) {
			t.Errorf("for interest there is %s", free)
		}
	})
	mustApply(t, n, strings.Replace(strings.Replace(text, "0.05", "0.06", 1), `"500"`, `"900"`, 1))
	if hash(n) != first {
		t.Error("a plan that is there was changed, or it is funded twice")
	}
}

func TestAFileWithVASPs(t *testing.T) {
	const text = `{"vasps":[{"id":"zeta","name":"Zeta"},{"id":"acme","name":"Acme"}]}`
	if f, err := Read(strings.NewReader(text)); err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	n := open(t)
	mustApply(t, n, text)
	has := func(want ...schema.VASP) {
		t.Helper()
		n.Read(func(m core.View) {
			if got := m.Chains().VASPs(); !slices.Equal(got, want) {
				t.Errorf("the VASPs are %+v", got)
			}
		})
	}
	has(schema.VASP{ID: "acme", Name: "Acme"}, schema.VASP{ID: "zeta", Name: "Zeta"})
	var result schema.Result
	if err := n.Submit(t.Context(), &schema.SetVASP{VASP: schema.VASP{ID: "acme", Name: "Acme Exchange"}}, &result); err != nil || result.Rejection.Refused() {
		t.Fatal(err, result.Rejection.Text())
	}
	batches := n.Applied()
	mustApply(t, n, text)
	has(schema.VASP{ID: "acme", Name: "Acme Exchange"}, schema.VASP{ID: "zeta", Name: "Zeta"})
	if n.Applied() != batches {
		t.Errorf("the second time changed something: %d batches, then %d", batches, n.Applied())
	}
}

// TestFundsComeOnce: collateral and funds are there to the digit, and what the funds lost since is not replaced.
func TestFundsComeOnce(t *testing.T) {
	funded := `{"name":"alice","region":"global","deposits":{"USDT":"1000"},"trade":{"USDT":"400"},"collateral":{"USDT":"250"},"keys":[{"key":"a","secret":"s","enabled":true}]}`
	text := "{" + assets + `,"funds":{"insurance":{"USDT":"100"},"lending":{"BTC":"3","USDT":"70"},"convert":{"BTC":"4"},"interest":{"USDT":"5"},"pool":{"BTC":"6"}},"conversion":{"on":true,"hubs":["USDT"]},"pool":{"open":true,"unit":16,"rate":"3.125"},"accounts":[` + funded + "]}"
	if f, err := Read(strings.NewReader(text)); err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	n := open(t)
	// It stopped before the first account, with a part of a fund.
	mustApply(t, n, "{"+assets+`,"funds":{"lending":{"USDT":"30"}}}`)
	mustApply(t, n, text)
	holds(t, n, "alice", "USDT", "350", "400")
	fund := func(id schema.AccountID, w schema.Wallet, asset schema.AssetID, want string) {
		t.Helper()
		n.Read(func(m core.View) {
			if got, _, _ := m.Balance(id, w, asset); got != fixed.MustParse(want) {
				t.Errorf("account %d has %s of asset %d, not %s", id, got, asset, want)
			}
		})
	}
	fund(schema.FirstCustomer, schema.Collateral, 1, "250")
	fund(schema.Insurance, schema.Main, 1, "100")
	fund(schema.Lending, schema.Main, 1, "70")
	fund(schema.Lending, schema.Main, 2, "3")
	fund(schema.Convert, schema.Main, 2, "4")
	fund(schema.Interest, schema.Main, 1, "5")
	fund(schema.Pool, schema.Main, 2, "6")
	n.Read(func(m core.View) {
		if c := m.Conversion(); !c.On || len(c.Hubs) != 1 || c.Hubs[0] != 1 || c.Spread != fixed.MustParse("0.002") || c.OpenMost != fixed.FromInt(100_000) {
			t.Errorf("conversions are %+v", c)
		}
		if p, rate := m.Mining().Terms(); !p.Open || p.Asset != 2 || p.Unit != 16 || p.Fee != fixed.MustParse("0.04") || rate != fixed.MustParse("3.125") {
			t.Errorf("the pool is %+v at %s", p, rate)
		}
	})
	var result schema.Result
	if err := n.Submit(t.Context(), &schema.FundSystem{Account: schema.Insurance, Asset: 1, Amount: fixed.FromInt(-60)}, &result); err != nil || result.Rejection.Refused() {
		t.Fatal(err, result.Rejection.Text())
	}
	before := hash(n)
	mustApply(t, n, text)
	fund(schema.Insurance, schema.Main, 1, "40")
	if hash(n) != before {
		t.Error("applied again, the file changed something")
	}
}

// What happened since stays: no money comes back, no setting, no listing.
func TestAFileChangesNothingThatIsThere(t *testing.T) {
	n := open(t)
	mustApply(t, n, file(alice, bob))
	do := func(c schema.Command) {
		t.Helper()
		var result schema.Result
		if err := n.Submit(context.Background(), c, &result); err != nil || result.Rejection.Refused() {
			t.Fatal(err, result.Rejection.Text())
		}
	}
	var account schema.Account
	var market schema.MarketInfo
	var usdt schema.AssetID
	n.Read(func(m core.View) {
		account, market, usdt = *m.Accounts().ByName("alice"), *m.Listing().MarketByName("BTC_USDT"), m.Listing().AssetByTicker("USDT").ID
	})
	do(&schema.Withdraw{Account: account.ID, Asset: usdt, Amount: fixed.FromInt(600)})
	do(&schema.DeleteKey{Key: "a2"})
	account.Retail, account.Blocked = false, true
	do(&schema.SetAccount{Account: account})
	market.TakerFee = fixed.FromInt(1)
	do(&schema.SetMarket{Market: market})
	mustApply(t, n, file(strings.Replace(alice, `"a2"`, `"a3"`, 1), bob))
	holds(t, n, "alice", "USDT", "0", "400")
	n.Read(func(m core.View) {
		if now := *m.Accounts().ByName("alice"); now.Retail || !now.Blocked {
			t.Errorf("the settings came back: %+v", now)
		}
		if fee := m.Listing().MarketByName("BTC_USDT").TakerFee; fee != fixed.FromInt(1) {
			t.Errorf("the fee came back: %s", fee)
		}
		if m.Accounts().Key("a3") == nil || m.Accounts().Key("a2") != nil {
			t.Error("a key that is new in the file is added, and no other")
		}
	})
}

// A file that fails in the middle leaves what it did; the next one goes on from there.
func TestAfterACrashInTheMiddleMoneyIsRight(t *testing.T) {
	n := open(t)
	for _, broken := range []string{
		// bob fails before he is there, then at his deposits, at the transfer, at the fees, at the keys.
		strings.Replace(bob, `"eu"`, `"mars"`, 1),
		strings.Replace(bob, `"USDT":"70"`, `"USDT":"70","XYZ":"1"`, 1),
		strings.Replace(bob, `"USDT":"30"`, `"USDT":"71"`, 1),
		strings.Replace(bob, `"blocked"`, `"fees":{"NOPE_USDT":{"maker":"1"}},"blocked"`, 1),
		strings.Replace(bob, `"key":"b"`, `"key":"a"`, 1),
	} {
		if err := apply(t, n, file(alice, broken)); err == nil {
			t.Fatalf("%s: no error", broken)
		}
		holds(t, n, "alice", "USDT", "600", "400")
	}
	mustApply(t, n, file(alice, bob))
	holds(t, n, "alice", "USDT", "600", "400")
	holds(t, n, "bob", "USDT", "40", "30")
	n.Read(func(m core.View) {
		if !m.Accounts().ByName("bob").Blocked || m.Accounts().Key("b") == nil {
			t.Error("bob is not complete")
		}
	})
	before := hash(n)
	mustApply(t, n, file(alice, bob))
	if hash(n) != before {
		t.Error("applied again, the file changed something")
	}
}

// A group stands for the paths that it has now: a key that was made by it has these and no others.
func TestKeysOfGroups(t *testing.T) {
	n := open(t)
	mustApply(t, n, file(strings.Replace(bob, `"secret"`, `"urls":["transfer","/api/v4/orders"],"secret"`, 1)))
	n.Read(func(m core.View) {
		want := []string{"/api/v4/main-account/transfer", "/api/v4/main-account/transfer/history", "/api/v4/orders"}
		if got := m.Accounts().Key("b").URLs; !slices.Equal(got, want) {
			t.Errorf("the key may call %v", got)
		}
	})
}

func TestErrorsNameWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a class":                {`{"assets":[{"ticker":"X","class":"shell"}]}`, []string{"asset X", `"shell"`, "crypto, fiat or payment method"}},
		"a ticker":               {`{"assets":[{"ticker":"x y","class":"crypto"}]}`, []string{"asset x y"}},
		"a scale":                {`{"assets":[{"ticker":"X","class":"crypto","scale":4,"precision":5}]}`, []string{"asset X", "precision"}},
		"a type":                 {"{" + assets + "," + strings.Replace(markets, "spot", "swap", 1) + "}", []string{"market BTC_USDT", `"swap"`, "spot, futures or tradfiFutures"}},
		"a region of a market":   {"{" + assets + "," + strings.Replace(markets, `"enabled"`, `"regions":["eu","moon"],"enabled"`, 1) + "}", []string{"market BTC_USDT", `"moon"`, "global or eu"}},
		"an unlisted asset":      {"{" + assets + "," + strings.Replace(markets, "BTC_USDT", "ETH_USDT", 1) + "}", []string{"market ETH_USDT", "listed assets"}},
		"a region of an account": {file(strings.Replace(alice, `"global"`, `"world"`, 1)), []string{"account alice", `"world"`, "global or eu"}},
		"a name":                 {file(strings.Replace(alice, `"alice"`, `"al\u001bice"`, 1)), []string{`"al\x1bice"`, "cannot be printed"}},
		"an unlisted deposit":    {file(strings.Replace(alice, `"BTC":"2"`, `"ETH":"2"`, 1)), []string{"account alice", "ETH is not listed"}},
		"trade without deposit":  {file(strings.Replace(alice, `"trade":{`, `"trade":{"ETH":"1",`, 1)), []string{"account alice", "ETH", "deposits"}},
		"collateral from none":   {file(strings.Replace(alice, `"trade":{`, `"collateral":{"ETH":"1"},"trade":{`, 1)), []string{"account alice", "ETH", "deposits"}},
		"a VASP without a name":  {`{"vasps":[{"id":"acme"}]}`, []string{"VASP acme", "no name"}},
		"a VASP without an id":   {`{"vasps":[{"name":"Acme"}]}`, []string{"an id of 1 to 100 bytes"}},
		"a tier":                 {`{"tiers":[{"tier":3,"day":"2","month":"1"}]}`, []string{"tier 3", "a month's is not below a day's"}},
		"a tier that is none":    {`{"tiers":[{"tier":10}]}`, []string{"tier 10", "from 0 to 9"}},
		"a tier of an account":   {file(strings.Replace(alice, `"retail"`, `"tier":10,"retail"`, 1)), []string{"account alice", "from 0 to 9"}},
		"an unlisted hub":        {`{"conversion":{"on":true,"hubs":["ETH"]}}`, []string{`conversion: there is no asset "ETH" for a hub`}},
		"a pool of gold":         {`{"pool":{"asset":"GOLD"}}`, []string{`pool: there is no asset "GOLD"`}},
		"a pool without rate":    {"{" + assets + `,"pool":{"rate":"2000000"}}`, []string{"rate of the pool: What a block is worth is above zero"}},
		"a spread of all":        {`{"conversion":{"spread":"1"}}`, []string{"conversion: Conversions have a spread below 1"}},
		"a plan of nothing":      {"{" + assets + `,"plans":[{"name":"p","kind":"flex","asset":"ETH","rate":"0.1","min":"1"}]}`, []string{`plan p: there is no asset "ETH"`}},
		"a kind of a plan":       {"{" + assets + `,"plans":[{"name":"p","kind":"loose","asset":"BTC","rate":"0.1","min":"1"}]}`, []string{"plan p", `"loose"`, "fixed or flex"}},
		"a plan for nobody":      {"{" + assets + `,"plans":[{"name":"p","kind":"flex","asset":"BTC","rate":"0.1"}]}`, []string{"plan p", "cannot be as it is"}},
		"an unlisted fund":       {`{"funds":{"insurance":{"ETH":"1"}}}`, []string{"the fund insurance", "ETH is not listed"}},
		"more trade than money":  {file(strings.Replace(alice, `"USDT":"400"`, `"USDT":"4000"`, 1)), []string{"account alice", "available 1000"}},
		"a fee of no market":     {file(strings.Replace(alice, `"fees":{"BTC_USDT"`, `"fees":{"NOPE_USDT"`, 1)), []string{"account alice", "NOPE_USDT"}},
		"a URL of a key":         {file(strings.Replace(bob, `"secret"`, `"urls":["trading","/api/v4/other"],"secret"`, 1)), []string{"key b", `"/api/v4/other"`, "trading, trade_info", "/api/v4/orders"}},
		"another's key":          {file(alice, strings.Replace(bob, `"key":"b"`, `"key":"a"`, 1)), []string{"account bob", "key a"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Read(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			err = f.Apply(t.Context(), open(t))
			if !errors.Is(err, ErrRefused) {
				t.Fatalf("%v is no refusal", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not name %q", err, part)
				}
			}
			if early := f.Check(); !errors.Is(early, ErrRefused) || early.Error() != err.Error() {
				t.Errorf("the check says %v", early)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"asets":[]}`:                                "asets",
		`{"assets":[{"tikcer":"X"}]}`:                 "tikcer",
		`{"markets":[{"tick":"1"}]}`:                  "tick",
		`{"accounts":[{"keys":[{"sekret":"x"}]}]}`:    "sekret",
		`{"accounts":[{"fees":{"M":{"makre":"1"}}}]}`: "makre",
		`{"accounts":[{"deposits":{"BTC":1.5}}]}`:     "deposits",
		`{"accounts":[{"deposits":{"BTC":"one"}}]}`:   "one",
		`{"assets":[{"scale":-1}]}`:                   "scale",
		`{"assets":[{"min_deposit":"1e5"}]}`:          "1e5",
		`{"assets":"BTC"}`:                            "assets",
		`{"tiers":[{"day":5}]}`:                       "day",
		`{"accounts":[{"restricted_until":"soon"}]}`:  "soon",
		`{"assets":[]} {"assets":[]}`:                 "follows",
		`{"assets":[]`:                                "ends in the middle",
		``:                                            "nothing",
	} {
		_, err := Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v does not name %q", text, err, want)
		}
	}
}

// TestAFileThatTakesTwoOperators says which proposal waits, and asks for nothing twice; once it is approved the rest follows.
func TestAFileThatTakesTwoOperators(t *testing.T) {
	n := open(t)
	submit := func(operator string, c schema.Command) (r schema.Result) {
		t.Helper()
		if err := n.SubmitFrom(context.Background(), schema.Origin{Operator: operator}, c, &r); err != nil || r.Rejection.Refused() {
			t.Fatal(err, r.Rejection.Text())
		}
		return r
	}
	if err := n.Initialize(context.Background()); err != nil {
		t.Fatal(err)
	}
	const coins = `"chains":[{"name":"BTC","driver":"bitcoin","family":"bitcoin","net":"regtest"}],"assets":[{"ticker":"BTC","name":"Bitcoin","class":"crypto","scale":8,"precision":8,"can_deposit":true,"can_withdraw":true,
		"networks":[{"name":"BTC","chain":"BTC","decimals":8,"confirmations":3,"confirmations_for_trading":3,"approve_above":"10"}]}],"tiers":[{"tier":1,"day":"5","month":"50"}]`
	const rich = `{` + coins + `,"accounts":[{"name":"carol","region":"global","deposits":{"BTC":"12"},"trade":{"BTC":"4"},"keys":[{"key":"c","secret":"s","enabled":true}]}]}`
	mustApply(t, n, `{`+coins+`}`)
	submit("", &schema.ChainBlock{Chain: 1, Height: 1, Hash: schema.Digest{1}})
	mustApply(t, n, `{`+coins+`}`) // which is there
	want := "money of account carol: it takes two operators and waits as proposal 1: without this file, say 'bourse operator proposal 1 approve', then apply the file again"
	for range 2 {
		if err := apply(t, n, rich); !errors.Is(err, ErrRefused) || !strings.HasSuffix(err.Error(), want) {
			t.Fatalf("got %v", err)
		}
	}
	submit("otto", &schema.DecideProposal{Proposal: 1, Approve: true})
	mustApply(t, n, rich)
	holds(t, n, "carol", "BTC", "8", "4")
	n.Read(func(m core.View) {
		if len(m.Proposals()) != 0 || m.Accounts().Key("c") == nil {
			t.Errorf("%+v wait", m.Proposals())
		}
	})
}
