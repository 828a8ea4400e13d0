package api

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Answer writes itself as JSON. Orders, books and tickers, which are asked for most, are written by hand, member
// by member; other objects by an Encoder.
type Answer interface {
	AppendTo(dst []byte) []byte
}

// Bytes is an answer that is JSON already.
type Bytes []byte

// AppendTo implements Answer.
func (b Bytes) AppendTo(dst []byte) []byte { return append(dst, b...) }

// AnswerFunc is an answer that is a function.
type AnswerFunc func(dst []byte) []byte

func (f AnswerFunc) AppendTo(dst []byte) []byte { return f(dst) }

// Array writes a JSON array.
func Array[T any](items []T, one func(dst []byte, item *T) []byte) Answer {
	return AnswerFunc(func(dst []byte) []byte {
		dst = append(dst, '[')
		for i := range items {
			dst = one(AppendComma(dst, i), &items[i])
		}
		return append(dst, ']')
	})
}

// Empty is the empty array that stands for "done".
var Empty = Bytes("[]")

// AppendComma writes a comma before every element but the first.
func AppendComma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// AppendInt writes a whole number.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendDecimal writes money, prices and amounts: decimal strings.
func AppendDecimal(dst []byte, d fixed.Decimal) []byte {
	return append(d.Append(append(dst, '"')), '"')
}

// AppendMoment writes a time as seconds with six decimals.
func AppendMoment(dst []byte, t schema.Time) []byte {
	dst = strconv.AppendInt(dst, int64(t/schema.Second), 10)
	micros := int64(t % schema.Second)
	dst = append(dst, '.')
	for unit := int64(100_000); unit > 0; unit /= 10 {
		dst = append(dst, byte('0'+micros/unit%10))
	}
	return dst
}

// AppendRatio writes how much of a whole a part is, as a number with four decimals, rounded down. Nothing is no part of nothing.
func AppendRatio(dst []byte, part, of uint64) []byte {
	n := uint64(0)
	switch {
	case of > 0 && part >= of:
		n = 10_000
	case of > 0:
		hi, lo := bits.Mul64(part, 10_000)
		n, _ = bits.Div64(hi, lo, of)
	}
	if n%10_000 == 0 {
		return strconv.AppendUint(dst, n/10_000, 10)
	}
	return append(dst, strings.TrimRight(fmt.Sprintf("0.%04d", n), "0")...)
}

// AppendText writes a JSON string.
func AppendText[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			b, _ := json.Marshal(string(s))
			return append(dst, b[1:]...)
		}
	}
	dst = append(dst, s...)
	return append(dst, '"')
}

// AppendBool writes true or false.
func AppendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }
