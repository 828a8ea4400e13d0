// Package sheet is the settings of an exchange as people write and read them: chains, assets, markets, collateral,
// tiers, accounts, keys and fees as JSON. The file that an exchange begins with and the operator's API
// both speak it.
//
// What must hold: what was read from a sheet and is written as one again is the same; a setting
// that is not understood is an error that names it, and members that nobody knows are one too.
package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Decode reads one JSON value over what v holds: members that are not there stay as they are.
func Decode(r io.Reader, v any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return readable(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// readable says what is wrong with JSON in words for people who write it.
func readable(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("there is nothing; a JSON object is wanted")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends in the middle")
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("%s is wanted, not %s", wanted(wrong.Type.String()), wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("%s should be %s, not %s", strconv.Quote(member(wrong.Field)), wanted(wrong.Type.String()), wrong.Value)
	}
	if text, is := strings.CutPrefix(err.Error(), "json: "); is {
		return errors.New(text)
	}
	return err
}

// member is where something stands in JSON: without the Go types that it is embedded in, whose names begin with a capital.
func member(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "."), func(part string) bool { return part != "" && unicode.IsUpper(rune(part[0])) })
	return strings.Join(parts, ".")
}

// wanted is the name of a Go type for people who do not know Go.
func wanted(of string) string {
	switch {
	case strings.HasSuffix(of, "Number"):
		return `a number in quotes, such as "0.1"`
	case strings.HasSuffix(of, "Moment"):
		return "a time in quotes, such as " + strconv.Quote(aMoment)
	case of == "string":
		return "a text in quotes"
	case of == "bool":
		return "true or false"
	case strings.HasPrefix(of, "[]"):
		return "a list"
	case strings.HasPrefix(of, "int"), strings.HasPrefix(of, "uint"):
		return "a whole number within bounds"
	default:
		return "a JSON object"
	}
}

// Number is a decimal. It is written as a text: JSON's own numbers are floats in many languages.
type Number struct{ fixed.Decimal }

// MarshalText implements encoding.TextMarshaler.
func (n Number) MarshalText() ([]byte, error) { return n.Append(nil), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *Number) UnmarshalText(b []byte) (err error) {
	if n.Decimal, err = fixed.ParseBytes(b); err != nil {
		return fmt.Errorf("%q is not a number: %w", bytes.TrimSpace(b), err)
	}
	return nil
}

// Moment is a time after 1970 began, which stands for none in the log, and before the year 10000, which JSON cannot write.
type Moment struct{ schema.Time }

// aMoment is how a time is written.
const aMoment = "2026-12-24T12:00:00Z"

// MarshalText implements encoding.TextMarshaler.
func (m Moment) MarshalText() ([]byte, error) {
	return time.UnixMicro(int64(m.Time)).UTC().AppendFormat(nil, time.RFC3339Nano), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Moment) UnmarshalText(b []byte) error {
	at, err := time.Parse(time.RFC3339, string(b))
	if err != nil || at.UnixMicro() <= 0 || at.Unix() > LastSecond {
		return fmt.Errorf("%q is not a time after 1970 and before the year 10000, such as %q", b, aMoment)
	}
	m.Time = schema.Time(at.UnixMicro())
	return nil
}

func optional(n *Number) schema.Optional {
	if n == nil {
		return schema.Optional{}
	}
	return schema.Some(n.Decimal)
}

func pointer(o schema.Optional) *Number {
	if !o.Set() {
		return nil
	}
	return &Number{o.Value()}
}

// choice is what a word stands for, one of some choices.
func choice[T fmt.Stringer](of, word string, choices ...T) (T, error) {
	words := make([]string, len(choices))
	for i, c := range choices {
		if words[i] = c.String(); words[i] == word {
			return c, nil
		}
	}
	var none T
	last := len(words) - 1
	return none, fmt.Errorf("%s is %s or %s, not %q", of, strings.Join(words[:last], ", "), words[last], word)
}

// ParseRegion reads the name of a region.
func ParseRegion(word string) (schema.Region, error) {
	return choice("a region", word, schema.Global, schema.EU)
}
