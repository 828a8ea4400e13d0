package webhook

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/core/accounts"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	anna  = schema.FirstCustomer
	sand  = schema.ChainID(1)
	aDay  = 24 * 3600 * schema.Second
	start = schema.Time(1_800_000_000) * schema.Second
)

// site is webhooks with chains that a test moves.
type site struct {
	*Webhooks
	t        *testing.T
	out      schema.Outcome
	handlers product.Handlers
	height   uint64
	deposits map[schema.DepositID]schema.ChainDeposit
}

func (s *site) Deposit(id schema.DepositID) (schema.ChainDeposit, bool) {
	d, known := s.deposits[id]
	return d, known
}

func (s *site) Cursor(schema.ChainID) (uint64, schema.Digest) { return s.height, schema.Digest{} }

func found(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, deposits: map[schema.DepositID]schema.ChainDeposit{}, height: 1}
	l, a := listing.New(), accounts.New()
	l.Out, a.Out = &s.out, &s.out
	s.Webhooks = New(l, a, s, &s.out)
	for _, p := range []product.Product{l, a, s.Webhooks} {
		p.Commands(&s.handlers)
	}
	l.Chains = func(*schema.Asset) schema.Rejection { return schema.Rejection{} }
	s.out.Reset(start)
	s.must(&schema.SetAsset{Asset: schema.Asset{
		Ticker: "BTC", Name: "Bitcoin", Scale: 8, Precision: 8, Class: schema.Crypto,
		Networks: []schema.Network{{Name: "BTC", Chain: sand, Confirmations: 3, ConfirmationsForTrading: 1}},
	}})
	for i := range 3 {
		s.must(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", i), Region: schema.Global}})
	}
	return s
}

func (s *site) do(c schema.Command) schema.Rejection {
	s.t.Helper()
	s.out.Reset(s.out.Time)
	r := s.handlers[c.Kind()](c)
	if !r.Refused() {
		s.Follow()
	}
	if err := s.Verify(); err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *site) must(c schema.Command) {
	s.t.Helper()
	if r := s.do(c); r.Refused() {
		s.t.Fatalf("%T: %s", c, r.Text())
	}
}

func (s *site) refuses(why schema.Reason, c schema.Command) {
	s.t.Helper()
	if r := s.do(c); r.Reason != why || s.out.Events.Len() != 0 {
		s.t.Errorf("%T %+v: %s instead of %s", c, c, r.Reason, why)
	}
}

// hooked gives an account an active webhook.
func (s *site) hooked(account schema.AccountID) {
	s.must(&schema.SetWebhook{Account: account, URL: "https://one.example/a", Events: schema.AllWebhookEvents, On: true, Key: "key", Sealed: []byte("s")})
	s.must(&schema.VerifyWebhook{Account: account, Host: "one.example", Key: "key"})
}

// said are the events that were announced since the last command.
func (s *site) said() (list []string) {
	for e := range s.out.Events.All() {
		if n, is := e.(*schema.Notified); is {
			list = append(list, fmt.Sprintf("%d %s %d/%d", n.N, n.Type, n.Actual, n.Required))
		}
	}
	s.out.Reset(s.out.Time)
	return list
}

func (s *site) says(want ...string) {
	s.t.Helper()
	if got := s.said(); !slices.Equal(got, want) {
		s.t.Errorf("announced %q, want %q", got, want)
	}
}

func TestAWebhookIsActiveWhenItsHostIsVerifiedAndItIsOn(t *testing.T) {
	s := found(t)
	active := func(want bool) {
		t.Helper()
		if w, _ := s.Get(anna); w.Active() != want {
			t.Errorf("it is active: %t, and should be: %t", w.Active(), want)
		}
	}
	set := schema.SetWebhook{Account: anna, URL: "https://one.example/a", Events: schema.AllWebhookEvents, On: true, Key: "key", Sealed: []byte("s")}
	s.must(&set)
	active(false)
	verify := schema.VerifyWebhook{Account: anna, Host: "one.example", Key: "key"}
	s.must(&verify)
	active(true)
	keep := set
	keep.Key, keep.Sealed, keep.URL = "", nil, "https://one.example/b?c"
	s.must(&keep) // another path
	active(true)
	keep.On = false
	s.must(&keep)
	active(false)
	keep.On, keep.URL = true, "https://two.example/b"
	s.must(&keep) // another host
	active(false)
	s.refuses(schema.WebhookOther, &verify)
	s.must(&schema.VerifyWebhook{Account: anna, Host: "two.example", Key: "key"})
	active(true)
	set.URL, set.Key = "https://two.example/b", "key2"
	s.must(&set) // another key
	active(false)
	s.refuses(schema.WebhookOther, &schema.VerifyWebhook{Account: anna, Host: "two.example", Key: "key"})
	if w, _ := s.Get(anna); w.Key != "key2" || string(w.Sealed) != "s" {
		t.Errorf("%+v", w)
	}
}

func TestWebhooksThatCannotBe(t *testing.T) {
	s := found(t)
	good := schema.SetWebhook{Account: anna, URL: "https://one.example", Events: schema.AllWebhookEvents, On: true, Key: "key", Sealed: []byte("s")}
	for _, spoil := range []func(*schema.SetWebhook){
		func(c *schema.SetWebhook) { c.URL = "" },
		func(c *schema.SetWebhook) { c.URL = "ftp://one.example" },
		func(c *schema.SetWebhook) { c.URL = "https:///a" },
		func(c *schema.SetWebhook) { c.URL = "https://?a" },
		func(c *schema.SetWebhook) { c.URL = "https://u@one.example" },
		func(c *schema.SetWebhook) { c.URL = "https://one.example/#a" },
		func(c *schema.SetWebhook) { c.URL = "https://one.example/\n" },
		func(c *schema.SetWebhook) { c.URL = "https://one.example/" + strings.Repeat("a", schema.MaxWebhookURL) },
		func(c *schema.SetWebhook) { c.Events = 1 },
		func(c *schema.SetWebhook) { c.Events = 1 << 15 },
		func(c *schema.SetWebhook) { c.Key = "" },
		func(c *schema.SetWebhook) { c.Key = "a b" },
		func(c *schema.SetWebhook) { c.Sealed = nil },
		func(c *schema.SetWebhook) { c.Sealed = make([]byte, schema.MaxSealedWebhook+1) },
	} {
		c := good
		spoil(&c)
		s.refuses(schema.WebhookInvalid, &c)
	}
	other := good
	other.Account = 999
	s.refuses(schema.AccountUnknown, &other)
	for _, c := range []schema.Command{
		&schema.SetWebhook{Account: anna, Delete: true}, &schema.VerifyWebhook{Account: anna}, &schema.PauseWebhook{Account: anna}, &schema.ResendWebhook{Account: anna, N: 1},
	} {
		s.refuses(schema.WebhookUnknown, c)
	}
	s.must(&good)
	s.refuses(schema.WebhookInvalid, &schema.SetWebhook{Account: anna, Delete: true, On: true})
	s.refuses(schema.WebhookEventUnknown, &schema.ResendWebhook{Account: anna, N: 1})
	s.refuses(schema.WebhookEventUnknown, &schema.ResendWebhook{Account: anna})
}

func TestThreeFailedDaysTakeAHostBack(t *testing.T) {
	s := found(t)
	s.hooked(anna)
	fail := &schema.VerifyWebhook{Account: anna, Host: "one.example", Key: "key", Failed: true}
	s.refuses(schema.WebhookOther, fail) // it was looked at just now
	for day := range schema.Time(3) {
		if w, _ := s.Get(anna); !w.Active() || int(w.Failures) != int(day) {
			t.Errorf("on day %d: %+v", day, w)
		}
		s.out.Time += aDay - 1
		s.refuses(schema.WebhookOther, fail)
		s.out.Time++
		s.must(fail)
	}
	if w, _ := s.Get(anna); w.Active() || w.Verified != "" || w.Failures != 0 {
		t.Errorf("%+v", w)
	}
	s.refuses(schema.WebhookOther, fail)
	s.hooked(anna)
	s.out.Time += aDay
	s.must(fail)
	s.must(&schema.VerifyWebhook{Account: anna, Host: "one.example", Key: "key"})
	if w, _ := s.Get(anna); w.Failures != 0 {
		t.Error("a day that went well does not take the others back")
	}
}

// TestWhatIsSaidOfWithdrawals: every status that is not named says nothing.
func TestWhatIsSaidOfWithdrawals(t *testing.T) {
	s := found(t)
	s.hooked(anna)
	all := []schema.WithdrawalStatus{
		schema.WithdrawalReview, schema.WithdrawalFrozen, schema.WithdrawalQueued, schema.WithdrawalSent, schema.WithdrawalMined, schema.WithdrawalDone,
		schema.WithdrawalCanceled, schema.WithdrawalPlanned, schema.WithdrawalPartial,
	}
	says := map[schema.WithdrawalStatus]string{
		schema.WithdrawalDone: "withdraw.successful", schema.WithdrawalCanceled: "withdraw.canceled", schema.WithdrawalPartial: "withdraw.partial_successful",
	}
	n := 0
	for _, refund := range []schema.DepositID{0, 5} {
		for _, status := range all {
			for _, was := range append([]schema.WithdrawalStatus{0}, all...) {
				s.out.Reset(start)
				s.Withdrew(&schema.Withdrawal{Account: anna, Asset: 1, Chain: sand, Amount: fixed.One, Status: status, Refund: refund}, was)
				var want []string
				say := func(event string) {
					n++
					want = append(want, fmt.Sprintf("%d %s 0/0", n, event))
				}
				givenUp := status == schema.WithdrawalReview && (was == schema.WithdrawalPlanned || was == schema.WithdrawalSent)
				switch {
				case refund != 0 && status == schema.WithdrawalDone:
					say("refund.successful")
				case refund != 0 && (status == schema.WithdrawalCanceled || givenUp):
					say("refund.failed")
				case refund != 0:
				case was == 0:
					say("withdraw.unconfirmed")
					say("withdraw.pending")
				case says[status] != "":
					say(says[status])
				}
				s.says(want...)
			}
		}
	}
}

// arrives lets a deposit come.
func (s *site) arrives(id schema.DepositID, account schema.AccountID) {
	d := schema.ChainDeposit{ID: id, Account: account, Chain: sand, Asset: 1, Amount: fixed.One, Status: schema.DepositConfirming, Height: s.height}
	s.deposits[id] = d
	s.Deposited(&d, 0)
}

func (s *site) becomes(id schema.DepositID, status schema.DepositStatus) {
	d := s.deposits[id]
	was := d.Status
	d.Status = status
	s.deposits[id] = d
	s.Deposited(&d, was)
}

// moves lets the chain stand at a height.
func (s *site) moves(height uint64) {
	s.height = height
	s.Moved()
	s.Follow()
	if err := s.Verify(); err != nil {
		s.t.Fatal(err)
	}
}

func TestConfirmationsAreAnnouncedWhenTheyChange(t *testing.T) {
	s := found(t)
	s.hooked(anna)
	s.out.Reset(start)
	s.arrives(1, anna)
	s.says("1 deposit.accepted 1/3")
	s.moves(1)
	s.says()
	s.moves(2)
	s.says("2 deposit.updated 2/3")
	s.becomes(1, schema.DepositHeld)
	s.says()
	s.moves(1)
	s.says("3 deposit.updated 1/3")
	s.moves(3)
	s.becomes(1, schema.DepositCredited)
	s.says("4 deposit.updated 3/3", "5 deposit.processed 3/3")
	s.moves(4)
	s.says()
	for id, status := range []schema.DepositStatus{schema.DepositUncredited, schema.DepositFrozen, schema.DepositTravel, schema.DepositReview} {
		s.arrives(schema.DepositID(10+id), anna)
		s.said()
		s.becomes(schema.DepositID(10+id), status)
		s.moves(s.height + 1)
		s.says()
	}
	s.arrives(20, anna)
	s.becomes(20, schema.DepositLost)
	s.says("10 deposit.accepted 1/3", "11 deposit.canceled 0/0")
	s.arrives(21, anna+1) // who has no webhook
	s.moves(s.height + 1)
	s.says()
}

// TestManyConfirmationsAreAnnouncedInSlices: a command looks at some, ticks at the others, and a snapshot in between changes nothing.
func TestManyConfirmationsAreAnnouncedInSlices(t *testing.T) {
	s := found(t)
	s.hooked(anna)
	s.Steps = 3
	for id := range schema.DepositID(8) {
		s.arrives(id+1, anna)
	}
	s.said()
	s.moves(2)
	if got := s.said(); len(got) != 3 {
		t.Errorf("a command announced %q", got)
	}
	if at, due := s.NextTimer(); !due || at != start {
		t.Errorf("the timer is at %d: %t", at, due)
	}
	again := found(t)
	again.deposits, again.height, again.Steps = s.deposits, s.height, 3
	restore(t, again, snapshot(s))
	for _, x := range []*site{s, again} {
		x.Tick()
		if got := x.said(); len(got) != 3 || got[0] != "12 deposit.updated 2/3" {
			t.Errorf("a tick announced %q", got)
		}
		x.becomes(7, schema.DepositCredited)
		x.Tick()
		if got := x.said(); len(got) != 2 || got[0] != "15 deposit.processed 2/3" || got[1] != "16 deposit.updated 2/3" {
			t.Errorf("the last tick announced %q", got)
		}
		if _, due := x.NextTimer(); due {
			t.Error("something is left over")
		}
		if err := x.Verify(); err != nil {
			t.Error(err)
		}
	}
	if string(snapshot(s)) != string(snapshot(again)) {
		t.Error("the restored one is another")
	}
	for id := range schema.DepositID(2 * mostCounted) {
		s.arrives(100+id, anna)
	}
	if n := s.counts.of[anna]; n != mostCounted {
		t.Errorf("%d are looked after", n)
	}
}

func TestClaims(t *testing.T) {
	s := found(t)
	seen := func(n uint32, epoch, beat uint64) schema.ShardSeen {
		return schema.ShardSeen{Number: n, Epoch: epoch, Beat: beat}
	}
	claim := func(owner uint64, list ...schema.ShardSeen) *schema.ClaimShards {
		return &schema.ClaimShards{Owner: owner, Shards: list}
	}
	s.must(claim(1, seen(0, 0, 0), seen(5, 0, 0)))
	s.must(claim(1, seen(0, 1, 0))) // a beat
	s.refuses(schema.ShardsOther, claim(1, seen(0, 1, 0)))
	s.refuses(schema.ShardsOther, claim(2, seen(0, 1, 1), seen(5, 1, 1)))
	s.refuses(schema.ShardsOther, claim(0, seen(0, 1, 1)))
	s.refuses(schema.ShardsOther, claim(2))
	s.refuses(schema.ShardsOther, claim(2, seen(64, 0, 0)))
	s.refuses(schema.ShardsOther, claim(2, seen(0, 1, 1), seen(0, 1, 1)))
	s.must(claim(2, seen(0, 1, 1)))
	renew := claim(2, seen(0, 2, 0))
	renew.Renew = true
	s.must(renew)
	want := []schema.Shard{{Number: 0, Owner: 2, Epoch: 3}, {Number: 5, Owner: 1, Epoch: 1}}
	if got := s.Shards(); got[0] != want[0] || got[5] != want[1] {
		t.Errorf("%+v %+v", got[0], got[5])
	}

	s.hooked(anna)
	s.out.Reset(start)
	s.Applied(&schema.Code{Account: anna, Asset: 1})
	s.says("1 code.apply 0/0")
	done := schema.Delivery{Account: anna, N: 1, Outcome: schema.DeliveryDone}
	settle := func(change func(*schema.Delivery)) *schema.SettleWebhooks {
		d := done
		change(&d)
		return &schema.SettleWebhooks{Deliveries: []schema.Delivery{d}}
	}
	s.must(settle(func(*schema.Delivery) {})) // of a shard that nobody claimed yet
	s.must(claim(1, seen(uint32(schema.ShardOf(anna)), 0, 0)))
	s.refuses(schema.DeliveriesLate, settle(func(*schema.Delivery) {}))
	s.must(settle(func(d *schema.Delivery) { d.Epoch = 1 }))
	s.refuses(schema.DeliveriesInvalid, settle(func(d *schema.Delivery) { d.Epoch, d.N = 1, 2 }))
	s.refuses(schema.DeliveriesInvalid, settle(func(d *schema.Delivery) { d.Epoch, d.N = 1, 0 }))
	s.refuses(schema.DeliveriesInvalid, settle(func(d *schema.Delivery) { d.Epoch, d.Outcome = 1, 0 }))
	s.refuses(schema.DeliveriesInvalid, &schema.SettleWebhooks{})
	s.refuses(schema.DeliveriesInvalid, &schema.SettleWebhooks{Deliveries: make([]schema.Delivery, schema.MaxDeliveries+1)})

	// What was deleted keeps its count.
	s.must(&schema.SetWebhook{Account: anna, Delete: true})
	s.must(settle(func(d *schema.Delivery) { d.Epoch = 1 }))
	s.hooked(anna)
	s.out.Reset(start)
	s.Applied(&schema.Code{Account: anna, Asset: 1})
	s.says("2 code.apply 0/0")
}

// snapshot is the state as sections.
func snapshot(s *site) []byte {
	w := &product.Writer{}
	for _, section := range s.Sections() {
		w.Section(&section)
	}
	return w.Bytes
}

func restore(t *testing.T, s *site, data []byte) {
	t.Helper()
	if err := (&product.Reader{Rest: data}).Sections(s.Sections()); err != nil {
		t.Fatal(err)
	}
}

// TestSnapshotsThatCannotBe: what no command could have left is refused.
func TestSnapshotsThatCannotBe(t *testing.T) {
	for name, spoil := range map[string]func(*site){
		"an account that is not there":  func(s *site) { s.list[0].Account = 999 },
		"a host that is not that":       func(s *site) { s.list[0].Verified = "two.example" },
		"no key":                        func(s *site) { s.list[0].Key = "" },
		"twice":                         func(s *site) { s.list = append(s.list, s.list[0]) },
		"a deleted one with events":     func(s *site) { s.list[0] = schema.Webhook{Account: anna, Events: 2} },
		"a shard without an epoch":      func(s *site) { s.shards[3].Owner = 4 },
		"a shard in the wrong place":    func(s *site) { s.shards[3] = schema.Shard{Number: 1, Owner: 1, Epoch: 1} },
		"a deposit that does not wait":  func(s *site) { d := s.deposits[1]; d.Status = schema.DepositCredited; s.deposits[1] = d },
		"a deposit of another":          func(s *site) { s.counts.shelf.At(s.counts.order.First).account = anna + 1 },
		"a deposit in the wrong place":  func(s *site) { s.counts.shelf.At(s.counts.order.Last).deposit = 1 },
		"more left over than there is":  func(s *site) { s.counts.rest = 9 },
		"a place where nothing is left": func(s *site) { s.counts.next = s.counts.order.First },
	} {
		s := found(t)
		s.hooked(anna)
		s.arrives(1, anna)
		s.arrives(2, anna)
		s.must(&schema.ClaimShards{Owner: 1, Shards: []schema.ShardSeen{{Number: 2}}})
		good := found(t)
		good.deposits = s.deposits
		restore(t, good, snapshot(s))
		if string(snapshot(good)) != string(snapshot(s)) {
			t.Fatal("what can be does not come back")
		}
		spoil(s)
		other := found(t)
		other.deposits = s.deposits
		if err := (&product.Reader{Rest: snapshot(s)}).Sections(other.Sections()); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
