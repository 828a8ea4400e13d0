package history

import (
	"fmt"
	"testing"

	"bourse/internal/schema"
)

func TestRecordsOfACheck(t *testing.T) {
	for _, tt := range []struct {
		status schema.CheckStatus
		risk   schema.Risk
		want   Class
	}{
		{schema.CheckRunning, 0, 32},
		{schema.CheckFailed, 0, 33},
		{schema.CheckSucceeded, schema.LowRisk, 34},
		{schema.CheckSucceeded, schema.MediumRisk, 35},
		{schema.CheckSucceeded, schema.HighRisk, 36},
	} {
		c := schema.Check{ID: 3, Account: 101, Asset: 7, Network: "BTC", Address: "bc1q", Status: tt.status, Risk: tt.risk, Created: 10, Checked: 20}
		r := checked(&c)
		if err := r.check(); err != nil || r.Kind != Checks || r.Account != 101 || r.ID != 3 || r.Time != 10 || r.Asset != 7 || r.Tag != "bc1q" ||
			r.Class != tt.want || r.Payload != &c {
			t.Errorf("%s: %+v, %v", tt.status, r, err)
		}
	}
}

// TestACheckIsThereOnce: in its last state, found by its address and its class.
func TestACheckIsThereOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		write := func(seq uint64, c schema.Check) {
			t.Helper()
			r := checked(&c)
			r.Seq = seq
			if err := store.Write(t.Context(), seq, []Record{r}); err != nil {
				t.Fatal(err)
			}
		}
		check := schema.Check{ID: 3, Account: 101, Asset: 7, Address: "bc1q", Status: schema.CheckRunning, Created: 10}
		write(1, check)
		write(2, schema.Check{ID: 4, Account: 101, Asset: 7, Address: "a\x00\xff", Status: schema.CheckRunning, Created: 20})
		check.Status, check.Risk, check.Description, check.Checked = schema.CheckSucceeded, schema.HighRisk, "Stolen.", 30
		write(3, check)
		for _, tt := range []struct {
			query Query
			want  string
		}{
			{Query{}, "[4:32 3:36]"},
			{Query{Classes: []Class{CheckRunning}}, "[4:32]"},
			{Query{Tag: "bc1q"}, "[3:36]"},
			{Query{Ref: 3, Asset: 7}, "[3:36]"},
			{Query{To: 10}, "[3:36]"},
		} {
			q := tt.query
			q.Kind, q.Account, q.Limit = Checks, 101, 10
			page, err := store.Page(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{}
			for _, r := range page {
				got = append(got, fmt.Sprintf("%d:%d", r.ID, r.Class))
				if c := r.Payload.(*schema.Check); c.ID == 3 && *c != check {
					t.Errorf("%+v came back as %+v", check, *c)
				}
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("%+v: %v, want %s", tt.query, got, tt.want)
			}
		}
	})
}
