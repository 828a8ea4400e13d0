package core

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/schema"
)

// herald is a machine and the oracle, and what they announce to ada, who has a webhook with all events and a key.
type herald struct {
	*trial
	t   *testing.T
	now schema.Time
}

func newHerald(t *testing.T) *herald {
	h := &herald{newTrial(slice), t, start}
	h.does(
		&schema.SetAccount{Account: schema.Account{Name: "ada", Region: schema.Global}},
		&schema.SetWebhook{Account: ada, URL: "https://ada.example/a", Events: schema.AllWebhookEvents, On: true, Key: "key", Sealed: []byte(usualSealed)},
		&schema.VerifyWebhook{Account: ada, Host: "ada.example", Key: "key"},
		&schema.SetKey{Key: schema.Key{Key: "api", Account: ada, Enabled: true, Sealed: []byte(usualSealed)}},
		&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}},
		&schema.SetChain{Chain: schema.Chain{Name: "SEPA", Driver: schema.Provider}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "BTC", Name: "Bitcoin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true,
			Networks: []schema.Network{{Name: "BTC", Chain: 1, CanDeposit: true, Decimals: 8, ConfirmationsForTrading: 1, Confirmations: 2}},
		}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "EUR", Name: "Euro", Class: schema.Fiat, Scale: 4, Precision: 2, CanDeposit: true,
			Networks: []schema.Network{{Name: "SEPA", Chain: 2, CanDeposit: true, DepositFixed: d("0.5")}},
		}},
		&schema.OpenAddress{Account: ada, Chain: 1},
	)
	return h
}

// from applies a command as it came, and returns what is announced.
func (h *herald) from(from schema.Origin, c schema.Command, want schema.Reason) (list []string) {
	h.t.Helper()
	h.now += schema.Second
	before := 0
	if w, known := h.fast.Webhooks().Get(ada); known {
		before = int(w.Count)
	}
	if err := h.apply(moment{h.now, c, from}); err != nil {
		h.t.Fatalf("%T: %v", c, err)
	}
	if h.answer.Rejection.Reason != want {
		h.t.Fatalf("%T: %v, want %v", c, h.answer.Rejection.Reason, want)
	}
	for e := range h.fast.out.Events.All() {
		if n, is := e.(*schema.Notified); is {
			list = append(list, fmt.Sprintf("%s %d %s %d/%d %s %s", n.Type, n.Deposit.ID, n.Deposit.Amount, n.Actual, n.Required, n.Ticker, n.Deposit.Receipt))
			if before++; n.N != uint64(before) {
				h.t.Errorf("event %d has number %d", before, n.N)
			}
		}
	}
	return list
}

func (h *herald) does(commands ...schema.Command) {
	h.t.Helper()
	for _, c := range commands {
		h.from(schema.Origin{}, c, schema.OK)
	}
}

// says applies a command and holds it to what is announced.
func (h *herald) says(c schema.Command, want ...string) {
	h.t.Helper()
	if got := h.from(schema.Origin{}, c, schema.OK); !slices.Equal(got, want) {
		h.t.Errorf("%T announced %q, want %q", c, got, want)
	}
}

// A receipt that is mined again after its deposit was credited and reversed brings the account nothing, and so no event.
func TestTheSameMoneyIsNotAnnouncedTwice(t *testing.T) {
	h := newHerald(t)
	hash := func(height uint64, branch byte) schema.Digest { return schema.Digest{branch, byte(height), 31: 1} }
	block := func(height uint64, branch, parent byte, receipts ...schema.Receipt) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: 1, Height: height, Hash: hash(height, branch), Parent: hash(height-1, parent), Receipts: receipts}
	}
	paid := schema.Receipt{ID: "tx:0", Asset: 1, Amount: d("1"), Index: 1}
	h.says(block(10, 0, 0))
	h.says(block(11, 0, 0, paid), "deposit.accepted 1 1 1/2 BTC tx:0")
	h.says(block(12, 0, 0), "deposit.processed 1 1 2/2 BTC tx:0")
	h.says(&schema.ChainRewind{Chain: 1, Height: 10, Hash: hash(10, 0)})
	for height := uint64(11); height < 20; height++ {
		h.says(block(height, 1, map[bool]byte{true: 0, false: 1}[height == 11]))
	}
	if got, _ := h.fast.Chains().Deposit(1); !got.Reversed {
		t.Fatalf("the deposit is %+v", got)
	}
	h.says(block(20, 1, 1, paid))
	h.says(block(21, 1, 1))
	if got, _ := h.fast.Chains().Deposit(2); got.Status != schema.DepositCredited {
		t.Errorf("the deposit is %+v", got)
	}
	if got, _, _ := h.fast.Balance(ada, schema.Main, 1); got != d("1") {
		t.Errorf("ada has %s", got)
	}
}

func TestInvoicesAreAnnounced(t *testing.T) {
	h := newHerald(t)
	bill := func(unique string, n int) *schema.RequestInvoice {
		return &schema.RequestInvoice{Account: ada, Chain: 2, Asset: 2, Amount: d("10"), Unique: unique, Digest: codeDigest(n)}
	}
	h.says(bill("one", 1))
	h.says(bill("two", 2))
	h.says(bill("three", 3))
	h.says(&schema.SettleInvoice{Invoice: 1, Paid: true}, "deposit.processed 1 10 0/0 EUR ")
	h.says(&schema.SettleInvoice{Invoice: 2}, "deposit.canceled 2 10 0/0 EUR ")
	h.now += schema.MaxLifetime
	h.says(&schema.Tick{}, "deposit.canceled 3 10 0/0 EUR ")
}

// Deliveries are held back and sent again by those who run the exchange, and by no key or session.
func TestCustomersDoNotPauseAndResend(t *testing.T) {
	h := newHerald(t)
	h.does(&schema.RequestInvoice{Account: ada, Chain: 2, Asset: 2, Amount: d("10"), Unique: "one", Digest: codeDigest(1)}, &schema.SettleInvoice{Invoice: 1, Paid: true})
	for i, c := range []schema.Command{&schema.PauseWebhook{Account: ada, Paused: true}, &schema.ResendWebhook{Account: ada, N: 1}, &schema.PauseWebhook{Account: 999}} {
		h.from(schema.Origin{Key: 1, Nonce: uint64(i + 1)}, c, schema.OperatorMissing)
	}
	if w, _ := h.fast.Webhooks().Get(ada); w.Paused {
		t.Error("it is paused")
	}
	h.from(schema.Origin{Operator: "olga"}, &schema.PauseWebhook{Account: ada, Paused: true}, schema.OK)
	h.from(schema.Origin{Operator: "olga"}, &schema.ResendWebhook{Account: ada, N: 1}, schema.OK)
	h.does(&schema.PauseWebhook{Account: ada}, &schema.ResendWebhook{Account: ada, N: 1})
}
