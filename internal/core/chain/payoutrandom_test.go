package chain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// roulette lets anything happen to payouts, as it comes. After every command the books are verified, and a snapshot is read.
type roulette struct {
	*exchange
	*rand.Rand
	names int
	// children that were planned.
	children int
	done     map[schema.Reason]int
}

// try applies a command that may be refused; then nothing changes.
func (r *roulette) try(c schema.Command) {
	r.now++
	before := r.snapshot()
	operator := r.out.Operator
	r.out.Reset(r.now)
	r.out.Operator = operator
	refused := r.handlers[c.Kind()](c)
	r.done[refused.Reason]++
	if refused.Refused() && string(before) != string(r.snapshot()) {
		r.t.Fatalf("%T %+v: refused as %v, and it changed something", c, c, refused.Reason)
	}
	r.check()
}

func (r *roulette) name() string {
	r.names++
	return fmt.Sprint("n", r.names)
}

func (r *roulette) step() {
	on := []schema.ChainID{bitcoin, ether}[r.IntN(2)]
	r.out.Operator = []string{"", "ann", "ben"}[r.IntN(3)]
	switch n := r.IntN(20); {
	case n < 5:
		r.grow(on)
	case n < 6:
		points := r.Points(on)
		p := points[max(0, len(points)-1-r.IntN(9))]
		r.try(&schema.ChainRewind{Chain: on, Height: p.Height, Hash: p.Hash})
	case n < 11:
		if on == bitcoin && r.IntN(2) == 0 {
			r.planChild()
		} else if on == bitcoin {
			r.planCoins()
		} else {
			r.planAccount()
		}
	case n < 14:
		if p := r.any(on); p != nil {
			v := r.IntN(len(p.Variants))
			tx := p.Variants[v].Tx
			if tx == "" {
				tx = r.name()
			}
			r.try(&schema.SignPayout{Payout: p.ID, Variant: uint32(v), Tx: tx, Raw: []byte("raw")})
		}
	case n < 15:
		if p := r.any(on); p != nil {
			r.try(&schema.AbandonPayout{Payout: p.ID, Dead: r.IntN(2) == 0})
		}
	case n < 17:
		of := []schema.AssetID{coin, gas, dollar}[r.IntN(3)]
		r.try(asks(r.name(), of, fixed.FromUnits(int64(1+r.IntN(9)), 1).String()))
	case n < 18:
		r.try(&schema.DecideWithdrawal{Withdrawal: schema.WithdrawalID(1 + r.IntN(int(r.lastWithdrawal))), Decision: schema.Verdict(1 + r.IntN(4))})
	case n < 19:
		if r.Steps = 1 + r.IntN(20); r.IntN(4) == 0 {
			r.age(on)
		}
		r.tick(1)
	default:
		d := &schema.DecideDeposit{Deposit: schema.DepositID(1 + r.IntN(int(r.last))), Decision: schema.Decision(1 + r.IntN(3))}
		r.try(d)
		r.try(&schema.RefundDeposit{Account: alice, Deposit: d.Deposit, Address: "back"})
	}
}

// age gives a chain so many blocks that nothing in it can be rewound any more.
func (r *roulette) age(on schema.ChainID) {
	for range remembered + 1 {
		height, parent := r.Cursor(on)
		c := &schema.ChainBlock{Chain: on, Height: height + 1, Hash: schema.Digest{byte(r.IntN(256)), byte(r.IntN(256)), byte(height), 31: 1}, Parent: parent}
		for refused := r.handlers[c.Kind()](c); refused.Reason == schema.ChainBusy; refused = r.handlers[c.Kind()](c) {
			r.Tick()
		}
	}
}

// any is a payout of a chain, or nil.
func (r *roulette) any(on schema.ChainID) *schema.Payout {
	if all := slices.Collect(r.Payouts(on)); len(all) > 0 {
		return all[r.IntN(len(all))]
	}
	return nil
}

// grow gives a chain a block, with receipts that are new or were there before, and with what is signed.
func (r *roulette) grow(on schema.ChainID) {
	height, parent := r.Cursor(on)
	c := &schema.ChainBlock{Chain: on, Height: height + 1, Hash: schema.Digest{byte(r.IntN(256)), byte(r.IntN(256)), byte(height), 31: 1}, Parent: parent}
	for range r.IntN(3) {
		of := coin
		if on == ether {
			of = []schema.AssetID{gas, dollar}[r.IntN(2)]
		}
		id := fmt.Sprint(on, "r", r.IntN(30))
		if d, known := r.Deposit(r.deposits.At(max(r.find(on).receipts[id], 1)).ID); known && d.Receipt == id && d.Height != 0 {
			continue
		}
		c.Receipts = append(c.Receipts, funds(id, of, fmt.Sprint(1+r.IntN(3)), schema.AddressIndex(r.IntN(3))))
	}
	for p := range r.Payouts(on) {
		if v := uint32(r.IntN(len(p.Variants))); p.Height == 0 && (len(p.Variants[v].Raw) > 0 || r.IntN(20) == 0) && r.IntN(3) != 0 {
			c.Results = append(c.Results, schema.PayoutResult{Payout: p.ID, Variant: v, Fee: p.Variants[v].Fee, Failed: on == ether && r.IntN(4) == 0})
		}
	}
	r.try(c)
	if height, _ := r.Cursor(on); height < c.Height && r.IntN(4) != 0 { // one of them cannot be: one alone may
		c.Results = c.Results[:min(len(c.Results), r.IntN(2))]
		r.try(c)
		c.Receipts = nil
		r.try(c)
	}
}

// planCoins plans a payout on Bitcoin, or a variant, that adds up.
func (r *roulette) planCoins() {
	c := &schema.PlanPayout{Chain: bitcoin, Payout: r.NextPayout(), Asset: coin, Tx: r.name(), Unsigned: []byte("u"), Fee: fixed.FromUnits(int64(1+r.IntN(9)), 2)}
	if p := r.any(bitcoin); p != nil && r.IntN(2) == 0 {
		last := p.Variants[len(p.Variants)-1]
		c.Payout, c.Withdrawals, c.Inputs, c.Fee = p.ID, p.Withdrawals, slices.Clone(p.Variants[0].Inputs[:1]), last.Fee.Add(c.Fee)
		if p.GivingUp {
			c.Withdrawals = nil
		}
	} else {
		for w := range r.Waiting(bitcoin, coin) {
			if r.IntN(2) == 0 {
				c.Withdrawals = append(c.Withdrawals, w.ID)
			}
		}
	}
	for free := range r.Spendable(bitcoin, coin) {
		if r.IntN(2) == 0 {
			c.Inputs = append(c.Inputs, free.ID)
		}
	}
	rest := c.Fee.Neg()
	for _, id := range c.Inputs {
		_, in, _ := r.Coin(bitcoin, id)
		rest = rest.Add(in.Amount)
	}
	if rest = rest.Sub(r.sum(c.Withdrawals)); rest.Sign() > 0 {
		c.Outputs = []schema.OwnOutput{{Own: schema.ChangeOf(c.Payout), Amount: rest}}
		divides(1 + r.IntN(1+r.IntN(10)))(c)
	}
	r.try(c)
}

// planChild plans a payout that spends change of another one, which may be there.
func (r *roulette) planChild() {
	p := r.any(bitcoin)
	if p == nil {
		return
	}
	v := &p.Variants[r.IntN(len(p.Variants))]
	c := &schema.PlanPayout{Chain: bitcoin, Payout: r.NextPayout(), Asset: coin, Tx: r.name(), Unsigned: []byte("u"), Fee: fixed.FromUnits(1, 3)}
	rest := c.Fee.Neg()
	for i, out := range v.Outputs {
		if r.IntN(3) != 0 {
			c.Inputs = append(c.Inputs, r.payouts[p.ID].output(v, i).id)
			rest = rest.Add(out.Amount)
		}
	}
	c.Outputs = []schema.OwnOutput{{Own: schema.ChangeOf(c.Payout), Amount: rest}}
	if r.try(c); r.Parent(c.Payout) == p.ID {
		r.children++
	}
}

// planAccount plans a payout, a move or a variant on the other chain.
func (r *roulette) planAccount() {
	c := &schema.PlanPayout{Chain: ether, Payout: r.NextPayout(), Asset: []schema.AssetID{gas, dollar}[r.IntN(2)], Own: schema.Hot, Unsigned: []byte("u"), Fee: fixed.FromUnits(int64(1+r.IntN(9)), 2)}
	if p := r.any(ether); p != nil && r.IntN(3) == 0 {
		c.Payout, c.Asset, c.Withdrawals, c.Index, c.Own, c.Nonce = p.ID, p.Asset, p.Withdrawals, p.Index, p.Own, p.Nonce
		c.Outputs, c.Fee = p.Variants[0].Outputs, p.Variants[len(p.Variants)-1].Fee.Add(c.Fee)
		if p.GivingUp {
			c.Asset, c.Withdrawals, c.Outputs = gas, nil, []schema.OwnOutput{{Index: p.Index, Own: p.Own}}
		}
		r.try(c)
		return
	}
	for w := range r.Waiting(ether, c.Asset) {
		c.Withdrawals = []schema.WithdrawalID{w.ID}
	}
	if len(c.Withdrawals) == 0 {
		c.Outputs = []schema.OwnOutput{{Index: schema.AddressIndex(1 + r.IntN(2)), Amount: fixed.FromUnits(int64(1+r.IntN(9)), 1)}}
		if r.IntN(2) == 0 {
			c.Index, c.Own, c.Outputs[0].Index, c.Outputs[0].Own = c.Outputs[0].Index, 0, 0, schema.Hot
		}
	}
	c.Nonce = r.NextNonce(ether, c.Index, c.Own)
	r.try(c)
}

func TestPayoutsAtRandom(t *testing.T) {
	children := 0
	for seed := range uint64(6) {
		r := &roulette{exchange: paying(t), Rand: rand.New(rand.NewPCG(seed, 1)), done: map[schema.Reason]int{}}
		for range 250 {
			r.step()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		if r.done[schema.OK] < 30 || r.lastPayout == 0 {
			t.Errorf("seed %d: %v", seed, r.done)
		}
		children += r.children
	}
	if children < 5 {
		t.Errorf("%d children", children)
	}
}
