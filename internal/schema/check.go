package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// MaxVerdict is the longest description of a verdict, in bytes.
const MaxVerdict = 500

// PriceOfCheck is what a check that succeeds costs, in the asset CheckTicker.
var PriceOfCheck = fixed.FromInt(2)

// CheckTicker is what checks are paid in.
const CheckTicker = "USDT"

// CheckAddress has an address looked at: what risk it is to take money from it.
type CheckAddress struct {
	Account AccountID
	Asset   AssetID
	Network string // of the asset; "": no certain one
	Address string
}

func (*CheckAddress) Kind() Kind { return 74 }

func (m *CheckAddress) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "asset", &m.Asset)
	wire.Text(c, 3, "network", &m.Network)
	wire.Text(c, 4, "address", &m.Address)
}

// Check is an address that is looked at, or was.
type Check struct {
	ID          CheckID
	Account     AccountID
	Asset       AssetID
	Network     string
	Address     string
	Status      CheckStatus
	Risk        Risk // of one that succeeded
	Description string
	Created     Time
	Checked     Time // when it ended; 0 before
}

func (m *Check) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "asset", &m.Asset)
	wire.Text(c, 4, "network", &m.Network)
	wire.Text(c, 5, "address", &m.Address)
	wire.Uint(c, 6, "status", &m.Status)
	wire.Uint(c, 7, "risk", &m.Risk)
	wire.Text(c, 8, "description", &m.Description)
	wire.Int(c, 9, "created", &m.Created)
	wire.Int(c, 10, "checked", &m.Checked)
}

// CheckStatus is how far a check is.
type CheckStatus uint8

const (
	CheckRunning CheckStatus = iota + 1
	CheckSucceeded
	CheckFailed // and costs nothing
)

func (s CheckStatus) String() string { return word(checkWords[:], s) }

var checkWords = [...]string{CheckRunning: "in_progress", CheckSucceeded: "success", CheckFailed: "failed"}

// Risk is what taking money from an address means.
type Risk uint8

const (
	LowRisk Risk = iota + 1
	MediumRisk
	HighRisk
)

func (r Risk) String() string { return word(addressRiskWords[:], r) }

var addressRiskWords = [...]string{LowRisk: "low", MediumRisk: "medium", HighRisk: "high"}

// CheckChanged carries a check that began or ended.
type CheckChanged struct{ Check Check }

func (*CheckChanged) event() {}

func (e *CheckChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "check", &e.Check) }

// AddressVerdict is what checks of it end with.
type AddressVerdict struct {
	Address     string
	Fails       bool // checks of it end without a result
	Risk        Risk // 0 if they fail
	Description string
}

func (m *AddressVerdict) Fields(c *wire.Coder) {
	wire.Text(c, 1, "address", &m.Address)
	c.Bool(2, "fails", &m.Fails)
	wire.Uint(c, 3, "risk", &m.Risk)
	wire.Text(c, 4, "description", &m.Description)
}

// SetVerdict says what checks of an address end with from now on. A verdict without a risk that does not fail is none: the address is as
// harmless as all of which nothing is said.
type SetVerdict struct{ Verdict AddressVerdict }

func (*SetVerdict) Kind() Kind { return 58 }

func (m *SetVerdict) Fields(c *wire.Coder) { wire.Embed(c, 1, "verdict", &m.Verdict) }

func (m *SetVerdict) Subject() Subject { return Subject{Name: m.Verdict.Address} }
