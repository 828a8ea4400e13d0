package core

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// TestAsManyCodesAsThereMayBe: an account can have so many active codes, and a tick sends so many back.
func TestAsManyCodesAsThereMayBe(t *testing.T) {
	const most, dropped = 1000, 1000
	tr := newTrial(slice)
	send := func(at schema.Time, want schema.Reason, cmd schema.Command) {
		t.Helper()
		if err := sender(tr.apply).run(moment{at: at, cmd: cmd}); err != nil {
			t.Fatal(err)
		}
		if got := tr.answer.Rejection.Reason; got != want {
			t.Fatalf("%T %+v: %s, want %s", cmd, cmd, got, want)
		}
	}
	for _, cmd := range genesis() {
		send(start, schema.OK, cmd)
	}
	create := func(account schema.AccountID, n int) *schema.CreateCode {
		return &schema.CreateCode{Account: account, Asset: 1, Amount: fixed.One, Digest: codeDigest(n), Sealed: []byte(usualSealed)}
	}
	try := func(n int) *schema.ApplyCode { return &schema.ApplyCode{Account: 103, Digest: codeDigest(n)} }
	for n := range most {
		send(start, schema.OK, create(101, n+1))
	}
	send(start, schema.CodesTooMany, create(101, most+1))
	send(start, schema.OK, create(102, most+1))
	send(start, schema.OK, try(7))
	send(start, schema.OK, create(101, most+2)) // one that ended leaves room
	send(start, schema.CodesTooMany, create(101, most+3))

	send(start+aYear-1, schema.OK, &schema.Tick{})
	send(start+aYear-1, schema.CodeInvalid, create(101, 1))
	send(start+aYear, schema.OK, &schema.Tick{})
	send(start+aYear, schema.CodeNotActive, try(7))
	send(start+aYear, schema.CodeUnknown, try(dropped+1))
	send(start+aYear, schema.OK, try(dropped+2)) // its time is over, and it is still there
	send(start+aYear, schema.OK, create(101, dropped+4))
	if next, _ := tr.slow.NextTimer(); next != start+2*aYear {
		t.Errorf("the next timer is at %d", next)
	}
	send(start+2*aYear, schema.OK, &schema.Tick{})
	send(start+2*aYear, schema.CodeUnknown, try(dropped+4))
	if kept, _, _ := tr.fast.Balance(schema.Codes, schema.Main, 1); !kept.IsZero() {
		t.Errorf("%s is left in codes", kept)
	}
	if _, running := tr.slow.NextTimer(); running {
		t.Error("something is still due")
	}
}
