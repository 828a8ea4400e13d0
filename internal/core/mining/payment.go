package mining

import (
	"fmt"

	"bourse/internal/core/ledger"
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// payment is rewards of a mining account that are paid together. It waits with the account, is in the queue, or is bound to a withdrawal.
type payment struct {
	slab.Links
	waited  bool // for an address
	sum     fixed.Decimal
	rewards []schema.Reward
}

func (y *payment) mining() schema.MiningID { return y.rewards[0].Mining }

// reference of a payment in statements, and part of what its withdrawal is called.
func (y *payment) reference() schema.RewardID { return y.rewards[0].ID }

// title is what the withdrawal of a payment is called.
func (y *payment) title() string { return fmt.Sprint("mining-", y.reference()) }

// newPayment makes a payment of rewards.
func (p *Pool) newPayment(waited bool, rewards ...schema.Reward) uint32 {
	place, y := p.payments.Take()
	y.waited = waited
	for i := range rewards {
		p.join(y, rewards[i])
	}
	return place
}

// join makes a reward part of a payment.
func (p *Pool) join(y *payment, reward schema.Reward) {
	y.rewards = append(y.rewards, reward)
	y.sum = y.sum.Add(reward.Amount)
	p.pending++
	p.owed = p.owed.Add(reward.Amount)
}

// owe puts a reward into the queue, or lets it wait until it is worth a transaction, for an address that counts.
func (p *Pool) owe(a *mining, reward schema.Reward) {
	if !a.External {
		p.payments.Push(&p.queue, p.newPayment(false, reward))
		return
	}
	if a.waits == 0 {
		a.waits = p.newPayment(true, reward)
	} else {
		p.join(p.payments.At(a.waits), reward)
	}
	y := p.payments.At(a.waits)
	enough := y.sum.Cmp(p.terms.Least) >= 0
	switch {
	case len(y.rewards) >= mostWaiting || enough && p.counts(a):
		p.release(a)
	case enough && !a.due:
		p.isDue(a)
	}
}

// release puts what waits into the queue.
func (p *Pool) release(a *mining) {
	p.notDue(a)
	if a.waits != 0 {
		p.payments.Push(&p.queue, a.waits)
		a.waits = 0
	}
}

// isDue lets what waits be paid when the address counts.
func (p *Pool) isDue(a *mining) {
	p.dues.order.Put(&p.dues.nodes, due{a.Since, a.ID}, uint32(a.ID))
	a.due = true
}

func (p *Pool) notDue(a *mining) {
	if a.due {
		p.dues.order.Remove(&p.dues.nodes, due{a.Since, a.ID})
		a.due = false
	}
}

// lookAtAddresses puts what waited for addresses that count now into the queue, some at once; the timer stays due for the others.
func (p *Pool) lookAtAddresses() {
	for range dueSlice {
		first := p.dues.order.Last()
		if !first.Found() {
			return
		}
		a := p.at(schema.MiningID(first.Item()))
		if !p.counts(a) {
			return
		}
		p.release(a)
	}
}

// payable reports whether the first payment of the queue can be made.
func (p *Pool) payable() bool {
	first := p.queue.First
	return first != 0 && p.payments.At(first).sum.Cmp(p.ledger.Available(p.house())) <= 0
}

// pay makes payments from the front of the queue, some at once.
func (p *Pool) pay() {
	for paid := 0; paid < paySlice && p.payable(); {
		place := p.queue.First
		paid += len(p.payments.At(place).rewards)
		p.payments.Pull(place)
		p.settle(place)
	}
}

// settle pays rewards to the main wallet of the account, and sends them on to the address if that is where they go.
func (p *Pool) settle(place uint32) {
	y := p.payments.At(place)
	a := p.at(y.mining())
	asset := p.terms.Asset
	main := p.ledger.Open(a.Account, schema.Main, asset)
	p.ledger.Move(p.house(), main, y.sum, ledger.Note{Cause: schema.ByMining, Ref: uint64(y.reference())})
	p.wallets.Repay(a.Account, asset)
	if y.waited && p.counts(a) && y.sum.Cmp(p.terms.Least) >= 0 {
		sent, r := p.chains.Send(&schema.RequestWithdrawal{
			Account: a.Account, Asset: asset, Chain: p.terms.Chain, Amount: y.sum, Address: a.Address, Index: a.Index, Unique: y.title(),
		})
		if !r.Refused() {
			p.bind(place, sent)
			return
		}
	}
	p.end(place, schema.RewardSuccessful, "", p.out.Time)
}

// bind makes a withdrawal the one that pays rewards. One to an address of ours is done already.
func (p *Pool) bind(place uint32, sent *schema.Withdrawal) {
	y := p.payments.At(place)
	for i := range y.rewards {
		reward := &y.rewards[i]
		reward.Withdrawal, reward.Address = sent.ID, sent.Address
		p.rewardChanged(reward)
	}
	p.lead(place, sent.ID)
	p.Withdrew(sent)
}

// lead puts a payment among those that withdrawals make.
func (p *Pool) lead(place uint32, id schema.WithdrawalID) {
	p.payments.Push(&p.leaving, place)
	p.leavingAt[id] = place
}

// Withdrew hears of a withdrawal that came to another status. While its payment is being bound it is not known here yet: bind looks itself.
func (p *Pool) Withdrew(w *schema.Withdrawal) {
	place, ours := p.leavingAt[w.ID]
	if !ours {
		return
	}
	status, tx, paid := schema.RewardSuccessful, w.Tx, p.out.Time
	switch w.Status {
	case schema.WithdrawalDone:
	case schema.WithdrawalCanceled, schema.WithdrawalPartial:
		status, tx, paid = schema.RewardCanceled, "", 0
	default:
		return
	}
	delete(p.leavingAt, w.ID)
	p.payments.Pull(place)
	p.end(place, status, tx, paid)
}

// end ends rewards whose payment is in no list, and forgets them.
func (p *Pool) end(place uint32, status schema.RewardStatus, tx string, paid schema.Time) {
	y := p.payments.At(place)
	p.pending -= len(y.rewards)
	p.owed = p.owed.Sub(y.sum)
	for i := range y.rewards {
		reward := &y.rewards[i]
		reward.Status, reward.Tx, reward.Paid = status, tx, paid
		p.rewardChanged(reward)
	}
	p.payments.Give(place)
}

func (p *Pool) rewardChanged(reward *schema.Reward) {
	p.out.Events.Add(&schema.RewardChanged{Reward: *reward})
}
