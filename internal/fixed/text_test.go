package fixed_test

import (
	"errors"
	"strings"
	"testing"

	"bourse/internal/fixed"
)

func TestParseAccepts(t *testing.T) {
	tests := []struct{ in, printed string }{
		{"0", "0"},
		{"-0", "0"},
		{"-0.000", "0"},
		{"1", "1"},
		{"-1", "-1"},
		{"007.50", "7.5"},
		{"64250.12", "64250.12"},
		{"0.1", "0.1"},
		{"100", "100"},
		{"0.000000001", "0.000000001"},
		{"0.0000000010", "0.000000001"},
		{"0.1000000001", "0.1000000001"},
		{ulp, ulp},
		{"-" + ulp, "-" + ulp},
		{"1.000000000000000000", "1"},
		{"18446744073709551615", "18446744073709551615"},
		{"18446744073709551616", "18446744073709551616"},
		{"99999999999999999999", "99999999999999999999"},
		{"100000000000000000000.5", "100000000000000000000.5"},
		{maxText, maxText},
		{minText, minText},
		{strings.Repeat("0", 500) + maxText, maxText},
	}
	for _, tt := range tests {
		got, err := fixed.Parse(tt.in)
		if err != nil || got.String() != tt.printed {
			t.Errorf("Parse(%q) = %v, %v; want %s", tt.in, got, err, tt.printed)
		}
		fromBytes, err := fixed.ParseBytes([]byte(tt.in))
		if err != nil || fromBytes != got {
			t.Errorf("ParseBytes(%q) = %v, %v; want %v", tt.in, fromBytes, err, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	digits := strings.Repeat("9", 1000)
	tests := []struct {
		code fixed.ParseCode
		in   string
	}{
		{fixed.Empty, ""},
		{fixed.Malformed, "-"},
		{fixed.Malformed, "--1"},
		{fixed.Malformed, "+1"},
		{fixed.Malformed, "."},
		{fixed.Malformed, ".5"},
		{fixed.Malformed, "-.5"},
		{fixed.Malformed, "1."},
		{fixed.Malformed, "1.2.3"},
		{fixed.Malformed, "1..2"},
		{fixed.Malformed, "1.-2"},
		{fixed.Malformed, "1e5"},
		{fixed.Malformed, "1.5E3"},
		{fixed.Malformed, " 1"},
		{fixed.Malformed, "1 "},
		{fixed.Malformed, "1\n"},
		{fixed.Malformed, "1,5"},
		{fixed.Malformed, "1_000"},
		{fixed.Malformed, "0x10"},
		{fixed.Malformed, "NaN"},
		{fixed.Malformed, "Inf"},
		{fixed.Malformed, "١"},
		{fixed.Malformed, "\uff11"},
		{fixed.Malformed, "1\x00"},
		{fixed.Malformed, "1.0000000000000000000000x"},
		{fixed.Malformed, digits + "x"},
		{fixed.TooManyDecimals, "1.0000000000000000000"},
		{fixed.TooManyDecimals, "0.0000000000000000001"},
		{fixed.TooManyDecimals, "0." + digits},
		{fixed.TooManyDecimals, digits + "." + digits},
		{fixed.Overflow, "170141183460469231731.687303715884105728"},
		{fixed.Overflow, "-170141183460469231731.687303715884105729"},
		{fixed.Overflow, "170141183460469231732"},
		{fixed.Overflow, "184467440737095516160"},
		{fixed.Overflow, "340282366920938463463.374607431768211456"},
		{fixed.Overflow, "1000000000000000000000"},
		{fixed.Overflow, digits},
		{fixed.Overflow, "-" + digits + ".5"},
	}
	for _, tt := range tests {
		got, err := fixed.Parse(tt.in)
		want := fixed.ParseError{Code: tt.code, Text: tt.in[:min(len(tt.in), 40)]}
		var pe fixed.ParseError
		if !errors.As(err, &pe) || pe != want || !got.IsZero() {
			t.Errorf("Parse(%.50q) = %v, %#v; want %#v", tt.in, got, err, want)
		}
		if _, fromBytes := fixed.ParseBytes([]byte(tt.in)); fromBytes != err {
			t.Errorf("ParseBytes(%.50q) gives %#v, Parse gives %#v", tt.in, fromBytes, err)
		}
	}
}

func TestParseErrorText(t *testing.T) {
	zeros := strings.Repeat("0", 100)
	tests := []struct{ in, want string }{
		{"", `the number is empty: write digits such as "12.5"`},
		{"1e5", `"1e5" is not a decimal number: write digits, optionally with '-' in front and '.' and more digits behind, such as "-12.5"`},
		{"\x00é", `"\x00\u00e9" is not a decimal number: write digits, optionally with '-' in front and '.' and more digits behind, such as "-12.5"`},
		{"0.1234567890123456789", `"0.1234567890123456789" has too many decimals: write at most 18 digits after the point`},
		{
			"1000000000000000000000",
			`"1000000000000000000000" is too large: write a number from ` + minText + ` to ` + maxText,
		},
		{
			"1" + zeros,
			`the text beginning with "1` + zeros[:39] + `" is too large: write a number from ` + minText + ` to ` + maxText,
		},
	}
	for _, tt := range tests {
		_, err := fixed.Parse(tt.in)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Parse(%q)\n got %v\nwant %s", tt.in, err, tt.want)
		}
	}
}
