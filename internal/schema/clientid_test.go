package schema

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestClientIDTakesLettersDigitsDashDotUnderscore(t *testing.T) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"
	for b := range 256 {
		text := string([]byte{'a', byte(b), 'z'})
		id, err := ParseClientID(text)
		if strings.IndexByte(allowed, byte(b)) >= 0 {
			if err != nil || id.String() != text || string(id.Bytes()) != text || id.IsZero() {
				t.Errorf("%q: got %q, %v", text, id, err)
			}
			continue
		}
		if !errors.Is(err, ErrClientID) || !id.IsZero() {
			t.Errorf("%q: got %q, %v, want ErrClientID", text, id, err)
		}
	}
}

func TestClientIDIsAtMost64Bytes(t *testing.T) {
	longest := strings.Repeat("x", 64)
	if id, err := ParseClientID(longest); err != nil || id.String() != longest {
		t.Errorf("64 bytes: %q, %v", id, err)
	}
	if _, err := ParseClientID([]byte(longest + "x")); !errors.Is(err, ErrClientID) {
		t.Errorf("65 bytes: %v", err)
	}
	if id, err := ParseClientID(""); err != nil || !id.IsZero() || id != (ClientID{}) {
		t.Errorf("the empty text is not the absence of an id: %q, %v", id, err)
	}
}

func TestClientIDsAreEqualWhenTheirTextsAre(t *testing.T) {
	parse := func(s string) ClientID {
		id, err := ParseClientID([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	if long, short := parse("Abcdef"), parse("Abc"); short != parse("Abc") || long == short {
		t.Error("equal texts make different ids, or different ones equal ids")
	}
	if parse("Abc") == parse("abc") {
		t.Error("case does not count")
	}
}

func TestClientIDKeepsNothingOfTheCaller(t *testing.T) {
	text := []byte("mine")
	id, err := ParseClientID(text)
	if err != nil {
		t.Fatal(err)
	}
	copy(text, "gone")
	if !bytes.Equal(id.Bytes(), []byte("mine")) {
		t.Errorf("the id became %q with the caller's memory", id)
	}
}
