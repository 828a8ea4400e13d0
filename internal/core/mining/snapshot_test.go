package mining

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/schema"
)

// crowded is an exchange with all that there can be: work of a day and of five minutes, rewards that wait, with and without an address that
// counts, two payments in the queue, one on its way, leases, blocks, and links. It returns at the moment of its last command.
func crowded(t *testing.T) *exchange {
	x := open(t)
	x.quiet = true
	x.do(noon, &schema.OpenMining{Account: carl, Name: "shed"}, schema.OK)
	x.do(noon, &schema.OpenMining{Account: carl, Name: "yard"}, schema.OK)
	x.do(noon, &schema.OpenMining{Account: ben, Name: "loft"}, schema.OK)
	x.do(noon, external(anna, rig, "a"), schema.OK)
	x.do(noon, external(ben, 6, "b"), schema.OK)
	x.do(noon, external(carl, 4, "s"), schema.OK)
	x.brought(noon, rig, 1)
	x.at(noon + day) // rig's reward 1 is on its way, as withdrawal 1
	x.fund("-950.5")
	x.do(noon+day+hour, external(carl, 5, "c"), schema.OK)
	small := func(id schema.MiningID) schema.Shares {
		return schema.Shares{Mining: id, Bits: 0x1c00ffff, Work: 1, Accepted: 1}
	}
	x.do(noon+day+hour, x.shares(row(barn, 1), row(attic, 2), small(6), row(5, 1), small(4)), schema.OK)
	x.at(midnight + 2*day) // barn and attic stand in the queue, loft and shed wait for more, yard for its address
	x.do(noon+2*day, &schema.LeasePool{}, schema.OK)
	x.do(noon+2*day, x.shares(row(rig, 3), small(6), row(barn, 1)), schema.OK)
	x.do(midnight+3*day, x.shares(small(6)), schema.OK) // loft has two that wait
	x.do(midnight+3*day, external(carl, 5, "cc"), schema.OK)
	for i := range 2 {
		x.do(midnight+3*day, &schema.FoundBlock{Lease: 2, Block: schema.PoolBlock{Mining: rig, Worker: "w", Hash: schema.Digest{byte(i)}}}, schema.OK)
	}
	x.do(midnight+3*day, link(anna, "one", 60, rig), schema.OK)
	x.do(midnight+3*day, link(anna, "two", 0, attic, rig), schema.OK)
	x.do(midnight+3*day, link(ben, "three", 60, barn), schema.OK)
	x.quiet = false
	return x
}

func TestSectionsComeBack(t *testing.T) {
	x := crowded(t)
	x.verify()
	if n, sum := x.Pending(); n != 7 || sum != d("248.08007814") {
		t.Errorf("%d of %s are pending", n, sum)
	}
	sizes := func(p *Pool) [8]int {
		queue, days, bins := 0, 0, 0
		for place := p.queue.First; place != 0; place = p.payments.At(place).After {
			queue++
		}
		for place := p.days.First; place != 0; place = p.works.At(place).After {
			days++
		}
		for place := p.bins.First; place != 0; place = p.buckets.At(place).After {
			bins++
		}
		return [8]int{queue, len(p.leavingAt), len(p.payments.At(p.at(6).waits).rewards), days, bins, len(p.watchAt), len(p.leases), len(p.blocks)}
	}
	if h := x.Health(); h != (Health{midnight + 2*day, d(part), midnight + 2*day, 0}) {
		t.Errorf("%+v", h)
	}
	if got := sizes(x.Pool); got != [8]int{2, 1, 2, 3, 3, 3, 2, 2} {
		t.Errorf("%v", got)
	}
	back := x.restarted()
	if back.Health() != x.Health() || back.Luck(barn) != x.Luck(barn) || back.Luck(rig) != (Luck{1_000_000, 2}) {
		t.Errorf("%+v %+v %+v", back.Health(), back.Luck(barn), back.Luck(rig))
	}
	if sizes(back) != sizes(x.Pool) || !back.at(5).due || back.at(6).due {
		t.Errorf("%v", sizes(back))
	}
	if n, sum := back.Pending(); n != 7 || sum != d("248.08007814") {
		t.Errorf("%d of %s are pending", n, sum)
	}
}

// bad is a pool that is not as its commands left it, and what finds that.
type bad struct {
	want  string
	spoil func(x *exchange)
}

func first[T any](s interface{ At(uint32) *T }, l *slab.List) *T { return s.At(l.First) }

// TestSectionsRefuse what no command could have left.
func TestSectionsRefuse(t *testing.T) {
	queued := func(x *exchange) *payment { return first[payment](&x.payments, &x.queue) }
	leaving := func(x *exchange) *payment { return first[payment](&x.payments, &x.leaving) }
	waiting := func(x *exchange) *payment { return x.payments.At(x.Pool.at(6).waits) }
	reward := func(x *exchange) *schema.Reward { return &queued(x).rewards[0] }
	aWork := func(x *exchange) *work { return first[work](&x.works, &x.days) }
	aBucket := func(x *exchange) *bucket { return first[bucket](&x.buckets, &x.bins) }
	aWatch := func(x *exchange) *watch { return first[watch](&x.watches, &x.links) }
	for i, tt := range []bad{
		{"they cannot be as they are", func(x *exchange) { x.terms.Asset = 9 }},
		{"they cannot be as they are", func(x *exchange) { x.terms.Chain = 9 }},
		{"they cannot be as they are", func(x *exchange) { x.terms.Unit = 33 }},
		{"they cannot be as they are", func(x *exchange) { x.terms.Fee = d("1") }},
		{"they cannot be as they are", func(x *exchange) { x.terms.Least = d("0.000000001") }},
		{"they cannot be as they are", func(x *exchange) { x.terms.Accounts = 0 }},
		{"they cannot be as they are", func(x *exchange) { x.terms.Links = 101 }},
		{"a block cannot be worth that", func(x *exchange) { x.rate = d("-1") }},
		{"a block cannot be worth that", func(x *exchange) { x.rate = d("0.000000001") }},
		{"a block cannot be worth that", func(x *exchange) { x.rate = d("1000001") }},
		{"work cannot have been counted", func(x *exchange) { x.rate = d("0") }},
		{"work cannot have been counted", func(x *exchange) { x.used = false }},

		{"mining account 2: it stands in the wrong place", func(x *exchange) { x.Pool.at(1).ID = 2 }},
		{"its name is that of another", func(x *exchange) { x.Pool.at(2).Name = "rig" }},
		{"its account cannot be", func(x *exchange) { x.Pool.at(1).Account = 9 }},
		{"its name or its referral cannot be", func(x *exchange) { x.Pool.at(1).Name = "a b" }},
		{"its name or its referral cannot be", func(x *exchange) { x.Pool.at(1).Referral = strings.Repeat("r", 51) }},
		{"mining account 3: its time cannot be", func(x *exchange) { x.Pool.at(2).Created++ }},
		{"its time cannot be", func(x *exchange) { x.Pool.at(1).Created = -1 }},
		{"its time cannot be", func(x *exchange) { x.Pool.at(6).Created = x.clock + 1 }},
		{"its address cannot be", func(x *exchange) { x.Pool.at(1).Address = "" }},
		{"its address cannot be", func(x *exchange) { x.Pool.at(1).Address = strings.Repeat("a", 129) }},
		{"its address cannot be", func(x *exchange) { x.Pool.at(1).Since-- }},
		{"its address cannot be", func(x *exchange) { x.Pool.at(1).Since = x.clock + day + 1 }},
		{"it is not paid to its address", func(x *exchange) { x.Pool.at(2).Address = "a" }},
		{"it is not paid to its address", func(x *exchange) { x.Pool.at(2).Index = 1 }},
		{"it is not paid to its address", func(x *exchange) { x.Pool.at(2).Since = 1 }},

		{"mining account 9: it stands in the wrong place", func(x *exchange) { aWork(x).mining = 9 }},
		{"mining account 6: it stands in the wrong place", func(x *exchange) { aWork(x).mining = 6 }},
		{"mining account 2: it stands in the wrong place", func(x *exchange) { aWork(x).day += day }},
		{"its day cannot be", func(x *exchange) { aWork(x).day++ }},
		{"its day cannot be", func(x *exchange) { aWork(x).day = midnight - day }},
		{"its day cannot be", func(x *exchange) { x.works.At(x.days.Last).day += day }},
		{"its work cannot be", func(x *exchange) { aWork(x).work = 0 }},
		{"its work cannot be", func(x *exchange) { aWork(x).sum.SetUint64(2) }},
		{"its work cannot be", func(x *exchange) { aWork(x).sum.Set(x.tooMuch()) }},
		{"its work cannot be", func(x *exchange) { aWork(x).sum.Lsh(big.NewInt(1), 400) }},

		{"mining account 0: it stands in the wrong place", func(x *exchange) { aBucket(x).mining = 0 }},
		{"mining account 2: it stands in the wrong place", func(x *exchange) { aBucket(x).mining = 2 }},
		{"its time cannot be", func(x *exchange) { aBucket(x).time++ }},
		{"its time cannot be", func(x *exchange) { aBucket(x).time = noon - schema.WorkBucket }},
		{"its time cannot be", func(x *exchange) { x.buckets.At(x.bins.Last).time += day }},
		{"mining account 2: it stands in the wrong place", func(x *exchange) { aBucket(x).time = midnight + 3*day }},

		{"a payment of 0 rewards", func(x *exchange) { queued(x).rewards = nil }},
		{"a payment of 101 rewards", func(x *exchange) { queued(x).rewards = make([]schema.Reward, 101) }},
		{"its number, its mining account or its asset", func(x *exchange) { reward(x).ID = 0 }},
		{"its number, its mining account or its asset", func(x *exchange) { reward(x).ID = 99 }},
		{"its number, its mining account or its asset", func(x *exchange) { x.lastReward = 6 }},
		{"its number, its mining account or its asset", func(x *exchange) { reward(x).Mining = 9 }},
		{"its number, its mining account or its asset", func(x *exchange) { reward(x).Mining = 1 }},
		{"its number, its mining account or its asset", func(x *exchange) { reward(x).Account = carl }},
		{"its number, its mining account or its asset", func(x *exchange) { reward(x).Asset = toy }},
		{"its number, its mining account or its asset", func(x *exchange) { reward(x).Unit = 1 }},
		{"its day cannot be", func(x *exchange) { reward(x).Day++ }},
		{"its day cannot be", func(x *exchange) { reward(x).Day = midnight - day }},
		{"its day cannot be", func(x *exchange) { reward(x).Day = midnight + 3*day }},
		{"its work or its rate cannot be", func(x *exchange) { reward(x).Work = 0 }},
		{"its work or its rate cannot be", func(x *exchange) { reward(x).Rate = d("0") }},
		{"its work or its rate cannot be", func(x *exchange) { reward(x).Rate = d("0.000000001") }},
		{"its sums cannot be", func(x *exchange) { reward(x).Total = d("0") }},
		{"its sums cannot be", func(x *exchange) { reward(x).Total = d("1000000.1") }},
		{"its sums cannot be", func(x *exchange) { reward(x).Fee = d("-1") }},
		{"its sums cannot be", func(x *exchange) { reward(x).Fee = reward(x).Total }},
		{"its sums cannot be", func(x *exchange) { reward(x).Amount = d("1") }},
		{"its sums are too precise", func(x *exchange) { r := reward(x); r.Fee, r.Amount = d("0.000000001"), r.Total.Sub(d("0.000000001")) }},
		{"its sums are too precise", func(x *exchange) {
			r := reward(x)
			r.Total, r.Fee, r.Amount = d("50.000000001"), d("0.5"), d("49.500000001")
		}},
		{"it cannot be pending", func(x *exchange) { reward(x).Status = schema.RewardSuccessful }},
		{"it cannot be pending", func(x *exchange) { reward(x).Status = 0 }},
		{"it cannot be pending", func(x *exchange) { reward(x).Tx = "t" }},
		{"it cannot be pending", func(x *exchange) { reward(x).Paid = 1 }},
		{"it cannot be pending", func(x *exchange) { reward(x).Address = "a" }},
		{"it cannot be pending", func(x *exchange) { leaving(x).rewards[0].Address = "" }},
		{"it has a withdrawal", func(x *exchange) { r := reward(x); r.Withdrawal, r.Address = 1, "a" }},
		{"it stands in the wrong place", func(x *exchange) { r := &leaving(x).rewards[0]; r.Withdrawal, r.Address = 0, "" }},
		{"its withdrawal cannot be", func(x *exchange) { leaving(x).rewards[0].Withdrawal = 2 }},
		{"its withdrawal cannot be", func(x *exchange) { leaving(x).rewards[0].Address = "b" }},
		{"its withdrawal cannot be", func(x *exchange) { leaving(x).rewards[0].ID = 2 }},
		{"its withdrawal cannot be", func(x *exchange) {
			r := &leaving(x).rewards[0]
			r.Fee, r.Amount = r.Fee.Add(d("1")), r.Amount.Sub(d("1"))
		}},
		{"its withdrawal cannot be", func(x *exchange) {
			r := &leaving(x).rewards[0]
			r.Mining, r.Account = barn, ben
		}},
		{"it cannot be of so many rewards", func(x *exchange) { leaving(x).waited = false }},
		{"it cannot be of so many rewards", func(x *exchange) { y := queued(x); y.rewards = append(y.rewards, y.rewards[0]) }},
		{"its rewards do not belong together", func(x *exchange) { waiting(x).rewards[1].Mining = barn }},
		{"it stands in the wrong place", func(x *exchange) { waiting(x).waited = false }},
		{"it stands in the wrong place", func(x *exchange) { a := x.Pool.at(6); a.External, a.Address, a.Since = false, "", 0 }},
		{"it stands in the wrong place", func(x *exchange) {
			y := waiting(x)
			y.rewards = append(y.rewards, make([]schema.Reward, 98)...)
			for i := range y.rewards {
				y.rewards[i] = y.rewards[0]
			}
		}},
		{"it stands in the wrong place", func(x *exchange) { x.Pool.at(4).waits, x.Pool.at(6).waits = x.Pool.at(6).waits, x.Pool.at(4).waits }},

		{"lease 1: it stands in the wrong place", func(x *exchange) { x.leases[1].id = 1 }},
		{"lease 3: it stands in the wrong place", func(x *exchange) { x.leases[1].id = 3 }},
		{"lease 0: it stands in the wrong place", func(x *exchange) { x.leases[0].id = 0 }},
		{"some leases are missing", func(x *exchange) { x.leases = x.leases[1:] }},

		{"it stands in the wrong place", func(x *exchange) { x.blocks[1].Hash = x.blocks[0].Hash }},
		{"it stands in the wrong place", func(x *exchange) { x.blocks[1].Time-- }},
		{"its mining account, its worker or its time cannot be", func(x *exchange) { x.blocks[1].Mining = 9 }},
		{"its mining account, its worker or its time cannot be", func(x *exchange) { x.blocks[1].Worker = "" }},
		{"its mining account, its worker or its time cannot be", func(x *exchange) { x.blocks[1].Time++ }},
		{"its mining account, its worker or its time cannot be", func(x *exchange) { x.blocks[0].Time = noon - 1 }},
		{"its mining account, its worker or its time cannot be", func(x *exchange) { x.leases = nil }},

		{"link 0: it stands in the wrong place", func(x *exchange) { aWatch(x).ID = 0 }},
		{"link 2: it stands in the wrong place", func(x *exchange) { aWatch(x).ID = 2 }},
		{"link 3: it stands in the wrong place", func(x *exchange) { x.lastWatch = 2 }},
		{"link 2: it stands in the wrong place", func(x *exchange) { x.watches.At(x.watchAt[2]).Created-- }},
		{"it cannot be as it is", func(x *exchange) { aWatch(x).Name = "" }},
		{"it cannot be as it is", func(x *exchange) { aWatch(x).Account = ben }},
		{"it cannot be as it is", func(x *exchange) { aWatch(x).Account = 9 }},
		{"it cannot be as it is", func(x *exchange) { aWatch(x).Minings = nil }},
		{"it cannot be as it is", func(x *exchange) { aWatch(x).Minings = []schema.MiningID{rig, rig} }},
		{"it cannot be as it is", func(x *exchange) { aWatch(x).Minings = []schema.MiningID{barn} }},
		{"it cannot be as it is", func(x *exchange) { aWatch(x).Rights = 8 }},
		{"its times cannot be", func(x *exchange) { x.watches.At(x.links.Last).Created++ }},
		{"link 1: it stands in the wrong place", func(x *exchange) { aWatch(x).Created = -1 }},
		{"its times cannot be", func(x *exchange) { aWatch(x).Until++ }},
		{"its times cannot be", func(x *exchange) { aWatch(x).Until = aWatch(x).Created }},
		{"its times cannot be", func(x *exchange) { aWatch(x).Until += 604_800 * schema.Second }},
		{"one of its mining accounts is newer", func(x *exchange) { aWatch(x).Created, aWatch(x).Until = noon-1, 0 }},

		{"a day cannot have cost that", func(x *exchange) { x.health.Worth = d("-1") }},
		{"a day cannot have cost that", func(x *exchange) { x.health.Worth = d("6000000.1") }},
		{"a day cannot have cost that", func(x *exchange) { x.health.Worth = d("0.000000001") }},
		{"no day can have been closed then", func(x *exchange) { x.health.Day++ }},
		{"no day can have been closed then", func(x *exchange) { x.health.Day = -day }},
		{"no day can have been closed then", func(x *exchange) { x.health.Day += day }},
		{"the fund cannot have become too small then", func(x *exchange) { x.health.Short = -1 }},
		{"the fund cannot have become too small then", func(x *exchange) { x.health.Short = x.tick + 1 }},
	} {
		x := crowded(t)
		tt.spoil(x)
		back := x.wired(New(x.ledger, x.listing, x.accounts, x.wallets, x.chains, x.out))
		err := (&product.Reader{Rest: written(x.Pool)}).Sections(back.Sections())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("case %d: %v, want %q", i, err, tt.want)
		}
	}
}

// TestNothingWithoutTerms: a snapshot without them has nothing that needs them.
func TestNothingWithoutTerms(t *testing.T) {
	x := crowded(t)
	x.terms.Asset = 0
	back := x.wired(New(x.ledger, x.listing, x.accounts, x.wallets, x.chains, x.out))
	err := (&product.Reader{Rest: written(x.Pool)}).Sections(back.Sections())
	if err == nil || !strings.Contains(err.Error(), "mining accounts: mining account 1: it stands in the wrong place") {
		t.Error(err)
	}
}

// TestVerifyFinds what is wrong though each part looks right.
func TestVerifyFinds(t *testing.T) {
	for i, tt := range []bad{
		{"there are no terms, and something that needs them", func(x *exchange) { x.terms = schema.PoolTerms{} }},
		{"terms: a block cannot be worth that", func(x *exchange) { x.rate = d("-1") }},
		{"its name or its referral cannot be", func(x *exchange) { x.Pool.at(1).Name = "" }},
		{"is not found by its name or by its account", func(x *exchange) { x.names["rig"] = barn }},
		{"is not found by its name or by its account", func(x *exchange) { x.Pool.at(3).before = 2 }},
		{"is not found by its name or by its account", func(x *exchange) { x.Pool.at(3).nth = 1 }},
		{"is not found by its name or by its account", func(x *exchange) { x.Pool.at(3).trial = 1 }},
		{"has nothing to wait for or is not found", func(x *exchange) { x.Pool.at(5).due = false }},
		{"has nothing to wait for or is not found", func(x *exchange) { x.isDue(x.Pool.at(1)) }},
		{"has nothing to wait for or is not found", func(x *exchange) { x.Pool.at(4).due = true }},
		{"finds mining account", func(x *exchange) { x.newest[anna] = rig }},
		{"6 mining accounts, 7 names", func(x *exchange) { x.names["none"] = rig }},
		{"1 more that wait", func(x *exchange) { x.dues.order.Put(&x.dues.nodes, due{1, 1}, 1) }},
		{"work of mining account 1 is not found", func(x *exchange) { x.Pool.at(1).day = 0 }},
		{"its work cannot be", func(x *exchange) { x.works.At(x.days.First).work = 0 }},
		{"five minutes of mining account 1 are not found", func(x *exchange) { x.Pool.at(1).bucket = 0 }},
		{"its time cannot be", func(x *exchange) { x.buckets.At(x.bins.First).time++ }},
		{"-1 days and -1 five minutes", func(x *exchange) { x.Pool.at(4).day, x.Pool.at(4).bucket = x.days.First, x.bins.First }},
		{"there is a payment of no rewards", func(x *exchange) { x.payments.At(x.queue.First).rewards = nil }},
		{"it has a withdrawal", func(x *exchange) { x.payments.At(x.queue.First).rewards[0].Withdrawal = 1 }},
		{"is not found by its withdrawal", func(x *exchange) { x.leavingAt[1] = x.queue.First }},
		{"its work or its rate cannot be", func(x *exchange) { x.payments.At(x.queue.First).rewards[0].Work = 0 }},
		{"reward 2 stands in the wrong place, or twice", func(x *exchange) { x.payments.At(x.queue.Last).rewards[0].ID = 2 }},
		{"stands in the wrong place, or twice", func(x *exchange) { r := x.payments.At(x.Pool.at(6).waits).rewards; r[0], r[1] = r[1], r[0] }},
		{"stands in the wrong place, or twice", func(x *exchange) { r := x.payments.At(x.Pool.at(6).waits).rewards; r[1].Day = r[0].Day }},
		{"and its rewards of", func(x *exchange) { y := x.payments.At(x.queue.First); y.sum = y.sum.Add(d("1")) }},
		{"waits what cannot", func(x *exchange) { x.Pool.at(4).waits, x.Pool.at(6).waits = x.Pool.at(6).waits, x.Pool.at(4).waits }},
		{"waits what cannot", func(x *exchange) { x.payments.At(x.Pool.at(4).waits).waited = false }},
		{"a day of mining account 2 was closed", func(x *exchange) { x.payments.At(x.queue.First).rewards[0].Day += day }},
		{"and 8 of 248.08007814 counted", func(x *exchange) { x.pending++ }},
		{"and 2 are found", func(x *exchange) { x.leavingAt[7] = 1 }},
		{"link 1 is not found", func(x *exchange) { delete(x.watchAt, 1) }},
		{"it cannot be as it is", func(x *exchange) { x.watches.At(x.watchAt[1]).Name = "" }},
		{"is not found by its end", func(x *exchange) { x.watches.At(x.watchAt[1]).Until += schema.Second }},
		{"mining account 1 is seen by [1 2], and finds [1]", func(x *exchange) { x.Pool.at(1).links = x.Pool.at(1).links[:1] }},
		{"and 4 are found", func(x *exchange) { x.watchAt[9] = 1 }},
		{"1 more end", func(x *exchange) { x.ends.order.Put(&x.ends.nodes, end{5, 5}, 1) }},
		{"its mining account, its worker or its time cannot be", func(x *exchange) { x.blocks[0].Worker = "" }},
		{"some leases are missing", func(x *exchange) { x.leases = x.leases[1:] }},
		{"the pool has 0 of asset 1 and 0 frozen in trade", func(x *exchange) { x.ledger.Open(schema.Pool, schema.Trade, coin) }},
		{"the pool has -950.5", func(x *exchange) { x.fund("-950.5") }},
		{"a day was closed that cost nothing", func(x *exchange) { x.health.Worth = d("0") }},
		{"mining account 1 found 1 blocks, and 2 are kept", func(x *exchange) { x.Pool.at(1).luck.Found = 1 }},
		{"0 mining accounts are unlucky, and 1 counted", func(x *exchange) { x.health.Unlucky++ }},
		{"of asset 1 and 1 frozen", func(x *exchange) { x.fund("1"); x.ledger.Freeze(x.house(), d("1"), ledgerNote) }},
	} {
		x := crowded(t)
		tt.spoil(x)
		if err := x.Verify(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("case %d: %v, want %q", i, err, tt.want)
		}
	}
}

// TestSectionsRefuseTooMuch: bounds that nothing passes, and work that nobody counted.
func TestSectionsRefuseTooMuch(t *testing.T) {
	for i, tt := range []bad{
		{"mining account 1004: its account has too many", func(x *exchange) {
			for i := range 1001 {
				x.add(schema.MiningAccount{Account: carl, Name: fmt.Sprint("m", i), Created: noon})
			}
		}},
		{"link 101: one of its mining accounts has too many", func(x *exchange) {
			for id := schema.WatchID(1); id <= 101; id++ {
				x.addWatch(schema.Watch{ID: id, Account: ben, Name: "n", Minings: []schema.MiningID{barn}, Rights: 1, Created: noon})
			}
			x.lastWatch = 101
		}},
		{"mining account 1: its work cannot be", func(x *exchange) { x.buckets.At(x.bins.First).work = 1 }},
		{"mining account 1: its work cannot be", func(x *exchange) { x.rate = d("0"); x.leases[0].seq = 0 }},
		{"lease 1: it stands in the wrong place", func(x *exchange) { x.rate = d("0"); x.endBucket(x.bins.First) }},
		{"mining account 1: it stands in the wrong place", func(x *exchange) { x.addWork(rig, noon) }},
		{"work cannot have been counted", func(x *exchange) { x.lastReward = 1 }},
		{"mining account 1: it can neither have found", func(x *exchange) { x.Pool.at(1).luck.Expected = 1 }},
		{"no day can have been closed then", func(x *exchange) { x.health.Worth = d("1") }},
	} {
		x := open(t)
		x.do(noon, x.shares(schema.Shares{Mining: rig, Bits: one, Rejected: 1}), schema.OK)
		tt.spoil(x)
		back := x.wired(New(x.ledger, x.listing, x.accounts, x.wallets, x.chains, x.out))
		err := (&product.Reader{Rest: written(x.Pool)}).Sections(back.Sections())
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("case %d: %v, want %q", i, err, tt.want)
		}
	}
}

// TestTermsStandOnce in a snapshot.
func TestTermsStandOnce(t *testing.T) {
	x := open(t)
	twice := x.Sections()[0]
	twice.Write = func(w *product.Writer) {
		x.writeTerms(w)
		x.writeTerms(w)
	}
	w := &product.Writer{}
	w.Section(&twice)
	back := x.wired(New(x.ledger, x.listing, x.accounts, x.wallets, x.chains, x.out))
	if err := (&product.Reader{Rest: w.Bytes}).Sections(back.Sections()); err == nil || !strings.Contains(err.Error(), "terms of the mining pool: it stands in the wrong place") {
		t.Error(err)
	}
}
