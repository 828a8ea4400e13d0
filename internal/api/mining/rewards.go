package mining

import (
	"math/big"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// rewardsQuery asks for rewards.
type rewardsQuery struct {
	span
	account       string
	limit, offset int
}

// Wordings of what is wrong with a page of rewards.
var (
	limitWording  = api.Paging{Status: 400, Integer: "validation.integer", AtLeast: "validation.min", NotAbove: "validation.max.integer"}
	offsetWording = api.Paging{Status: 400, Integer: "validation.integer", AtLeast: "validation.min", NotAbove: "validation.max"}
)

func (q *rewardsQuery) Read(f *api.Form) {
	q.account = f.String("account")
	q.read(f)
	q.limit = int(f.Bounded("limit", fewPerPage, 1, mostPerPage, limitWording))
	q.offset = int(f.Bounded("offset", 0, 0, api.MaxOffset, offsetWording))
}

// reward is a reward with what it does not say of itself.
type reward struct {
	*schema.Reward
	name, ticker string // of the mining account and the asset
	external     bool   // it is paid to an address
}

func (r *reward) destination() string { return destinationOf(r.external) }

// hashRate is what the work of the day comes to.
func (r *reward) hashRate() string {
	return hashrate(new(big.Int).SetUint64(r.Work), r.Unit, daySeconds).String()
}

// numberField is an exact number that is there as a text.
func numberField[T any](name, description string, get func(*T) string) api.Field[T] {
	return api.NewField(name, api.Decimal, description, func(dst []byte, v *T) []byte { return api.AppendText(dst, get(v)) })
}

// secondsOrNull is a moment in whole seconds, or null where there is none.
func secondsOrNull[T any](name, description string, get func(*T) schema.Time) api.Field[T] {
	return api.NewField(name, api.Nullable(api.Seconds), description, func(dst []byte, v *T) []byte {
		if at := get(v); at != 0 {
			return api.AppendInt(dst, int64(at/schema.Second))
		}
		return append(dst, `null`...)
	})
}

var (
	rewardEncoder = api.Encode("MiningReward", "What a mining account earned in a day.",
		api.StringField("miningAccountName", "Name of the mining account.", func(r *reward) string { return r.name }),
		api.DecimalField("totalReward", "What the work is worth: reward and fee.", func(r *reward) fixed.Decimal { return r.Total }),
		api.DecimalField("reward", "What is paid.", func(r *reward) fixed.Decimal { return r.Amount }),
		api.DecimalField("fee", "What the pool keeps.", func(r *reward) fixed.Decimal { return r.Fee }),
		numberField("fppsRate", "What a terahash per second was worth in the day, before the fee.", func(r *reward) string { return perTerahash(r.Total, r.Work, r.Unit) }),
		numberField("hashRate", "Mean hash rate of the day, in hashes per second.", (*reward).hashRate),
		api.SecondsField("date", "Begin of the day, in UTC.", func(r *reward) schema.Time { return r.Day }),
		api.EnumField("payoutDestination", destinations, "Where it is paid.", (*reward).destination),
		textOrNull("payoutTransactionHash", "Transaction that paid it to an address; null without one.", func(r *reward) string { return r.Tx }),
		textOrNull("payoutAddress", "The address; null for the main balance.", func(r *reward) string { return r.Address }),
		secondsOrNull("payoutTime", "Time at which it was paid; null while it is not.", func(r *reward) schema.Time { return r.Paid }),
		api.StringField("rewardCurrency", "Ticker of the asset.", func(r *reward) string { return r.ticker }),
		api.EnumField("status", rewardWords, "pending: not paid yet. successful: in the main balance, or paid to the address. canceled: could not be paid to the address, and is in the main balance.",
			func(r *reward) string { return r.Status.String() }))
	rewardsPage = api.Encode("MiningRewards", "A page of rewards.", offsetField[reward](), limitField[reward](),
		api.ArrayField("data", rewardEncoder, "The rewards.", func(p *page[reward]) []reward { return p.items }))
	rewardWords = []string{schema.RewardPending.String(), schema.RewardSuccessful.String(), schema.RewardCanceled.String()}
)

var aboutRewards = &api.About{
	Summary: "List rewards",
	Text: "Newest first: one for each mining account and day (UTC) in which it earned something. There is no total: the last page has fewer records than limit. " +
		"Asked by its name, an account that the pool has barred, or that is not there, has none.",
	Parameters: map[string]string{
		"account": "Return only rewards of the mining account with this name.",
		"from":    "Return only rewards of days that begin at or after this Unix time in seconds.",
		"to":      "Return only rewards of days that begin at or before this Unix time in seconds.",
	},
	Response: rewardsPage.Schema(),
	Faults:   []*api.Error{errTime},
}

func rewards(c *api.Call, q *rewardsQuery) (api.Answer, error) {
	if err := q.check(c.API.Now()); err != nil {
		return nil, err
	}
	query := &history.Query{Kind: history.Rewards, From: q.earliest, To: q.latest, Limit: q.limit, Offset: q.offset}
	if q.account != "" {
		m, known := owned(c.API, c.Account.ID, q.account)
		if !known || m.Barred {
			return rewardsPage.Answer(&page[reward]{limit: q.limit, offset: q.offset}), nil
		}
		query.Tag = history.MinedBy(m.ID)
	}
	records, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	return rewardsPage.Answer(&page[reward]{rewardsIn(c.API, records), q.limit, q.offset}), nil
}

// rewardsIn are the rewards in records. One that waits goes where its mining account is paid now.
func rewardsIn(a *api.API, records []history.Record) []reward {
	list := make([]reward, len(records))
	a.Read(func(v core.View) {
		for i := range records {
			r := records[i].Payload.(*schema.Reward)
			m, _ := v.Mining().Account(r.Mining)
			list[i] = reward{r, m.Name, a.Directory().Ticker(r.Asset), r.Address != "" || r.Status == schema.RewardPending && m.External}
		}
	})
	return list
}
