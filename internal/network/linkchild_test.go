package network_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// pin lets who is paid by a transaction spend an output of it in one that is large and pays little for each byte: in all more than a variant
// that bids a quarter more.
func (o *outside) pin(receiver int, output string, amount string) {
	o.t.Helper()
	ctx := context.Background()
	at := driver.Place{Index: schema.AddressIndex(100 + receiver), Type: schema.Bech32}
	_, public, err := o.public.Address(at)
	if err != nil {
		o.t.Fatal(err)
	}
	pays := slices.Repeat([]driver.Payment{{Address: o.other(0), Amount: fixed.FromUnits(1000, 8)}}, 300)
	draft, err := o.driver.Compose(ctx, &driver.Order{
		Chain: &o.chain, Rate: 2, Pays: pays, Must: 1, Change: o.other(0),
		Coins: []driver.Input{{ID: output, Amount: fixed.MustParse(amount), Address: o.other(receiver), Place: at, Public: public}},
	})
	if err != nil {
		o.t.Fatal(err)
	}
	raw, err := custody.NewHot(o.seed).Sign(ctx, &driver.Request{Chain: o.chain, Unsigned: draft.Unsigned, Places: []driver.Place{at}})
	if err != nil {
		o.t.Fatal(err)
	}
	o.send(o.driver, raw)
}

// says holds what the node says of a variant.
func (p *pair) says(v *schema.Variant, want driver.Fate) {
	p.t.Helper()
	if fate, err := p.world.driver.Send(context.Background(), v.Raw); err != nil || fate != want {
		p.t.Fatalf("the node says of %s: %s (%v), want %s", v.Tx, fate, err, want)
	}
}

func (p *pair) parent(id schema.PayoutID) (parent schema.PayoutID) {
	p.read(func(m core.View) { parent = m.Chains().Parent(id) })
	return parent
}

// rate is what transactions pay for a virtual byte together.
func (p *pair) rate(variants ...*schema.Variant) float64 {
	p.t.Helper()
	var fees int64
	size := uint64(0)
	for _, v := range variants {
		n, err := p.world.driver.Size(v.Raw)
		if err != nil {
			p.t.Fatal(err)
		}
		fee, _ := v.Fee.Units(8)
		fees, size = fees+fee, size+n
	}
	return float64(fees) / float64(size)
}

// pinned is an exchange with a payout that its receiver pins: the node does not take its second variant.
func (p *pair) pinned() (id schema.WithdrawalID) {
	p.t.Helper()
	p.deposit("1")
	id = p.withdraw(p.native, p.world.other(1), "0.25")
	p.step()
	p.world.pin(1, schema.OutputID(p.withdrawal(id).Tx, 0), "0.25")
	p.mineEmpty(3)
	list := p.payouts()
	q := list[len(list)-1]
	if len(q.Variants) != 2 {
		p.t.Fatalf("%d variants", len(q.Variants))
	}
	p.says(&q.Variants[0], driver.Accepted)
	p.says(&q.Variants[1], driver.Cheap)
	return id
}

// TestBitcoinChangePaysForItsPayout: the receiver of a payout keeps it out of blocks, so that no variant is taken, and a child of it gets in.
func TestBitcoinChangePaysForItsPayout(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		id := p.pinned()
		p.mineEmpty(2)
		if got := len(p.payouts()); got != 1 {
			t.Fatalf("%d payouts before its time", got)
		}
		p.restart()
		p.mineEmpty(1)
		list := p.payouts()
		if len(list) != 2 || len(list[0].Variants) != 2 || list[1].Status != schema.PayoutSent || p.parent(list[1].ID) != list[0].ID {
			t.Fatalf("%+v", list)
		}
		first, child := &list[0].Variants[0], &list[1].Variants[0]
		var want []string
		for i := range first.Outputs {
			want = append(want, schema.OutputID(first.Tx, 1+i))
		}
		if !slices.Equal(child.Inputs, want) || len(want) != schema.MaxChange || len(child.Outputs) != 1 || child.Outputs[0].Own != schema.ChangeOf(list[1].ID) {
			t.Errorf("it spends %v and gives back %v", child.Inputs, child.Outputs)
		}
		p.says(child, driver.Accepted)
		// Both have what a third variant would bid: a quarter more than the second, in whole satoshi.
		second, both := math.Ceil(p.rate(&list[0].Variants[1])), p.rate(first, child)
		if want := second + math.Ceil(second/4); both < want || both > want+0.1 {
			t.Errorf("a variant has a rate of %v, and both together of %v, want %v", second, both, want)
		}
		p.restart()
		p.step()
		p.audit()

		// It bids more itself; its parent does not.
		p.mineEmpty(3)
		list = p.payouts()
		if len(list) != 2 || len(list[0].Variants) != 2 || len(list[1].Variants) != 2 || list[1].Variants[1].Inputs[0] != want[0] {
			t.Fatalf("%+v", list)
		}
		first, child = &list[0].Variants[0], &list[1].Variants[1]
		p.says(child, driver.Accepted)
		p.says(&list[1].Variants[0], driver.Cheap)
		if more := p.rate(first, child); more < both+0.9 || len(child.Outputs) != 1 {
			t.Errorf("both together have a rate of %v after %v, and %v is given back", more, both, child.Outputs)
		}

		// Both are in one block. Who looks at the books before the exchange does finds nothing that it does not know.
		p.node.Mine(1)
		if v := p.held(); v.Foreign != nil || v.Assets[0].Books != fixed.FromInt(1) || v.Assets[0].Chain != v.Assets[0].Books {
			t.Errorf("%+v", v)
		}
		p.step()
		list = p.payouts()
		if list[0].Height == 0 || list[0].Height != list[1].Height || list[0].Mined != 0 || list[1].Mined != 1 {
			t.Fatalf("%+v", list)
		}
		p.is(schema.WithdrawalMined, id)
		p.audit()
		p.restart()
		p.mine(2)
		p.is(schema.WithdrawalDone, id)
		p.audit()
		cost := first.Fee.Add(child.Fee)
		if got, want := p.total(p.native), fixed.MustParse("0.75").Sub(cost); got != want || p.system(schema.House, p.native) != cost.Neg().String() {
			t.Errorf("the chain has %s, and the house %s; they cost %s", got, p.system(schema.House, p.native), cost)
		}
		p.wants(p.native, "0.75", "0", "0")

		// A longer chain without them: they come back, one after the other.
		p.second.Mine(4)
		p.second.Give(p.node, p.common+1)
		p.common = p.second.Height()
		p.step()
		p.audit()
		p.mine(1)
		if list = p.payouts(); list[0].Height == 0 || list[0].Height != list[1].Height {
			t.Fatalf("%+v", list)
		}
		p.audit()
	})
}

// TestBitcoinOtherVariantsEndChildren: the second variant is in a block after all, so that the child never can be.
func TestBitcoinOtherVariantsEndChildren(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		id := p.pinned()
		p.mineEmpty(3)
		list := p.payouts()
		if len(list) != 2 {
			t.Fatalf("%+v", list)
		}
		other, err := bitcoin.Dial(p.second.URL, p.world.chain)
		if err != nil {
			t.Fatal(err)
		}
		p.world.send(other, list[0].Variants[1].Raw)
		p.mineEmpty(1)
		p.is(schema.WithdrawalMined, id)
		p.audit()
		p.mineEmpty(4) // it bids no more
		if list = p.payouts(); len(list) != 2 || list[0].Mined != 1 || list[1].Status != schema.PayoutSent || len(list[1].Variants) != 1 {
			t.Fatalf("%+v", list)
		}
		p.mineEmpty(97)
		if list = p.payouts(); len(list) != 0 {
			t.Fatalf("%+v", list)
		}
		p.audit()
	})
}

// TestBitcoinNoChildIsMadeWithoutNeed: while the node takes variants, and where the operator lets both cost no more than the payout does.
func TestBitcoinNoChildIsMadeWithoutNeed(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.deposit("1")
		p.withdraw(p.native, p.world.other(2), "0.25")
		p.step()
		p.mineEmpty(3)
		p.mineEmpty(3)
		if list := p.payouts(); len(list) != 1 || len(list[0].Variants) != 3 {
			t.Fatalf("%+v", list)
		}
		p.mine(3)
		p.pinned()
		settings := p.chain
		settings.FeeRateMax = uint64(math.Ceil(p.rate(&p.payouts()[1].Variants[0])))
		p.do(&schema.SetChain{Chain: settings})
		p.mineEmpty(3)
		if list := p.payouts(); len(list) != 2 || len(list[1].Variants) != 2 {
			t.Fatalf("%+v", list)
		}
		settings.FeeRateMax++
		p.do(&schema.SetChain{Chain: settings})
		p.step()
		list := p.payouts()
		if len(list) != 3 || len(list[1].Variants) != 2 || p.parent(list[2].ID) != list[1].ID {
			t.Fatalf("%+v", list)
		}
		if both := p.rate(&list[1].Variants[0], &list[2].Variants[0]); both < float64(settings.FeeRateMax) || both > float64(settings.FeeRateMax)+0.1 {
			t.Errorf("both have a rate of %v, want %d", both, settings.FeeRateMax)
		}
	})
}

// TestBitcoinAPayoutWithLittleChangeBidsOn by itself: a child would leave nothing.
func TestBitcoinAPayoutWithLittleChangeBidsOn(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Regtest, nodetest.Bitcoind)
	p.deposit("0.25001")
	p.withdraw(p.native, p.world.other(1), "0.25")
	p.step()
	first := p.payouts()[0].Variants[0]
	p.world.pin(1, schema.OutputID(first.Tx, 0), "0.25")
	p.mineEmpty(3)
	p.mineEmpty(3)
	list := p.payouts()
	if len(list) != 1 || len(list[0].Variants) != 3 || first.Outputs[0].Amount != fixed.MustParse("0.00000859") {
		t.Fatalf("%+v", list)
	}
	p.says(&list[0].Variants[0], driver.Accepted)
	p.says(&list[0].Variants[2], driver.Cheap)
}

// TestBitcoinOperatorsGiveUpAParent: that bids for ourselves from then on, and its child does not for others.
func TestBitcoinOperatorsGiveUpAParent(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Regtest, nodetest.Bitcoind)
	p.pinned()
	p.mineEmpty(3)
	p.do(&schema.AbandonPayout{Payout: p.payouts()[0].ID})
	p.step()
	list := p.payouts()
	if len(list) != 2 || len(list[0].Variants) != 3 || !list[0].Variants[2].GiveUp {
		t.Fatalf("%+v", list)
	}
	p.mineEmpty(3)
	if list = p.payouts(); len(list) != 2 || len(list[0].Variants) != 4 || len(list[1].Variants) != 1 {
		t.Fatalf("%+v", list)
	}
	p.mine(1)
	if list = p.payouts(); list[0].Mined != 0 || list[0].Height != list[1].Height || list[0].Height == 0 {
		t.Fatalf("%+v", list)
	}
	p.audit()
}

// TestBitcoinChangeThatAChildSpendsIsNoCoinOfOthers: what the child gives back is, in its place. And a child takes no other payout's room.
func TestBitcoinChangeThatAChildSpendsIsNoCoinOfOthers(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	p.pinned()
	p.mineEmpty(3)
	second, err := bitcoin.Dial(p.second.URL, p.world.chain)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		raw, _ := p.world.pay(p.address(), "1")
		p.world.send(second, raw)
	}
	p.mineEmpty(3)
	for i, parts := range []int{4, 1, 1} { // besides three other coins, and what the child gives back
		p.withdraw(p.native, p.world.other(2+i), "0.1")
		p.step()
		list := p.payouts()
		if len(list) != 3+i || len(list[2+i].Variants[0].Inputs) != 1 || len(list[2+i].Variants[0].Outputs) != parts {
			t.Fatalf("%+v", list)
		}
	}
	if list := p.payouts(); len(list) != 5 || p.parent(list[1].ID) != list[0].ID {
		t.Fatalf("%+v", list)
	}
}

// TestBitcoinHasOneChildWhereverItDies: what the next start does is the same.
func TestBitcoinHasOneChildWhereverItDies(t *testing.T) {
	for _, at := range []string{"composed", "planned", "signed"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, schema.Simnet, nodetest.Btcd)
			p.pinned()
			p.mineEmpty(2)
			p.share()
			p.second.Mine(1)
			p.second.Give(p.node, p.common+1)
			real, err := p.open(p.chain)
			if err != nil {
				t.Fatal(err)
			}
			d := &dying{Chain: real, signer: hot(p.house), at: at}
			p.signer = d
			p.joinBy(d)
			if err := p.try(); !errors.Is(err, errDead) {
				t.Fatalf("it did not die: %v", err)
			}
			p.signer = nil
			p.restart()
			p.step()
			list := p.payouts()
			if len(list) != 2 || list[1].Status != schema.PayoutSent || len(list[1].Variants) != 1 {
				t.Fatalf("%+v", list)
			}
			p.says(&list[1].Variants[0], driver.Accepted)
			p.mine(1)
			if list = p.payouts(); list[0].Height == 0 || list[0].Height != list[1].Height {
				t.Fatalf("%+v", list)
			}
			p.audit()
		})
	}
}

// TestBitcoinAnOlderLogHasNoSecondChild: the node says that the change is spent already.
func TestBitcoinAnOlderLogHasNoSecondChild(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.pinned()
		p.mineEmpty(2)
		p.stop()
		copied, newer := t.TempDir(), p.dir
		copyTree(t, p.dir, copied)
		p.start()
		p.join()
		p.mineEmpty(1)
		if got := len(p.payouts()); got != 2 {
			t.Fatalf("%d payouts", got)
		}
		p.stop()
		p.dir = copied
		p.start()
		p.join()
		if err := p.try(); err == nil || !strings.Contains(err.Error(), "it may be spent by a payout that this log does not know") {
			t.Fatalf("got %v", err)
		}
		if got := len(p.payouts()); got != 1 {
			t.Fatalf("%d payouts", got)
		}
		p.stop()
		p.dir = newer
		p.start()
		p.join()
		p.mine(1)
		p.audit()
	})
}

// TestBitcoinANodeThatHasNothingGetsChildrenFirst: behind the variant that they spend from, before a later one that pays less than both.
func TestBitcoinANodeThatHasNothingGetsChildrenFirst(t *testing.T) {
	eachNode(t, func(t *testing.T, p *pair) {
		p.pinned()
		p.mineEmpty(3)
		second, err := bitcoin.Dial(p.second.URL, p.world.chain)
		if err != nil {
			t.Fatal(err)
		}
		p.joinBy(second)
		p.step()
		p.world.driver = second
		list := p.payouts()
		p.says(&list[0].Variants[0], driver.Accepted)
		p.says(&list[0].Variants[1], driver.Cheap)
		p.says(&list[1].Variants[0], driver.Accepted)
	})
}

// TestBitcoinAChildOfWhatTheNodeReplacedWaits, and its parent bids again.
func TestBitcoinAChildOfWhatTheNodeReplacedWaits(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Regtest, nodetest.Bitcoind)
	p.pinned()
	p.mineEmpty(3)
	list := p.payouts()
	later := &list[0].Variants[1]
	for _, fee := range []int{1_000_000, -1_000_000} { // the node takes it as one that pays more, once
		if err := p.node.Ask(nil, "prioritisetransaction", later.Tx, 0, fee); err != nil {
			t.Fatal(err)
		}
		p.says(later, driver.Accepted)
	}
	p.says(&list[0].Variants[0], driver.Cheap)
	p.says(&list[1].Variants[0], driver.Conflict)
	p.mineEmpty(3)
	if list = p.payouts(); len(list) != 2 || len(list[0].Variants) != 3 || len(list[1].Variants) != 1 {
		t.Fatalf("%+v", list)
	}
	p.says(&list[0].Variants[2], driver.Accepted)
	p.mine(1)
	if list = p.payouts(); list[0].Mined != 2 || list[1].Height != 0 {
		t.Fatalf("%+v", list)
	}
	p.audit()
}

// slow is a signer that signs no payout without withdrawals for a time.
type slow struct{ driver.Signer }

func (s slow) Sign(ctx context.Context, r *driver.Request) ([]byte, error) {
	if len(r.Withdrawals) == 0 {
		return nil, driver.ErrWaiting
	}
	return s.Signer.Sign(ctx, r)
}

// TestBitcoinAParentWaitsForTheSignatureOfItsChild as long as for a block, and then bids itself. There is no second child.
func TestBitcoinAParentWaitsForTheSignatureOfItsChild(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	p.pinned()
	p.signer = slow{hot(p.house)}
	p.join()
	p.mineEmpty(3)
	wants := func(variants int, of schema.PayoutStatus) {
		t.Helper()
		if list := p.payouts(); len(list) != 2 || len(list[0].Variants) != variants || list[1].Status != of || len(list[1].Variants) != 1 {
			t.Fatalf("%+v", list)
		}
	}
	wants(2, schema.PayoutPlanned)
	p.mineEmpty(2)
	wants(2, schema.PayoutPlanned)
	p.mineEmpty(1)
	wants(3, schema.PayoutPlanned)
	p.signer = nil
	p.join()
	p.step()
	wants(3, schema.PayoutSent)
	p.says(&p.payouts()[1].Variants[0], driver.Accepted)
}

// TestBitcoinWhatIsGivenUpHasNoChild, which would pay those that nothing should be paid to.
func TestBitcoinWhatIsGivenUpHasNoChild(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	p.pinned()
	p.do(&schema.AbandonPayout{Payout: 1})
	p.step()
	p.mineEmpty(3)
	list := p.payouts()
	if len(list) != 1 || len(list[0].Variants) != 4 || !list[0].Variants[3].GiveUp {
		t.Fatalf("%+v", list)
	}
	p.says(&list[0].Variants[0], driver.Accepted)
	p.says(&list[0].Variants[3], driver.Cheap)
}
