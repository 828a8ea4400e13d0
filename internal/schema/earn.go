package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

type (
	// PlanID numbers the plans by which money can be invested.
	PlanID uint32
	// InvestmentID numbers investments.
	InvestmentID uint64
	// EarnID numbers what happens to investments.
	EarnID uint64
)

// PlanKind is how a plan pays interest.
type PlanKind uint8

const (
	FixedPlan PlanKind = iota + 1 // at the end of a term, so much
	FlexPlan                      // by the hour, credited each day, for as long as one likes
)

func (k PlanKind) String() string { return word(planWords[:], k) }

var planWords = [...]string{FixedPlan: "fixed", FlexPlan: "flex"}

// PlanStatus says whether one can invest. The numbers are those that clients see.
type PlanStatus uint8

const (
	PlanActive   PlanStatus = iota + 1
	PlanSoldOut             // there are no coins left
	PlanInactive            // nobody sees it
	PlanPaused
)

func (s PlanStatus) String() string { return word(planStatusWords[:], s) }

var planStatusWords = [...]string{PlanActive: "active", PlanSoldOut: "sold out", PlanInactive: "inactive", PlanPaused: "paused"}

// Plan is an offer to invest. What an investment of a fixed plan pays never changes once somebody invested in the plan.
type Plan struct {
	ID     PlanID
	Name   string // unique; operators know the plan by it
	Kind   PlanKind
	Asset  AssetID // that is invested
	Payout AssetID // that interest is paid in; with flex plans the same
	// Percent of the amount is the interest of a fixed plan for its whole term of Minutes. One unit of Payout is worth Ratio of Asset.
	Percent fixed.Decimal
	Minutes uint32
	Ratio   fixed.Decimal
	// Rate is what a flex plan pays in a year of 8,760 hours, a fraction with at most 9 decimals.
	Rate fixed.Decimal
	// Min and Max bound an amount that is invested; Max of a flex plan also what an account has in it. Cap bounds what all have; 0: nothing does.
	Min, Max, Cap fixed.Decimal
	Status        PlanStatus
	Regions       Regions // of accounts that see it
	Private       bool    // only accounts to which it was assigned see it
	Created       Time
}

func (p *Plan) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &p.ID)
	wire.Text(c, 2, "name", &p.Name)
	wire.Uint(c, 3, "kind", &p.Kind)
	wire.Uint(c, 4, "asset", &p.Asset)
	wire.Uint(c, 5, "payout", &p.Payout)
	c.Decimal(6, "percent", &p.Percent)
	wire.Uint(c, 7, "minutes", &p.Minutes)
	c.Decimal(8, "ratio", &p.Ratio)
	c.Decimal(9, "rate", &p.Rate)
	c.Decimal(10, "min", &p.Min)
	c.Decimal(11, "max", &p.Max)
	c.Decimal(12, "cap", &p.Cap)
	wire.Uint(c, 13, "status", &p.Status)
	wire.Uint(c, 14, "regions", &p.Regions)
	c.Bool(15, "private", &p.Private)
	wire.Int(c, 16, "created", &p.Created)
}

// SetPlan offers a plan (ID 0) or changes one.
type SetPlan struct{ Plan Plan }

func (*SetPlan) Kind() Kind { return 124 }

func (m *SetPlan) Subject() Subject { return Subject{Asset: m.Plan.Asset, Name: m.Plan.Name} }

func (m *SetPlan) Fields(c *wire.Coder) { wire.Embed(c, 1, "plan", &m.Plan) }

// AssignPlan lets an account see a private plan, or hides it from the account again.
type AssignPlan struct {
	Plan    PlanID
	Account AccountID
	On      bool
}

func (*AssignPlan) Kind() Kind { return 125 }

func (m *AssignPlan) Subject() Subject { return Subject{Account: m.Account} }

func (m *AssignPlan) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "plan", &m.Plan)
	wire.Uint(c, 2, "account", &m.Account)
	c.Bool(3, "on", &m.On)
}

// Invest moves money from the main wallet of an account into a plan. With a flex plan it is added to what the account has there already.
type Invest struct {
	Account AccountID
	Plan    PlanID
	Amount  fixed.Decimal
	// Reinvest lets what a flex plan pays be invested, too. It is set by each Invest.
	Reinvest bool
}

func (*Invest) Kind() Kind { return 126 }

func (m *Invest) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "plan", &m.Plan)
	c.Decimal(3, "amount", &m.Amount)
	c.Bool(4, "reinvest", &m.Reinvest)
}

// Divest takes money out of an investment and into the main wallet.
type Divest struct {
	Account    AccountID
	Plan       PlanID       // of a flex plan: an account has at most one investment there
	Investment InvestmentID // of a fixed plan; then Plan is 0 and Amount counts for nothing
	Amount     fixed.Decimal
	All        bool // instead of Amount
}

func (*Divest) Kind() Kind { return 127 }

func (m *Divest) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "plan", &m.Plan)
	wire.Uint(c, 3, "investment", &m.Investment)
	c.Decimal(4, "amount", &m.Amount)
	c.Bool(5, "all", &m.All)
}

// SetReinvest says whether what a flex plan pays is invested, too.
type SetReinvest struct {
	Account AccountID
	Plan    PlanID
	On      bool
}

func (*SetReinvest) Kind() Kind { return 128 }

func (m *SetReinvest) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "plan", &m.Plan)
	c.Bool(3, "on", &m.On)
}

// Investment is what an account has in a plan.
type Investment struct {
	ID      InvestmentID
	Account AccountID
	Plan    PlanID
	Amount  fixed.Decimal // when a fixed plan ends or is closed, what was invested; of a flex plan what is there now
	// Interest is what a fixed plan pays at Due, and Paid what it paid.
	Interest, Paid fixed.Decimal
	Due            Time
	Reinvest       bool
	Closed         bool
	Created        Time
	Updated        Time
}

func (m *Investment) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "plan", &m.Plan)
	c.Decimal(4, "amount", &m.Amount)
	c.Decimal(5, "interest", &m.Interest)
	c.Decimal(6, "paid", &m.Paid)
	wire.Int(c, 7, "due", &m.Due)
	c.Bool(8, "reinvest", &m.Reinvest)
	c.Bool(9, "closed", &m.Closed)
	wire.Int(c, 10, "created", &m.Created)
	wire.Int(c, 11, "updated", &m.Updated)
}

// EarnAction is what happened to an investment. The numbers up to 6 are those that clients see.
type EarnAction uint8

const (
	EarnInvested   EarnAction = iota + 1
	EarnReinvested            // interest that was invested
	EarnWithdrawn             // a part
	EarnDaily                 // interest of a flex plan that was credited
	EarnClosed                // all that was left was taken out
	EarnOpened                // the first money
	EarnInterest              // of a fixed plan
	EarnPrincipal             // what a fixed plan gave back
	EarnBeganFixed            // what went into a fixed plan
)

func (a EarnAction) String() string { return word(earnWords[:], a) }

var earnWords = [...]string{
	EarnInvested: "invested", EarnReinvested: "reinvested", EarnWithdrawn: "withdrawn", EarnDaily: "daily earning", EarnClosed: "closed", EarnOpened: "opened",
	EarnInterest: "interest", EarnPrincipal: "principal", EarnBeganFixed: "began",
}

// PlanChanged carries a plan that was offered or changed.
type PlanChanged struct{ Plan Plan }

func (*PlanChanged) event()   {}
func (*PlanChanged) setting() {}

func (e *PlanChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "plan", &e.Plan) }

// PlanAssigned says whether an account sees a private plan from now on.
type PlanAssigned struct{ Assigned AssignPlan }

func (*PlanAssigned) event()   {}
func (*PlanAssigned) setting() {}

func (e *PlanAssigned) Fields(c *wire.Coder) { wire.Embed(c, 1, "assigned", &e.Assigned) }

// InvestmentChanged carries an investment after something happened to it, but for interest that accrues.
type InvestmentChanged struct{ Investment Investment }

func (*InvestmentChanged) event() {}

func (e *InvestmentChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "investment", &e.Investment) }

// Earned is a movement of money into an investment or out of it, or interest that was paid.
type Earned struct {
	ID         EarnID
	Investment InvestmentID
	Account    AccountID
	Plan       PlanID
	Asset      AssetID
	Amount     fixed.Decimal
	Action     EarnAction
}

func (*Earned) event() {}

func (e *Earned) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &e.ID)
	wire.Uint(c, 2, "investment", &e.Investment)
	wire.Uint(c, 3, "account", &e.Account)
	wire.Uint(c, 4, "plan", &e.Plan)
	wire.Uint(c, 5, "asset", &e.Asset)
	c.Decimal(6, "amount", &e.Amount)
	wire.Uint(c, 7, "action", &e.Action)
}
