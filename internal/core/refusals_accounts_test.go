package core

import (
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestSetAccountRefuses(t *testing.T) {
	good := schema.Account{Name: "newcomer", Region: schema.Global}
	with := func(change func(a *schema.Account)) *schema.SetAccount {
		return &schema.SetAccount{Account: changed(good, change)}
	}
	refuse(t, []refusal{
		{"an account that does not exist", with(func(a *schema.Account) { a.ID = 999 }), schema.AccountUnknown},
		{"a system account", with(func(a *schema.Account) { a.ID = schema.Fees }), schema.AccountUnknown},
		{"no name", with(func(a *schema.Account) { a.Name = "" }), schema.NameInvalid},
		{"a name of 65 bytes", with(func(a *schema.Account) { a.Name = strings.Repeat("n", 65) }), schema.NameInvalid},
		{"the name of another", with(func(a *schema.Account) { a.Name = "trader1" }), schema.NameTaken},
		{"renamed to another's name", with(func(a *schema.Account) { a.ID, a.Name = 101, "trader1" }), schema.NameTaken},
		{"no region", with(func(a *schema.Account) { a.Region = 0 }), schema.RegionInvalid},
		{"an unknown region", with(func(a *schema.Account) { a.Region = 3 }), schema.RegionInvalid},
		{"a tier that there is not", with(func(a *schema.Account) { a.Tier = 10 }), schema.TierInvalid},
		{"restricted before there was time", with(func(a *schema.Account) { a.RestrictedUntil = -1 }), schema.TierInvalid},
		{"a maker fee of 50", with(func(a *schema.Account) { a.MakerFee = schema.Some(d("50")) }), schema.FeeInvalid},
		{"a taker fee of 50", with(func(a *schema.Account) { a.TakerFee = schema.Some(d("50")) }), schema.FeeInvalid},
		{"a taker that is paid", with(func(a *schema.Account) { a.TakerFee = schema.Some(d("-0.01")) }), schema.FeeInvalid},
		{"a leverage that there is not", with(func(a *schema.Account) { a.MaxLeverage = 4 }), schema.LeverageInvalid},
		{"a fee of 17 decimals", with(func(a *schema.Account) { a.MakerFee = schema.Some(d("0.00000000000000001")) }), schema.FeeInvalid},
	})
}

func TestKeysAreRefused(t *testing.T) {
	good := schema.Key{Key: "key-3", Account: 101, Sealed: []byte("sealed")}
	with := func(change func(k *schema.Key)) *schema.SetKey { return &schema.SetKey{Key: changed(good, change)} }
	refuse(t, []refusal{
		{"a key of nobody", with(func(k *schema.Key) { k.Account = 0 }), schema.AccountUnknown},
		{"a key of a system account", with(func(k *schema.Key) { k.Account = schema.House }), schema.AccountUnknown},
		{"a key without a name", with(func(k *schema.Key) { k.Key = "" }), schema.KeyInvalid},
		{"a key of 129 bytes", with(func(k *schema.Key) { k.Key = strings.Repeat("k", 129) }), schema.KeyInvalid},
		{"a key without a secret", with(func(k *schema.Key) { k.Sealed = nil }), schema.KeyInvalid},
		{"what has its public part no more", with(func(k *schema.Key) { k.ID = 1 }), schema.KeyUnknown},
		{"the key of another account", with(func(k *schema.Key) { k.Key = "key-2" }), schema.KeyInvalid},
		{"deleting what is not there", &schema.DeleteKey{Key: "key-3"}, schema.KeyUnknown},
		{"deleting nothing", &schema.DeleteKey{}, schema.KeyUnknown},
	})
}

func TestSetFeeRefuses(t *testing.T) {
	refuse(t, []refusal{
		{"nobody", &schema.SetFee{Market: 1}, schema.AccountUnknown},
		{"a system account", &schema.SetFee{Account: schema.Fees, Market: 1}, schema.AccountUnknown},
		{"no market", &schema.SetFee{Account: 101, Market: 4}, schema.MarketUnavailable},
		{"a maker fee of 50", &schema.SetFee{Account: 101, Market: 1, Maker: schema.Some(d("50"))}, schema.FeeInvalid},
		{"a taker fee of 50", &schema.SetFee{Account: 101, Market: 1, Taker: schema.Some(d("50"))}, schema.FeeInvalid},
		{"a taker that is paid", &schema.SetFee{Account: 101, Market: 1, Taker: schema.Some(d("-1"))}, schema.FeeInvalid},
		// The account has no desk there yet: the refused fee must not leave one.
		{"where it never traded", &schema.SetFee{Account: 104, Market: 3, Taker: schema.Some(d("-1"))}, schema.FeeInvalid},
	})
}

func TestKillSwitchRefuses(t *testing.T) {
	with := func(change func(c *schema.SetKillSwitch)) *schema.SetKillSwitch {
		c := changed(schema.SetKillSwitch{Account: 102, Market: 1, Timeout: 60 * schema.Second}, change)
		return &c
	}
	refuse(t, []refusal{
		{"nobody", with(func(c *schema.SetKillSwitch) { c.Account = 0 }), schema.AccountUnknown},
		{"no market", with(func(c *schema.SetKillSwitch) { c.Market = 9 }), schema.MarketUnavailable},
		{"too short", with(func(c *schema.SetKillSwitch) { c.Timeout = 5*schema.Second - 1 }), schema.TimeoutTooShort},
		{"below zero", with(func(c *schema.SetKillSwitch) { c.Timeout = -60 * schema.Second }), schema.TimeoutTooShort},
		{"too long", with(func(c *schema.SetKillSwitch) { c.Timeout = 600*schema.Second + 1 }), schema.TimeoutTooLong},
		{"unknown products", with(func(c *schema.SetKillSwitch) { c.Products = 8 }), schema.ProductsInvalid},
	})
}

func TestMovingMoneyIsRefused(t *testing.T) {
	block := &schema.SetAccount{Account: schema.Account{ID: 103, Name: "trader2", Region: schema.Global, Blocked: true}}
	held := &schema.Deposit{Account: 101, Asset: 3, Amount: d("500"), Held: true} // main: 10000 + 500
	transfer := func(from, to schema.Wallet, amount string) *schema.Transfer {
		return &schema.Transfer{Account: 101, Asset: 3, Amount: d(amount), From: from, To: to}
	}
	refuse(t, []refusal{
		{"deposit to nobody", &schema.Deposit{Account: 999, Asset: 1, Amount: d("1")}, schema.AccountUnknown},
		{"deposit to a system account", &schema.Deposit{Account: schema.Outside, Asset: 1, Amount: d("1")}, schema.AccountUnknown},
		{"deposit of nothing known", &schema.Deposit{Account: 101, Asset: 4, Amount: d("1")}, schema.AssetUnknown},
		{"deposit of zero", &schema.Deposit{Account: 101, Asset: 1}, schema.MoveNotPositive},
		{"deposit below zero", &schema.Deposit{Account: 101, Asset: 1, Amount: d("-1")}, schema.MoveNotPositive},
		{"deposit finer than the ledger", &schema.Deposit{Account: 101, Asset: 2, Amount: d("0.0000000000001")}, schema.MoveTooPrecise},
		{"deposit beyond all money", &schema.Deposit{Account: 101, Asset: 1, Amount: fixed.Max}, schema.MoveTooLarge},
		{"confirm for nobody", &schema.ConfirmDeposit{Asset: 3, Amount: d("1")}, schema.AccountUnknown},
		{"confirm nothing known", &schema.ConfirmDeposit{Account: 101, Amount: d("1")}, schema.AssetUnknown},
		{"confirm zero", &schema.ConfirmDeposit{Account: 101, Asset: 3}, schema.MoveNotPositive},
		{"confirm too finely", &schema.ConfirmDeposit{Account: 101, Asset: 2, Amount: d("0.0000000000001")}, schema.MoveTooPrecise},
		{"confirm more than is held", &schema.ConfirmDeposit{Account: 101, Asset: 3, Amount: d("500.01")}, schema.ConfirmTooMuch},
		{"confirm where nothing is held", &schema.ConfirmDeposit{Account: 102, Asset: 3, Amount: d("1")}, schema.ConfirmTooMuch},
		{"withdraw for nobody", &schema.Withdraw{Account: 1, Asset: 3, Amount: d("1")}, schema.AccountUnknown},
		{"withdraw while blocked", &schema.Withdraw{Account: 103, Asset: 3, Amount: d("1")}, schema.AccountBlocked},
		{"withdraw nothing known", &schema.Withdraw{Account: 101, Asset: 4, Amount: d("1")}, schema.AssetUnknown},
		{"withdraw zero", &schema.Withdraw{Account: 101, Asset: 3}, schema.MoveNotPositive},
		{"withdraw finer than people may", &schema.Withdraw{Account: 101, Asset: 3, Amount: d("0.001")}, schema.MoveTooPrecise},
		{"withdraw more than there is", &schema.Withdraw{Account: 101, Asset: 3, Amount: d("10500.01")}, schema.WithdrawNotCovered},
		{"withdraw held money", &schema.Withdraw{Account: 101, Asset: 3, Amount: d("10000.01")}, schema.MoveHeld},
		{"transfer while blocked", &schema.Transfer{Account: 103, Asset: 3, Amount: d("1"), From: schema.Main, To: schema.Trade}, schema.AccountBlocked},
		{"transfer nothing known", &schema.Transfer{Account: 101, Amount: d("1"), From: schema.Main, To: schema.Trade}, schema.AssetUnknown},
		{"transfer from nowhere", transfer(0, schema.Main, "1"), schema.FromInvalid},
		{"transfer to earn", transfer(schema.Main, schema.Earn, "1"), schema.ToInvalid},
		{"transfer to itself", transfer(schema.Main, schema.Main, "1"), schema.WalletsEqual},
		{"transfer past main", transfer(schema.Trade, schema.Collateral, "1"), schema.WalletsNotDirect},
		{"transfer zero", transfer(schema.Main, schema.Trade, "0"), schema.MoveNotPositive},
		{"transfer finer than people may", transfer(schema.Main, schema.Trade, "0.001"), schema.MoveTooPrecise},
		{"transfer more than there is", transfer(schema.Main, schema.Trade, "10500.01"), schema.MoveNotCovered},
		{"transfer frozen money", transfer(schema.Trade, schema.Main, "90000"), schema.MoveNotCovered},
		{"transfer what was never there", transfer(schema.Collateral, schema.Main, "1"), schema.MoveNotCovered},
		{"transfer held money to collateral", transfer(schema.Main, schema.Collateral, "10000.01"), schema.MoveHeld},
	}, block, held)
}
