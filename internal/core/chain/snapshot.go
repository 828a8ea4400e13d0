package chain

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are the chains, what is on them, and what accounts owe.
func (c *Chains) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagChains, Name: "chains", Version: 1, Write: c.writeChains, Read: c.readChains},
		{Tag: product.TagPoints, Name: "blocks of chains", Version: 1, Write: c.writePoints, Read: c.readPoints},
		{Tag: product.TagAddresses, Name: "addresses", Version: 1, Write: c.writeAddresses, Read: c.readAddresses},
		{Tag: product.TagLanes, Name: "assets on chains", Version: 1, Write: c.writeLanes, Read: c.readLanes},
		{Tag: product.TagDeposits, Name: "deposits by chains", Version: 1, Write: c.writeDeposits, Read: c.readDeposits},
		{Tag: product.TagPayments, Name: "payments of sandboxes", Version: 1, Write: c.writePayments, Read: c.readPayments},
		{Tag: product.TagClaims, Name: "claims", Version: 1, Write: c.writeClaims, Read: c.readClaims},
		product.Counter(product.TagDepositCounter, "the number of deposits", &c.last),
		{Tag: product.TagWithdrawals, Name: "withdrawals", Version: 1, Write: c.writeWithdrawals, Read: c.readWithdrawals},
		{Tag: product.TagUniques, Name: "names of withdrawals", Version: 1, Write: c.uniques.Write, Read: c.uniques.Read},
		{Tag: product.TagRecent, Name: "withdrawals of the last day", Version: 1, Write: c.writeRecent, Read: c.readRecent},
		product.Counter(product.TagWithdrawalCounter, "the number of withdrawals", &c.lastWithdrawal),
		{Tag: product.TagVASPs, Name: "VASPs", Version: 1, Write: c.writeVASPs, Read: c.readVASPs},
		{Tag: product.TagKeys, Name: "keys of addresses", Version: 1, Write: c.writeKeys, Read: c.readKeys},
		{Tag: product.TagPayouts, Name: "payouts", Version: 1, Write: c.writePayouts, Read: c.readPayouts},
		{Tag: product.TagAdoptions, Name: "spends that nobody planned", Version: 1, Write: c.writeAdoptions, Read: c.readAdoptions},
		{Tag: product.TagCoins, Name: "coins", Version: 1, Write: c.writeCoins, Read: c.readCoins},
		{Tag: product.TagInvoices, Name: "invoices", Version: 1, Write: c.writeInvoices, Read: c.readInvoices},
		{Tag: product.TagInvoiceNames, Name: "names of invoices", Version: 1, Write: c.invoices.names.Write, Read: c.invoices.names.Read},
	}
}

var errPlace = errors.New("it stands in the wrong place, twice, or belongs to nothing that is there")

// chainRecord is a chain as snapshots keep it.
type chainRecord struct{ *chain }

func (r *chainRecord) Fields(c *wire.Coder) {
	if r.chain == nil {
		r.chain = &chain{}
	}
	s := &r.sandbox
	wire.Embed(c, 1, "settings", &r.Chain)
	c.Bool(2, "begun", &r.begun)
	wire.Uint(c, 3, "block_height", &r.block.height)
	c.Array(4, "block_hash", r.block.hash[:])
	c.Array(5, "block_parent", r.block.parent[:])
	wire.Uint(c, 6, "block_parts", &r.block.parts)
	wire.Uint(c, 7, "block_in", &r.block.in)
	wire.Uint(c, 8, "tip", &r.tip)
	c.Bool(9, "busy", &r.busy)
	c.Bool(10, "halted", &r.halted)
	wire.Int(c, 11, "since", &r.since)
	wire.Uint(c, 12, "to_mine", &s.toMine)
	wire.Uint(c, 13, "payments", &s.payments)
	wire.Uint(c, 14, "blocks", &s.blocks)
	wire.Int(c, 15, "next", &s.next)
	wire.Text(c, 16, "drop", &s.drop)
	c.Bool(17, "drop_all", &s.dropAll)
	wire.Text(c, 18, "resuming", &r.resuming.operator)
	wire.Uint(c, 19, "resume_height", &r.resuming.at.height)
	c.Array(20, "resume_hash", r.resuming.at.hash[:])
}

func (c *Chains) writeChains(w *product.Writer) {
	for _, ch := range c.chains {
		w.Message(&chainRecord{ch})
	}
}

func (c *Chains) readChains(r *product.Reader) error {
	for m, err := range product.Messages[chainRecord](r) {
		if err != nil {
			return err
		}
		read := m.chain
		if int(read.ID) != len(c.chains)+1 || len(c.chains) == mostChains || c.names[read.Name] != 0 || !valid(&read.Chain) {
			return fmt.Errorf("chain %d: %w", read.ID, errPlace)
		}
		if read.Driver != schema.Sandbox && (read.sandbox.toMine != 0 || read.sandbox.next != 0) || read.sandbox.toMine > mostToMine || read.block.in > read.block.parts {
			return fmt.Errorf("chain %d: what it waits for cannot be", read.ID)
		}
		if read.resuming != (word{}) && (!read.halted || read.resuming.operator == "") {
			return fmt.Errorf("chain %d: nobody can resume it", read.ID)
		}
		ch := c.add(read.Chain)
		ch.begun, ch.block, ch.tip, ch.busy, ch.halted, ch.resuming, ch.since, ch.sandbox = read.begun, read.block, read.tip, read.busy, read.halted, read.resuming, read.since, read.sandbox
		ch.points = nil
	}
	return nil
}

// pointRecord is a block of a chain as snapshots keep it.
type pointRecord struct {
	chain schema.ChainID
	point
}

func (r *pointRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &r.chain)
	wire.Uint(c, 2, "height", &r.height)
	c.Array(3, "hash", r.hash[:])
}

func (c *Chains) writePoints(w *product.Writer) {
	for _, ch := range c.chains {
		for _, p := range ch.points {
			w.Message(&pointRecord{ch.ID, p})
		}
	}
}

func (c *Chains) readPoints(r *product.Reader) error {
	for m, err := range product.Messages[pointRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.chain)
		if ch == nil || !ch.begun || m.height > mostHeight+1 || len(ch.points) > 0 && m.height != ch.cursor.height+1 {
			return errPlace
		}
		ch.points, ch.cursor = append(ch.points, m.point), m.point
	}
	for _, ch := range c.chains {
		if ch.begun != (len(ch.points) > 0) {
			return fmt.Errorf("chain %d has no block, or should have none", ch.ID)
		}
	}
	return nil
}

func (c *Chains) writeAddresses(w *product.Writer) {
	for _, s := range c.spaces {
		for i := range s.addresses {
			a := s.at(schema.AddressIndex(i + 1))
			w.Message(&a)
		}
	}
}

func (c *Chains) readAddresses(r *product.Reader) error {
	for a, err := range product.Messages[schema.Address](r) {
		if err != nil {
			return err
		}
		kind, known := typeOf(a.Family, a.Type)
		s := c.space(a.Space())
		if s == nil || !known || kind != a.Type || c.accounts.Get(a.Account) == nil || int(a.Index) != len(s.addresses)+1 ||
			c.first[owner{a.Account, s.Space, kind}].count >= mostAddresses {
			return fmt.Errorf("address %d: %w", a.Index, errPlace)
		}
		c.assign(s, a.Account, kind)
	}
	return nil
}

// laneRecord is what snapshots keep of a lane, besides its deposits.
type laneRecord struct {
	chain         schema.ChainID
	asset         schema.AssetID
	coins, booked fixed.Decimal
	hourly        hourly
	wanted        fixed.Decimal
}

func (r *laneRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &r.chain)
	wire.Uint(c, 2, "asset", &r.asset)
	c.Decimal(3, "coins", &r.coins)
	c.Decimal(4, "booked", &r.booked)
	wire.Int(c, 5, "hour", &r.hourly.hour)
	c.Decimal(6, "in_hour", &r.hourly.sum)
	c.Decimal(7, "wanted", &r.wanted)
}

func (c *Chains) writeLanes(w *product.Writer) {
	for _, ch := range c.chains {
		for _, l := range ch.lanes {
			w.Message(&laneRecord{ch.ID, l.asset, l.coins, l.booked, l.hourly, l.wanted})
		}
	}
}

func (c *Chains) readLanes(r *product.Reader) error {
	for m, err := range product.Messages[laneRecord](r) {
		if err != nil {
			return err
		}
		ch, asset := c.find(m.chain), c.listing.Asset(m.asset)
		if ch == nil || asset == nil || len(ch.lanes) > 0 && ch.lanes[len(ch.lanes)-1].asset >= m.asset {
			return errPlace
		}
		// A sandbox pays what it never got. While a reorganisation is under way its coins may be twice what they are bounded by otherwise.
		// On a chain of others more can be booked than came there, and never more be paid.
		for _, sum := range []fixed.Decimal{m.coins, m.booked} {
			if sum.Decimals() > int(asset.Scale) {
				return errors.New("a sum cannot be")
			}
		}
		if m.coins.Sign() < 0 && ch.real() {
			return errors.New("a sum cannot be")
		}
		if h := m.hourly; h.hour < 0 || h.sum.Sign() < 0 || h.sum.Decimals() > int(asset.Scale) || h.sum.IsZero() && h.hour != 0 {
			return errors.New("what left in an hour cannot be")
		}
		if m.wanted.Sign() < 0 || !m.wanted.IsZero() && !ch.real() {
			return errors.New("what should come back cannot be")
		}
		l := ch.lane(m.asset)
		l.coins, l.booked, l.hourly, l.wanted = m.coins, m.booked, m.hourly, m.wanted
	}
	return nil
}

// The list in which a deposit is, and how far a seated one has come, as snapshots number them.
const (
	inBlock = iota + 1
	inTradable
	inFull
	inNoBlock
	inKept
)

// depositRecord is a deposit as snapshots keep it.
type depositRecord struct {
	deposit
	in uint8
}

func (r *depositRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "deposit", &r.ChainDeposit)
	wire.Uint(c, 2, "in", &r.in)
	wire.Uint(c, 3, "deadline", &r.deadline)
	c.Decimal(4, "carried", &r.carried)
	c.Bool(5, "posted", &r.posted)
	c.Bool(6, "returning", &r.returning)
	c.Bool(7, "unseated", &r.unseated)
	wire.Uint(c, 8, "refund", &r.refund)
	c.Bytes(9, "travel", &r.travel)
	wire.Uint(c, 10, "own", &r.own)
}

func (c *Chains) writeDeposits(w *product.Writer) {
	for _, ch := range c.chains {
		for _, l := range ch.lanes {
			in := uint8(inFull)
			for place := l.seated.First; place != 0; place = c.deposits.At(place).After {
				if place == l.full {
					in = inTradable
				}
				if place == l.tradable {
					in = inBlock
				}
				w.Message(&depositRecord{*c.deposits.At(place), in})
			}
			for place := l.unseated.First; place != 0; place = c.deposits.At(place).After {
				w.Message(&depositRecord{*c.deposits.At(place), inNoBlock})
			}
			for place := l.kept.First; place != 0; place = c.deposits.At(place).After {
				w.Message(&depositRecord{*c.deposits.At(place), inKept})
			}
		}
	}
}

func (c *Chains) readDeposits(r *product.Reader) error {
	for m, err := range product.Messages[depositRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.Chain)
		if ch == nil {
			return fmt.Errorf("deposit %d: %w", m.ID, errPlace)
		}
		at, there := ch.findLane(m.Asset)
		if !there || !c.validDeposit(ch, ch.lanes[at], m) {
			return fmt.Errorf("deposit %d: %w", m.ID, errPlace)
		}
		c.restore(ch, ch.lanes[at], m)
	}
	return nil
}

// validDeposit reports whether a deposit can be, where it stands.
func (c *Chains) validDeposit(ch *chain, l *lane, m *depositRecord) bool {
	_, known := c.places[m.ID]
	receipt := schema.Receipt{Asset: m.Asset, Amount: m.Amount, Index: m.Index, Text: m.Address, Memo: m.Memo, Own: m.own}
	seated := m.in >= inBlock && m.in <= inFull
	switch {
	case known || m.ID == 0 || m.Receipt == "" || len(m.Receipt) > schema.MaxReceiptID || !c.validReceipt(ch, &receipt):
		return false
	case m.Status < schema.DepositConfirming || m.Status > schema.DepositReview || !c.mayHave(m.Account, &m.deposit):
		return false
	case m.in < inBlock || m.in > inKept || seated && (m.Height == 0 || m.Height > ch.highest()) || m.in == inNoBlock && m.Height != 0:
		return false
	case m.Account == 0 && (m.Status == schema.DepositHeld || m.Status == schema.DepositCredited):
		return false
	case m.Fee.Sign() < 0 || m.Fee.Cmp(m.Amount) >= 0 || m.carried.Sign() < 0 || !m.validTravel():
		return false
	case m.refund != 0 && (m.Account == 0 || m.Status != schema.DepositCanceled && m.Status != schema.DepositLost || m.posted != (m.Status == schema.DepositCanceled)):
		return false
	case seated && l.seated.Last != 0 && (c.deposits.At(l.seated.Last).Height > m.Height || c.reached(l) < m.in):
		return false
	}
	return true
}

// mayHave reports whether a deposit can be an account's, or nobody's.
func (c *Chains) mayHave(account schema.AccountID, d *deposit) bool {
	if account == schema.Pool {
		return d.own == schema.PoolOwn && d.Status == schema.DepositCredited && d.Fee.IsZero()
	}
	return account == 0 || c.accounts.Get(account) != nil
}

// highest is the height that a deposit can have: that of the last block, of one of which parts are missing, or of one that was rewound and
// whose deposits are not unseated yet.
func (ch *chain) highest() uint64 {
	high := max(ch.cursor.height, ch.block.height)
	if ch.busy {
		high = max(high, ch.tip)
	}
	return high
}

// reached is how far the last deposit of a lane has come.
func (c *Chains) reached(l *lane) uint8 {
	switch {
	case l.tradable != 0:
		return inBlock
	case l.full != 0:
		return inTradable
	}
	return inFull
}

// restore puts a deposit where it was.
func (c *Chains) restore(ch *chain, l *lane, m *depositRecord) {
	place, d := c.deposits.Take()
	*d = m.deposit
	c.places[d.ID] = place
	if d.Account != 0 {
		c.kept[d.Account]++
	}
	if other := ch.receipts[d.Receipt]; other == 0 || c.deposits.At(other).ID < d.ID {
		ch.receipts[d.Receipt] = place
	}
	switch m.in {
	case inNoBlock:
		c.deposits.Push(&l.unseated, place)
	case inKept:
		c.deposits.Push(&l.kept, place)
	default:
		c.deposits.Push(&l.seated, place)
		if l.tradable == 0 && m.in == inBlock {
			l.tradable = place
		}
		if l.full == 0 && m.in <= inTradable {
			l.full = place
		}
	}
	if d.Status == schema.DepositHeld {
		c.count(d, d.Amount.Sub(d.Fee))
	}
	c.last = max(c.last, d.ID)
}

// paymentRecord is a payment that waits for a block of a sandbox.
type paymentRecord struct {
	chain   schema.ChainID
	receipt schema.Receipt
}

func (r *paymentRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "chain", &r.chain)
	wire.Embed(c, 2, "receipt", &r.receipt)
}

func (c *Chains) writePayments(w *product.Writer) {
	for _, ch := range c.chains {
		for _, r := range ch.sandbox.queue[ch.sandbox.taken:] {
			w.Message(&paymentRecord{ch.ID, r})
		}
	}
}

func (c *Chains) readPayments(r *product.Reader) error {
	for m, err := range product.Messages[paymentRecord](r) {
		if err != nil {
			return err
		}
		ch := c.find(m.chain)
		if ch == nil || ch.Driver != schema.Sandbox || m.receipt.ID == "" || len(m.receipt.ID) > schema.MaxReceiptID || !c.validReceipt(ch, &m.receipt) {
			return errPlace
		}
		if at, there := ch.findLane(m.receipt.Asset); there {
			c.enqueue(ch, ch.lanes[at], m.receipt)
		} else {
			return errPlace
		}
	}
	return nil
}

func (c *Chains) writeClaims(w *product.Writer) {
	for i := range c.claims {
		w.Message(&c.claims[i])
	}
}

func (c *Chains) readClaims(r *product.Reader) error {
	for m, err := range product.Messages[claim](r) {
		if err != nil {
			return err
		}
		if c.accounts.Get(m.account) == nil || c.listing.Asset(m.asset) == nil {
			return errPlace
		}
		c.claims = append(c.claims, *m)
	}
	return nil
}
