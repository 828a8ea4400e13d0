package conform_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/core"
	"bourse/internal/history"
	"bourse/internal/history/postgrestest"
	"bourse/internal/schema"
)

// TestWrongRequestsForTheHistory: account-wallet 8.
func TestWrongRequestsForTheHistory(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	alice := w.trader(t, "alice")
	status := broken("status", "The selected status is invalid.")
	method := broken("transactionMethod", "The selected transaction method is invalid.")
	many := func(n int) (list arr) {
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
		return list
	}
	tooFar := broken("offset", "Offset is too big. Please use offset + limit less than 10000.")
	for _, c := range []struct {
		fields obj
		want   refusal
	}{
		{obj{"transactionMethod": 0}, method},
		{obj{"transactionMethod": 3}, method},
		{obj{"transactionMethod": "deposit"}, method},
		{obj{"ticker": "NIX"}, broken("ticker", "The selected ticker is invalid.")},
		{obj{"ticker": 1}, broken("ticker", "The ticker must be a string.")},
		{obj{"address": 1}, broken("address", "The address must be a string.")},
		{obj{"memo": 7}, broken("memo", "The memo must be a string.")},
		{obj{"unique_id": 7}, broken("unique_id", "The unique id must be a string.")},
		{obj{"uniqueId": 7}, broken("uniqueId", "The unique id must be a string.")},
		{obj{"addresses": "a"}, broken("addresses", "The addresses must be an array.")},
		{obj{"addresses": arr{1}}, broken("addresses", "The addresses must be an array.")},
		{obj{"addresses": many(21)}, broken("addresses", "The addresses may not have more than 20 items.")},
		{obj{"status": 15}, status},
		{obj{"status": arr{8}}, status},
		{obj{"status": arr{3, "x"}}, status},
		{obj{"status": arr{15, 1}, "transactionMethod": 1}, status},
		{obj{"status": arr{22}, "transactionMethod": 2}, status},
		{obj{"limit": 0}, broken("limit", "The limit must be at least 1.")},
		{obj{"limit": 501}, broken("limit", "The limit may not be greater than 500.")},
		{obj{"limit": "x"}, broken("limit", "The limit must be an integer.")},
		{obj{"offset": -1}, broken("offset", "The offset must be at least 0.")},
		{obj{"offset": 10001}, broken("offset", "The offset may not be greater than 10000.")},
		{obj{"offset": "x"}, broken("offset", "The offset must be an integer.")},
		{obj{"limit": 500, "offset": 9501}, tooFar},
		{obj{"limit": 501, "transactionMethod": 3}, broken("limit", "The limit may not be greater than 500.").and("transactionMethod", "The selected transaction method is invalid.")},
	} {
		t.Run(fmt.Sprint(c.fields), func(t *testing.T) { refuses(t, w.trader(t, "alice").ask("main-account/history", c.fields), c.want) })
	}
	for _, fields := range []obj{
		nil,
		{"transactionMethod": 2},
		{"transactionMethod": "1"},
		{"status": arr{}},
		{"status": arr{1, 2, 15, 22}},
		{"status": arr{"3", 28}},
		{"status": nil},
		{"addresses": many(20)},
		{"addresses": arr{}},
		{"memo": "", "address": "", "ticker": "", "unique_id": ""},
		{"address": "\x00"},
		{"uniqueId": "01a0c450-6c00-8002-8000-000000000001"},
		{"unique_id": "no uuid"},
	} {
		answers(t, alice.ask("main-account/history", fields), obj{"limit": 50, "offset": 0, "total": 0, "records": arr{}})
	}
	answers(t, alice.ask("main-account/history", obj{"limit": 500, "offset": 9500}), obj{"limit": 500, "offset": 9500, "total": 0, "records": arr{}})
}

// TestHistoryAgainstAList asks both stores for random parts of many deposits and withdrawals, and compares with a list of them all.
func TestHistoryAgainstAList(t *testing.T) {
	for _, store := range []string{"Pebble", "PostgreSQL"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			database := ""
			if store == "PostgreSQL" {
				url, stop, err := postgrestest.Start(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(stop)
				database = url
			}
			w := newDepositWorld(t, database, "alice", "bob")
			alice := w.trader(t, "alice")
			all := w.lively(t, alice, w.trader(t, "bob"))
			dice := rand.New(rand.NewPCG(1, 2))
			pick := func(list []string) string { return list[dice.IntN(len(list))] }
			for range 300 {
				fields, fits := obj{}, []func(map[string]any) bool{}
				equal := func(field, value string) {
					fields[field] = value
					fits = append(fits, func(r map[string]any) bool { return r[field] == value })
				}
				if dice.IntN(3) == 0 {
					equal("ticker", pick([]string{"DEP", "TAG", "USDT", "DUO"}))
				}
				if dice.IntN(3) == 0 {
					equal("address", pick(all.addresses))
				}
				if dice.IntN(4) == 0 {
					equal("memo", pick(all.memos))
				}
				if dice.IntN(3) == 0 {
					some := arr{}
					for range 1 + dice.IntN(4) {
						some = append(some, pick(all.addresses))
					}
					fields["addresses"] = some
					fits = append(fits, func(r map[string]any) bool { return slices.Contains(some, r["address"]) })
				}
				if dice.IntN(3) == 0 {
					codes := []int{3, 15, 22, 4, 21, 7, 1}[dice.IntN(6):]
					list := arr{}
					for _, n := range codes {
						list = append(list, n)
					}
					fields["status"] = list
					fits = append(fits, func(r map[string]any) bool {
						return slices.ContainsFunc(codes, func(n int) bool { return fmt.Sprint(n) == fmt.Sprint(r["status"]) })
					})
				}
				if method := 1 + dice.IntN(6); method <= 2 && fields["status"] == nil {
					fields["transactionMethod"] = method
					fits = append(fits, func(r map[string]any) bool { return fmt.Sprint(r["method"]) == fmt.Sprint(method) })
				}
				if dice.IntN(6) == 0 {
					one := all.records[dice.IntN(len(all.records))]
					id, by := one["transaction_id"], "transactionId"
					if one["unique_id"] != nil {
						id, by = one["unique_id"], "uniqueId"
					}
					fields[pick([]string{"unique_id", "uniqueId"})] = id
					fits = append(fits, func(r map[string]any) bool { return r[by] == id })
				}
				var want []map[string]any
				for _, r := range all.records {
					if !slices.ContainsFunc(fits, func(fits func(map[string]any) bool) bool { return !fits(r) }) {
						want = append(want, r)
					}
				}
				limit, offset := 1+dice.IntN(20), dice.IntN(max(1, min(len(want)+2, 40)))
				fields["limit"], fields["offset"] = limit, offset
				records := arr{}
				for _, r := range want[min(offset, len(want)):min(offset+limit, len(want))] {
					records = append(records, obj(maps.Clone(r)))
				}
				r := alice.ask("main-account/history", fields)
				if answers(t, r, obj{"limit": limit, "offset": offset, "total": len(want), "records": records}); t.Failed() {
					t.Fatalf("%v: %s", fields, r.Body)
				}
			}
		})
	}
}

// lively lets an account have 200 deposits in all states, and withdrawals, some of them to another.
func (w depositWorld) lively(t *testing.T, c, other trader) (all deposits) {
	w.gives(t, "alice", "USDT", "1000")
	outside := []arrival{{farETH, ""}, other.at("USDT", nil)}
	all.addresses = append(all.addresses, outside[0].address, outside[1].address)
	sent, inside := 0, schema.DepositID(0)
	dice := rand.New(rand.NewPCG(3, 4))
	places := map[string][]arrival{}
	ways := []struct {
		ticker, network string
		chain           schema.ChainID
	}{{"DEP", "DEP", w.btc}, {"TAG", "XRP", w.xrp}, {"USDT", "ERC20", w.eth}, {"USDT", "TRC20", w.trx}, {"DUO", "BEP20", w.bsc}}
	for _, way := range ways {
		for range 3 {
			to := c.fresh(way.ticker, obj{"network": way.network})
			places[way.ticker+way.network] = append(places[way.ticker+way.network], to)
			all.addresses, all.memos = append(all.addresses, to.address), append(all.memos, cmp.Or(to.memo, "none"))
		}
	}
	for n := range schema.DepositID(200) {
		way := ways[dice.IntN(len(ways))]
		w.pays(t, way.chain, way.ticker, []string{"1", "8", "0.001", "2.5"}[dice.IntN(4)], places[way.ticker+way.network][dice.IntN(3)])
		if dice.IntN(3) > 0 {
			w.clock.advance(schema.Second)
		}
		w.mines(way.chain, 1)
		if to := dice.IntN(6); to < len(outside) {
			answers(t, c.withdraws("USDT", "1", outside[to], fmt.Sprint("out ", n), nil), arr{})
			if sent++; to == 1 {
				inside++ // which is a deposit too
			}
		}
		switch dice.IntN(12) {
		case 0:
			w.Do(&schema.ReorgSandbox{Chain: way.chain, Depth: 1, DropAll: true})
		case 1:
			w.tries(t, &schema.DecideDeposit{Deposit: n + inside + 1, Decision: schema.FreezeDeposit})
		case 2:
			w.tries(t, &schema.DecideDeposit{Deposit: n + inside + 1, Decision: schema.CancelDeposit})
		}
	}
	for _, unique := range []string{"sent", "queued"} {
		answers(t, c.withdraws("USDT", "1", outside[0], unique, nil), arr{})
		if sent++; unique == "sent" {
			w.mines(w.eth, 1)
		}
	}
	answer := c.must("main-account/history", obj{"limit": 500})
	for _, r := range answer["records"].([]any) {
		all.records = append(all.records, r.(map[string]any))
	}
	states := map[string]int{}
	for _, r := range all.records {
		states[fmt.Sprint(r["method"], " ", r["status"])]++
	}
	if len(all.records) != 200+sent || len(states) != 9 {
		t.Fatalf("%d records, %v", len(all.records), states)
	}
	return all
}

// tries lets the operator do something that may be refused.
func (w depositWorld) tries(t *testing.T, c schema.Command) {
	var result schema.Result
	if err := w.Exchange.Node.Submit(t.Context(), c, &result); err != nil {
		t.Fatal(err)
	}
}

// TestHistoryIsGoneThroughToABound: what is found by no index is looked for among the newest 10,000 records, for the page and for the
// total.
// It is not parallel: so many deposits would keep the requests of other tests waiting.
func TestHistoryIsGoneThroughToABound(t *testing.T) {
	w := newDepositWorld(t, "", "alice")
	alice := w.trader(t, "alice")
	index := w.Do(&schema.OpenAddress{Account: w.account("alice").ID, Chain: w.real}).Address.Index
	const blocks, each = 23, schema.MaxReceipts
	parent := schema.Digest{}
	for height := uint64(1); height <= blocks; height++ {
		block := &schema.ChainBlock{Chain: w.real, Height: height, Parent: parent}
		block.Hash[0], parent = byte(height), schema.Digest{byte(height)}
		for n := range each {
			block.Receipts = append(block.Receipts, schema.Receipt{
				ID: fmt.Sprintf("%d:%d", height, n), Asset: w.asset("SIG"), Amount: decimal(t, "1"), Index: index,
				Text: []string{"even", "odd"}[height%2], Memo: []string{"few", "many", "many", "many", "many"}[n%5],
			})
		}
		w.Do(block)
		for busy := true; busy; {
			w.tick(w.clock)
			w.Exchange.API.Read(func(m core.View) { busy = m.Chains().Standing(w.real).Busy })
		}
	}
	// A page waits for the history for seconds; what was written here may take a slow machine longer.
	if _, err := w.Exchange.History.Page(t.Context(), &history.Query{Kind: history.Payments, Account: w.account("alice").ID, Limit: 1}); err != nil {
		t.Fatal(err)
	}
	page := func(fields obj, total int, heights ...int) {
		t.Helper()
		answer := alice.must("main-account/history", fields)
		is(t, fmt.Sprint(fields), answer["total"], total)
		var got []int
		for _, r := range answer["records"].([]any) {
			var height int
			fmt.Sscan(r.(map[string]any)["transactionHash"].(string), &height)
			got = append(got, height)
		}
		if !slices.Equal(got, heights) {
			t.Errorf("%v: %v, should be %v", fields, got, heights)
		}
	}
	page(obj{"limit": 2}, blocks*each, 23, 23)
	page(obj{"limit": 2, "memo": "few"}, 2_000, 23, 23)
	page(obj{"limit": 2, "memo": "few", "offset": 199}, 2_000, 23, 22)
	page(obj{"limit": 3, "memo": "few", "offset": 598}, 2_000, 21, 21, 20)
	page(obj{"limit": 2, "memo": "few", "offset": 1_998}, 2_000, 14, 14)
	page(obj{"limit": 2, "memo": "few", "address": "odd", "offset": 1_998}, 2_000, 5, 5) // of those at one address
	page(obj{"limit": 1, "addresses": arr{"odd", "none"}, "offset": 1_000}, 5_000, 21)
	page(obj{"limit": 1, "addresses": arr{"odd", "even"}, "memo": "none"}, 0)
	page(obj{"limit": 1, "addresses": arr{""}}, 0)
	page(obj{"limit": 1, "addresses": arr{"", "odd"}, "address": "even"}, 0)
	page(obj{"limit": 1, "address": "odd", "offset": 1_000}, 10_000, 21) // of one address 10,000 are counted
}
