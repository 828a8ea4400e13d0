package demo

import (
	"testing"

	"bourse/internal/schema"
)

// TestTheMinersVisitorSeesThePool: who the demo mines for may ask for it, and there is something to pay with.
func TestTheMinersVisitorSeesThePool(t *testing.T) {
	h := enter(t, t.TempDir())
	if !h.world.Mines() {
		t.Fatal("nobody mines")
	}
	var accounts struct{ Data []struct{ Name string } }
	h.ask(h.visitor("carol"), "/api/v4/mining/accounts", nil, &accounts)
	if len(accounts.Data) != 1 || accounts.Data[0].Name != miningName {
		t.Errorf("the visitor has the mining accounts %+v", accounts)
	}
	var info struct{ Data struct{ Fee string } }
	h.ask(h.visitor("carol"), "/api/v4/mining/miners/info", fields{"account": miningName}, &info)
	if info.Data.Fee != "2" {
		t.Errorf("the fee is %q percent", info.Data.Fee)
	}
	funds := fundsOf(h, schema.Pool)
	if len(funds) != 1 {
		t.Errorf("miners can be paid in %d assets", len(funds))
	}
	for asset, free := range funds {
		if asset == 0 || free != poolMoney {
			t.Errorf("miners can be paid %s of asset %d", free, asset)
		}
	}
}
