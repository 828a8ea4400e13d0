package core

import (
	"testing"

	"bourse/internal/schema"
)

// What operators give an account is asked for where the command of a customer takes its place in the log, from where keys are judged on.
// Commands without a key were asked by nobody.
func TestGatesAreJudgedAgain(t *testing.T) {
	const anna = schema.FirstCustomer
	m := New()
	done(t, m, &schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}})
	done(t, m, &schema.SetKey{Key: schema.Key{Key: "key", Account: anna, Sealed: []byte("s"), Enabled: true, URLs: []string{schema.AllURLs}}})
	nonce := uint64(0)
	fresh, usual, bill := &schema.OpenAddress{Account: anna, Fresh: true}, &schema.OpenAddress{Account: anna}, &schema.RequestInvoice{Account: anna}
	want := func(c schema.Command, signed, unsigned schema.Reason) {
		t.Helper()
		nonce++
		if r := m.ApplyFrom(m.Time()+1, schema.Origin{Key: 1, Nonce: nonce}, c).Result.Rejection; r.Reason != signed {
			t.Errorf("%T by a key: %q", c, r.Text())
		}
		if r := m.Apply(m.Time()+1, c).Result.Rejection; r.Reason != unsigned {
			t.Errorf("%T: %q", c, r.Text())
		}
	}
	passed := func() { // what is looked at next
		t.Helper()
		want(fresh, schema.ChainUnknown, schema.ChainUnknown)
		want(bill, schema.AssetUnknown, schema.AssetUnknown)
	}
	passed()
	done(t, m, &schema.SetFeature{Feature: schema.JudgedKeys, On: true})
	want(fresh, schema.NoPermission, schema.ChainUnknown)
	want(usual, schema.ChainUnknown, schema.ChainUnknown)
	want(bill, schema.NoPermission, schema.AssetUnknown)
	done(t, m, &schema.SetAccount{Account: schema.Account{ID: anna, Name: "anna", Region: schema.Global, NewAddresses: true, Invoices: true}})
	passed()
}

// The user of a sub-account moves no money out by a session; its master pays partners for it.
func TestNoSessionOfASubAccountPays(t *testing.T) {
	c := enrolled(t)
	sub := c.subOf("one", true)
	c.do(invite(sub, 2), schema.OK)
	session := schema.KeyID(c.do(enrol(2, 1001), schema.OK).ID)
	own := by(1)
	own.Key = session
	c.from(own, &schema.PayExpress{Account: sub, Digest: digest(1)}, schema.SubNotPermitted)
	c.from(by(2), &schema.PayExpress{Account: ada, Digest: digest(1)}, schema.ExpressUnknown)
}
