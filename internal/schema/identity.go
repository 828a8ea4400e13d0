package schema

import "bourse/internal/wire"

// Bounds of what is kept of users, in bytes, and of how many there are.
const (
	MaxSealedFactor = 512  // a sealed hash of a password, a sealed seed or a sealed login
	MaxPasskeyID    = 1023 // as WebAuthn has it
	MaxPasskeyKey   = 1024
	MaxDevice       = 64 // what a passkey or a session is called
	MaxPasskeys     = 10 // of a user
)

// ProofKind is by what somebody proved to be a user.
type ProofKind uint8

const (
	ByPassword ProofKind = iota + 1 // alone, which is enough only for users who have no other factor
	ByTOTP                          // a password and a code of an authenticator; at step-up the code alone
	ByPasskey
	ByDemo // the button of a demo, for accounts that have no user
)

func (k ProofKind) String() string { return word(proofWords[:], k) }

var proofWords = [...]string{ByPassword: "password", ByTOTP: "totp", ByPasskey: "passkey", ByDemo: "demo"}

// Proof is what a door found when somebody proved to be a user. The door judges; the core decides whether it still counts.
type Proof struct {
	Kind ProofKind
	// Wrong says that the second factor was wrong, after the right password: it is counted.
	Wrong bool
	// Step is the one of the code, which counts once.
	Step uint64
	// Passkey is the id of the one that signed, Counter what it counted, and Challenge the hash of what it signed, which counts once.
	Passkey   []byte
	Counter   uint32
	Challenge Digest
}

func (p *Proof) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "kind", &p.Kind)
	c.Bool(2, "wrong", &p.Wrong)
	wire.Uint(c, 3, "step", &p.Step)
	c.Bytes(4, "passkey", &p.Passkey)
	wire.Uint(c, 5, "counter", &p.Counter)
	c.Array(6, "challenge", p.Challenge[:])
}

// SignOutcome is what became of an attempt to prove who one is. Attempts that are counted are accepted commands, also where nobody is
// let in.
type SignOutcome uint8

const (
	SignedIn    SignOutcome = iota + 1
	FactorWrong             // it was counted
	FactorUsed              // the code was used before; it was counted as a wrong one
)

func (o SignOutcome) String() string { return word(signWords[:], o) }

var signWords = [...]string{SignedIn: "signed in", FactorWrong: "wrong factor", FactorUsed: "used factor"}

// Passkey is a key pair of a user's device.
type Passkey struct {
	ID      []byte
	Key     []byte // the public half, as COSE has it
	Counter uint32 // as the device last said
	Backup  bool   // it may be on several devices
	Title   string
	Created Time
}

func (p *Passkey) Fields(c *wire.Coder) {
	c.Bytes(1, "id", &p.ID)
	c.Bytes(2, "key", &p.Key)
	wire.Uint(c, 3, "counter", &p.Counter)
	c.Bool(4, "backup", &p.Backup)
	wire.Text(c, 5, "title", &p.Title)
	wire.Int(c, 6, "created", &p.Created)
}

// User is a person who signs in to an account. Names and secrets are sealed, or digests, before they come here.
type User struct {
	ID      UserID
	Account AccountID // has one user
	Login   Digest    // by which the login is recognized, and Name the login itself, sealed
	Name    []byte
	// Password is the hash of the password, sealed, and TOTP the seed of the authenticator; empty: there is none.
	Password []byte
	TOTP     []byte
	Step     uint64 // of the last code that was used
	Passkeys []Passkey
	// Generation grows with every change of a factor: what was judged by an older one does not count.
	Generation uint32
	// Wrong is how many wrong factors came since the last right one or the last lock, Locks how often that locked sign-in by
	// password from unknown devices, and LockedUntil until when.
	Wrong       uint8
	Locks       uint8
	LockedUntil Time
	Created     Time
}

func (u *User) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &u.ID)
	wire.Uint(c, 2, "account", &u.Account)
	c.Array(3, "login", u.Login[:])
	c.Bytes(4, "name", &u.Name)
	c.Bytes(5, "password", &u.Password)
	c.Bytes(6, "totp", &u.TOTP)
	wire.Uint(c, 7, "step", &u.Step)
	wire.List(c, 8, "passkeys", &u.Passkeys)
	wire.Uint(c, 9, "generation", &u.Generation)
	wire.Uint(c, 10, "wrong", &u.Wrong)
	wire.Uint(c, 11, "locks", &u.Locks)
	wire.Int(c, 12, "locked_until", &u.LockedUntil)
	wire.Int(c, 13, "created", &u.Created)
}

// Protected reports whether the user has a second factor.
func (u *User) Protected() bool { return len(u.TOTP) > 0 || len(u.Passkeys) > 0 }

// Invite lets who has a link become the user of an account, once and within 72 hours; an older invitation ends. Operators invite to every account:
// for one that has a user it is the way back in for one who lost everything. Masters invite to sub-accounts of theirs that have none.
type Invite struct {
	Account AccountID
	Digest  Digest // of what is in the link
	Login   Digest
	Name    []byte // the login, sealed
}

func (*Invite) Kind() Kind { return 103 }

func (m *Invite) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Array(2, "digest", m.Digest[:])
	c.Array(3, "login", m.Login[:])
	c.Bytes(4, "name", &m.Name)
}

func (m *Invite) Subject() Subject { return Subject{Account: m.Account} }

// Redact removes what leads to the link and the login.
func (m *Invite) Redact() { m.Digest, m.Login, m.Name = Digest{}, Digest{}, nil }

// Factors are what a user proves who he is by: a password with a code, or a passkey.
type Factors struct {
	Password []byte // its hash, sealed
	TOTP     []byte // the seed, sealed
	Step     uint64 // of the code by which the seed was shown to be known
	Passkeys []Passkey
}

func (f *Factors) Fields(c *wire.Coder) {
	c.Bytes(1, "password", &f.Password)
	c.Bytes(2, "totp", &f.TOTP)
	wire.Uint(c, 3, "step", &f.Step)
	wire.List(c, 4, "passkeys", &f.Passkeys)
}

// Enrol makes the user of an invitation, or lets the one there is begin again, and signs in.
type Enrol struct {
	Digest  Digest // of the invitation
	Factors Factors
	Session Digest // of what the browser has
	Device  string
}

func (*Enrol) Kind() Kind { return 104 }

func (m *Enrol) Fields(c *wire.Coder) {
	c.Array(1, "digest", m.Digest[:])
	wire.Embed(c, 2, "factors", &m.Factors)
	c.Array(3, "session", m.Session[:])
	wire.Text(c, 4, "device", &m.Device)
}

// Redact removes what a user is recognized by.
func (m *Enrol) Redact() { m.Digest, m.Factors, m.Session = Digest{}, Factors{}, Digest{} }

// SignIn begins a session of a user, or counts a wrong factor.
type SignIn struct {
	User       UserID    // 0: the button of a demo
	Account    AccountID // of the button
	Generation uint32    // that the door judged by
	Proof      Proof
	Known      bool // the device signed in before
	Session    Digest
	Device     string
}

func (*SignIn) Kind() Kind { return 105 }

func (m *SignIn) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "user", &m.User)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "generation", &m.Generation)
	wire.Embed(c, 4, "proof", &m.Proof)
	c.Bool(5, "known", &m.Known)
	c.Array(6, "session", m.Session[:])
	wire.Text(c, 7, "device", &m.Device)
}

// Redact removes what the session is recognized by.
func (m *SignIn) Redact() { m.Proof, m.Session = Proof{Kind: m.Proof.Kind}, Digest{} }

// StepUp says that the user of a session has just given a factor again.
type StepUp struct {
	Key        KeyID // of the session
	Generation uint32
	Proof      Proof
}

func (*StepUp) Kind() Kind { return 106 }

func (m *StepUp) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "key", &m.Key)
	wire.Uint(c, 2, "generation", &m.Generation)
	wire.Embed(c, 3, "proof", &m.Proof)
}

// Redact removes the proof.
func (m *StepUp) Redact() { m.Proof = Proof{Kind: m.Proof.Kind} }

// SignOut ends a session of an account, or all of them but one.
type SignOut struct {
	Account AccountID
	Key     KeyID // the one that ends; 0: all but Except
	Except  KeyID
}

func (*SignOut) Kind() Kind { return 107 }

func (m *SignOut) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "key", &m.Key)
	wire.Uint(c, 3, "except", &m.Except)
}

func (m *SignOut) Subject() Subject { return Subject{Account: m.Account} }

// FactorChange is what SetFactor does.
type FactorChange uint8

const (
	ChangePassword FactorChange = iota + 1
	ChangeTOTP
	RemoveTOTP
	AddPasskey
	RemovePasskey
)

func (f FactorChange) String() string { return word(factorWords[:], f) }

var factorWords = [...]string{
	ChangePassword: "password", ChangeTOTP: "totp", RemoveTOTP: "no totp", AddPasskey: "passkey", RemovePasskey: "no passkey",
}

// SetFactor changes a factor of the user of a session. All sessions end, and the one that asked goes on under another id.
type SetFactor struct {
	Key        KeyID // of the session
	Generation uint32
	Change     FactorChange
	Factors    Factors // what is new; of the passkey that goes, its id
	Session    Digest  // the other id
}

func (*SetFactor) Kind() Kind { return 108 }

func (m *SetFactor) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "key", &m.Key)
	wire.Uint(c, 2, "generation", &m.Generation)
	wire.Uint(c, 3, "change", &m.Change)
	wire.Embed(c, 4, "factors", &m.Factors)
	c.Array(5, "session", m.Session[:])
}

// Redact removes what a user is recognized by.
func (m *SetFactor) Redact() { m.Factors, m.Session = Factors{}, Digest{} }

// TouchSession says that a session is in use, for those that only read. What is not touched for a day ends.
type TouchSession struct{ Key KeyID }

func (*TouchSession) Kind() Kind { return 109 }

func (m *TouchSession) Fields(c *wire.Coder) { wire.Uint(c, 1, "key", &m.Key) }

// UserChanged carries a user after something about him changed.
type UserChanged struct{ User User }

func (*UserChanged) event()   {}
func (*UserChanged) setting() {}

func (e *UserChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "user", &e.User) }

// Invitation is a link that somebody may become a user by.
type Invitation struct {
	Account AccountID
	Digest  Digest
	Login   Digest
	Name    []byte
	Expires Time
}

func (m *Invitation) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Array(2, "digest", m.Digest[:])
	c.Array(3, "login", m.Login[:])
	c.Bytes(4, "name", &m.Name)
	wire.Int(c, 5, "expires", &m.Expires)
}
