package custody

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
)

// node is an extended public key that very many are derived from. The library would parse the point of the parent and that of the child
// for each of them, which takes as long as everything else.
type node struct {
	point  btcec.JacobianPoint
	public []byte // the point, compressed
	code   []byte
}

// newNode is a child of an extended public key.
func newNode(above *hdkeychain.ExtendedKey, index uint32) (*node, error) {
	below, err := above.Derive(index)
	if err != nil {
		return nil, err
	}
	point, err := below.ECPubKey()
	if err != nil {
		return nil, err
	}
	n := &node{public: point.SerializeCompressed(), code: below.ChainCode()}
	point.AsJacobian(&n.point)
	return n, nil
}

// child is the public key with an index below the node, which is not hardened (BIP32, CKDpub).
func (n *node) child(index uint32) (*btcec.PublicKey, error) {
	mac := hmac.New(sha512.New, n.code)
	mac.Write(n.public)
	mac.Write(binary.BigEndian.AppendUint32(nil, index))
	var step btcec.ModNScalar
	if step.SetByteSlice(mac.Sum(nil)[:32]) { // once in 2^127
		return nil, hdkeychain.ErrInvalidChild
	}
	var between, sum btcec.JacobianPoint
	btcec.ScalarBaseMultNonConst(&step, &between)
	btcec.AddNonConst(&between, &n.point, &sum)
	if sum.Z.IsZero() {
		return nil, hdkeychain.ErrInvalidChild
	}
	sum.ToAffine()
	return btcec.NewPublicKey(&sum.X, &sum.Y), nil
}
