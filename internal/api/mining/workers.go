package mining

import (
	"math/big"
	"slices"
	"strings"
	"sync"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// A worker is online if it brought shares in the five minutes under way or the ten before, low if it is online and these ten minutes are less than
// half of its mean of the last hour, and offline if it is not online and was seen in the last 24 hours.
const (
	onlineSpan = 2 * bucket
	lowSpan    = 12 * bucket
	seenSpan   = day
)

// worker is what is known of a worker.
type worker struct {
	name         string
	last         schema.Time // when the last five minutes began in which it was seen
	recent, hour big.Int     // work of the online span, and of the low one
}

// online reports whether it works at a moment.
func (w *worker) online(now schema.Time) bool { return w.last >= now/bucket*bucket-onlineSpan }

// low reports whether a worker that is online brings less than half of what it did.
func (w *worker) low() bool {
	const share = int64(2 * lowSpan / onlineSpan)
	return new(big.Int).Mul(&w.recent, big.NewInt(share)).Cmp(&w.hour) < 0
}

// crews are the workers of mining accounts as they were when somebody first asked within a minute. A mining account may have a thousand workers
// with a row each every five minutes: who asks often has them read once a minute, and who asks at the same time waits for the one who reads.
type crews struct {
	mu sync.Mutex
	of map[schema.MiningID]*crew
}

// crew is the workers of a mining account.
type crew struct {
	mu     sync.Mutex // held while the history is read
	minute schema.Time
	recent map[string]*worker // seen in this hour and the one before
	// older are those that were seen in the hours of a day before these, and when they last were. They are read once an hour.
	hour  schema.Time
	older map[string]schema.Time
}

// mostCrews is of how many mining accounts that is kept.
const mostCrews = 1024

const (
	oneMinute = 60 * second
	oneHour   = 60 * oneMinute
)

// mostRows is more than workers have rows in an hour.
const mostRows = 1 << 20

// look is the workers of a mining account. What it returns is read only.
func (s *crews) look(c *api.Call, id schema.MiningID, now schema.Time) (recent map[string]*worker, older map[string]schema.Time, err error) {
	s.mu.Lock()
	known := s.of[id]
	if known == nil {
		if s.of == nil || len(s.of) >= mostCrews {
			s.of = map[schema.MiningID]*crew{}
		}
		known = new(crew)
		s.of[id] = known
	}
	s.mu.Unlock()
	known.mu.Lock()
	defer known.mu.Unlock()
	if minute := now / oneMinute; known.recent == nil || known.minute != minute {
		if err := known.read(c, id, now); err != nil {
			return nil, nil, err
		}
		known.minute = minute
	}
	return known.recent, known.older, nil
}

// read reads what is not known of the workers.
func (k *crew) read(c *api.Call, id schema.MiningID, now schema.Time) error {
	hour := now/oneHour*oneHour - oneHour // what is older does not change, but for rows that come late
	if k.older == nil || k.hour != hour {
		older := map[string]schema.Time{}
		for from := hour + oneHour - seenSpan; from < hour; from += oneHour {
			records, err := c.PastOf(0, &history.Query{Kind: history.WorkerShares, Ref: uint64(id), From: max(from, 1), To: from + oneHour - 1, Limit: mostRows})
			if err != nil {
				return err
			}
			for i := range records {
				if row := records[i].Payload.(*schema.WorkerShares); worked(row) {
					older[row.Worker] = max(older[row.Worker], records[i].Time)
				}
			}
		}
		k.hour, k.older = hour, older
	}
	recent, err := active(c, id, hour, now)
	if err != nil {
		return err
	}
	k.recent = recent
	return nil
}

// worked reports whether a worker brought a share: those that are rejected are none.
func worked(row *schema.WorkerShares) bool { return row.Accepted > 0 || row.Work > 0 }

// active are the workers that were seen in the last hours, by name.
func active(c *api.Call, id schema.MiningID, from, now schema.Time) (map[string]*worker, error) {
	records, err := c.PastOf(0, &history.Query{Kind: history.WorkerShares, Ref: uint64(id), From: max(from, 1), Limit: mostRows})
	if err != nil {
		return nil, err
	}
	all, begin := map[string]*worker{}, now/bucket*bucket
	for i := range records {
		row := records[i].Payload.(*schema.WorkerShares)
		if !worked(row) {
			continue
		}
		w := all[row.Worker]
		if w == nil {
			w = &worker{name: row.Worker}
			all[row.Worker] = w
		}
		at, work := records[i].Time, new(big.Int).SetUint64(row.Work)
		w.last = max(w.last, at)
		if at >= begin-lowSpan {
			w.hour.Add(&w.hour, work)
		}
		if at >= begin-onlineSpan {
			w.recent.Add(&w.recent, work)
		}
	}
	return all, nil
}

// sorted are workers by name.
func sorted(all map[string]*worker) []*worker {
	list := make([]*worker, 0, len(all))
	for _, w := range all {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b *worker) int { return strings.Compare(a.name, b.name) })
	return list
}

// tally is how many workers of a mining account there are.
type tally struct{ online, offline, low int64 }

func (s *crews) tally(c *api.Call, id schema.MiningID, now schema.Time) (t tally, err error) {
	all, older, err := s.look(c, id, now)
	if err != nil {
		return t, err
	}
	for _, w := range all {
		if !w.online(now) {
			t.offline++
			continue
		}
		t.online++
		if w.low() {
			t.low++
		}
	}
	for name, last := range older {
		if all[name] == nil && last >= now-seenSpan {
			t.offline++
		}
	}
	return t, nil
}

// minersQuery asks for what there is to know about the miners of a mining account.
type minersQuery struct{ account string }

func (q *minersQuery) Read(f *api.Form) { q.account = byName(f, "account") }

// listener is where miners connect.
type listener struct {
	url     string
	workers int64
}

// miners is what there is to know about the miners of a mining account.
type miners struct {
	fee       fixed.Decimal // in percent
	workers   tally
	listeners []listener
}

var (
	tallyEncoder = api.Encode("MiningWorkers", "How many workers there are.",
		api.IntegerField("online", "Workers that brought shares in the last 10 to 15 minutes.", func(t *tally) int64 { return t.online }),
		api.IntegerField("offline", "Workers that did not, and were seen in the last 24 hours.", func(t *tally) int64 { return t.offline }),
		api.IntegerField("low", "Those of online that bring less than half of their mean of the last hour.", func(t *tally) int64 { return t.low }))
	listenerEncoder = api.Encode("StratumAddress", "Where miners connect.",
		api.StringField("url", "Address.", func(l *listener) string { return l.url }),
		api.IntegerField("workersCount", "Workers of the account that are online. All addresses lead to the same pool.", func(l *listener) int64 { return l.workers }))
	minersEncoder = api.Encode("MinersInfo", "Miners of a mining account.",
		api.DecimalField("fee", "What the pool keeps, in percent.", func(m *miners) fixed.Decimal { return m.fee }),
		api.ObjectField("workers", tallyEncoder, "How many workers there are.", func(m *miners) *tally { return &m.workers }),
		api.ArrayField("stratum", listenerEncoder, "Where miners connect.", func(m *miners) []listener { return m.listeners }))
	minersAnswer = api.Encode("MinersInfoAnswer", "Miners.", api.ObjectField("data", minersEncoder, "Miners.", func(m *miners) *miners { return m }))
)

var aboutMiners = &api.About{
	Summary:    "Get the miners of a mining account",
	Text:       "Figures are up to a minute old.",
	Parameters: map[string]string{"account": "Name of the mining account."},
	Response:   minersAnswer.Schema(),
	Faults:     []*api.Error{errPoolAccount("name")},
}

func (g *group) miners(c *api.Call, q *minersQuery) (api.Answer, error) {
	m, known := owned(c.API, c.Account.ID, q.account)
	if !known {
		return nil, errPoolAccount(q.account)
	}
	t, err := g.crews.tally(c, m.ID, c.API.Now())
	if err != nil {
		return nil, err
	}
	fee, _ := fixed.MulDiv(terms(c.API).Fee, fixed.FromInt(100), fixed.One, fixed.Places, fixed.Down)
	shown := miners{fee: fee, workers: t}
	for _, url := range c.API.Stratum() {
		shown.listeners = append(shown.listeners, listener{url, t.online})
	}
	return minersAnswer.Answer(&shown), nil
}

// namesQuery asks for the workers of a mining account.
type namesQuery struct {
	account       string
	limit, offset int
}

func (q *namesQuery) Read(f *api.Form) {
	q.account = byName(f, "account")
	q.limit, q.offset = f.Page(mostPerPage, mostPerPage, api.MaxOffset, api.OfMoney)
}

var (
	namesEncoder = api.Encode("WorkerNames", "Workers that are online.",
		api.StringsField("workers", "Their names.", func(p *page[string]) []string { return p.items }))
	namesPage = api.Encode("WorkerNamesPage", "A page of workers.",
		api.ObjectField("data", namesEncoder, "The workers.", func(p *page[string]) *page[string] { return p }),
		limitField[string](), offsetField[string]())
)

var aboutNames = &api.About{
	Summary:    "List workers that are online",
	Text:       "By name, up to a minute old. There is no total: the last page has fewer workers than limit.",
	Parameters: map[string]string{"account": "Name of the mining account.", "offset": "Number of workers to skip."},
	Response:   namesPage.Schema(),
	Faults:     []*api.Error{errPoolAccount("name")},
}

func (g *group) names(c *api.Call, q *namesQuery) (api.Answer, error) {
	m, known := owned(c.API, c.Account.ID, q.account)
	if !known {
		return nil, errPoolAccount(q.account)
	}
	now := c.API.Now()
	all, _, err := g.crews.look(c, m.ID, now)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, w := range sorted(all) {
		if w.online(now) {
			names = append(names, w.name)
		}
	}
	p := window(names, q.limit, q.offset)
	return namesPage.Answer(&p), nil
}

// workerQuery asks for the hash rates of a worker.
type workerQuery struct {
	span
	account, worker string
	of              interval
}

func (q *workerQuery) Read(f *api.Form) {
	q.account, q.worker = byName(f, "account"), byName(f, "worker")
	q.of = readInterval(f)
	q.read(f)
}

var (
	workerRateEncoder = api.Encode("WorkerHashrate", "What a worker brought within an interval.",
		api.SecondsField("time", "Begin of the interval.", func(r *rate) schema.Time { return r.begin }),
		numberField("hashrate", "Mean hash rate, in terahashes per second.", func(r *rate) string { return r.hashes }))
	workerRates = api.Encode("WorkerHashrates", "Hash rates of a worker.",
		api.ArrayField("hashrates", workerRateEncoder, "The points, oldest first.", func(g *graph) []rate { return g.points }))
	workerAnswer = api.Encode("WorkerHashratesAnswer", "Hash rates.",
		api.ObjectField("data", workerRates, "Hash rates.", func(g *graph) *graph { return g }))
)

var aboutWorkerHashrates = &api.About{
	Summary:    "Get hash rates of a worker",
	Text:       "For the intervals (UTC) that the range touches and in which there were shares. A worker that is not known has none.",
	Parameters: withSpan(map[string]string{"account": "Name of the mining account.", "worker": "Name of the worker, without that of the account."}),
	Response:   workerAnswer.Schema(),
	Faults:     []*api.Error{errTime, errPoolAccount("name")},
}

func workerHashrates(c *api.Call, q *workerQuery) (api.Answer, error) {
	now := c.API.Now()
	if err := q.check(now); err != nil {
		return nil, err
	}
	m, known := owned(c.API, c.Account.ID, q.account)
	if !known {
		return nil, errPoolAccount(q.account)
	}
	g := graph{points: []rate{}}
	if len(q.worker) > schema.MaxWorkerName {
		return workerAnswer.Answer(&g), nil
	}
	from, to := q.graph(q.of)
	// Several listeners may have rows of the same five minutes.
	records, err := c.PastOf(0, &history.Query{
		Kind: history.WorkerShares, Tag: history.WorkerOf(m.ID, q.worker), From: max(from, 1), To: to, Limit: 4 * mostBuckets,
	})
	if err != nil {
		return nil, err
	}
	unit := terms(c.API).Unit
	for _, p := range points(q.of, func(yield func(schema.Time, uint64, uint64, uint64)) {
		for i := range records {
			e := records[i].Payload.(*schema.WorkerShares)
			yield(records[i].Time, e.Work, uint64(e.Accepted), uint64(e.Rejected))
		}
	}) {
		g.points = append(g.points, rate{begin: p.begin, hashes: places(p.hashes(q.of, unit, now), tera)})
	}
	return workerAnswer.Answer(&g), nil
}
