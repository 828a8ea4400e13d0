package travel

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"bourse/internal/schema"
	"bourse/internal/seal"
)

func newKey(t *testing.T) *seal.Key {
	t.Helper()
	key, err := seal.Load(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestWhatIsSealedCanBeOpened(t *testing.T) {
	key := newKey(t)
	for _, d := range []Data{
		{WalletType: "unhosted", Beneficiary: &Party{Type: "entity", FullName: "Acme", ResidenceCountry: "AUT", Address: &Address{Country: "AUT", City: "Linz", Line: "Ring 1"}}},
		{
			WalletType: "hosted", VASP: &VASP{ID: "acme", Name: "Acme"},
			Originator: &Party{Type: "individual", FirstName: "Ada", LastName: "Λ", WalletAddress: "bc1q", Address: &Address{Line: "Ring 1", PostCode: "4020"}},
		},
	} {
		sealed := Seal(key, &d)
		if bytes.Contains(sealed, []byte("Ring")) {
			t.Errorf("%q is not sealed", sealed)
		}
		if got, err := Open(key, sealed); err != nil || !reflect.DeepEqual(*got, d) {
			t.Errorf("%+v came back as %+v, %v", d, got, err)
		}
		if _, err := Open(newKey(t), sealed); err == nil {
			t.Error("another key opens it")
		}
		if _, err := Open(key, key.Seal([]byte("{}"), "code")); err == nil {
			t.Error("what was sealed for another purpose is opened")
		}
	}
}

// TestTheLongestIsTaken: what the doors take at most, with characters that JSON writes longest, is no more than commands may carry.
func TestTheLongestIsTaken(t *testing.T) {
	long := func(n int) string { return strings.Repeat("\x01", n) }
	d := Data{
		WalletType: "unhosted",
		Originator: &Party{
			Type: "individual", FirstName: long(100), LastName: long(100), ResidenceCountry: "AUT", WalletAddress: long(200),
			Address: &Address{Country: "AUT", City: long(100), Line: long(200), PostCode: long(20)},
		},
		VASP: &VASP{ID: long(100), Name: long(200)},
	}
	if n := len(Seal(newKey(t), &d)); n > schema.MaxTravel {
		t.Errorf("%d bytes", n)
	}
}
