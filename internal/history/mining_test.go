package history

import (
	"fmt"
	"math"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// TestRecordsOfRewards: a reward is of the day that it is for, with a class by its state.
func TestRecordsOfRewards(t *testing.T) {
	for status, want := range map[schema.RewardStatus]Class{
		schema.RewardPending: RewardPending, schema.RewardSuccessful: RewardSuccessful, schema.RewardCanceled: RewardCanceled,
	} {
		v := schema.Reward{ID: 7, Mining: 3, Account: 101, Asset: 2, Day: 86_400, Amount: fixed.One, Status: status, Paid: 90_000}
		r := rewarded(&v)
		if err := r.check(); err != nil || r.Kind != Rewards || r.Account != 101 || r.Asset != 2 || r.ID != 7 || r.Time != 86_400 || r.Tag != "3" || r.Class != want || r.Payload != &v {
			t.Errorf("%+v: %+v, %v", v, r, err)
		}
	}
}

// TestRecordsOfWork: what mining accounts brought in the same five minutes is summed up by command, and never overflows; workers are found by
// their account and by their name, and their rows are never of the future.
func TestRecordsOfWork(t *testing.T) {
	records := []Record{{Kind: PoolMeasured, Time: 300, Payload: &schema.MiningMeasured{Time: 300, Work: 9}}} // of a command before
	first := len(records)
	for i, e := range []schema.MiningMeasured{
		{Mining: 1, Account: 101, Time: 300, Work: 5, Accepted: 2, Rejected: 1},
		{Mining: 2, Account: 102, Time: 600, Work: 7, Accepted: 1},
		{Mining: 3, Account: 101, Time: 300, Work: math.MaxUint64, Accepted: 4, Rejected: 3},
	} {
		records = appendMeasured(records, &e, first, uint64(50+i))
	}
	got := ""
	for _, r := range records[first:] {
		e := r.Payload.(*schema.MiningMeasured)
		if err := r.check(); err != nil || e.Time != r.Time || e.Account != r.Account {
			t.Errorf("%+v: %v", r, err)
		}
		got += fmt.Sprintf("%s %d %d:%d %q %d/%d/%d; ", r.Kind, r.Account, r.ID, r.Time, r.Tag, e.Work, e.Accepted, e.Rejected)
	}
	want := `pool measured 0 50:300 "" 18446744073709551615/6/4; measured 101 1:300 "1" 5/2/1; pool measured 0 51:600 "" 7/1/0; measured 102 2:600 "2" 7/1/0; ` +
		`measured 101 3:300 "3" 18446744073709551615/4/3; `
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if before := records[0].Payload.(*schema.MiningMeasured); before.Work != 9 {
		t.Errorf("the record of another command has %d", before.Work)
	}

	e := schema.SharesReported{Workers: []schema.WorkerShares{{Mining: 3, Worker: "rig", Time: 300, Work: 5}, {Mining: 4, Worker: "a-b", Time: 900, Work: 6}}}
	got = ""
	for _, r := range appendWorkers(nil, &e, &node.CommandEvents{Time: 700}, 60) {
		if err := r.check(); err != nil {
			t.Error(err)
		}
		got += fmt.Sprintf("%s %d %d:%d of %d %q; ", r.Kind, r.Account, r.ID, r.Time, r.Ref, r.Tag)
	}
	if want := `worker shares 0 60:300 of 3 "3/rig"; worker shares 0 61:700 of 4 "4/a-b"; `; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	block := schema.PoolBlock{Mining: 3, Worker: "rig", Height: 9, Time: 80}
	if r := found(&block, 70); r.check() != nil || r.Kind != Blocks || r.Account != 0 || r.ID != 70 || r.Time != 80 || r.Tag != "3" || r.Payload != &block {
		t.Errorf("%+v", r)
	}
}

// TestRewardsAreThereOnce: in their last state, by mining account, state and day; what was measured is found by mining account and time, workers by
// account and by name.
func TestRewardsAreThereOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, openStore func() Store) {
		store := openStore()
		defer func() { closeStore(t, store) }()
		write := func(seq uint64, records ...Record) {
			t.Helper()
			for i := range records {
				records[i].Seq = seq
			}
			if err := store.Write(t.Context(), seq, records); err != nil {
				t.Fatal(err)
			}
		}
		reward := func(id schema.RewardID, mining schema.MiningID, day schema.Time, status schema.RewardStatus) Record {
			return rewarded(&schema.Reward{ID: id, Mining: mining, Account: 101, Asset: 2, Day: day, Status: status})
		}
		write(1, reward(1, 3, 100, schema.RewardPending), reward(2, 4, 100, schema.RewardPending))
		write(2, reward(3, 3, 200, schema.RewardPending), reward(1, 3, 100, schema.RewardPending), reward(2, 4, 100, schema.RewardCanceled))
		work := appendWorkers(nil, &schema.SharesReported{Workers: []schema.WorkerShares{
			{Mining: 3, Worker: "rig", Time: 300, Work: 5},
			{Mining: 3, Worker: "old", Time: 300, Work: 6},
			{Mining: 3, Worker: "rig", Time: 600, Work: 7},
			{Mining: 33, Worker: "rig", Time: 300, Work: 8},
			{Mining: 3, Worker: "rig", Time: 300, Work: 9},
		}}, &node.CommandEvents{Time: 700}, 60)
		write(3, appendMeasured(work, &schema.MiningMeasured{Mining: 3, Account: 101, Time: 300, Work: 14}, 0, 80)...)
		for _, c := range []struct {
			query Query
			want  string
		}{
			{Query{Kind: Rewards, Account: 101}, "[3 2 1]"},
			{Query{Kind: Rewards, Account: 101, Tag: "3"}, "[3 1]"},
			{Query{Kind: Rewards, Account: 101, Tag: "3", To: 199}, "[1]"},
			{Query{Kind: Rewards, Account: 101, Classes: []Class{RewardCanceled}}, "[2]"},
			{Query{Kind: Rewards, Account: 101, Ref: 2}, "[2]"},
			{Query{Kind: Rewards, Account: 101, Asset: 3}, "[]"},
			{Query{Kind: Rewards, Account: 102}, "[]"},
			{Query{Kind: Measured, Account: 101, Tag: "3"}, "[3]"},
			{Query{Kind: Measured, Account: 101, Tag: "3", From: 301}, "[]"},
			{Query{Kind: PoolMeasured, From: 300, To: 300}, "[80]"},
			{Query{Kind: WorkerShares, Ref: 3}, "[62 64 61 60]"},
			{Query{Kind: WorkerShares, Ref: 3, From: 301}, "[62]"},
			{Query{Kind: WorkerShares, Tag: "3/rig"}, "[62 64 60]"},
			{Query{Kind: WorkerShares, From: 300, To: 599}, "[64 63 61 60]"},
		} {
			q := c.query
			q.Limit = 10
			page, err := store.Page(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			got := []uint64{}
			for _, r := range page {
				got = append(got, r.ID)
			}
			if fmt.Sprint(got) != c.want {
				t.Errorf("%+v: %v, want %s", q, got, c.want)
			}
		}
	})
}
