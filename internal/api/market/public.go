package market

import (
	"bourse/internal/api"
	"bourse/internal/schema"
)

var aboutPing = &api.About{
	Summary:  "Test connectivity",
	Response: api.TupleOf(api.Enum("pong")),
}

func ping(*api.Call, *api.Nothing) (api.Answer, error) { return api.Bytes(`["pong"]`), nil }

var timeEncoder = api.Encode("Time", "Server time.",
	api.SecondsField("time", "Server time.", func(now *schema.Time) schema.Time { return *now }))

var aboutServerTime = &api.About{
	Summary:  "Get the server time",
	Response: timeEncoder.Schema(),
}

func serverTime(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	now := c.API.Now()
	return timeEncoder.Answer(&now), nil
}

var platformEncoder = api.Encode("PlatformStatus", "Status of the platform.",
	api.EnumField("status", []string{operational, maintenance}, "During maintenance every other request is refused.", func(s *string) string { return *s }))

const (
	operational = "system operational"
	maintenance = "system maintenance"
)

var aboutPlatformStatus = &api.About{
	Summary:  "Get the platform status",
	Text:     "Available during maintenance, when all other requests are refused with 503.",
	Response: platformEncoder.Schema(),
}

func platformStatus(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	status := operational
	if c.Directory().Closed() {
		status = maintenance
	}
	return platformEncoder.Answer(&status), nil
}

// What belongs to products that this exchange does not have is truthfully empty.

// pool is the mining pool, of which there is nothing.
type pool struct{}

var (
	poolEncoder = api.Encode("MiningPool", "Mining pool overview.",
		api.ConstantField[pool]("connection_links", api.ArrayOf(api.String), "Addresses that miners connect to.", "[]"),
		api.ConstantField[pool]("location", api.String, "Location of the pool.", `""`),
		api.ConstantField[pool]("assets", api.ArrayOf(api.String), "Mined assets.", "[]"),
		api.ConstantField[pool]("reward_schemes", api.ArrayOf(api.String), "Reward schemes.", "[]"),
		api.ConstantField[pool]("workers", api.Integer, "Number of workers.", "0"),
		api.ConstantField[pool]("current_hash_rate", api.Decimal, "Hash rate in hashes per second.", `"0"`),
		api.ConstantField[pool]("last7days_hash_rate", api.ArrayOf(api.Object("", "",
			api.Required("timestamp", api.Seconds, "Date."),
			api.Required("hashrate", api.Decimal, "Hash rate in hashes per second."))), "Previous days.", "[]"),
		api.ConstantField[pool]("blocks", api.ArrayOf(api.Object("", "",
			api.Required("block_found_at", api.Seconds, "Time at which the block was found."),
			api.Required("block_height", api.Integer, "Block height."))), "Blocks that were found.", "[]"))
	poolAnswer = api.Encode("", "", api.ObjectField("data", poolEncoder, "Mining pool.", func(p *pool) *pool { return p }))
)

var aboutMiningPool = &api.About{
	Summary:  "Get the mining pool overview",
	Text:     "This exchange has no mining pool; all fields are empty.",
	Response: poolAnswer.Schema(),
}

func miningPool(*api.Call, *api.Nothing) (api.Answer, error) { return poolAnswer.Answer(&pool{}), nil }

// marketPath asks for something of the market in the path.
type marketPath struct{ market string }

func (q *marketPath) Read(f *api.Form) { q.market, _ = f.Text("market") }

// noMarket is the public error about a market that is not there.
func noMarket() *api.Error {
	return api.NewError(422, 0, api.ValidationFailed, "market", "Market is not available.")
}
