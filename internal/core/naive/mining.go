package naive

import (
	"slices"
	"strings"

	"bourse/internal/schema"
)

// Bounds of the mining pool.
const (
	miningNameMost = 255
	referralMost   = 50 // bytes
	unitMost       = 32
	feePlaces      = 4
	accountsMost   = 1000
	linksMost      = 100
	leasesLive     = 64
	blocksKept     = 100
	payoutDelay    = fullDay
)

// blockWorthMost is the most that a block is worth, and the most that a mining account earns in a day.
var blockWorthMost = whole(1_000_000)

// mining is the pool, the accounts that miners work for, what these brought and what they are paid for it. What is not paid yet is in one of three
// places: it waits at its mining account, it is in the queue, or a withdrawal pays it.
type mining struct {
	call     *call
	ledger   *ledger
	listing  *listing
	accounts *accounts
	chains   *chains

	set    bool // the terms ever were
	terms  schema.PoolTerms
	rate   num
	worked bool // some work was counted

	all       []*miner // by number
	lastLease schema.LeaseID
	leases    []*lease           // by number, with those that ended
	blocks    []schema.PoolBlock // in the order in which they were found
	buckets   []*bucket          // that were not emitted, in the order of their first rows
	days      []*minedDay        // that were not closed, in the order of their first rows
	rewards   []*schema.Reward   // by number
	queue     []*rewardPayment   // the first first
	worthDay  schema.Time        // the latest that was closed with a reward
	worth     num                // its rewards together; 0: no day was closed with one
	short     schema.Time        // the tick since which the pool has too little; 0: it has enough
	links     []*schema.Watch    // that live, by number
	lastLink  schema.WatchID
}

// miner is a mining account with what of its rewards waits for an address, and its luck.
type miner struct {
	schema.MiningAccount
	waiting []*schema.Reward
	due     bool // what waits is a payment at Since

	expected num // blocks that its work should have found, in millionths
	found    num // blocks that it found
}

// lease is a listener's, and how many reports came with it.
type lease struct {
	id  schema.LeaseID
	seq uint64
}

// bucket is what a mining account brought in five minutes.
type bucket struct {
	miner                    *miner
	begin                    schema.Time
	work, accepted, rejected num
}

// minedDay is what a mining account brought on a day.
type minedDay struct {
	miner *miner
	begin schema.Time
	sum   num
	work  num
}

// rewardPayment is what is paid at once.
type rewardPayment struct {
	miner   *miner
	rewards []*schema.Reward
	waited  bool // for an address
}

func (s *mining) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetPool:
		result = reject(s.setPool(c.Terms))
	case *schema.SetPoolRate:
		result = reject(s.setRate(of(c.Rate)))
	case *schema.OpenMining:
		result = s.open(c)
	case *schema.BarMining:
		result = reject(s.bar(c))
	case *schema.SetMiningPayout:
		result = reject(s.setPayout(c))
	case *schema.WatchMining:
		result = s.watch(c)
	case *schema.LeasePool:
		s.lastLease++
		s.leases = append(s.leases, &lease{id: s.lastLease})
		result = schema.Result{ID: uint64(s.lastLease)}
	case *schema.ReportShares:
		result = reject(s.report(c))
	case *schema.FoundBlock:
		result = reject(s.found(c))
	default:
		return nil
	}
	return &result
}

func (s *mining) setPool(t schema.PoolTerms) schema.Rejection {
	if !s.validTerms(t) || s.worked && (t.Asset != s.terms.Asset || t.Unit != s.terms.Unit) {
		return because(schema.PoolInvalid)
	}
	s.set, s.terms = true, t
	s.poolChanged()
	return accepted
}

func (s *mining) validTerms(t schema.PoolTerms) bool {
	asset, fee, low := s.listing.asset(t.Asset), of(t.Fee), of(t.Least)
	switch {
	case asset == nil, t.Unit > unitMost:
		return false
	case fee.sign() < 0, !fee.less(one), !fee.multipleOf(unit(feePlaces)):
		return false
	case low.sign() <= 0, !low.multipleOf(unit(asset.Precision)), !s.rate.multipleOf(unit(asset.Precision)):
		return false
	case t.Accounts < 1, t.Accounts > accountsMost, t.Links < 1, t.Links > linksMost:
		return false
	}
	return t.Chain == 0 || s.chains.chain(t.Chain) != nil && s.chains.network(t.Chain, t.Asset) != nil
}

func (s *mining) poolChanged() {
	s.call.record(&schema.PoolChanged{Terms: s.terms, Rate: s.rate.decimal()})
}

func (s *mining) setRate(rate num) schema.Rejection {
	switch {
	case !s.set:
		return because(schema.PoolOff)
	case rate.sign() <= 0, rate.more(blockWorthMost), !rate.multipleOf(unit(s.listing.asset(s.terms.Asset).Precision)):
		return because(schema.PoolRateInvalid)
	case s.call.operator == "" && (s.rate.sign() == 0 || rate.minus(s.rate).abs().times(whole(2)).more(s.rate)):
		return because(schema.PoolRateJumps)
	}
	s.rate = rate
	s.poolChanged()
	return accepted
}

// isName reports whether a text has so many bytes, all of them letters, digits, underscores, or what else is allowed.
func isName(text string, most int, also string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	return len(text) >= 1 && len(text) <= most && strings.Trim(text, letters+strings.ToUpper(letters)+"0123456789_"+also) == ""
}

func (s *mining) open(c *schema.OpenMining) schema.Result {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return reject(r)
	}
	switch {
	case !s.set, !s.terms.Open:
		return refuse(schema.PoolOff)
	case !isName(c.Name, miningNameMost, ""), len(c.Referral) > referralMost:
		return refuse(schema.MiningInvalid)
	case slices.ContainsFunc(s.all, func(m *miner) bool { return m.Name == c.Name }):
		return refuse(schema.MiningNameTaken)
	case len(s.ofAccount(c.Account)) >= int(s.terms.Accounts):
		return reject(about(schema.MiningTooMany, whole(int64(s.terms.Accounts))))
	}
	made := &miner{MiningAccount: schema.MiningAccount{
		ID: schema.MiningID(len(s.all) + 1), Account: c.Account, Name: c.Name, Referral: c.Referral, Created: s.call.at,
	}}
	s.all = append(s.all, made)
	s.changed(made)
	return schema.Result{ID: uint64(made.ID)}
}

// ofAccount are the mining accounts of a customer, by number.
func (s *mining) ofAccount(a schema.AccountID) (list []*miner) {
	for _, m := range s.all {
		if m.Account == a {
			list = append(list, m)
		}
	}
	return list
}

// changed records a mining account as it is now.
func (s *mining) changed(m *miner) { s.call.record(&schema.MiningChanged{Mining: m.MiningAccount}) }

// miner finds a mining account, or nil.
func (s *mining) miner(id schema.MiningID) *miner {
	for _, m := range s.all {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// owned finds a mining account of a customer, or nil.
func (s *mining) owned(a schema.AccountID, id schema.MiningID) *miner {
	if m := s.miner(id); m != nil && m.Account == a {
		return m
	}
	return nil
}

func (s *mining) bar(c *schema.BarMining) schema.Rejection {
	m := s.miner(c.Mining)
	if m == nil {
		return because(schema.MiningUnknown)
	}
	m.Barred = c.Barred
	s.changed(m)
	return accepted
}

func (s *mining) setPayout(c *schema.SetMiningPayout) schema.Rejection {
	if _, r := s.accounts.trader(c.Account); refused(r) {
		return r
	}
	m := s.owned(c.Account, c.Mining)
	switch {
	case m == nil:
		return because(schema.MiningUnknown)
	case c.External && s.terms.Chain == 0:
		return because(schema.PoolPayoutOff)
	case c.External && (len(c.Address) < 1 || len(c.Address) > addressTextMost):
		return because(schema.WithdrawAddressInvalid)
	case !c.External:
		m.External, m.Address, m.Index, m.Since = false, "", 0, 0
		if len(m.waiting) > 0 {
			s.enqueueWaiting(m)
		}
	case !m.External, m.Address != c.Address, m.Index != c.Index:
		m.External, m.Address, m.Index, m.Since = true, c.Address, c.Index, s.call.at+payoutDelay
	}
	s.changed(m)
	return accepted
}

// addressCounts reports whether a mining account is paid to an address by now.
func (s *mining) addressCounts(m *miner) bool { return m.External && m.Since <= s.call.at }

// runDue does what ticks do for the pool.
func (s *mining) runDue() {
	s.listen()
	s.measureAll()
	s.closeDays()
	s.lookAtAddresses()
	s.payQueue()
	s.lookAtFund()
	s.forgetLinks()
}

// due is when something of the pool is due.
func (s *mining) due(lastTick schema.Time) (list []schema.Time) {
	for _, b := range s.buckets {
		list = append(list, b.begin+bucketLength)
	}
	for _, d := range s.days {
		list = append(list, d.begin+fullDay)
	}
	for _, m := range s.all {
		if m.due {
			list = append(list, m.Since)
		}
	}
	if s.canPayFirst() || s.fundChanged() {
		list = append(list, lastTick+1)
	}
	for _, l := range s.links {
		if l.Until != 0 {
			list = append(list, l.Until)
		}
	}
	return list
}
