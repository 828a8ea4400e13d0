package naive

import (
	"slices"
	"strings"

	"bourse/internal/schema"
)

// Bounds of webhooks.
const (
	webhookURLMost    = 2000
	webhookKeyMost    = 100
	webhookSealedMost = 256
	webhookShards     = 64
	settledMost       = 256
	failedDays        = 3
	oneDay            = 24 * 3600 * 1_000_000 * schema.Microsecond
)

// webhooks is where events of accounts are sent, and what must be announced. It looks at what happened when a command is over, and
// remembers how every deposit and withdrawal was before.
type webhooks struct {
	call     *call
	listing  *listing
	accounts *accounts
	list     []*schema.Webhook
	shards   [webhookShards]schema.Shard

	heights     map[schema.ChainID]uint64
	deposits    map[schema.DepositID]schema.ChainDeposit
	withdrawals map[schema.WithdrawalID]schema.WithdrawalStatus
	announced   map[schema.DepositID]uint64 // confirmations
	tracked     []schema.DepositID          // that announced has, by number
}

func newWebhooks(c *call, l *listing, a *accounts) *webhooks {
	s := &webhooks{
		call: c, listing: l, accounts: a, heights: map[schema.ChainID]uint64{}, deposits: map[schema.DepositID]schema.ChainDeposit{},
		withdrawals: map[schema.WithdrawalID]schema.WithdrawalStatus{}, announced: map[schema.DepositID]uint64{},
	}
	for i := range s.shards {
		s.shards[i].Number = uint32(i)
	}
	return s
}

func (s *webhooks) apply(cmd schema.Command) *schema.Result {
	var result schema.Result
	switch c := cmd.(type) {
	case *schema.SetWebhook:
		result = s.set(c)
	case *schema.VerifyWebhook:
		result = s.verify(c)
	case *schema.ClaimShards:
		result = s.claim(c)
	case *schema.SettleWebhooks:
		result = s.settle(c)
	case *schema.ResendWebhook:
		w := s.of(c.Account)
		switch {
		case s.byCustomer():
			result = refuse(schema.OperatorMissing)
		case w == nil || w.URL == "":
			result = refuse(schema.WebhookUnknown)
		case c.N < 1 || c.N > w.Count:
			result = refuse(schema.WebhookEventUnknown)
		default:
			s.call.record(&schema.WebhookResent{Account: c.Account, N: c.N})
		}
	case *schema.PauseWebhook:
		w := s.of(c.Account)
		switch {
		case s.byCustomer():
			result = refuse(schema.OperatorMissing)
		case w == nil || w.URL == "":
			result = refuse(schema.WebhookUnknown)
		default:
			w.Paused = c.Paused
			result = s.changed(w)
		}
	default:
		return nil
	}
	return &result
}

// byCustomer reports whether a customer sent the command, by a key or signed in.
func (s *webhooks) byCustomer() bool {
	return s.call.operator == "" && s.accounts.key(s.call.key) != nil
}

func (s *webhooks) of(a schema.AccountID) *schema.Webhook {
	for _, w := range s.list {
		if w.Account == a {
			return w
		}
	}
	return nil
}

func (s *webhooks) changed(w *schema.Webhook) schema.Result {
	s.call.record(&schema.WebhookChanged{Account: w.Account, Deleted: w.URL == ""})
	return schema.Result{ID: uint64(w.Account)}
}

// hostIn is what stands between the scheme and the path of a URL.
func hostIn(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(rest, "?")
	return rest
}

func (s *webhooks) set(c *schema.SetWebhook) schema.Result {
	if _, r := s.accounts.living(c.Account); refused(r) {
		return reject(r)
	}
	if r := s.manages(c.Account); refused(r) {
		return reject(r)
	}
	old := schema.Webhook{Account: c.Account}
	if w := s.of(c.Account); w != nil {
		old = *w
	}
	if c.Delete {
		switch {
		case old.URL == "":
			return refuse(schema.WebhookUnknown)
		case c.URL != "", c.Events != 0, c.On, c.Key != "", len(c.Sealed) > 0:
			return refuse(schema.WebhookInvalid)
		}
		return s.keep(schema.Webhook{Account: c.Account, Count: old.Count})
	}
	w := old
	w.URL, w.Events, w.On = c.URL, c.Events, c.On
	if old.URL == "" || c.Key != "" || len(c.Sealed) > 0 {
		w.Key, w.Sealed = c.Key, c.Sealed
	}
	if hostIn(old.URL) != hostIn(w.URL) || old.Key != w.Key {
		w.Verified, w.Checked, w.Failures = "", 0, 0
	}
	plain := func(text string) bool {
		return !strings.ContainsFunc(text, func(r rune) bool { return r < '!' || r > '~' })
	}
	web := strings.HasPrefix(w.URL, "https://") || strings.HasPrefix(w.URL, "http://")
	switch {
	case !web, len(w.URL) > webhookURLMost, !plain(w.URL), strings.ContainsAny(w.URL, `@#\`), hostIn(w.URL) == "":
		return refuse(schema.WebhookInvalid)
	case w.Key == "", len(w.Key) > webhookKeyMost, !plain(w.Key), len(w.Sealed) < 1, len(w.Sealed) > webhookSealedMost:
		return refuse(schema.WebhookInvalid)
	case w.Events&1 != 0, w.Events >= 1<<15: // there are fourteen, from 1
		return refuse(schema.WebhookInvalid)
	}
	return s.keep(w)
}

func (s *webhooks) keep(w schema.Webhook) schema.Result {
	if old := s.of(w.Account); old != nil {
		*old = w
	} else {
		s.list = append(s.list, &w)
	}
	return s.changed(&w)
}

// manages looks whether the webhook of an account is the business of who sent the command: a customer's own, or that of a sub-account.
func (s *webhooks) manages(id schema.AccountID) schema.Rejection {
	if caller := s.accounts.key(s.call.key); caller != nil {
		return s.accounts.mine(caller.Account, id)
	}
	return accepted
}

func (s *webhooks) verify(c *schema.VerifyWebhook) schema.Result {
	w := s.of(c.Account)
	switch {
	case w == nil, w.URL == "":
		return refuse(schema.WebhookUnknown)
	case refused(s.manages(c.Account)):
		return reject(s.manages(c.Account))
	case c.Host != hostIn(w.URL), c.Key != w.Key:
		return refuse(schema.WebhookOther)
	case !c.Failed:
		w.Verified, w.Checked, w.Failures = c.Host, s.call.at, 0
		return s.changed(w)
	case w.Verified == "", s.call.at-w.Checked < oneDay:
		return refuse(schema.WebhookOther)
	}
	w.Checked = s.call.at
	w.Failures++
	if w.Failures == failedDays {
		w.Verified, w.Checked, w.Failures = "", 0, 0
	}
	return s.changed(w)
}

func (s *webhooks) claim(c *schema.ClaimShards) schema.Result {
	wrong := c.Owner == 0 || len(c.Shards) == 0
	for i, seen := range c.Shards {
		wrong = wrong || i > 0 && c.Shards[i-1].Number >= seen.Number || seen.Number >= webhookShards
		wrong = wrong || s.shards[seen.Number].Epoch != seen.Epoch || s.shards[seen.Number].Beat != seen.Beat
	}
	if wrong {
		return refuse(schema.ShardsOther)
	}
	claimed := &schema.ShardsClaimed{Shards: []schema.Shard{}}
	for _, seen := range c.Shards {
		shard := &s.shards[seen.Number]
		shard.Beat++
		if shard.Owner != c.Owner || c.Renew {
			shard.Owner, shard.Beat = c.Owner, 0
			shard.Epoch++
		}
		claimed.Shards = append(claimed.Shards, *shard)
	}
	s.call.record(claimed)
	return schema.Result{}
}

func (s *webhooks) settle(c *schema.SettleWebhooks) schema.Result {
	if n := len(c.Deliveries); n < 1 || n > settledMost {
		return reject(about(schema.DeliveriesInvalid, whole(settledMost)))
	}
	for _, d := range c.Deliveries {
		known := d.Outcome == schema.DeliveryRetried || d.Outcome == schema.DeliveryDone || d.Outcome == schema.DeliveryDropped
		if w := s.of(d.Account); w == nil || d.N < 1 || d.N > w.Count || !known {
			return reject(about(schema.DeliveriesInvalid, whole(settledMost)))
		}
		if d.Epoch != s.shards[d.Account%webhookShards].Epoch {
			return refuse(schema.DeliveriesLate)
		}
	}
	s.call.record(&schema.WebhooksSettled{Deliveries: slices.Clone(c.Deliveries)})
	return schema.Result{}
}

// announce goes through what the command made happen and announces what must be.
func (s *webhooks) announce() {
	for _, e := range slices.Clone(s.call.events) {
		switch e := e.(type) {
		case *schema.CodeChanged:
			if e.Code.Status == schema.CodeApplied {
				s.tell(e.Code.Account, schema.CodeApply, e.Code.Asset, 0, func(n *schema.Notified) { n.Code, n.Several = e.Code, false })
			}
		case *schema.CheckChanged:
			event := map[schema.CheckStatus]schema.WebhookEvent{schema.CheckSucceeded: schema.AddressCheckCompleted, schema.CheckFailed: schema.AddressCheckFailed}
			if about := event[e.Check.Status]; about != 0 {
				s.tell(e.Check.Account, about, e.Check.Asset, 0, func(n *schema.Notified) {
					n.Check, n.Network, n.Several = e.Check, e.Check.Network, false
				})
			}
		case *schema.WithdrawalChanged:
			s.withdrew(e.Withdrawal)
		case *schema.ChainDepositChanged:
			s.deposited(e)
		case *schema.ChainMoved:
			s.heights[e.Chain] = e.Height
		}
	}
	s.recount()
}

// tell announces an event, if the webhook of the account wants it now.
func (s *webhooks) tell(a schema.AccountID, event schema.WebhookEvent, asset schema.AssetID, chain schema.ChainID, fill func(*schema.Notified)) {
	w := s.of(a)
	if w == nil || !w.On || w.Verified == "" || w.Events>>event&1 == 0 {
		return
	}
	w.Count++
	listed := s.listing.asset(asset)
	n := &schema.Notified{Account: a, N: w.Count, Type: event, Ticker: listed.Ticker, Name: listed.Name, Several: len(listed.Networks) > 1}
	for _, network := range listed.Networks {
		if chain != 0 && network.Chain == chain {
			n.Network = network.Name
		}
	}
	fill(n)
	s.call.record(n)
}

func (s *webhooks) withdrew(w schema.Withdrawal) {
	was := s.withdrawals[w.ID]
	s.withdrawals[w.ID] = w.Status
	if was == w.Status {
		return
	}
	say := func(event schema.WebhookEvent) {
		s.tell(w.Account, event, w.Asset, w.Chain, func(n *schema.Notified) { n.Withdrawal = w })
	}
	switch {
	case w.Refund != 0 && w.Status == schema.WithdrawalDone:
		say(schema.RefundSuccessful)
	case w.Refund != 0 && w.Status == schema.WithdrawalCanceled:
		say(schema.RefundFailed)
	case w.Refund != 0 && w.Status == schema.WithdrawalReview && (was == schema.WithdrawalPlanned || was == schema.WithdrawalSent):
		say(schema.RefundFailed)
	case w.Refund != 0:
	case was == 0:
		say(schema.WithdrawUnconfirmed)
		if w.Status != schema.WithdrawalUnconfirmed {
			say(schema.WithdrawPending)
		}
	case was == schema.WithdrawalUnconfirmed && w.Status != schema.WithdrawalCanceled:
		say(schema.WithdrawPending)
	case w.Status == schema.WithdrawalDone:
		say(schema.WithdrawSuccessful)
	case w.Status == schema.WithdrawalCanceled:
		say(schema.WithdrawCancel)
	case w.Status == schema.WithdrawalPartial:
		say(schema.WithdrawPartial)
	}
}

func (s *webhooks) deposited(e *schema.ChainDepositChanged) {
	d := e.Deposit
	old, known := s.deposits[d.ID]
	s.deposits[d.ID] = d
	invoice := d.Index == 0 && d.Height == 0 && d.From == 0 && d.Address == ""
	if invoice && !known || known && old.Status == d.Status || s.call.unsaid[e] {
		return
	}
	if invoice {
		d.Receipt = ""
	}
	say := func(event schema.WebhookEvent, actual uint64) {
		s.tell(d.Account, event, d.Asset, d.Chain, func(n *schema.Notified) {
			n.Deposit, n.Actual, n.Required = d, actual, s.required(d)
			if d.From != 0 || invoice || event == schema.DepositCancel {
				n.Actual, n.Required = 0, 0
			}
		})
	}
	switch {
	case !known && d.Status == schema.DepositConfirming:
		say(schema.DepositAccepted, 1)
		if w := s.of(d.Account); w != nil && w.URL != "" {
			s.announced[d.ID] = 1
			s.tracked = append(s.tracked, d.ID)
		}
	case d.Status == schema.DepositCredited:
		say(schema.DepositProcessed, s.actual(d))
	case d.Status == schema.DepositCanceled || d.Status == schema.DepositLost:
		say(schema.DepositCancel, 0)
	}
}

// required is how many confirmations a deposit needs.
func (s *webhooks) required(d schema.ChainDeposit) uint32 {
	for _, n := range s.listing.asset(d.Asset).Networks {
		if n.Chain == d.Chain {
			return n.Confirmations
		}
	}
	return 6
}

// actual is how many it has.
func (s *webhooks) actual(d schema.ChainDeposit) uint64 {
	if d.Height == 0 || s.heights[d.Chain] < d.Height {
		return 0
	}
	return s.heights[d.Chain] - d.Height + 1
}

// recount announces the deposits whose confirmations are not those that were announced last, by number.
func (s *webhooks) recount() {
	if !slices.ContainsFunc(s.call.events, func(e schema.Event) bool { _, moved := e.(*schema.ChainMoved); return moved }) {
		return
	}
	for _, id := range s.tracked {
		d, actual := s.deposits[id], s.actual(s.deposits[id])
		if d.Status != schema.DepositConfirming && d.Status != schema.DepositHeld || actual == s.announced[id] {
			continue
		}
		s.announced[id] = actual
		s.tell(d.Account, schema.DepositUpdated, d.Asset, d.Chain, func(n *schema.Notified) {
			n.Deposit, n.Actual, n.Required = d, actual, s.required(d)
		})
	}
}
