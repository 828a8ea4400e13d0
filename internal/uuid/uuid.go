// Package uuid writes and reads the identities by which clients know records of the exchange: UUIDs of version 8, which leaves the bits to us,
// of the moment in milliseconds, the kind of the record and the number that the core gave it. The same record has the same UUID wherever it
// is shown.
package uuid

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"bourse/internal/schema"
)

// Kind is what a UUID is of: records of two kinds may have the same number. The numbers are for ever.
type Kind int

const (
	Transfer Kind = iota
	Code
	Deposit
	Withdrawal
	Check
	Plan
	Investment // which bears the time of its plan: what is known of a payment of interest is its plan
	Earned
)

// Text is the UUID of a record.
func Text(t schema.Time, kind Kind, n uint64) string { return string(Append(nil, t, kind, n)) }

// Append writes the UUID of a record.
func Append(dst []byte, t schema.Time, kind Kind, n uint64) []byte {
	ms := uint64(t) / 1000
	text := fmt.Sprintf("%012x8%03x8%015x", ms&(1<<48-1), int(kind), n&(1<<60-1))
	return append(dst, strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")...)
}

// Read is the number in a UUID, if it is one of the kind.
func Read(text string, kind Kind) (uint64, bool) {
	digits := strings.ReplaceAll(text, "-", "")
	if len(text) != 36 || len(digits) != 32 || !strings.EqualFold(digits[12:17], fmt.Sprintf("8%03x8", int(kind))) {
		return 0, false
	}
	number, err := strconv.ParseUint(digits[17:], 16, 64)
	return number, err == nil && number != 0
}

// Time is the moment in a UUID that Read takes, in whole milliseconds.
func Time(text string) schema.Time {
	ms, _ := strconv.ParseUint(text[:8]+text[9:13], 16, 64)
	return schema.Time(ms) * 1000
}

// Random is a UUID of version 4, for what has no number that could be known outside.
func Random() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the program ends if the system has none
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
