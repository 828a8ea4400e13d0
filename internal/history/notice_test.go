package history

import (
	"testing"

	"bourse/internal/schema"
)

// TestNoticesOfKeys: a key that ends leaves a notice, also several by one command; one that changes leaves none.
func TestNoticesOfKeys(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		x := open(t)
		h := Follow(x.node, openStore(), Options{})
		sub := schema.AccountID(x.do(&schema.SetSub{Master: x.alice, External: "desk", Alias: "desk", ShareKYC: true}).ID)
		opens := func(external string) {
			x.do(&schema.OpenKey{By: x.alice, Account: sub, External: external, Key: external, Title: "key " + external, Sealed: []byte("s"), Type: schema.KeyTrading})
		}
		for _, external := range []string{"a", "b", "c"} {
			opens(external)
		}
		x.do(&schema.EditKey{By: x.alice, External: "a", Title: "key a", Enable: []string{"/api/v4/orders"}})
		x.do(&schema.CloseKey{By: x.alice, External: "b"})
		x.do(&schema.DeleteSub{Master: x.alice, Sub: sub})
		page := x.page(h, Query{Kind: Notices, Account: sub})
		titles, causes := map[string]int{}, []schema.Kind{}
		for _, r := range page {
			n := r.Payload.(*Notice)
			titles[n.Title]++
			causes = append(causes, n.Cause)
			if r.Class != KeyEnded || n.Signed || n.Operated || n.Partner != 0 {
				t.Errorf("%+v is %+v", r, n)
			}
		}
		gone := new(schema.DeleteSub).Kind()
		if len(page) != 3 || titles["key a"] != 1 || titles["key b"] != 1 || titles["key c"] != 1 || causes[0] != gone || causes[1] != gone || causes[2] != new(schema.CloseKey).Kind() {
			t.Errorf("%v by %v", titles, causes)
		}
		if idle := x.page(h, Query{Kind: Notices, Account: sub, Classes: []Class{KeyIdle}}); len(idle) != 0 {
			t.Errorf("%d keys were idle", len(idle))
		}
		closeStore(t, h)
		x.stop()
	})
}
