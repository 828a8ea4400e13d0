package conform_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// depositWorld is an exchange inside the test whose assets come by sandboxes:
//
//	DEP    by its only network, of Bitcoin: 3 confirmations, 1 for trading; from 0.01 on; a fee of 0.002 and 1 %, of that 0.001 to 0.05
//	USDT   by ERC20, the default (2 and 2), and TRC20; OFF is off, BOOKED has no chain, REAL one on which nobody derives addresses
//	TAG    by XRP, with memos, free of charge: 6 and 2
//	DUO    by two networks, of which none is the default
//	NON    by no network
//	EUR    is money of a state
type depositWorld struct {
	venue
	clock                         *clock
	btc, eth, bsc, trx, xrp, real schema.ChainID
}

func newDepositWorld(t *testing.T, database string, names ...string) depositWorld {
	t.Helper()
	return depositWorldIn(t, schema.Global, database, names...)
}

// depositWorldIn is the same at a deployment of a region.
func depositWorldIn(t *testing.T, region schema.Region, database string, names ...string) depositWorld {
	t.Helper()
	people := map[string]obj{}
	for _, name := range names {
		people[name] = obj{"deposits": obj{}, "trade": obj{}}
	}
	clock := newClock()
	markets := plain("DEP_USDT", "TAG_USDT", "DUO_USDT", "NON_USDT")
	w := depositWorld{clock: clock, venue: venue{conform.Inside(t, worldOf(t, markets, people), func(o *exchange.Options) {
		o.Node.Clock, o.Database, o.Region = clock.read, database, region
	})}}
	chain := func(name string, driver schema.Driver, family schema.Family, net schema.Net) schema.ChainID {
		return schema.ChainID(w.Do(&schema.SetChain{Chain: schema.Chain{Name: name, Driver: driver, Family: family, Net: net}}).ID)
	}
	w.btc = chain("BTC", schema.Sandbox, schema.Bitcoin, schema.Regtest)
	w.eth = chain("ETH", schema.Sandbox, schema.EVM, schema.Mainnet)
	w.bsc = chain("BSC", schema.Sandbox, schema.EVM, schema.Mainnet)
	w.trx = chain("TRX", schema.Sandbox, schema.TRON, schema.Mainnet)
	w.xrp = chain("XRP", schema.Sandbox, schema.XRP, schema.Mainnet)
	w.real = chain("SIGNET", schema.BitcoinNode, schema.Bitcoin, schema.Signet)
	network := func(name string, chain schema.ChainID, confirmations, forTrading uint32) schema.Network {
		return schema.Network{Name: name, CanDeposit: true, CanWithdraw: true, Chain: chain, Confirmations: confirmations, ConfirmationsForTrading: forTrading}
	}
	w.relist("DEP", func(a *schema.Asset) {
		n := network("DEP", w.btc, 3, 1)
		n.MinDeposit, n.MaxDeposit = decimal(t, "0.01"), decimal(t, "1000")
		n.DepositFixed, n.DepositPercent, n.DepositMinFee, n.DepositMaxFee = decimal(t, "0.002"), decimal(t, "1"), decimal(t, "0.001"), decimal(t, "0.05")
		a.Name, a.Networks = "Deposit coin", []schema.Network{n}
		a.MaxDeposit = decimal(t, "2000")
	})
	w.relist("USDT", func(a *schema.Asset) {
		a.Networks = []schema.Network{network("TRC20", w.trx, 2, 2), network("ERC20", w.eth, 2, 2), network("OFF", w.bsc, 2, 2), network("BOOKED", 0, 2, 2)}
		a.Networks[1].Default, a.Networks[2].CanDeposit = true, false
	})
	w.relist("TAG", func(a *schema.Asset) { a.DepositMemo, a.Networks = true, []schema.Network{network("XRP", w.xrp, 6, 2)} })
	w.relist("DUO", func(a *schema.Asset) {
		a.MinDeposit = decimal(t, "5")
		a.Networks = []schema.Network{network("ERC20", w.eth, 2, 1), network("BEP20", w.bsc, 2, 1)}
		a.Networks[1].MinDeposit = decimal(t, "7")
	})
	signet := network("REAL", w.real, 2, 2)
	signet.Decimals = 8
	w.Do(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "SIG", Name: "SIG", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, Networks: []schema.Network{signet},
	}})
	w.Do(&schema.SetAsset{Asset: schema.Asset{Ticker: "EUR", Name: "Euro", Class: schema.Fiat, Scale: 2, Precision: 2, CanDeposit: true}})
	return w
}

// arrival is an address as a client gets it.
type arrival struct{ address, memo string }

// at asks for the address of the trader for an asset.
func (c trader) at(ticker string, more obj) arrival {
	c.t.Helper()
	return arrivalOf(c.must("main-account/address", changed(obj{"ticker": ticker}, more)))
}

// fresh asks for a new one.
func (c trader) fresh(ticker string, more obj) arrival {
	c.t.Helper()
	return arrivalOf(c.must("main-account/create-new-address", changed(obj{"ticker": ticker}, more)))
}

func arrivalOf(answer map[string]any) arrival {
	account := answer["account"].(map[string]any)
	memo, _ := account["memo"].(string)
	return arrival{account["address"].(string), memo}
}

// pays sends money to an address of anybody or nobody, and returns the id of the receipt.
func (w depositWorld) pays(t *testing.T, chain schema.ChainID, ticker, amount string, to arrival) string {
	t.Helper()
	c := w.Exchange.API.Directory().Chain(chain)
	owner, _ := w.Exchange.API.Book().Find(c.Space(), to.address, to.memo)
	result := w.Do(&schema.PaySandbox{Chain: chain, Receipt: schema.Receipt{
		Asset: w.asset(ticker), Amount: decimal(t, amount), Index: owner.Index, Text: to.address, Memo: to.memo,
	}})
	return schema.SandboxReceipt(c.Name, result.ID)
}

func (w depositWorld) mines(chain schema.ChainID, blocks uint32) {
	w.Do(&schema.MineSandbox{Chain: chain, Blocks: blocks})
}

// seenDeposit is a record of the history.
type seenDeposit struct {
	ticker, name, network string
	to                    arrival
	receipt               string
	amount, fee           string
	status                int
	actual, required      int // both 0: null
	at                    int
}

func (d seenDeposit) record() obj {
	r := obj{
		"address": d.to.address, "memo": d.to.memo, "description": "", "unique_id": nil, "uniqueId": nil, "transaction_id": aUUID, "transactionId": aUUID,
		"createdAt": d.at, "currency": cmp.Or(d.name, d.ticker), "ticker": d.ticker, "method": 1, "amount": d.amount, "fee": d.fee, "status": d.status,
		"network": d.network, "transactionHash": strings.TrimSuffix(d.receipt, ":0"), "details": nil, "confirmations": nil,
	}
	if d.network == "" {
		r["network"] = nil
	}
	if d.required != 0 {
		r["confirmations"] = obj{"actual": d.actual, "required": d.required}
	}
	return r
}

// received checks the whole history of the trader.
func (c trader) received(want ...seenDeposit) {
	c.t.Helper()
	records := arr{}
	for _, d := range want {
		records = append(records, d.record())
	}
	answers(c.t, c.ask("main-account/history", nil), obj{"limit": 50, "offset": 0, "total": len(want), "records": records})
}

// main checks the main balance of an asset and how much of it is pending.
func (c trader) main(ticker, balance, pending string) {
	c.t.Helper()
	answers(c.t, c.ask("main-account/balance", obj{"ticker": ticker}), obj{ticker: mainEntry(balance, pending)})
}

// TestADepositBecomesMoney: seen, tradable, credited (account-wallet 2, 8 and 9).
func TestADepositBecomesMoney(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice", "bob")
	alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
	alice.received()
	to, began := alice.at("DEP", nil), w.clock.seconds()
	receipt := w.pays(t, w.btc, "DEP", "1.5", to)
	alice.received() // the mempool is not reported
	alice.main("DEP", "0", "0")

	// DEP can be traded after its first block, so it is seen with that. The fee is 0.002 and 1 % of 1.5.
	w.mines(w.btc, 1)
	d := seenDeposit{
		ticker: "DEP", name: "Deposit coin", network: "DEP", to: to, receipt: receipt, amount: "1.5", fee: "0.017", status: 15, actual: 1, required: 3, at: began,
	}
	alice.received(d)
	alice.main("DEP", "1.483", "1.483")
	bob.received()

	// Held money can be traded, and leaves by no door.
	held := inner(422, 20, "amount", "Part of this amount waits for network confirmation (free 0).")
	refuses(t, alice.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "0.5", "from": "main", "to": "collateral"}), held)
	refuses(t, alice.ask("main-account/codes", obj{"ticker": "DEP", "amount": "0.5"}), held)
	answers(t, alice.ask("main-account/transfer", obj{"ticker": "DEP", "amount": "0.5", "from": "main", "to": "spot"}), arr{})
	alice.main("DEP", "0.983", "0.983")
	alice.limit("DEP_USDT", "sell", "0.5", "100")
	refuses(t, alice.ask("main-account/codes", obj{"ticker": "DEP", "amount": "0.983"}), held)

	w.clock.advance(schema.Second)
	w.mines(w.btc, 1)
	d.actual = 2
	alice.received(d)
	w.mines(w.btc, 1)
	d.status, d.actual = 3, 3
	alice.received(d)
	alice.main("DEP", "0.983", "0")
	alice.promises("DEP", "0.983", nil)
	w.mines(w.btc, 100)
	d.actual = 103
	alice.received(d)

	// Where both numbers are the same nothing is ever pending, and a deposit is credited as it is where it costs nothing.
	usdt := bob.at("USDT", nil)
	w.pays(t, w.eth, "USDT", "250", usdt)
	w.mines(w.eth, 1)
	bob.main("USDT", "0", "0")
	if r := bob.must("main-account/history", nil)["records"].([]any)[0].(map[string]any); r["fee"] != "0" || fmt.Sprint(r["confirmations"]) != "map[actual:1 required:2]" {
		t.Errorf("%v", r)
	}
	w.mines(w.eth, 1)
	bob.main("USDT", "250", "0")

	// The same coins by another chain with the same addresses come by that one.
	receipt = w.pays(t, w.trx, "USDT", "3", bob.at("USDT", obj{"network": "TRC20"}))
	w.mines(w.trx, 2)
	if r := bob.must("main-account/history", obj{"limit": 1})["records"].([]any)[0].(map[string]any); r["network"] != "TRC20" || r["transactionHash"] != strings.TrimSuffix(receipt, ":0") {
		t.Errorf("%v", r)
	}
	bob.main("USDT", "253", "0")
	// A network that is gone has no name, and six confirmations.
	w.relist("USDT", func(a *schema.Asset) { a.Networks = a.Networks[1:] })
	if r := bob.must("main-account/history", obj{"limit": 1})["records"].([]any)[0].(map[string]any); r["network"] != nil || fmt.Sprint(r["confirmations"]) != "map[actual:2 required:6]" {
		t.Errorf("%v", r)
	}
}

// TestBlocksComeByThemselves on a sandbox with an interval, as long as a deposit waits for them.
func TestBlocksComeByThemselves(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	alice := w.trader(t, "alice")
	chain := *w.Exchange.API.Directory().ChainByName("XRP")
	chain.Interval = 5 * schema.Second
	w.Do(&schema.SetChain{Chain: chain})
	to, began := alice.at("TAG", nil), w.clock.seconds()
	d := seenDeposit{
		ticker: "TAG", network: "XRP", to: to, receipt: w.pays(t, w.xrp, "TAG", "40", to), amount: "40", fee: "0", status: 15, required: 6, at: began + 5,
	}
	for block := 1; block <= 6; block++ {
		w.clock.advance(5 * schema.Second)
		w.Do(&schema.Tick{})
		if d.actual = block; block == 6 {
			d.status = 3
		}
		alice.received(d)
		switch {
		case block < 2:
			alice.main("TAG", "0", "0")
		case block < 6:
			alice.main("TAG", "40", "40")
		default:
			alice.main("TAG", "40", "0")
		}
	}
	w.clock.advance(60 * schema.Second)
	w.Do(&schema.Tick{})
	alice.received(d) // nothing waits any more
}

// TestDepositsThatAreNotCredited: too small, too large, not offered, decided by operators, nobody's.
func TestDepositsThatAreNotCredited(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice", "bob")
	alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
	to, began := alice.at("DEP", nil), w.clock.seconds()
	d := func(amount string) seenDeposit {
		return seenDeposit{
			ticker: "DEP", name: "Deposit coin", network: "DEP", to: to, receipt: w.pays(t, w.btc, "DEP", amount, to), amount: amount, fee: "0", status: 22, at: began,
		}
	}
	small, large, minute, good := d("0.009"), d("1001"), d("0.01"), d("1")
	good.fee, good.status, good.required = "0.012", 3, 3
	minute.fee, minute.status, minute.required = "0.003", 3, 3 // the least
	w.mines(w.btc, 3)
	good.actual, minute.actual = 3, 3
	alice.received(good, minute, large, small)
	alice.main("DEP", "0.995", "0")

	w.relist("DEP", func(a *schema.Asset) { a.CanDeposit = false })
	off := d("2")
	w.mines(w.btc, 3)
	good.actual, minute.actual = 6, 6
	alice.received(off, good, minute, large, small)
	w.relist("DEP", func(a *schema.Asset) { a.CanDeposit = true })

	// Operators decide: the newest deposit has the greatest number.
	w.Do(&schema.DecideDeposit{Deposit: 5, Decision: schema.FreezeDeposit})
	w.Do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CancelDeposit})
	w.Do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit})
	off.status, large.status = 21, 4
	small.status, small.actual, small.required = 3, 6, 3
	alice.received(off, good, minute, large, small)
	alice.main("DEP", "1.004", "0")

	// What came to an address that nobody has is nobody's, until an operator gives it to somebody.
	stray := seenDeposit{
		ticker: "TAG", network: "XRP", to: arrival{alice.at("TAG", nil).address, "999"}, amount: "7", fee: "0", status: 3, actual: 6, required: 6, at: began,
	}
	stray.receipt = w.pays(t, w.xrp, "TAG", "7", stray.to)
	w.mines(w.xrp, 6)
	bob.received()
	w.Do(&schema.DecideDeposit{Deposit: 6, Decision: schema.CreditDeposit, Account: w.account("bob").ID})
	bob.received(stray)
	bob.main("TAG", "7", "0")
}

// TestDepositsThatAChainTakesBack: what was held is taken back, what was credited is not.
func TestDepositsThatAChainTakesBack(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice", "bob")
	alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
	began := w.clock.seconds()
	deposit := func(c trader, amount string) seenDeposit {
		to := c.at("TAG", nil)
		return seenDeposit{
			ticker: "TAG", network: "XRP", to: to, receipt: w.pays(t, w.xrp, "TAG", amount, to), amount: amount, fee: "0", status: 15, required: 6, at: began,
		}
	}
	w.mines(w.xrp, 3)
	kept, lost, spent := deposit(alice, "10"), deposit(alice, "20"), deposit(bob, "30")
	w.mines(w.xrp, 3)
	kept.actual, lost.actual, spent.actual = 3, 3, 3
	alice.received(lost, kept)
	alice.main("TAG", "30", "30")
	bob.main("TAG", "30", "30")
	answers(t, bob.ask("main-account/transfer", obj{"ticker": "TAG", "amount": "30", "from": "main", "to": "spot"}), arr{})

	// Another branch of four blocks, without the second deposit: the first is in it, and confirmed again from there.
	w.Do(&schema.ReorgSandbox{Chain: w.xrp, Depth: 3, Drop: lost.receipt})
	kept.actual, lost.actual, spent.actual = 4, 0, 4
	alice.received(lost, kept)
	alice.main("TAG", "30", "30") // it may still come
	w.mines(w.xrp, 2)
	kept.status, kept.actual, spent.status, spent.actual = 3, 6, 3, 6
	alice.received(lost, kept)
	alice.main("TAG", "30", "20")
	w.mines(w.xrp, 3)
	lost.status, lost.required = 4, 0
	kept.actual, spent.actual = 9, 9
	alice.received(lost, kept)
	alice.main("TAG", "10", "0")

	// What was credited for good stays credited, whatever the chain does.
	w.Do(&schema.ReorgSandbox{Chain: w.xrp, Depth: 9, DropAll: true})
	w.mines(w.xrp, 20)
	kept.actual, spent.actual = 0, 0
	alice.received(lost, kept)
	alice.main("TAG", "10", "0")

	// What was held and is gone is owed, and nothing leaves until it is paid.
	owed := deposit(alice, "5")
	w.mines(w.xrp, 2)
	bob.received(spent)
	answers(t, alice.ask("main-account/transfer", obj{"ticker": "TAG", "amount": "15", "from": "main", "to": "spot"}), arr{})
	alice.limit("TAG_USDT", "sell", "15", "100")
	w.Do(&schema.Deposit{Account: w.account("bob").ID, Asset: w.asset("USDT"), Amount: decimal(t, "2000")})
	answers(t, bob.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "2000", "from": "main", "to": "spot"}), arr{})
	bob.limit("TAG_USDT", "buy", "15", "100")
	w.Do(&schema.ReorgSandbox{Chain: w.xrp, Depth: 2, DropAll: true})
	w.mines(w.xrp, 10)
	owed.status, owed.required = 4, 0
	alice.received(owed, lost, kept)
	answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1000", "from": "spot", "to": "main"}), arr{})
	owing := inner(422, 20, "amount", "A network took back a deposit that was spent: nothing can leave until what is owed is paid.")
	refuses(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1", "from": "main", "to": "collateral"}), owing)
	refuses(t, alice.ask("main-account/codes", obj{"ticker": "USDT", "amount": "1"}), owing)
	w.pays(t, w.xrp, "TAG", "8", alice.at("TAG", nil))
	w.mines(w.xrp, 6)
	alice.main("TAG", "3", "0")
	answers(t, alice.ask("main-account/transfer", obj{"ticker": "USDT", "amount": "1", "from": "main", "to": "collateral"}), arr{})
}

// deposits are all records of an account, those of withdrawals among them, newest first, with what to look for.
type deposits struct {
	records          []map[string]any
	addresses, memos []string
}

// TestDepositsNeedTheirGroup: keys have the addresses by a group of their own, and the history with the balances.
func TestDepositsNeedTheirGroup(t *testing.T) {
	t.Parallel()
	key := func(name string, urls ...string) obj {
		return obj{"key": name + "-key", "secret": name + "-secret", "title": name, "enabled": true, "urls": urls}
	}
	keys := []obj{key("in", "deposits"), key("look", "wallet"), key("others", "trading", "trade_info", "transfer", "codes", "account")}
	v := operate(t, newClock(), plain("DEP_USDT"), with(plain(), "alice", obj{"keys": keys}))
	denied := func(r conform.Reply) bool { return r.Status == 401 }
	for _, c := range []struct {
		path string
		keys string
	}{
		{"main-account/address", "in"},
		{"main-account/create-new-address", "in"},
		{"main-account/history", "look"},
		{"main-account/fee", "look"},
	} {
		for _, name := range []string{"in", "look", "others"} {
			if r := v.trader(t, name).ask(c.path, obj{"ticker": "DEP"}); denied(r) != (name != c.keys) {
				t.Errorf("%s with the key %s: %d %s", c.path, name, r.Status, r.Body)
			}
		}
	}
}

// TestFeesOfDeposits: of the standard network of an asset, in main-account/fee and in public/fee.
func TestFeesOfDeposits(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	w.clock.advance(61 * schema.Second) // lists of assets are kept for a minute
	side := func(minFlex, maxFlex, percent, fixed, low, high string) obj {
		return obj{"minFlex": minFlex, "maxFlex": maxFlex, "percentFlex": percent, "fixed": fixed, "minAmount": low, "maxAmount": high}
	}
	nothing := side("0", "0", "0", "0", "0", "0")
	entry := func(ticker, name string, out bool, deposit obj) obj {
		return obj{"ticker": ticker, "name": name, "can_deposit": true, "can_withdraw": out, "deposit": deposit, "withdraw": nothing}
	}
	answers(t, w.trader(t, "alice").ask("main-account/fee", nil), arr{
		entry("DEP", "Deposit coin", true, side("0.001", "0.05", "1", "0.002", "0.01", "1000")),
		entry("DUO", "DUO", true, side("0", "0", "0", "0", "5", "0")),
		entry("EUR", "Euro", false, nothing),
		entry("NON", "NON", true, nothing),
		entry("SIG", "SIG", false, nothing),
		entry("TAG", "TAG", true, nothing),
		entry("USDT", "USDT", true, nothing),
	})
	var public map[string]map[string]any
	w.Get("/api/v4/public/fee").Read(t, &public)
	is(t, "DEP", public["DEP"]["deposit"], obj{
		"min_amount": "0.01", "max_amount": "1000", "fixed": "0.002", "flex": obj{"percent": "1", "min_fee": "0.001", "max_fee": "0.05"},
	})
	is(t, "DEP out", public["DEP"]["withdraw"], obj{"min_amount": "0", "max_amount": "0", "fixed": nil, "flex": nil})
	is(t, "TAG", public["TAG"]["deposit"], obj{"min_amount": "0", "max_amount": "0", "fixed": nil, "flex": nil})
}
