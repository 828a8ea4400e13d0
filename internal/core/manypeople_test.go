package core

import (
	"fmt"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// twoOf is an exchange and the naive one, which get the same commands. Their answers are compared, and now and then the exchange is one that a
// snapshot gave.
type twoOf struct {
	t      *testing.T
	fast   *Machine
	slow   *naive.Exchange
	now    schema.Time
	sent   int
	counts map[schema.Reason]int
}

func newTwo(t *testing.T) *twoOf {
	p := &twoOf{t: t, fast: NewExchange(), slow: naive.New(), now: start, counts: map[schema.Reason]int{}}
	for _, birth := range schema.BirthFeatures() {
		p.slow.Apply(p.now, schema.Origin{}, &schema.SetFeature{Feature: birth.Feature, On: true})
	}
	return p
}

func (p *twoOf) send(from schema.Origin, c schema.Command) schema.Result {
	p.t.Helper()
	got, want := p.fast.ApplyFrom(p.now, from, c), p.slow.Apply(p.now, from, c)
	if err := sameResult(&got.Result, &want.Result); err != nil {
		p.t.Fatalf("%T %+v: %v", c, c, err)
	}
	p.counts[want.Result.Rejection.Reason]++
	if p.sent++; p.sent%997 == 0 {
		restored, err := Restore(p.fast.Snapshot())
		if err != nil || restored.Hash() != p.fast.Hash() {
			p.t.Fatalf("the restored machine is another one: %v", err)
		}
		p.fast = restored
	}
	return want.Result
}

// visited is the two when ada, who is verified, is signed in by key 1, and a client that reads data is there, or one that has keys issued.
func visited(t *testing.T, scope string) *twoOf {
	p := newTwo(t)
	p.send(schema.Origin{}, &schema.SetAccount{Account: schema.Account{Name: "ada", Region: schema.Global, Verified: true}})
	p.send(schema.Origin{}, invite(ada, 1))
	p.send(schema.Origin{}, enrol(1, 1000))
	p.send(schema.Origin{}, aClient("first", scope))
	return p
}

func aClient(name, scope string) *schema.SetPartner {
	return &schema.SetPartner{Partner: schema.Partner{
		Client: name, Title: name, Secret: digest(1), URIs: []string{"https://" + name}, Scopes: []string{scope}, Addresses: []string{"10.0.0.1"}, On: true,
	}}
}

func (p *twoOf) expects(reason schema.Reason, least int) {
	p.t.Helper()
	if p.counts[reason] < least {
		p.t.Errorf("%d times %s", p.counts[reason], reason)
	}
}

// TestManyRefreshesAgainstNaive: tokens that are refreshed just in time, to the end of their family after 30 days.
func TestManyRefreshesAgainstNaive(t *testing.T) {
	t.Parallel()
	p := visited(t, "general")
	p.send(by(1), &schema.AuthorizePartner{Account: ada, Partner: 1, Code: digest(2000), Redirect: "https://first", Since: p.now})
	p.send(schema.Origin{}, &schema.RedeemGrant{Partner: 1, Code: digest(2000), Access: digest(10_000), Family: digest(1), Refresh: digest(10_001)})
	born := p.now
	for n := 10_001; p.now < born+30*aDay; n += 2 {
		p.now = min(p.now+600*schema.Second-1, born+30*aDay-1)
		if p.now == born+30*aDay-1 && p.counts[schema.GrantUnknown] == 0 {
			p.expects(schema.OK, 4300)
			p.now++
		}
		c := &schema.RefreshGrant{Partner: 1, Family: digest(1), Token: digest(n), Access: digest(n + 1), Refresh: digest(n + 2)}
		if got := p.send(schema.Origin{}, c); (got.Grant == schema.GrantRedeemed) != (p.now < born+30*aDay) {
			t.Fatalf("%s after %d s", got.Grant, (p.now-born)/schema.Second)
		}
	}
	p.expects(schema.GrantUnknown, 1)
}

// TestManyOfOneSessionAgainstNaive: as many commands of a session as it can send within ten minutes, and more.
func TestManyOfOneSessionAgainstNaive(t *testing.T) {
	t.Parallel()
	p := visited(t, "general")
	for n := range 3500 {
		p.now += schema.Second / 3
		p.send(by(100_000+n%700), &schema.SetHedgeMode{Account: ada, On: n%2 == 0})
		if n%400 == 399 {
			p.now += 3 * aMinute
			p.send(schema.Origin{}, &schema.Tick{})
		}
	}
	for n := range 1100 { // in a moment
		p.send(by(200_000+n), &schema.SetHedgeMode{Account: ada})
	}
	p.now += 10 * aMinute
	p.send(by(300_000), &schema.SetHedgeMode{Account: ada}) // the clock did not move
	p.send(schema.Origin{}, &schema.Tick{})
	if got := p.send(by(300_000), &schema.SetHedgeMode{Account: ada}); got.Rejection.Refused() {
		t.Errorf("after ten minutes: %s", got.Rejection.Text())
	}
	p.expects(schema.OnceTooMany, 90)
	p.expects(schema.OnceUsed, 10)
}

// TestManyClientsAgainstNaive: as many clients as there can be, and as many of them as an account can let in, before and after the first are over.
func TestManyClientsAgainstNaive(t *testing.T) {
	t.Parallel()
	p := visited(t, "general")
	for n := range schema.MaxPartners {
		p.send(schema.Origin{}, aClient(fmt.Sprint("c", n), "general"))
	}
	p.expects(schema.PartnerInvalid, 1)
	step := uint64(10)
	for n := range 200 {
		p.now += pickOf(n, 1, 2*schema.Second, 7*schema.Second)
		step++
		p.send(schema.Origin{}, &schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: step}})
		client := schema.PartnerID(1 + n*7%40)
		uri := p.slow.Partners()[client-1].URIs[0]
		p.send(by(400_000+n), &schema.AuthorizePartner{Account: ada, Partner: client, Code: digest(500_000 + n), Redirect: uri, Since: p.now})
		if n%3 == 0 {
			p.send(schema.Origin{}, &schema.RedeemGrant{Partner: client, Code: digest(500_000 + n), Access: digest(600_000 + n), Family: digest(700_000 + n), Refresh: digest(800_000 + n)})
		}
		if n%50 == 49 {
			p.now += 9 * aMinute
		}
		if got, want := len(p.fast.OAuth().Grants(ada)), len(p.slow.Grants()); got != want {
			t.Fatalf("%d grants, want %d", got, want)
		}
	}
	p.expects(schema.GrantsTooMany, 5)
}

func pickOf[T any](n int, from ...T) T { return from[n%len(from)] }

// TestManyChallenges: as many as can be answered within five minutes. The naive exchange would look at all of them at each.
func TestManyChallenges(t *testing.T) {
	t.Parallel()
	m := visited(t, "general").fast
	apply(t, m, start, &schema.SetFactor{Key: 1, Generation: 1, Change: schema.AddPasskey, Factors: schema.Factors{Passkeys: []schema.Passkey{passkey(7)}}, Session: digest(1001)})
	const most = 100_000
	answer := func(n int) schema.Reason {
		proof := byPasskey(7, uint32(n+1), 1_000_000+n, 0).Proof
		return m.Apply(start, &schema.StepUp{Key: 2, Generation: 2, Proof: proof}).Result.Rejection.Reason
	}
	for n := range most {
		if got := answer(n); got != schema.OK {
			t.Fatalf("%d: %s", n, got)
		}
	}
	if got := answer(most); got != schema.ChallengesTooMany {
		t.Fatalf("one more: %s", got)
	}
	over, ticks := start+5*aMinute, 0
	for next, is := m.NextTimer(); is && next <= over; next, is = m.NextTimer() {
		m.Apply(over+schema.Time(ticks), &schema.Tick{})
		ticks++
	}
	if ticks != most/500 {
		t.Errorf("they are forgotten in %d ticks", ticks)
	}
}

// TestManyKeysAgainstNaive: as many keys as an account can have, with one that was issued. It is replaced while its secret was not fetched, also then.
func TestManyKeysAgainstNaive(t *testing.T) {
	t.Parallel()
	p := visited(t, schema.ScopeReadKey)
	n := 0
	approve := func() schema.Result {
		n++
		p.send(schema.Origin{}, &schema.StepUp{Key: 1, Generation: 1, Proof: schema.Proof{Kind: schema.ByTOTP, Step: uint64(100 + n)}})
		return p.send(by(n), &schema.AuthorizePartner{Account: ada, Partner: 1, Code: digest(2000 + n), Redirect: "https://first", Challenge: digest(1), Since: p.now})
	}
	redeem := func() schema.Result {
		return p.send(schema.Origin{}, &schema.RedeemGrant{
			Partner: 1, Code: digest(2000 + n), Challenge: digest(1), Access: digest(3000 + n), External: fmt.Sprint("x", n), Sealed: []byte("s"),
		})
	}
	open := func(i int) schema.Result {
		return p.send(schema.Origin{}, &schema.OpenKey{
			By: ada, Account: ada, External: fmt.Sprint("e", i), Key: fmt.Sprint("p", i), Sealed: []byte("s"), Type: schema.KeyTrading,
		})
	}
	for i := range schema.MaxKeys - 1 {
		open(i)
	}
	for range 3 { // with the one that is issued they are as many as there can be
		approve()
		if got := redeem(); got.Grant != schema.GrantRedeemed {
			t.Fatalf("%s: %s", got.Grant, got.Rejection.Text())
		}
	}
	if got := open(99); got.Rejection.Reason != schema.KeysTooMany {
		t.Errorf("one more: %q", got.Rejection.Text())
	}
	approve()
	p.send(schema.Origin{}, &schema.RevokePartner{Account: ada, Partner: 1})
	open(99)
	if got := redeem(); got.Rejection.Reason != schema.KeysTooMany {
		t.Errorf("redeemed: %q", got.Rejection.Text())
	}
	if got := approve(); got.Rejection.Reason != schema.KeysTooMany {
		t.Errorf("approved: %q", got.Rejection.Text())
	}
}
