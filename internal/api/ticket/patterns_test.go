package ticket

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// TestPatternsAreWhatIsRead: patterns are published and functions read; they must agree.
func TestPatternsAreWhatIsRead(t *testing.T) {
	client := regexp.MustCompile(clientPattern)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9._ +-]{0,3}([a-z]{58,64})?`).Draw(t, "client order id")
		if _, err := schema.ParseClientID(id); client.MatchString(id) != (err == nil) {
			t.Errorf("client order id %q: the pattern says %v", id, client.MatchString(id))
		}
	})
	for _, word := range stpWords {
		if _, known := schema.ParseSTP(word); !known {
			t.Errorf("stp %q is documented, but not read", word)
		}
	}
}
