package chain

import (
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// take takes a block, or a part of one, that somebody saw.
func (c *Chains) take(m *schema.ChainBlock) schema.Rejection {
	ch, r := c.watched(m.Chain)
	if r.Refused() {
		return r
	}
	b := block{point{m.Height, m.Hash}, m.Parent, max(m.Parts, 1), m.Part}
	switch {
	case m.Part >= b.parts || len(m.Receipts) > schema.MaxReceipts || m.Hash.IsZero() || m.Height == 0 || m.Height > mostHeight:
		return schema.Refuse(schema.BlockInvalid)
	case len(m.Foreign) > schema.MaxTx || len(m.Results) > schema.MaxResults || len(m.Results)+len(m.Adopted) > 0 && m.Part+1 < b.parts:
		return schema.Refuse(schema.BlockInvalid)
	case !ch.follows(&b):
		return schema.Rejection{Reason: schema.ChainElsewhere, Value: fixed.FromInt(int64(ch.cursor.height))}
	case m.Foreign != "":
		ch.halted = true
		c.moved(ch)
		return schema.Rejection{}
	case !c.validReceipts(ch, m.Receipts) || !c.validSpends(ch, m):
		return schema.Refuse(schema.BlockInvalid)
	}
	c.seat(ch, m.Receipts, m.Height)
	c.mineResults(ch, m.Results, m.Height)
	c.mineLosses(ch, m.Adopted, m.Height)
	if b.in++; b.in < b.parts {
		ch.block = b
		return schema.Rejection{}
	}
	budget := c.Steps
	c.advance(ch, b.point)
	c.work(ch, &budget)
	return schema.Rejection{}
}

// watched is a chain whose blocks come from outside and that can take one.
func (c *Chains) watched(id schema.ChainID) (*chain, schema.Rejection) {
	ch := c.find(id)
	switch {
	case ch == nil:
		return nil, schema.Refuse(schema.ChainUnknown)
	case !ch.real():
		return nil, schema.Refuse(schema.ChainOwnBlocks)
	case ch.halted:
		return nil, schema.Refuse(schema.ChainHalted)
	case ch.Paused:
		return nil, schema.Refuse(schema.ChainPaused)
	case ch.busy:
		return nil, schema.Refuse(schema.ChainBusy)
	}
	return ch, schema.Rejection{}
}

// follows reports whether a block, or the part of it that has its number in b.in, is what comes next.
func (ch *chain) follows(b *block) bool {
	if ch.block.parts != 0 {
		return ch.block == *b
	}
	return b.in == 0 && (!ch.begun || b.parent == ch.cursor.hash && b.height == ch.cursor.height+1)
}

// validReceipts reports whether all receipts can be seated. No sum over a chain becomes more than a ledger holds.
func (c *Chains) validReceipts(ch *chain, receipts []schema.Receipt) bool {
	ids := make(map[string]bool, len(receipts))
	sums := map[schema.AssetID]fixed.Decimal{}
	for i := range receipts {
		r := &receipts[i]
		if r.ID == "" || len(r.ID) > schema.MaxReceiptID || ids[r.ID] || !c.validReceipt(ch, r) || !c.validOwn(ch, r.Own) || c.taken(ch, holdingKey{r.Asset, r.ID}) {
			return false
		}
		if _, planned := ch.txs[schema.TxOf(r.ID)]; planned { // what a payout pays to ourselves is known by its plan, and nobody's deposit
			return false
		}
		ids[r.ID] = true
		if place := ch.receipts[r.ID]; place != 0 && c.deposits.At(place).Height != 0 {
			return false
		}
		sum, known := sums[r.Asset]
		if !known {
			sum = ch.coins(r.Asset)
		}
		sum, fits := sum.AddChecked(r.Amount)
		if !fits || sum.Cmp(ledger.Limit) > 0 {
			return false
		}
		sums[r.Asset] = sum
	}
	return true
}

// validReceipt reports whether a receipt can be, whatever its id.
func (c *Chains) validReceipt(ch *chain, r *schema.Receipt) bool {
	asset := c.listing.Asset(r.Asset)
	return ch.Driver != schema.Provider && asset != nil && asset.Class == schema.Crypto && r.Amount.Sign() > 0 && r.Amount.Decimals() <= int(asset.Scale) &&
		int(r.Index) <= len(c.space(ch.Space()).addresses) && len(r.Text) <= schema.MaxAddressText && len(r.Memo) <= schema.MaxMemo &&
		(r.Index == 0 || r.Own == 0) && (ch.real() || r.Own == 0) && (!ch.real() || r.Index != 0 || r.Own != 0)
}

// seat puts receipts in the lanes of a chain, in a block. One that was there before its block was rewound is there again. If it was
// lost, or is not what it was, it is another deposit under the same id, which may be credited no earlier than for good.
func (c *Chains) seat(ch *chain, receipts []schema.Receipt, height uint64) {
	for i := range receipts {
		r := &receipts[i]
		place, l := ch.receipts[r.ID], ch.lane(r.Asset)
		l.coins = l.coins.Add(r.Amount)
		if ch.real() {
			c.receive(ch, l, r, height)
		}
		returning, carried := false, fixed.Zero
		if place != 0 {
			d := c.deposits.At(place)
			lost := d.Status == schema.DepositLost || d.Reversed
			if !lost && d.Asset == r.Asset && d.Amount == r.Amount && d.Index == r.Index && d.own == r.Own {
				c.deposits.Pull(place)
				d.Height = height
				c.append(l, place)
				c.changed(d)
				continue
			}
			if !lost {
				c.lose(ch, place)
			}
			returning = true
			if d.Asset == r.Asset && d.Index == r.Index && d.own == r.Own { // nobody pays for what another one got
				carried, d.carried = d.carried, fixed.Zero
			}
		}
		c.arrive(ch, l, r, deposit{ChainDeposit: schema.ChainDeposit{Status: schema.DepositConfirming, Height: height}, returning: returning, carried: carried})
	}
}

// arrive makes the deposit of a receipt that is in a block, beyond what is known of it.
func (c *Chains) arrive(ch *chain, l *lane, r *schema.Receipt, known deposit) {
	c.last++
	place, d := c.deposits.Take()
	*d = known
	d.ID, d.Chain, d.Asset, d.Amount, d.Created, d.Changed = c.last, ch.ID, r.Asset, r.Amount, c.out.Time, c.out.Time
	d.Index, d.own, d.Receipt, d.Address, d.Memo = r.Index, r.Own, r.ID, r.Text, r.Memo
	if r.Index != 0 {
		if owner := c.space(ch.Space()).addresses[r.Index-1].account; c.accounts.Living(owner) != nil {
			d.Account = owner
			c.kept[owner]++
		}
	}
	c.places[d.ID], ch.receipts[r.ID] = place, place
	c.append(l, place)
	c.changed(d)
	if d.carried.IsZero() { // else the account has had the money
		c.Deposited(&d.ChainDeposit, 0)
	}
}

// append puts a deposit at the end of a lane, where everything is before it that depends on depth.
func (c *Chains) append(l *lane, place uint32) {
	c.deposits.Push(&l.seated, place)
	if l.tradable == 0 {
		l.tradable = place
	}
	if l.full == 0 {
		l.full = place
	}
}

// advance moves a chain on to a block.
func (c *Chains) advance(ch *chain, to point) {
	ch.begun, ch.cursor, ch.block = true, to, block{}
	ch.points = append(ch.points, to)
	if most := c.window(ch) + 1; len(ch.points) > most {
		ch.points = slices.Delete(ch.points, 0, len(ch.points)-most)
	}
	c.moved(ch)
}

// window is how many blocks of a chain can be rewound.
func (c *Chains) window(ch *chain) int {
	most := uint64(remembered)
	for _, a := range c.listing.Assets() {
		if n := c.network(ch, a.ID); n != nil {
			most = max(most, 2*uint64(n.Confirmations))
		}
	}
	return int(most)
}

// rewind takes back the blocks above a point. A point that is not known any more halts the chain: nobody knows what is above it.
func (c *Chains) rewind(m *schema.ChainRewind) schema.Rejection {
	ch, r := c.watched(m.Chain)
	if r.Refused() {
		return r
	}
	if !ch.begun {
		return schema.Refuse(schema.RewindUnknown)
	}
	if m.Height < ch.points[0].height {
		ch.halted = true
		c.moved(ch)
		return schema.Rejection{}
	}
	at := slices.Index(ch.points, point{m.Height, m.Hash})
	if at < 0 || at == len(ch.points)-1 && ch.block.parts == 0 {
		return schema.Refuse(schema.RewindUnknown)
	}
	budget := c.Steps
	c.back(ch, at)
	c.work(ch, &budget)
	return schema.Rejection{}
}

// resume lets a halted chain go on from one of its points, when a second operator says so. Where no block was taken there is no point.
func (c *Chains) resume(m *schema.ResumeChain) schema.Rejection {
	ch := c.find(m.Chain)
	switch {
	case c.out.Operator == "":
		return schema.Refuse(schema.OperatorMissing)
	case ch == nil:
		return schema.Refuse(schema.ChainUnknown)
	case !ch.real():
		return schema.Refuse(schema.ChainOwnBlocks)
	case !ch.halted:
		return schema.Refuse(schema.ChainNotHalted)
	}
	to := point{m.Height, m.Hash}
	at := slices.Index(ch.points, to)
	switch {
	case at < 0 && (ch.begun || to != point{}):
		return schema.Refuse(schema.RewindUnknown)
	case ch.resuming == word{c.out.Operator, to}:
		return schema.Refuse(schema.ApprovedBefore)
	case ch.resuming.operator == "" || ch.resuming.at != to:
		ch.resuming = word{c.out.Operator, to}
		return schema.Rejection{}
	}
	ch.halted, ch.resuming, ch.asked = false, word{}, proposal{}
	budget := c.Steps
	c.back(ch, at)
	c.work(ch, &budget)
	return schema.Rejection{}
}

// back moves a chain back to one of its points, or, at -1, to where it was before it had one.
func (c *Chains) back(ch *chain, at int) {
	ch.tip = ch.cursor.height
	if ch.block.parts != 0 {
		ch.tip = ch.block.height
	}
	ch.cursor, ch.block, ch.points = point{}, block{}, ch.points[:at+1]
	if at >= 0 {
		ch.cursor = ch.points[at]
	}
	c.moved(ch)
}

// moved says where a chain stands.
func (c *Chains) moved(ch *chain) {
	c.out.Events.Add(&schema.ChainMoved{Chain: ch.ID, Height: ch.cursor.height, Hash: ch.cursor.hash, Halted: ch.halted})
	c.Moved()
}

// changed says what became of a deposit.
func (c *Chains) changed(d *deposit) {
	c.out.Events.Add(&schema.ChainDepositChanged{Deposit: d.ChainDeposit})
}
