package naive

import (
	"testing"

	"bourse/internal/schema"
)

func TestKeysActOnTheirAccount(t *testing.T) {
	w := newWorld(t)
	w.must(&schema.SetSub{Master: anna, Alias: "kid", External: "kid", ShareKYC: true, Active: true})
	w.must(&schema.SetKey{Key: schema.Key{Key: "anna", Account: anna, Sealed: []byte("s"), Enabled: true, URLs: []string{allURLs}}})
	kid := carl + 1
	cases := []struct {
		cmd  schema.Command
		want schema.Reason
	}{
		{&schema.CancelAll{Account: anna}, schema.OK},
		{&schema.CancelAll{Account: ben}, schema.KeyNotAllowed},
		{&schema.CancelAll{Account: kid}, schema.KeyNotAllowed},
		{&schema.BlockSub{Master: anna, Sub: kid, Blocked: true}, schema.OK},
		{&schema.BlockSub{Master: ben, Sub: kid}, schema.KeyNotAllowed},
		{&schema.EditKey{By: ben, External: "e"}, schema.KeyNotAllowed},
		{&schema.VerifyWebhook{Account: kid}, schema.WebhookUnknown},
		{&schema.VerifyWebhook{Account: ben}, schema.SubUnknown},
		{&schema.VerifyWebhook{Account: 999}, schema.SubUnknown},
		{&schema.Tick{}, schema.OK}, // uses up the nonce of a request that changes nothing
		{&schema.SetFeature{Feature: schema.StepRule}, schema.KeyNotAllowed},
	}
	if r := w.from(schema.Origin{Key: 1, Nonce: 1}, &schema.CancelAll{Account: ben}); refused(r) {
		t.Errorf("before keys are judged: %v", r)
	}
	w.must(&schema.SetFeature{Feature: schema.JudgedKeys, On: true})
	for i, tt := range cases {
		if r := w.from(schema.Origin{Key: 1, Nonce: uint64(i + 2)}, tt.cmd); r.Reason != tt.want {
			t.Errorf("%T: %s, want %s", tt.cmd, r.Reason, tt.want)
		}
	}
}
