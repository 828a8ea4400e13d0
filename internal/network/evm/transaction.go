package evm

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"golang.org/x/crypto/sha3"

	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Transaction is one of the kind that EIP-1559 brought, without a list of what it will touch: the only kind that is made here.
// Its unsigned form is what is hashed to be signed.
type Transaction struct {
	Chain uint64 // number of the chain: on another one the signature is worth nothing
	Nonce uint64
	Tip   uint64 // per gas, for who makes the block
	Cap   uint64 // per gas, the most that is paid, the tip included
	Gas   uint64 // the most that may be used
	To    [20]byte
	Value *big.Int
	Data  []byte
}

const (
	typeFee      = 2 // the first byte of such a transaction
	sizeBytesMax = 128 << 10
)

var errTransaction = errors.New("it is not a transaction of type 2 to an address")

func (t *Transaction) fields() []byte {
	b := make([]byte, 0, 128+len(t.Data))
	for _, n := range []uint64{t.Chain, t.Nonce, t.Tip, t.Cap, t.Gas} {
		b = appendUint(b, n)
	}
	b = appendBytes(b, t.To[:])
	b = appendBig(b, t.Value)
	b = appendBytes(b, t.Data)
	return appendList(b, nil) // of what it will touch
}

// Unsigned is what is hashed to be signed.
func (t *Transaction) Unsigned() []byte { return appendList([]byte{typeFee}, t.fields()) }

func (t *Transaction) read(r *reader) {
	t.Chain, t.Nonce, t.Tip, t.Cap, t.Gas = r.uint(), r.uint(), r.uint(), r.uint(), r.uint()
	to := r.bytes()
	t.Value, t.Data = r.big(), bytes.Clone(r.bytes())
	touched := r.list()
	if r.err == nil && (len(to) != len(t.To) || len(touched) > 0) {
		r.err = errTransaction
	}
	copy(t.To[:], to)
}

// open gives the reader of the fields of a transaction.
func open(text []byte) (*reader, error) {
	if len(text) < 2 || len(text) > sizeBytesMax || text[0] != typeFee {
		return nil, errTransaction
	}
	whole := reader{rest: text[1:]}
	fields := &reader{rest: whole.list()}
	return fields, whole.done()
}

// ReadUnsigned reads what is to be signed.
func ReadUnsigned(unsigned []byte) (*Transaction, error) {
	r, err := open(unsigned)
	if err != nil {
		return nil, err
	}
	var t Transaction
	t.read(r)
	return &t, r.done()
}

// Payment is whom a transaction pays and how much: of a token, if it names its contract, or of the chain's own asset. It is false if
// the transaction does something else.
func (t *Transaction) Payment() (to, contract string, units driver.Units, ok bool) {
	switch {
	case len(t.Data) == 0:
		return written(t.To), "", t.Value, true
	case len(t.Data) != 4+2*32 || !bytes.Equal(t.Data[:4], transferCall) || t.Value.Sign() != 0:
		return "", "", nil, false
	}
	payee, ok := accountOf(t.Data[4:36])
	return written(payee), written(t.To), new(big.Int).SetBytes(t.Data[36:]), ok
}

// signed is a transaction with its signature.
type signed struct {
	Transaction
	odd  byte // whether the point of the signature has an odd y
	r, s *big.Int
}

func (t *signed) raw() []byte {
	fields := appendUint(t.fields(), uint64(t.odd))
	return appendList([]byte{typeFee}, appendBig(appendBig(fields, t.r), t.s))
}

func readSigned(raw []byte) (*signed, error) {
	r, err := open(raw)
	if err != nil {
		return nil, err
	}
	var t signed
	t.read(r)
	odd := r.uint()
	t.r, t.s = r.big(), r.big()
	if err := r.done(); err != nil {
		return nil, err
	}
	t.odd = byte(odd)
	// Of s and its negative only the smaller one is valid (EIP-2): nobody can give a transaction another name.
	order := btcec.S256().N
	half := new(big.Int).Rsh(order, 1)
	if odd > 1 || t.r.Sign() == 0 || t.s.Sign() == 0 || t.r.Cmp(order) >= 0 || t.s.Cmp(half) > 0 {
		return nil, errors.New("its signature is not a valid one")
	}
	return &t, nil
}

// The first byte of a signature as btcec writes it says, above this number, which of the possible keys it is of.
const compact = 27

// sender is whose key signed.
func (t *signed) sender() ([20]byte, error) {
	signature := make([]byte, 65)
	signature[0] = compact + t.odd
	t.r.FillBytes(signature[1:33])
	t.s.FillBytes(signature[33:])
	public, _, err := ecdsa.RecoverCompact(signature, keccak(t.Unsigned()))
	if err != nil {
		return [20]byte{}, fmt.Errorf("its signature is of no key: %w", err)
	}
	return accountOfKey(public), nil
}

// Sign signs a transaction. The same key and transaction always give the same bytes (RFC 6979).
func Sign(unsigned []byte, key *btcec.PrivateKey) (raw []byte, err error) {
	plain, err := ReadUnsigned(unsigned)
	if err != nil {
		return nil, err
	}
	signature := ecdsa.SignCompact(key, keccak(unsigned), false)
	t := signed{
		Transaction: *plain, odd: signature[0] - compact,
		r: new(big.Int).SetBytes(signature[1:33]), s: new(big.Int).SetBytes(signature[33:]),
	}
	if t.odd > 1 { // r did not fit the order, which nobody has ever seen
		return nil, errors.New("this signature cannot be written in a transaction")
	}
	return t.raw(), nil
}

// Sender is the address whose key signed a transaction.
func Sender(raw []byte) (address string, err error) {
	t, err := readSigned(raw)
	if err != nil {
		return "", err
	}
	from, err := t.sender()
	if err != nil {
		return "", err
	}
	return written(from), nil
}

// Address is that of a key.
func Address(public *btcec.PublicKey) string { return written(accountOfKey(public)) }

// Signed implements driver.Chain. What is to be signed does not name the account that pays: a signature of any key would fit it, and
// pay from the account of that.
func (*Chain) Signed(unsigned, raw []byte, by string) (tx string, err error) {
	t, err := readSigned(raw)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(t.Unsigned(), unsigned) {
		return "", errors.New("another transaction was signed than the one that was asked for")
	}
	from, err := Sender(raw)
	if err != nil {
		return "", err
	}
	if from != by {
		return "", fmt.Errorf("%s signed it, and not %s", from, by)
	}
	return txName(raw), nil
}

// txName is what a signed transaction is called.
func txName(raw []byte) string { return "0x" + hex.EncodeToString(keccak(raw)) }

func keccak(b []byte) []byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write(b)
	return hash.Sum(nil)
}

func accountOfKey(public *btcec.PublicKey) [20]byte {
	return [20]byte(keccak(public.SerializeUncompressed()[1:])[12:])
}

// accountOf is the address in a word of 32 bytes; false if there is something else in it.
func accountOf(word []byte) (a [20]byte, ok bool) {
	copy(a[:], word[12:])
	return a, bytes.Equal(word[:12], make([]byte, 12))
}

// written is an address with its checksum (EIP-55). They look the same on all nets.
func written(a [20]byte) string {
	var receiver [32]byte
	copy(receiver[:], a[:])
	return address.Write(schema.Space{Family: schema.EVM, Net: schema.Mainnet}, 0, receiver)
}

// parsed is the opposite of written; it takes all ways to write an address.
func parsed(text string) (a [20]byte, err error) {
	canonical, err := address.Parse(schema.Space{Family: schema.EVM, Net: schema.Mainnet}, text)
	if err != nil {
		return a, fmt.Errorf("address %.60q: %w", text, err)
	}
	_, err = hex.Decode(a[:], []byte(canonical[2:]))
	return a, err
}
