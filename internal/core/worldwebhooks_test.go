package core

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"bourse/internal/schema"
)

// wantWebhooks gives most accounts a webhook that is active and has chosen everything.
func (w *world) wantWebhooks(t *dice) {
	w.hooked = []schema.Command{}
	for i := range worldAccounts {
		if chance(t, 4) == 0 {
			continue
		}
		account := schema.FirstCustomer + schema.AccountID(i)
		w.hooked = append(w.hooked,
			&schema.SetWebhook{Account: account, URL: "https://one.example/hook", Events: schema.AllWebhookEvents, On: true, Key: "key", Sealed: []byte(usualSealed)},
			&schema.VerifyWebhook{Account: account, Host: "one.example", Key: "key"})
	}
}

// webhook draws something that is done with the webhook of an account. Most of them come to be active soon, so that much is announced.
func (w *world) webhook(t *dice, account schema.AccountID) schema.Command {
	hook, has := schema.Webhook{}, false
	if w.bank != nil {
		hook, has = w.bank.Webhooks().Get(account)
	}
	switch n := chance(t, 20); {
	case !has && n < 14, n < 3:
		return w.setWebhook(t, account)
	case n < 11:
		c := &schema.VerifyWebhook{Account: account, Host: hook.Host(), Key: hook.Key, Failed: hook.Verified != "" && chance(t, 4) == 0}
		if rarely(t) {
			c.Host, c.Key = pick(t, c.Host, "other", ""), pick(t, c.Key, "other")
		}
		w.mark(w.now + 24*3600*schema.Second)
		return c
	case n < 13:
		return &schema.PauseWebhook{Account: account, Paused: coin(t)}
	case n < 14:
		return &schema.ResendWebhook{Account: account, N: pick(t, 0, 1, hook.Count, hook.Count+1)}
	case n < 17:
		return w.claimShards(t)
	case n < 19:
		return w.settleWebhooks(t, account, hook.Count)
	}
	return &schema.SetWebhook{Account: account, Delete: true, On: rarely(t)}
}

func (w *world) setWebhook(t *dice, account schema.AccountID) *schema.SetWebhook {
	c := &schema.SetWebhook{
		Account: account, URL: pick(t, "https://one.example/hook", "https://one.example/other?a", "https://one.example/hook", "https://two.example"), On: chance(t, 8) != 0,
		Events: schema.AllWebhookEvents, Key: pick(t, "", "key", "key2"),
	}
	if c.Key != "" {
		c.Sealed = []byte(usualSealed)
	}
	if chance(t, 4) == 0 {
		c.Events = schema.WebhookEvents(chance(t, 1<<14) * 2)
	}
	if chance(t, 10) == 0 {
		switch chance(t, 5) {
		case 0:
			c.URL = pick(t, "", "ftp://a", "https://", "https://a@b/", "https://a/#b", "https://a/ b", "http://a", "https://a/ü", `https://a\b`, "https://a/"+strings.Repeat("a", schema.MaxWebhookURL-10), "https://a/"+strings.Repeat("a", schema.MaxWebhookURL-9))
		case 1:
			c.Events = schema.WebhookEvents(pick(t, 1, 1<<15, 1<<14, 0))
		case 2:
			c.Key = pick(t, "a b", strings.Repeat("k", schema.MaxWebhookKey), strings.Repeat("k", schema.MaxWebhookKey+1))
		case 3:
			c.Sealed = bytes.Repeat([]byte{7}, pick(t, 0, 1, schema.MaxSealedWebhook, schema.MaxSealedWebhook+1))
		case 4:
			c.Delete = true
		}
	}
	return c
}

// claimShards claims some shards as they are, or nearly.
func (w *world) claimShards(t *dice) *schema.ClaimShards {
	c := &schema.ClaimShards{Owner: uint64(pick(t, 1, 1, 2)), Renew: rarely(t)}
	if rarely(t) {
		c.Owner = 0
	}
	var shards []schema.Shard
	if w.bank != nil {
		shards = w.bank.Webhooks().Shards()
	}
	for i := range shards {
		if s := shards[i]; chance(t, 3) != 0 {
			c.Shards = append(c.Shards, schema.ShardSeen{Number: s.Number, Epoch: s.Epoch, Beat: s.Beat})
		}
	}
	if n := len(c.Shards); n > 1 && chance(t, 6) == 0 {
		s := &c.Shards[chance(t, n)]
		switch chance(t, 4) {
		case 0:
			s.Epoch++
		case 1:
			s.Beat++
		case 2:
			c.Shards[n-1].Number = schema.WebhookShards
		case 3:
			c.Shards[1] = c.Shards[0]
		}
	}
	return c
}

func (w *world) settleWebhooks(t *dice, account schema.AccountID, count uint64) *schema.SettleWebhooks {
	c := &schema.SettleWebhooks{}
	epoch := uint64(0)
	if w.bank != nil {
		epoch = w.bank.Webhooks().Shards()[account%schema.WebhookShards].Epoch
	}
	for range pick(t, 1, 2, 2, 3, 0, schema.MaxDeliveries, schema.MaxDeliveries+1) {
		d := schema.Delivery{Account: account, N: 1 + uint64(chance(t, int(count)+1)), Epoch: epoch, Outcome: schema.DeliveryDone, Attempts: 1, Status: 200, At: w.now}
		if rarely(t) {
			d.Outcome = schema.Delivered(chance(t, 6))
		}
		if rarely(t) {
			d.Epoch += uint64(chance(t, 3)) - 1
		}
		c.Deliveries = append(c.Deliveries, d)
	}
	return c
}

// compareWebhooks compares the webhooks, how many events each announced, and who sends.
func (tr *trial) compareWebhooks() error {
	var want []schema.Webhook
	for _, w := range tr.slow.Webhooks() {
		if w.Exists() {
			want = append(want, w)
		}
	}
	if got := tr.fast.Webhooks().All(); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("webhooks:\n got %+v\nwant %+v", got, want)
	}
	if got, want := tr.fast.Webhooks().Shards(), tr.slow.Shards(); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("shards:\n got %+v\nwant %+v", got, want)
	}
	return nil
}
