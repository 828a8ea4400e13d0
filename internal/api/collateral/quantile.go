package collateral

import (
	"bourse/internal/api"
	"bourse/internal/directory"
	"bourse/internal/ranking"
)

// quantile is where an account stands on a market.
type quantile struct {
	ranking.Quantile
	directory *directory.Directory
}

func side(get func(*quantile) int) func([]byte, *quantile) []byte {
	return func(dst []byte, q *quantile) []byte {
		if g := get(q); g >= 0 {
			return api.AppendInt(dst, int64(g))
		}
		return append(dst, `null`...)
	}
}

var quantileEncoder = api.Encode("ADLQuantile", "How soon positions would be closed by auto-deleveraging: 0 last, 4 first.",
	api.StringField("market", "Market name.", func(q *quantile) string { return q.directory.MarketName(q.Market) }),
	api.NewField("long", api.Nullable(api.Integer), "Of the long position, null without one.", side(func(q *quantile) int { return q.Long })),
	api.NewField("short", api.Nullable(api.Integer), "Of the short position, null without one.", side(func(q *quantile) int { return q.Short })))

var aboutQuantiles = &api.About{
	Summary:  "List auto-deleveraging quantiles",
	Text:     "For each futures market with an open position: its place among all positions of its side, ranked by unrealized PnL for the equity of the account. Rankings are made at most every 30 seconds.",
	Response: api.ArrayOf(quantileEncoder.Schema()),
}

func listQuantiles(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	list := []quantile{}
	for _, q := range c.API.Quantiles(c.Account.ID) {
		list = append(list, quantile{q, c.Directory()})
	}
	return quantileEncoder.Array(list), nil
}
