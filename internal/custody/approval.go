package custody

import (
	"crypto/ed25519"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Approval is what the key of an operator signs: the payment of a withdrawal, with all that tells it from every other one. Who signs reads
// it from the exchange and looks at it; a signer reads it from the transaction that pays.
type Approval struct {
	Withdrawal uint64 `json:"withdrawal"`
	Chain      string `json:"chain"`
	Family     string `json:"family"`
	Net        string `json:"net"`
	Number     uint64 `json:"number"` // of an EVM chain, otherwise 0
	Keys       string `json:"keys"`   // print of the keys that pay, in hexadecimal digits: another exchange has others
	Asset      string `json:"asset"`
	Contract   string `json:"contract"` // of a token; "": the chain's own asset
	Address    string `json:"address"`
	Memo       string `json:"memo"`
	Amount     string `json:"amount"` // what the receiver gets
}

// NewApproval is the approval of a withdrawal by an asset on a chain, whose space has keys with that print.
func NewApproval(c *schema.Chain, keys schema.Digest, asset, contract string, w *driver.Paid) *Approval {
	if canonical, err := address.Parse(c.Space(), contract); err == nil { // settings may have it in small letters
		contract = canonical
	}
	return &Approval{
		Withdrawal: uint64(w.ID), Chain: c.Name, Family: c.Family.String(), Net: c.Net.String(), Number: c.Number, Keys: hex.EncodeToString(keys[:]),
		Asset: asset, Contract: contract, Address: w.Address, Memo: w.Memo, Amount: w.Amount.String(),
	}
}

// approvalContext is what the signed bytes begin with, so that they are no other message. Another way to write them has another number.
const approvalContext = "bourse withdrawal approval 1"

// Bytes are what is signed. Each part has its length in front, in four bytes: no two approvals have the same bytes.
func (a *Approval) Bytes() []byte {
	var b []byte
	for _, part := range []string{
		approvalContext, fmt.Sprint(a.Withdrawal), a.Chain, a.Family, a.Net, fmt.Sprint(a.Number), a.Keys, a.Asset, a.Contract, a.Address, a.Memo, a.Amount,
	} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
		b = append(b, part...)
	}
	return b
}

// Sign signs with the key of an operator.
func (a *Approval) Sign(key ed25519.PrivateKey) []byte { return ed25519.Sign(key, a.Bytes()) }

// SignedBy reports whether a signature is that of a key.
func (a *Approval) SignedBy(key ed25519.PublicKey, signature []byte) bool {
	return ed25519.Verify(key, a.Bytes(), signature)
}

// Describe says to a person what is approved.
func (a *Approval) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Withdrawal %d: %s %s to %s", a.Withdrawal, a.Amount, a.Asset, a.Address)
	if a.Memo != "" {
		fmt.Fprintf(&b, ", memo %q", a.Memo)
	}
	fmt.Fprintf(&b, "\non %s (%s %s", a.Chain, a.Family, a.Net)
	if a.Number != 0 {
		fmt.Fprintf(&b, ", number %d", a.Number)
	}
	b.WriteByte(')')
	if a.Contract != "" {
		fmt.Fprintf(&b, ", token of contract %s", a.Contract)
	}
	fmt.Fprintf(&b, "\nby the exchange whose keys have the fingerprint %.16s\n", a.Keys)
	return b.String()
}
