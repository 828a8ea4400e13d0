package wallet

import (
	"slices"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	btc   schema.AssetID   = 1
	usdt  schema.AssetID   = 2
	alice schema.AccountID = schema.FirstCustomer
)

func amount(n int64) fixed.Decimal { return fixed.FromInt(n) }

// bank is wallets of one customer for two assets and their market, whose index price is 100.
type bank struct {
	*Wallets
	t     *testing.T
	whole bool
	// bound is what margin does not let go; credited are the assets that became collateral.
	bound    fixed.Decimal
	credited []schema.AssetID
}

func open(t *testing.T) *bank {
	b := &bank{t: t, whole: true}
	out := &schema.Outcome{}
	l, a := listing.New(), accounts.New()
	for _, ticker := range []string{"BTC", "USDT"} {
		if r := l.SetAsset(schema.Asset{Ticker: ticker, Class: schema.Crypto, Scale: 8, Precision: 2, CanDeposit: true, CanWithdraw: true}, out); r.Refused() {
			t.Fatal(r.Text())
		}
	}
	market := schema.MarketInfo{Name: "BTC_USDT", Base: btc, Quote: usdt, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 8}
	if r := l.SetMarket(market, out); r.Refused() {
		t.Fatal(r.Text())
	}
	if r := a.Set(schema.Account{Name: "alice", Region: schema.Global}, out); r.Refused() {
		t.Fatal(r.Text())
	}
	out.Reset(0)
	b.Wallets = &Wallets{
		Ledger: ledger.New(&out.Events), Listing: l, Accounts: a, Out: out, WholeAccount: &b.whole,
		Index:     func(schema.MarketID) (index, last fixed.Decimal) { return amount(100), amount(100) },
		ChainHeld: func(schema.AccountID, schema.AssetID) fixed.Decimal { return fixed.Zero },
	}
	b.Wallets.Collateral = b
	return b
}

// Free is what margin leaves free of what is there: all but what the test binds.
func (b *bank) Free(account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	return b.Ledger.Available(b.Ledger.Find(account, schema.Collateral, asset)).Sub(b.bound)
}

func (b *bank) Leaving(schema.AccountID) {}

func (b *bank) Credited(account schema.AccountID, asset schema.AssetID) {
	b.credited = append(b.credited, asset)
}

// balance of a wallet: available and held.
func (b *bank) balance(w schema.Wallet, asset schema.AssetID, available, held int64) {
	b.t.Helper()
	got, frozen, waiting := b.Ledger.Balance(b.Ledger.Find(alice, w, asset))
	if got != amount(available) || !frozen.IsZero() || waiting != amount(held) {
		b.t.Errorf("%s has %s, %s frozen and %s held of asset %d, want %d and %d held", w, got, frozen, waiting, asset, available, held)
	}
}

// is holds a rejection to a reason, and to a value where there is one.
func (b *bank) is(r schema.Rejection, reason schema.Reason, value fixed.Decimal) {
	b.t.Helper()
	if r.Reason != reason || r.Value != value {
		b.t.Errorf("refused with %d %q (%s), want %d (%s)", r.Reason, r.Text(), r.Value, reason, value)
	}
}

func (b *bank) move(from, to schema.Wallet, asset schema.AssetID, n fixed.Decimal) schema.Rejection {
	return b.Transfer(&schema.Transfer{Account: alice, Asset: asset, Amount: n, From: from, To: to})
}

func TestDepositsArriveInMain(t *testing.T) {
	b := open(t)
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(10)}), schema.OK, fixed.Zero)
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(5), Held: true}), schema.OK, fixed.Zero)
	b.balance(schema.Main, usdt, 15, 5)
	b.is(b.ConfirmDeposit(&schema.ConfirmDeposit{Account: alice, Asset: usdt, Amount: amount(6)}), schema.ConfirmTooMuch, amount(5))
	b.is(b.ConfirmDeposit(&schema.ConfirmDeposit{Account: alice, Asset: usdt, Amount: amount(5)}), schema.OK, fixed.Zero)
	b.balance(schema.Main, usdt, 15, 0)

	b.is(b.Deposit(&schema.Deposit{Account: alice + 1, Asset: usdt, Amount: amount(1)}), schema.AccountUnknown, fixed.Zero)
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: 3, Amount: amount(1)}), schema.AssetUnknown, fixed.Zero)
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt}), schema.MoveNotPositive, fixed.FromUnits(1, 8))
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: fixed.FromUnits(1, 9)}), schema.MoveTooPrecise, amount(8))
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: ledger.Limit}), schema.MoveTooPrecise, amount(8))
	b.balance(schema.Main, usdt, 15, 0)
}

// TestTheWorldOutsideOwesSoMuchAndNoMore: half of what a number holds, so that no balance overflows.
func TestTheWorldOutsideOwesSoMuchAndNoMore(t *testing.T) {
	b := open(t)
	most := fixed.FromBits(1<<62-1, 1<<64-1)
	whole, ok := fixed.Mul(most, amount(1), 8, fixed.Down)
	if !ok {
		t.Fatal("the limit cannot be cut")
	}
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: whole}), schema.OK, fixed.Zero)
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(1)}), schema.MoveTooLarge, fixed.Zero)
}

func TestTransfersGoThroughMain(t *testing.T) {
	b := open(t)
	b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(10)})
	b.is(b.move(schema.Main, schema.Trade, usdt, amount(4)), schema.OK, fixed.Zero)
	b.is(b.move(schema.Trade, schema.Main, usdt, amount(1)), schema.OK, fixed.Zero)
	b.is(b.move(schema.Main, schema.Collateral, usdt, amount(2)), schema.OK, fixed.Zero)
	b.balance(schema.Main, usdt, 5, 0)
	b.balance(schema.Trade, usdt, 3, 0)
	b.balance(schema.Collateral, usdt, 2, 0)
	if b.LastTransfer != 3 {
		t.Errorf("%d transfers", b.LastTransfer)
	}
	b.is(b.move(schema.Trade, schema.Collateral, usdt, amount(1)), schema.WalletsNotDirect, fixed.Zero)
	b.is(b.move(schema.Main, schema.Main, usdt, amount(1)), schema.WalletsEqual, fixed.Zero)
	b.is(b.move(schema.Earn, schema.Main, usdt, amount(1)), schema.FromInvalid, fixed.Zero)
	b.is(b.move(schema.Main, 0, usdt, amount(1)), schema.ToInvalid, fixed.Zero)
	b.is(b.move(schema.Trade, schema.Main, usdt, amount(4)), schema.MoveNotCovered, amount(3))
	b.is(b.move(schema.Main, schema.Trade, usdt, fixed.FromUnits(1, 3)), schema.MoveTooPrecise, amount(2))
	b.Listing.Asset(usdt).CanWithdraw = false
	b.is(b.move(schema.Trade, schema.Main, usdt, amount(1)), schema.LeavingDisabled, fixed.Zero)
	b.Listing.Asset(usdt).CanDeposit = false
	b.is(b.move(schema.Main, schema.Trade, usdt, amount(1)), schema.EnteringDisabled, fixed.Zero)
	if b.LastTransfer != 3 {
		t.Errorf("refused transfers were numbered: %d", b.LastTransfer)
	}
}

// TestNothingBecomesCollateralInTheEU: neither for accounts of the EU nor at a deployment there; what is collateral can leave.
func TestNothingBecomesCollateralInTheEU(t *testing.T) {
	b := open(t)
	b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(10)})
	b.is(b.move(schema.Main, schema.Collateral, usdt, amount(4)), schema.OK, fixed.Zero)
	for _, c := range []struct{ account, deployment schema.Region }{
		{schema.EU, 0}, {schema.EU, schema.Global}, {schema.Global, schema.EU}, {schema.EU, schema.EU},
	} {
		b.Accounts.Get(alice).Region, b.Out.Region = c.account, c.deployment
		b.is(b.move(schema.Main, schema.Collateral, usdt, amount(1)), schema.CollateralNotOffered, fixed.Zero)
		b.is(b.move(schema.Collateral, schema.Main, usdt, amount(1)), schema.OK, fixed.Zero)
		b.is(b.move(schema.Main, schema.Trade, usdt, amount(1)), schema.OK, fixed.Zero)
	}
	b.balance(schema.Main, usdt, 6, 0)
	b.balance(schema.Trade, usdt, 4, 0)
	b.balance(schema.Collateral, usdt, 0, 0)
}

// TestHeldMoneyStays: it may be traded, and neither leave nor become collateral; nor may what was bought
// with it, unless the account owns enough beside it.
func TestHeldMoneyStays(t *testing.T) {
	b := open(t)
	leave := func(asset schema.AssetID, n int64) schema.Rejection {
		return b.Withdraw(&schema.Withdraw{Account: alice, Asset: asset, Amount: amount(n)})
	}
	b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(500)})
	b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(1000), Held: true})
	b.is(leave(usdt, 501), schema.MoveHeld, amount(500))
	b.is(b.move(schema.Main, schema.Collateral, usdt, amount(501)), schema.MoveHeld, amount(500))
	b.is(b.move(schema.Main, schema.Trade, usdt, amount(1500)), schema.OK, fixed.Zero)

	// Ten bitcoins at 100 are bought with what is held.
	trade := b.Ledger.Find(alice, schema.Trade, usdt)
	house := func(asset schema.AssetID) ledger.Cell { return b.Ledger.Open(schema.House, schema.Main, asset) }
	b.Ledger.Move(trade, house(usdt), amount(1000), ledger.Note{})
	b.Ledger.Move(house(btc), b.Ledger.Open(alice, schema.Main, btc), amount(10), ledger.Note{})
	b.is(leave(btc, 6), schema.MoveHeld, amount(5))
	b.is(leave(btc, 5), schema.OK, fixed.Zero)
	b.is(leave(btc, 1), schema.MoveHeld, fixed.Zero)
	b.ConfirmDeposit(&schema.ConfirmDeposit{Account: alice, Asset: usdt, Amount: amount(1000)})
	b.is(leave(btc, 5), schema.OK, fixed.Zero)
}

func TestHeldMoneyWithoutAPriceBindsEverything(t *testing.T) {
	b := open(t)
	b.Deposit(&schema.Deposit{Account: alice, Asset: btc, Amount: amount(1), Held: true})
	b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(1000)})
	b.move(schema.Main, schema.Trade, btc, amount(1))
	b.Ledger.Move(b.Ledger.Find(alice, schema.Trade, btc), b.Ledger.Open(schema.House, schema.Main, btc), amount(1), ledger.Note{})
	b.Index = func(schema.MarketID) (index, last fixed.Decimal) { return fixed.Zero, fixed.Zero }
	b.is(b.Withdraw(&schema.Withdraw{Account: alice, Asset: usdt, Amount: amount(1)}), schema.MoveHeld, fixed.Zero)
	b.whole = false
	b.is(b.Withdraw(&schema.Withdraw{Account: alice, Asset: usdt, Amount: amount(1)}), schema.OK, fixed.Zero)
}

func TestBlockedAccountsReceiveButSendNothing(t *testing.T) {
	b := open(t)
	b.Accounts.Get(alice).Blocked = true
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(1)}), schema.OK, fixed.Zero)
	b.is(b.Withdraw(&schema.Withdraw{Account: alice, Asset: usdt, Amount: amount(1)}), schema.AccountBlocked, fixed.Zero)
	b.is(b.move(schema.Main, schema.Trade, usdt, amount(1)), schema.AccountBlocked, fixed.Zero)
}

func TestCollateralLeavesAsFarAsMarginLets(t *testing.T) {
	b := open(t)
	b.is(b.Deposit(&schema.Deposit{Account: alice, Asset: usdt, Amount: amount(10)}), schema.OK, fixed.Zero)
	b.is(b.move(schema.Main, schema.Collateral, usdt, amount(10)), schema.OK, fixed.Zero)
	if !slices.Equal(b.credited, []schema.AssetID{usdt}) {
		t.Errorf("collateral came in, and %v was said", b.credited)
	}
	b.bound = amount(6)
	b.is(b.move(schema.Collateral, schema.Main, usdt, amount(5)), schema.MoveNotCovered, amount(4))
	b.is(b.move(schema.Collateral, schema.Main, usdt, amount(50)), schema.MoveNotCovered, amount(4))
	b.balance(schema.Collateral, usdt, 10, 0)
	b.is(b.move(schema.Collateral, schema.Main, usdt, amount(4)), schema.OK, fixed.Zero)
	b.balance(schema.Main, usdt, 4, 0)
	if len(b.credited) != 1 {
		t.Error("what leaves is said to come in")
	}
}

func TestWhatAnAmountIsWorth(t *testing.T) {
	b := open(t)
	index, last := fixed.MustParse("0.3"), fixed.MustParse("0.2")
	b.Index = func(schema.MarketID) (fixed.Decimal, fixed.Decimal) { return index, last }
	worth := func(asset schema.AssetID, amount string, want fixed.Decimal, known bool) {
		t.Helper()
		if got, is := b.Value(asset, fixed.MustParse(amount)); got != want || is != known {
			t.Errorf("%s of asset %d: %s %v, want %s %v", amount, asset, got, is, want, known)
		}
	}
	worth(btc, "0.00000011", fixed.MustParse("0.00000004"), true)
	worth(usdt, "7", amount(7), true)
	last = amount(20)
	worth(btc, "2", amount(40), true)
	last = fixed.Max
	worth(btc, "2", fixed.Max, true)
	index, last = fixed.Zero, fixed.Zero
	worth(btc, "2", fixed.Zero, false)
}
