package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// pay brings payouts forward: what is planned is signed, what is signed is sent, what is stuck bids more, and what waits is planned.
//
// What must hold: nothing is signed that is not in the log as a plan, nothing is sent that is not in the log signed, and all variants of
// a payout spend the same coin or nonce. Then it does not matter between which two steps this process dies: what is done again is the
// same, and at most one variant is ever mined.
//
// One payout that fails, and one signer that does not answer, keep no other waiting.
func (l *Link) pay(ctx context.Context, plan bool) error {
	var all []schema.Payout
	var height uint64
	l.o.Node.Read(func(m core.View) {
		height, _ = m.Chains().Cursor(l.id)
		for p := range m.Chains().Payouts(l.id) {
			if p.Height == 0 {
				all = append(all, *p)
			}
		}
	})
	var unsent map[schema.PayoutID]error // only ever asked
	if l.sent != height {
		unsent = l.resend(ctx, all)
	}
	var problems []error
	flying := 0
	for i := range all {
		p := &all[i]
		// People may take long to sign what is cold; a child flies with its parent.
		if l.parent(p.ID) == 0 && (len(p.Variants[len(p.Variants)-1].Raw) > 0 || !l.fetches(p)) {
			flying++
		}
		err := unsent[p.ID]
		if err == nil {
			err = l.forward(ctx, p, all, height, plan)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("payout %d: %w", p.ID, err))
		}
	}
	l.sent = height
	if plan && flying < l.o.Flight && l.o.Signer != nil {
		problems = append(problems, l.plan(ctx, l.o.Flight-flying))
	}
	return errors.Join(problems...)
}

// forward brings a payout that is in no block forward.
func (l *Link) forward(ctx context.Context, p *schema.Payout, all []schema.Payout, height uint64, plan bool) error {
	last := &p.Variants[len(p.Variants)-1]
	givesUp := p.GivingUp && !last.GiveUp
	switch {
	case len(last.Raw) == 0:
		return l.sign(ctx, p, len(p.Variants)-1)
	case !plan || !givesUp && (height < last.Height+l.o.Bump || l.hasChild(p, all, height) || l.bidsForNothing(p, all)):
		return nil
	}
	if at := l.pinned(p); at >= 0 {
		if planned, err := l.addChild(ctx, p, at); planned || err != nil {
			return err
		}
	}
	if len(p.Variants) == schema.MaxVariants {
		return nil
	}
	return l.bid(ctx, p)
}

// sign has a variant signed and keeps the result. A signature of something else is not taken.
func (l *Link) sign(ctx context.Context, p *schema.Payout, variant int) error {
	signer := l.o.Signer
	if l.fetches(p) {
		signer = l.o.Cold
	}
	if signer == nil {
		return nil
	}
	request, by, err := l.request(p, variant)
	if err != nil {
		return err
	}
	raw, err := signer.Sign(ctx, request)
	if errors.Is(err, driver.ErrWaiting) {
		return nil
	}
	if err != nil {
		return err
	}
	v := &p.Variants[variant]
	tx, err := l.o.Driver.Signed(v.Unsigned, raw, by)
	if err != nil {
		return fmt.Errorf("what was signed is not the plan: %w", err)
	}
	r, err := l.submit(ctx, &schema.SignPayout{Payout: p.ID, Variant: uint32(variant), Tx: tx, Raw: raw})
	if err != nil || r.Reason == schema.PayoutDecided {
		return err // another node had it signed, and sends it
	}
	if err := unless(r, "the signature"); err != nil {
		return err
	}
	v.Tx, v.Raw = tx, raw
	return l.send(ctx, p, variant)
}

// request is what a signer is asked for, and, where there are accounts, the address of the one that pays.
func (l *Link) request(p *schema.Payout, variant int) (r *driver.Request, by string, err error) {
	v := &p.Variants[variant]
	r = &driver.Request{Payout: p.ID, Variant: uint32(variant), Unsigned: v.Unsigned, Owns: v.Outputs, Fee: v.Fee}
	l.o.Node.Read(func(m core.View) {
		r.Chain = *m.Chains().Get(l.id)
		paid := p.Asset
		if v.GiveUp {
			paid = m.Chains().Native(l.id) // nothing of it, to ourselves
		}
		asset := m.Listing().Asset(paid)
		if r.Asset = asset.Ticker; asset.NetworkOn(l.id) != nil {
			n := asset.NetworkOn(l.id)
			r.Contract, r.Decimals = n.Contract, n.Decimals
		}
		if len(v.Inputs) == 0 {
			r.Places = []driver.Place{place(m, l.space, p.Index, p.Own)}
		} else {
			r.Anchor = p.Variants[0].Inputs[0]
		}
		for _, id := range v.Inputs {
			_, c, known := m.Chains().Coin(l.id, id)
			if !known {
				err = fmt.Errorf("coin %s is not there", id)
			}
			r.Places = append(r.Places, place(m, l.space, c.Index, c.Own))
		}
		if v.GiveUp {
			return
		}
		for _, id := range p.Withdrawals {
			w, _ := m.Chains().Withdrawal(id)
			r.Withdrawals = append(r.Withdrawals, paidOf(m, &w))
		}
	})
	if err == nil && len(v.Inputs) == 0 {
		by, _, err = l.text(r.Places[0])
		r.Anchor = fmt.Sprint(by, " ", p.Nonce)
	}
	return r, by, err
}

// send gives a signed variant to the node. One that others outbid, or that is mined, is as it should be; what a node refuses is looked at
// by people: nothing that the log has is ever dropped.
func (l *Link) send(ctx context.Context, p *schema.Payout, variant int) error {
	v := &p.Variants[variant]
	if len(v.Raw) == 0 {
		return nil
	}
	said, err := l.o.Driver.Send(ctx, v.Raw)
	if err != nil {
		return err
	}
	l.fates[fate{p.ID, variant}] = said
	latest := variant == len(p.Variants)-1
	if latest && (said == driver.Refused || said == driver.Conflict && !l.lacksParent(p)) {
		return fmt.Errorf("the node does not take %s: %s", v.Tx, said)
	}
	return nil
}

// bid plans a variant that pays more for its block, or one that pays only ourselves if the payout is given up.
func (l *Link) bid(ctx context.Context, p *schema.Payout) error {
	rate, err := l.rate(ctx)
	if err != nil {
		return err
	}
	last := &p.Variants[len(p.Variants)-1]
	order, err := l.order(p)
	if err != nil {
		return err
	}
	var draft *driver.Draft
	// A quarter more than before, and at least what blocks cost now; never above what the operator lets it cost.
	for order.Rate = max(rate, order.Least+(order.Least+3)/4); ; order.Rate += (order.Rate + 3) / 4 {
		if most := order.Chain.FeeRateMax; most != 0 && order.Rate > most {
			return nil
		}
		if draft, err = l.o.Driver.Compose(ctx, order); err != nil {
			if errors.Is(err, driver.ErrFunds) {
				return nil
			}
			return err
		}
		if outbids(draft.Fee, last.Fee, order) {
			break
		}
	}
	m := l.planned(p.ID, draft)
	m.Asset, m.Index, m.Own, m.Nonce = p.Asset, p.Index, p.Own, p.Nonce
	switch {
	case p.GivingUp && len(m.Inputs) == 0:
		_, native := l.assets()
		m.Asset, m.Outputs = native.id, []schema.OwnOutput{{Index: p.Index, Own: p.Own}}
	case !p.GivingUp:
		m.Withdrawals = p.Withdrawals
		if first := p.Variants[0].Outputs; len(m.Inputs) == 0 {
			m.Outputs = first
		} else if stores(first) {
			m.Outputs = slices.Insert(m.Outputs, 0, first[0])
		}
	}
	return l.commit(ctx, m)
}

// outbids reports whether a node lets a fee replace one that it has: a quarter more, and where whole fees are compared, as much more as
// passing the new transaction on costs at the lowest rate.
func outbids(fee, last fixed.Decimal, o *driver.Order) bool {
	more, fits := fixed.Mul(last, fixed.FromUnits(125, 2), fixed.Places, fixed.Up)
	if !fits || fee.Less(more) {
		return false
	}
	passing, fits := fixed.Div(fee, fixed.FromInt(int64(o.Rate)), fixed.Places, fixed.Up)
	return o.Least != 0 || fits && fee.Sub(passing).Cmp(last) >= 0
}

// order is what a payout under way should do, once more.
func (l *Link) order(p *schema.Payout) (*driver.Order, error) {
	c := l.settings()
	o := &driver.Order{Chain: &c}
	list, native := l.assets()
	if native == nil {
		return nil, errors.New("no asset pays the fees of the chain")
	}
	at := slices.IndexFunc(list, func(a offered) bool { return a.id == p.Asset })
	if at < 0 {
		return nil, errors.New("its asset is not listed on the chain any more")
	}
	first, last := &p.Variants[0], &p.Variants[len(p.Variants)-1]
	if len(first.Inputs) == 0 {
		o.Decimals, o.Contract, o.Nonce = list[at].decimals, list[at].contract, p.Nonce
		var err error
		if o.Least, err = l.o.Driver.Bid(last.Unsigned); err != nil {
			return nil, err
		}
		var from driver.Place
		l.o.Node.Read(func(m core.View) { from = place(m, l.space, p.Index, p.Own) })
		if o.From, _, err = l.text(from); err != nil {
			return nil, err
		}
		pay := driver.Payment{Address: o.From}
		if p.GivingUp {
			o.Decimals, o.Contract = native.decimals, ""
		} else if pay, err = l.payment(p, first); err != nil {
			return nil, err
		}
		o.Pays = []driver.Payment{pay}
		return o, nil
	}
	if !p.GivingUp {
		for _, id := range p.Withdrawals {
			w, _ := l.withdrawal(id)
			o.Pays = append(o.Pays, driver.Payment{Address: w.Address, Amount: w.Amount})
		}
		if stores(first.Outputs) {
			pay, err := l.payment(p, first)
			if err != nil {
				return nil, err
			}
			o.Pays = append(o.Pays, pay)
		}
	}
	err := l.coins(o, last.Inputs, p.ID, fixed.Zero)
	if p.GivingUp {
		o.Others = nil
	}
	if err == nil {
		err = l.withParent(o, p)
	}
	return o, err
}

// payment is what a payout of an account pays to whom.
func (l *Link) payment(p *schema.Payout, v *schema.Variant) (driver.Payment, error) {
	if len(p.Withdrawals) > 0 {
		w, known := l.withdrawal(p.Withdrawals[0])
		if !known {
			return driver.Payment{}, fmt.Errorf("withdrawal %d is not there", p.Withdrawals[0])
		}
		return driver.Payment{Address: w.Address, Amount: w.Amount}, nil
	}
	to := v.Outputs[0]
	var at driver.Place
	l.o.Node.Read(func(m core.View) { at = place(m, l.space, to.Index, to.Own) })
	text, _, err := l.text(at)
	return driver.Payment{Address: text, Amount: to.Amount}, err
}

func (l *Link) withdrawal(id schema.WithdrawalID) (w schema.Withdrawal, known bool) {
	l.o.Node.Read(func(m core.View) { w, known = m.Chains().Withdrawal(id) })
	return w, known
}

// rate is what a unit costs now, at most what the operator lets it cost.
func (l *Link) rate(ctx context.Context) (uint64, error) {
	rate, err := l.o.Driver.FeeRate(ctx)
	if most := l.settings().FeeRateMax; err == nil && most != 0 {
		rate = min(rate, most)
	}
	return rate, err
}

// planned is the plan of a draft.
func (l *Link) planned(id schema.PayoutID, d *driver.Draft) *schema.PlanPayout {
	m := &schema.PlanPayout{Chain: l.id, Payout: id, Inputs: d.Inputs, Fee: d.Fee, Tx: d.Tx, Unsigned: d.Unsigned}
	for _, part := range d.Change {
		m.Outputs = append(m.Outputs, schema.OwnOutput{Own: schema.ChangeOf(id), Amount: part})
	}
	return m
}

// commit puts a plan into the log, and has it signed. Another node may have been faster: then there is nothing to do.
func (l *Link) commit(ctx context.Context, m *schema.PlanPayout) error {
	r, err := l.submit(ctx, m)
	if err != nil {
		return err
	}
	if r.Refused() {
		return unless(r, "a plan", schema.PayoutElsewhere, schema.ChainBusy, schema.ChainPaused, schema.ChainHalted, schema.CoinUnavailable, schema.WithdrawalNotQueued)
	}
	var p schema.Payout
	var known bool
	l.o.Node.Read(func(v core.View) { p, known = v.Chains().Payout(m.Payout) })
	if !known || len(p.Variants[len(p.Variants)-1].Raw) > 0 {
		return nil
	}
	return l.sign(ctx, &p, len(p.Variants)-1)
}

// plan plans what waits, at most so many payouts.
func (l *Link) plan(ctx context.Context, most int) error {
	if l.settings().Driver == schema.BitcoinNode {
		return errors.Join(l.batch(ctx), l.balanceCoins(ctx))
	}
	return l.single(ctx, most)
}

// waiting are withdrawals of an asset that can be paid, without some, at most so many. Their addresses are read again: one that is ours, or
// that the chain cannot pay to, is kept back for people to look at.
func (l *Link) waiting(asset schema.AssetID, most int, without map[schema.WithdrawalID]bool) (list []schema.Withdrawal) {
	l.o.Node.Read(func(m core.View) {
		for w := range m.Chains().Waiting(l.id, asset) {
			if without[w.ID] || l.suspects[w.ID] {
				continue
			}
			if list = append(list, *w); len(list) == most {
				break
			}
		}
	})
	return slices.DeleteFunc(list, func(w schema.Withdrawal) bool {
		text, err := address.Parse(l.space, w.Address)
		var key []byte
		if err == nil {
			key, err = l.o.Driver.Key(text)
		}
		if _, ours := l.index.Place(key); err == nil && ours {
			err = errors.New("its address is ours")
		}
		if err != nil {
			l.suspect(&w, err)
		}
		return l.suspects[w.ID]
	})
}

// suspect keeps a withdrawal back that cannot be paid, until this process starts again or it is canceled.
func (l *Link) suspect(w *schema.Withdrawal, why error) {
	if !l.suspects[w.ID] {
		l.suspects[w.ID] = true
		l.o.Log.Error("a withdrawal cannot be paid; look at it, and cancel it", "withdrawal", w.ID, "address", w.Address, "error", why)
	}
}

func (l *Link) next() (id schema.PayoutID) {
	l.o.Node.Read(func(m core.View) { id = m.Chains().NextPayout() })
	return id
}
