package wire

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// value is a piece of JSON. The package of the standard library is not used because it takes
// names twice, any spelling of them, and texts that are not UTF-8.
type value struct {
	kind    kind
	text    []byte // of strings, without escapes; of numbers, flags and null as they stand
	members []member
	items   []value
}

type member struct {
	name  string
	value value
	taken bool // a walk has read it
}

// kind of a value; several together say what is allowed.
type kind uint8

const (
	object kind = 1 << iota
	list
	text
	number
	flag
	null
)

func (k kind) String() string {
	var words []string
	for i, word := range []string{"an object", "a list", "a string", "a number", "true or false", "null"} {
		if k&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, " or ")
}

// maxDepth bounds how deep values may be nested; no message of ours comes near.
const maxDepth = 32

// parseJSON reads one value that is the whole of data.
func parseJSON(data []byte) (value, error) {
	p := &parser{data: data}
	v, err := p.value(0)
	if err == nil && p.next() != 0 {
		err = errors.New("something stands behind the end")
	}
	if err != nil {
		return value{}, fmt.Errorf("JSON at byte %d: %w", p.at+1, err)
	}
	return v, nil
}

// parser stands at a place of a JSON text.
type parser struct {
	data []byte
	at   int
}

// next passes over white space; it returns the byte there, 0 at the end.
func (p *parser) next() byte {
	for ; p.at < len(p.data); p.at++ {
		switch b := p.data[p.at]; b {
		case ' ', '\t', '\r', '\n':
		case 0:
			return 0xff // not the end, and nothing that JSON knows
		default:
			return b
		}
	}
	return 0
}

// take passes over a byte if it is the next one.
func (p *parser) take(b byte) bool {
	if p.next() != b {
		return false
	}
	p.at++
	return true
}

func (p *parser) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errors.New("nested too deeply")
	}
	switch b := p.next(); {
	case b == '{':
		return p.object(depth)
	case b == '[':
		return p.list(depth)
	case b == '"':
		s, err := p.string()
		return value{kind: text, text: s}, err
	case b == '-' || '0' <= b && b <= '9':
		return p.number()
	default:
		return p.word()
	}
}

func (p *parser) object(depth int) (value, error) {
	v := value{kind: object}
	p.at++
	if p.take('}') {
		return v, nil
	}
	for {
		if p.next() != '"' {
			return v, errors.New("the name of a field is missing")
		}
		name, err := p.string()
		if err != nil {
			return v, err
		}
		if !p.take(':') {
			return v, errors.New("a colon is missing")
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		for i := range v.members {
			if v.members[i].name == string(name) {
				return v, fmt.Errorf("%q is there twice", name)
			}
		}
		v.members = append(v.members, member{name: string(name), value: item})
		switch {
		case p.take('}'):
			return v, nil
		case !p.take(','):
			return v, errors.New("a comma or the end of the object is missing")
		}
	}
}

func (p *parser) list(depth int) (value, error) {
	v := value{kind: list}
	p.at++
	if p.take(']') {
		return v, nil
	}
	for {
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
		switch {
		case p.take(']'):
			return v, nil
		case !p.take(','):
			return v, errors.New("a comma or the end of the list is missing")
		}
	}
}

// number reads a whole number: fractions are decimals, which are strings.
func (p *parser) number() (value, error) {
	start := p.at
	if p.data[p.at] == '-' {
		p.at++
	}
	digits := p.at
	for p.at < len(p.data) && '0' <= p.data[p.at] && p.data[p.at] <= '9' {
		p.at++
	}
	if p.at == digits || p.data[digits] == '0' && p.at > digits+1 {
		return value{}, errors.New("this is not a number")
	}
	if p.at < len(p.data) && strings.IndexByte(".eE", p.data[p.at]) >= 0 {
		return value{}, errors.New("numbers are whole; write a decimal as a string")
	}
	return value{kind: number, text: p.data[start:p.at]}, nil
}

func (p *parser) word() (value, error) {
	for _, w := range []struct {
		word string
		kind kind
	}{{"true", flag}, {"false", flag}, {"null", null}} {
		if rest := p.data[p.at:]; len(rest) >= len(w.word) && string(rest[:len(w.word)]) == w.word {
			p.at += len(w.word)
			return value{kind: w.kind, text: rest[:len(w.word)]}, nil
		}
	}
	return value{}, errors.New("a value is missing")
}

// string reads a text and resolves its escapes.
func (p *parser) string() ([]byte, error) {
	p.at++
	var out []byte
	for p.at < len(p.data) {
		switch b := p.data[p.at]; {
		case b == '"':
			p.at++
			if !utf8.Valid(out) {
				return nil, errors.New("the string before is not UTF-8")
			}
			return out, nil
		case b == '\\':
			var err error
			if out, err = p.escape(out); err != nil {
				return nil, err
			}
		case b < ' ':
			return nil, errors.New("a control character must be written as an escape")
		default:
			out = append(out, b)
			p.at++
		}
	}
	return nil, errors.New("a string does not end")
}

// escapes are the letters that stand for a character behind a backslash.
const (
	escapes = `"\/bfnrt`
	escaped = "\"\\/\b\f\n\r\t"
)

func (p *parser) escape(out []byte) ([]byte, error) {
	if p.at+1 < len(p.data) {
		if i := strings.IndexByte(escapes, p.data[p.at+1]); i >= 0 {
			p.at += 2
			return append(out, escaped[i]), nil
		}
	}
	r, ok := p.unit()
	if ok && utf16.IsSurrogate(r) {
		var low rune
		if low, ok = p.unit(); ok {
			r = utf16.DecodeRune(r, low)
			ok = r != utf8.RuneError
		}
	}
	if !ok {
		return nil, errors.New("a backslash does not begin an escape of JSON")
	}
	return utf8.AppendRune(out, r), nil
}

// unit reads \uXXXX.
func (p *parser) unit() (rune, bool) {
	if p.at+6 > len(p.data) || p.data[p.at] != '\\' || p.data[p.at+1] != 'u' {
		return 0, false
	}
	u, err := strconv.ParseUint(string(p.data[p.at+2:p.at+6]), 16, 16)
	if err != nil {
		return 0, false
	}
	p.at += 6
	return rune(u), true
}
