package conform_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/watch"
)

// TestMiningAccounts: opened, listed newest first, filtered by their exact name (exchange-api-v4, mining/accounts; mining 2 and 3).
func TestMiningAccounts(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	page := func(limit, offset int, names ...string) obj {
		data := arr{}
		for _, name := range names {
			data = append(data, obj{"name": name, "createdAt": at(noon)})
		}
		return obj{"data": data, "limit": limit, "offset": offset}
	}
	const path = "mining/accounts"
	answers(t, v.anna.ask(path, nil), page(30, 0))
	answers(t, v.anna.ask(path+"/create", obj{"name": "anna_1", "referralCode": strings.Repeat("r", 50)}), obj{"data": obj{"name": "anna_1", "createdAt": at(noon)}})
	v.opens(v.anna, "Anna_1")
	v.opens(v.ben, "ben")
	v.opens(v.anna, "third")
	for _, c := range []struct {
		fields obj
		want   obj
	}{
		{nil, page(30, 0, "third", "Anna_1", "anna_1")},
		{obj{"name": "anna_1"}, page(30, 0, "anna_1")},
		{obj{"name": "anna"}, page(30, 0)},
		{obj{"name": "ben"}, page(30, 0)},
		{obj{"name": ""}, page(30, 0, "third", "Anna_1", "anna_1")},
		{obj{"limit": 1, "offset": 1}, page(1, 1, "Anna_1")},
		{obj{"limit": "100", "offset": 10000}, page(100, 10000)},
	} {
		answers(t, v.anna.ask(path, c.fields), c.want)
	}
	for fields, want := range map[*obj]refusal{
		{"name": 5}:                        broken("name", "The name must be a string."),
		{"name": strings.Repeat("n", 256)}: broken("name", "The name may not be greater than 255 characters."),
		{"limit": 101}:                     broken("limit", "The limit may not be greater than 100."),
		{"offset": 10001}:                  broken("offset", "The offset may not be greater than 10000."),
	} {
		refuses(t, v.anna.ask(path, *fields), want)
	}
	for fields, want := range map[*obj]refusal{
		{}:                                 broken("name", "The name field is required."),
		{"name": ""}:                       broken("name", "The name field is required."),
		{"name": "a-b"}:                    broken("name", "The name format is invalid."),
		{"name": "é"}:                      broken("name", "The name format is invalid."),
		{"name": strings.Repeat("n", 256)}: broken("name", "The name may not be greater than 255 characters."),
		{"name": "ben"}:                    broken("name", "The name has already been taken."),
		{"name": "third"}:                  broken("name", "The name has already been taken."),
		{"name": "fourth"}:                 broken("error", "miningPool.validation.maxAccounts"),
		{"name": "a", "referralCode": strings.Repeat("r", 51)}: broken("referralCode", "The referral code may not be greater than 50 characters."),
	} {
		refuses(t, v.anna.ask(path+"/create", *fields), want)
	}
	v.sets(func(p *schema.PoolTerms) { p.Open = false })
	refuses(t, v.ben.ask(path+"/create", obj{"name": "more"}), refusal{503, 0, "The mining pool is switched off at the moment.", obj{}})
	answers(t, v.ben.ask(path, nil), page(30, 0, "ben"))
}

// TestWhoMayMine: the key needs the URL, and the account the feature (exchange-api-v4, authentication 5; decision 5).
func TestWhoMayMine(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	for _, r := range schema.Rights() {
		if r.Group != schema.GroupMining && r.Path != "/api/v4/mining/payout-destination/edit" {
			continue
		}
		got := v.carl.Post(r.Path, nil)
		refuses(t, got, refusal{403, 0, "You don't have permission to use this endpoint. Please contact support for more details", obj{}})
		if got := v.anna.Post(r.Path, nil); got.Status == 403 || got.Status == 401 {
			t.Errorf("anna at %s: %d %s", r.Path, got.Status, got.Body)
		}
	}
	key := v.Exchange.API.Directory().Key([]byte("anna-key"))
	v.Do(&schema.SetKey{Key: schema.Key{
		ID: key.ID, Key: "anna-key", Account: key.Account, Sealed: key.Sealed, Enabled: true, Title: "anna", URLs: []string{"/api/v4/mining/accounts", "/api/v4/orders"},
	}})
	answers(t, v.anna.ask("mining/accounts", nil), obj{"data": arr{}, "limit": 30, "offset": 0})
	refuses(t, v.anna.ask("mining/accounts/create", obj{"name": "a"}), refusal{401, 4, "This API Key is not authorized to perform this action.", obj{}})
}

// TestPayoutDestination: the main balance, or an address of the chain (exchange-api-v4, mining/payout-destination; mining 2 and 5).
func TestPayoutDestination(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	v.opens(v.anna, "rigs")
	const path = "mining/payout-destination"
	main, unknown := obj{"payoutDestination": "main_balance", "externalAddress": nil}, broken("user", "Mining account not found.")
	answers(t, v.anna.ask(path, obj{"accountName": "rigs"}), main)
	refuses(t, v.anna.ask(path, nil), broken("accountName", "The account name field is required."))
	for _, name := range []string{"nobody", "Rigs", strings.Repeat("n", 255)} {
		refuses(t, v.anna.ask(path, obj{"accountName": name}), unknown)
	}
	refuses(t, v.ben.ask(path, obj{"accountName": "rigs"}), unknown)
	const to = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
	edit := func(more obj) obj {
		return changed(obj{"accountName": "rigs", "destination": "external_address"}, more)
	}
	for fields, want := range map[*obj]refusal{
		{}: broken("accountName", "The account name field is required.").and("destination", "The destination field is required."),
		{"accountName": "rigs", "destination": "bank"}:                          broken("destination", "The selected destination is invalid."),
		{"accountName": "nobody", "destination": "main_balance"}:                unknown,
		{"accountName": "rigs", "destination": "external_address"}:              broken("address", "miningPool.validation.payoutDestination.btcAddressRequired"),
		ref(edit(obj{"address": ""})):                                           broken("address", "miningPool.validation.payoutDestination.btcAddressRequired"),
		ref(edit(obj{"address": "tb1q"})):                                       broken("address", "miningPool.validation.payoutDestination.invalidBtcAddress"),
		ref(edit(obj{"address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"})): broken("address", "miningPool.validation.payoutDestination.invalidBtcAddress"),
		ref(edit(obj{"address": strings.Repeat("1", 101)})):                     broken("address", "miningPool.validation.payoutDestination.invalidBtcAddress"),
		ref(edit(obj{"address": 5})):                                            broken("address", "The address must be a string."),
	} {
		refuses(t, v.anna.ask(path+"/edit", *fields), want)
	}
	refuses(t, v.ben.ask(path+"/edit", edit(obj{"address": to})), unknown)
	outside := obj{"payoutDestination": "external_address", "externalAddress": to}
	answers(t, v.anna.ask(path+"/edit", edit(obj{"address": strings.ToUpper(to)})), outside)
	answers(t, v.anna.ask(path, obj{"accountName": "rigs"}), outside)
	answers(t, v.anna.ask(path+"/edit", obj{"accountName": "rigs", "destination": "main_balance", "address": to}), main)
	answers(t, v.anna.ask(path, obj{"accountName": "rigs"}), main)
	v.sets(func(p *schema.PoolTerms) { p.Chain = 0 })
	refuses(t, v.anna.ask(path+"/edit", edit(obj{"address": to})), broken("destination", "miningPool.validation.payoutDestination.customCurrencyConflict"))
}

func ref(o obj) *obj { return &o }

// timeFaults are ranges that cannot be, for an operation that takes some other fields too.
func (v *poolVenue) timeFaults(path string, fields obj) {
	v.t.Helper()
	now := v.clock.seconds()
	wrong := refusal{422, 422, "Incorrect timestamp", obj{}}
	for _, span := range []obj{{"from": -1}, {"to": -1}, {"from": now + 1}, {"to": now + 1}, {"from": now, "to": now - 1}, {"to": 999_999_999_999_999_999}} {
		refuses(v.t, v.anna.ask(path, changed(fields, span)), wrong)
	}
	for name, value := range map[string]any{"from": "x", "to": 1.5} {
		refuses(v.t, v.anna.ask(path, changed(fields, obj{name: value})), broken(name, "The "+name+" must be an integer."))
	}
	if r := v.anna.ask(path, changed(fields, obj{"from": now, "to": now})); r.Status != 200 {
		v.t.Errorf("%s now: %d %s", path, r.Status, r.Body)
	}
}

// TestMiningRewards lives through two days: each is paid at its end, newest first (exchange-api-v4, mining/rewards; mining 3, 4 and 5).
func TestMiningRewards(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	rigs, other := v.opens(v.anna, "rigs"), v.opens(v.anna, "other")
	bens := v.opens(v.ben, "bens")
	const path = "mining/rewards"
	page := func(limit, offset int, records ...any) obj {
		return obj{"offset": offset, "limit": limit, "data": append(arr{}, records...)}
	}
	answers(t, v.anna.ask(path, nil), page(30, 0))
	v.works(rigs, "a", portion, 16, 0)
	v.works(bens, "b", portion, 16, 0)
	v.goes(midnight)
	v.works(rigs, "a", 2*portion, 32, 0)
	v.works(other, "a", portion, 16, 0)
	v.goes(midnight + 24*hour)
	record := func(name string, day schema.Time, total, reward, fee, rate string) obj {
		return obj{
			"miningAccountName": name, "totalReward": total, "reward": reward, "fee": fee, "fppsRate": "491119.644951965028667473", "hashRate": rate, "date": at(day),
			"payoutDestination": "main_balance", "payoutTransactionHash": nil, "payoutAddress": nil, "payoutTime": at(day + 24*hour), "rewardCurrency": "BTC", "status": "successful",
		}
	}
	begin := midnight - 24*hour
	first := record("rigs", begin, "0.390625", "0.375", "0.015625", "795376")
	second := record("rigs", midnight, "0.78125", "0.75", "0.03125", "1590752")
	third := record("other", midnight, "0.390625", "0.375", "0.015625", "795376")
	for _, c := range []struct {
		fields obj
		want   obj
	}{
		{nil, page(30, 0, third, second, first)},
		{obj{"account": "rigs"}, page(30, 0, second, first)},
		{obj{"account": ""}, page(30, 0, third, second, first)},
		{obj{"account": "bens"}, page(30, 0)},
		{obj{"account": "nobody"}, page(30, 0)},
		{obj{"from": at(midnight)}, page(30, 0, third, second)},
		{obj{"to": at(midnight) - 1}, page(30, 0, first)},
		{obj{"from": at(begin), "to": at(begin)}, page(30, 0, first)},
		{obj{"to": 0}, page(30, 0)},
		{obj{"limit": 1, "offset": 1}, page(1, 1, second)},
		{obj{"limit": 100, "offset": 10000}, page(100, 10000)},
	} {
		answers(t, v.anna.ask(path, c.fields), c.want)
	}
	v.anna.owns("BTC", "1.5")
	v.timeFaults(path, obj{})
	for fields, want := range map[*obj]refusal{
		{"limit": 101}:    broken("limit", "validation.max.integer"),
		{"limit": 0}:      broken("limit", "validation.min"),
		{"limit": "x"}:    broken("limit", "validation.integer"),
		{"offset": 10001}: broken("offset", "validation.max"),
		{"offset": "x"}:   broken("offset", "validation.integer"),
		{"account": 5}:    broken("account", "The account must be a string."),
	} {
		refuses(t, v.anna.ask(path, *fields), want)
	}
	v.Do(&schema.BarMining{Mining: rigs, Barred: true})
	answers(t, v.anna.ask(path, obj{"account": "rigs"}), page(30, 0))
}

// TestRewardsToAnAddress: pending until the withdrawal is done, with its transaction (mining 4).
func TestRewardsToAnAddress(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	rigs := v.opens(v.anna, "rigs")
	const to = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
	v.anna.must("mining/payout-destination/edit", obj{"accountName": "rigs", "destination": "external_address", "address": to})
	v.works(rigs, "a", portion, 16, 0)
	status := func() obj {
		t.Helper()
		data := v.anna.must("mining/rewards", nil)["data"].([]any)
		if len(data) != 1 {
			t.Fatalf("%v", data)
		}
		r := data[0].(map[string]any)
		return obj{"status": r["status"], "to": r["payoutDestination"], "address": r["payoutAddress"], "tx": r["payoutTransactionHash"], "time": r["payoutTime"]}
	}
	v.goes(midnight) // the address does not count yet
	is(t, "waits", map[string]any(status()), obj{"status": "pending", "to": "external_address", "address": nil, "tx": nil, "time": nil})
	v.goes(noon + 24*hour)
	v.Do(&schema.Tick{})
	is(t, "is sent", map[string]any(status()), obj{"status": "pending", "to": "external_address", "address": to, "tx": nil, "time": nil})
	for range 8 {
		v.Do(&schema.MineSandbox{Chain: v.chain, Blocks: 1})
	}
	is(t, "was sent", map[string]any(status()), obj{
		"status": "successful", "to": "external_address", "address": to, "tx": test(func(got any) error {
			if text, is := got.(string); !is || text == "" {
				return fmt.Errorf("%v is no transaction", got)
			}
			return nil
		}), "time": at(noon + 24*hour),
	})
}

// TestMiningHashrate: by intervals, whole ones, oldest first (exchange-api-v4, mining/hashrate; mining 2, 3 and 5).
func TestMiningHashrate(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	rigs := v.opens(v.anna, "rigs")
	const path = "mining/hashrate"
	graph := func(points ...any) obj {
		return obj{"data": obj{"account": "rigs", "hashrate": append(arr{}, points...)}}
	}
	point := func(time schema.Time, rate string, rejected any) obj {
		return obj{"timestamp": at(time), "hashrate": rate, "rejectRate": rejected}
	}
	answers(t, v.anna.ask(path, obj{"account": "rigs"}), graph())
	begin := v.bucket(0) // 14:10
	v.works(rigs, "a", portion, 15, 1)
	answers(t, v.anna.ask(path, obj{"account": "rigs"}), graph()) // the five minutes are under way
	v.goes(begin + schema.WorkBucket)
	v.works(rigs, "a", portion, 16, 0)
	v.goes(begin + 2*schema.WorkBucket)
	five := arr{point(begin, "229068417", json.Number("0.0625")), point(begin+schema.WorkBucket, "229068417", 0)}
	answers(t, v.anna.ask(path, obj{"account": "rigs", "interval": "5m"}), graph(five...))
	top := begin - 2*schema.WorkBucket
	answers(t, v.anna.ask(path, obj{"account": "rigs"}), graph(point(top, "114534208", json.Number("0.0312")))) // 20 minutes of the hour are over
	v.goes(top + hour)
	answers(t, v.anna.ask(path, obj{"account": "rigs", "interval": "1h"}), graph(point(top, "38178069", json.Number("0.0312"))))
	v.works(rigs, "a", portion, 1, 3)
	v.goes(midnight + hour)
	last := point(top+hour, "19089034", json.Number("0.75"))
	for _, c := range []struct {
		fields obj
		want   arr
	}{
		{obj{}, arr{point(top, "38178069", json.Number("0.0312")), last}},
		{obj{"from": at(top + hour)}, arr{last}},
		{obj{"from": at(top+hour) + 3599}, arr{last}},
		{obj{"from": at(top + 2*hour)}, arr{}},
		{obj{"to": at(top+hour) - 1}, arr{point(top, "38178069", json.Number("0.0312"))}},
		{obj{"from": 0, "interval": "5m", "to": at(begin)}, five[:1]},
		{obj{"interval": "24h"}, arr{point(midnight-24*hour, "2386129", json.Number("0.1111"))}},
		{obj{"interval": nil}, arr{point(top, "38178069", json.Number("0.0312")), last}},
	} {
		answers(t, v.anna.ask(path, changed(c.fields, obj{"account": "rigs"})), graph(c.want...))
	}
	v.timeFaults(path, obj{"account": "rigs"})
	unknown := broken("account", "Account not found")
	refuses(t, v.anna.ask(path, nil), broken("account", "The account field is required."))
	refuses(t, v.anna.ask(path, obj{"account": "nobody"}), unknown)
	refuses(t, v.ben.ask(path, obj{"account": "rigs"}), unknown)
	refuses(t, v.anna.ask(path, obj{"account": "rigs", "interval": "1m"}), broken("interval", "The selected interval is invalid."))
	v.Do(&schema.BarMining{Mining: rigs, Barred: true})
	answers(t, v.anna.ask(path, obj{"account": "rigs"}), graph())
}

// TestWorkers: who is online, low and offline, by name, and what they bring (mining 1, 2 and 3).
func TestWorkers(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	rigs := v.opens(v.anna, "rigs")
	info := func(online, offline, low int) obj {
		return obj{"data": obj{"fee": "4", "workers": obj{"online": online, "offline": offline, "low": low}, "stratum": arr{
			obj{"url": "stratum+tcp://pool.example:3333", "workersCount": online}, obj{"url": "stratum+tls://pool.example:3334", "workersCount": online},
		}}}
	}
	names := func(limit, offset int, names ...any) obj {
		return obj{"data": obj{"workers": append(arr{}, names...)}, "limit": limit, "offset": offset}
	}
	rigsOf := obj{"account": "rigs"}
	answers(t, v.anna.ask("mining/miners/info", rigsOf), info(0, 0, 0))
	begin := v.bucket(0)
	row := func(name string, before schema.Time, work uint64) schema.WorkerShares {
		return schema.WorkerShares{Mining: rigs, Worker: name, Time: v.bucket(before), Work: work, Accepted: 16}
	}
	v.brings(nil, row("old", 2, portion), row("b", 0, portion), row("a", 0, portion))
	v.brings(nil, row("a", 0, portion), schema.WorkerShares{Mining: rigs, Worker: "bad", Time: begin, Rejected: 5}) // what was rejected is no share
	answers(t, v.anna.ask("mining/miners/info", rigsOf), info(0, 0, 0))                                             // figures of this minute
	answers(t, v.anna.ask("mining/workers/names", rigsOf), names(100, 0))
	v.clock.advance(60 * schema.Second)
	answers(t, v.anna.ask("mining/miners/info", rigsOf), info(3, 0, 0))
	answers(t, v.anna.ask("mining/workers/names", rigsOf), names(100, 0, "a", "b", "old"))
	answers(t, v.anna.ask("mining/workers/names", changed(rigsOf, obj{"limit": 1, "offset": 1})), names(1, 1, "b"))
	v.goes(begin + schema.WorkBucket)
	answers(t, v.anna.ask("mining/miners/info", rigsOf), info(2, 1, 0))
	answers(t, v.anna.ask("mining/workers/names", rigsOf), names(100, 0, "a", "b"))
	v.goes(begin + 6*schema.WorkBucket)
	v.brings(nil, row("b", 0, portion/12), row("a", 0, portion/2)) // a had two portions in the hour, b one
	answers(t, v.anna.ask("mining/miners/info", rigsOf), info(2, 1, 1))
	v.goes(begin + 24*hour - 2*schema.WorkBucket)
	answers(t, v.anna.ask("mining/miners/info", rigsOf), info(0, 3, 0))
	v.goes(begin + 26*hour)
	answers(t, v.anna.ask("mining/miners/info", rigsOf), info(0, 0, 0))

	five := func(worker string, more obj) obj {
		return changed(obj{"account": "rigs", "worker": worker, "interval": "5m", "from": at(begin)}, more)
	}
	rates := func(points ...any) obj { return obj{"data": obj{"hashrates": append(arr{}, points...)}} }
	const path = "mining/workers/hashrate"
	answers(t, v.anna.ask(path, five("a", nil)), rates(
		obj{"time": at(begin), "hashrate": "0.000458136835"}, obj{"time": at(begin + 6*schema.WorkBucket), "hashrate": "0.000114534208"}))
	answers(t, v.anna.ask(path, five("a", obj{"to": at(begin)})), rates(obj{"time": at(begin), "hashrate": "0.000458136835"}))
	answers(t, v.anna.ask(path, five("nobody", nil)), rates())
	answers(t, v.anna.ask(path, five(strings.Repeat("n", 255), nil)), rates())
	v.timeFaults(path, obj{"account": "rigs", "worker": "a"})
	unknown := func(name string) refusal { return broken("user", "Mining pool account '"+name+"' not found") }
	for _, path := range []string{"mining/miners/info", "mining/workers/names", "mining/workers/hashrate", "mining/watcher-links/list"} {
		more := obj{}
		if strings.HasSuffix(path, "hashrate") {
			more = obj{"worker": "a"}
		}
		refuses(t, v.ben.ask(path, changed(more, obj{"account": "rigs"})), unknown("rigs"))
		refuses(t, v.ben.ask(path, changed(more, obj{"account": "no body"})), unknown("no body"))
		refuses(t, v.ben.ask(path, changed(more, obj{"account": strings.Repeat("n", 256)})), broken("account", "The account may not be greater than 255 characters."))
	}
	refuses(t, v.anna.ask(path, rigsOf), broken("worker", "The worker field is required."))
	refuses(t, v.anna.ask("mining/workers/names", changed(rigsOf, obj{"limit": 0})), broken("limit", "The limit must be at least 1."))
}

// TestMiningPool: what everyone sees of the pool (mining 3).
func TestMiningPool(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	rigs, bens := v.opens(v.anna, "rigs"), v.opens(v.ben, "bens")
	v.works(rigs, "a", portion, 16, 0)
	v.works(bens, "a", 2*portion, 16, 0)
	found := schema.PoolBlock{Mining: rigs, Worker: "a", Height: 7, Hash: schema.Digest{1}}
	v.Do(&schema.FoundBlock{Lease: v.lease, Block: found})
	v.goes(midnight - 1)
	found.Height, found.Hash = 9, schema.Digest{2}
	v.Do(&schema.FoundBlock{Lease: v.lease, Block: found})
	v.goes(midnight + 120*schema.Second)
	v.brings([]schema.Shares{{Mining: rigs, Work: portion}}, schema.WorkerShares{Mining: rigs, Worker: "b", Time: v.bucket(0), Work: portion, Accepted: 4})
	v.brings(nil, schema.WorkerShares{Mining: rigs, Worker: "c", Time: v.bucket(1), Work: portion, Accepted: 4})
	v.goes(midnight + schema.WorkBucket)
	days := arr{}
	for i := 7; i > 1; i-- {
		days = append(days, obj{"timestamp": at(midnight - schema.Time(i)*24*hour), "hashrate": "0"})
	}
	days = append(days, obj{"timestamp": at(midnight - 24*hour), "hashrate": "2386129"})
	shown := obj{
		"connection_links": arr{"stratum+tcp://pool.example:3333", "stratum+tls://pool.example:3334"}, "location": "Europe", "assets": arr{"BTC"}, "reward_schemes": arr{"FPPS"},
		"workers": 2, "current_hash_rate": "19089034", "last7days_hash_rate": days,
		"blocks": arr{obj{"block_found_at": at(midnight) - 1, "block_height": 9}, obj{"block_found_at": at(noon), "block_height": 7}},
	}
	answers(t, v.Get("/api/v4/public/mining-pool"), obj{"data": shown})
	v.clock.advance(30 * schema.Second)
	v.brings(nil, schema.WorkerShares{Mining: rigs, Worker: "d", Time: v.bucket(0), Work: portion, Accepted: 4})
	answers(t, v.Get("/api/v4/public/mining-pool"), obj{"data": shown}) // figures of this minute
	v.clock.advance(30 * schema.Second)
	answers(t, v.Get("/api/v4/public/mining-pool"), obj{"data": changed(shown, obj{"workers": 3})})
}

// TestWatcherLinks: made, listed until they end, at most three for a mining account (mining 2, 3 and 5).
func TestWatcherLinks(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	v.opens(v.anna, "rigs")
	v.opens(v.anna, "more")
	v.opens(v.ben, "bens")
	const path = "mining/watcher-links"
	ask := func(more obj) obj {
		return changed(obj{"accounts": arr{"rigs"}, "name": "boss", "permissions": arr{"dashboard"}, "liveUntil": "24h"}, more)
	}
	made := func(id int, until any) obj {
		return obj{"data": obj{"id": id, "link": pattern(fmt.Sprintf(`"https://example\.com/watch/%d-[0-9a-f]{32}"`, id)), "liveUntil": until, "createdAt": at(noon)}}
	}
	answers(t, v.anna.ask(path+"/create", ask(nil)), made(1, at(noon+24*hour)))
	answers(t, v.anna.ask(path+"/create", ask(obj{"accounts": arr{"rigs", "more", "rigs"}, "permissions": arr{"workers", "rewards"}, "liveUntil": "always"})), made(2, nil))
	answers(t, v.anna.ask(path+"/create", ask(obj{"liveUntil": "1h"})), made(3, at(noon+hour)))
	refuses(t, v.anna.ask(path+"/create", ask(obj{"liveUntil": "7d"})), broken("user", "Limit exceeded"))
	for fields, want := range map[*obj]refusal{
		ref(ask(obj{"accounts": arr{"bens"}})):                  broken("user", "Mining pool account 'bens' not found"),
		ref(ask(obj{"accounts": arr{}})):                        broken("accounts", "The accounts must have at least 1 items."),
		ref(ask(obj{"accounts": "rigs"})):                       broken("accounts", "The accounts must be an array."),
		ref(ask(obj{"name": "a b"})):                            broken("name", "The name format is invalid."),
		ref(ask(obj{"permissions": arr{}})):                     broken("permissions", "The permissions must have at least 1 items."),
		ref(ask(obj{"permissions": arr{"rewards", "payouts"}})): broken("permissions.1", "The selected permissions.1 is invalid."),
		ref(ask(obj{"liveUntil": "1d"})):                        broken("liveUntil", "The selected live until is invalid."),
		ref(ask(obj{"liveUntil": nil})):                         broken("liveUntil", "The live until field is required."),
	} {
		refuses(t, v.anna.ask(path+"/create", *fields), want)
	}
	shape := func(id int, accounts, permissions arr, until any) obj {
		return obj{
			"id": id, "accounts": accounts, "name": "boss", "link": pattern(fmt.Sprintf(`"https://example\.com/watch/%d-[0-9a-f]{32}"`, id)),
			"permissions": permissions, "liveUntil": until, "createdAt": at(noon),
		}
	}
	first, second := shape(1, arr{"rigs"}, arr{"dashboard"}, at(noon+24*hour)), shape(2, arr{"rigs", "more"}, arr{"rewards", "workers"}, nil)
	third := shape(3, arr{"rigs"}, arr{"dashboard"}, at(noon+hour))
	answers(t, v.anna.ask(path+"/list", obj{"account": "rigs"}), obj{"data": arr{third, second, first}})
	answers(t, v.anna.ask(path+"/list", obj{"account": "more"}), obj{"data": arr{second}})
	v.clock.advance(hour) // before the core notices it
	answers(t, v.anna.ask(path+"/list", obj{"account": "rigs"}), obj{"data": arr{second, first}})
}

// TestWhatLinksShow: what their permissions say and nothing else, until they end; no link can be guessed.
func TestWhatLinksShow(t *testing.T) {
	t.Parallel()
	v := newPoolVenue(t)
	rigs := v.opens(v.anna, "rigs")
	v.works(rigs, "a", portion, 16, 0)
	v.goes(midnight)
	v.works(rigs, "b", portion, 16, 0)
	v.goes(midnight + schema.WorkBucket)
	link := func(permissions ...any) string {
		t.Helper()
		made := v.anna.must("mining/watcher-links/create", obj{"accounts": arr{"rigs"}, "name": "boss", "permissions": arr(permissions), "liveUntil": "1h"})
		return strings.TrimPrefix(made["data"].(map[string]any)["link"].(string), "https://example.com")
	}
	board, rest := link("dashboard"), link("rewards", "workers")
	page := func(account obj) obj {
		return obj{"name": "boss", "liveUntil": at(midnight + schema.WorkBucket + hour), "accounts": arr{changed(obj{"name": "rigs"}, account)}}
	}
	answers(t, v.Get(board+".json"), page(obj{"dashboard": obj{
		"hashrate": "19089034", "online": 1, "offline": 1, "low": 0,
		"points": arr{obj{"timestamp": at(midnight - 10*hour), "hashrate": "19089034"}, obj{"timestamp": at(midnight), "hashrate": "229068417"}},
	}}))
	answers(t, v.Get(rest+".json"), page(obj{
		"rewards": arr{obj{"date": at(midnight - 24*hour), "reward": "0.375", "rewardCurrency": "BTC", "status": "successful"}},
		"workers": arr{obj{"name": "b", "status": "online", "hashrate": "0.000019089034"}},
	}))
	for path, want := range map[string][]string{board: {"<title>boss</title>", "rigs", "19089034 H/s"}, rest: {"0.375 BTC", "2026-09-21", "<td>b</td>"}} {
		r := v.Get(path)
		for _, part := range want {
			if r.Status != 200 || !strings.Contains(r.Body, part) {
				t.Errorf("%s: %d lacks %s: %s", path, r.Status, part, r.Body)
			}
		}
	}
	if r := v.Get(board); strings.Contains(r.Body, "0.375") || strings.Contains(r.Body, "<td>b</td>") {
		t.Errorf("a dashboard shows %s", r.Body)
	}
	other := strings.Replace(board, "/1-", "/2-", 1)
	for _, path := range []string{other, board + "0", board[:len(board)-1], "/watch/", "/watch/1", "/watch/1-", strings.Replace(board, "/1-", "/01-", 1)} {
		if r := v.Get(path); r.Status != 404 || !strings.Contains(r.Body, "Link not found") {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
		if r := v.Get(path + ".json"); r.Status != 404 || strings.Contains(r.Body, "boss") {
			t.Errorf("%s.json: %d %s", path, r.Status, r.Body)
		}
	}
	v.clock.advance(hour)
	if r := v.Get(board); r.Status != 404 {
		t.Errorf("after its end: %d", r.Status)
	}
}

// TestLinksOfASubAccountEnd while its master has blocked it, or is blocked itself.
func TestLinksOfASubAccountEnd(t *testing.T) {
	v := newPoolVenue(t)
	var master schema.Account
	v.Exchange.API.Read(func(m core.View) { master = *m.Accounts().ByName("anna") })
	sub := schema.AccountID(v.Do(&schema.SetSub{Master: master.ID, Alias: "s1", Spot: true, Email: "s@example.com", Active: true, External: "s1x"}).ID)
	id := schema.MiningID(v.Do(&schema.OpenMining{Account: sub, Name: "subrigs"}).ID)
	link := v.Do(&schema.WatchMining{Account: sub, Name: "boss", Minings: []schema.MiningID{id}, Rights: 7}).ID
	shows := func(what string, want int) {
		t.Helper()
		if got := v.Get(watch.Path(v.Exchange.API.Key(), schema.WatchID(link))).Status; got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	block := func(blocked bool) { v.Do(&schema.BlockSub{Master: master.ID, Sub: sub, Blocked: blocked}) }
	shows("at first", 200)
	block(true)
	shows("blocked by its master", 404)
	block(false)
	shows("let go", 200)
	master.Blocked = true
	v.Do(&schema.SetAccount{Account: master})
	shows("its master blocked by operators", 404)
}
