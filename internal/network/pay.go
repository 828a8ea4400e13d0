package network

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
	again := l.sent != height
	var problems []error
	for i := range all {
		p := &all[i]
		if err := l.forward(ctx, p, height, again, plan); err != nil {
			problems = append(problems, fmt.Errorf("payout %d: %w", p.ID, err))
		}
	}
	l.sent = height
	if plan && len(all) < l.o.Flight && l.o.Signer != nil {
		problems = append(problems, l.plan(ctx, l.o.Flight-len(all)))
	}
	return errors.Join(problems...)
}

// forward brings a payout that is in no block forward.
func (l *Link) forward(ctx context.Context, p *schema.Payout, height uint64, again, plan bool) error {
	last := &p.Variants[len(p.Variants)-1]
	if again {
		for i := range p.Variants {
			if err := l.send(ctx, p, i); err != nil {
				return err
			}
		}
	}
	switch {
	case len(last.Raw) == 0:
		return l.sign(ctx, p, len(p.Variants)-1)
	case !plan || len(p.Variants) == schema.MaxVariants:
		return nil
	case p.GivingUp && !last.GiveUp, height >= last.Height+l.o.Bump:
		return l.bid(ctx, p)
	}
	return nil
}

// sign has a variant signed and keeps the result. A signature of something else is not taken.
func (l *Link) sign(ctx context.Context, p *schema.Payout, variant int) error {
	if l.o.Signer == nil {
		return nil
	}
	request, err := l.request(p, variant)
	if err != nil {
		return err
	}
	raw, err := l.o.Signer.Sign(ctx, request)
	if errors.Is(err, driver.ErrWaiting) {
		return nil
	}
	if err != nil {
		return err
	}
	v := &p.Variants[variant]
	tx, err := l.o.Driver.Signed(v.Unsigned, raw)
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

// request is what a signer is asked for.
func (l *Link) request(p *schema.Payout, variant int) (*driver.Request, error) {
	v := &p.Variants[variant]
	r := &driver.Request{Payout: p.ID, Variant: uint32(variant), Unsigned: v.Unsigned, Owns: v.Outputs, Fee: v.Fee}
	var missing error
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
			r.Anchor = fmt.Sprint(schema.BalanceID(p.Index, p.Own), " ", p.Nonce)
			r.Places = []driver.Place{place(m, l.space, p.Index, p.Own)}
		} else {
			r.Anchor = p.Variants[0].Inputs[0]
		}
		for _, id := range v.Inputs {
			_, c, known := m.Chains().Coin(l.id, id)
			if !known {
				missing = fmt.Errorf("coin %s is not there", id)
			}
			r.Places = append(r.Places, place(m, l.space, c.Index, c.Own))
		}
		if v.GiveUp {
			return
		}
		for _, id := range p.Withdrawals {
			w, _ := m.Chains().Withdrawal(id)
			one := driver.Paid{ID: id, Address: w.Address, Memo: w.Memo, Amount: w.Amount}
			if w.Approver != "" {
				one.Approvals = []string{w.Approver}
			}
			r.Withdrawals = append(r.Withdrawals, one)
		}
	})
	return r, missing
}

// send gives a signed variant to the node. One that others outbid, or that is mined, is as it should be; what a node refuses is looked at
// by people: nothing that the log has is ever dropped.
func (l *Link) send(ctx context.Context, p *schema.Payout, variant int) error {
	v := &p.Variants[variant]
	if len(v.Raw) == 0 {
		return nil
	}
	fate, err := l.o.Driver.Send(ctx, v.Raw)
	if err != nil {
		return err
	}
	latest := variant == len(p.Variants)-1
	if latest && (fate == driver.Refused || fate == driver.Conflict) {
		return fmt.Errorf("the node does not take %s: %s", v.Tx, fate)
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
		if len(m.Inputs) == 0 {
			m.Outputs = p.Variants[0].Outputs
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
	}
	return o, l.coins(o, last.Inputs, schema.ChangeOf(p.ID), fixed.Zero)
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

// coins gives an order the coins that must be spent, and those that may be: the deepest first, and no more than it can need. Each costs the
// derivation of its address.
func (l *Link) coins(o *driver.Order, must []string, change schema.OwnAddress, need fixed.Decimal) error {
	type candidate struct {
		schema.Coin
		at driver.Place
	}
	var list []candidate
	l.o.Node.Read(func(m core.View) {
		for _, id := range must {
			if _, c, known := m.Chains().Coin(l.id, id); known {
				list = append(list, candidate{c, place(m, l.space, c.Index, c.Own)})
			}
		}
		o.Must = len(list)
		for c := range m.Chains().Spendable(l.id, m.Chains().Native(l.id)) {
			if list = append(list, candidate{c, place(m, l.space, c.Index, c.Own)}); len(list) >= 10*schema.MaxInputs {
				break
			}
		}
	})
	if o.Must != len(must) {
		return errors.New("a coin that it spends is in no block any more")
	}
	slices.SortStableFunc(list[o.Must:], func(a, b candidate) int { return int(int64(a.Height) - int64(b.Height)) })
	var has fixed.Decimal
	for i := range list {
		if i >= o.Must+fewCoins && has.Cmp(need.Add(need)) > 0 {
			break
		}
		has = has.Add(list[i].Amount)
		text, public, err := l.text(list[i].at)
		if err != nil {
			return err
		}
		o.Coins = append(o.Coins, driver.Input{ID: list[i].ID, Amount: list[i].Amount, Address: text, Place: list[i].at, Public: public})
	}
	var err error
	o.Change, _, err = l.text(driver.Place{Own: change, Type: schema.Bech32})
	return err
}

// fewCoins are offered to an order beyond those that must be spent, also where fewer would cover it: the fee may need one more.
const fewCoins = 10

// planned is the plan of a draft.
func (l *Link) planned(id schema.PayoutID, d *driver.Draft) *schema.PlanPayout {
	m := &schema.PlanPayout{Chain: l.id, Payout: id, Inputs: d.Inputs, Fee: d.Fee, Tx: d.Tx, Unsigned: d.Unsigned}
	if !d.Change.IsZero() {
		m.Outputs = []schema.OwnOutput{{Own: schema.ChangeOf(id), Amount: d.Change}}
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
		return l.batch(ctx)
	}
	return l.single(ctx, most)
}

// waiting are withdrawals of an asset that can be paid, at most so many. Their addresses are read again: one that is ours, or that the
// chain cannot pay to, is kept back for people to look at.
func (l *Link) waiting(asset schema.AssetID, most int) (list []schema.Withdrawal) {
	l.o.Node.Read(func(m core.View) {
		for w := range m.Chains().Waiting(l.id, asset) {
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

// batch plans one transaction that pays many, where there are coins.
func (l *Link) batch(ctx context.Context) error {
	if time.Since(l.batched) < l.o.Batch {
		return nil
	}
	_, native := l.assets()
	if native == nil {
		return nil
	}
	list := l.waiting(native.id, schema.MaxPaid)
	if len(list) == 0 {
		return nil
	}
	l.batched = time.Now()
	rate, err := l.rate(ctx)
	if err != nil {
		return err
	}
	c := l.settings()
	next := l.next()
	o := &driver.Order{Chain: &c, Rate: rate}
	var need fixed.Decimal
	for i := range list {
		need = need.Add(list[i].Amount)
	}
	if err := l.coins(o, nil, schema.ChangeOf(next), need); err != nil {
		return err
	}
	// What the coins do not cover waits for more of them: as many as can be are paid, in their order.
	for count := len(list); count > 0; count = count / 2 {
		o.Pays = o.Pays[:0]
		for i := range list[:count] {
			o.Pays = append(o.Pays, driver.Payment{Address: list[i].Address, Amount: list[i].Amount})
		}
		draft, err := l.o.Driver.Compose(ctx, o)
		if errors.Is(err, driver.ErrFunds) || errors.Is(err, driver.ErrCannot) && count > 1 {
			continue
		}
		if errors.Is(err, driver.ErrCannot) {
			l.suspect(&list[0], err)
		}
		if err != nil {
			return err
		}
		if err := l.unspent(ctx, o, draft); err != nil {
			return err
		}
		m := l.planned(next, draft)
		m.Asset = native.id
		for i := range list[:count] {
			m.Withdrawals = append(m.Withdrawals, list[i].ID)
		}
		return l.commit(ctx, m)
	}
	return fmt.Errorf("withdrawals wait for coins: %s are not covered", list[0].Amount)
}

func (l *Link) next() (id schema.PayoutID) {
	l.o.Node.Read(func(m core.View) { id = m.Chains().NextPayout() })
	return id
}

// unspent asks the node for every coin of a draft, with what waits for a block: a log that was restored from an older one, and does not
// know what it paid since, pays nothing again.
func (l *Link) unspent(ctx context.Context, o *driver.Order, d *driver.Draft) error {
	for _, id := range d.Inputs {
		at := slices.IndexFunc(o.Coins, func(c driver.Input) bool { return c.ID == id })
		has, err := l.o.Driver.Holds(ctx, driver.Point{}, driver.Holding{ID: id, Address: o.Coins[at].Address})
		if err != nil {
			return err
		}
		if has != o.Coins[at].Amount {
			return fmt.Errorf("coin %s has %s, and should have %s: it may be spent by a payout that this log does not know", id, has, o.Coins[at].Amount)
		}
	}
	return nil
}

// single plans a transaction for each, where there are accounts: withdrawals first, then what is collected from customers' addresses.
func (l *Link) single(ctx context.Context, most int) error {
	list, native := l.assets()
	if native == nil {
		return nil
	}
	hot, _, err := l.text(driver.Place{Own: schema.Hot})
	if err != nil {
		return err
	}
	var problems []error
	for i := range list {
		for _, w := range l.waiting(list[i].id, most) {
			err := l.transfer(ctx, &transfer{asset: &list[i], native: native, from: hot, own: schema.Hot, to: w.Address, amount: w.Amount, withdrawal: w.ID})
			if errors.Is(err, driver.ErrFunds) {
				break // others of this asset wait with it: what is larger must not wait for ever
			}
			if err != nil {
				problems = append(problems, fmt.Errorf("withdrawal %d: %w", w.ID, err))
				continue
			}
			if most--; most == 0 {
				return errors.Join(problems...)
			}
		}
	}
	if len(problems) == 0 {
		problems = append(problems, l.collect(ctx, list, native, hot, most))
	}
	return errors.Join(problems...)
}

// transfer is one payment of an account.
type transfer struct {
	asset, native *offered
	from          string
	index         schema.AddressIndex // of the one who pays
	own           schema.OwnAddress
	to            string
	amount        fixed.Decimal // zero: all that is there
	withdrawal    schema.WithdrawalID
	output        schema.OwnOutput // if it is no withdrawal
}

// transfer plans a payment of an account. ErrFunds if it has too little.
func (l *Link) transfer(ctx context.Context, t *transfer) error {
	rate, err := l.rate(ctx)
	if err != nil {
		return err
	}
	c := l.settings()
	var nonce uint64
	var has, fuel fixed.Decimal
	l.o.Node.Read(func(m core.View) {
		nonce = m.Chains().NextNonce(l.id, t.index, t.own)
		has, fuel = m.Chains().Available(l.id, t.asset.id, t.index, t.own), m.Chains().Available(l.id, t.native.id, t.index, t.own)
	})
	pending, err := l.o.Driver.Nonce(ctx, t.from)
	if err != nil {
		return err
	}
	if pending != nonce {
		if l.flying(t.index, t.own) {
			return nil // what is on its way may not have reached the node yet
		}
		return fmt.Errorf("%s is at transaction %d, and should be at %d: it may have sent something that this log does not know", t.from, pending, nonce)
	}
	amount := t.amount
	all := amount.IsZero()
	if all {
		amount = has
	}
	if amount.Sign() <= 0 || has.Less(amount) || fuel.Sign() <= 0 {
		return driver.ErrFunds
	}
	o := &driver.Order{
		Chain: &c, Rate: rate, From: t.from, Nonce: nonce, Contract: t.asset.contract, Decimals: t.asset.decimals,
		Pays: []driver.Payment{{Address: t.to, Amount: amount}},
	}
	if all && t.asset.id == t.native.id {
		// All of it less the fee, which depends on nothing but the receiver: asked for with the smallest amount.
		o.Pays[0].Amount = fixed.FromUnits(1, int(t.asset.decimals))
		draft, err := l.o.Driver.Compose(ctx, o)
		if err != nil {
			return err
		}
		if amount = amount.Sub(draft.Fee); amount.Sign() <= 0 {
			return driver.ErrFunds
		}
		o.Pays[0].Amount = amount
	}
	draft, err := l.o.Driver.Compose(ctx, o)
	if err != nil {
		return err
	}
	need := draft.Fee
	if t.asset.id == t.native.id {
		need = need.Add(amount)
	}
	if fuel.Less(need) {
		return driver.ErrFunds
	}
	m := l.planned(l.next(), draft)
	m.Asset, m.Index, m.Own, m.Nonce = t.asset.id, t.index, t.own, nonce
	if t.withdrawal != 0 {
		m.Withdrawals = []schema.WithdrawalID{t.withdrawal}
	} else {
		t.output.Amount = amount
		m.Outputs = []schema.OwnOutput{t.output}
	}
	return l.commit(ctx, m)
}

// flying reports whether a payout of an account is in no block.
func (l *Link) flying(index schema.AddressIndex, own schema.OwnAddress) (yes bool) {
	l.o.Node.Read(func(m core.View) {
		for p := range m.Chains().Payouts(l.id) {
			yes = yes || p.Height == 0 && p.Index == index && p.Own == own
		}
	})
	return yes
}
