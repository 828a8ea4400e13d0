package schema

import "bourse/internal/wire"

// Bounds of the API keys of customers.
const (
	MaxKeys         = 50 // of one account
	MaxKeyAddresses = 50 // of one key
	MaxKeyTitle     = 100
)

// Types of API keys.
const (
	KeyTrading uint8 = iota + 1 // information and trading
	KeyMoney                    // and deposits and withdrawals
)

// AllURLs among the URLs of a key means that it may call everything. Only operators give it.
const AllURLs = "*"

// OpenKey makes an API key of an account or of one of its sub-accounts. It may call nothing at first.
type OpenKey struct {
	By       AccountID // who asks
	Account  AccountID // whose key it is: By, or a sub-account
	External string
	Key      string // the public part
	Sealed   []byte
	Title    string
	Type     uint8
}

func (*OpenKey) Kind() Kind { return 89 }

func (m *OpenKey) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "by", &m.By)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Text(c, 3, "external", &m.External)
	wire.Text(c, 4, "key", &m.Key)
	c.Bytes(5, "sealed", &m.Sealed)
	wire.Text(c, 6, "title", &m.Title)
	wire.Uint(c, 7, "type", &m.Type)
}

// EditKey names a key, and changes what it may call; what is not mentioned stays.
type EditKey struct {
	By       AccountID
	External string
	Title    string
	Enable   []string
	Disable  []string
}

func (*EditKey) Kind() Kind { return 90 }

func (m *EditKey) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "by", &m.By)
	wire.Text(c, 2, "external", &m.External)
	wire.Text(c, 3, "title", &m.Title)
	c.Texts(4, "enable", &m.Enable)
	c.Texts(5, "disable", &m.Disable)
}

// SetKeyAddress adds an address that a key may be used from, or takes one away.
type SetKeyAddress struct {
	By       AccountID
	External string
	Address  string
	Remove   bool
}

func (*SetKeyAddress) Kind() Kind { return 91 }

func (m *SetKeyAddress) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "by", &m.By)
	wire.Text(c, 2, "external", &m.External)
	wire.Text(c, 3, "address", &m.Address)
	c.Bool(4, "remove", &m.Remove)
}

// CloseKey ends a key.
type CloseKey struct {
	By       AccountID
	External string
}

func (*CloseKey) Kind() Kind { return 92 }

func (m *CloseKey) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "by", &m.By)
	wire.Text(c, 2, "external", &m.External)
}

// ResetKey gives a key another public part and another secret. It keeps its external id, title, URLs and addresses. With Taken it says
// instead that who asks is shown the secret of the last reset, which happens once.
type ResetKey struct {
	By       AccountID
	External string
	Key      string
	Sealed   []byte
	Taken    bool
}

func (*ResetKey) Kind() Kind { return 93 }

func (m *ResetKey) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "by", &m.By)
	wire.Text(c, 2, "external", &m.External)
	wire.Text(c, 3, "key", &m.Key)
	c.Bytes(4, "sealed", &m.Sealed)
	c.Bool(5, "taken", &m.Taken)
}

// MaxTouched is how many keys one command can touch.
const MaxTouched = 1000

// TouchKeys says that keys were used by requests that no log has: those that only read.
type TouchKeys struct{ Keys []Touched }

func (*TouchKeys) Kind() Kind { return 94 }

func (m *TouchKeys) Fields(c *wire.Coder) { wire.List(c, 1, "keys", &m.Keys) }

// Touched is a key that was used.
type Touched struct{ Key KeyID }

func (t *Touched) Fields(c *wire.Coder) { wire.Uint(c, 1, "key", &t.Key) }
