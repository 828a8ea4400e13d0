package schema

import (
	"fmt"
	"strings"

	"bourse/internal/wire"
)

// Bounds of webhooks.
const (
	MaxWebhookURL    = 2000 // bytes
	MaxWebhookKey    = 100
	MaxSealedWebhook = 256
	// WebhookShards is how many parts the webhooks are divided into; each part has one node at a time that sends.
	WebhookShards = 64
	// MaxDeliveries is how many outcomes a command may carry.
	MaxDeliveries = 256
)

// WebhookEvent is something that is announced to the server of a customer.
type WebhookEvent uint8

const (
	CodeApply WebhookEvent = iota + 1
	DepositAccepted
	DepositUpdated
	DepositProcessed
	DepositCancel
	WithdrawUnconfirmed
	WithdrawPending
	WithdrawCancel
	WithdrawSuccessful
	RefundSuccessful
	RefundFailed
	WithdrawPartial
	AddressCheckCompleted
	AddressCheckFailed
)

func (e WebhookEvent) String() string { return word(webhookWords[:], e) }

var webhookWords = [...]string{
	CodeApply: "code.apply", DepositAccepted: "deposit.accepted", DepositUpdated: "deposit.updated", DepositProcessed: "deposit.processed",
	DepositCancel: "deposit.canceled", WithdrawUnconfirmed: "withdraw.unconfirmed", WithdrawPending: "withdraw.pending",
	WithdrawCancel: "withdraw.canceled", WithdrawSuccessful: "withdraw.successful", RefundSuccessful: "refund.successful",
	RefundFailed: "refund.failed", WithdrawPartial: "withdraw.partial_successful", AddressCheckCompleted: "addresscheck.completed",
	AddressCheckFailed: "addresscheck.failed",
}

// WebhookEvents are some of them: the bit of each is its number.
type WebhookEvents uint32

// AllWebhookEvents are all there are.
const AllWebhookEvents WebhookEvents = 1<<len(webhookWords) - 2

// Has reports whether an event is among them.
func (s WebhookEvents) Has(e WebhookEvent) bool { return s>>e&1 == 1 }

// List are the events that are among them, by number.
func (s WebhookEvents) List() (list []WebhookEvent) {
	for e := CodeApply; int(e) < len(webhookWords); e++ {
		if s.Has(e) {
			list = append(list, e)
		}
	}
	return list
}

// ParseWebhookEvent is the event that has a name.
func ParseWebhookEvent(name string) (WebhookEvent, bool) {
	for _, e := range AllWebhookEvents.List() {
		if e.String() == name {
			return e, true
		}
	}
	return 0, false
}

// Webhook is where events of an account are sent. An account has one at most, and the webhook is known by the account. A webhook that was
// deleted leaves its count behind, so that no number is given twice.
type Webhook struct {
	Account AccountID
	URL     string // "": it was deleted
	Key     string // the public part
	Sealed  []byte // the secret
	Events  WebhookEvents
	On      bool // the customer wants it to send
	// Verified is the host of which it was shown that it is the customer's, with the key that holds; "": none.
	Verified string
	Paused   bool   // an operator holds deliveries back; events are announced
	Count    uint64 // of events that were announced
	Checked  Time   // when Verified was last looked at, by a check that ended with a result
	Failures uint8  // daily checks in a row that failed
}

func (m *Webhook) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Text(c, 2, "url", &m.URL)
	wire.Text(c, 3, "key", &m.Key)
	c.Bytes(4, "sealed", &m.Sealed)
	wire.Uint(c, 5, "events", &m.Events)
	c.Bool(6, "on", &m.On)
	wire.Text(c, 7, "verified", &m.Verified)
	c.Bool(8, "paused", &m.Paused)
	wire.Uint(c, 9, "count", &m.Count)
	wire.Int(c, 10, "checked", &m.Checked)
	wire.Uint(c, 11, "failures", &m.Failures)
}

// Exists reports whether it was not deleted.
func (m *Webhook) Exists() bool { return m.URL != "" }

// Active reports whether events are announced: the host is verified and the webhook switched on.
func (m *Webhook) Active() bool { return m.On && m.Verified != "" }

// Host is the host of the URL, with the port if it names one.
func (m *Webhook) Host() string { return WebhookHost(m.URL) }

// Shard that it belongs to.
func (m *Webhook) Shard() int { return ShardOf(m.Account) }

// ShardOf is the shard that the webhook of an account belongs to.
func ShardOf(account AccountID) int { return int(account % WebhookShards) }

// WebhookHost is the host of a URL of a webhook, with the port if it names one.
func WebhookHost(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// SetWebhook makes the webhook of an account, changes or deletes it. Another host or another key takes back that the host is verified.
type SetWebhook struct {
	Account AccountID
	URL     string
	Events  WebhookEvents
	On      bool
	// Key and Sealed are a new pair; "": that which it has.
	Key    string
	Sealed []byte
	Delete bool
}

func (*SetWebhook) Kind() Kind { return 95 }

func (m *SetWebhook) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Text(c, 2, "url", &m.URL)
	wire.Uint(c, 3, "events", &m.Events)
	c.Bool(4, "on", &m.On)
	wire.Text(c, 5, "key", &m.Key)
	c.Bytes(6, "sealed", &m.Sealed)
	c.Bool(7, "delete", &m.Delete)
}

func (m *SetWebhook) Subject() Subject { return Subject{Account: m.Account, Name: WebhookHost(m.URL)} }

// Redact removes the secret, and what the URL has behind its host: customers put secrets there.
func (m *SetWebhook) Redact() {
	scheme, _, found := strings.Cut(m.URL, "://")
	if found {
		m.URL = scheme + "://" + WebhookHost(m.URL)
	}
	m.Sealed = nil
}

// VerifyWebhook says what a check of who has a host found. It counts only if the webhook still has that host and that key.
type VerifyWebhook struct {
	Account AccountID
	Host    string
	Key     string
	Failed  bool // a daily check did not find the key
}

func (*VerifyWebhook) Kind() Kind { return 96 }

func (m *VerifyWebhook) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Text(c, 2, "host", &m.Host)
	wire.Text(c, 3, "key", &m.Key)
	c.Bool(4, "failed", &m.Failed)
}

func (m *VerifyWebhook) Subject() Subject { return Subject{Account: m.Account, Name: m.Host} }

// Shard is who sends for a part of the webhooks. Every owner has an epoch of its own, and counts beats.
type Shard struct {
	Number uint32
	Owner  uint64 // a number that a process drew when it started; 0: nobody
	Epoch  uint64
	Beat   uint64
}

func (m *Shard) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "number", &m.Number)
	wire.Uint(c, 2, "owner", &m.Owner)
	wire.Uint(c, 3, "epoch", &m.Epoch)
	wire.Uint(c, 4, "beat", &m.Beat)
}

// ShardSeen is a shard as somebody saw it.
type ShardSeen struct {
	Number uint32
	Epoch  uint64
	Beat   uint64
}

func (m *ShardSeen) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "number", &m.Number)
	wire.Uint(c, 2, "epoch", &m.Epoch)
	wire.Uint(c, 3, "beat", &m.Beat)
}

// ClaimShards makes a process the owner of shards, or lets it stay that. It counts only if the shards are as the process saw them, so it does
// not matter how long the command was under way. A new epoch begins for those that it did not own, and with Renew also for those that it did.
type ClaimShards struct {
	Owner  uint64
	Shards []ShardSeen
	Renew  bool
}

func (*ClaimShards) Kind() Kind { return 97 }

func (m *ClaimShards) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "owner", &m.Owner)
	wire.List(c, 2, "shards", &m.Shards)
	c.Bool(3, "renew", &m.Renew)
}

// Delivery is what became of an event of a webhook so far.
type Delivery struct {
	Account  AccountID
	N        uint64
	Epoch    uint64 // of the shard, in which it was tried
	Outcome  Delivered
	Attempts uint32
	Status   uint32 // of the last answer; 0: there was none
	Millis   uint32 // that the last attempt took
	At       Time   // of the last attempt, by the clock of who sent
	Due      Time   // of the next attempt
}

func (m *Delivery) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "n", &m.N)
	wire.Uint(c, 3, "epoch", &m.Epoch)
	wire.Uint(c, 4, "outcome", &m.Outcome)
	wire.Uint(c, 5, "attempts", &m.Attempts)
	wire.Uint(c, 6, "status", &m.Status)
	wire.Uint(c, 7, "millis", &m.Millis)
	wire.Int(c, 8, "at", &m.At)
	wire.Int(c, 9, "due", &m.Due)
}

// Delivered is what became of an event of a webhook.
type Delivered uint8

const (
	DeliveryRetried Delivered = iota + 1 // it was refused, and is tried again
	DeliveryDone                         // it was answered with 200
	DeliveryDropped                      // it is tried no more
)

func (d Delivered) String() string { return word(deliveredWords[:], d) }

var deliveredWords = [...]string{DeliveryRetried: "waiting", DeliveryDone: "delivered", DeliveryDropped: "dropped"}

// SettleWebhooks says what became of events. It counts only if every shard still has the epoch in which they were tried.
type SettleWebhooks struct{ Deliveries []Delivery }

func (*SettleWebhooks) Kind() Kind { return 98 }

func (m *SettleWebhooks) Fields(c *wire.Coder) {
	wire.List(c, 1, "deliveries", &m.Deliveries)
}

// ResendWebhook lets an event be sent once more, whatever became of it. Who has the event no more sends nothing.
type ResendWebhook struct {
	Account AccountID
	N       uint64
}

func (*ResendWebhook) Kind() Kind { return 99 }

func (m *ResendWebhook) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "n", &m.N)
}

func (m *ResendWebhook) Subject() Subject {
	return Subject{Account: m.Account, Name: fmt.Sprint("event ", m.N)}
}

// PauseWebhook holds deliveries of a webhook back, or lets them go on.
type PauseWebhook struct {
	Account AccountID
	Paused  bool
}

func (*PauseWebhook) Kind() Kind { return 100 }

func (m *PauseWebhook) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	c.Bool(2, "paused", &m.Paused)
}

func (m *PauseWebhook) Subject() Subject { return Subject{Account: m.Account} }

// Notified is an event that is announced to an account, with all that is said about it: what is listed may be otherwise when it is sent.
type Notified struct {
	Account AccountID // whose webhook it is
	N       uint64    // counts the events of the webhook, from 1
	Type    WebhookEvent
	Ticker  string // of the asset
	Name    string // of the asset
	Network string // "": the asset is on the chain no more
	Several bool   // the asset has more networks than one
	// Actual and Required are the confirmations of a deposit; Required is 0 where nothing is confirmed.
	Actual   uint64
	Required uint32
	// One of them is what the event is about.
	Code       Code
	Deposit    ChainDeposit
	Withdrawal Withdrawal
	Check      Check
}

func (*Notified) event() {}

func (e *Notified) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	wire.Uint(c, 2, "n", &e.N)
	wire.Uint(c, 3, "type", &e.Type)
	wire.Text(c, 4, "ticker", &e.Ticker)
	wire.Text(c, 5, "name", &e.Name)
	wire.Text(c, 6, "network", &e.Network)
	c.Bool(7, "several", &e.Several)
	wire.Uint(c, 8, "actual", &e.Actual)
	wire.Uint(c, 9, "required", &e.Required)
	wire.Embed(c, 10, "code", &e.Code)
	wire.Embed(c, 11, "deposit", &e.Deposit)
	wire.Embed(c, 12, "withdrawal", &e.Withdrawal)
	wire.Embed(c, 13, "check", &e.Check)
}

// WebhookChanged says that a webhook was made, changed, verified, paused or deleted. What it is now is in the state.
type WebhookChanged struct {
	Account AccountID
	Deleted bool
}

func (*WebhookChanged) event() {}

func (e *WebhookChanged) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	c.Bool(2, "deleted", &e.Deleted)
}

// WebhooksSettled carries what became of events, ShardsClaimed shards whose owner or beat changed, WebhookResent an event to send again.
type (
	WebhooksSettled struct{ Deliveries []Delivery }
	ShardsClaimed   struct{ Shards []Shard }
	WebhookResent   struct {
		Account AccountID
		N       uint64
	}
)

func (*WebhooksSettled) event() {}
func (*ShardsClaimed) event()   {}
func (*WebhookResent) event()   {}

func (e *WebhooksSettled) Fields(c *wire.Coder) { wire.List(c, 1, "deliveries", &e.Deliveries) }
func (e *ShardsClaimed) Fields(c *wire.Coder)   { wire.List(c, 1, "shards", &e.Shards) }

func (e *WebhookResent) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &e.Account)
	wire.Uint(c, 2, "n", &e.N)
}
