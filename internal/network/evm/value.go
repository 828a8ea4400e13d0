package evm

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Values as nodes write them: hex after 0x.

var errHex = errors.New("it is not hex of the right length after 0x")

// account is an address.
type account [20]byte

func (a *account) UnmarshalText(text []byte) error { return unhex(a[:], text) }

// digest is a hash, or any word of 32 bytes.
type digest schema.Digest

func (d *digest) UnmarshalText(text []byte) error { return unhex(d[:], text) }

func (d digest) String() string { return "0x" + hex.EncodeToString(d[:]) }

func unhex(to, text []byte) error {
	if len(text) != 2+2*len(to) || text[0] != '0' || text[1] != 'x' {
		return errHex
	}
	_, err := hex.Decode(to, text[2:])
	return err
}

// quantity is a number. It is not looked at until somebody asks: most are of transactions that are not ours.
type quantity string

func (q quantity) units() (driver.Units, error) {
	digits, ok := strings.CutPrefix(string(q), "0x")
	n, valid := new(big.Int), ok && len(digits) > 0 && len(digits) <= 64
	if valid {
		_, valid = n.SetString(digits, 16)
	}
	if !valid || n.Sign() < 0 {
		return nil, fmt.Errorf("%.80q is not a number", string(q))
	}
	return n, nil
}

func (q quantity) uint() (uint64, error) {
	n, err := q.units()
	if err != nil {
		return 0, err
	}
	if !n.IsUint64() {
		return 0, fmt.Errorf("%s is too large", q)
	}
	return n.Uint64(), nil
}

// isZero reports whether it is written as zero.
func (q quantity) isZero() bool { return strings.Trim(string(q), "0x") == "" }

func hexUint(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }

func hexBig(n *big.Int) string { return "0x" + n.Text(16) }

func hexBytes(b []byte) string { return "0x" + hex.EncodeToString(b) }
