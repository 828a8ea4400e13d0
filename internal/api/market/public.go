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

// marketPath asks for something of the market in the path.
type marketPath struct{ market string }

func (q *marketPath) Read(f *api.Form) { q.market, _ = f.Text("market") }

// noMarket is the public error about a market that is not there.
func noMarket() *api.Error {
	return api.NewError(422, 0, api.ValidationFailed, "market", "Market is not available.")
}
