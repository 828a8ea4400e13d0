package conform_test

import (
	"testing"

	"bourse/internal/conform"
	"bourse/internal/schema"
)

// family is the world of withdrawals where alice has sub-accounts and bob is a stranger who could have some.
type family struct {
	depositWorld
	alice, bob trader
}

func newFamily(t *testing.T) family {
	t.Helper()
	w := newWithdrawWorld(t, "alice", "bob")
	return family{w, w.trader(t, "alice"), w.trader(t, "bob")}
}

// both are the permissions for both wallets.
var both = obj{"spotEnabled": true, "collateralEnabled": true}

// opens makes a sub-account that shares the verification of its master, and is active at once.
func (c trader) opens(alias string) (id string) {
	c.t.Helper()
	made := c.must("sub-account/create", obj{"alias": alias, "shareKyc": true, "permissions": both})
	return made["id"].(string)
}

// invites makes one that is pending.
func (c trader) invites(alias string) (id string) {
	c.t.Helper()
	made := c.must("sub-account/create", obj{"alias": alias, "email": alias + "@example.com", "permissions": both})
	return made["id"].(string)
}

// subKey is an API key of a sub-account, and who uses it.
type subKey struct {
	trader
	id string
}

// key makes a key of a sub-account and enables endpoints on it.
func (f family) key(sub string, kind int, urls ...string) subKey {
	t := f.alice.t
	t.Helper()
	made := f.alice.must("sub-account/api-key/create", obj{"subAccountId": sub, "type": kind, "title": "bot"})
	k := subKey{trader{f.Client(made["apiKey"].(string), made["apiSecret"].(string)), t}, made["id"].(string)}
	f.alice.enables(k.id, urls...)
	return k
}

// enables switches endpoints of a key on, and disables switches them off.
func (c trader) enables(key string, urls ...string) {
	c.t.Helper()
	c.switches(key, true, urls)
}

func (c trader) disables(key string, urls ...string) {
	c.t.Helper()
	c.switches(key, false, urls)
}

func (c trader) switches(key string, on bool, urls []string) {
	c.t.Helper()
	answers(c.t, c.ask("sub-account/api-key/edit", obj{"apiKeyId": key, "title": "bot", "urls": switched(on, urls...)}), obj{})
}

// switched is a list of endpoints as requests have it.
func switched(on bool, urls ...string) (list []obj) {
	list = []obj{}
	for _, url := range urls {
		list = append(list, obj{"url": "/api/v4/" + url, "enable": on})
	}
	return list
}

// money is what most keys of the tests may call.
var money = []string{
	"main-account/balance", "main-account/history", "main-account/transfer", "main-account/withdraw", "main-account/withdraw-pay", "main-account/codes", "main-account/codes/apply",
	"main-account/refund-deposit", "trade-account/balance", "order/new", "orders", "order/cancel",
}

// set changes what operators say of an account.
func (f family) set(name string, change func(*schema.Account)) {
	a := f.account(name)
	change(&a)
	f.Do(&schema.SetAccount{Account: a})
}

// moves asks for money to be moved between the master and a sub-account.
func (c trader) moves(sub, direction, ticker, amount string) conform.Reply {
	c.t.Helper()
	return c.ask("sub-account/transfer", obj{"id": sub, "direction": direction, "ticker": ticker, "amount": amount})
}

// feeds moves money to a sub-account and returns the number of the transfer.
func (c trader) feeds(sub, ticker, amount string) string {
	c.t.Helper()
	return c.must("sub-account/transfer", obj{"id": sub, "direction": "main_to_sub", "ticker": ticker, "amount": amount})["transactionId"].(string)
}

// has checks what a sub-account has of an asset.
func (c trader) has(sub, ticker, main, spot, collateral string) {
	c.t.Helper()
	answers(c.t, c.ask("sub-account/balances", obj{"id": sub, "ticker": ticker}), obj{ticker: arr{obj{"main": main, "spot": spot, "collateral": collateral}}})
}

var (
	noSub        = broken("id", "Sub-account do not exists")
	notConfirmed = refusal{422, 422, "Account is not confirmed", obj{}}
	notAllowed   = refusal{401, 4, "This API Key is not authorized to perform this action.", obj{}}
	subBlocked   = refusal{401, 2, "This action is unauthorized. The account is blocked.", obj{}}
	unknownKey   = refusal{401, 0, "This action is unauthorized.", obj{}}
	noKey        = refusal{404, 0, "API key not found", obj{}}
	notEmpty     = broken("account", "Sub-account is not empty: it has balances, debts, orders, positions, deposits, withdrawals, codes or checks, or is locked.")
)

// ids that are nobody's, of every kind.
const noID = "00000000-0000-4000-8000-000000000000"
