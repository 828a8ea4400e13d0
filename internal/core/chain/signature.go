package chain

import (
	"slices"

	"bourse/internal/schema"
)

// Signatures of operators are kept for a signer that asks for them. They are not looked at here: only the signer knows the keys.

// validSignature reports whether a decision comes with a signature where it must, and with none where it cannot.
func validSignature(m *schema.DecideWithdrawal) bool {
	switch m.Decision {
	case schema.ApproveWithdrawal:
		return len(m.Signature) == 0 || len(m.Signature) == schema.SignatureSize
	case schema.SignWithdrawal:
		return len(m.Signature) == schema.SignatureSize
	}
	return len(m.Signature) == 0
}

// signable reports whether a signature can still be of use: nobody holds the withdrawal back, and no block has paid it.
func (w *withdrawal) signable() bool {
	return w.Status == schema.WithdrawalReview || w.Status == schema.WithdrawalQueued || w.Status == schema.WithdrawalPlanned || w.Status == schema.WithdrawalSent
}

// sign keeps the signature of an operator in place of an earlier one. The oldest makes room where there are as many as there may be.
func (w *withdrawal) sign(operator string, signature []byte) {
	if len(signature) == 0 {
		return
	}
	list := slices.DeleteFunc(w.signatures, func(s schema.Signature) bool { return s.Operator == operator })
	if len(list) == schema.MaxSignatures {
		list = slices.Delete(list, 0, 1)
	}
	w.signatures = append(list, schema.Signature{Operator: operator, Bytes: slices.Clone(signature)})
}

// validSignatures reports whether a withdrawal can have the signatures that it has.
func (w *withdrawal) validSignatures() bool {
	for i, s := range w.signatures {
		same := func(o schema.Signature) bool { return o.Operator == s.Operator }
		if s.Operator == "" || len(s.Bytes) != schema.SignatureSize || slices.ContainsFunc(w.signatures[:i], same) {
			return false
		}
	}
	return len(w.signatures) <= schema.MaxSignatures
}

// Signatures that operators gave for a withdrawal, the oldest first.
func (c *Chains) Signatures(id schema.WithdrawalID) []schema.Signature {
	place, known := c.byNumber[id]
	if !known {
		return nil
	}
	return slices.Clone(c.withdrawals.At(place).signatures)
}
