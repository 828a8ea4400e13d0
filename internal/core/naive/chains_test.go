package naive

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	dora = carl + 1 // has nothing but what comes by chains
	emil = carl + 2
)

// watched is the chain of newChains, on which the address of dora has the number 1 and that of emil the number 2.
const watched schema.ChainID = 1

// chainWorld is a world where bitcoins come by a chain: they can be traded in the second block, and are the account's in the
// fourth. A deposit costs 0.1.
type chainWorld struct {
	*world
	tip  point
	made int // blocks
	net  schema.Network
}

func newChains(t *testing.T) *chainWorld {
	return newChainsBy(t, schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest})
}

// newTokens is the same by a chain where other assets can be, too.
func newTokens(t *testing.T) *chainWorld {
	return newChainsBy(t, schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Regtest, Number: 1})
}

func newChainsBy(t *testing.T, chain schema.Chain) *chainWorld {
	w := &chainWorld{world: newWorld(t), tip: point{height: 1000}}
	for _, name := range []string{"dora", "emil"} {
		w.must(&schema.SetAccount{Account: schema.Account{Name: name, Region: schema.Global}})
	}
	w.must(&schema.SetChain{Chain: chain})
	w.must(&schema.OpenAddress{Account: dora, Chain: watched})
	w.must(&schema.OpenAddress{Account: emil, Chain: watched})
	w.net = schema.Network{Name: "bitcoin", CanDeposit: true, Confirmations: 4, ConfirmationsForTrading: 2, Chain: watched, Decimals: 8, DepositFixed: d("0.1")}
	w.network(func(*schema.Network) {})
	w.grow() // height 1001
	return w
}

// network changes the network of bitcoins, for good.
func (w *chainWorld) network(change func(*schema.Network)) {
	w.t.Helper()
	change(&w.net)
	w.setBTC(func(a *schema.Asset) { a.Networks = []schema.Network{w.net} })
}

// paid is a receipt of bitcoins; with index 0 it is paid to an address of the exchange itself.
func paid(id string, index schema.AddressIndex, amount string) schema.Receipt {
	r := schema.Receipt{ID: id, Asset: btc, Amount: d(amount), Index: index, Text: "address of " + id}
	if index == 0 {
		r.Own = schema.Hot
	}
	return r
}

// nextBlock is the block that comes next.
func (w *chainWorld) nextBlock(receipts ...schema.Receipt) *schema.ChainBlock {
	w.made++
	return &schema.ChainBlock{
		Chain: watched, Height: w.tip.height + 1, Hash: digest(5000 + w.made), Parent: w.tip.hash, Parts: 1, Receipts: receipts,
	}
}

// grow takes the next block.
func (w *chainWorld) grow(receipts ...schema.Receipt) {
	w.t.Helper()
	b := w.nextBlock(receipts...)
	w.must(b)
	w.tip = point{b.Height, b.Hash}
}

// growBy takes empty blocks.
func (w *chainWorld) growBy(blocks int) {
	w.t.Helper()
	for range blocks {
		w.grow()
	}
}

// fall rewinds so many blocks.
func (w *chainWorld) fall(blocks int) {
	w.t.Helper()
	points := w.chains.all[watched-1].points
	w.tip = points[len(points)-1-blocks]
	w.must(&schema.ChainRewind{Chain: watched, Height: w.tip.height, Hash: w.tip.hash})
}

// tickNow lets a tick happen.
func (w *chainWorld) tickNow() {
	w.t.Helper()
	w.must(&schema.Tick{})
}

// deposit compares what became of a deposit.
func (w *chainWorld) deposit(id schema.DepositID, status schema.DepositStatus, height uint64, fee string) {
	w.t.Helper()
	got := w.chains.deposit(id)
	if got == nil {
		w.t.Errorf("deposit %d is unknown", id)
		return
	}
	if got.Status != status || got.Height != height || got.Fee != d(fee) {
		w.t.Errorf("deposit %d is %s at %d for %s, want %s at %d for %s", id, got.Status, got.Height, got.Fee, status, height, fee)
	}
	w.audit()
}

// has compares all that an account has of bitcoins: in main, held of it, in trade, and what it owes.
func (w *chainWorld) has(a schema.AccountID, main, held, trade, owed string) {
	w.t.Helper()
	gotMain, _, gotHeld := w.Balance(a, schema.Main, btc)
	gotTrade, _, _ := w.Balance(a, schema.Trade, btc)
	gotOwed, _, _ := w.Balance(a, schema.Owed, btc)
	if gotMain != d(main) || gotHeld != d(held) || gotTrade != d(trade) || gotOwed != d(owed) {
		w.t.Errorf("account %d has %s (held %s), %s in trade, owes %s; want %s (%s), %s, %s", a, gotMain, gotHeld, gotTrade, gotOwed, main, held, trade, owed)
	}
	w.audit()
}

// audit checks what must hold of the money of chains.
func (w *world) audit() {
	w.t.Helper()
	for _, asset := range w.Assets() {
		booked, suspended, coins, unbooked := num{}, num{}, num{}, num{}
		held := map[schema.AccountID]num{}
		for _, d := range w.chains.deposits {
			if d.Asset != asset.ID {
				continue
			}
			amount, isBooked := of(d.Amount), false
			switch d.Status {
			case schema.DepositHeld:
				isBooked = true
				held[d.Account] = held[d.Account].plus(d.net())
			case schema.DepositCredited:
				isBooked = !d.Reversed
			case schema.DepositUncredited, schema.DepositFrozen, schema.DepositCanceled, schema.DepositTravel, schema.DepositReview:
				isBooked = d.posted
			}
			if isBooked {
				booked = booked.plus(amount)
			}
			done := d.refund != nil && d.refund.Status == schema.WithdrawalDone
			if d.posted && !done || d.Status == schema.DepositLost && d.refund != nil && !done {
				suspended = suspended.plus(amount)
			}
			if d.Height != 0 {
				coins = coins.plus(amount)
			}
			if isBooked && d.Height == 0 {
				unbooked = unbooked.minus(amount)
			}
			if !isBooked && d.Height != 0 {
				unbooked = unbooked.plus(amount)
			}
		}
		frozen := map[schema.AccountID]num{}
		for _, out := range w.chains.withdrawals {
			if out.Asset != asset.ID {
				continue
			}
			amount := of(out.Amount)
			isDone := out.Status == schema.WithdrawalDone && out.To == 0
			if out.open() && out.Refund == 0 {
				frozen[out.Account] = frozen[out.Account].plus(out.gross())
			}
			if isDone {
				booked = booked.minus(amount)
			}
			if out.Height != 0 {
				coins = coins.minus(amount)
			}
			if isDone && out.Height == 0 {
				unbooked = unbooked.plus(amount)
			}
			if !isDone && out.Height != 0 {
				unbooked = unbooked.minus(amount)
			}
		}
		for _, p := range w.chains.payouts {
			if p.native == asset.ID {
				coins, booked = coins.minus(of(p.Paid)), booked.minus(p.cost)
				unbooked = unbooked.minus(of(p.Paid)).plus(p.cost)
			}
		}
		for _, f := range w.chains.spends {
			for _, l := range f.losses {
				if l.Asset != asset.ID {
					continue
				}
				coins = coins.minus(of(l.Amount))
				if f.booked[asset.ID] {
					booked = booked.minus(of(l.Amount))
				} else {
					unbooked = unbooked.minus(of(l.Amount))
				}
			}
		}
		owing := num{}
		for _, a := range append([]schema.AccountID{schema.House}, accountIDs(w)...) {
			owing = owing.plus(w.ledger.owed(a, asset.ID))
			if held[a].more(w.ledger.held[heldKey{a, asset.ID}]) {
				w.t.Errorf("account %d holds less of asset %d than deposits say", a, asset.ID)
			}
			if frozen[a].cmp(w.ledger.balance(a, schema.Main, asset.ID).frozen) != 0 {
				w.t.Errorf("account %d has not set aside of asset %d what withdrawals say", a, asset.ID)
			}
		}
		for what, n := range map[string]num{
			"custody":        booked.plus(w.ledger.balance(custody, schema.Main, asset.ID).available),
			"suspense":       suspended.minus(w.ledger.balance(suspense, schema.Main, asset.ID).available),
			"coins":          coins.minus(booked).minus(unbooked),
			"what is owed":   owing,
			"what is in all": w.inAll(asset.ID),
		} {
			if n.sign() != 0 {
				w.t.Errorf("%s of asset %d is wrong by %s", what, asset.ID, n.decimal())
			}
		}
	}
}

func accountIDs(w *world) (ids []schema.AccountID) {
	for _, a := range w.Accounts() {
		ids = append(ids, a.ID)
	}
	return ids
}

// inAll is the sum of all balances of an asset but what is owed.
func (w *world) inAll(s schema.AssetID) num {
	sum := num{}
	for key, b := range w.ledger.balances {
		if key.asset == s && key.wallet != schema.Owed && key.wallet != schema.Debt {
			sum = sum.plus(b.available).plus(b.frozen)
		}
	}
	return sum
}

func TestSetChain(t *testing.T) {
	w := newWorld(t)
	sandbox := schema.Chain{Name: "A_1", Driver: schema.Sandbox, Family: schema.TON, Net: schema.Mainnet, Interval: 24 * 3600 * schema.Second}
	invalid := func(change func(*schema.Chain)) {
		t.Helper()
		w.refused(because(schema.ChainInvalid), &schema.SetChain{Chain: *with(&schema.Chain{
			Name: "A_1", Driver: schema.Sandbox, Family: schema.TON, Net: schema.Mainnet,
		}, change)})
	}
	for _, name := range []string{"", "a", "A-B", "ABCDEFGHIJKLMNOPQRSTU"} {
		invalid(func(c *schema.Chain) { c.Name = name })
	}
	for _, n := range []uint8{0, 4} {
		invalid(func(c *schema.Chain) { c.Driver = schema.Driver(n) })
	}
	for _, n := range []uint8{0, 7} {
		invalid(func(c *schema.Chain) { c.Family = schema.Family(n) })
	}
	for _, n := range []uint8{0, 6} {
		invalid(func(c *schema.Chain) { c.Net = schema.Net(n) })
	}
	invalid(func(c *schema.Chain) { c.Driver, c.Family = schema.BitcoinNode, schema.EVM })
	invalid(func(c *schema.Chain) { c.Driver, c.Family, c.Number = schema.EVMNode, schema.Bitcoin, 1 })
	invalid(func(c *schema.Chain) {
		c.Driver, c.Family, c.Interval, c.Number = schema.EVMNode, schema.EVM, schema.Second, 1
	})
	for _, interval := range []schema.Time{-1, 1, 99_999, 24*3600*schema.Second + 1} {
		invalid(func(c *schema.Chain) { c.Interval = interval })
	}
	if id := w.must(&schema.SetChain{Chain: sandbox}).ID; id != 1 {
		t.Errorf("the id is %d", id)
	}
	sandbox.ID = 1
	if got := w.last.Events; len(got) != 1 || got[0].(*schema.ChainChanged).Chain != sandbox {
		t.Errorf("the events are %+v", got)
	}
	if id := w.must(&schema.SetChain{Chain: schema.Chain{ID: 7, Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Number: 1, Net: schema.Simnet}}).ID; id != 2 {
		t.Errorf("the id is %d", id)
	}
	for _, change := range []func(*schema.Chain){
		func(c *schema.Chain) { c.Driver, c.Family, c.Interval, c.Number = schema.EVMNode, schema.EVM, 0, 1 },
		func(c *schema.Chain) { c.Family = schema.XRP },
		func(c *schema.Chain) { c.Net = schema.Signet },
	} {
		other := sandbox
		change(&other)
		w.refused(because(schema.ImmutableChanged), &schema.SetChain{Chain: other})
	}
	sandbox.Paused, sandbox.Interval, sandbox.ID = true, 100_000, 9
	if id := w.must(&schema.SetChain{Chain: sandbox}).ID; id != 1 {
		t.Errorf("the id is %d", id)
	}
	for i := range 98 {
		sandbox.Name = fmt.Sprintf("C%d", i)
		w.must(&schema.SetChain{Chain: sandbox})
	}
	sandbox.Name = "C98"
	w.refused(because(schema.ChainInvalid), &schema.SetChain{Chain: sandbox})
	sandbox.Name = "C97"
	w.must(&schema.SetChain{Chain: sandbox})
}

func TestNetworksOnChains(t *testing.T) {
	w := newChains(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Number: 1, Net: schema.Regtest}})
	set := func(change func(*schema.Asset, *schema.Network)) *schema.SetAsset {
		a := schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8}
		n := w.net
		a.Networks = []schema.Network{n}
		change(&a, &a.Networks[0])
		return &schema.SetAsset{Asset: a}
	}
	charge := func(change func(*schema.Network)) {
		t.Helper()
		w.refused(because(schema.ChargeInvalid), set(func(a *schema.Asset, n *schema.Network) { change(n) }))
	}
	for _, wrong := range []string{"-0.1", "0.000000001"} {
		charge(func(n *schema.Network) { n.DepositFixed = d(wrong) })
		charge(func(n *schema.Network) { n.DepositMinFee = d(wrong) })
		charge(func(n *schema.Network) { n.DepositMaxFee = d(wrong) })
		charge(func(n *schema.Network) { n.HeldCap = d(wrong) })
	}
	for _, wrong := range []string{"-0.1", "100.0000000000000001", "0.00000000000000001"} {
		charge(func(n *schema.Network) { n.DepositPercent = d(wrong) })
	}
	charge(func(n *schema.Network) { n.DepositMinFee, n.DepositMaxFee = d("2"), d("1.99999999") })
	charge(func(n *schema.Network) { n.Chain, n.DepositFixed = 0, d("-1") })
	w.must(set(func(a *schema.Asset, n *schema.Network) {
		n.DepositMinFee, n.DepositMaxFee, n.DepositPercent = d("2"), d("2"), d("100")
	}))
	w.must(set(func(a *schema.Asset, n *schema.Network) {
		n.DepositMinFee, n.DepositPercent, n.HeldCap = d("2"), d("0.0000000000000001"), d("0.00000001")
	}))

	// The charges come before what cannot change, the chains after it.
	w.refused(because(schema.NetworkInvalid), set(func(a *schema.Asset, n *schema.Network) { n.Name, n.HeldCap = "", d("-1") }))
	w.refused(because(schema.ChargeInvalid), set(func(a *schema.Asset, n *schema.Network) { a.Scale, n.HeldCap = 9, d("-1") }))
	w.refused(because(schema.ImmutableChanged), set(func(a *schema.Asset, n *schema.Network) { a.Scale, n.Chain = 9, 9 }))
	chain := func(change func(*schema.Asset, *schema.Network)) {
		t.Helper()
		w.refused(because(schema.NetworkChainInvalid), set(change))
	}
	chain(func(a *schema.Asset, n *schema.Network) { n.Chain = 4 })
	chain(func(a *schema.Asset, n *schema.Network) { n.ConfirmationsForTrading = 0 })
	chain(func(a *schema.Asset, n *schema.Network) { a.Ticker, a.Class = "EUR", schema.Fiat })
	second := func(id schema.ChainID) func(*schema.Asset, *schema.Network) {
		return func(a *schema.Asset, n *schema.Network) {
			other := *n
			other.Name, other.Chain = "other", id
			a.Networks = append(a.Networks, other)
		}
	}
	chain(second(1))
	chain(second(2)) // a sandbox
	w.must(set(second(3)))
	w.refused(because(schema.ContractInvalid), set(second(0))) // decimals where there is no chain
	w.refused(because(schema.ContractInvalid), set(func(a *schema.Asset, n *schema.Network) { n.Decimals = 7 }))
	w.refused(because(schema.ContractInvalid), set(func(a *schema.Asset, n *schema.Network) { n.Contract = "0x" }))
	w.refused(because(schema.ContractInvalid), set(func(a *schema.Asset, n *schema.Network) { a.Ticker = "LTC" }))
	w.must(set(func(a *schema.Asset, n *schema.Network) { n.Chain, n.ConfirmationsForTrading, n.Decimals = 0, 0, 0 }))
}

func TestOpenAddress(t *testing.T) {
	w := newWorld(t)
	for _, c := range []schema.Chain{
		{Name: "A", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Testnet},
		{Name: "B", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Testnet},
		{Name: "C", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Signet},
		{Name: "D", Driver: schema.EVMNode, Family: schema.EVM, Number: 1, Net: schema.Testnet},
	} {
		w.must(&schema.SetChain{Chain: c})
	}
	open := func(a schema.AccountID, chain schema.ChainID, kind schema.AddressType, fresh bool) *schema.OpenAddress {
		return &schema.OpenAddress{Account: a, Chain: chain, Type: kind, Fresh: fresh}
	}
	w.refused(because(schema.AccountUnknown), open(99, 9, 9, false))
	w.refused(because(schema.ChainUnknown), open(anna, 0, 9, false))
	w.refused(because(schema.ChainUnknown), open(anna, 5, 9, false))
	w.refused(because(schema.AddressTypeInvalid), open(anna, 1, 3, false))
	w.refused(because(schema.AddressTypeInvalid), open(anna, 4, schema.Bech32, false))
	got := func(c *schema.OpenAddress, opened bool, net schema.Net, index schema.AddressIndex, kind schema.AddressType) {
		t.Helper()
		family := schema.Bitcoin
		if c.Chain == 4 {
			family = schema.EVM
		}
		want := schema.Address{Family: family, Net: net, Index: index, Type: kind, Account: c.Account}
		if r := w.must(c); r.Address == nil || *r.Address != want || r.ID != 0 {
			t.Errorf("the answer is %+v, want %+v", r.Address, want)
		}
		if !opened {
			w.happened()
			return
		}
		if e := w.last.Events; len(e) != 1 || e[0].(*schema.AddressOpened).Address != want {
			t.Errorf("the events are %+v", e)
		}
	}
	got(open(anna, 1, 0, false), true, schema.Testnet, 1, schema.Bech32)
	got(open(anna, 1, schema.Bech32, false), false, schema.Testnet, 1, schema.Bech32)
	got(open(anna, 2, 0, false), false, schema.Testnet, 1, schema.Bech32) // the same space
	got(open(anna, 1, schema.P2SHSegwit, false), true, schema.Testnet, 2, schema.P2SHSegwit)
	got(open(ben, 2, schema.Bech32, false), true, schema.Testnet, 3, schema.Bech32)
	got(open(anna, 2, 0, true), true, schema.Testnet, 4, schema.Bech32)
	got(open(anna, 2, 0, false), false, schema.Testnet, 1, schema.Bech32) // the first of them
	got(open(anna, 3, 0, false), true, schema.Signet, 1, schema.Bech32)
	got(open(anna, 4, 0, false), true, schema.Testnet, 1, 0)

	for range 998 {
		w.must(open(anna, 1, 0, true))
	}
	w.refused(because(schema.AddressesTooMany), open(anna, 1, 0, true))
	got(open(anna, 1, 0, false), false, schema.Testnet, 1, schema.Bech32)
	got(open(anna, 1, schema.P2SHSegwit, true), true, schema.Testnet, 1003, schema.P2SHSegwit)
	got(open(anna, 3, 0, true), true, schema.Signet, 2, schema.Bech32)
	w.chains.addresses = append(w.chains.addresses, schema.Address{Family: schema.EVM, Net: schema.Testnet, Index: 1<<31 - 2})
	got(open(ben, 4, 0, false), true, schema.Testnet, 1<<31-1, 0)
	w.refused(because(schema.AddressesTooMany), open(ben, 4, 0, true))
	got(open(ben, 4, 0, false), false, schema.Testnet, 1<<31-1, 0)
	w.block(anna, "anna")
	w.refused(because(schema.AccountBlocked), open(anna, 1, 0, false))
}

func TestBlockChecksInOrder(t *testing.T) {
	w := newChains(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}})
	elsewhere := schema.Rejection{Reason: schema.ChainElsewhere, Value: d("1001")}
	block := func(change func(*schema.ChainBlock)) *schema.ChainBlock {
		return with(&schema.ChainBlock{Chain: watched, Height: 1002, Hash: digest(1), Parent: w.tip.hash, Receipts: []schema.Receipt{paid("x", 1, "1")}}, change)
	}
	w.refused(because(schema.ChainUnknown), block(func(b *schema.ChainBlock) { b.Chain, b.Part = 3, 9 }))
	w.refused(because(schema.ChainOwnBlocks), block(func(b *schema.ChainBlock) { b.Chain, b.Part = 2, 9 }))
	for _, wrong := range []func(*schema.ChainBlock){
		func(b *schema.ChainBlock) { b.Part = 1 },
		func(b *schema.ChainBlock) { b.Part, b.Parts = 2, 2 },
		func(b *schema.ChainBlock) { b.Receipts = make([]schema.Receipt, 1001) },
		func(b *schema.ChainBlock) { b.Hash = schema.Digest{} },
		func(b *schema.ChainBlock) { b.Height = 0 },
		func(b *schema.ChainBlock) { b.Height = 1<<62 + 1 },
	} {
		w.refused(because(schema.BlockInvalid), block(func(b *schema.ChainBlock) { b.Parent = digest(2); wrong(b) }))
	}
	for _, wrong := range []func(*schema.ChainBlock){
		func(b *schema.ChainBlock) { b.Parent = digest(2) },
		func(b *schema.ChainBlock) { b.Height = 1001 },
		func(b *schema.ChainBlock) { b.Height = 1003 },
		func(b *schema.ChainBlock) { b.Part, b.Parts = 1, 2 },
	} {
		w.refused(elsewhere, block(func(b *schema.ChainBlock) { b.Receipts[0].ID = ""; wrong(b) }))
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	for i, wrong := range []func(*schema.Receipt){
		func(r *schema.Receipt) { r.ID = "" },
		func(r *schema.Receipt) { r.ID = long(101) },
		func(r *schema.Receipt) { r.Asset = 0 },
		func(r *schema.Receipt) { r.Asset = 9 },
		func(r *schema.Receipt) { r.Asset = usd },
		func(r *schema.Receipt) { r.Amount = fixed.Zero },
		func(r *schema.Receipt) { r.Amount = d("-1") },
		func(r *schema.Receipt) { r.Amount = d("0.000000001") },
		func(r *schema.Receipt) { r.Index = 3 },
		func(r *schema.Receipt) { r.Text = long(129) },
		func(r *schema.Receipt) { r.Memo = long(256) },
	} {
		b := block(func(b *schema.ChainBlock) { b.Receipts = append(b.Receipts, paid("y", 2, "1")) })
		wrong(&b.Receipts[1])
		if got := w.apply(b).Rejection; got != because(schema.BlockInvalid) {
			t.Errorf("%d: %v", i, got)
		}
	}
	w.refused(because(schema.BlockInvalid), block(func(b *schema.ChainBlock) { b.Receipts = append(b.Receipts, paid("x", 2, "2")) }))
	longest := schema.Receipt{ID: long(100), Asset: btc, Amount: d("0.00000001"), Index: 2, Text: long(128), Memo: long(255)}
	w.grow(longest, paid("x", 0, "1"))
	w.refused(because(schema.BlockInvalid), w.nextBlock(longest))
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("x", 0, "1")))
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest, Paused: true}})
	w.refused(because(schema.ChainPaused), block(func(b *schema.ChainBlock) { b.Part = 9 }))
	w.refused(because(schema.ChainPaused), &schema.ChainRewind{Chain: watched})
	w.refused(because(schema.ChainUnknown), &schema.ChainRewind{Chain: 3})
	w.refused(because(schema.ChainOwnBlocks), &schema.ChainRewind{Chain: 2})
}

// TestCoinsAreBounded: what is in the blocks of a chain, whether it is booked or not.
func TestCoinsAreBounded(t *testing.T) {
	w := newChains(t)
	most := owedMost.truncate(unit(8)).minus(one)
	w.grow(schema.Receipt{ID: "a", Asset: btc, Amount: most.decimal(), Own: schema.Hot})
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("b", 0, "0.5"), paid("c", 0, "0.6")))
	w.refused(because(schema.BlockInvalid), w.nextBlock(paid("b", 0, "1.1")))
	w.fall(1)
	w.grow(paid("b", 0, "1.1"))
	w.refused(because(schema.BlockInvalid), w.nextBlock(schema.Receipt{ID: "a", Asset: btc, Amount: most.decimal(), Own: schema.Hot}))
	w.fall(1)
	w.grow(paid("b", 0, "0.5"), paid("c", 0, "0.5"), schema.Receipt{ID: "a", Asset: btc, Amount: most.decimal(), Own: schema.Hot})
	w.audit()
}

func TestDepositIsHeldAndThenCredited(t *testing.T) {
	w := newChains(t)
	w.grow(schema.Receipt{ID: "a", Asset: btc, Amount: d("2"), Index: 1, Text: "bc1", Memo: "7"})
	made := schema.ChainDeposit{
		ID: 1, Account: dora, Chain: watched, Asset: btc, Amount: d("2"), Status: schema.DepositConfirming,
		Height: 1002, Created: w.time, Changed: w.time, Index: 1, Receipt: "a", Address: "bc1", Memo: "7",
	}
	w.happened("deposit 1 of 104: 2 confirming at 1002", "chain 1 at 1002")
	if e := w.last.Events[0].(*schema.ChainDepositChanged); e.Deposit != made {
		t.Errorf("the event is %+v", e.Deposit)
	}
	if e := w.last.Events[1].(*schema.ChainMoved); *e != (schema.ChainMoved{Chain: watched, Height: 1002, Hash: w.tip.hash}) {
		t.Errorf("the event is %+v", e)
	}
	w.has(dora, "0", "0", "0", "0")
	w.grow()
	w.happened("chain 1 at 1003", "8 main of 1 by deposit for 0: -1.9 0", "104 main of 1 by deposit for 0: 1.9 0",
		"8 main of 1 by deposit for 0: -2 0", "2 main of 1 by deposit for 0: 0.1 0", "104 main of 1 by deposit for 0: 1.9 0",
		"deposit 1 of 104: 2 held at 1002")
	made.Status, made.Changed, made.Fee = schema.DepositHeld, w.time, d("0.1")
	if e := w.last.Events[6].(*schema.ChainDepositChanged); e.Deposit != made {
		t.Errorf("the event is %+v", e.Deposit)
	}
	w.has(dora, "1.9", "1.9", "0", "0")
	w.grow()
	w.happened("chain 1 at 1004")
	w.refused(schema.Rejection{Reason: schema.MoveHeld, Value: d("0")}, &schema.Withdraw{Account: dora, Asset: btc, Amount: d("1")})
	w.grow()
	w.happened("chain 1 at 1005", "104 main of 1 by deposit for 0: 1.9 0", "deposit 1 of 104: 2 credited at 1002")
	w.has(dora, "1.9", "0", "0", "0")
	w.must(&schema.Withdraw{Account: dora, Asset: btc, Amount: d("1.9")})
	w.noTimer()
}

// TestEqualDepthsHoldNothing: a deposit that can be traded when it is the account's never is held.
func TestEqualDepthsHoldNothing(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.ConfirmationsForTrading, n.Confirmations = 1, 1 })
	w.grow(paid("a", 1, "2"))
	w.happened("deposit 1 of 104: 2 confirming at 1002", "chain 1 at 1002", "8 main of 1 by deposit for 0: -1.9 0", "104 main of 1 by deposit for 0: 1.9 0",
		"8 main of 1 by deposit for 0: -2 0", "2 main of 1 by deposit for 0: 0.1 0", "deposit 1 of 104: 2 credited at 1002")
}

func TestBlockInParts(t *testing.T) {
	w := newChains(t)
	w.network(func(n *schema.Network) { n.ConfirmationsForTrading = 1 })
	parent := w.tip
	part := func(i uint32, receipts ...schema.Receipt) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: watched, Height: 1002, Hash: digest(1), Parent: parent.hash, Part: i, Parts: 3, Receipts: receipts}
	}
	elsewhere := schema.Rejection{Reason: schema.ChainElsewhere, Value: d("1001")}
	w.must(part(0, paid("a", 1, "2")))
	w.happened("deposit 1 of 104: 2 confirming at 1002")
	w.refused(elsewhere, part(0))
	w.refused(elsewhere, part(2))
	for _, change := range []func(*schema.ChainBlock){
		func(b *schema.ChainBlock) { b.Hash = digest(2) },
		func(b *schema.ChainBlock) { b.Parent = digest(2) },
		func(b *schema.ChainBlock) { b.Height++ },
		func(b *schema.ChainBlock) { b.Parts++ },
	} {
		w.refused(elsewhere, with(part(1), change))
	}
	w.refused(elsewhere, w.nextBlock())
	w.refused(because(schema.BlockInvalid), part(1, paid("a", 1, "2")))
	w.must(part(1))
	w.happened()
	w.has(dora, "0", "0", "0", "0")
	// It is given up: what it paid is waited for until its height and six blocks more.
	w.refused(because(schema.RewindUnknown), &schema.ChainRewind{Chain: watched, Height: 1001, Hash: digest(1)})
	w.must(&schema.ChainRewind{Chain: watched, Height: parent.height, Hash: parent.hash})
	w.happened("chain 1 at 1001", "deposit 1 of 104: 2 confirming at 0")
	w.refused(because(schema.RewindUnknown), &schema.ChainRewind{Chain: watched, Height: parent.height, Hash: parent.hash})
	w.must(part(0, paid("a", 1, "2")))
	w.must(part(1, paid("b", 2, "3")))
	w.must(part(2, paid("c", 2, "4")))
	w.tip = point{1002, digest(1)}
	w.deposit(1, schema.DepositHeld, 1002, "0.1")
	w.deposit(2, schema.DepositHeld, 1002, "0.1")
	w.deposit(3, schema.DepositHeld, 1002, "0.1")
	// The next one begins and is given up with the one before it.
	w.must(with(part(0, paid("d", 1, "1")), func(b *schema.ChainBlock) { b.Height, b.Hash, b.Parent = 1003, digest(3), digest(1) }))
	w.fall(1)
	w.happened("chain 1 at 1001", "deposit 4 of 104: 1 confirming at 0", "deposit 3 of 105: 4 held at 0", "deposit 2 of 105: 3 held at 0",
		"deposit 1 of 104: 2 held at 0")
	w.growBy(7) // 1008: the height of the block that was incomplete and five more
	w.deposit(4, schema.DepositConfirming, 0, "0")
	w.grow()
	w.happened("chain 1 at 1009", "deposit 4 of 104: 1 lost at 0", "105 main of 1 by deposit for 0: 6.8 0",
		"2 main of 1 by reversal for 0: 0.2 0", "8 main of 1 by reversal for 0: -8.9 0", "105 main of 1 by reversal for 0: 2.9 0",
		"8 main of 1 by reversal for 0: -5 0", "deposit 3 of 105: 4 lost at 0", "105 main of 1 by deposit for 0: 2.9 0",
		"2 main of 1 by reversal for 0: 0.1 0", "8 main of 1 by reversal for 0: -4.9 0", "105 main of 1 by reversal for 0: 0 0",
		"8 main of 1 by reversal for 0: -2 0", "deposit 2 of 105: 3 lost at 0", "104 main of 1 by deposit for 0: 1.9 0",
		"2 main of 1 by reversal for 0: 0 0", "8 main of 1 by reversal for 0: -1.9 0", "104 main of 1 by reversal for 0: 0 0",
		"8 main of 1 by reversal for 0: 0 0", "deposit 1 of 104: 2 lost at 0")
}

// TestFirstBlockInParts: a chain without any block knows nothing to be rewound to.
func TestFirstBlockInParts(t *testing.T) {
	w := newChains(t)
	w.must(&schema.SetChain{Chain: schema.Chain{Name: "OTHER", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}})
	part := func(i uint32) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: 2, Height: 7, Hash: digest(1), Part: i, Parts: 2}
	}
	w.refused(because(schema.ChainElsewhere), part(1))
	w.must(part(0))
	w.refused(because(schema.ChainElsewhere), part(0))
	w.refused(because(schema.RewindUnknown), &schema.ChainRewind{Chain: 2, Height: 7, Hash: digest(1)})
	w.refused(because(schema.RewindUnknown), &schema.ChainRewind{Chain: 2})
	w.must(part(1))
	w.happened("chain 2 at 7")
}
