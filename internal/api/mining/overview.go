package mining

import (
	"math/big"
	"sync"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// blocksShown is how many blocks the overview shows at most.
const blocksShown = 30

// pastDays is how many days of the past it shows.
const pastDays = 7

// pool is how the pool is doing, for everyone.
type pool struct {
	links    []string
	location string
	assets   []string
	schemes  []string
	workers  int64
	hashes   string
	days     []rate
	blocks   []schema.PoolBlock
}

var (
	poolDay = api.Encode("", "",
		api.SecondsField("timestamp", "Begin of the day, in UTC.", func(r *rate) schema.Time { return r.begin }),
		numberField("hashrate", "Mean hash rate, in hashes per second.", func(r *rate) string { return r.hashes }))
	poolBlock = api.Encode("", "",
		api.SecondsField("block_found_at", "Time at which the block was found.", func(b *schema.PoolBlock) schema.Time { return b.Time }),
		api.IntegerField("block_height", "Block height.", func(b *schema.PoolBlock) int64 { return int64(b.Height) }))
	poolEncoder = api.Encode("MiningPool", "Mining pool overview.",
		api.StringsField("connection_links", "Addresses that miners connect to.", func(p *pool) []string { return p.links }),
		api.StringField("location", "Location of the pool.", func(p *pool) string { return p.location }),
		api.StringsField("assets", "Mined assets.", func(p *pool) []string { return p.assets }),
		api.StringsField("reward_schemes", "Reward schemes.", func(p *pool) []string { return p.schemes }),
		api.IntegerField("workers", "Number of workers that are online.", func(p *pool) int64 { return p.workers }),
		numberField("current_hash_rate", "Hash rate of the last hour, in hashes per second.", func(p *pool) string { return p.hashes }),
		api.ArrayField("last7days_hash_rate", poolDay, "The last seven days that are over, oldest first.", func(p *pool) []rate { return p.days }),
		api.ArrayField("blocks", poolBlock, "The last blocks that were found, at most 30, newest first.", func(p *pool) []schema.PoolBlock { return p.blocks }))
	poolAnswer = api.Encode("", "", api.ObjectField("data", poolEncoder, "Mining pool.", func(p *pool) *pool { return p }))
)

var aboutPool = &api.About{
	Summary:  "Get the mining pool overview",
	Text:     "Figures are up to a minute old. Where there is no pool all fields are empty.",
	Response: poolAnswer.Schema(),
}

// overview is the figures of the pool that are made of what was recorded. They are kept for a minute, so that nobody who asks often costs more, and
// those of days that are over for the day.
type overview struct {
	mu      sync.Mutex
	made    bool
	minute  schema.Time
	workers int64
	hashes  string
	today   schema.Time
	days    []rate
}

func (g *group) pool(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	var t schema.PoolTerms
	shown := pool{hashes: "0"}
	c.API.Read(func(v core.View) {
		t, _ = v.Mining().Terms()
		shown.blocks = v.Mining().Blocks()
	})
	if t.Asset == 0 {
		return poolAnswer.Answer(&shown), nil
	}
	shown.blocks = shown.blocks[:min(blocksShown, len(shown.blocks))]
	shown.links, shown.location = c.API.Stratum(), c.API.PoolLocation()
	shown.assets, shown.schemes = []string{c.Directory().Ticker(t.Asset)}, []string{"FPPS"}
	if err := g.overview.fill(c, &shown, t.Unit, c.API.Now()); err != nil {
		return nil, err
	}
	return poolAnswer.Answer(&shown), nil
}

// fill puts the figures in.
func (o *overview) fill(c *api.Call, shown *pool, unit uint8, now schema.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if minute := now / (60 * second); !o.made || o.minute != minute {
		if err := o.measure(c, unit, now); err != nil {
			return err
		}
		o.made, o.minute = true, minute
	}
	shown.workers, shown.hashes, shown.days = o.workers, o.hashes, o.days
	return nil
}

func (o *overview) measure(c *api.Call, unit uint8, now schema.Time) error {
	begin := now / bucket * bucket
	records, err := c.PastOf(0, &history.Query{Kind: history.WorkerShares, From: max(begin-onlineSpan, 1), Limit: mostRows})
	if err != nil {
		return err
	}
	online := map[string]bool{}
	for i := range records {
		if worked(records[i].Payload.(*schema.WorkerShares)) {
			online[records[i].Tag] = true
		}
	}
	lastHour, err := total(c, begin-lowSpan, begin)
	if err != nil {
		return err
	}
	o.workers, o.hashes = int64(len(online)), hashrate(lastHour, unit, int64(lowSpan/second)).String()
	// What was brought at the end of a day is recorded a moment after it.
	today := (now - 60*second) / day * day
	if o.days != nil && o.today == today {
		return nil
	}
	days := []rate{}
	for at := today - pastDays*day; at < today; at += day {
		work, err := total(c, at, at+day)
		if err != nil {
			return err
		}
		days = append(days, rate{begin: at, hashes: hashrate(work, unit, daySeconds).String()})
	}
	o.days, o.today = days, today
	return nil
}

// total is what all brought between two moments.
func total(c *api.Call, from, to schema.Time) (*big.Int, error) {
	records, err := c.PastOf(0, &history.Query{Kind: history.PoolMeasured, From: max(from, 1), To: to - 1, Limit: mostRows})
	if err != nil {
		return nil, err
	}
	var sum point
	for i := range records {
		sum.add(records[i].Payload.(*schema.MiningMeasured).Work, 0, 0)
	}
	return &sum.work, nil
}
