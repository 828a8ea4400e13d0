package history

import (
	"fmt"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestRecordsOfInvestments: an investment has a class by its plan and its end, and an action that of its kind; both are found by their plan.
func TestRecordsOfInvestments(t *testing.T) {
	for _, c := range []struct {
		due    schema.Time
		closed bool
		want   Class
	}{{90, false, FixedOpen}, {90, true, FixedClosed}, {0, false, FlexOpen}, {0, true, FlexClosed}} {
		v := schema.Investment{ID: 3, Account: 101, Plan: 8, Amount: fixed.One, Due: c.due, Closed: c.closed, Created: 10, Updated: 20}
		r := investment(&v, 7)
		if err := r.check(); err != nil || r.Kind != Investments || r.Account != 101 || r.Asset != 7 || r.ID != 3 || r.Time != 10 || r.Tag != "8" || r.Class != c.want || r.Payload != &v {
			t.Errorf("%+v: %+v, %v", v, r, err)
		}
	}
	for action := schema.EarnInvested; action <= schema.EarnBeganFixed; action++ {
		e := schema.Earned{ID: 5, Investment: 3, Account: 101, Plan: 8, Asset: 7, Amount: fixed.One, Action: action}
		r := earned(&e, 30)
		if err := r.check(); err != nil || r.Kind != Earnings || r.Account != 101 || r.Asset != 7 || r.ID != 5 || r.Ref != 3 || r.Time != 30 || r.Tag != "8" || r.Class != EarnInvested-1+Class(action) {
			t.Errorf("%+v: %+v, %v", e, r, err)
		}
	}
}

// TestAnInvestmentIsThereOnce: in its last state, found by its plan, its class and its asset; and so is what happened to it.
func TestAnInvestmentIsThereOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		v := schema.Investment{ID: 3, Account: 101, Plan: 8, Amount: fixed.One, Created: 10}
		write := func(seq uint64, id schema.EarnID, action schema.EarnAction, at schema.Time) {
			t.Helper()
			state := v
			records := []Record{investment(&state, 7), earned(&schema.Earned{ID: id, Investment: 3, Account: 101, Plan: 8, Asset: 7, Action: action}, at)}
			for i := range records {
				records[i].Seq = seq
			}
			if err := store.Write(t.Context(), seq, records); err != nil {
				t.Fatal(err)
			}
		}
		write(1, 1, schema.EarnOpened, 10)
		v.Closed = true
		write(2, 2, schema.EarnClosed, 20)
		for _, c := range []struct {
			query Query
			want  string
		}{
			{Query{Kind: Investments}, "[3:51]"},
			{Query{Kind: Investments, Classes: FlexInvestments[:1]}, "[]"},
			{Query{Kind: Investments, Tag: "8", Classes: FlexInvestments}, "[3:51]"},
			{Query{Kind: Investments, Tag: "9"}, "[]"},
			{Query{Kind: Investments, Ref: 3, Asset: 7}, "[3:51]"},
			{Query{Kind: Investments, Asset: 6}, "[]"},
			{Query{Kind: Earnings}, "[2:56 1:57]"},
			{Query{Kind: Earnings, Ref: 3, Classes: []Class{EarnOpened}}, "[1:57]"},
			{Query{Kind: Earnings, Tag: "8", From: 11}, "[2:56]"},
			{Query{Kind: Earnings, Asset: 7, Classes: []Class{EarnDaily}}, "[]"},
		} {
			q := c.query
			q.Account, q.Limit = 101, 10
			page, err := store.Page(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, r := range page {
				got = append(got, fmt.Sprintf("%d:%d", r.ID, r.Class))
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("%+v: %v, want %s", q, got, c.want)
			}
		}
	})
}
