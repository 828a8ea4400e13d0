package naive

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// tether is what checks cost.
const tether schema.AssetID = 3

// newChecks is a world where anna has 5 USDT and may have addresses checked.
func newChecks(t *testing.T) *world {
	w := newWorld(t)
	w.must(&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", CanDeposit: true, Class: schema.Crypto, Scale: 6, Precision: 6}})
	w.isAnna(func(*schema.Account) {})
	w.must(&schema.Deposit{Account: anna, Asset: tether, Amount: d("5")})
	w.setBTC(func(a *schema.Asset) { a.Networks = []schema.Network{{Name: "bitcoin"}} })
	w.time = noon
	return w
}

func looksAt(address string) *schema.CheckAddress {
	return &schema.CheckAddress{Account: anna, Asset: btc, Network: "bitcoin", Address: address}
}

// checked wants the last command to have ended one check, and nothing else of them.
func (w *world) checked(want schema.Check) {
	w.t.Helper()
	var got []schema.Check
	for _, e := range w.last.Events {
		if e, is := e.(*schema.CheckChanged); is {
			got = append(got, e.Check)
		}
	}
	if len(got) != 1 || got[0] != want {
		w.t.Errorf("checks ended as %+v, want %+v", got, want)
	}
}

func TestCheckAddress(t *testing.T) {
	w := newChecks(t)
	if id := w.must(looksAt("a")).ID; id != 1 {
		t.Errorf("the id is %d", id)
	}
	want := schema.Check{
		ID: 1, Account: anna, Asset: btc, Network: "bitcoin", Address: "a", Status: schema.CheckRunning, Created: w.time,
	}
	w.checked(want)
	if got := w.Checks(anna); len(got) != 1 || got[0] != want {
		t.Errorf("the checks are %+v", got)
	}
	w.main(anna, tether, "5")
	w.timer(want.Created + 3*schema.Second)
	w.time = want.Created + 3*schema.Second - 2
	w.must(&schema.Tick{})
	w.happened()
	w.must(&schema.Tick{})
	w.happened("101 main of 3 by fee for 0: 3 0", "2 main of 3 by fee for 0: 2 0", "*schema.CheckChanged")
	want.Status, want.Risk, want.Description, want.Checked = schema.CheckSucceeded, schema.LowRisk, "No risk was found.", w.time
	w.checked(want)
	if got := w.Checks(anna); len(got) != 0 {
		t.Errorf("the checks are %+v", got)
	}
	w.noTimer()

	w.must(with(looksAt("b"), func(c *schema.CheckAddress) { c.Network = "" }))
	w.must(&schema.SetVerdict{Verdict: schema.AddressVerdict{Address: "b", Risk: schema.HighRisk, Description: "stolen"}})
	w.happened()
	want = schema.Check{
		ID: 2, Account: anna, Asset: btc, Address: "b", Status: schema.CheckSucceeded, Risk: schema.HighRisk, Description: "stolen", Created: w.time - 1,
	}
	w.time += 3 * schema.Second
	w.must(&schema.Tick{})
	want.Checked = w.time
	w.checked(want)
	w.main(anna, tether, "1")
}

// TestChecksThatFail cost nothing: by verdict, or because they cannot be paid any more.
func TestChecksThatFail(t *testing.T) {
	for name, spoil := range map[string]func(*world){
		"verdict": func(w *world) {
			w.must(&schema.SetVerdict{Verdict: schema.AddressVerdict{Address: "a", Fails: true}})
		},
		"money": func(w *world) {
			w.must(&schema.Withdraw{Account: anna, Asset: tether, Amount: d("3.000001")})
		},
		"block": func(w *world) { w.isAnna(func(a *schema.Account) { a.Blocked = true }) },
		"owed": func(w *world) {
			w.ledger.move(holder{house, schema.Owed}, holder{anna, schema.Owed}, usd, of(d("1")), byReversal)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newChecks(t)
			w.must(looksAt("a"))
			want := schema.Check{
				ID: 1, Account: anna, Asset: btc, Network: "bitcoin", Address: "a", Status: schema.CheckFailed, Created: w.time,
			}
			spoil(w)
			w.time += 3 * schema.Second
			w.must(&schema.Tick{})
			want.Checked = w.time
			w.checked(want)
			w.main(schema.Fees, tether, "0")
		})
	}
}

// TestChecksArePaidInOrder: of two that only one can be paid of, the first succeeds.
func TestChecksArePaidInOrder(t *testing.T) {
	w := newChecks(t)
	w.must(&schema.Withdraw{Account: anna, Asset: tether, Amount: d("2")})
	w.must(looksAt("a"))
	w.must(looksAt("a"))
	w.isAnna(func(a *schema.Account) { a.Checker = false }) // which matters at the start only
	w.time += 3 * schema.Second
	w.must(&schema.Tick{})
	w.main(anna, tether, "1")
	first, second := w.last.Events[2].(*schema.CheckChanged).Check, w.last.Events[3].(*schema.CheckChanged).Check
	if first.ID != 1 || first.Status != schema.CheckSucceeded || second.ID != 2 || second.Status != schema.CheckFailed {
		t.Errorf("they ended as %+v and %+v", first, second)
	}
}

func TestChecksAreCheckedInOrder(t *testing.T) {
	w := newChecks(t)
	c := &schema.CheckAddress{Account: schema.House, Asset: 9, Network: "other"}
	refuses := func(reason schema.Reason, value string) {
		t.Helper()
		w.refused(schema.Rejection{Reason: reason, Value: d(value)}, c)
	}
	refuses(schema.AccountUnknown, "0")
	c.Account = anna
	w.isAnna(func(a *schema.Account) { a.Blocked, a.Checker = true, false })
	refuses(schema.AccountBlocked, "0")
	w.isAnna(func(a *schema.Account) { a.Checker = false })
	refuses(schema.CheckUnavailable, "0")
	w.isAnna(func(*schema.Account) {})
	refuses(schema.AssetUnknown, "0")
	c.Asset, c.Network, c.Address = usd, "", "a"
	refuses(schema.CheckInvalid, "0") // no cryptocurrency
	c.Asset, c.Network = btc, "other"
	refuses(schema.CheckInvalid, "0")
	for _, address := range []string{"", strings.Repeat("a", 129)} {
		c.Network, c.Address = "bitcoin", address
		refuses(schema.CheckInvalid, "0")
	}
	c.Address = strings.Repeat("a", 128)
	for range 100 {
		w.must(c) // whatever they will cost
	}
	w.must(&schema.Withdraw{Account: anna, Asset: tether, Amount: d("3.000001")})
	refuses(schema.ChecksTooMany, "100")
	w.time += 3 * schema.Second
	w.must(&schema.Tick{})
	refuses(schema.CheckNotCovered, "0")
	w.must(&schema.Deposit{Account: anna, Asset: tether, Amount: d("0.000001"), Held: true})
	refuses(schema.CheckNotCovered, "0")
	w.must(&schema.ConfirmDeposit{Account: anna, Asset: tether, Amount: d("0.000001")})
	if id := w.must(c).ID; id != 101 {
		t.Errorf("the id is %d", id)
	}

	w = newWorld(t) // where nobody knows USDT
	w.isAnna(func(*schema.Account) {})
	w.refused(because(schema.CheckNotCovered), with(looksAt("a"), func(c *schema.CheckAddress) { c.Network = "" }))
}

// TestChecksATick: a hundred end at once.
func TestChecksATick(t *testing.T) {
	w := newChecks(t)
	for n := range 2 {
		who := w.must(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("w", n), Region: schema.Global, Checker: true}}).ID
		w.must(&schema.Deposit{Account: schema.AccountID(who), Asset: tether, Amount: d("200")})
		for range 100 {
			w.must(with(looksAt("a"), func(c *schema.CheckAddress) { c.Account = schema.AccountID(who) }))
		}
	}
	w.time += 5 * schema.Second
	w.must(&schema.Tick{})
	w.main(schema.Fees, tether, "200")
	w.must(&schema.Tick{})
	w.main(schema.Fees, tether, "400")
	w.noTimer()
}

func TestSetVerdict(t *testing.T) {
	w := newChecks(t)
	set := func(v schema.AddressVerdict) *schema.SetVerdict { return &schema.SetVerdict{Verdict: v} }
	for _, wrong := range []schema.AddressVerdict{
		{Risk: schema.LowRisk},
		{Address: strings.Repeat("a", 129), Risk: schema.LowRisk},
		{Address: "a", Risk: 4},
		{Address: "a", Description: "x"},
		{Address: "a", Fails: true, Risk: schema.LowRisk},
		{Address: "a", Fails: true, Description: "x"},
		{Address: "a", Risk: schema.LowRisk, Description: strings.Repeat("x", 501)},
	} {
		w.refused(because(schema.VerdictInvalid), set(wrong))
	}
	verdicts := func(want ...schema.AddressVerdict) {
		t.Helper()
		w.happened()
		if got := w.Verdicts(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the verdicts are %+v, want %+v", got, want)
		}
	}
	b := schema.AddressVerdict{Address: "b", Risk: schema.MediumRisk, Description: strings.Repeat("x", 500)}
	a := schema.AddressVerdict{Address: "a", Fails: true}
	w.must(set(b))
	w.must(set(a))
	verdicts(a, b)
	a = schema.AddressVerdict{Address: "a", Risk: schema.HighRisk}
	w.must(set(a))
	verdicts(a, b)
	w.must(set(schema.AddressVerdict{Address: "b"}))
	verdicts(a)
	w.must(set(schema.AddressVerdict{Address: "b"})) // there is none
	verdicts(a)
	for n := range 9_999 {
		w.checks.verdicts = append(w.checks.verdicts, schema.AddressVerdict{Address: fmt.Sprint("z", n), Fails: true})
	}
	w.refused(schema.Rejection{Reason: schema.VerdictsTooMany, Value: d("10000")}, set(b))
	w.must(set(schema.AddressVerdict{Address: "b"}))
	w.must(set(schema.AddressVerdict{Address: "a", Fails: true}))
	w.must(set(schema.AddressVerdict{Address: "a"}))
	w.must(set(b))
}
