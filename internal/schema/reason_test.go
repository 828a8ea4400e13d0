package schema

import (
	"strings"
	"testing"

	"bourse/internal/fixed"
)

func TestEveryReasonHasANameAndASentence(t *testing.T) {
	names := map[string]bool{}
	for _, r := range Reasons()[1:] {
		row := texts[r]
		if row.name == "" || row.sentence == "" || names[row.name] {
			t.Errorf("reason %d is named %q and says %q", r, row.name, row.sentence)
		}
		names[row.name] = true
		if strings.Count(row.sentence, "%") > 1 {
			t.Errorf("%s speaks of more than one value", r)
		}
	}
	if Refuse(OK).Refused() || (Rejection{}).Refused() || !Refuse(AccountUnknown).Refused() {
		t.Error("only reasons other than OK refuse")
	}
	if NameTaken.String() != "NameTaken" || MarketUnavailable.String() != "MarketUnavailable" {
		t.Errorf("names are those of the constants, not %s and %s", NameTaken, MarketUnavailable)
	}
}

func TestTextSpeaksOfTheValue(t *testing.T) {
	r := Rejection{Reason: AmountBelowMin, Value: fixed.MustParse("0.0050")}
	if got := r.Text(); got != "Given amount is less than min amount 0.005" {
		t.Errorf("got %q", got)
	}
	if got := Refuse(NotEnoughBalance).Text(); got != "Not enough balance." {
		t.Errorf("got %q", got)
	}
}
