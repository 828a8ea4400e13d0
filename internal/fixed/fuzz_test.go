package fixed_test

import (
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"bourse/internal/fixed"
)

var grammar = regexp.MustCompile(`\A-?[0-9]+(\.([0-9]+))?\z`)

// wantParse is the specification of Parse: the stored value, or a code.
func wantParse(s string) (*big.Int, fixed.ParseCode) {
	if s == "" {
		return nil, fixed.Empty
	}
	m := grammar.FindStringSubmatch(s)
	if m == nil {
		return nil, fixed.Malformed
	}
	if len(m[2]) > 18 {
		return nil, fixed.TooManyDecimals
	}
	digits := strings.Replace(s, ".", "", 1) + strings.Repeat("0", 18-len(m[2]))
	n, _ := new(big.Int).SetString(digits, 10)
	if !fits(n) {
		return nil, fixed.Overflow
	}
	return n, 0
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "0", "-0", "1.5", "-1.", ".5", "+1", "1e5", " 1", "1.2.3", "007", ulp, maxText, minText,
		"170141183460469231731.687303715884105728", "18446744073709551616", "0.0000000000000000000", "١",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, code := wantParse(s)
		d, err := fixed.Parse(s)
		fromBytes, errBytes := fixed.ParseBytes([]byte(s))
		if fromBytes != d || errBytes != err {
			t.Fatalf("ParseBytes(%q) = %v, %v; Parse = %v, %v", s, fromBytes, errBytes, d, err)
		}
		if code != 0 {
			var pe fixed.ParseError
			if !errors.As(err, &pe) || pe.Code != code || !strings.HasPrefix(s, pe.Text) || len(pe.Text) > 40 {
				t.Fatalf("Parse(%q) = %v, %#v; want code %d", s, d, err, code)
			}
			return
		}
		if err != nil || toBig(d).Cmp(want) != 0 {
			t.Fatalf("Parse(%q) = %v, %v; want %v units", s, d, err, want)
		}
		printed := d.String()
		if back, err := fixed.Parse(printed); err != nil || back != d || len(printed) > len(s) {
			t.Fatalf("%q prints as %q, which parses to %v, %v", s, printed, back, err)
		}
	})
}

func FuzzMulDiv(f *testing.F) {
	for i, a := range []fixed.Decimal{fixed.Zero, fixed.One, fixed.Max, fixed.Min, num(ulp), num("-64250.12")} {
		for j, b := range []fixed.Decimal{fixed.One, fixed.Max, fixed.Min, num("-" + ulp), num("18.446744073709551616")} {
			ah, al := a.Bits()
			bh, bl := b.Bits()
			f.Add(ah, al, bh, bl, uint8(i*3+j), uint8(i+j))
		}
	}
	f.Fuzz(func(t *testing.T, ah int64, al uint64, bh int64, bl uint64, p, dir uint8) {
		a, b := fixed.FromBits(ah, al), fixed.FromBits(bh, bl)
		places, r := int(p)%(fixed.Places+1), roundings[int(dir)%len(roundings)]

		got, ok := fixed.Mul(a, b, places, r)
		if want, wantOK := wantMul(a, b, places, r); got != want || ok != wantOK {
			t.Fatalf("Mul(%v, %v, %d, %v) = %v, %v; want %v, %v", a, b, places, r, got, ok, want, wantOK)
		}
		got, ok = fixed.Div(a, b, places, r)
		if want, wantOK := wantDiv(a, b, places, r); got != want || ok != wantOK {
			t.Fatalf("Div(%v, %v, %d, %v) = %v, %v; want %v, %v", a, b, places, r, got, ok, want, wantOK)
		}
		got, ok = a.Round(places, r)
		if want, wantOK := wantRound(a, places, r); got != want || ok != wantOK {
			t.Fatalf("Round(%v, %d, %v) = %v, %v; want %v, %v", a, places, r, got, ok, want, wantOK)
		}
	})
}

func FuzzCarry(f *testing.F) {
	hi, lo := fixed.Max.Bits()
	f.Add(hi, lo, uint64(1), uint64(1), uint64(0))
	f.Add(hi, lo, ^uint64(0), ^uint64(0), ^uint64(0))
	f.Add(int64(0), uint64(123_450_000_000_000_000), uint64(1_000_000_000), uint64(8_760_000_000_000), uint64(8_759_999_999_999))
	f.Fuzz(func(t *testing.T, hi int64, lo, times, of, rest uint64) {
		d := fixed.FromBits(hi, lo)
		if d.Sign() < 0 || of == 0 {
			return
		}
		got, left, ok := d.Carry(times, of, rest)
		if want, wantLeft, wantOK := wantCarry(d, times, of, rest); got != want || left != wantLeft || ok != wantOK {
			t.Fatalf("Carry(%v, %d, %d, %d) = %v, %d, %v; want %v, %d, %v", d, times, of, rest, got, left, ok, want, wantLeft, wantOK)
		}
	})
}
