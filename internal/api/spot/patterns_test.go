package spot

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// TestPatternsAreWhatIsRead: patterns are published and functions read; they must agree.
func TestPatternsAreWhatIsRead(t *testing.T) {
	client, timeout := regexp.MustCompile(clientPattern), regexp.MustCompile(timeoutPattern)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9._ +-]{0,3}([a-z]{58,64})?`).Draw(t, "client order id")
		if _, err := schema.ParseClientID(id); client.MatchString(id) != (err == nil) {
			t.Errorf("client order id %q: the pattern says %v", id, client.MatchString(id))
		}
		word := rapid.OneOf(rapid.StringMatching(`[+-]?[0-9 ]{0,4}`), rapid.Just("null")).Draw(t, "timeout")
		var f api.Form
		f.Add([]byte("market"), []byte("A_B"))
		f.Add([]byte("timeout"), []byte(word))
		new(killSwitch).Read(&f)
		if f.Err() == nil && !timeout.MatchString(word) {
			t.Errorf("timeout %q is read, but the pattern does not take it", word)
		}
	})
	for _, word := range stpWords {
		if _, known := schema.ParseSTP(word); !known {
			t.Errorf("stp %q is documented, but not read", word)
		}
	}
}
