package chain

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// signs applies a decision of an operator with a signature of a byte again and again.
func (x *exchange) signs(operator string, id schema.WithdrawalID, v schema.Verdict, of byte, size int, want schema.Reason) {
	x.t.Helper()
	x.out.Operator = operator
	x.do(&schema.DecideWithdrawal{Withdrawal: id, Decision: v, Signature: bytes.Repeat([]byte{of}, size)}, want)
	x.out.Operator = ""
}

// signedBy wants a withdrawal to have these signatures.
func (x *exchange) signedBy(id schema.WithdrawalID, want ...string) {
	x.t.Helper()
	var got []string
	for _, s := range x.Signatures(id) {
		got = append(got, fmt.Sprint(s.Operator, " ", s.Bytes[0]))
	}
	if !slices.Equal(got, want) {
		x.t.Errorf("withdrawal %d is signed by %q, want %q", id, got, want)
	}
}

// TestSignaturesStayWithAWithdrawal: the last of each of three operators, in whatever state it is before a block pays it.
func TestSignaturesStayWithAWithdrawal(t *testing.T) {
	x := rich(t)
	x.network(func(_ *schema.Asset, n *schema.Network) { n.Approve2Above = fixed.One })
	x.do(request("a", "2"), schema.OK)
	plain := len(x.snapshot())
	for _, size := range []int{1, 63, 65} {
		x.signs("ann", 1, schema.ApproveWithdrawal, 1, size, schema.SignatureInvalid)
		x.signs("ann", 1, schema.SignWithdrawal, 1, size, schema.SignatureInvalid)
	}
	x.signs("ann", 1, schema.SignWithdrawal, 1, 0, schema.SignatureInvalid)
	for _, v := range []schema.Verdict{0, schema.CancelWithdrawal, schema.FreezeWithdrawal, schema.ReleaseWithdrawal} {
		x.signs("ann", 1, v, 1, 64, schema.SignatureInvalid)
	}
	x.signs("", 1, schema.SignWithdrawal, 1, 64, schema.OperatorMissing)
	x.signs("ann", 2, schema.SignWithdrawal, 1, 64, schema.WithdrawalUnknown)
	x.signs("ann", 1, schema.ApproveWithdrawal, 0, 0, schema.OK)
	x.signedBy(1)
	x.signs("ann", 1, schema.ApproveWithdrawal, 1, 64, schema.ApprovedBefore)
	x.signedBy(1)
	if more := len(x.snapshot()) - plain; more != len("ann")+2 { // the approver
		t.Errorf("a withdrawal without signatures takes %d bytes more", more)
	}

	x.signs("ann", 1, schema.SignWithdrawal, 1, 64, schema.OK)
	x.leaves()
	x.signs("bob", 1, schema.ApproveWithdrawal, 2, 64, schema.OK)
	x.leaves("1 queued at 0")
	x.signs("ann", 1, schema.SignWithdrawal, 3, 64, schema.OK)
	x.signedBy(1, "bob 2", "ann 3")
	x.signs("cid", 1, schema.SignWithdrawal, 4, 64, schema.OK)
	x.signs("dan", 1, schema.SignWithdrawal, 5, 64, schema.OK)
	x.signedBy(1, "ann 3", "cid 4", "dan 5")
	x.signs("ann", 1, schema.FreezeWithdrawal, 0, 0, schema.OK)
	x.signs("ann", 1, schema.SignWithdrawal, 1, 64, schema.WithdrawalDecided)
	x.signs("ann", 1, schema.ReleaseWithdrawal, 0, 0, schema.OK)
	x.signs("bob", 1, schema.ApproveWithdrawal, 0, 0, schema.OK)
	x.signedBy(1, "ann 3", "cid 4", "dan 5")

	x.mines(1)
	x.signs("ann", 1, schema.SignWithdrawal, 1, 64, schema.WithdrawalDecided)
	x.do(&schema.ReorgSandbox{Chain: play, Depth: 1}, schema.OK)
	x.signedBy(1, "ann 3", "cid 4", "dan 5")
}

// TestSignaturesOfAPayout: while a transaction is planned or sent, a signature may still come.
func TestSignaturesOfAPayout(t *testing.T) {
	x := sentOff(t)
	x.signs("ann", 1, schema.SignWithdrawal, 1, 64, schema.OK)
	x.signs("ann", 1, schema.ApproveWithdrawal, 1, 64, schema.WithdrawalDecided)
	x.signedBy(1, "ann 1")
	x.mined(bitcoin, 0, schema.OK, x.result(1, 0))
	x.signs("bob", 1, schema.SignWithdrawal, 2, 64, schema.WithdrawalDecided)
	x.signedBy(1, "ann 1")
}

func TestSignaturesThatCannotBe(t *testing.T) {
	x := rich(t)
	x.do(request("a", "2"), schema.OK)
	w := x.withdrawals.At(x.byNumber[1])
	one := schema.Signature{Operator: "ann", Bytes: make([]byte, 64)}
	for name, list := range map[string][]schema.Signature{
		"of nobody": {{Bytes: make([]byte, 64)}},
		"short":     {{Operator: "ann", Bytes: make([]byte, 63)}},
		"twice":     {one, one},
		"many":      {one, {Operator: "bob", Bytes: one.Bytes}, {Operator: "cid", Bytes: one.Bytes}, {Operator: "dan", Bytes: one.Bytes}},
	} {
		x.unreadable("withdrawal 1", func() { w.signatures = list })
		if err := x.Verify(); err == nil {
			t.Errorf("%s: it can be", name)
		}
		w.signatures = nil
	}
}
