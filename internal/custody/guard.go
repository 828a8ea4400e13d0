package custody

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Guard is a signer that believes nothing that an exchange says. It reads the transaction itself, derives our addresses itself, and has
// limits and a memory of its own:
//
//   - a withdrawal is paid by one payout, whatever its variants;
//   - every variant of a payout spends the same anchor, and pays the same withdrawals or nobody but us. So at most one is ever mined;
//   - what leaves stays within the limits that people wrote down beside it;
//   - what is large was signed by operators whose keys they wrote down there.
//
// What it signs is durable in its journal before the signature leaves.
type Guard struct {
	dir    string
	seed   *Seed
	limits *Limits
	now    func() time.Time

	mu          sync.Mutex
	journal     *journal
	last        time.Time // of the journal: time never goes back
	payouts     map[schema.PayoutID]*payout
	withdrawals map[schema.WithdrawalID]schema.PayoutID
	worth       map[string]fixed.Decimal // of coins, by chain and id
	left        map[lane]*window         // what left
	fees        map[string]*window       // what it cost, by chain
	known       map[schema.Space]known
}

// payout is what a guard remembers of one.
type payout struct {
	chain, anchor string
	payees        []payee
	fee           fixed.Decimal // the highest of its variants
	released      bool
}

// lane is an asset on a chain.
type lane struct{ chain, asset string }

// OpenGuard opens the directory of a signer: seed, limits and journal. Its master key is where seal.KeyPath says: apart from the directory, if
// coins that are worth something may leave.
func OpenGuard(dir, masterKey string, now func() time.Time) (*Guard, error) {
	key, err := seal.Load(dir, masterKey)
	if err != nil {
		return nil, err
	}
	seed, err := Open(dir, key)
	if err != nil {
		return nil, err
	}
	limits, err := ReadLimits(filepath.Join(dir, LimitsFile))
	if err != nil {
		return nil, err
	}
	if err := limits.apart(dir, masterKey); err != nil {
		return nil, err
	}
	g := &Guard{
		dir: dir, seed: seed, limits: limits, now: now, payouts: map[schema.PayoutID]*payout{}, withdrawals: map[schema.WithdrawalID]schema.PayoutID{},
		worth: map[string]fixed.Decimal{}, left: map[lane]*window{}, fees: map[string]*window{}, known: map[schema.Space]known{},
	}
	g.journal, err = openJournal(filepath.Join(dir, JournalFile), func(r *record) error {
		if r.Released && g.payouts[r.Payout] == nil {
			return fmt.Errorf("payout %d is released and was never signed", r.Payout)
		}
		g.take(r)
		return nil
	})
	return g, err
}

// Close gives the journal free.
func (g *Guard) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.journal.close()
}

// Public implements Signer.
func (g *Guard) Public(_ context.Context, space schema.Space) (Public, error) {
	return g.seed.Public(space)
}

// Sign implements driver.Signer. One is looked at after the other.
func (g *Guard) Sign(_ context.Context, r *driver.Request) ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	entry, err := g.consider(r)
	if err != nil {
		return nil, err
	}
	if entry != nil {
		if err := g.journal.append(entry); err != nil {
			return nil, err
		}
		g.take(entry)
	}
	return g.seed.sign(r)
}

// consider refuses a request, or gives what has to be remembered before it is signed; nothing if that is remembered already.
func (g *Guard) consider(r *driver.Request) (*record, error) {
	chain, asset, err := g.limits.of(r)
	if err != nil {
		return nil, err
	}
	k, err := g.knows(r.Chain.Space())
	if err != nil {
		return nil, err
	}
	is, err := inspect(k, r)
	if err != nil {
		return nil, err
	}
	at := g.time()
	entry := &record{At: schema.Time(at.UnixMicro()), Payout: r.Payout, Chain: r.Chain.Name, Asset: r.Asset, Anchor: is.anchor, Fee: is.fee}
	total, err := g.payees(r, entry)
	if err != nil {
		return nil, err
	}
	known, err := g.bound(entry)
	if err != nil {
		return nil, err
	}
	if err := g.coins(is, entry); err != nil {
		return nil, err
	}
	if known == nil {
		for i := range r.Withdrawals {
			if lacks := g.lacks(r, asset, k.own.Print(), &r.Withdrawals[i]); lacks != "" {
				return nil, refuse("%s", lacks)
			}
		}
		if err := asset.admit(g.left[lane{r.Chain.Name, r.Asset}], at, total, r.Asset); err != nil {
			return nil, err
		}
	}
	more := entry.more(known)
	if err := chain.admit(g.fees[r.Chain.Name], at, is.fee, more); err != nil {
		return nil, err
	}
	if known != nil && more.IsZero() && len(entry.Coins) == 0 {
		return nil, nil
	}
	return entry, nil
}

// knows is what the signer knows of the addresses of a space, read once.
func (g *Guard) knows(space schema.Space) (known, error) {
	if k, ok := g.known[space]; ok {
		return k, nil
	}
	k, err := knownTo(g.dir, g.seed, space)
	if err == nil {
		g.known[space] = k
	}
	return k, err
}

func (g *Guard) time() time.Time {
	if now := g.now(); now.After(g.last) {
		return now
	}
	return g.last
}

// payees adds who is paid, and gives the sum.
func (g *Guard) payees(r *driver.Request, entry *record) (total fixed.Decimal, err error) {
	if r.Payout == 0 {
		return total, refuse("the payout has no number")
	}
	for _, w := range r.Withdrawals {
		same := func(p payee) bool { return p.Withdrawal == w.ID }
		if w.ID == 0 || slices.ContainsFunc(entry.Payees, same) {
			return total, refuse("withdrawal %d is there twice, or has no number", w.ID)
		}
		if by, paid := g.withdrawals[w.ID]; paid && by != r.Payout {
			return total, refuse("withdrawal %d is paid by payout %d already", w.ID, by)
		}
		var ok bool
		if total, ok = total.AddChecked(w.Amount); !ok || w.Amount.Sign() <= 0 {
			return total, refuse("withdrawal %d of %s cannot be", w.ID, w.Amount)
		}
		entry.Payees = append(entry.Payees, payee{w.ID, w.Address, w.Amount})
	}
	return total, nil
}

// bound holds a variant against what the payout is bound to. It is nil for a new payout.
func (g *Guard) bound(entry *record) (*payout, error) {
	known := g.payouts[entry.Payout]
	switch {
	case known == nil:
		return nil, nil
	case known.chain != entry.Chain || known.anchor != entry.Anchor:
		return nil, refuse("payout %d spends %s on %s in all its variants, and this one spends %s on %s",
			entry.Payout, known.anchor, known.chain, entry.Anchor, entry.Chain)
	case len(entry.Payees) > 0 && !slices.Equal(known.payees, entry.Payees):
		return nil, refuse("payout %d was signed for others", entry.Payout)
	case len(entry.Payees) > 0 && known.released:
		return nil, refuse("payout %d was released: it pays nobody any more", entry.Payout)
	}
	return known, nil
}

// coins holds what coins are said to be worth against what they were before, and adds those that are new. Otherwise two variants, each with
// other lies, would give the signatures for a transaction with a fee that nobody saw.
func (g *Guard) coins(is *content, entry *record) error {
	for _, c := range is.coins {
		before, ok := g.worth[entry.Chain+" "+c.id]
		switch {
		case !ok:
			entry.Coins = append(entry.Coins, spent{c.id, c.amount})
		case before != c.amount:
			return refuse("coin %s was said to be worth %s, and now %s", c.id, before, c.amount)
		}
	}
	return nil
}

// more is by how much the fee is above what was counted for the payout: at most one of its variants is ever mined.
func (r *record) more(known *payout) fixed.Decimal {
	if known == nil {
		return r.Fee
	}
	return fixed.MaxOf(r.Fee.Sub(known.fee), fixed.Decimal{})
}

// admit refuses what is above the limits of an asset.
func (a *AssetLimits) admit(w *window, at time.Time, total fixed.Decimal, name string) error {
	var hour, day fixed.Decimal
	if w != nil {
		hour, day = w.sums(at)
	}
	for _, limit := range []struct {
		of          string
		before, cap fixed.Decimal
	}{{"payout", fixed.Decimal{}, a.payout}, {"hour", hour, a.hour}, {"day", day, a.day}} {
		if sum, ok := limit.before.AddChecked(total); !ok || limit.cap.Less(sum) {
			return refuse("%s %s would make %s of it in this %s, and the limit is %s", total, name, sum, limit.of, limit.cap)
		}
	}
	return nil
}

// admit refuses fees above the limits of a chain.
func (c *ChainLimits) admit(w *window, at time.Time, fee, more fixed.Decimal) error {
	var day fixed.Decimal
	if w != nil {
		_, day = w.sums(at)
	}
	if c.fee.Less(fee) {
		return refuse("the fee of %s is above the limit of %s", fee, c.fee)
	}
	if sum, ok := day.AddChecked(more); !ok || c.feeDay.Less(sum) {
		return refuse("fees would be %s in this day, and the limit is %s", sum, c.feeDay)
	}
	return nil
}

// take remembers a record.
func (g *Guard) take(r *record) {
	if at := time.UnixMicro(int64(r.At)); at.After(g.last) {
		g.last = at
	}
	known := g.payouts[r.Payout]
	if r.Released {
		known.released = true
		for _, p := range known.payees {
			delete(g.withdrawals, p.Withdrawal)
		}
		return
	}
	if more := r.more(known); !more.IsZero() {
		windowOf(g.fees, r.Chain).add(g.last, more)
	}
	for _, c := range r.Coins {
		g.worth[r.Chain+" "+c.ID] = c.Amount
	}
	if known != nil {
		known.fee = fixed.MaxOf(known.fee, r.Fee)
		return
	}
	g.payouts[r.Payout] = &payout{chain: r.Chain, anchor: r.Anchor, payees: r.Payees, fee: r.Fee}
	for _, p := range r.Payees {
		g.withdrawals[p.Withdrawal] = r.Payout
		windowOf(g.left, lane{r.Chain, r.Asset}).add(g.last, p.Amount)
	}
}

func windowOf[K comparable](all map[K]*window, key K) *window {
	if all[key] == nil {
		all[key] = &window{}
	}
	return all[key]
}

// Release says that a payout never pays its withdrawals, because it failed, was given up or is dead: another one may pay them then.
// Who is wrong about it lets them be paid twice, so nothing but a person at the signer can.
func (g *Guard) Release(id schema.PayoutID) ([]schema.WithdrawalID, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	known := g.payouts[id]
	switch {
	case known == nil:
		return nil, fmt.Errorf("payout %d was never signed here", id)
	case known.released:
		return nil, fmt.Errorf("payout %d is released already", id)
	case len(known.payees) == 0:
		return nil, fmt.Errorf("payout %d pays no withdrawals", id)
	}
	entry := &record{At: schema.Time(g.time().UnixMicro()), Payout: id, Released: true}
	if err := g.journal.append(entry); err != nil {
		return nil, err
	}
	g.take(entry)
	freed := make([]schema.WithdrawalID, len(known.payees))
	for i, p := range known.payees {
		freed[i] = p.Withdrawal
	}
	return freed, nil
}
