package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core"
	"bourse/internal/core/chain"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// mostBlocks is how many blocks a step takes: then it is time to look at payouts again.
const mostBlocks = 100

// stand is where the exchange stands on a chain.
type stand struct {
	chain.Standing
	paused bool
	points []chain.Point // the cursor last
}

func (l *Link) stand() (s stand) {
	l.o.Node.Read(func(m core.View) {
		s.Standing, s.paused = m.Chains().Standing(l.id), m.Chains().Get(l.id).Paused
		s.points = m.Chains().Points(l.id)
	})
	return s
}

func (s *stand) cursor() chain.Point { return s.points[len(s.points)-1] }

// follow brings the blocks of the node into the log. It is true when the exchange has all of them.
func (l *Link) follow(ctx context.Context) (current bool, err error) {
	for range mostBlocks {
		s := l.stand()
		switch {
		case s.Halted:
			return false, l.halted(ctx, &s)
		case s.paused, s.Busy:
			return false, nil
		}
		tip, err := l.o.Driver.Tip(ctx)
		if err != nil {
			return false, err
		}
		l.at(&s, tip.Height)
		if len(s.points) == 0 {
			if tip.Height == 0 { // a chain of one block, which has no parent to stand on
				return false, nil
			}
			if err := l.begin(ctx, tip); err != nil {
				return false, err
			}
			continue
		}
		if current, err = l.advance(ctx, s, tip); err != nil || current {
			return current, err
		}
	}
	return false, nil
}

// at keeps where both stand, for those who ask.
func (l *Link) at(s *stand, tip uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tip = tip; len(s.points) > 0 {
		l.height = s.cursor().Height
	}
}

// advance takes the next block, or goes back to where the node's chain left ours. A node that is behind is waited for: only a chain that
// is as long as ours is another one.
func (l *Link) advance(ctx context.Context, s stand, tip driver.Point) (current bool, err error) {
	cursor := s.cursor()
	if tip.Height < cursor.Height {
		return false, nil
	}
	at, known, err := l.o.Driver.At(ctx, cursor.Height)
	if err != nil || !known {
		return false, err
	}
	if at.Hash != cursor.Hash {
		return false, l.rewind(ctx, s)
	}
	if tip.Height == cursor.Height {
		return !s.Half, nil
	}
	next, known, err := l.o.Driver.At(ctx, cursor.Height+1)
	if err != nil || !known {
		return false, err
	}
	return false, l.take(ctx, next, s)
}

// rewind goes back to the last block that the node has too. If it has none that the exchange remembers, the core halts the chain.
func (l *Link) rewind(ctx context.Context, s stand) error {
	to := schema.ChainRewind{Chain: l.id, Height: s.points[0].Height - 1}
	for _, p := range slices.Backward(s.points) {
		at, known, err := l.o.Driver.At(ctx, p.Height)
		if err != nil {
			return err
		}
		if known && at.Hash == p.Hash {
			to.Height, to.Hash = p.Height, p.Hash
			break
		}
	}
	r, err := l.submit(ctx, &to)
	if err != nil {
		return err
	}
	return unless(r, "going back", schema.RewindUnknown, schema.ChainBusy)
}

// begin takes the first block, where the exchange begins to stand on the chain. What it paid is not looked at, as what those before it did:
// it is one part, so that no half of it is left if this process dies.
func (l *Link) begin(ctx context.Context, at driver.Point) error {
	b, err := l.o.Driver.Block(ctx, at, nothing{})
	if err != nil {
		return fmt.Errorf("block %d: %w", at.Height, err)
	}
	r, err := l.submit(ctx, &schema.ChainBlock{Chain: l.id, Height: b.Height, Hash: b.Hash, Parent: b.Parent, Parts: 1})
	if err != nil {
		return err
	}
	return unless(r, fmt.Sprint("block ", at.Height), schema.ChainElsewhere, schema.ChainBusy, schema.ChainPaused, schema.ChainHalted)
}

// nothing is the lookup by which nothing is ours.
type nothing struct{}

func (nothing) Place([]byte) (driver.Place, bool) { return driver.Place{}, false }
func (nothing) Coin([]byte) bool                  { return false }
func (nothing) Contract([]byte) bool              { return false }

// take brings a block into the log, in as many parts as it needs. Another node may bring the same: what is refused because the chain
// stands elsewhere was taken already.
func (l *Link) take(ctx context.Context, at driver.Point, s stand) error {
	lookup := &scan{index: &l.index, ctx: ctx}
	b, err := l.o.Driver.Block(ctx, at, lookup)
	if err == nil {
		err = l.ripen(ctx, b, lookup)
	}
	if err == nil {
		lookup.refresh()
		err = lookup.err
	}
	if err != nil {
		return fmt.Errorf("block %d: %w", at.Height, err)
	}
	whole, err := l.blockOf(b)
	if err != nil {
		return fmt.Errorf("block %d: %w", at.Height, err)
	}
	taken := false
	for _, part := range parts(whole) {
		r, err := l.submit(ctx, part)
		if err != nil {
			return err
		}
		taken = taken || !r.Refused()
		if err := unless(r, fmt.Sprint("block ", at.Height), schema.ChainElsewhere, schema.ChainBusy, schema.ChainPaused, schema.ChainHalted); err != nil {
			return err
		}
	}
	if s.Half && !taken {
		// Somebody else split the block otherwise, and died. It begins again.
		r, err := l.submit(ctx, &schema.ChainRewind{Chain: l.id, Height: s.cursor().Height, Hash: s.cursor().Hash})
		if err != nil {
			return err
		}
		return unless(r, "going back", schema.RewindUnknown, schema.ChainBusy)
	}
	return nil
}

// maturity is how many blocks after its own a coinbase can be spent.
const maturity = 100

// ripen lets what a coinbase pays be a receipt of the last block before it can be spent instead of its own: until then it would be a coin
// that no node lets a payout spend, and with it the payout would wait.
func (l *Link) ripen(ctx context.Context, b *driver.Block, ours driver.Lookup) error {
	b.Receipts = slices.DeleteFunc(b.Receipts, func(r driver.Receipt) bool { return r.Coinbase })
	if l.space.Family != schema.Bitcoin || b.Height < maturity {
		return nil
	}
	at, known, err := l.o.Driver.At(ctx, b.Height-maturity+1)
	if err != nil || !known {
		return errors.Join(err, driver.ErrMoved)
	}
	old, err := l.o.Driver.Block(ctx, at, ours)
	if err != nil {
		return err
	}
	for _, r := range old.Receipts {
		if r.Coinbase {
			b.Receipts = append(b.Receipts, r)
		}
	}
	return nil
}

// unless is an error of what was refused, unless it was for one of these reasons.
func unless(r schema.Rejection, what string, fine ...schema.Reason) error {
	if !r.Refused() || slices.Contains(fine, r.Reason) {
		return nil
	}
	return fmt.Errorf("%s is refused: %s", what, r.Text())
}

// blockOf writes what is ours in a block as the log has it. What our own payouts pay to ourselves is no receipt: the core knows it by the plan.
func (l *Link) blockOf(b *driver.Block) (*schema.ChainBlock, error) {
	m := &schema.ChainBlock{Chain: l.id, Height: b.Height, Hash: b.Hash, Parent: b.Parent}
	list, native := l.assets()
	ours, adopted := map[string]bool{}, l.adopted()
	for i := range b.Spends {
		s := &b.Spends[i]
		result, known, err := l.result(s, list, native)
		if err != nil {
			return nil, err
		}
		if !known && slices.Contains(adopted, s.Tx) {
			if err := l.adopt(m, s, list, native); err != nil {
				return nil, err
			}
			continue
		}
		if !known {
			m.Foreign = s.Tx
			l.o.Log.Error("something of ours was spent and the log has no plan of it: a theft, or an older log. The chain is halted", "transaction", s.Tx, "height", b.Height)
			return m, nil
		}
		ours[s.Tx] = true
		m.Results = append(m.Results, result)
	}
	for i := range b.Receipts {
		r := &b.Receipts[i]
		if ours[r.Tx] {
			continue
		}
		asset := find(list, r.Contract, l.o.Driver)
		if asset == nil {
			continue
		}
		amount, fits := driver.Amount(r.Units, asset.decimals)
		if !fits || amount.Decimals() > int(asset.scale) {
			l.o.Log.Error("a receipt cannot be counted and is not booked", "receipt", r.ID, "asset", asset.ticker, "units", r.Units)
			continue
		}
		m.Receipts = append(m.Receipts, schema.Receipt{ID: r.ID, Asset: asset.id, Amount: amount, Index: r.Place.Index, Own: r.Place.Own, Text: r.Text})
	}
	return m, nil
}

// find is the asset with a contract, however that is written; nil if none is listed.
func find(list []offered, contract string, d driver.Chain) *offered {
	var key []byte
	if contract != "" {
		key, _ = d.Key(contract)
	}
	for i := range list {
		if contract == "" || list[i].contract == "" {
			if list[i].contract == contract {
				return &list[i]
			}
			continue
		}
		if other, err := d.Key(list[i].contract); err == nil && string(other) == string(key) {
			return &list[i]
		}
	}
	return nil
}

// result is what became of a payout of ours; false if the transaction is none that the log knows.
func (l *Link) result(s *driver.Spend, list []offered, native *offered) (r schema.PayoutResult, known bool, err error) {
	var p schema.Payout
	l.o.Node.Read(func(m core.View) {
		if r.Payout, r.Variant, known = m.Chains().PayoutOf(l.id, s.Tx); known {
			p, known = m.Chains().Payout(r.Payout)
		}
	})
	if !known || native == nil || len(p.Variants[r.Variant].Raw) == 0 {
		return r, false, nil
	}
	v := &p.Variants[r.Variant]
	if r.Fee = v.Fee; s.Fee != nil {
		var fits bool
		if r.Fee, fits = driver.Amount(s.Fee, native.decimals); !fits {
			return r, false, fmt.Errorf("transaction %s cost %s, which cannot be counted", s.Tx, s.Fee)
		}
	}
	r.Failed = s.Failed
	if p.Asset != native.id && !v.GiveUp && !r.Failed {
		r.Failed, err = l.unpaid(&p, v, s, list)
	}
	return r, true, err
}

// unpaid reports whether a transaction that was to move a token did not move it as planned.
func (l *Link) unpaid(p *schema.Payout, v *schema.Variant, s *driver.Spend, list []offered) (bool, error) {
	at := slices.IndexFunc(list, func(a offered) bool { return a.id == p.Asset })
	if at < 0 {
		return true, nil
	}
	want, err := l.payment(p, v)
	if err != nil {
		return false, err
	}
	units, _ := driver.UnitsOf(want.Amount, list[at].decimals)
	to, err := l.o.Driver.Key(want.Address)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(s.Moves, func(m driver.Move) bool {
		key, err := l.o.Driver.Key(m.To)
		moved := find(list, m.Contract, l.o.Driver)
		return err == nil && moved != nil && moved.id == p.Asset && string(key) == string(to) && m.Units.Cmp(units) == 0
	}), nil
}

// parts divides a block into as many as its receipts need. What became of payouts, and what was adopted, comes with the last.
func parts(whole *schema.ChainBlock) (list []*schema.ChainBlock) {
	count := max(1, (len(whole.Receipts)+schema.MaxReceipts-1)/schema.MaxReceipts)
	for i := range count {
		part := *whole
		part.Part, part.Parts, part.Results, part.Adopted = uint32(i), uint32(count), nil, nil
		part.Receipts = whole.Receipts[i*schema.MaxReceipts : min((i+1)*schema.MaxReceipts, len(whole.Receipts))]
		if i == count-1 {
			part.Results, part.Adopted = whole.Results, whole.Adopted
		}
		list = append(list, &part)
	}
	if whole.Foreign != "" {
		list = list[:1]
	}
	return list
}
