package schema

import (
	"errors"
	"strconv"

	"bourse/internal/wire"
)

// MaxClientID is the longest client order id, in bytes.
const MaxClientID = 64

// ClientID is the name that a client gives to an order. It holds its text inside, so that the
// core keeps nothing of the caller's memory and orders stay free of pointers. The zero value
// is "not given". Values are equal exactly when their texts are.
type ClientID struct {
	size uint8
	text [MaxClientID]byte
}

// ErrClientID is what a text gets that cannot be a client order id.
var ErrClientID = errors.New("a client order id is at most 64 letters, digits, dashes, dots and underscores")

// ParseClientID takes letters, digits, '-', '.' and '_'.
func ParseClientID[T string | []byte](s T) (ClientID, error) { return parseClientID(s, false) }

// SystemClientID is the name of an order that nobody asked for: a word, the id of the order, and a mark that no
// client may use.
func SystemClientID(word string, order OrderID) ClientID {
	text := append([]byte(word), '_')
	text = append(strconv.AppendUint(text, uint64(order), 10), "_!"...)
	id, err := parseClientID(text, true)
	if err != nil {
		panic("schema: " + word + " is no word for a client order id")
	}
	return id
}

// parseClientID takes the mark of the system too, if it may be there.
func parseClientID[T string | []byte](s T, system bool) (ClientID, error) {
	var id ClientID
	if len(s) > MaxClientID {
		return id, ErrClientID
	}
	for i := range len(s) {
		b := s[i]
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '-', b == '.', b == '_', b == '!' && system:
			id.text[i] = b
		default:
			return ClientID{}, ErrClientID
		}
	}
	id.size = uint8(len(s))
	return id, nil
}

// IsZero reports whether no id was given.
func (id *ClientID) IsZero() bool { return id.size == 0 }

// Bytes is the text; it lives as long as id.
func (id *ClientID) Bytes() []byte { return id.text[:id.size] }

func (id ClientID) String() string { return string(id.text[:id.size]) }

// Field walks over the id as a field of a message. Names of the system are among what is stored.
func (id *ClientID) Field(c *wire.Coder, n int, name string) {
	c.Fixed(n, name, id.Bytes, func(b []byte) (err error) {
		*id, err = parseClientID(b, true)
		return err
	})
}
