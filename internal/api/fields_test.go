package api

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// The pattern of a market's name is published and a function reads it; they must agree.
func TestMarketPattern(t *testing.T) {
	market := regexp.MustCompile(MarketPattern)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[A-Z0-9_a]{0,8}`).Draw(t, "market")
		if got := market.MatchString(name); got != IsMarketName(name) {
			t.Errorf("market %q: the pattern says %v", name, got)
		}
	})
}
