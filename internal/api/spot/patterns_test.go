package spot

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/api"
)

// TestPatternsAreWhatIsRead: patterns are published and functions read; they must agree.
func TestPatternsAreWhatIsRead(t *testing.T) {
	timeout := regexp.MustCompile(timeoutPattern)
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.StringMatching(`[+-]?[0-9 ]{0,4}`), rapid.Just("null")).Draw(t, "timeout")
		var f api.Form
		f.Add([]byte("market"), []byte("A_B"))
		f.Add([]byte("timeout"), []byte(word))
		new(killSwitch).Read(&f)
		if f.Err() == nil && !timeout.MatchString(word) {
			t.Errorf("timeout %q is read, but the pattern does not take it", word)
		}
	})
}
