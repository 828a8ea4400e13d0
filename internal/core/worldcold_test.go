package core

import (
	"bytes"
	"fmt"
	"slices"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// online is the naive exchange as those see it who have no keys of cold storage: they spend other coins.
type online struct{ *naive.Exchange }

// Spendable are the coins that a new payout may spend and that are not in cold storage, by id.
func (x online) Spendable(id schema.ChainID) []schema.Coin {
	return slices.DeleteFunc(x.Exchange.Spendable(id), func(k schema.Coin) bool { return k.Own.IsCold() })
}

// spendableCold are the others.
func (x online) spendableCold(id schema.ChainID) []schema.Coin {
	return slices.DeleteFunc(x.Exchange.Spendable(id), func(k schema.Coin) bool { return !k.Own.IsCold() })
}

// stores reports whether a chain has cold storage.
func (w *payers) stores(c *worldChain) bool {
	_, is := w.slow.ColdKeys(c.Space())
	return is
}

// firstKeys are the keys with which most worlds begin. Some have cold storage from the beginning.
func (w *payers) firstKeys(t *dice) (list []moment) {
	for _, id := range []schema.ChainID{payerNode, payerEVM} {
		space := w.all[id-1].Space()
		list = append(list, moment{cmd: &schema.SetKeys{Keys: schema.Keys{Family: space.Family, Net: space.Net, Print: schema.Digest{1}, Sealed: []byte("hot")}}})
		if chance(t, 3) != 0 {
			list = append(list, moment{cmd: w.coldKeys(t, w.all[id-1])})
		}
	}
	return list
}

// coldKeys sets the keys of cold storage; sometimes they are wrong.
func (w *payers) coldKeys(t *dice, c *worldChain) schema.Command {
	k := schema.Keys{Family: c.Family, Net: c.Net, Print: schema.Digest{7}, Sealed: []byte(w.name("cold")), Cold: true}
	if w.wrong(t, 5) {
		switch chance(t, 3) {
		case 0:
			k.Print = pick(t, schema.Digest{}, schema.Digest{1}, schema.Digest{8})
		case 1:
			k.Sealed = make([]byte, pick(t, 0, schema.MaxSealedKeys, schema.MaxSealedKeys+1))
		case 2:
			k.Net = pick(t, schema.Net(0), schema.Signet)
		}
	}
	return &schema.SetKeys{Keys: k}
}

// guard draws what those do who look after cold storage, and what makes them halt a chain.
func (w *payers) guard(t *dice, c *worldChain) schema.Command {
	switch n := chance(t, 20); {
	case n < 1, n < 5 && !w.stores(c):
		return w.coldKeys(t, c)
	case n < 8:
		return w.refill(t, c)
	case n < 10:
		return w.halt(t, c)
	case n < 11:
		return w.resume(t, c)
	case n < 12:
		return w.adopt(t, c)
	}
	return w.anyPlan(t, c)
}

// coldPayee draws an address in cold storage that strangers may pay.
func (w *payers) coldPayee(t *dice, c *worldChain) schema.OwnAddress {
	if next := int(w.slow.NextPayout()); c.Driver == schema.BitcoinNode && next > 1 {
		return schema.ColdOf(schema.PayoutID(1 + chance(t, next-1)))
	}
	return schema.Cold
}

// wrongCold draws an address at the edges of cold storage.
func (w *payers) wrongCold(t *dice) schema.OwnAddress {
	next := w.slow.NextPayout()
	return pick(t, schema.Cold-1, schema.Cold, schema.ColdOf(1), schema.ColdOf(next-1), schema.ColdOf(next), schema.ColdOf(next-1+schema.OwnAhead), schema.ColdOf(next+schema.OwnAhead), 1<<64-1)
}

// anyPlan composes a plan, often one that stores or brings back where there is cold storage.
func (w *payers) anyPlan(t *dice, c *worldChain) schema.Command {
	p := &schema.PlanPayout{Chain: c.ID, Payout: w.slow.NextPayout(), Unsigned: []byte("unsigned"), Fee: chainFee(t, c)}
	composed := false
	if chance(t, 12) == 0 && w.child(t, c, p) {
		return p
	}
	if w.stores(c) || w.wrong(t, 30) {
		switch chance(t, 5) {
		case 0:
			composed = w.store(t, c, p)
		case 1:
			composed = w.bring(t, c, p)
		}
	}
	if !composed {
		other := w.plan(t, c)
		known := w.coldPayout(c, other.(*schema.PlanPayout).Payout)
		if known == nil || w.wrong(t, 6) {
			return other
		}
		p.Payout = known.ID
		w.coldVariant(t, c, p, known)
	} else {
		w.pursue(t, c, p.Payout)
	}
	if w.wrong(t, 4) {
		w.breakCold(t, c, p)
	} else if w.wrong(t, 8) {
		w.breakPlan(t, c, p)
	}
	return p
}

// follower composes what follows when its turn comes.
type follower func(*dice) schema.Command

// pursue lets a new payout get somewhere: it is signed and comes into a block, which may be rewound, costs more before, or is given up.
func (w *payers) pursue(t *dice, c *worldChain, id schema.PayoutID) {
	sign := func(t *dice) schema.Command { return w.signLast(t, c, id) }
	block := func(t *dice) schema.Command { return w.block(t, c) }
	rewind := func(t *dice) schema.Command { return w.rewind(t, c) }
	dearer := func(t *dice) schema.Command { return w.dearer(t, c, id) }
	abandon := func(*dice) schema.Command { return &schema.AbandonPayout{Payout: id} }
	w.then = append(w.then, pick(t,
		[]follower{sign, block},
		[]follower{sign, block, rewind, block},
		[]follower{sign, dearer, sign, block, rewind},
		[]follower{sign, abandon, dearer, sign, block, rewind},
	)...)
}

// signLast signs the last variant of a payout.
func (w *payers) signLast(t *dice, c *worldChain, id schema.PayoutID) schema.Command {
	for _, p := range w.waiting(c) {
		if p.ID == id {
			last := len(p.Variants) - 1
			s := &schema.SignPayout{Payout: id, Variant: uint32(last), Tx: p.Variants[last].Tx, Raw: []byte("raw")}
			if c.Driver == schema.EVMNode {
				s.Tx = w.name("t")
			}
			return s
		}
	}
	return w.block(t, c)
}

// dearer composes another variant of a payout of cold storage.
func (w *payers) dearer(t *dice, c *worldChain, id schema.PayoutID) schema.Command {
	p := &schema.PlanPayout{Chain: c.ID, Payout: id, Unsigned: []byte("unsigned"), Fee: chainFee(t, c)}
	for _, known := range w.waiting(c) {
		switch {
		case known.ID != id:
			continue
		case c.Driver == schema.EVMNode:
			w.variantOfAccount(t, c, p, &known)
		default:
			w.coldVariant(t, c, p, &known)
		}
		return p
	}
	return w.block(t, c)
}

// store composes a payout to cold storage, if there is something to store.
func (w *payers) store(t *dice, c *worldChain, p *schema.PlanPayout) bool {
	if c.Driver == schema.EVMNode {
		return w.move(t, c, p, schema.Hot, schema.Cold)
	}
	p.Asset, p.Tx = payerBTC, w.name("tx")
	return putAway(t, p, spend(t, p, w.slow.Spendable(c.ID)).Sub(p.Fee))
}

// bring composes a payout that brings something back, if there is something.
func (w *payers) bring(t *dice, c *worldChain, p *schema.PlanPayout) bool {
	if c.Driver == schema.EVMNode {
		return w.move(t, c, p, schema.Cold, schema.Hot)
	}
	p.Asset, p.Tx = payerBTC, w.name("tx")
	return bringBack(t, p, spend(t, p, w.slow.spendableCold(c.ID)).Sub(p.Fee), changes(t))
}

// spend lets a plan spend a few coins, and says how much that is.
func spend(t *dice, p *schema.PlanPayout, coins []schema.Coin) fixed.Decimal {
	t.Shuffle(len(coins), func(i, j int) { coins[i], coins[j] = coins[j], coins[i] })
	sum := fixed.Zero
	for _, k := range coins[:min(len(coins), 1+chance(t, 3))] {
		p.Inputs = append(p.Inputs, k.ID)
		sum = sum.Add(k.Amount)
	}
	return sum
}

// putAway pays what is left of the inputs to cold storage, or a part of it.
func putAway(t *dice, p *schema.PlanPayout, rest fixed.Decimal) bool {
	part, _ := fixed.Div(rest, fixed.FromInt(pick[int64](t, 1, 2, 3, 10)), 8, fixed.Down)
	if part.Sign() <= 0 {
		return false
	}
	p.Outputs = []schema.OwnOutput{{Own: schema.ColdOf(p.Payout), Amount: part}}
	if part.Less(rest) {
		p.Outputs = append(p.Outputs, divided(t, schema.OwnOutput{Own: schema.ChangeOf(p.Payout), Amount: rest.Sub(part)}, changes(t))...)
	}
	return true
}

// bringBack pays all that is left of the inputs to the address for change, divided.
func bringBack(t *dice, p *schema.PlanPayout, rest fixed.Decimal, parts int) bool {
	p.Outputs = divided(t, schema.OwnOutput{Own: schema.ChangeOf(p.Payout), Amount: rest}, parts)
	return rest.Sign() > 0
}

// move composes a payment between two of our own accounts, of all that is there or of a part.
func (w *payers) move(t *dice, c *worldChain, p *schema.PlanPayout, from, to schema.OwnAddress) bool {
	p.Asset, p.Own, p.Nonce = pick(t, payerETH, payerETH, payerToken), from, w.slow.NextNonce(c.ID, 0, from)
	amount := w.slow.Available(c.ID, p.Asset, 0, from)
	if p.Asset == payerETH {
		amount = amount.Sub(p.Fee)
	}
	if parts := pick[int64](t, 1, 2, 3, 10); parts > 1 {
		amount, _ = fixed.Div(amount, fixed.FromInt(parts), 6, fixed.Down)
	}
	p.Outputs = []schema.OwnOutput{{Own: to, Amount: amount}}
	return amount.Sign() > 0
}

// coldPayout is the payout with a number, if it is one under way that spends coins and stores or brings back; or nil.
func (w *payers) coldPayout(c *worldChain, id schema.PayoutID) *schema.Payout {
	for _, p := range w.waiting(c) {
		if p.ID == id && c.Driver == schema.BitcoinNode && (storing(&p) || w.bringing(c, &p)) {
			return &p
		}
	}
	return nil
}

// storing reports whether a payout stores something.
func storing(p *schema.Payout) bool {
	return len(p.Variants[0].Outputs) > 0 && p.Variants[0].Outputs[0].Own.IsCold()
}

// bringing reports whether a payout spends from cold storage.
func (w *payers) bringing(c *worldChain, p *schema.Payout) bool {
	if c.Driver == schema.EVMNode {
		return p.Own.IsCold()
	}
	return slices.ContainsFunc(w.slow.CoinsOf(c.ID, payerBTC), func(k schema.Coin) bool {
		return k.Own.IsCold() && k.ID == p.Variants[0].Inputs[0]
	})
}

// coldVariant composes a variant that costs more of a payout that stores or brings back, sometimes with more coins, or gives it up.
func (w *payers) coldVariant(t *dice, c *worldChain, p *schema.PlanPayout, known *schema.Payout) {
	p.Asset, p.Tx, p.Fee = payerBTC, w.name("tx"), dearest(known).Add(p.Fee)
	p.Inputs, p.Outputs = slices.Clone(known.Variants[0].Inputs), nil
	amounts, sum := w.amounts(c), fixed.Zero
	for _, id := range p.Inputs {
		sum = sum.Add(amounts[id])
	}
	more := w.slow.Spendable(c.ID)
	if !storing(known) {
		more = w.slow.spendableCold(c.ID)
	}
	if len(more) > 0 && (sum.Cmp(p.Fee) <= 0 || chance(t, 4) == 0) {
		sum = sum.Add(spend(t, p, more))
	}
	if storing(known) && !known.GivingUp {
		putAway(t, p, sum.Sub(p.Fee))
	} else {
		bringBack(t, p, sum.Sub(p.Fee), w.changesOf(t, known))
	}
}

// breakCold makes a plan that stores or brings back wrong, mostly. What it pays stays what it spends where that is possible, so that it is
// wrong for one reason.
func (w *payers) breakCold(t *dice, c *worldChain, p *schema.PlanPayout) {
	if len(p.Outputs) == 0 {
		return
	}
	first, last := &p.Outputs[0], &p.Outputs[len(p.Outputs)-1]
	switch chance(t, 12) {
	case 0:
		slices.Reverse(p.Outputs)
	case 1:
		if queued := w.slow.Waiting(c.ID, p.Asset); len(queued) > 0 {
			p.Withdrawals, last.Amount = []schema.WithdrawalID{queued[0].ID}, last.Amount.Sub(queued[0].Amount)
		}
	case 2:
		first.Own = pick(t, w.wrongCold(t), schema.ColdOf(p.Payout+1), schema.ColdOf(p.Payout), schema.ChangeOf(p.Payout), schema.Hot)
	case 3:
		last.Own = pick(t, w.wrongCold(t), schema.ColdOf(p.Payout), schema.ChangeOf(p.Payout)+1, schema.Hot)
	case 4:
		for _, k := range slices.Concat(w.slow.Spendable(c.ID), w.slow.spendableCold(c.ID)) {
			if !slices.Contains(p.Inputs, k.ID) && chance(t, 3) == 0 {
				p.Inputs, last.Amount = append(p.Inputs, k.ID), last.Amount.Add(k.Amount)
			}
		}
	case 5:
		half, _ := fixed.Div(first.Amount, fixed.FromInt(2), 8, fixed.Down)
		more := schema.OwnOutput{Own: pick(t, schema.ColdOf(p.Payout), schema.ChangeOf(p.Payout)), Amount: half}
		first.Amount = first.Amount.Sub(half)
		p.Outputs = slices.Insert(p.Outputs, chance(t, len(p.Outputs)+1), more)
	case 6:
		least := pick(t, fixed.FromUnits(1, 9), first.Amount, first.Amount.Add(fixed.FromUnits(1, 8)))
		first.Amount, last.Amount = first.Amount.Sub(least), last.Amount.Add(least)
	case 7:
		first.Index = 1
	case 8:
		first.Index, first.Own = 1, 0
	case 9:
		p.Index, p.Own = pick(t, schema.AddressIndex(0), 1), pick(t, schema.OwnAddress(0), schema.Hot, schema.Cold, schema.ColdOf(1))
		p.Nonce = w.slow.NextNonce(c.ID, p.Index, p.Own)
	case 10, 11:
		divideMore(t, p)
	}
}

// refill says how much should come back, often at the edge of what there is.
func (w *payers) refill(t *dice, c *worldChain) schema.Command {
	r := &schema.RefillHot{Chain: c.ID, Asset: payerBTC}
	least := fixed.FromUnits(1, 8)
	if c.Driver == schema.EVMNode {
		r.Asset, least = payerETH, smallest
		if coin(t) {
			r.Asset, least = payerToken, fixed.FromUnits(1, 6)
		}
	}
	stored := fixed.Zero
	for _, k := range w.slow.CoinsOf(c.ID, r.Asset) {
		if k.Own.IsCold() && (k.Height != 0 || c.Driver == schema.EVMNode) {
			stored = stored.Add(k.Amount)
		}
	}
	half, _ := fixed.Div(stored, fixed.FromInt(2), 6, fixed.Down)
	r.Amount = pick(t, stored, stored, stored, half, half, fixed.Zero, stored.Add(least), fixed.MinOf(stored, fixed.One))
	if w.wrong(t, 6) {
		r.Amount = pick(t, least.Neg(), fixed.FromUnits(1, 9), fixed.FromUnits(1, 7), stored.Sub(smallest), fixed.Max)
	}
	if w.wrong(t, 12) {
		r.Chain = pick(t, schema.ChainID(0), payerSand, 9, payerNode, payerEVM)
	}
	if w.wrong(t, 12) {
		r.Asset = schema.AssetID(chance(t, payerAssets+2))
	}
	return r
}

// halt draws what halts a chain: a block with a transaction that is not ours, or a rewind deeper than it remembers, mostly.
func (w *payers) halt(t *dice, c *worldChain) schema.Command {
	if len(c.blocks) == 0 || coin(t) {
		b := w.block(t, c).(*schema.ChainBlock)
		b.Foreign = "theft"
		return b
	}
	deep := len(c.blocks) - 1 - pick(t, 100, 101, 111, 200)
	to := c.blocks[max(0, deep)]
	r := &schema.ChainRewind{Chain: c.ID, Height: to.height, Hash: to.hash}
	if deep < 0 {
		r.Height--
	}
	return r
}

// stillborn halts a chain before its first block, or in the middle of that.
func (w *payers) stillborn(t *dice) []follower {
	c := w.foreign(t)
	part := func(t *dice) schema.Command {
		b := w.block(t, c).(*schema.ChainBlock)
		b.Parts, b.Results = 2, nil
		return b
	}
	theft := func(t *dice) schema.Command {
		b := w.block(t, c).(*schema.ChainBlock)
		b.Foreign = "theft"
		return b
	}
	return pick(t, []follower{theft}, []follower{part, theft})
}

// resume lets operators say where a chain goes on: mostly two say the same, so that halted chains do not stay so.
func (w *payers) resume(t *dice, c *worldChain) schema.Command {
	r := w.goOn(t, c)
	if chance(t, 4) != 0 {
		w.next = append(w.next, moment{cmd: r, from: schema.Origin{Operator: "olga"}}, moment{cmd: r, from: schema.Origin{Operator: "oscar"}})
	}
	return r
}

// goOn draws where a chain goes on: where it stands, or lower; sometimes where it never was.
func (w *payers) goOn(t *dice, c *worldChain) *schema.ResumeChain {
	r := &schema.ResumeChain{Chain: c.ID}
	if len(c.blocks) > 0 {
		to := c.blocks[max(0, len(c.blocks)-1-pick(t, 0, 0, 0, 0, 1, 2, 5, 30))]
		r.Height, r.Hash = to.height, to.hash
	}
	if w.wrong(t, 8) {
		switch chance(t, 5) {
		case 0:
			r.Hash = w.digest()
		case 1:
			r.Height++
		case 2:
			r.Height, r.Hash = 0, schema.Digest{}
		case 3:
			r.Chain = pick(t, schema.ChainID(0), payerSand, 9)
		case 4:
			if len(c.blocks) > 0 {
				r.Height, r.Hash = c.blocks[0].height, c.blocks[0].hash
			}
		}
	}
	return r
}

// resumed notes what is missing since a chain went on.
func (c *worldChain) resumed(r *schema.ResumeChain) {
	if len(c.blocks) > 0 {
		c.rewound(&schema.ChainRewind{Chain: r.Chain, Height: r.Height, Hash: r.Hash})
		return
	}
	c.missing = append(c.missing, c.partly...)
	c.part, c.partly = nil, nil
}

// applyCold is apply for worlds with cold storage.
func (tr *trial) applyCold(m moment) error {
	if err := tr.apply(m); err != nil {
		return err
	}
	return tr.compareCold()
}

// compareCold compares what should come back from cold storage, and what is there where there are accounts.
func (tr *trial) compareCold() error {
	chains := tr.fast.Chains()
	for _, c := range chains.All() {
		if c.Driver != schema.BitcoinNode && c.Driver != schema.EVMNode {
			continue
		}
		want, stores := tr.slow.ColdKeys(c.Space())
		if got, known := chains.Keys(c.Space(), true); known != stores || !bytes.Equal(wire.Append(nil, &got), wire.Append(nil, &want)) {
			return fmt.Errorf("keys of cold storage of %s:\n got %+v %t\nwant %+v %t", c.Name, got, known, want, stores)
		}
		accounts := stores && c.Driver == schema.EVMNode
		if accounts {
			if got, want := chains.NextNonce(c.ID, 0, schema.Cold), tr.slow.NextNonce(c.ID, 0, schema.Cold); got != want {
				return fmt.Errorf("the next nonce in cold storage on %s: got %d, want %d", c.Name, got, want)
			}
		}
		for _, asset := range tr.fast.Listing().Assets() {
			if got, want := chains.Wanted(c.ID, asset.ID), tr.slow.Wanted(c.ID, asset.ID); got != want {
				return fmt.Errorf("wanted of %s on %s: got %s, want %s", asset.Ticker, c.Name, got, want)
			}
			if !accounts {
				continue
			}
			if got, want := chains.Available(c.ID, asset.ID, 0, schema.Cold), tr.slow.Available(c.ID, asset.ID, 0, schema.Cold); got != want {
				return fmt.Errorf("available of %s in cold storage on %s: got %s, want %s", asset.Ticker, c.Name, got, want)
			}
		}
	}
	return nil
}
