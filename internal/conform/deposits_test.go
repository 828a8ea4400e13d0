package conform_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bourse/internal/conform"
	"bourse/internal/core"
	"bourse/internal/exchange"
	"bourse/internal/history/postgrestest"
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
	people := map[string]obj{}
	for _, name := range names {
		people[name] = obj{"deposits": obj{}, "trade": obj{}}
	}
	clock := newClock()
	markets := plain("DEP_USDT", "TAG_USDT", "DUO_USDT", "NON_USDT")
	w := depositWorld{clock: clock, venue: venue{conform.Inside(t, worldOf(t, markets, people), func(o *exchange.Options) {
		o.Node.Clock, o.Database = clock.read, database
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

// TestDepositAddress: account-wallet 3.
func TestDepositAddress(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice", "bob", "carol")
	alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
	free := func(fixed, most, least, percent, high, low string) obj {
		return obj{"fixedFee": fixed, "flexFee": obj{"maxFee": most, "minFee": least, "percent": percent}, "maxAmount": high, "minAmount": low}
	}
	bech32, segwit := pattern(`"bcrt1q[0-9a-z]{38}"`), pattern(`"2[1-9A-Za-z]{34}"`)
	hexadecimal := pattern(`"0x[0-9a-fA-F]{40}"`)
	for _, c := range []struct {
		fields, account, required obj
	}{
		{obj{"ticker": "DEP"}, obj{"address": bech32}, free("0.002", "0.05", "0.001", "1", "1000", "0.01")},
		{obj{"ticker": "DEP", "network": "DEP"}, obj{"address": bech32}, free("0.002", "0.05", "0.001", "1", "1000", "0.01")},
		{obj{"ticker": "USDT"}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "USDT", "network": ""}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "USDT", "network": nil}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "USDT", "network": "TRC20"}, obj{"address": pattern(`"T[1-9A-Za-z]{33}"`)}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "TAG"}, obj{"address": pattern(`"r[1-9A-Za-z]{24,34}"`), "memo": pattern(`"[1-9][0-9]*"`)}, free("0", "0", "0", "0", "0", "0")},
		{obj{"ticker": "DUO", "network": "ERC20"}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "5")},
		{obj{"ticker": "DUO", "network": "BEP20"}, obj{"address": hexadecimal}, free("0", "0", "0", "0", "0", "7")},
	} {
		t.Run(fmt.Sprint(c.fields), func(t *testing.T) {
			alice, bob := w.trader(t, "alice"), w.trader(t, "bob")
			answers(t, alice.ask("main-account/address", c.fields), obj{"account": c.account, "required": c.required})
			ticker := c.fields["ticker"].(string)
			if first, again := alice.at(ticker, c.fields), alice.at(ticker, c.fields); first != again {
				t.Errorf("%v, then %v", first, again)
			}
			if hers, his := alice.at(ticker, c.fields), bob.at(ticker, c.fields); hers == his {
				t.Errorf("both have %v", hers)
			}
			answers(t, alice.ask("main-account/create-new-address", c.fields), obj{"account": c.account, "required": c.required})
		})
	}

	// Networks of one family and net share their addresses; where there are memos, accounts share the address.
	if a, b, c := alice.at("USDT", nil), alice.at("DUO", obj{"network": "ERC20"}), alice.at("DUO", obj{"network": "BEP20"}); a != b || a != c {
		t.Errorf("%v, %v and %v", a, b, c)
	}
	if a, b := alice.at("TAG", nil), bob.at("TAG", nil); a.address != b.address || a.memo == b.memo {
		t.Errorf("%v and %v", a, b)
	}

	// A fresh one every time, and the first stays.
	first := alice.at("DEP", nil)
	all := map[string]bool{first.address: true}
	for _, more := range []obj{nil, {"type": "bech32"}, {"network": "DEP"}, {"type": nil}, {"type": "p2sh-segwit"}, {"type": "p2sh-segwit", "network": "DEP"}} {
		form := bech32
		if more["type"] == "p2sh-segwit" {
			form = segwit
		}
		answers(t, bob.ask("main-account/create-new-address", changed(obj{"ticker": "DEP"}, more)),
			obj{"account": obj{"address": form}, "required": free("0.002", "0.05", "0.001", "1", "1000", "0.01")})
		all[alice.fresh("DEP", more).address] = true
	}
	if len(all) != 7 || alice.at("DEP", nil) != first {
		t.Errorf("%d addresses, the first is %v", len(all), alice.at("DEP", nil))
	}
	// Who created a p2sh-segwit address first gets one of the usual type.
	carol := w.trader(t, "carol")
	old := carol.fresh("DEP", obj{"type": "p2sh-segwit"})
	if a, b := carol.at("DEP", nil), carol.at("DEP", nil); a == old || a != b {
		t.Errorf("%v, then %v and %v", old, a, b)
	}
}

// TestWrongRequestsForAddresses: the two operations have words of their own (account-wallet 3).
func TestWrongRequestsForAddresses(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	off := *w.Exchange.API.Directory().Asset("NON")
	off.Ticker, off.CanDeposit, off.Networks = "SHUT", false, []schema.Network{{Name: "SHUT", CanDeposit: true, Chain: w.btc, Confirmations: 2, ConfirmationsForTrading: 2}}
	w.Do(&schema.SetAsset{Asset: off})

	const fiat = "Fiat deposits are available only on the website"
	wrong := broken("network", "The selected network is invalid.")
	closed, shut := inner(422, 1, "ticker", "Currency is not depositable"), inner(422, 0, "ticker", "Currency is not depositable")
	for _, c := range []struct {
		fields       obj
		usual, fresh refusal
	}{
		{nil, broken("ticker", "The ticker field is required."), broken("ticker", "The ticker field is required.")},
		{obj{"ticker": nil}, broken("ticker", "The ticker field is required."), broken("ticker", "The ticker field is required.")},
		{obj{"ticker": 7}, broken("ticker", "The ticker must be a string."), broken("ticker", "The ticker must be a string.")},
		{obj{"ticker": "DEP", "network": 7}, broken("network", "The network must be a string."), broken("network", "The network must be a string.")},
		{obj{"ticker": "NIX"}, broken("ticker", "The selected ticker is invalid."), broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": ""}, broken("ticker", "The selected ticker is invalid."), broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": "EUR"}, broken("ticker", fiat), inner(422, 0, "ticker", "Fiat currencies are unavailable for this action")},
		{obj{"ticker": "EUR", "network": "SEPA"}, broken("ticker", fiat), inner(422, 0, "ticker", "Fiat currencies are unavailable for this action")},
		{obj{"ticker": "USDT", "network": "NIX"}, wrong, broken("network", "Unsupported network")},
		{obj{"ticker": "USDT", "network": "erc20"}, wrong, broken("network", "Unsupported network")},
		{obj{"ticker": "USDT", "network": "DEP"}, wrong, broken("network", "Cannot find currency for specified network")},
		{obj{"ticker": "DUO"}, broken("network", "The network field is required."), broken("network", "Cannot extract default network")},
		{obj{"ticker": "USDT", "network": "OFF"}, closed, shut},
		{obj{"ticker": "USDT", "network": "BOOKED"}, closed, shut},
		{obj{"ticker": "SIG"}, closed, shut},
		{obj{"ticker": "NON"}, closed, shut},
		{obj{"ticker": "SHUT"}, closed, shut},
	} {
		t.Run(fmt.Sprint(c.fields), func(t *testing.T) {
			refuses(t, w.trader(t, "alice").ask("main-account/address", c.fields), c.usual)
			refuses(t, w.trader(t, "alice").ask("main-account/create-new-address", c.fields), c.fresh)
		})
	}
	alice := w.trader(t, "alice")
	for _, fields := range []obj{{"ticker": "DEP", "type": "legacy"}, {"ticker": "DEP", "type": ""}, {"ticker": "DEP", "type": 1}, {"ticker": "USDT", "type": "bech32"}} {
		refuses(t, alice.ask("main-account/create-new-address", fields), broken("type", "The selected type is invalid."))
	}
	if a := alice.at("USDT", obj{"type": "legacy"}); a.address == "" { // a field that nobody reads
		t.Error("no address")
	}

	t.Run("at most 1,000 of a type", func(t *testing.T) {
		alice := w.trader(t, "alice")
		for range 1000 {
			w.Do(&schema.OpenAddress{Account: w.account("alice").ID, Chain: w.btc, Fresh: true})
		}
		refuses(t, alice.ask("main-account/create-new-address", obj{"ticker": "DEP"}), inner(422, 0, "message", "Address limit reached"))
		alice.at("DEP", nil)
		alice.fresh("DEP", obj{"type": "p2sh-segwit"})
		alice.fresh("USDT", nil)
	})
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

// TestWrongRequestsForTheHistory: account-wallet 8.
func TestWrongRequestsForTheHistory(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	alice := w.trader(t, "alice")
	status := broken("status", "The selected status is invalid.")
	method := broken("transactionMethod", "The selected transaction method is invalid.")
	many := func(n int) (list arr) {
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
		return list
	}
	tooFar := broken("offset", "Offset is too big. Please use offset + limit less than 10000.")
	for _, c := range []struct {
		fields obj
		want   refusal
	}{
		{obj{"transactionMethod": 0}, method},
		{obj{"transactionMethod": 3}, method},
		{obj{"transactionMethod": "deposit"}, method},
		{obj{"ticker": "NIX"}, broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": 1}, broken("ticker", "The ticker must be a string.")},
		{obj{"address": 1}, broken("address", "The address must be a string.")},
		{obj{"memo": 7}, broken("memo", "The memo must be a string.")},
		{obj{"unique_id": 7}, broken("unique_id", "The unique id must be a string.")},
		{obj{"uniqueId": 7}, broken("uniqueId", "The unique id must be a string.")},
		{obj{"addresses": "a"}, broken("addresses", "The addresses must be an array.")},
		{obj{"addresses": arr{1}}, broken("addresses", "The addresses must be an array.")},
		{obj{"addresses": many(21)}, broken("addresses", "The addresses may not have more than 20 items.")},
		{obj{"status": 15}, status},
		{obj{"status": arr{8}}, status},
		{obj{"status": arr{3, "x"}}, status},
		{obj{"status": arr{15, 1}, "transactionMethod": 1}, status},
		{obj{"status": arr{22}, "transactionMethod": 2}, status},
		{obj{"limit": 0}, broken("limit", "The limit must be at least 1.")},
		{obj{"limit": 501}, broken("limit", "The limit may not be greater than 500.")},
		{obj{"limit": "x"}, broken("limit", "The limit must be an integer.")},
		{obj{"offset": -1}, broken("offset", "The offset must be at least 0.")},
		{obj{"offset": 10001}, broken("offset", "The offset may not be greater than 10000.")},
		{obj{"offset": "x"}, broken("offset", "The offset must be an integer.")},
		{obj{"limit": 500, "offset": 9501}, tooFar},
		{obj{"limit": 501, "transactionMethod": 3}, broken("limit", "The limit may not be greater than 500.").and("transactionMethod", "The selected transaction method is invalid.")},
	} {
		t.Run(fmt.Sprint(c.fields), func(t *testing.T) { refuses(t, w.trader(t, "alice").ask("main-account/history", c.fields), c.want) })
	}
	for _, fields := range []obj{
		nil,
		{"transactionMethod": 2},
		{"transactionMethod": "1"},
		{"status": arr{}},
		{"status": arr{1, 2, 15, 22}},
		{"status": arr{"3", 28}},
		{"status": nil},
		{"addresses": many(20)},
		{"addresses": arr{}},
		{"memo": "", "address": "", "ticker": "", "unique_id": ""},
		{"address": "\x00"},
		{"uniqueId": "01a0c450-6c00-8002-8000-000000000001"},
		{"unique_id": "no uuid"},
	} {
		answers(t, alice.ask("main-account/history", fields), obj{"limit": 50, "offset": 0, "total": 0, "records": arr{}})
	}
	answers(t, alice.ask("main-account/history", obj{"limit": 500, "offset": 9500}), obj{"limit": 500, "offset": 9500, "total": 0, "records": arr{}})
}

// TestHistoryAgainstAList asks both stores for random parts of many deposits and withdrawals, and compares with a list of them all.
func TestHistoryAgainstAList(t *testing.T) {
	for _, store := range []string{"Pebble", "PostgreSQL"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			database := ""
			if store == "PostgreSQL" {
				url, stop, err := postgrestest.Start(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(stop)
				database = url
			}
			w := newDepositWorld(t, database, "alice", "bob")
			alice := w.trader(t, "alice")
			all := w.lively(t, alice, w.trader(t, "bob"))
			dice := rand.New(rand.NewPCG(1, 2))
			pick := func(list []string) string { return list[dice.IntN(len(list))] }
			for range 300 {
				fields, fits := obj{}, []func(map[string]any) bool{}
				equal := func(field, value string) {
					fields[field] = value
					fits = append(fits, func(r map[string]any) bool { return r[field] == value })
				}
				if dice.IntN(3) == 0 {
					equal("ticker", pick([]string{"DEP", "TAG", "USDT", "DUO"}))
				}
				if dice.IntN(3) == 0 {
					equal("address", pick(all.addresses))
				}
				if dice.IntN(4) == 0 {
					equal("memo", pick(all.memos))
				}
				if dice.IntN(3) == 0 {
					some := arr{}
					for range 1 + dice.IntN(4) {
						some = append(some, pick(all.addresses))
					}
					fields["addresses"] = some
					fits = append(fits, func(r map[string]any) bool { return slices.Contains(some, r["address"]) })
				}
				if dice.IntN(3) == 0 {
					codes := []int{3, 15, 22, 4, 21, 7, 1}[dice.IntN(6):]
					list := arr{}
					for _, n := range codes {
						list = append(list, n)
					}
					fields["status"] = list
					fits = append(fits, func(r map[string]any) bool {
						return slices.ContainsFunc(codes, func(n int) bool { return fmt.Sprint(n) == fmt.Sprint(r["status"]) })
					})
				}
				if method := 1 + dice.IntN(6); method <= 2 && fields["status"] == nil {
					fields["transactionMethod"] = method
					fits = append(fits, func(r map[string]any) bool { return fmt.Sprint(r["method"]) == fmt.Sprint(method) })
				}
				if dice.IntN(6) == 0 {
					one := all.records[dice.IntN(len(all.records))]
					id, by := one["transaction_id"], "transactionId"
					if one["unique_id"] != nil {
						id, by = one["unique_id"], "uniqueId"
					}
					fields[pick([]string{"unique_id", "uniqueId"})] = id
					fits = append(fits, func(r map[string]any) bool { return r[by] == id })
				}
				var want []map[string]any
				for _, r := range all.records {
					if !slices.ContainsFunc(fits, func(fits func(map[string]any) bool) bool { return !fits(r) }) {
						want = append(want, r)
					}
				}
				limit, offset := 1+dice.IntN(20), dice.IntN(max(1, min(len(want)+2, 40)))
				fields["limit"], fields["offset"] = limit, offset
				records := arr{}
				for _, r := range want[min(offset, len(want)):min(offset+limit, len(want))] {
					records = append(records, obj(maps.Clone(r)))
				}
				r := alice.ask("main-account/history", fields)
				if answers(t, r, obj{"limit": limit, "offset": offset, "total": len(want), "records": records}); t.Failed() {
					t.Fatalf("%v: %s", fields, r.Body)
				}
			}
		})
	}
}

// deposits are all records of an account, those of withdrawals among them, newest first, with what to look for.
type deposits struct {
	records          []map[string]any
	addresses, memos []string
}

// lively lets an account have 200 deposits in all states, and withdrawals, some of them to another.
func (w depositWorld) lively(t *testing.T, c, other trader) (all deposits) {
	w.gives(t, "alice", "USDT", "1000")
	outside := []arrival{{farETH, ""}, other.at("USDT", nil)}
	all.addresses = append(all.addresses, outside[0].address, outside[1].address)
	sent, inside := 0, schema.DepositID(0)
	dice := rand.New(rand.NewPCG(3, 4))
	places := map[string][]arrival{}
	ways := []struct {
		ticker, network string
		chain           schema.ChainID
	}{{"DEP", "DEP", w.btc}, {"TAG", "XRP", w.xrp}, {"USDT", "ERC20", w.eth}, {"USDT", "TRC20", w.trx}, {"DUO", "BEP20", w.bsc}}
	for _, way := range ways {
		for range 3 {
			to := c.fresh(way.ticker, obj{"network": way.network})
			places[way.ticker+way.network] = append(places[way.ticker+way.network], to)
			all.addresses, all.memos = append(all.addresses, to.address), append(all.memos, cmp.Or(to.memo, "none"))
		}
	}
	for n := range schema.DepositID(200) {
		way := ways[dice.IntN(len(ways))]
		w.pays(t, way.chain, way.ticker, []string{"1", "8", "0.001", "2.5"}[dice.IntN(4)], places[way.ticker+way.network][dice.IntN(3)])
		if dice.IntN(3) > 0 {
			w.clock.advance(schema.Second)
		}
		w.mines(way.chain, 1)
		if to := dice.IntN(6); to < len(outside) {
			answers(t, c.withdraws("USDT", "1", outside[to], fmt.Sprint("out ", n), nil), arr{})
			if sent++; to == 1 {
				inside++ // which is a deposit too
			}
		}
		switch dice.IntN(12) {
		case 0:
			w.Do(&schema.ReorgSandbox{Chain: way.chain, Depth: 1, DropAll: true})
		case 1:
			w.tries(t, &schema.DecideDeposit{Deposit: n + inside + 1, Decision: schema.FreezeDeposit})
		case 2:
			w.tries(t, &schema.DecideDeposit{Deposit: n + inside + 1, Decision: schema.CancelDeposit})
		}
	}
	for _, unique := range []string{"sent", "queued"} {
		answers(t, c.withdraws("USDT", "1", outside[0], unique, nil), arr{})
		if sent++; unique == "sent" {
			w.mines(w.eth, 1)
		}
	}
	answer := c.must("main-account/history", obj{"limit": 500})
	for _, r := range answer["records"].([]any) {
		all.records = append(all.records, r.(map[string]any))
	}
	states := map[string]int{}
	for _, r := range all.records {
		states[fmt.Sprint(r["method"], " ", r["status"])]++
	}
	if len(all.records) != 200+sent || len(states) != 9 {
		t.Fatalf("%d records, %v", len(all.records), states)
	}
	return all
}

// tries lets the operator do something that may be refused.
func (w depositWorld) tries(t *testing.T, c schema.Command) {
	var result schema.Result
	if err := w.Exchange.Node.Submit(t.Context(), c, &result); err != nil {
		t.Fatal(err)
	}
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

// TestHistoryIsGoneThroughToABound: what is found by no index is looked for among the newest 10,000 records, for the page and for the
// total.
func TestHistoryIsGoneThroughToABound(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	alice := w.trader(t, "alice")
	index := w.Do(&schema.OpenAddress{Account: w.account("alice").ID, Chain: w.real}).Address.Index
	const blocks, each = 23, schema.MaxReceipts
	parent := schema.Digest{}
	for height := uint64(1); height <= blocks; height++ {
		block := &schema.ChainBlock{Chain: w.real, Height: height, Parent: parent}
		block.Hash[0], parent = byte(height), schema.Digest{byte(height)}
		for n := range each {
			block.Receipts = append(block.Receipts, schema.Receipt{
				ID: fmt.Sprintf("%d:%d", height, n), Asset: w.asset("SIG"), Amount: decimal(t, "1"), Index: index,
				Text: []string{"even", "odd"}[height%2], Memo: []string{"few", "many", "many", "many", "many"}[n%5],
			})
		}
		w.Do(block)
		for busy := true; busy; {
			w.tick(w.clock)
			w.Exchange.API.Read(func(m core.View) { busy = m.Chains().Standing(w.real).Busy })
		}
	}
	page := func(fields obj, total int, heights ...int) {
		t.Helper()
		answer := alice.must("main-account/history", fields)
		is(t, fmt.Sprint(fields), answer["total"], total)
		var got []int
		for _, r := range answer["records"].([]any) {
			var height int
			fmt.Sscan(r.(map[string]any)["transactionHash"].(string), &height)
			got = append(got, height)
		}
		if !slices.Equal(got, heights) {
			t.Errorf("%v: %v, should be %v", fields, got, heights)
		}
	}
	page(obj{"limit": 2}, blocks*each, 23, 23)
	page(obj{"limit": 2, "memo": "few"}, 2_000, 23, 23)
	page(obj{"limit": 2, "memo": "few", "offset": 199}, 2_000, 23, 22)
	page(obj{"limit": 3, "memo": "few", "offset": 598}, 2_000, 21, 21, 20)
	page(obj{"limit": 2, "memo": "few", "offset": 1_998}, 2_000, 14, 14)
	page(obj{"limit": 2, "memo": "few", "address": "odd", "offset": 1_998}, 2_000, 5, 5) // of those at one address
	page(obj{"limit": 1, "addresses": arr{"odd", "none"}, "offset": 1_000}, 5_000, 21)
	page(obj{"limit": 1, "addresses": arr{"odd", "even"}, "memo": "none"}, 0)
	page(obj{"limit": 1, "addresses": arr{""}}, 0)
	page(obj{"limit": 1, "addresses": arr{"", "odd"}, "address": "even"}, 0)
	page(obj{"limit": 1, "address": "odd", "offset": 1_000}, 10_000, 21) // of one address 10,000 are counted
}
