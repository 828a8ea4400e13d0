package schema

import "bourse/internal/wire"

// Account is a customer.
type Account struct {
	ID      AccountID
	Name    string // unique
	Region  Region
	Blocked bool
	Retail  bool // may place orders with retail=true
	RPI     bool // may place RPI orders
	Partner bool // may use the endpoints for partners
	Mining  bool // may use the mining pool
	// MakerFee and TakerFee are the account's default fees, in percent; they count where they
	// are lower than the market's own.
	MakerFee Optional
	TakerFee Optional
	Created  Time
	// MaxLeverage is the highest that the account may choose; 0: the highest there is.
	MaxLeverage uint8
	TradFi      bool // may place orders on TradFi futures
	// Tier says how much may leave; it counts once the account is Verified.
	Tier     uint8
	Verified bool
	// RestrictedUntil is until when nothing may leave, after something that may have been done by somebody else; 0: it may.
	RestrictedUntil Time
	NewAddresses    bool // may have more than one deposit address
	Checker         bool // may have addresses checked
	CreditLine      bool // may borrow what an operator lends it
	Invoices        bool // may have invoices made for deposits of fiat money
	// Parent is the master of a sub-account; 0: the account is nobody's. The fields after it are those of a sub-account, and its
	// master's to choose.
	Parent   AccountID
	External string // the id that customers know it by; never changes
	Alias    string // unique among the sub-accounts of a master that are not deleted
	Email    string // sealed, in base64; empty where there is none
	Status   SubStatus
	ShareKYC bool // the master's verification counts for it
	Spot     bool // money may be moved to its trade wallet
	Margin   bool // and to its collateral wallet
	// Deposits lets a sub-account have addresses for deposits; operators choose.
	Deposits bool
	// Approvals of a master let withdrawals of its sub-accounts wait until it confirms them; KYCLinks lets it ask for links by which they
	// are verified. Operators choose.
	Approvals bool
	KYCLinks  bool
	// MultiInvest lets an account have several investments in a fixed plan; operators choose.
	MultiInvest bool
}

// IsSub reports whether the account is a sub-account.
func (a *Account) IsSub() bool { return a.Parent != 0 }

func (a *Account) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &a.ID)
	wire.Text(c, 2, "name", &a.Name)
	wire.Uint(c, 3, "region", &a.Region)
	c.Bool(4, "blocked", &a.Blocked)
	c.Bool(5, "retail", &a.Retail)
	c.Bool(6, "rpi", &a.RPI)
	c.Bool(7, "partner", &a.Partner)
	c.Bool(8, "mining", &a.Mining)
	a.MakerFee.field(c, 9, "maker_fee")
	a.TakerFee.field(c, 10, "taker_fee")
	wire.Int(c, 11, "created", &a.Created)
	wire.Uint(c, 12, "max_leverage", &a.MaxLeverage)
	c.Bool(13, "tradfi", &a.TradFi)
	wire.Uint(c, 14, "tier", &a.Tier)
	c.Bool(15, "verified", &a.Verified)
	wire.Int(c, 16, "restricted_until", &a.RestrictedUntil)
	c.Bool(17, "new_addresses", &a.NewAddresses)
	c.Bool(18, "checker", &a.Checker)
	c.Bool(19, "credit_line", &a.CreditLine)
	c.Bool(20, "invoices", &a.Invoices)
	wire.Uint(c, 21, "parent", &a.Parent)
	wire.Text(c, 22, "external", &a.External)
	wire.Text(c, 23, "alias", &a.Alias)
	wire.Text(c, 24, "email", &a.Email)
	wire.Uint(c, 25, "status", &a.Status)
	c.Bool(26, "share_kyc", &a.ShareKYC)
	c.Bool(27, "spot", &a.Spot)
	c.Bool(28, "margin", &a.Margin)
	c.Bool(29, "deposits", &a.Deposits)
	c.Bool(30, "approvals", &a.Approvals)
	c.Bool(31, "kyc_links", &a.KYCLinks)
	c.Bool(32, "multi_invest", &a.MultiInvest)
}

// SetAccount opens an account (ID 0) or replaces the settings of one.
type SetAccount struct {
	Account Account
	// KeepRestriction and KeepVerified leave RestrictedUntil and Verified as they are when the command happens: the exchange sets them by
	// itself, too, and who changes something else may not have seen that.
	KeepRestriction bool
	KeepVerified    bool
}

func (*SetAccount) Kind() Kind { return 64 }

func (m *SetAccount) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "account", &m.Account)
	c.Bool(2, "keep_restriction", &m.KeepRestriction)
	c.Bool(3, "keep_verified", &m.KeepVerified)
}

// Key is an API key. The secret is sealed before it comes here: the core and the journal never
// see it.
type Key struct {
	ID        KeyID  // the core's; never reused, unlike the public part
	Key       string // the public part; unique
	Account   AccountID
	Title     string
	Sealed    []byte
	Enabled   bool
	URLs      []string // the endpoints that the key may call
	Addresses []string // the addresses that it may be used from; none: from everywhere
	Created   Time
	// External is the id that customers know the key by; "" for keys that operators made.
	External string
	// Type 1 is for information and trading, type 2 also for what moves money in and out; 0: an operator chose.
	Type uint8
	// Partner is the client of OAuth that the key was made for, and SecretTaken whether somebody was given the secret: the client, or the
	// customer whose key it is.
	Partner     PartnerID
	SecretTaken bool
	// Web keys are the sessions of users who signed in: they have no secret, and end. Key is the digest of what the browser has.
	Web     bool
	User    UserID
	AuthAt  Time // when a second factor was last given
	Expires Time // when the session ends at the latest
	// Idle keys were switched off because nobody used them for long. A customer who edits the key, or resets it, switches it on.
	Idle bool
}

// On reports whether the key can be used, as far as it alone decides.
func (k *Key) On() bool { return k.Enabled && !k.Idle }

func (k *Key) Fields(c *wire.Coder) {
	wire.Text(c, 1, "key", &k.Key)
	wire.Uint(c, 2, "account", &k.Account)
	wire.Text(c, 3, "title", &k.Title)
	c.Bytes(4, "sealed", &k.Sealed)
	c.Bool(5, "enabled", &k.Enabled)
	c.Texts(6, "urls", &k.URLs)
	c.Texts(7, "addresses", &k.Addresses)
	wire.Int(c, 8, "created", &k.Created)
	wire.Uint(c, 9, "id", &k.ID)
	wire.Text(c, 10, "external", &k.External)
	wire.Uint(c, 11, "type", &k.Type)
	wire.Uint(c, 12, "partner", &k.Partner)
	c.Bool(13, "secret_taken", &k.SecretTaken)
	c.Bool(14, "web", &k.Web)
	wire.Uint(c, 15, "user", &k.User)
	wire.Int(c, 16, "auth_at", &k.AuthAt)
	wire.Int(c, 17, "expires", &k.Expires)
	c.Bool(18, "idle", &k.Idle)
}

// SetKey makes an API key or replaces the settings of one; its account and id never change. With an id it replaces those of the key that has
// it, and makes none: a public part may have got another key, or none, since somebody looked.
type SetKey struct {
	Key Key
}

func (*SetKey) Kind() Kind { return 65 }

func (m *SetKey) Fields(c *wire.Coder) { wire.Embed(c, 1, "key", &m.Key) }

// DeleteKey ends an API key.
type DeleteKey struct {
	Key string
}

func (*DeleteKey) Kind() Kind { return 66 }

func (m *DeleteKey) Fields(c *wire.Coder) { wire.Text(c, 1, "key", &m.Key) }

// SetFee assigns an account its own fees on a market, in percent. With neither set the
// assignment ends.
type SetFee struct {
	Account AccountID
	Market  MarketID
	Maker   Optional
	Taker   Optional
}

func (*SetFee) Kind() Kind { return 67 }

func (m *SetFee) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "market", &m.Market)
	m.Maker.field(c, 3, "maker")
	m.Taker.field(c, 4, "taker")
}
