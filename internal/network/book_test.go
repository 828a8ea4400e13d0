package network

import (
	"context"
	"strings"
	"testing"

	"bourse/internal/journal"
	"bourse/internal/network/sandbox"
	"bourse/internal/node"
	"bourse/internal/schema"
)

var (
	bitcoin = schema.Space{Family: schema.Bitcoin, Net: schema.Regtest}
	ripple  = schema.Space{Family: schema.XRP, Net: schema.Mainnet}
	evm     = schema.Space{Family: schema.EVM, Net: schema.Mainnet}
)

// aBook has sandboxes of two families and of an EVM chain that others live on too.
func aBook() *Book {
	b := &Book{spaces: map[schema.Space]*space{}}
	for _, c := range []schema.Chain{
		{ID: 1, Name: "BTC", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest},
		{ID: 2, Name: "XRP", Driver: schema.Sandbox, Family: schema.XRP, Net: schema.Mainnet},
		{ID: 3, Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Mainnet},
		{ID: 4, Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet},
	} {
		b.changed(&schema.ChainChanged{Chain: c})
	}
	return b
}

func (b *Book) opens(at schema.Space, index schema.AddressIndex, account schema.AccountID) schema.Address {
	a := schema.Address{Family: at.Family, Net: at.Net, Index: index, Account: account}
	b.changed(&schema.AddressOpened{Address: a})
	return a
}

func TestAddressesAreFound(t *testing.T) {
	b := aBook()
	for _, at := range []schema.Space{bitcoin, ripple} {
		for index := range schema.AddressIndex(3) {
			a := b.opens(at, index+1, 100+schema.AccountID(index))
			text, memo, ok := b.Text(&a)
			if wantText, wantMemo := sandbox.Derive(&a); !ok || text != wantText || memo != wantMemo {
				t.Errorf("%+v is written %q %q, %v", a, text, memo, ok)
			}
			// Also one that was opened after somebody asked.
			if got, ok := b.Find(at, text, memo); !ok || got != a {
				t.Errorf("%q %q is that of %+v, %v", text, memo, got, ok)
			}
			if got, ok := b.Find(bitcoin, strings.ToUpper(text), memo); at == bitcoin && (!ok || got != a) {
				t.Errorf("%q in capitals is that of %+v, %v", text, got, ok)
			}
			if got, ok := b.Find(at, text, "9"); ok {
				t.Errorf("%q with another memo is that of %+v", text, got)
			}
		}
	}
	text, _ := sandbox.Derive(&schema.Address{Family: schema.Bitcoin, Net: schema.Regtest, Index: 9})
	for _, c := range []struct {
		at   schema.Space
		text string
	}{{bitcoin, text}, {bitcoin, "nonsense"}, {bitcoin, ""}, {schema.Space{Family: schema.Bitcoin, Net: schema.Mainnet}, text}, {schema.Space{}, text}} {
		if got, ok := b.Find(c.at, c.text, ""); ok {
			t.Errorf("%v %q is that of %+v", c.at, c.text, got)
		}
	}
}

// TestOnlySandboxesAreWritten: an address of a chain that others live on too would have no keys there.
func TestOnlySandboxesAreWritten(t *testing.T) {
	b := aBook()
	a := b.opens(evm, 1, 101)
	text, memo := sandbox.Derive(&a)
	if got, _, ok := b.Text(&a); ok {
		t.Errorf("it is written %q", got)
	}
	if got, ok := b.Find(evm, text, memo); ok {
		t.Errorf("it is found: %+v", got)
	}
	// From the moment on in which a node joins.
	a = b.opens(bitcoin, 1, 101)
	text, memo = sandbox.Derive(&a)
	if _, ok := b.Find(bitcoin, text, memo); !ok {
		t.Error("it is not found")
	}
	b.changed(&schema.ChainChanged{Chain: schema.Chain{ID: 5, Name: "REAL", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}})
	if _, ok := b.Find(bitcoin, text, memo); ok || b.Derives(bitcoin) {
		t.Error("it is found")
	}
}

// TestABookOfANode has the addresses that were opened before it and those that are opened after.
func TestABookOfANode(t *testing.T) {
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	do := func(c schema.Command) (result schema.Result) {
		t.Helper()
		if err := n.Submit(context.Background(), c, &result); err != nil || result.Rejection.Refused() {
			t.Fatal(err, result.Rejection.Text())
		}
		return result
	}
	chain := schema.ChainID(do(&schema.SetChain{Chain: schema.Chain{Name: "BTC", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}}).ID)
	account := schema.AccountID(do(&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global}}).ID)
	opens := func() schema.Address {
		return *do(&schema.OpenAddress{Account: account, Chain: chain, Fresh: true}).Address
	}
	early := opens()
	b := Follow(n)
	for _, a := range []schema.Address{early, opens(), opens()} {
		text, memo, ok := b.Text(&a)
		if got, found := b.Find(bitcoin, text, memo); !ok || !found || got != a || got.Account != account {
			t.Errorf("%q is that of %+v, %v, not of %+v", text, got, found, a)
		}
	}
}
