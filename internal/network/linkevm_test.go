package network_test

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/network/evm/anviltest"
	"bourse/internal/schema"
)

// evmHouse is an exchange on a chain of accounts, with a token.
type evmHouse struct {
	*house
	anvil    *anviltest.Node
	contract string
	token    schema.AssetID
}

const bob = "0x000000000000000000000000000000000000b0b0"

func newEVM(t *testing.T) *evmHouse {
	t.Helper()
	h := &evmHouse{anvil: anviltest.Start(t)}
	network := schema.Network{Name: "ETH", CanDeposit: true, CanWithdraw: true, Confirmations: 3, ConfirmationsForTrading: 1, Decimals: 18}
	h.house = found(t, schema.Chain{Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: anviltest.Number}, schema.Asset{
		Ticker: "ETH", Name: "Ether", Class: schema.Crypto, Scale: 18, Precision: 18, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{network},
	}, func(c schema.Chain) (driver.Chain, error) { return evm.Dial(h.anvil.URL, c) })
	h.step() // a chain that has only its first block is waited for
	h.contract = h.anvil.Token(units("1000000", 6), 0)
	h.anvil.Mine(1)
	network.Name, network.Contract, network.Decimals = "ERC20", h.contract, 6
	h.token = h.list(schema.Asset{
		Ticker: "USDT", Name: "Tether", Class: schema.Crypto, Scale: 6, Precision: 6, CanDeposit: true, CanWithdraw: true, Networks: []schema.Network{network},
	})
	h.step()
	return h
}

func units(amount string, decimals uint8) *big.Int {
	u, ok := driver.UnitsOf(fixed.MustParse(amount), decimals)
	if !ok {
		panic(amount)
	}
	return u
}

// ether pays an address of the chain's own asset, and tokens of the token.
func (h *evmHouse) ether(to, amount string) {
	h.t.Helper()
	h.anvil.Pay(anviltest.Accounts[0], to, units(amount, 18), nil)
}

func (h *evmHouse) tokens(to, amount string) {
	h.t.Helper()
	h.anvil.Pay(anviltest.Accounts[0], h.contract, new(big.Int), anviltest.Invoke("transfer(address,uint256)", to, units(amount, 6)))
}

func (h *evmHouse) mine(blocks int) {
	h.t.Helper()
	h.anvil.Mine(blocks)
	h.step()
}

// settle makes blocks until nothing of ours is under way.
func (h *evmHouse) settle() {
	h.t.Helper()
	for range 40 {
		h.mine(1)
		open := false
		for _, p := range h.payouts() {
			open = open || p.Height == 0
		}
		if !open {
			h.mine(3)
			for _, p := range h.payouts() {
				open = open || p.Height == 0
			}
			if !open {
				return
			}
		}
	}
	h.t.Fatalf("payouts stay under way: %+v", h.payouts())
}

func (h *evmHouse) has(address string, contract string, decimals uint8) string {
	h.t.Helper()
	d, err := h.open(h.chain)
	if err != nil {
		h.t.Fatal(err)
	}
	has, err := d.Holds(context.Background(), driver.Point{}, driver.Holding{Address: address, Contract: contract, Decimals: decimals})
	if err != nil {
		h.t.Fatal(err)
	}
	return has.String()
}

func TestEVMDepositsAndWithdrawals(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	at := h.address()
	h.ether(at, "3")
	h.tokens(at, "500.25")
	h.mine(1)
	h.wants(h.native, "3", "0", "3")
	h.wants(h.token, "500.25", "0", "500.25")
	h.restart()
	h.mine(2)
	h.wants(h.native, "3", "0", "0")
	h.wants(h.token, "500.25", "0", "0")

	// What lies at her address is collected: ether first, then what the token's transfer costs, then the token.
	h.settle()
	hotAt, _, err := func() (string, []byte, error) {
		public, err := h.seed.Public(h.chain.Space())
		if err != nil {
			return "", nil, err
		}
		return public.Address(driver.Place{Own: schema.Hot})
	}()
	if err != nil {
		t.Fatal(err)
	}
	if got := h.has(hotAt, h.contract, 6); got != "500.25" {
		t.Errorf("our address has %s of the token", got)
	}
	h.audit()

	first, second := h.withdraw(h.token, bob, "100.5"), h.withdraw(h.native, bob, "1.25")
	h.step()
	h.is(schema.WithdrawalSent, first, second)
	h.restart()
	h.mine(1)
	h.is(schema.WithdrawalMined, first, second)
	h.mine(2)
	h.is(schema.WithdrawalDone, first, second)
	if ether, tokens := h.has(bob, "", 18), h.has(bob, h.contract, 6); ether != "1.25" || tokens != "100.5" {
		t.Errorf("bob has %s and %s", ether, tokens)
	}
	h.wants(h.native, "1.75", "0", "0")
	h.wants(h.token, "399.75", "0", "0")
	h.settle()
	h.audit()
	var paid fixed.Decimal
	for _, p := range h.payouts() {
		paid = paid.Add(p.Paid)
	}
	if got := h.system(schema.House, h.native); got != paid.Neg().String() {
		t.Errorf("the house has %s, and the chain cost %s", got, paid)
	}
}

// TestEVMReorganisations: what the last blocks paid is gone with them.
func TestEVMReorganisations(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	h.ether(h.address(), "2")
	h.mine(1)
	h.wants(h.native, "2", "0", "2")
	h.anvil.Reorg(1)
	h.step()
	h.wants(h.native, "2", "0", "2")
	h.restart()
	h.mine(7)
	h.wants(h.native, "0", "0", "0")
	if got := h.total(h.native); !got.IsZero() {
		t.Errorf("the chain has %s", got)
	}
	h.audit()
}

// TestEVMFailedPayments: a token that does not move what it should leaves the withdrawal open, and the gas is the exchange's.
func TestEVMFailedPayments(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	h.ether(h.address(), "3")
	h.mine(3)
	h.settle()
	// The receiver is a contract that takes no ether from the block on in which it is made: the estimate passes before.
	id := h.withdraw(h.native, bob, "0.5")
	h.step()
	h.is(schema.WithdrawalSent, id)
	h.anvil.Call("anvil_setCode", nil, bob, "0x60006000fd")
	h.mine(1)
	p := h.payouts()[len(h.payouts())-1]
	if p.Status != schema.PayoutFailed || p.Paid.Sign() <= 0 {
		t.Fatalf("%+v", p)
	}
	h.is(schema.WithdrawalSent, id)
	h.mine(102)
	for range 5 {
		h.mine(1)
	}
	h.is(schema.WithdrawalReview, id)
	h.do(&schema.DecideWithdrawal{Withdrawal: id, Decision: schema.CancelWithdrawal})
	h.wants(h.native, "3", "0", "0")
	h.audit()
}

// TestEVMPaysOnceWhereverItDies is the same table as for coins.
func TestEVMPaysOnceWhereverItDies(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	h.ether(h.address(), "5")
	h.mine(3)
	h.settle()
	for _, at := range []string{"composed", "planned", "signed", "kept", "sent"} {
		before := fixed.MustParse(h.has(bob, "", 18))
		id := h.withdraw(h.native, bob, "0.25")
		real, err := h.open(h.chain)
		if err != nil {
			t.Fatal(err)
		}
		d := &dying{Chain: real, signer: hot(h.house), at: at}
		h.signer = d
		h.joinBy(d)
		if err := h.try(); !errors.Is(err, errDead) {
			t.Fatalf("%s: it did not die: %v", at, err)
		}
		h.signer = nil
		h.restart()
		h.step()
		h.is(schema.WithdrawalSent, id)
		h.mine(3)
		h.is(schema.WithdrawalDone, id)
		if got, want := h.has(bob, "", 18), before.Add(fixed.MustParse("0.25")).String(); got != want {
			t.Errorf("%s: bob has %s, want %s", at, got, want)
		}
		h.audit()
	}
}

// TestEVMThefts: a transaction of our address that the log has no plan of halts the chain.
func TestEVMThefts(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	at := h.address()
	h.ether(at, "1")
	h.mine(1)
	h.anvil.Impersonate(at)
	theft := h.anvil.Pay(at, bob, units("0.25", 18), nil)
	h.anvil.Mine(1)
	for range 2 { // as the exchange stands before that block, and halted by it
		v := h.held()
		if a := v.Assets[0]; a.Books != fixed.FromInt(1) || a.Chain != a.Books || !slices.Equal(v.Foreign, []string{theft}) {
			t.Errorf("%+v, want what %s spends", v, theft)
		}
		if err := h.try(); err == nil {
			err = h.try()
			if err == nil {
				t.Fatal("it is not noticed")
			}
		}
	}
	h.verify()

	// Adopted, it is what it took and what it cost. It comes and goes with its block, and its number is used.
	h.agree(&schema.AdoptSpend{Chain: h.chain.ID, Tx: theft})
	h.step()
	h.audit()
	left := h.has(at, "", 18)
	if total := h.total(h.native); total.String() != left || !total.Less(fixed.MustParse("0.75")) || total.Cmp(fixed.MustParse("0.749")) < 0 {
		t.Errorf("the books have %s, the chain %s", total, left)
	}
	h.mine(2)
	if house, lost := h.system(schema.House, h.native), fixed.One.Sub(h.total(h.native)); house != lost.Neg().String() {
		t.Errorf("the house has %s, and %s is lost", house, lost)
	}
	h.anvil.Reorg(3) // without the theft
	h.mine(1)
	h.audit()
	if total, house := h.total(h.native), h.system(schema.House, h.native); total != fixed.FromInt(1) || house != "0" {
		t.Errorf("the books have %s after a reorganisation, and the house %s", total, house)
	}
	h.settle() // what is left is collected: the number of the theft is free again
	h.audit()
}

// TestEVMTokensThatSomebodyElseMoves: adopted, they are taken from each address; what came inside a contract is a surplus, which operators
// book and give to the owner of its address.
func TestEVMTokensThatSomebodyElseMoves(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	first, second := h.address(), h.address()
	for _, at := range []string{first, second} {
		h.ether(at, "1")
		h.tokens(at, "10")
	}
	h.mine(1)
	h.anvil.Impersonate(first)
	theft := h.anvil.Pay(first, h.contract, new(big.Int), anviltest.Invoke("transfer(address,uint256)", bob, units("4", 6)))
	h.anvil.Mine(1)
	for range 2 {
		if err := h.try(); err != nil && !strings.Contains(err.Error(), "chain adopt ETH "+theft) {
			t.Fatal(err)
		}
	}
	h.agree(&schema.AdoptSpend{Chain: h.chain.ID, Tx: theft})
	h.mine(3)
	h.audit()
	if total := h.total(h.token); total != fixed.FromInt(16) {
		t.Errorf("the books have %s", total)
	}
	if has := h.system(schema.House, h.token); has != "-4" {
		t.Errorf("the house has %s", has)
	}

	h.anvil.Fund(second, units("3", 18)) // no block shows it
	h.mine(1)
	audited := h.link.Audited().Assets[0]
	if audited.Surplus != fixed.FromInt(2) {
		t.Fatalf("%+v", audited)
	}
	h.agree(&schema.BookSurplus{Chain: h.chain.ID, Asset: h.native, Amount: audited.Surplus, Index: 2, Text: second})
	h.mine(1)
	h.audit()
	h.mine(2)
	suspense := h.system(schema.Suspense, h.native)
	if suspense != "2" {
		t.Errorf("suspense has %s", suspense)
	}
}

// TestEVMGivesUp: a payout of a token that is given up pays nothing to ourselves with the same nonce. A signer that reads what it signs
// takes that for what it is.
func TestEVMGivesUp(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	at := h.address()
	h.ether(at, "3")
	h.tokens(at, "10")
	h.mine(3)
	h.settle()
	id := h.withdraw(h.token, bob, "4")
	h.step()
	h.is(schema.WithdrawalSent, id)
	last := h.payouts()[len(h.payouts())-1]
	h.do(&schema.AbandonPayout{Payout: last.ID})
	asked := &asking{Signer: hot(h.house)}
	h.signer = asked
	h.join()
	h.step()
	now := h.payouts()[len(h.payouts())-1]
	if len(now.Variants) != 2 || !now.Variants[1].GiveUp || len(now.Variants[1].Raw) == 0 {
		t.Fatalf("%+v", now)
	}
	if r := asked.last; r.Asset != "ETH" || r.Contract != "" || len(r.Withdrawals) != 0 || len(r.Owns) != 1 || !r.Owns[0].Amount.IsZero() {
		t.Errorf("the signer is asked for %+v", r)
	}
	h.mine(1)
	if p := h.payouts()[len(h.payouts())-1]; p.Status != schema.PayoutMined || p.Mined != 1 {
		t.Errorf("%+v", p)
	}
	h.is(schema.WithdrawalSent, id)
	if got := h.has(bob, h.contract, 6); got != "0" {
		t.Errorf("bob has %s", got)
	}
	h.audit()
}

// asking is a signer that remembers what it was asked for.
type asking struct {
	driver.Signer
	last driver.Request
}

func (a *asking) Sign(ctx context.Context, r *driver.Request) ([]byte, error) {
	a.last = *r
	return a.Signer.Sign(ctx, r)
}

// TestEVMPaidByAContract: what a contract pays is a deposit like others.
func TestEVMPaidByAContract(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	wallet := h.anvil.Contract([]byte{0x60, 0, 0x60, 0, 0x60, 0, 0x60, 0, 0x34, 0x60, 0, 0x35, 0x5a, 0xf1, 0}) // pays what it gets to the address in its argument
	at := h.address()
	h.anvil.Pay(anviltest.Accounts[1], wallet, units("1.5", 18), anviltest.Invoke("", at)[4:])
	h.mine(1)
	h.wants(h.native, "1.5", "0", "1.5")
	h.mine(2)
	h.wants(h.native, "1.5", "0", "0")
	h.audit()
	h.settle() // and is collected
	h.audit()
}

// TestEVMAuditsLookAtEmptyAddresses: money at an address that has none in the books is found within a day of audits, and seen from then on
// until it is booked.
func TestEVMAuditsLookAtEmptyAddresses(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	var third string
	for range 3 {
		third = h.address()
	}
	h.anvil.Fund(third, units("2.5", 18)) // no block shows it
	h.mine(1)
	found := 0
	for range 144 {
		h.step()
		switch a := h.link.Audited().Assets[0]; {
		case a.Surplus == fixed.MustParse("2.5"):
			if len(a.Differences) != 1 || a.Differences[0].Address != third || !a.Differences[0].Books.IsZero() || a.Differences[0].Chain != a.Surplus {
				t.Fatalf("it differs at %+v", a.Differences)
			}
			found++
		case found > 0 || !a.Surplus.IsZero() || a.Differences != nil:
			t.Fatalf("after %d that found it an audit is %+v", found, a)
		}
	}
	if found < 140 {
		t.Fatalf("%d of 144 audits found it", found)
	}
	h.agree(&schema.BookSurplus{Chain: h.chain.ID, Asset: h.native, Amount: fixed.MustParse("2.5"), Index: 3, Text: third})
	h.mine(1)
	h.step()
	h.audit()
	if a := h.link.Audited().Assets[0]; !a.Surplus.IsZero() || a.Differences != nil {
		t.Errorf("it is booked, and the audit is %+v", a)
	}
}
