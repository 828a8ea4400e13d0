package chain

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// announced are the deposits of which a webhook hears since it was last asked.
type announced struct {
	t    *testing.T
	said []string
}

func (x *exchange) announces() *announced {
	a := &announced{t: x.t}
	x.Deposited = func(d *schema.ChainDeposit, was schema.DepositStatus) {
		line := fmt.Sprintf("%d %s", d.ID, d.Status)
		if was == 0 {
			line += " again"
		}
		if d.Receipt != "" {
			line += " by " + d.Receipt
		}
		a.said = append(a.said, line)
	}
	return a
}

func (a *announced) are(want ...string) {
	a.t.Helper()
	if !slices.Equal(a.said, want) {
		a.t.Errorf("announced %q, want %q", a.said, want)
	}
	a.said = nil
}

// sinks rewinds the watched chain and lets it grow elsewhere until what was there is lost: the next block is the twentieth.
func (x *exchange) sinks() {
	x.t.Helper()
	x.rewound(10, 0)
	for height := uint64(11); height <= 19; height++ {
		x.block(height, 1, map[bool]byte{true: 0, false: 1}[height == 11])
	}
}

// What the exchange gave for a receipt that was lost, the account has: that the receipt is there again is no news to it.
func TestWhatAnAccountHasAlreadyIsNotAnnouncedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		again string // the amount of the receipt when it is mined again
		want  []string
		has   string
	}{
		"the same": {"1", nil, "1"},
		"less":     {"0.5", nil, "1"},
		"more":     {"3", []string{"2 credited by a"}, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t)
			told := x.announces()
			x.block(10, 0, 0)
			x.block(11, 0, 0, receipt("a", "1", 1))
			x.block(12, 0, 0)
			x.block(13, 0, 0)
			told.are("1 confirming again by a", "1 held by a", "1 credited by a")
			x.sinks()
			if d := x.is(1, schema.DepositCredited, 0); !d.Reversed {
				t.Error("it is not reversed")
			}
			told.are()
			x.block(20, 1, 1, receipt("a", c.again, 1))
			x.block(21, 1, 1)
			told.are()
			x.block(22, 1, 1)
			x.is(2, schema.DepositCredited, 20)
			told.are(c.want...)
			x.has(alice, schema.Main, c.has, "0")
			x.has(schema.House, schema.Main, map[bool]string{true: "-0.5", false: "0"}[name == "less"], "0")
		})
	}
}

// What was lost before the account had it is another deposit, of which all is said.
func TestWhatWasLostIsAnnouncedWhenItReturns(t *testing.T) {
	x := open(t)
	told := x.announces()
	x.block(10, 0, 0)
	x.block(11, 0, 0, receipt("a", "1", 1))
	x.sinks()
	told.are("1 confirming again by a", "1 lost by a")
	x.block(20, 1, 1, receipt("a", "1", 1))
	x.block(21, 1, 1)
	x.block(22, 1, 1)
	told.are("2 confirming again by a", "2 credited by a")
	x.has(alice, schema.Main, "1", "0")
}

// An operator may credit or cancel what came back: only what the account did not have is announced.
func TestWhatOperatorsDecideAboutWhatCameBackIsAnnounced(t *testing.T) {
	for name, c := range map[string]struct {
		decision schema.Decision
		again    string
		want     []string
		has      string
	}{
		"credited, and it is the same": {schema.CreditDeposit, "1", nil, "1"},
		"credited, and it is more":     {schema.CreditDeposit, "3", []string{"2 credited by a"}, "3"},
		"canceled":                     {schema.CancelDeposit, "1", nil, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t)
			told := x.announces()
			x.block(10, 0, 0)
			x.block(11, 0, 0, receipt("a", "1", 1))
			x.block(12, 0, 0)
			x.block(13, 0, 0)
			x.sinks()
			x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.CanDeposit = false }), schema.OK)
			told.said = nil
			x.block(20, 1, 1, receipt("a", c.again, 1))
			x.block(21, 1, 1)
			x.block(22, 1, 1)
			x.is(2, schema.DepositUncredited, 20)
			told.are()
			x.do(&schema.DecideDeposit{Deposit: 2, Decision: c.decision}, schema.OK)
			told.are(c.want...)
			x.has(alice, schema.Main, c.has, "0")
		})
	}
}

// An invoice is announced when it is over, and what the customer calls it is no transaction. That it was asked for, or that its money waits
// in Suspense, is in no event.
func TestInvoicesAreAnnouncedWhenTheyAreOver(t *testing.T) {
	x := banked(t)
	told := x.announces()
	for _, unique := range []string{"paid", "failed", "late", "suspended"} {
		x.do(bill(unique, "10", func(c *schema.RequestInvoice) {
			if unique == "late" {
				c.Expires = x.now + schema.Second
			}
		}), schema.OK)
	}
	told.are()
	x.settles(1, true, schema.OK)
	told.are("1 credited")
	x.settles(2, false, schema.OK)
	told.are("2 canceled")
	x.tick(schema.Second)
	told.are("3 canceled")
	x.euros(func(a *schema.Asset, _ *schema.Network) { a.CanDeposit = false })
	x.settles(4, true, schema.OK)
	told.are("4 uncredited") // of which no webhook says anything
	x.do(&schema.DecideDeposit{Deposit: 4, Decision: schema.CreditDeposit}, schema.OK)
	told.are("4 credited")
	x.hasEuros(alice, fixed.MustParse("19.4").String(), "0")
}
