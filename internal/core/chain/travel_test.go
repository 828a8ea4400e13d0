package chain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

const sealed = "sealed words about people"

// moves makes an account one of a region.
func (x *exchange) moves(account schema.AccountID, region schema.Region) {
	x.t.Helper()
	a := *x.accounts.Get(account)
	a.Region = region
	x.do(&schema.SetAccount{Account: a}, schema.OK)
}

// asked is an exchange where alice is in the EU and a deposit of 2.5 coins in block 10 waits until it is said who sent it.
func asked(t *testing.T) *exchange {
	x := open(t)
	x.moves(alice, schema.EU)
	x.block(10, 0, 0, receipt("a", "2.5", 1))
	x.block(11, 0, 0)
	x.block(12, 0, 0)
	x.is(1, schema.DepositTravel, 10)
	return x
}

// reviewed is an exchange where it was said.
func reviewed(t *testing.T) *exchange {
	x := asked(t)
	x.do(submit(), schema.OK)
	x.is(1, schema.DepositReview, 10)
	return x
}

func submit(edits ...func(*schema.SubmitTravel)) *schema.SubmitTravel {
	c := &schema.SubmitTravel{Account: alice, Deposit: 1, Sealed: []byte(sealed)}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

// keeps holds what is kept about the sender of the first deposit to words.
func (x *exchange) keeps(want string) {
	x.t.Helper()
	if got := x.Travel(1); string(got) != want || want == "" && got != nil {
		x.t.Errorf("%q is kept, want %q", got, want)
	}
}

// discreet fails if the last command said in public what is sealed.
func (x *exchange) discreet() {
	x.t.Helper()
	for e := range x.out.Events.All() {
		if bytes.Contains(wire.Append(nil, e), []byte(sealed)) {
			x.t.Errorf("%T carries what is sealed", e)
		}
	}
	if w := x.out.Result.Withdrawal; w != nil && bytes.Contains(wire.Append(nil, w), []byte(sealed)) {
		x.t.Error("the result carries what is sealed")
	}
}

func TestVASPs(t *testing.T) {
	x := open(t)
	set := func(id, name string, want schema.Reason) schema.Rejection {
		t.Helper()
		r := x.do(&schema.SetVASP{VASP: schema.VASP{ID: id, Name: name}}, want)
		if n := x.out.Events.Len(); n != 0 || x.out.Result.ID != 0 {
			t.Errorf("%d events, result %d", n, x.out.Result.ID)
		}
		return r
	}
	known := func(want ...schema.VASP) {
		t.Helper()
		if got := x.VASPs(); !slices.Equal(got, want) {
			t.Errorf("%v are known, want %v", got, want)
		}
	}
	unused := x.snapshot()
	set("", "none", schema.VASPInvalid)
	set("", "", schema.VASPInvalid)
	set(strings.Repeat("i", 101), "long", schema.VASPInvalid)
	set(strings.Repeat("i", 101), "", schema.VASPInvalid)
	set("long", strings.Repeat("n", 201), schema.VASPInvalid)
	set("unknown", "", schema.OK)
	known()
	if !bytes.Equal(x.snapshot(), unused) {
		t.Error("an exchange that knows no VASP has another snapshot")
	}
	long := schema.VASP{ID: strings.Repeat("i", 100), Name: strings.Repeat("n", 200)}
	set("b", "Second", schema.OK)
	set(long.ID, long.Name, schema.OK)
	set("a", "First", schema.OK)
	known(schema.VASP{ID: "a", Name: "First"}, schema.VASP{ID: "b", Name: "Second"}, long)
	set("b", "Other", schema.OK)
	set(long.ID, "", schema.OK)
	known(schema.VASP{ID: "a", Name: "First"}, schema.VASP{ID: "b", Name: "Other"})
	x.VASPs()[0].Name = "changed"
	known(schema.VASP{ID: "a", Name: "First"}, schema.VASP{ID: "b", Name: "Other"})

	for i := len(x.vasps); i < 999; i++ {
		x.vasps = append(x.vasps, schema.VASP{ID: fmt.Sprintf("m%03d", i), Name: "M"})
	}
	set("n", "Last", schema.OK)
	if r := set("o", "One more", schema.VASPsTooMany); r.Value != fixed.FromInt(1000) {
		t.Errorf("at most %s", r.Value)
	}
	set("n", "Renamed", schema.OK)
	set("o", "", schema.OK)
	set("a", "", schema.OK)
	set("o", "One more", schema.OK)
	if list := x.VASPs(); len(list) != 1000 || list[999] != (schema.VASP{ID: "o", Name: "One more"}) || list[998].Name != "Renamed" {
		t.Errorf("%d are known, the last %v", len(list), list[len(list)-1])
	}
}

func TestVASPsThatCannotBeAreNotRead(t *testing.T) {
	for name, wrong := range map[string][]schema.VASP{
		"without an id":  {{Name: "A"}},
		"without a name": {{ID: "a"}},
		"a long id":      {{ID: strings.Repeat("i", 101), Name: "A"}},
		"a long name":    {{ID: "a", Name: strings.Repeat("n", 201)}},
		"twice":          {{ID: "a", Name: "A"}, {ID: "a", Name: "A"}},
		"in disorder":    {{ID: "b", Name: "B"}, {ID: "a", Name: "A"}},
		"too many":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t)
			for i := 0; wrong == nil && i <= 1000; i++ {
				x.vasps = append(x.vasps, schema.VASP{ID: fmt.Sprintf("%04d", i), Name: "A"})
			}
			x.unreadable("VASPs: VASP ", func() { x.vasps = append(x.vasps, wrong...) })
			if err := x.Verify(); err == nil || !strings.Contains(err.Error(), "VASP") {
				t.Errorf("verified with %v", err)
			}
		})
	}
}

// A deposit of an account in the EU is never held, and waits in Suspense, wholly, until somebody decides about it.
func TestADepositOfTheEUWaitsUntilItsSenderIsKnown(t *testing.T) {
	x := open(t)
	x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.DepositFixed = fixed.MustParse("0.1") }), schema.OK)
	x.moves(alice, schema.EU)
	x.block(10, 0, 0, receipt("a", "2.5", 1), receipt("b", "1", 2))
	x.do(submit(func(c *schema.SubmitTravel) { c.Sealed = nil }), schema.TravelNotAsked)
	x.block(11, 0, 0)
	x.says("moved to 11", "2 held at 10")
	x.is(1, schema.DepositConfirming, 10)
	x.has(alice, schema.Main, "0", "0")
	x.block(12, 0, 0)
	x.says("moved to 12", "1 travel at 10", "2 credited at 10")
	if d := x.is(1, schema.DepositTravel, 10); !d.Fee.IsZero() || d.Changed != x.now {
		t.Errorf("%+v", d)
	}
	x.has(alice, schema.Main, "0", "0")
	x.has(ben, schema.Main, "0.9", "0")
	x.has(schema.Suspense, schema.Main, "2.5", "0")
	x.has(schema.Custody, schema.Main, "-3.5", "0")
	x.keeps("")

	account := func(id schema.AccountID) func(*schema.SubmitTravel) {
		return func(c *schema.SubmitTravel) { c.Account, c.Sealed = id, nil }
	}
	size := func(n int) func(*schema.SubmitTravel) {
		return func(c *schema.SubmitTravel) { c.Sealed = bytes.Repeat([]byte{'s'}, n) }
	}
	x.do(submit(account(999)), schema.AccountUnknown)
	x.do(submit(account(schema.House)), schema.AccountUnknown)
	x.do(submit(account(ben)), schema.DepositUnknown)
	x.do(submit(func(c *schema.SubmitTravel) { c.Deposit = 3 }), schema.DepositUnknown)
	x.do(submit(account(ben), func(c *schema.SubmitTravel) { c.Deposit = 2 }), schema.TravelNotAsked)
	x.do(submit(size(0)), schema.TravelInvalid)
	x.do(submit(size(8193)), schema.TravelInvalid)
	x.accounts.Get(alice).Blocked = true
	x.do(submit(), schema.AccountBlocked)
	x.accounts.Get(alice).Blocked = false
	x.is(1, schema.DepositTravel, 10)
	x.keeps("")

	c := submit()
	x.do(c, schema.OK)
	x.says("1 review at 10")
	x.discreet()
	if d := x.is(1, schema.DepositReview, 10); d.Changed != x.now || x.out.Result.ID != 1 {
		t.Errorf("%+v, result %d", d, x.out.Result.ID)
	}
	c.Sealed[0] = 'X' // the command is the caller's
	x.keeps(sealed)
	x.has(schema.Suspense, schema.Main, "2.5", "0")
	x.do(submit(), schema.TravelNotAsked)
	x.block(13, 0, 0)
	x.says("moved to 13")
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}, schema.OK)
	x.says("1 credited at 10")
	x.keeps("")
	x.has(alice, schema.Main, "2.5", "0")
	x.has(schema.Suspense, schema.Main, "0", "0")
	x.has(schema.Fees, schema.Main, "0.1", "0")
	if x.Travel(0) != nil || x.Travel(9) != nil {
		t.Error("something is kept about deposits that nobody knows")
	}

	x = asked(t)
	x.do(submit(size(8192)), schema.OK)
	x.keeps(strings.Repeat("s", 8192))
}

// What is not credited by itself waits for an operator as everywhere, and nothing is asked.
func TestADepositOfTheEUThatIsNotCredited(t *testing.T) {
	x := open(t)
	x.do(asset("COIN", bitcoin, func(a *schema.Asset, n *schema.Network) {
		a.MinDeposit, n.HeldCap = fixed.One, fixed.MustParse("0.5")
	}), schema.OK)
	x.moves(alice, schema.EU)
	x.block(10, 0, 0, receipt("small", "0.5", 1), receipt("enough", "1", 1), receipt("nobody", "2", 0))
	x.block(11, 0, 0)
	x.says("moved to 11", "1 uncredited at 10", "3 uncredited at 10")
	x.do(asset("COIN", bitcoin, func(a *schema.Asset, _ *schema.Network) { a.MinDeposit = fixed.FromInt(3) }), schema.OK)
	x.block(12, 0, 0)
	x.says("moved to 12", "2 uncredited at 10")
	x.do(submit(func(c *schema.SubmitTravel) { c.Deposit = 2 }), schema.TravelNotAsked)
	x.do(submit(func(c *schema.SubmitTravel) { c.Deposit = 3 }), schema.DepositUnknown)
	x.has(schema.Suspense, schema.Main, "3.5", "0")
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit}, schema.OK)
	x.has(alice, schema.Main, "1", "0")
}

// What counts is where an account is when its deposit becomes deep enough.
func TestTheRegionAtTheMomentCounts(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, receipt("a", "1", 1))
	x.block(11, 0, 0)
	x.moves(alice, schema.EU)
	x.block(12, 0, 0)
	x.says("moved to 12", "1 credited at 10") // it was held already
	x.has(alice, schema.Main, "1", "0")

	x.block(13, 0, 0, receipt("b", "2", 1))
	x.block(14, 0, 0)
	x.moves(alice, schema.Global)
	x.block(15, 0, 0)
	x.says("moved to 15", "2 credited at 13") // it was never held
	x.has(alice, schema.Main, "3", "0")

	x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.HeldCap = fixed.One }), schema.OK)
	x.block(16, 0, 0, receipt("c", "4", 1))
	x.block(17, 0, 0) // too much to be held
	x.moves(alice, schema.EU)
	x.block(18, 0, 0)
	x.says("moved to 18", "3 travel at 16")
	x.moves(alice, schema.Global) // what is asked stays asked
	x.block(19, 0, 0)
	x.says("moved to 19")
	x.do(submit(func(c *schema.SubmitTravel) { c.Deposit = 3 }), schema.OK)
	x.is(3, schema.DepositReview, 16)
	x.has(alice, schema.Main, "3", "0")
	x.has(schema.Suspense, schema.Main, "4", "0")
	x.has(schema.Custody, schema.Main, "-7", "0")
}

func TestOperatorsDecideAboutDepositsOfTheEU(t *testing.T) {
	for name, with := range map[string]func(*testing.T) *exchange{"travel": asked, "review": reviewed} {
		t.Run(name, func(t *testing.T) {
			decide := func(x *exchange, d schema.Decision, account schema.AccountID, want schema.Reason) {
				t.Helper()
				x.do(&schema.DecideDeposit{Deposit: 1, Decision: d, Account: account}, want)
			}
			x := with(t)
			decide(x, 0, 0, schema.DepositDecided)
			decide(x, schema.CreditDeposit, ben, schema.DepositOwner)
			decide(x, schema.CancelDeposit, ben, schema.DepositOwner)
			decide(x, schema.CreditDeposit, alice, schema.OK)
			x.says("1 credited at 10")
			x.keeps("")
			x.has(alice, schema.Main, "2.5", "0")
			x.has(schema.Suspense, schema.Main, "0", "0")
			x.do(submit(), schema.TravelNotAsked)

			x = with(t)
			decide(x, schema.CancelDeposit, 0, schema.OK)
			x.says("1 canceled at 10")
			x.keeps("")
			x.has(schema.Suspense, schema.Main, "2.5", "0")
			x.do(submit(), schema.TravelNotAsked)
			decide(x, schema.CreditDeposit, 0, schema.DepositDecided)
			x.do(asset("COIN", bitcoin, func(_ *schema.Asset, n *schema.Network) { n.WithdrawFixed = fixed.MustParse("0.1") }), schema.OK)
			x.do(refund(), schema.OK)
			if w := x.out.Result.Withdrawal; w.Amount != fixed.MustParse("2.4") || x.TravelOf(w.ID) != nil {
				t.Errorf("%+v goes back, and %q is known of it", w, x.TravelOf(w.ID))
			}

			x = with(t)
			decide(x, schema.FreezeDeposit, 0, schema.OK)
			x.says("1 frozen at 10")
			x.keeps("")
			x.do(submit(), schema.TravelNotAsked)
			decide(x, schema.FreezeDeposit, 0, schema.DepositDecided)
			x.has(schema.Suspense, schema.Main, "2.5", "0")
			decide(x, schema.CreditDeposit, 0, schema.OK)
			x.keeps("")
			x.has(alice, schema.Main, "2.5", "0")
			x.has(schema.Suspense, schema.Main, "0", "0")
		})
	}
}

// What nobody says anything about is not forgotten, and what is decided is.
func TestADepositOfTheEUIsRememberedUntilItIsDecided(t *testing.T) {
	x := asked(t)
	for height := uint64(13); height <= 10+remembered; height++ {
		x.block(height, 0, 0)
	}
	x.do(submit(), schema.OK)
	x.keeps(sealed)
	x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}, schema.OK)
	if _, known := x.Deposit(1); known {
		t.Error("a deposit is remembered that was decided about")
	}
	x.keeps("")
	x.has(alice, schema.Main, "2.5", "0")
}

func TestARewoundDepositOfTheEU(t *testing.T) {
	for name, c := range map[string]struct {
		with   func(*testing.T) *exchange
		status schema.DepositStatus
		words  string
	}{"travel": {asked, schema.DepositTravel, ""}, "review": {reviewed, schema.DepositReview, sealed}} {
		t.Run(name, func(t *testing.T) {
			x := c.with(t)
			x.rewound(9, 0)
			x.says("moved to 9", "1 "+name+" at 0")
			x.keeps(c.words)
			x.has(schema.Suspense, schema.Main, "2.5", "0") // nothing happens to it meanwhile
			x.do(submit(), schema.TravelNotAsked)
			for _, decision := range []schema.Decision{schema.CreditDeposit, schema.CancelDeposit, schema.FreezeDeposit} {
				x.do(&schema.DecideDeposit{Deposit: 1, Decision: decision}, schema.DepositDecided)
			}
			x.block(10, 1, 0)
			x.block(11, 1, 1, receipt("a", "2.5", 1))
			x.says("1 "+name+" at 11", "moved to 11")
			x.block(12, 1, 1)
			x.says("moved to 12")
			x.block(13, 1, 1)
			x.says("moved to 13")
			x.is(1, c.status, 11)
			x.keeps(c.words)
			x.has(schema.Suspense, schema.Main, "2.5", "0")
			x.has(schema.Custody, schema.Main, "-2.5", "0")
			if c.words == "" {
				x.do(submit(), schema.OK)
			}
			x.do(&schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}, schema.OK)
			x.has(alice, schema.Main, "2.5", "0")

			x = c.with(t)
			x.rewound(9, 0)
			for height := uint64(10); height <= 18; height++ {
				x.block(height, 1, map[bool]byte{true: 0, false: 1}[height == 10])
			}
			x.says("moved to 18", "1 lost at 0")
			x.keeps("")
			x.has(schema.Suspense, schema.Main, "0", "0")
			x.has(schema.Custody, schema.Main, "0", "0")
			x.has(schema.House, schema.Main, "0", "0")
			x.do(submit(), schema.TravelNotAsked)

			// It comes again, and is another.
			x.block(19, 1, 1, receipt("a", "2.5", 1))
			x.block(20, 1, 1)
			x.block(21, 1, 1)
			x.says("moved to 21", "2 travel at 19")

			x = c.with(t) // it is not what it was
			x.rewound(9, 0)
			x.block(10, 1, 0, receipt("a", "2", 1))
			x.says("1 lost at 0", "2 confirming at 10", "moved to 10")
			x.keeps("")
			x.has(schema.Suspense, schema.Main, "0", "0")
		})
	}
}

// What the exchange lost by a deposit is paid first when it returns, also if it is asked then who sent it.
func TestADepositOfTheEUThatReturnsPaysTheHouse(t *testing.T) {
	x := open(t)
	x.block(10, 0, 0, receipt("a", "2", 1))
	x.block(11, 0, 0)
	x.block(12, 0, 0)
	x.rewound(9, 0)
	for height := uint64(10); height <= 18; height++ {
		x.block(height, 1, map[bool]byte{true: 0, false: 1}[height == 10])
	}
	x.has(schema.House, schema.Main, "-2", "0")
	x.moves(alice, schema.EU)
	x.block(19, 1, 1, receipt("a", "2", 1))
	x.block(20, 1, 1)
	x.block(21, 1, 1)
	x.says("moved to 21", "2 travel at 19")
	x.has(schema.House, schema.Main, "-2", "0")
	x.has(schema.Suspense, schema.Main, "2", "0")
	x.do(&schema.DecideDeposit{Deposit: 2, Decision: schema.CreditDeposit}, schema.OK)
	x.has(schema.House, schema.Main, "0", "0")
	x.has(schema.Suspense, schema.Main, "0", "0")
	x.has(alice, schema.Main, "2", "0")
}

func TestAnotherCustomerPaysTheEUAtOnce(t *testing.T) {
	x := rich(t)
	x.moves(ben, schema.EU)
	x.do(request("one", "2", toBen), schema.OK)
	x.says("1 credited at 0")
	x.toys(ben, "2", "0")
	x.toys(schema.Suspense, "0", "0")
}

// about puts words about the receiver into a request, and where he has the address.
func about(words, vasp string) func(*schema.RequestWithdrawal) {
	return func(c *schema.RequestWithdrawal) { c.Travel, c.VASP = []byte(words), vasp }
}

// knowing is a rich exchange where alice is in the EU and one VASP is known.
func knowing(t *testing.T, edits ...func(*schema.Asset, *schema.Network)) *exchange {
	x := rich(t, edits...)
	x.moves(alice, schema.EU)
	x.do(&schema.SetVASP{VASP: schema.VASP{ID: "bank", Name: "The bank"}}, schema.OK)
	return x
}

// leavesWith holds the last withdrawal to how many must approve it and what is kept about its receiver.
func (x *exchange) leavesWith(status schema.WithdrawalStatus, needed uint8, words string) {
	x.t.Helper()
	w := x.out.Result.Withdrawal
	got := x.TravelOf(w.ID)
	if w.Status != status || w.Needed != needed || string(got) != words || words == "" && got != nil {
		x.t.Errorf("withdrawal %d is %s, %d must approve it, %q is kept, want %s, %d and %q", w.ID, w.Status, w.Needed, got, status, needed, words)
	}
	x.discreet()
}

func TestAWithdrawalOfTheEUSaysWhoReceivesIt(t *testing.T) {
	x := knowing(t)
	x.do(request("a", "2"), schema.TravelMissing)
	x.do(request("a", "2", about("", "bank")), schema.TravelMissing)
	x.toys(alice, "10", "0")
	c := request("a", "2", about(sealed, "bank"))
	x.do(c, schema.OK)
	x.leavesWith(schema.WithdrawalQueued, 0, sealed)
	c.Travel[0] = 'X' // the command is the caller's
	x.leavesWith(schema.WithdrawalQueued, 0, sealed)
	for i, vasp := range []string{"", "ban", "bank2", strings.Repeat("v", 100)} {
		x.do(request(fmt.Sprint(i), "0.5", about(sealed, vasp)), schema.OK)
		x.leavesWith(schema.WithdrawalReview, 1, sealed)
	}
	x.do(&schema.SetVASP{VASP: schema.VASP{ID: "bank"}}, schema.OK)
	x.do(request("f", "0.5", about(sealed, "bank")), schema.OK)
	x.leavesWith(schema.WithdrawalReview, 1, sealed)

	x.as("ann", 6, schema.ApproveWithdrawal, schema.OK)
	x.leaves("6 queued at 0")
	x.as("ann", 2, schema.CancelWithdrawal, schema.OK)
	if x.TravelOf(2) != nil || x.TravelOf(0) != nil || x.TravelOf(99) != nil {
		t.Error("something is kept about a withdrawal that nobody knows")
	}
	x.mines(3)
	x.leaves("1 mined at 1", "6 mined at 1", "1 done at 1", "6 done at 1")
	x.discreet()
	if string(x.TravelOf(1)) != sealed || string(x.TravelOf(6)) != sealed {
		t.Error("what was said is forgotten before the withdrawal is")
	}
	x.mines(99)
	if x.TravelOf(1) != nil {
		t.Error("what was said is kept longer than the withdrawal")
	}
}

// The rule holds for an account in the EU and for a deployment there, and only for what leaves the exchange.
func TestWhichWithdrawalsSayWhoReceivesThem(t *testing.T) {
	x := rich(t)
	x.do(request("a", "1"), schema.OK)
	x.leavesWith(schema.WithdrawalQueued, 0, "")
	x.do(request("b", "1", about(sealed, "unknown")), schema.OK)
	x.leavesWith(schema.WithdrawalQueued, 0, "")
	x.out.Region = schema.Global
	x.do(request("c", "1", about(sealed, "unknown")), schema.OK)
	x.leavesWith(schema.WithdrawalQueued, 0, "")
	x.out.Region = schema.EU
	x.do(request("d", "1"), schema.TravelMissing)
	x.do(request("d", "1", about(sealed, "")), schema.OK)
	x.leavesWith(schema.WithdrawalReview, 1, sealed)
	x.do(request("e", "1", toBen), schema.OK)
	x.leavesWith(schema.WithdrawalDone, 0, "")
	x.out.Region = schema.Global
	x.moves(alice, schema.EU)
	x.do(request("f", "1"), schema.TravelMissing)
	x.do(request("f", "1", toBen, about(sealed, "unknown")), schema.OK)
	x.leavesWith(schema.WithdrawalDone, 0, "")
	x.network(func(_ *schema.Asset, n *schema.Network) { n.ApproveAbove = fixed.MustParse("0.1") })
	x.do(request("g", "1", toBen, about(sealed, "unknown")), schema.OK)
	x.leavesWith(schema.WithdrawalReview, 1, "") // it waits, and nothing is kept
}

func TestWhatIsSaidOfAReceiverIsChecked(t *testing.T) {
	long, longID := strings.Repeat("s", 8193), strings.Repeat("v", 101)
	empty := func(c *schema.RequestWithdrawal) { c.Amount = fixed.Zero }
	for _, with := range []func(*testing.T, ...func(*schema.Asset, *schema.Network)) *exchange{rich, knowing} {
		x := with(t)
		x.do(request("a", "1", about(long, "bank")), schema.TravelInvalid)
		x.do(request("a", "1", about(sealed, longID)), schema.TravelInvalid)
		x.do(request("a", "1", about("", longID), toBen), schema.TravelInvalid)
		x.do(request("a", "1", about(long, ""), func(c *schema.RequestWithdrawal) { c.Address = "" }), schema.WithdrawAddressInvalid)
		x.do(request("a", "1", about(long, ""), func(c *schema.RequestWithdrawal) { c.Index = 1 }), schema.WithdrawOwnAddress)
		x.do(request("a", "1", about(long, ""), empty), schema.TravelInvalid)
		x.do(request("a", "1", about(long[1:], longID[1:])), schema.OK)
	}
	x := knowing(t)
	x.do(request("a", "1", empty), schema.TravelMissing)
	x.do(request("a", "1", about(sealed, "bank"), empty), schema.MoveNotPositive)
}

// Money for a VASP that nobody knows is looked at as what has no price is: it counts for no bound of what leaves without approval.
func TestAnUnknownVASPAndOtherReasonsForApproval(t *testing.T) {
	x := knowing(t, func(_ *schema.Asset, n *schema.Network) {
		n.ApproveAbove, n.Approve2Above, n.HourCap = fixed.FromInt(3), fixed.FromInt(4), fixed.FromInt(2)
	})
	x.do(request("a", "1.5", about(sealed, "")), schema.OK)
	x.leavesWith(schema.WithdrawalReview, 1, sealed)
	if h := x.find(play).lane(toy).hourly; !h.sum.IsZero() {
		t.Errorf("%+v", h)
	}
	x.do(request("b", "2", about(sealed, "bank")), schema.OK)
	x.leavesWith(schema.WithdrawalQueued, 0, sealed)
	if h := x.find(play).lane(toy).hourly; h.sum != fixed.FromInt(2) || len(x.recent.list) != 1 {
		t.Errorf("%+v, %+v", h, x.recent.list)
	}
	x.do(request("c", "0.5", about(sealed, "bank")), schema.OK)
	x.leavesWith(schema.WithdrawalReview, 1, sealed)
	x.do(request("d", "2.1", about(sealed, "")), schema.OK)
	x.leavesWith(schema.WithdrawalReview, 2, sealed)
}

func TestWhatTheTravelRuleCannotLeaveIsNotRead(t *testing.T) {
	bytes := func(n int) []byte { return make([]byte, n) }
	for name, c := range map[string]struct {
		with   func(*testing.T) *exchange
		change func(*deposit)
	}{
		"review without words": {reviewed, func(d *deposit) { d.travel = nil }},
		"too many words":       {reviewed, func(d *deposit) { d.travel = bytes(8193) }},
		"words too early":      {asked, func(d *deposit) { d.travel = bytes(1) }},
		"words of a frozen":    {reviewed, func(d *deposit) { d.Status = schema.DepositFrozen }},
		"travel of nobody":     {asked, func(d *deposit) { d.Account = 0 }},
		"review of nobody":     {reviewed, func(d *deposit) { d.Account = 0 }},
		"travel not posted":    {asked, func(d *deposit) { d.posted = false }},
		"review not posted":    {reviewed, func(d *deposit) { d.posted = false }},
		"travel refunded":      {asked, func(d *deposit) { d.refund = 1 }},
		"beyond all statuses":  {asked, func(d *deposit) { d.Status = schema.DepositReview + 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			x := c.with(t)
			x.unreadable("deposit 1: it stands in the wrong place", func() { c.change(x.deposits.At(x.places[1])) })
			if err := x.Verify(); err == nil && name != "beyond all statuses" {
				t.Error("verified")
			}
		})
	}
	request := func(t *testing.T) *exchange {
		x := knowing(t)
		x.do(request("a", "2", about(sealed, "")), schema.OK)
		return x
	}
	sent := func(t *testing.T) *exchange {
		x := declined(t)
		x.do(refund(), schema.OK)
		return x
	}
	for name, c := range map[string]struct {
		with   func(*testing.T) *exchange
		change func(*withdrawal)
	}{
		"too many words":     {request, func(w *withdrawal) { w.travel = bytes(8193) }},
		"words for a refund": {sent, func(w *withdrawal) { w.travel = bytes(1) }},
		"words for our own":  {request, func(w *withdrawal) { w.To = ben }},
	} {
		t.Run(name, func(t *testing.T) {
			x := c.with(t)
			x.unreadable("withdrawal 1: it stands in the wrong place", func() { c.change(x.withdrawals.At(x.byNumber[1])) })
			if err := x.Verify(); err == nil || !strings.Contains(err.Error(), "bytes about its receiver") {
				t.Errorf("verified with %v", err)
			}
		})
	}
}
