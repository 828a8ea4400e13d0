package mining

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Sections are the terms, the mining accounts, what they brought and is not closed, the payments, leases, blocks, links and what a day costs.
func (p *Pool) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagPool, Name: "terms of the mining pool", Version: 1, Write: p.writeTerms, Read: p.readTerms},
		{Tag: product.TagMinings, Name: "mining accounts", Version: 1, Write: p.writeMinings, Read: p.readMinings},
		{Tag: product.TagDayWork, Name: "work of days", Version: 1, Write: p.writeWorks, Read: p.readWorks},
		{Tag: product.TagBuckets, Name: "work of five minutes", Version: 1, Write: p.writeBuckets, Read: p.readBuckets},
		{Tag: product.TagRewards, Name: "rewards that wait", Version: 1, Write: p.writeWaiting, Read: p.readWaiting},
		{Tag: product.TagPayQueue, Name: "payments of rewards", Version: 1, Write: p.writeQueue, Read: p.readQueue},
		{Tag: product.TagRewardsLeaving, Name: "rewards that withdrawals pay", Version: 1, Write: p.writeLeaving, Read: p.readLeaving},
		{Tag: product.TagLeases, Name: "leases of listeners", Version: 1, Write: p.writeLeases, Read: p.readLeases},
		{Tag: product.TagPoolBlocks, Name: "blocks of the mining pool", Version: 1, Write: p.writeBlocks, Read: p.readBlocks},
		{Tag: product.TagMiningLinks, Name: "links to mining accounts", Version: 1, Write: p.writeLinks, Read: p.readLinks},
		{Tag: product.TagPoolHealth, Name: "what a day of the mining pool costs", Version: 1, Write: p.writeHealth, Read: p.readHealth},
	}
}

var errPlace = errors.New("it stands in the wrong place, or twice")

// termsRecord is the terms and the counters as snapshots keep them.
type termsRecord struct {
	terms      schema.PoolTerms
	rate       fixed.Decimal
	used       bool
	lastReward schema.RewardID
	lastWatch  schema.WatchID
}

func (r *termsRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "terms", &r.terms)
	c.Decimal(2, "rate", &r.rate)
	c.Bool(3, "used", &r.used)
	wire.Uint(c, 4, "last_reward", &r.lastReward)
	wire.Uint(c, 5, "last_watch", &r.lastWatch)
}

func (p *Pool) writeTerms(w *product.Writer) {
	if p.terms.Asset != 0 {
		w.Message(&termsRecord{p.terms, p.rate, p.used, p.lastReward, p.lastWatch})
	}
}

func (p *Pool) readTerms(r *product.Reader) error {
	for m, err := range product.Messages[termsRecord](r) {
		if err != nil {
			return err
		}
		if p.terms.Asset != 0 {
			return errPlace
		}
		p.terms, p.rate, p.used, p.lastReward, p.lastWatch = m.terms, m.rate, m.used, m.lastReward, m.lastWatch
		if err := p.checkTerms(); err != nil {
			return err
		}
	}
	return nil
}

// checkTerms refuses terms that no command could have left. The precision of the asset may have been finer when they were set, and its
// network may be gone.
func (p *Pool) checkTerms() error {
	asset := p.listing.Asset(p.terms.Asset)
	switch {
	case asset == nil || !sound(&p.terms, int(asset.Scale)) || p.terms.Chain != 0 && p.chains.Get(p.terms.Chain) == nil:
		return errors.New("they cannot be as they are")
	case !p.rate.IsZero() && !soundRate(p.rate, int(asset.Scale)):
		return errors.New("a block cannot be worth that")
	case p.used && p.rate.IsZero() || p.lastReward != 0 && !p.used:
		return errors.New("work cannot have been counted")
	}
	return nil
}

// miningRecord is a mining account as snapshots keep it.
type miningRecord struct {
	public schema.MiningAccount
	due    bool
	luck   Luck
}

func (r *miningRecord) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "mining", &r.public)
	c.Bool(2, "due", &r.due)
	wire.Uint(c, 3, "expected", &r.luck.Expected)
	wire.Uint(c, 4, "found", &r.luck.Found)
}

func (p *Pool) writeMinings(w *product.Writer) {
	for id := uint32(1); id < p.minings.End(); id++ {
		a := p.minings.At(id)
		w.Message(&miningRecord{a.MiningAccount, a.due, a.luck})
	}
}

func (p *Pool) readMinings(r *product.Reader) error {
	for m, err := range product.Messages[miningRecord](r) {
		if err != nil {
			return err
		}
		if uint32(m.public.ID) != p.minings.End() || p.names[m.public.Name] != 0 || p.terms.Asset == 0 {
			return fmt.Errorf("mining account %d: it stands in the wrong place, or its name is that of another", m.public.ID)
		}
		if err := p.checkMining(&m.public); err != nil {
			return fmt.Errorf("mining account %d: %w", m.public.ID, err)
		}
		if err := p.checkLuck(m.luck); err != nil {
			return fmt.Errorf("mining account %d: %w", m.public.ID, err)
		}
		if p.count(m.public.Account) >= mostAccounts {
			return fmt.Errorf("mining account %d: its account has too many", m.public.ID)
		}
		a := p.add(m.public)
		p.setLuck(a, m.luck)
		if m.due {
			p.isDue(a)
		}
	}
	return nil
}

// checkMining refuses a mining account that no command could have left.
func (p *Pool) checkMining(m *schema.MiningAccount) error {
	created := schema.Time(0) // of the one before
	if m.ID > 1 {
		created = p.at(m.ID - 1).Created
	}
	switch {
	case p.accounts.Living(m.Account) == nil:
		return errors.New("its account cannot be")
	case !validName(m.Name) || len(m.Referral) > maxReferral:
		return errors.New("its name or its referral cannot be")
	case m.Created < created || m.Created > p.Clock():
		return errors.New("its time cannot be")
	case m.External && (!validAddress(m.Address) || m.Since < m.Created+patience || m.Since > p.Clock()+patience):
		return errors.New("its address cannot be")
	case !m.External && (m.Address != "" || m.Index != 0 || m.Since != 0):
		return errors.New("it is not paid to its address")
	}
	return nil
}

// workRecord is what a mining account brought on a day as snapshots keep it.
type workRecord struct {
	mining schema.MiningID
	day    schema.Time
	sum    []byte
	work   uint64
}

func (r *workRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "mining", &r.mining)
	wire.Int(c, 2, "day", &r.day)
	c.Bytes(3, "sum", &r.sum)
	wire.Uint(c, 4, "work", &r.work)
}

func (p *Pool) writeWorks(w *product.Writer) {
	for place := p.days.First; place != 0; place = p.works.At(place).After {
		at := p.works.At(place)
		w.Message(&workRecord{at.mining, at.day, at.sum.Bytes(), at.work})
	}
}

func (p *Pool) readWorks(r *product.Reader) error {
	last := schema.Time(0)
	for m, err := range product.Messages[workRecord](r) {
		if err != nil {
			return err
		}
		a := p.find(m.mining)
		if a == nil || a.day != 0 || m.day < last || !p.used {
			return fmt.Errorf("mining account %d: %w", m.mining, errPlace)
		}
		w := p.addWork(m.mining, m.day)
		w.sum.SetBytes(m.sum)
		w.work, last = m.work, m.day
		if err := p.checkWork(w); err != nil {
			return fmt.Errorf("mining account %d: %w", m.mining, err)
		}
	}
	return nil
}

// checkWork refuses a day that no command could have left. Each unit of work is worth something.
func (p *Pool) checkWork(w *work) error {
	created := p.at(w.mining).Created
	switch {
	case w.day%day != 0 || w.day < created-created%day || w.day > p.Clock():
		return errors.New("its day cannot be")
	case w.work == 0 || w.sum.Cmp(new(big.Int).SetUint64(w.work)) < 0 || w.sum.Cmp(p.tooMuch()) >= 0:
		return errors.New("its work cannot be")
	}
	return nil
}

// bucketRecord is what a mining account brought in five minutes as snapshots keep it.
type bucketRecord struct{ bucket }

func (r *bucketRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "mining", &r.mining)
	wire.Int(c, 2, "time", &r.time)
	wire.Uint(c, 3, "work", &r.work)
	wire.Uint(c, 4, "accepted", &r.accepted)
	wire.Uint(c, 5, "rejected", &r.rejected)
}

func (p *Pool) writeBuckets(w *product.Writer) {
	for place := p.bins.First; place != 0; place = p.buckets.At(place).After {
		w.Message(&bucketRecord{*p.buckets.At(place)})
	}
}

func (p *Pool) readBuckets(r *product.Reader) error {
	last := schema.Time(0)
	for m, err := range product.Messages[bucketRecord](r) {
		if err != nil {
			return err
		}
		a := p.find(m.mining)
		if a == nil || a.bucket != 0 || m.time < last {
			return fmt.Errorf("mining account %d: %w", m.mining, errPlace)
		}
		if err := p.checkBucket(&m.bucket); err != nil {
			return fmt.Errorf("mining account %d: %w", m.mining, err)
		}
		last = m.time
		p.addBucket(m.bucket)
	}
	return nil
}

// checkBucket refuses five minutes that no command could have left: work of theirs is work of a day that is not closed, or was.
func (p *Pool) checkBucket(b *bucket) error {
	created := p.at(b.mining).Created
	if b.time%schema.WorkBucket != 0 || b.time < created-created%schema.WorkBucket || b.time > p.Clock() {
		return errors.New("its time cannot be")
	}
	if p.rate.IsZero() || b.work != 0 && !p.used {
		return errors.New("its work cannot be")
	}
	return nil
}

// leaseRecord is a lease as snapshots keep it.
type leaseRecord struct{ lease }

func (r *leaseRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &r.id)
	wire.Uint(c, 2, "seq", &r.seq)
}

func (p *Pool) writeLeases(w *product.Writer) {
	for _, l := range p.leases {
		w.Message(&leaseRecord{l})
	}
}

func (p *Pool) readLeases(r *product.Reader) error {
	for m, err := range product.Messages[leaseRecord](r) {
		if err != nil {
			return err
		}
		n := len(p.leases)
		if m.id == 0 || n == mostLeases || n > 0 && m.id != p.leases[n-1].id+1 || m.seq != 0 && p.rate.IsZero() {
			return fmt.Errorf("lease %d: %w", m.id, errPlace)
		}
		p.leases = append(p.leases, m.lease)
	}
	return p.checkLeases()
}

// checkLeases refuses leases of which some are missing: none ends but for newer ones.
func (p *Pool) checkLeases() error {
	n := len(p.leases)
	if n > mostLeases || n > 0 && n < mostLeases && p.leases[0].id != 1 {
		return errors.New("some leases are missing, or there are too many")
	}
	return nil
}

func (p *Pool) writeBlocks(w *product.Writer) {
	for i := range p.blocks {
		w.Message(&p.blocks[i])
	}
}

func (p *Pool) readBlocks(r *product.Reader) error {
	for m, err := range product.Messages[schema.PoolBlock](r) {
		if err != nil {
			return err
		}
		n := len(p.blocks)
		if p.knows(m.Hash) || n == mostBlocks || n > 0 && m.Time < p.blocks[n-1].Time {
			return fmt.Errorf("block %x: %w", m.Hash, errPlace)
		}
		if err := p.checkBlock(m); err != nil {
			return fmt.Errorf("block %x: %w", m.Hash, err)
		}
		p.blocks = append(p.blocks, *m)
	}
	return nil
}

// checkBlock refuses a block that nobody can have found.
func (p *Pool) checkBlock(m *schema.PoolBlock) error {
	if a := p.find(m.Mining); a == nil || !validWorker(m.Worker) || m.Time < a.Created || m.Time > p.Clock() || len(p.leases) == 0 {
		return errors.New("its mining account, its worker or its time cannot be")
	}
	return nil
}

// healthRecord is what a day costs as snapshots keep it. How many mining accounts are unlucky is counted.
type healthRecord struct{ Health }

func (r *healthRecord) Fields(c *wire.Coder) {
	wire.Int(c, 1, "day", &r.Day)
	c.Decimal(2, "worth", &r.Worth)
	wire.Int(c, 3, "short", &r.Short)
}

func (p *Pool) writeHealth(w *product.Writer) {
	if !p.health.Worth.IsZero() {
		w.Message(&healthRecord{p.health})
	}
}

func (p *Pool) readHealth(r *product.Reader) error {
	for m, err := range product.Messages[healthRecord](r) {
		if err != nil {
			return err
		}
		if !p.health.Worth.IsZero() || m.Worth.IsZero() {
			return errPlace
		}
		p.health.Day, p.health.Worth, p.health.Short = m.Day, m.Worth, m.Short
		if err := p.checkHealth(); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pool) writeLinks(w *product.Writer) {
	for place := p.links.First; place != 0; place = p.watches.At(place).After {
		w.Message(&p.watches.At(place).Watch)
	}
}

func (p *Pool) readLinks(r *product.Reader) error {
	var last schema.Watch
	for m, err := range product.Messages[schema.Watch](r) {
		if err != nil {
			return err
		}
		if m.ID <= last.ID || m.ID > p.lastWatch || m.Created < last.Created {
			return fmt.Errorf("link %d: %w", m.ID, errPlace)
		}
		if err := p.checkWatch(m); err != nil {
			return fmt.Errorf("link %d: %w", m.ID, err)
		}
		if slices.ContainsFunc(m.Minings, func(id schema.MiningID) bool { return len(p.at(id).links) >= mostLinks }) {
			return fmt.Errorf("link %d: one of its mining accounts has too many", m.ID)
		}
		p.addWatch(*m)
		last = *m
	}
	return nil
}

// checkWatch refuses a link that no command could have left.
func (p *Pool) checkWatch(m *schema.Watch) error {
	life := m.Until - m.Created
	switch {
	case !soundWatch(m.Name, m.Minings, m.Rights) || !p.ownedBy(m.Account, m.Minings):
		return errors.New("it cannot be as it is")
	case m.Created < 0 || m.Created > p.Clock() || m.Until != 0 && (life <= 0 || life > mostLife*schema.Second || life%schema.Second != 0):
		return errors.New("its times cannot be")
	}
	for _, id := range m.Minings {
		if p.at(id).Created > m.Created {
			return errors.New("one of its mining accounts is newer")
		}
	}
	return nil
}
