package fixed

import (
	"math"
	"math/bits"
	"strconv"
)

// ParseCode says what kind of mistake a text contains.
type ParseCode uint8

const (
	Empty           ParseCode = iota + 1 // the text has no characters
	Malformed                            // the text is not a plain decimal number
	TooManyDecimals                      // more than 18 digits after the point
	Overflow                             // the number lies outside Min to Max
)

// maxText is how much of a rejected text an error repeats, so that a huge input
// is not copied into logs and replies.
const maxText = 40

// ParseError is the error of Parse and ParseBytes. A text with several mistakes
// gets the code that comes first in the order of the constants.
type ParseError struct {
	Code ParseCode
	Text string // the first 40 bytes of the rejected text
}

// Error says what is wrong with the text and what would be right.
func (e ParseError) Error() string {
	text := strconv.QuoteToASCII(e.Text)
	if len(e.Text) >= maxText {
		text = "the text beginning with " + text
	}
	switch e.Code {
	case Empty:
		return `the number is empty: write digits such as "12.5"`
	case TooManyDecimals:
		return text + " has too many decimals: write at most 18 digits after the point"
	case Overflow:
		return text + " is too large: write a number from " + Min.String() + " to " + Max.String()
	default:
		return text + ` is not a decimal number: write digits, optionally with '-' in front and '.' and more digits behind, such as "-12.5"`
	}
}

// Parse reads a number: an optional '-', one or more digits and, optionally, a
// '.' with 1 to 18 digits. Anything else, such as '+', an exponent, a space or
// a missing digit beside the point, is an error of type ParseError.
func Parse(s string) (Decimal, error) {
	d, code := parse(s)
	if code != 0 {
		return Decimal{}, rejected(code, s)
	}
	return d, nil
}

// ParseBytes does what Parse does. It does not keep b.
func ParseBytes(b []byte) (Decimal, error) {
	d, code := parse(b)
	if code != 0 {
		return Decimal{}, rejected(code, b)
	}
	return d, nil
}

// MustParse is Parse for constants and tests. It panics when s is not a number.
func MustParse(s string) Decimal {
	d, err := Parse(s)
	if err != nil {
		panic("fixed: " + err.Error())
	}
	return d
}

func rejected[T ~string | ~[]byte](code ParseCode, s T) error {
	return ParseError{Code: code, Text: string(s[:min(len(s), maxText)])}
}

// parse returns code 0 for a good text. It reads the text to its end even when
// the number is already known not to fit, so that the code does not depend on
// where in the text the mistakes stand.
func parse[T ~string | ~[]byte](s T) (Decimal, ParseCode) {
	if len(s) == 0 {
		return Decimal{}, Empty
	}
	i := 0
	neg := s[0] == '-'
	if neg {
		i++
	}

	// The whole part of Max is below 10 × 2^64, so once whole.hi is 10 or more
	// the number cannot fit; stopping there also keeps whole.hi from wrapping.
	var whole u128
	start := i
	for ; i < len(s); i++ {
		c := uint64(s[i]) - '0'
		if c > 9 {
			break
		}
		if whole.hi == 0 && whole.lo <= (math.MaxUint64-9)/10 {
			whole.lo = whole.lo*10 + c
		} else if whole.hi < 10 {
			h, l := bits.Mul64(whole.lo, 10)
			l, carry := bits.Add64(l, c, 0)
			whole = u128{whole.hi*10 + h + carry, l}
		}
	}
	if i == start {
		return Decimal{}, Malformed
	}

	var frac uint64
	decimals := 0
	if i < len(s) {
		if s[i] != '.' {
			return Decimal{}, Malformed
		}
		i++
		start = i
		for ; i < len(s); i++ {
			c := uint64(s[i]) - '0'
			if c > 9 {
				return Decimal{}, Malformed
			}
			if i-start < Places {
				frac = frac*10 + c
			}
		}
		decimals = i - start
		if decimals == 0 {
			return Decimal{}, Malformed
		}
		if decimals > Places {
			return Decimal{}, TooManyDecimals
		}
		frac *= pow10[Places-decimals]
	}

	if whole.hi >= 10 {
		return Decimal{}, Overflow
	}
	// whole.hi × 10^18 is at most 9 × 10^18 and the rest adds at most 10^18, so
	// the high word does not wrap and signed sees the true magnitude.
	hi, lo := bits.Mul64(whole.lo, unit)
	lo, carry := bits.Add64(lo, frac, 0)
	d, ok := u128{hi + whole.hi*unit + carry, lo}.signed(neg)
	if !ok {
		return Decimal{}, Overflow
	}
	return d, 0
}
