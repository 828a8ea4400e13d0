package schema

import "bourse/internal/wire"

// Bounds of what the travel rule asks for.
const (
	MaxTravel   = 8192 // bytes of sealed data
	MaxVASPID   = 100
	MaxVASPName = 200
)

// VASP is another exchange, or a custodian, that operators know: money that customers send there needs nobody's approval.
type VASP struct {
	ID   string
	Name string
}

func (m *VASP) Fields(c *wire.Coder) {
	wire.Text(c, 1, "id", &m.ID)
	wire.Text(c, 2, "name", &m.Name)
}

// SetVASP makes a VASP known, or changes its name; without a name it is forgotten.
type SetVASP struct{ VASP VASP }

func (*SetVASP) Kind() Kind { return 59 }

func (m *SetVASP) Fields(c *wire.Coder) { wire.Embed(c, 1, "vasp", &m.VASP) }

func (m *SetVASP) Subject() Subject { return Subject{Name: m.VASP.ID} }

// SubmitTravel says who sent a deposit that the travel rule holds back. What it says about people is sealed: the core keeps it for
// operators until the deposit is decided, and no event carries it.
type SubmitTravel struct {
	Account AccountID
	Deposit DepositID
	Sealed  []byte
}

func (*SubmitTravel) Kind() Kind { return 77 }

func (m *SubmitTravel) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "deposit", &m.Deposit)
	c.Bytes(3, "sealed", &m.Sealed)
}

// Redact removes what is said about people: records are for more eyes than that.
func (m *SubmitTravel) Redact() { m.Sealed = nil }

// Redact removes what is said about people.
func (m *RequestWithdrawal) Redact() { m.Travel = nil }
