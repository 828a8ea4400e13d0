package naive

import (
	"testing"

	"bourse/internal/schema"
)

func takes(a schema.AccountID, s schema.AssetID, amount string) *schema.TakeFaucet {
	return &schema.TakeFaucet{Account: a, Asset: s, Amount: d(amount)}
}

func faucetSpent(left string) schema.Rejection {
	return schema.Rejection{Reason: schema.FaucetSpent, Value: d(left)}
}

// take takes from the faucet and says what is left.
func (w *world) take(a schema.AccountID, s schema.AssetID, amount, left string) {
	w.t.Helper()
	if got := w.must(takes(a, s, amount)).Left; got != d(left) {
		w.t.Errorf("after %s was taken %s is left, want %s", amount, got, left)
	}
}

func TestFaucetGivesAnAmountOfMoneyADay(t *testing.T) {
	const aDay schema.Time = 86_400_000_000
	w := newWorld(t)
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("10000")})
	w.happened("*schema.FaucetChanged")
	w.take(anna, usd, "250", "9750")
	w.happened("1 main of 2 by faucet for 0: -300250 0", "101 trade of 2 by faucet for 0: 100250 0", "*schema.FaucetTaken")
	taken := w.last.Events[2].(*schema.FaucetTaken)
	if taken.Taken != *takes(anna, usd, "250") || taken.Left != d("9750") {
		t.Errorf("the event is %+v", taken)
	}
	w.refused(faucetSpent("9750"), takes(anna, usd, "9750.01"))
	w.take(ben, usd, "10000", "0") // every account has a limit of its own
	w.take(anna, usd, "9750", "0")
	w.refused(faucetSpent("0"), takes(anna, usd, "0.01"))

	w.time = 3*aDay - 2
	w.take(anna, usd, "1", "9999") // in the last microsecond of a day
	w.take(anna, usd, "10000", "0")
}

func TestFaucetWhoseLimitChanges(t *testing.T) {
	w := newWorld(t)
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("100")})
	w.take(anna, usd, "80", "20")
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("50")})
	w.refused(faucetSpent("0"), takes(anna, usd, "0.01"))
	w.take(ben, usd, "50", "0")
	w.must(&schema.SetFaucet{Asset: usd})
	w.refused(because(schema.FaucetUnavailable), takes(anna, usd, "1"))
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("80.00000001")})
	w.refused(faucetSpent("0.00000001"), takes(anna, usd, "0.01"))
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("80.01")})
	w.take(anna, usd, "0.01", "0")
}

func TestFaucetChecksInOrder(t *testing.T) {
	w := newWorld(t)
	nobody := schema.AccountID(99)
	w.refused(because(schema.AccountUnknown), takes(nobody, 9, "-1"))
	w.refused(because(schema.FaucetUnavailable), takes(anna, 9, "-1"))
	w.refused(because(schema.FaucetUnavailable), takes(anna, usd, "-1"))
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("1")})
	cent := schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.01")}
	w.refused(cent, takes(anna, usd, "-1"))
	w.refused(cent, takes(anna, usd, "0"))
	w.refused(schema.Rejection{Reason: schema.MoveTooPrecise, Value: d("2")}, takes(anna, usd, "7.001"))
	w.refused(faucetSpent("1"), takes(anna, usd, "100000000000000000000"))
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("100000000000000000000")})
	w.refused(because(schema.MoveTooLarge), takes(anna, usd, "100000000000000000000"))
	w.must(&schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global, Blocked: true}})
	w.refused(because(schema.AccountBlocked), takes(anna, 9, "-1"))
}

func TestFaucetLimits(t *testing.T) {
	w := newWorld(t)
	set := func(s schema.AssetID, limit string) *schema.SetFaucet {
		return &schema.SetFaucet{Asset: s, Limit: d(limit)}
	}
	w.refused(because(schema.AssetUnknown), set(9, "-1"))
	w.refused(because(schema.FaucetLimitInvalid), set(usd, "-0.01"))
	w.refused(because(schema.FaucetLimitInvalid), set(usd, "0.000000001"))
	w.must(set(usd, "0.00000001"))
	w.must(set(usd, "0"))
}

// given is what dora takes on the sandbox, at the address with an index.
func given(index schema.AddressIndex, amount string) *schema.PayFaucet {
	return &schema.PayFaucet{Account: dora, Payment: *pays(index, amount)}
}

func TestFaucetPaysBySandbox(t *testing.T) {
	w := newSandbox(t)
	w.must(&schema.SetFaucet{Asset: btc, Limit: d("10")})
	result := w.must(given(1, "4"))
	if result.ID != 1 || result.Left != d("6") {
		t.Errorf("the result is %+v", result)
	}
	w.happened("*schema.FaucetTaken")
	if taken := w.last.Events[0].(*schema.FaucetTaken); taken.Taken != *takes(dora, btc, "4") || taken.Left != d("6") {
		t.Errorf("the event is %+v", taken)
	}
	w.must(mines(1))
	w.happened("deposit 1 of 104: 4 confirming at 1", "chain 1 at 1")
	w.must(mines(2))
	w.happened("chain 1 at 2", "8 main of 1 by deposit for 0: -4 0", "104 main of 1 by deposit for 0: 4 0", "104 main of 1 by deposit for 0: 4 0",
		"deposit 1 of 104: 4 held at 1", "chain 1 at 3", "104 main of 1 by deposit for 0: 4 0", "deposit 1 of 104: 4 credited at 1")
	// Both ways of taking count for the same day.
	w.take(dora, btc, "5", "1")
	w.refused(faucetSpent("1"), given(1, "1.5"))
}

func TestFaucetBySandboxChecksInOrder(t *testing.T) {
	w := newSandbox(t)
	w.must(&schema.OpenAddress{Account: anna, Chain: sand})
	bad := given(2, "-1")
	bad.Account = 99
	w.refused(because(schema.AccountUnknown), bad)
	bad = given(2, "-1")
	w.refused(because(schema.FaucetUnavailable), bad)
	w.must(&schema.SetFaucet{Asset: btc, Limit: d("10")})
	bad.Payment.Chain = 9
	w.refused(because(schema.FaucetUnavailable), bad)
	bad.Payment.Chain = sand
	bad.Payment.Receipt.Asset = usd
	w.must(&schema.SetFaucet{Asset: usd, Limit: d("10")})
	w.refused(because(schema.FaucetUnavailable), bad) // money of a state comes by no sandbox
	w.network(func(n *schema.Network) { n.CanDeposit = false })
	w.refused(because(schema.FaucetUnavailable), given(2, "-1"))
	w.network(func(n *schema.Network) {
		n.CanDeposit, n.MinDeposit, n.MaxDeposit, n.DepositFixed = true, d("0.5"), d("8"), d("0.75")
	})
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.00000001")}, given(2, "-1"))
	w.refused(faucetSpent("10"), given(2, "10.5"))
	w.refused(schema.Rejection{Reason: schema.DepositBelowMin, Value: d("0.5")}, given(2, "0.4"))
	w.refused(schema.Rejection{Reason: schema.DepositAboveMax, Value: d("8")}, given(2, "9"))
	w.refused(schema.Rejection{Reason: schema.DepositBelowMin, Value: d("0.75")}, given(2, "0.7"))
	w.refused(because(schema.BlockInvalid), given(2, "1")) // anna's address
	w.refused(because(schema.BlockInvalid), given(0, "1"))
	w.refused(because(schema.BlockInvalid), given(3, "1"))
	named := given(1, "1")
	named.Payment.Receipt.ID = "x"
	w.refused(because(schema.BlockInvalid), named)
	w.must(given(1, "1"))
}
