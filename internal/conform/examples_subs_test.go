package conform_test

import (
	"encoding/base64"
	"testing"

	"bourse/internal/schema"
)

// Ids of the family of alice in the examples. A gateway draws them by chance; here they are chosen.
const (
	exampleDesk     = "5f1c2b0e-7d64-4c1a-9a53-0d6f3c9b7e21"
	exampleArchive  = "9b7e6a52-14c8-4f0d-8e31-7a2d5c4b9f60"
	exampleCarol    = "c3d2a1b0-2f4e-4d6c-8b7a-1e9f8d7c6b5a"
	exampleAdviser  = "4e2d8c6b-0a9f-4b1e-8d7c-5f3a2e1b0c9d"
	exampleParked   = "e8a4d7f2-6b3c-4e5d-9c1f-2a7b8d6e4f30"
	exampleBot      = "1d9f4e7a-3c5b-4a8e-8f62-b0c7d6e5a493"
	exampleReporter = "7a3e9c1d-5b8f-4d2a-9e64-c1f0b8d7a625"
	exampleOld      = "b6c4d8e2-9f1a-4b7c-8d35-e2a1f0c9b847"
)

// family gives alice sub-accounts: a desk with money and keys, one that is empty, one that is invited and one that is blocked.
func (v venue) family(t *testing.T) {
	t.Helper()
	alice := v.account("alice").ID
	sealed := v.Exchange.Node.Key().Seal([]byte("carol@example.com"), "e-mail of a sub-account")
	for _, sub := range []schema.SetSub{
		{External: exampleDesk, Alias: "desk", Spot: true, Margin: true, ShareKYC: true},
		{External: exampleArchive, Alias: "archive", Spot: true, ShareKYC: true},
		{External: exampleParked, Alias: "parked", Spot: true, ShareKYC: true},
		{External: exampleAdviser, Alias: "adviser", Spot: true, Email: base64.StdEncoding.EncodeToString(sealed), Active: true},
		{External: exampleCarol, Alias: "carol", Spot: true, Email: base64.StdEncoding.EncodeToString(sealed)},
	} {
		sub.Master = alice
		v.Do(&sub)
	}
	desk := v.account(exampleDesk).ID
	v.Do(&schema.BlockSub{Master: alice, Sub: v.account(exampleParked).ID, Blocked: true})
	for _, amount := range []string{"1500", "250.5"} {
		v.Do(&schema.MoveSub{Master: alice, Sub: desk, ToSub: true, Asset: v.asset("USDT"), Amount: decimal(t, amount)})
	}
	v.Do(&schema.MoveSub{Master: alice, Sub: desk, Asset: v.asset("USDT"), Amount: decimal(t, "50.5")})
	v.Do(&schema.Transfer{Account: desk, Asset: v.asset("USDT"), Amount: decimal(t, "500"), From: schema.Main, To: schema.Trade})
	for i, key := range []struct{ external, public, title string }{
		{exampleBot, "b2f0c4d18e7a49c3a5d6e7f8091a2b3c", "bot"},
		{exampleReporter, "0d4e8f2a6c1b47d9b3e5f7a9c2d4e6f8", "reports"},
		{exampleOld, "7c9e1f3a5b7d49f1a3c5e7f9b1d3f5a7", "old"},
	} {
		v.Do(&schema.OpenKey{By: alice, Account: desk, External: key.external, Key: key.public, Sealed: []byte{1}, Title: key.title, Type: uint8(2 - i%2)})
	}
	v.Do(&schema.EditKey{By: alice, External: exampleBot, Title: "bot", Enable: []string{"/api/v4/order/new", "/api/v4/order/cancel", "/api/v4/orders"}})
	for _, address := range []string{"192.0.2.10", "2001:db8::10"} {
		v.Do(&schema.SetKeyAddress{By: alice, External: exampleBot, Address: address})
	}
	v.Do(&schema.RequestWithdrawal{
		Account: desk, Asset: v.asset("USDT"), Chain: v.sandbox(schema.TRON), Amount: decimal(t, "75"), Address: "TCNtTa1rveKkovHR2ebABu4K66U6ocUCZX", Unique: "payroll-4",
	})
}
