package mining

import (
	"bourse/internal/api"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// hashratesQuery asks for the hash rates of a mining account.
type hashratesQuery struct {
	span
	account string
	of      interval
}

func (q *hashratesQuery) Read(f *api.Form) {
	q.account = byName(f, "account")
	q.read(f)
	q.of = readInterval(f)
}

// rate is a point of a graph as it is written.
type rate struct {
	begin              schema.Time
	hashes             string
	accepted, rejected uint64
}

// graph is the hash rates of a mining account.
type graph struct {
	account string
	points  []rate
}

var (
	rateEncoder = api.Encode("MiningHashrate", "What a mining account brought within an interval.",
		api.SecondsField("timestamp", "Begin of the interval.", func(r *rate) schema.Time { return r.begin }),
		numberField("hashrate", "Mean hash rate, in hashes per second.", func(r *rate) string { return r.hashes }),
		api.RatioField("rejectRate", "Part of the shares that were rejected: 0.01 is 1 percent.", func(r *rate) (part, of uint64) { return r.rejected, r.accepted + r.rejected }))
	graphEncoder = api.Encode("MiningHashrates", "Hash rates of a mining account.",
		api.StringField("account", "Name of the mining account.", func(g *graph) string { return g.account }),
		api.ArrayField("hashrate", rateEncoder, "The points, oldest first.", func(g *graph) []rate { return g.points }))
	graphAnswer = api.Encode("MiningHashratesAnswer", "Hash rates.",
		api.ObjectField("data", graphEncoder, "Hash rates.", func(g *graph) *graph { return g }))
)

// aboutSpan is what parameters of graphs mean.
var aboutSpan = map[string]string{
	"from":     "Begin, Unix time in seconds. Default: 24 hours before to, or 30 days with the interval 24h. At most 30 days before to.",
	"to":       "End, Unix time in seconds. Default: now.",
	"interval": "Length of the intervals: 5m, 1h or 24h. Default: 1h.",
}

func withSpan(more map[string]string) map[string]string {
	for name, text := range aboutSpan {
		more[name] = text
	}
	return more
}

var aboutHashrates = &api.About{
	Summary:    "Get hash rates of a mining account",
	Text:       "For the intervals (UTC) that the range touches and in which there were shares. They are made of five-minute buckets that are over. An account that the pool has barred has no points.",
	Parameters: withSpan(map[string]string{"account": "Name of the mining account."}),
	Response:   graphAnswer.Schema(),
	Faults:     []*api.Error{errTime, errAccount},
}

func hashrates(c *api.Call, q *hashratesQuery) (api.Answer, error) {
	now := c.API.Now()
	if err := q.check(now); err != nil {
		return nil, err
	}
	m, known := owned(c.API, c.Account.ID, q.account)
	if !known {
		return nil, errAccount
	}
	g := graph{account: m.Name}
	if !m.Barred {
		var err error
		if g.points, err = measured(c, &m, &q.span, q.of, now); err != nil {
			return nil, err
		}
	}
	return graphAnswer.Answer(&g), nil
}

// measured are the hash rates of a mining account.
func measured(c *api.Call, m *schema.MiningAccount, s *span, of interval, now schema.Time) ([]rate, error) {
	from, to := s.graph(of)
	records, err := c.PastOf(m.Account, &history.Query{Kind: history.Measured, Tag: history.MinedBy(m.ID), From: max(from, 1), To: to, Limit: mostBuckets})
	if err != nil {
		return nil, err
	}
	unit, list := terms(c.API).Unit, []rate{}
	for _, p := range points(of, func(yield func(schema.Time, uint64, uint64, uint64)) {
		for i := range records {
			e := records[i].Payload.(*schema.MiningMeasured)
			yield(e.Time, e.Work, e.Accepted, e.Rejected)
		}
	}) {
		list = append(list, rate{p.begin, p.hashes(of, unit, now).String(), p.accepted, p.rejected})
	}
	return list, nil
}
