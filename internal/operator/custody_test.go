package operator

import (
	"encoding/json"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/network"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

func TestAuditsAreShownCoinByCoin(t *testing.T) {
	audit := network.Audit{At: driver.Point{Height: 7, Hash: schema.Digest{0xab}}, Assets: []network.AssetAudit{{
		Ticker: "BTC", Books: fixed.FromInt(3), Chain: fixed.FromInt(2), Less: fixed.FromInt(1),
		Differences: []network.Difference{{Address: "bc1q", Coin: "tx:0", Books: fixed.FromInt(1), Chain: fixed.Zero}},
	}}}
	for _, tt := range []struct {
		driver schema.Driver
		coin   string
	}{{schema.BitcoinNode, "tx:0"}, {schema.EVMNode, ""}} { // accounts have balances, whose names are the core's
		got, err := json.Marshal(auditOf(&schema.Chain{Driver: tt.driver}, &audit))
		want := `{"height":7,"hash":"ab00000000000000000000000000000000000000000000000000000000000000","assets":[{"asset":"BTC","books":"3","chain":"2","less":"1","surplus":"0",` +
			`"differences":[{"address":"bc1q","coin":"` + tt.coin + `","books":"1","chain":"0"}]}]}`
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\n%s", tt.driver, err, got, want)
		}
	}
}
