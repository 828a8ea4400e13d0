package core

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// report is the next of one of the leases that live.
func (w *mineWorld) report(rows ...schema.Shares) *schema.ReportShares {
	ids, reports := w.oracle.Leases()
	if len(ids) == 0 {
		return &schema.ReportShares{Shares: rows}
	}
	last := len(ids) - 1
	return &schema.ReportShares{Lease: ids[last], Seq: reports[last] + 1, Shares: rows}
}

// later is a report that is the next one when it comes.
func (w *mineWorld) later(rows ...schema.Shares) moment {
	return moment{cmd: &schema.ReportShares{Shares: rows}}
}

// shares draws a report: few rows that are worth something near a bound, and rarely something that is wrong.
func (w *mineWorld) shares(t *dice) schema.Command {
	c := w.report()
	for range pick(t, 0, 1, 1, 1, 2, 2, 3, 6) {
		c.Shares = append(c.Shares, w.row(t))
	}
	for range pick(t, 0, 0, 1, 2) {
		c.Workers = append(c.Workers, w.worker(t))
	}
	if ids, reports := w.oracle.Leases(); chance(t, 6) == 0 && len(ids) > 0 { // of another listener
		i := chance(t, len(ids))
		c.Lease, c.Seq = ids[i], reports[i]+1
	}
	switch chance(t, 40) {
	case 0:
		c.Seq = pick(t, 0, c.Seq-1, c.Seq+1, math.MaxUint64)
	case 1:
		c.Lease = pick(t, 0, c.Lease+1, math.MaxUint64)
	case 2:
		c.Shares = slices.Repeat([]schema.Shares{w.row(t)}, pick(t, schema.MostShareRows, schema.MostShareRows+1))
	case 3:
		c.Workers = slices.Repeat([]schema.WorkerShares{w.worker(t)}, pick(t, schema.MostShareRows, schema.MostShareRows+1))
	}
	return c
}

func (w *mineWorld) row(t *dice) schema.Shares {
	r := schema.Shares{Mining: w.mining(t), Bits: mineBits[chance(t, len(mineBits))], Accepted: uint32(chance(t, 9)), Rejected: uint32(chance(t, 2))}
	if chance(t, 3) != 0 {
		r.Bits = mineBits[1]
	}
	if rarely(t) {
		r.Accepted, r.Rejected = math.MaxUint32, math.MaxUint32
	}
	terms, _ := w.oracle.Pool()
	unit := fixed.FromUnits(1, mineScale(terms.Asset))
	switch n := chance(t, 20); {
	case n < 2:
		r.Work = pick[uint64](t, 0, 1, 2, math.MaxUint64)
	case n < 3:
		r.Work = w.worth(t, unit, r.Bits)
	case n < 6:
		r.Work = w.worth(t, terms.Least, r.Bits)
	case n < 7:
		r.Work = w.worth(t, fixed.FromInt(1_000_000), r.Bits)
	case n < 8:
		r.Work = w.worth(t, fixed.FromInt(500_000), r.Bits)
	case minePlaces(terms.Asset) < 8 && n < 16:
		r.Bits, r.Work = mineBits[0], uint64(1+chance(t, 9))
	default:
		r.Work = w.worth(t, fixed.FromUnits(int64(1+chance(t, 4000)), 3), r.Bits)
	}
	if chance(t, 60) == 0 {
		r.Bits = pick[uint32](t, 0, 0x1d800000, 0x03000000, 0x23000001, 0x01003456, math.MaxUint32)
	}
	return r
}

// worth is how much work is worth so much at a target, or one more or less.
func (w *mineWorld) worth(t *dice, value fixed.Decimal, bits uint32) uint64 {
	terms, rate := w.oracle.Pool()
	if rate.IsZero() {
		return 1
	}
	target := big.NewInt(int64(bits & 0xffffff))
	if e := uint(bits >> 24); e >= 3 {
		target.Lsh(target, 8*(e-3))
	} else {
		target.Rsh(target, 8*(3-e))
	}
	whole := func(d fixed.Decimal) *big.Int {
		hi, lo := d.Bits()
		n := new(big.Int).Lsh(big.NewInt(hi), 64)
		return n.Add(n, new(big.Int).SetUint64(lo))
	}
	work := new(big.Int).Lsh(big.NewInt(0xffff), 208+uint(terms.Unit))
	work.Mul(work, whole(value))
	if target.Mul(target, whole(rate)); target.Sign() == 0 {
		return 1
	}
	work.Quo(work, target)
	work.Add(work, big.NewInt(int64(pick(t, 0, 0, 1, 1, -1))))
	switch {
	case work.Sign() < 0:
		return 0
	case !work.IsUint64():
		return math.MaxUint64
	}
	return work.Uint64()
}

func (w *mineWorld) worker(t *dice) schema.WorkerShares {
	r := schema.WorkerShares{Mining: w.mining(t), Worker: "rig-1", Time: w.now - w.now%(5*aMinute), Work: 7, Accepted: 7}
	switch chance(t, 40) {
	case 0:
		r.Worker = pick(t, "", "a.b", "é", strings.Repeat("w", schema.MaxWorkerName), strings.Repeat("w", schema.MaxWorkerName+1))
	case 1:
		r.Time = pick(t, r.Time+1, -5*aMinute, 0)
	}
	return r
}

// lease gives a listener a lease, or so many that those of all others end.
func (w *mineWorld) lease(t *dice) schema.Command {
	ids, reports := w.oracle.Leases()
	if chance(t, 12) == 0 && len(ids) > 0 {
		for range 63 + chance(t, 2) {
			w.plan = append(w.plan, moment{cmd: &schema.LeasePool{}})
		}
		last := len(ids) - 1
		w.plan = append(w.plan, moment{cmd: &schema.ReportShares{Lease: ids[last], Seq: reports[last] + 1}})
	}
	return &schema.LeasePool{}
}

// found draws a block, or so many that the first is forgotten.
func (w *mineWorld) found(t *dice) schema.Command {
	id := schema.MiningID(1 + chance(t, 4))
	if chance(t, 20) == 0 {
		w.named += 200
		for i := range 99 + chance(t, 2) {
			w.plan = append(w.plan, moment{cmd: w.foundBlock(t, id, w.named+i)})
		}
		w.plan = append(w.plan, moment{cmd: w.foundBlock(t, id, w.named-1)})
		return w.foundBlock(t, id, w.named-1)
	}
	c := w.foundBlock(t, id, chance(t, 12))
	switch chance(t, 10) {
	case 0:
		c.Block.Mining = w.mining(t)
	case 1:
		c.Block.Worker = pick(t, "", "a b", strings.Repeat("w", schema.MaxWorkerName+1))
	case 2:
		c.Lease = pick(t, 0, c.Lease+100)
	}
	return c
}

// foundBlock is a block of a mining account.
func (w *mineWorld) foundBlock(t *dice, id schema.MiningID, hash int) *schema.FoundBlock {
	ids, _ := w.oracle.Leases()
	c := &schema.FoundBlock{Block: schema.PoolBlock{Mining: id, Worker: "rig-1", Height: uint64(hash), Hash: digest(hash), Time: 7}}
	if len(ids) > 0 {
		c.Lease = ids[chance(t, len(ids))]
	}
	return c
}

// misfortune plans that a mining account brings so much work that it is just unlucky or just not, and may find a block after that. Rarely more blocks are
// expected of it than can be counted.
func (w *mineWorld) misfortune(t *dice) schema.Command {
	id := schema.MiningID(1 + chance(t, 4))
	if len(w.oracle.Minings()) < int(id) {
		return &schema.Tick{}
	}
	terms, rate := w.oracle.Pool()
	if chance(t, 8) == 0 { // a million, of which nearly nothing is a block
		least := &schema.SetPoolRate{Rate: fixed.FromUnits(1, minePlaces(terms.Asset))}
		before := &schema.SetPoolRate{Rate: rate}
		olga := schema.Origin{Operator: "olga"}
		w.plan = append(w.plan, moment{cmd: least, from: olga}, moment{}, moment{cmd: before, from: olga})
		return w.report(schema.Shares{Mining: id, Bits: mineBits[1], Work: w.worth(t, fixed.FromInt(1_000_000), mineBits[1]), Accepted: 1})
	}
	expected, found, _ := w.oracle.MiningLuck(id)
	// (expected - found)^2 = 16 x expected, in blocks
	edge := (uint64(found)+8)*1_000_000 + uint64(4_000_000*math.Sqrt(float64(found)+4)) + uint64(chance(t, 2))
	if expected >= edge {
		return w.foundBlock(t, id, chance(t, 12))
	}
	value, fits := fixed.MulDiv(rate, fixed.FromInt(int64(edge-expected)), fixed.FromInt(1_000_000), mineScale(terms.Asset), fixed.Up)
	if !fits {
		return &schema.Tick{}
	}
	bits := mineBits[1]
	if terms.Unit < 16 { // so that a row is no more than a part of a millionth
		bits = mineBits[6]
	}
	w.plan = append(w.plan, moment{})
	if w.named += 200; coin(t) {
		w.plan = append(w.plan, moment{cmd: w.foundBlock(t, id, w.named)})
	}
	return w.report(schema.Shares{Mining: id, Bits: bits, Work: w.worth(t, value, bits), Accepted: 1})
}

// lateDay plans that two mining accounts work on a day and one of them on the two days after it, without a tick, so that the day of the other is closed after
// a later one.
func (w *mineWorld) lateDay(t *dice) schema.Command {
	first, second := schema.MiningID(1+chance(t, 2)), schema.MiningID(3+chance(t, 2))
	row := func(id schema.MiningID) schema.Shares {
		return schema.Shares{Mining: id, Bits: mineBits[1], Work: w.worth(t, fixed.FromInt(int64(1+chance(t, 4))), mineBits[1]), Accepted: 1}
	}
	for i := range schema.Time(2) {
		m := w.later(row(first))
		m.at = w.now + aDay*(1+i)
		w.plan = append(w.plan, m)
	}
	w.plan = append(w.plan, moment{cmd: &schema.Tick{}})
	return w.report(row(first), row(second))
}

// fund brings money into the pool or takes it out: nearly all, what one of the rewards needs that are not paid, or so much that it has what a day is worth.
func (w *mineWorld) fund(t *dice) schema.Command {
	terms, _ := w.oracle.Pool()
	c := &schema.FundSystem{Account: schema.Pool, Asset: terms.Asset}
	available, _, _ := w.oracle.Balance(schema.Pool, schema.Main, c.Asset)
	unit := fixed.FromUnits(1, mineScale(c.Asset))
	short := fixed.Zero
	for _, r := range w.oracle.Rewards() {
		if r.Status == schema.RewardPending && r.Withdrawal == 0 && r.Amount.Cmp(available) > 0 && chance(t, 2) == 0 {
			short = r.Amount.Sub(available)
			break
		}
	}
	_, worth, _, _ := w.oracle.PoolHealth()
	n := chance(t, 10)
	switch {
	case n < 4 && !short.IsZero():
		c.Amount = pick(t, short, short, short.Sub(unit))
	case n < 6:
		c.Amount = available.Neg()
	case n < 7:
		c.Amount = pick(t, available.Add(unit).Neg(), fixed.Zero, smallest, fixed.Max)
	case n < 9 && !worth.IsZero():
		c.Amount = worth.Sub(available).Sub(pick(t, fixed.Zero, fixed.Zero, unit))
	default:
		c.Amount = pick(t, unit, fixed.One, fixed.FromInt(20), fixed.FromInt(1000))
	}
	if rarely(t) {
		c.Account = pick(t, schema.Codes, schema.FirstCustomer)
	}
	return c
}

// payday plans that what a mining account brings leaves by a withdrawal, and what becomes of that.
func (w *mineWorld) payday(t *dice) schema.Command {
	terms, _ := w.oracle.Pool()
	id := schema.MiningID(1 + chance(t, 4))
	c := w.external(t, w.owner(t, id), id)
	row := schema.Shares{Mining: id, Bits: mineBits[0], Work: 2 << terms.Unit}
	money := moment{cmd: &schema.FundSystem{Account: schema.Pool, Asset: terms.Asset, Amount: fixed.FromInt(100)}}
	w.plan = append(w.plan, moment{}, moment{}, w.later(row))
	if available, _, _ := w.oracle.Balance(schema.Pool, schema.Main, terms.Asset); chance(t, 4) == 0 { // the pool has it after the address was changed
		again := *c
		again.Address = "r3"
		w.plan = append(w.plan, moment{cmd: &schema.FundSystem{Account: schema.Pool, Asset: terms.Asset, Amount: available.Neg()}}, moment{}, moment{cmd: &again})
	}
	w.plan = append(w.plan, money, moment{})
	for range chance(t, 4) {
		w.plan = append(w.plan, moment{cmd: new(schema.DecideWithdrawal), from: schema.Origin{Operator: pick(t, "olga", "oscar")}})
	}
	w.plan = append(w.plan, moment{cmd: &schema.MineSandbox{Chain: mineSand, Blocks: 3}})
	return c
}

// decide lets operators, masters or the provider say what becomes of a withdrawal.
func (w *mineWorld) decide(t *dice) schema.Command {
	var open []schema.Withdrawal
	for _, chain := range []schema.ChainID{mineNode, mineSand, mineBank} {
		open = append(open, w.oracle.Withdrawals(chain)...)
	}
	if len(open) == 0 {
		return &schema.Tick{}
	}
	v := open[chance(t, len(open))]
	switch {
	case v.Status == schema.WithdrawalUnconfirmed && chance(t, 3) == 0:
		w.plan = append(w.plan, moment{cmd: &schema.BlockSub{Master: schema.FirstCustomer, Sub: v.Account}})
		return &schema.BlockSub{Master: schema.FirstCustomer, Sub: v.Account, Blocked: true}
	case v.Status == schema.WithdrawalUnconfirmed && chance(t, 4) != 0:
		return &schema.ConfirmWithdrawal{Master: schema.FirstCustomer, Withdrawal: v.ID}
	case v.Chain == mineBank && chance(t, 4) != 0:
		return &schema.SettleWithdrawal{Withdrawal: v.ID, Amount: pick(t, v.Amount, v.Amount, fixed.Zero, fixed.Zero, cut(v.Amount, 0))}
	}
	return &schema.DecideWithdrawal{Withdrawal: v.ID, Decision: pick(t, schema.ApproveWithdrawal, schema.ApproveWithdrawal, schema.CancelWithdrawal, schema.CancelWithdrawal,
		schema.FreezeWithdrawal, schema.ReleaseWithdrawal)}
}

// others is what happens beside the pool: accounts and assets that are set, sub-accounts that end, money that comes and is taken back.
func (w *mineWorld) others(t *dice) schema.Command {
	switch chance(t, 8) {
	case 0, 1:
		return w.setAccount(t)
	case 2, 3:
		return w.setAsset(t)
	case 4:
		sub := schema.FirstCustomer + mineAccounts + schema.AccountID(chance(t, mineSubs))
		if coin(t) {
			return &schema.DeleteSub{Master: schema.FirstCustomer, Sub: sub}
		}
		return &schema.BlockSub{Master: schema.FirstCustomer, Sub: sub, Blocked: coin(t)}
	case 5: // a name that a payout would have
		c := &schema.RequestWithdrawal{Account: w.account(t), Asset: mineBTC, Chain: w.chainOf(mineBTC), Amount: fixed.FromInt(2), Address: "r9"}
		c.Unique = fmt.Sprint("mining-", len(w.oracle.Rewards())+1)
		w.plan = append(w.plan, moment{cmd: c})
		return &schema.Deposit{Account: c.Account, Asset: mineBTC, Amount: fixed.FromInt(3)}
	}
	if w.sand {
		return w.decide(t)
	}
	return w.reversal(t)
}

// setAccount changes an account until after the next midnight. Work that it brought before is paid, and what it asks for meanwhile mostly refused.
func (w *mineWorld) setAccount(t *dice) schema.Command {
	all := w.oracle.Accounts()
	a := all[chance(t, len(all))]
	for _, m := range w.oracle.Minings() {
		if m.Account == a.ID {
			w.plan = append(w.plan, w.later(schema.Shares{Mining: m.ID, Bits: mineBits[0], Work: 1}), moment{cmd: w.external(t, a.ID, m.ID)},
				moment{cmd: &schema.WatchMining{Account: a.ID, Name: "l", Minings: []schema.MiningID{m.ID}, Rights: 1}})
			break
		}
	}
	free := a
	free.Blocked, free.Region, free.RestrictedUntil = false, schema.Global, 0
	switch chance(t, 3) {
	case 0:
		a.Region = schema.EU
	case 1:
		a.Blocked = true
	case 2:
		a.RestrictedUntil = w.now + 3*aDay
	}
	w.plan = append(w.plan, moment{}, moment{cmd: &schema.SetAccount{Account: free}})
	return &schema.SetAccount{Account: a}
}

// setAsset changes what can be withdrawn of what the pool pays, until after the next midnight.
func (w *mineWorld) setAsset(t *dice) schema.Command {
	terms, _ := w.oracle.Pool()
	a := w.oracle.Assets()[terms.Asset-1]
	a.Networks = slices.Clone(a.Networks)
	w.plan = append(w.plan, moment{}, moment{cmd: &schema.SetAsset{Asset: w.oracle.Assets()[terms.Asset-1]}})
	switch n := &a.Networks[len(a.Networks)-1]; chance(t, 6) {
	case 0:
		a.CanWithdraw = false
	case 1:
		n.CanWithdraw = !n.CanWithdraw
	case 2:
		n.MinWithdraw = fixed.FromInt(2)
	case 3:
		n.MaxWithdraw = fixed.FromInt(2)
	case 4:
		a.NotInEU = true
	case 5:
		a.Precision = pick[uint8](t, 0, a.Precision, uint8(mineScale(a.ID)))
	}
	return &schema.SetAsset{Asset: a}
}

// block is the next one of the chain of others.
func (w *mineWorld) block(receipts ...schema.Receipt) *schema.ChainBlock {
	w.named++
	b := schema.ChainBlock{Chain: mineNode, Height: w.tip.Height + 1, Hash: digest(100_000 + w.named), Parent: w.tip.Hash, Parts: 1, Receipts: receipts}
	w.tip = b
	return &b
}

// reversal plans that a deposit that somebody sold is taken back by the chain, so that he owes it.
func (w *mineWorld) reversal(t *dice) schema.Command {
	seller, buyer := schema.FirstCustomer+schema.AccountID(chance(t, mineAccounts-1)), schema.FirstCustomer+mineAccounts-1
	standing, _, _ := w.oracle.ChainAt(mineNode)
	before := schema.ChainBlock{Height: standing.Height, Hash: standing.Hash}
	w.tip = before
	amount := fixed.FromInt(int64(1 + chance(t, 5)))
	first := w.block(schema.Receipt{
		ID: fmt.Sprint("tx", w.named), Asset: mineBTC, Amount: amount, Index: schema.AddressIndex(1 + seller - schema.FirstCustomer), Text: "address",
	})
	order := schema.OrderRequest{Market: 1, Type: schema.Limit, Amount: amount, Price: fixed.One}
	bid, ask := order, order
	bid.Side, ask.Side = schema.Buy, schema.Sell
	plan := []schema.Command{
		w.block(),
		&schema.Transfer{Account: seller, Asset: mineBTC, Amount: amount, From: schema.Main, To: schema.Trade},
		&schema.Transfer{Account: buyer, Asset: mineUSD, Amount: amount, From: schema.Main, To: schema.Trade},
		&schema.PlaceOrder{Account: buyer, Order: bid},
		&schema.PlaceOrder{Account: seller, Order: ask},
		&schema.ChainRewind{Chain: mineNode, Height: before.Height, Hash: before.Hash},
	}
	w.tip = before
	for range 12 { // so many that it is lost
		plan = append(plan, w.block())
	}
	for _, c := range plan {
		w.plan = append(w.plan, moment{cmd: c})
	}
	w.plan = append(w.plan, w.later(schema.Shares{Mining: schema.MiningID(1 + seller - schema.FirstCustomer), Bits: mineBits[0], Work: 1}), moment{})
	return first
}

// learn lets what began go on soon: accounts be paid to addresses that count, rewards be paid, and withdrawals be done.
func (w *mineWorld) learn(t *dice, m moment, answer schema.Result) {
	if answer.Rejection.Reason != schema.OK {
		return
	}
	switch c := m.cmd.(type) {
	case *schema.WatchMining:
		if coin(t) {
			again := *c
			w.plan = append(w.plan, moment{cmd: &again})
		}
	case *schema.OpenMining:
		if terms, _ := w.oracle.Pool(); terms.Chain != 0 && coin(t) {
			w.plan = append(w.plan, moment{cmd: w.external(t, c.Account, schema.MiningID(answer.ID))})
		}
	case *schema.ReportShares:
		if chance(t, 5) == 0 {
			w.plan = append(w.plan, moment{}, moment{cmd: new(schema.DecideWithdrawal), from: schema.Origin{Operator: "oscar"}}, moment{cmd: &schema.MineSandbox{Chain: mineSand, Blocks: 2}})
		}
	case *schema.FundSystem:
		if coin(t) {
			w.plan = append(w.plan, moment{at: w.now + 1, cmd: &schema.Tick{}})
		}
	case *schema.SetMiningPayout:
		if c.External && chance(t, 4) == 0 { // what waits until the address counts
			w.plan = append(w.plan, moment{at: around(t, w.now+aDay), cmd: &schema.Tick{}}, moment{at: w.now + aDay + 1, cmd: &schema.Tick{}})
		}
	}
}
