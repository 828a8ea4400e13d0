package history

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestMovesOfSubAccounts: what a master and a sub-account moved is the sub-account's, by direction and by asset, newest first.
func TestMovesOfSubAccounts(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		x := open(t)
		h := Follow(x.node, openStore(), Options{})
		sub := schema.AccountID(x.do(&schema.SetSub{Master: x.alice, External: "desk", Alias: "desk", ShareKYC: true}).ID)
		move := func(toSub bool, asset schema.AssetID, amount string) uint64 {
			return x.do(&schema.MoveSub{Master: x.alice, Sub: sub, ToSub: toSub, Asset: asset, Amount: fixed.MustParse(amount)}).ID
		}
		first, second, third := move(true, 1, "5"), move(false, 1, "2"), move(true, 2, "7")
		for _, c := range []struct {
			query Query
			want  []uint64
		}{
			{Query{}, []uint64{third, second, first}},
			{Query{Classes: []Class{MovedToSub}}, []uint64{third, first}},
			{Query{Classes: []Class{MovedToMain}}, []uint64{second}},
			{Query{Asset: 1}, []uint64{second, first}},
			{Query{Asset: 2, Classes: []Class{MovedToMain}}, nil},
		} {
			q := c.query
			q.Kind, q.Account = SubMoves, sub
			page := x.page(h, q)
			if len(page) != len(c.want) {
				t.Fatalf("%+v: %d records, want %v", q, len(page), c.want)
			}
			for i, r := range page {
				if e := r.Payload.(*schema.SubMoved); r.ID != c.want[i] || uint64(e.ID) != r.ID || e.Move.Master != x.alice || e.Move.Asset != r.Asset {
					t.Errorf("%+v: record %d is %+v", q, i, e)
				}
			}
		}
		if page := x.page(h, Query{Kind: SubMoves, Account: x.alice}); len(page) != 0 {
			t.Errorf("the master has %d records", len(page))
		}
		closeStore(t, h)
		x.stop()
	})
}
