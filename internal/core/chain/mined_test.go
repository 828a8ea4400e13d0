package chain

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// reward is what a block of the mining pool brings.
func reward(id, amount string) schema.Receipt {
	return schema.Receipt{ID: id, Asset: coin, Amount: fixed.MustParse(amount), Own: schema.PoolOwn, Text: "address"}
}

// deposited holds the status of the first deposit.
func (x *exchange) deposited(want schema.DepositStatus) {
	x.t.Helper()
	if d, known := x.Deposit(1); !known || d.Status != want {
		x.t.Errorf("the deposit is %s, want %s", d.Status, want)
	}
}

// TestBlocksPayThePool: what comes to its address is the pool's once it is as deep as deposits have to be. What is lost after that the exchange
// bears, and gets back when it returns.
func TestBlocksPayThePool(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, reward("m", "5"))
	x.deposited(schema.DepositConfirming)
	x.block(11, 0, 0)
	x.deposited(schema.DepositUncredited)
	x.has(schema.Suspense, schema.Main, "0", "0")
	x.block(12, 0, 0)
	x.deposited(schema.DepositCredited)
	x.has(schema.Pool, schema.Main, "5", "0")
	x.has(schema.Suspense, schema.Main, "0", "0")
	x.has(schema.Custody, schema.Main, "-5", "0")
	d, _ := x.Deposit(1)
	if d.Account != schema.Pool || d.Fee != fixed.Zero {
		t.Errorf("%+v", d)
	}
	x.owns(bitcoin, coin, "m: 5 at 10")

	x.rewound(9, 0)
	x.block(10, 1, 0)
	for height := uint64(11); height <= 18; height++ {
		x.block(height, 1, 1)
	}
	x.has(schema.Pool, schema.Main, "5", "0")
	x.has(schema.House, schema.Main, "-5", "0")
	x.has(schema.Custody, schema.Main, "0", "0")
	x.block(19, 1, 1, reward("m", "5"))
	x.block(20, 1, 1)
	x.has(schema.House, schema.Main, "-5", "0")
	x.block(21, 1, 1)
	x.has(schema.Pool, schema.Main, "5", "0")
	x.has(schema.House, schema.Main, "0", "0")
}

// TestWhatPaysThePoolCanBeFrozen before it is deep enough: then it is an operator's to decide.
func TestWhatPaysThePoolCanBeFrozen(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, reward("m", "5"))
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.FreezeDeposit}, schema.OK)
	x.block(11, 0, 0)
	x.block(12, 0, 0)
	x.has(schema.Pool, schema.Main, "0", "0")
	x.has(schema.Suspense, schema.Main, "5", "0")
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit, Account: schema.Pool}, schema.AccountUnknown)
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit, Account: alice}, schema.OK)
	x.has(alice, schema.Main, "5", "0")
}

// TestOnlyChainsOfCoinsHaveAnAddressOfThePool.
func TestOnlyChainsOfCoinsHaveAnAddressOfThePool(t *testing.T) {
	x := paying(t)
	r := reward("m", "5")
	r.Asset = gas
	height, parent := x.Cursor(ether)
	x.refuses(&schema.ChainBlock{Chain: ether, Height: height + 1, Hash: hash(height+1, 0), Parent: parent, Receipts: []schema.Receipt{r}}, schema.BlockInvalid)
}

// TestDepositsOfThePoolAreRead: they came to its address and were credited, for nothing.
func TestDepositsOfThePoolAreRead(t *testing.T) {
	for _, spoil := range []func(*deposit){
		func(d *deposit) { d.own = schema.Hot },
		func(d *deposit) { d.Status = schema.DepositUncredited },
		func(d *deposit) { d.Fee = fixed.One },
		func(d *deposit) { d.Account = schema.House },
	} {
		x := open(t)
		x.block(10, 0, 0, reward("m", "5"))
		x.block(11, 0, 0)
		x.block(12, 0, 0)
		x.unreadable("deposit 1", func() { spoil(x.deposits.At(x.places[1])) })
	}
}
