package conform_test

import (
	"testing"
	"time"

	"bourse/internal/schema"
)

// tiered sets a tier and the settings of an account.
func (w depositWorld) tiered(t *testing.T, name string, tier schema.Tier, change func(*schema.Account)) {
	t.Helper()
	w.Do(&schema.SetTier{Tier: tier})
	a := w.account(name)
	change(&a)
	w.Do(&schema.SetAccount{Account: a})
}

// TestLimitsOfATier: what leaves in a day and in a month is bounded, in words that depend on whether it is known who the customer is
// (account-wallet 5). Codes count too, and what is canceled does not.
func TestLimitsOfATier(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice, bob, far := w.trader(t, "alice"), w.trader(t, "bob"), arrival{farETH, ""}
	w.gives(t, "alice", "USDT", "10000")
	w.gives(t, "bob", "USDT", "10000")
	w.tiered(t, "alice", schema.Tier{Number: 2, Day: decimal(t, "1000"), Month: decimal(t, "1500")}, func(a *schema.Account) { a.Tier, a.Verified = 2, true })
	w.tiered(t, "bob", schema.Tier{Number: 0, Day: decimal(t, "100")}, func(a *schema.Account) { a.Tier = 2 })

	answers(t, alice.withdraws("USDT", "600", far, "a", nil), arr{})
	refuses(t, alice.withdraws("USDT", "400.000001", far, "b", nil), inner(422, 0, "amount", "Daily limit reached"))
	alice.must("main-account/codes", obj{"ticker": "USDT", "amount": "300"})
	refuses(t, alice.ask("main-account/codes", obj{"ticker": "USDT", "amount": "100.000001"}), inner(422, 0, "amount", "Daily limit reached"))
	answers(t, alice.pays("USDT", "100", far, "c", nil), arr{})
	if r := w.decides(t, "olga", 2, schema.CancelWithdrawal); r.Refused() {
		t.Fatal(r.Text())
	}
	answers(t, alice.withdraws("USDT", "100", far, "d", nil), arr{})

	w.clock.advance(24 * 3600 * schema.Second)
	refuses(t, alice.withdraws("USDT", "500.000001", far, "e", nil), inner(422, 0, "amount", "Monthly limit reached"))
	answers(t, alice.withdraws("USDT", "500", far, "e", nil), arr{})

	// Who is not verified is in tier 0, whatever is set.
	refuses(t, bob.withdraws("USDT", "100.000001", far, "a", nil), broken("amount", "Current limit exceeded"))
	answers(t, bob.withdraws("USDT", "100", far, "a", nil), arr{})
	bob.main("USDT", "9900", "0")
}

// TestLimitsWithoutAPrice: what has no rate cannot be counted. An operator looks at withdrawals of customers who are known; nothing
// else leaves.
func TestLimitsWithoutAPrice(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice, far := w.trader(t, "alice"), arrival{farBTC, ""}
	w.gives(t, "alice", "DEP", "10")
	w.gives(t, "bob", "DEP", "10")
	bounds := schema.Tier{Number: 0, Day: decimal(t, "100")}
	w.tiered(t, "alice", bounds, func(a *schema.Account) { a.Verified = true })
	unknown := broken("amount", "This currency has no active pairs or it may have been delisted. Its rate cannot be calculated at the moment.")
	refuses(t, alice.ask("main-account/codes", obj{"ticker": "DEP", "amount": "1"}), unknown)
	refuses(t, w.trader(t, "bob").withdraws("DEP", "2", far, "a", nil), unknown)
	answers(t, alice.withdraws("DEP", "2", far, "a", nil), arr{})
	alice.past(nil, seenWithdrawal{
		ticker: "DEP", name: "Deposit coin", network: "DEP", to: far, unique: "a", amount: "1.977", fee: "0.023", status: 10, at: w.clock.seconds(),
	}.record())
}

// TestNothingLeavesForAWhile: after something that may have been done by somebody else (account-wallet 5).
func TestNothingLeavesForAWhile(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	alice, far := w.trader(t, "alice"), arrival{farBTC, ""}
	w.gives(t, "alice", "DEP", "10")
	a := w.account("alice")
	a.RestrictedUntil = noon + 3*24*3600*schema.Second - 1
	w.Do(&schema.SetAccount{Account: a})
	restricted := inner(422, 0, "error", "Withdrawals restricted until "+time.UnixMicro(int64(a.RestrictedUntil)+1).UTC().Format(time.DateTime))
	refuses(t, alice.withdraws("DEP", "2", far, "a", nil), restricted)
	refuses(t, alice.pays("DEP", "2", far, "a", nil), restricted)
	refuses(t, alice.ask("main-account/codes", obj{"ticker": "DEP", "amount": "1"}), restricted)
	w.clock.set(a.RestrictedUntil)
	answers(t, alice.withdraws("DEP", "2", far, "a", nil), arr{})
}

// TestNewAddressesAreGranted: to accounts, by operators (account-wallet 3).
func TestNewAddressesAreGranted(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice")
	alice, a := w.trader(t, "alice"), w.account("alice")
	a.NewAddresses = false
	w.Do(&schema.SetAccount{Account: a})
	refuses(t, alice.ask("main-account/create-new-address", obj{"ticker": "DEP"}),
		refusal{403, 0, "You don't have permission to use this endpoint. Please contact support for more details", obj{}})
	alice.at("DEP", nil)
	a.NewAddresses = true
	w.Do(&schema.SetAccount{Account: a})
	alice.fresh("DEP", nil)
}

// TestWithdrawableBalance: what is held does not leave, nor what was bought with it, by the asset and by the value of the whole
// account (account-wallet 2).
func TestWithdrawableBalance(t *testing.T) {
	t.Parallel()
	w := newWithdrawWorld(t, "alice", "bob")
	alice := w.trader(t, "alice")
	says := func(assets obj, value string) {
		t.Helper()
		answers(t, alice.ask("main-account/withdrawable-balance", nil), obj{"assets": assets, "availableBalanceStable": value})
	}
	says(obj{}, "0")
	w.gives(t, "alice", "USDT", "100")
	says(obj{"USDT": "100"}, "100")
	w.Do(&schema.Deposit{Account: w.account("alice").ID, Asset: w.asset("USDT"), Amount: decimal(t, "900"), Held: true})
	says(obj{"USDT": "100"}, "100")
	w.Do(&schema.Deposit{Account: w.account("alice").ID, Asset: w.asset("DEP"), Amount: decimal(t, "0.5"), Held: true})
	says(obj{"USDT": "100", "DEP": "0"}, "0") // what DEP is worth is not known
	w.Do(&schema.SetIndex{Market: 1, Price: decimal(t, "10")})
	says(obj{"USDT": "100", "DEP": "0"}, "100")
	answers(t, alice.withdraws("USDT", "40", arrival{farETH, ""}, "a", nil), arr{})
	says(obj{"USDT": "60", "DEP": "0"}, "60")
}
