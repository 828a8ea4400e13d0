// Package webhook says which events are announced to the servers of customers, and which node sends them. It keeps no event: what is to be
// sent is in the outcomes, and those who follow the log keep it until it is settled.
//
// What must hold: an event is announced in the outcome of its cause, if the webhook is active and has chosen it at that moment, and then
// once; events of a webhook are numbered without gaps; a shard has one owner in each of its epochs.
package webhook

import (
	"slices"
	"strings"

	"bourse/internal/core/accounts"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	day = 24 * 3600 * schema.Second
	// mostFailures is after how many daily checks in a row that fail the host is not verified any more.
	mostFailures = 3
)

// Chains are where deposits stand.
type Chains interface {
	Deposit(schema.DepositID) (schema.ChainDeposit, bool)
	Cursor(schema.ChainID) (height uint64, hash schema.Digest)
}

// Webhooks are all of them.
type Webhooks struct {
	product.Base
	listing  *listing.Listing
	accounts *accounts.Accounts
	chains   Chains
	out      *schema.Outcome
	// Steps are how many deposits a command looks at whose confirmations may have changed.
	Steps int

	list   []schema.Webhook         // in the order in which accounts first had one
	places map[schema.AccountID]int // in list; only ever asked
	shards [schema.WebhookShards]schema.Shard
	counts counts
}

// counts are the deposits whose confirmations are announced, by number. A pass over them begins when a chain moves; it goes round, so that
// chains that move often keep none of them waiting.
type counts struct {
	shelf  slab.Shelf[counted, *counted]
	order  slab.List
	size   int
	places map[schema.DepositID]uint32 // only ever asked
	of     map[schema.AccountID]int    // how many are of an account; only ever asked
	next   uint32                      // where the pass goes on; 0: at the first
	rest   int                         // how many are to be looked at
	since  schema.Time                 // when the pass was left over
	moved  bool                        // by the command that is being done
}

// counted is a deposit that waits for confirmations.
type counted struct {
	slab.Links
	deposit schema.DepositID
	account schema.AccountID
	actual  uint64 // confirmations that were last announced, or would have been
}

// New makes webhooks of which there are none.
func New(listed *listing.Listing, a *accounts.Accounts, chains Chains, out *schema.Outcome) *Webhooks {
	h := &Webhooks{listing: listed, accounts: a, chains: chains, out: out, Steps: usualSteps, places: map[schema.AccountID]int{}}
	h.counts.places, h.counts.of = map[schema.DepositID]uint32{}, map[schema.AccountID]int{}
	for i := range h.shards {
		h.shards[i].Number = uint32(i)
	}
	return h
}

// Commands registers what can be done with webhooks.
func (h *Webhooks) Commands(on *product.Handlers) {
	product.On(on, h.set)
	product.On(on, h.verify)
	product.On(on, h.claim)
	product.On(on, h.settle)
	product.On(on, h.resend)
	product.On(on, h.pause)
}

// at is the webhook of an account, nil if there never was one. It is good until the next one is made.
func (h *Webhooks) at(account schema.AccountID) *schema.Webhook {
	if place, known := h.places[account]; known {
		return &h.list[place]
	}
	return nil
}

// existing is the webhook of an account that was not deleted.
func (h *Webhooks) existing(account schema.AccountID) (*schema.Webhook, schema.Rejection) {
	w := h.at(account)
	if w == nil || !w.Exists() {
		return nil, schema.Refuse(schema.WebhookUnknown)
	}
	return w, schema.Rejection{}
}

func (h *Webhooks) set(m *schema.SetWebhook) schema.Rejection {
	if h.accounts.Living(m.Account) == nil {
		return schema.Refuse(schema.AccountUnknown)
	}
	if r := h.accounts.MayManage(m.Account); r.Refused() {
		return r
	}
	w := h.at(m.Account)
	exists := w != nil && w.Exists()
	if m.Delete {
		return h.end(w, m)
	}
	next := schema.Webhook{Account: m.Account, URL: m.URL, Events: m.Events, On: m.On, Key: m.Key, Sealed: slices.Clone(m.Sealed)}
	if exists {
		next.Paused = w.Paused
		if m.Key == "" && len(m.Sealed) == 0 {
			next.Key, next.Sealed = w.Key, w.Sealed
		}
		if next.Host() == w.Host() && next.Key == w.Key {
			next.Verified, next.Checked, next.Failures = w.Verified, w.Checked, w.Failures
		}
	}
	if !valid(&next) {
		return schema.Refuse(schema.WebhookInvalid)
	}
	if w == nil {
		w = h.add(schema.Webhook{Account: m.Account})
	}
	next.Count = w.Count
	*w = next
	h.changed(w)
	return schema.Rejection{}
}

// Close ends the webhook of an account that is deleted.
func (h *Webhooks) Close(account schema.AccountID) {
	if w := h.at(account); w != nil && w.Exists() {
		*w = schema.Webhook{Account: w.Account, Count: w.Count}
		h.out.Events.Add(&schema.WebhookChanged{Account: account, Deleted: true})
	}
}

// end deletes a webhook. What it announced is counted for ever.
func (h *Webhooks) end(w *schema.Webhook, m *schema.SetWebhook) schema.Rejection {
	switch {
	case w == nil || !w.Exists():
		return schema.Refuse(schema.WebhookUnknown)
	case m.URL != "" || m.Events != 0 || m.On || m.Key != "" || len(m.Sealed) > 0:
		return schema.Refuse(schema.WebhookInvalid)
	}
	*w = schema.Webhook{Account: w.Account, Count: w.Count}
	h.changed(w)
	return schema.Rejection{}
}

// add puts a webhook in its place among the others.
func (h *Webhooks) add(w schema.Webhook) *schema.Webhook {
	h.places[w.Account] = len(h.list)
	h.list = append(h.list, w)
	return &h.list[len(h.list)-1]
}

func (h *Webhooks) changed(w *schema.Webhook) {
	h.out.Result.ID = uint64(w.Account)
	h.out.Events.Add(&schema.WebhookChanged{Account: w.Account, Deleted: !w.Exists()})
}

// valid reports whether there can be such a webhook.
func valid(w *schema.Webhook) bool {
	if !w.Exists() {
		return w.Key == "" && len(w.Sealed) == 0 && w.Events == 0 && !w.On && w.Verified == "" && !w.Paused && w.Checked == 0 && w.Failures == 0
	}
	return validURL(w.URL) && w.Events&^schema.AllWebhookEvents == 0 &&
		w.Key != "" && len(w.Key) <= schema.MaxWebhookKey && printable(w.Key) && len(w.Sealed) > 0 && len(w.Sealed) <= schema.MaxSealedWebhook &&
		(w.Verified == "" || w.Verified == w.Host()) && (w.Verified != "" || w.Checked == 0 && w.Failures == 0) && w.Failures < mostFailures
}

// validURL reports whether events can be sent to a URL. Doors are stricter: plain http is for an exchange on the same machine.
func validURL(url string) bool {
	if len(url) > schema.MaxWebhookURL || !printable(url) || strings.ContainsAny(url, "#@\\") {
		return false
	}
	return (strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")) && schema.WebhookHost(url) != ""
}

// printable reports whether a text is of ASCII characters that can be seen.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// verify counts what a check of a host found. A check that failed counts once a day, whichever node made it.
func (h *Webhooks) verify(m *schema.VerifyWebhook) schema.Rejection {
	w, r := h.existing(m.Account)
	if !r.Refused() {
		r = h.accounts.MayManage(m.Account)
	}
	switch {
	case r.Refused():
		return r
	case m.Host != w.Host() || m.Key != w.Key || m.Failed && (w.Verified == "" || h.out.Time < w.Checked+day):
		return schema.Refuse(schema.WebhookOther)
	case !m.Failed:
		w.Verified, w.Checked, w.Failures = m.Host, h.out.Time, 0
	case w.Failures+1 == mostFailures:
		w.Verified, w.Checked, w.Failures = "", 0, 0
	default:
		w.Checked, w.Failures = h.out.Time, w.Failures+1
	}
	h.changed(w)
	return schema.Rejection{}
}

// toRun is the webhook of an account for those who run the exchange: customers neither hold deliveries back nor have them again.
func (h *Webhooks) toRun(account schema.AccountID) (*schema.Webhook, schema.Rejection) {
	if h.out.Operator == "" && h.accounts.Called() {
		return nil, schema.Refuse(schema.OperatorMissing)
	}
	return h.existing(account)
}

func (h *Webhooks) pause(m *schema.PauseWebhook) schema.Rejection {
	w, r := h.toRun(m.Account)
	if r.Refused() {
		return r
	}
	w.Paused = m.Paused
	h.changed(w)
	return schema.Rejection{}
}

func (h *Webhooks) resend(m *schema.ResendWebhook) schema.Rejection {
	w, r := h.toRun(m.Account)
	switch {
	case r.Refused():
		return r
	case m.N == 0 || m.N > w.Count:
		return schema.Refuse(schema.WebhookEventUnknown)
	}
	h.out.Events.Add(&schema.WebhookResent{Account: m.Account, N: m.N})
	return schema.Rejection{}
}

// claim gives shards an owner. Nothing about it asks for the time: whether an owner is gone is for those who wait for its beats to say.
func (h *Webhooks) claim(m *schema.ClaimShards) schema.Rejection {
	if m.Owner == 0 || len(m.Shards) == 0 || len(m.Shards) > schema.WebhookShards {
		return schema.Refuse(schema.ShardsOther)
	}
	for i := range m.Shards {
		seen := &m.Shards[i]
		if seen.Number >= schema.WebhookShards || i > 0 && seen.Number <= m.Shards[i-1].Number {
			return schema.Refuse(schema.ShardsOther)
		}
		if shard := &h.shards[seen.Number]; shard.Epoch != seen.Epoch || shard.Beat != seen.Beat {
			return schema.Refuse(schema.ShardsOther)
		}
	}
	changed := make([]schema.Shard, 0, len(m.Shards))
	for i := range m.Shards {
		shard := &h.shards[m.Shards[i].Number]
		if shard.Owner == m.Owner && !m.Renew {
			shard.Beat++
		} else {
			shard.Owner, shard.Epoch, shard.Beat = m.Owner, shard.Epoch+1, 0
		}
		changed = append(changed, *shard)
	}
	h.out.Events.Add(&schema.ShardsClaimed{Shards: changed})
	return schema.Rejection{}
}

// settle makes known what became of events. Those of a webhook that was deleted meanwhile do not hold the others up.
func (h *Webhooks) settle(m *schema.SettleWebhooks) schema.Rejection {
	invalid := schema.Rejection{Reason: schema.DeliveriesInvalid, Value: fixed.FromInt(schema.MaxDeliveries)}
	if len(m.Deliveries) == 0 || len(m.Deliveries) > schema.MaxDeliveries {
		return invalid
	}
	for i := range m.Deliveries {
		d := &m.Deliveries[i]
		w := h.at(d.Account)
		switch {
		case w == nil || d.N == 0 || d.N > w.Count || !schema.Valid(d.Outcome):
			return invalid
		case d.Epoch != h.shards[schema.ShardOf(d.Account)].Epoch:
			return schema.Refuse(schema.DeliveriesLate)
		}
	}
	h.out.Events.Add(&schema.WebhooksSettled{Deliveries: slices.Clone(m.Deliveries)})
	return schema.Rejection{}
}

// Get is the webhook of an account.
func (h *Webhooks) Get(account schema.AccountID) (schema.Webhook, bool) {
	w := h.at(account)
	if w == nil || !w.Exists() {
		return schema.Webhook{}, false
	}
	return *w, true
}

// Any reports whether there is one.
func (h *Webhooks) Any() bool {
	return slices.ContainsFunc(h.list, func(w schema.Webhook) bool { return w.Exists() })
}

// All are the webhooks there are, in the order in which their accounts first had one.
func (h *Webhooks) All() []schema.Webhook {
	var list []schema.Webhook
	for i := range h.list {
		if h.list[i].Exists() {
			list = append(list, h.list[i])
		}
	}
	return list
}

// Shards are who sends, by number.
func (h *Webhooks) Shards() []schema.Shard { return slices.Clone(h.shards[:]) }
