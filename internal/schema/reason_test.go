package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
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
}

// The name of a reason, which figures show, is that of its constant.
func TestReasonsAreNamedAsTheyAreWritten(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var written, named []string
	for _, d := range file.Decls {
		if d, is := d.(*ast.GenDecl); is && d.Tok == token.CONST {
			for _, s := range d.Specs {
				written = append(written, s.(*ast.ValueSpec).Names[0].Name)
			}
		}
	}
	for _, r := range Reasons() {
		named = append(named, r.String())
	}
	if want := append(named, "reasons"); !slices.Equal(written, want) {
		t.Errorf("the constants are %v, their names %v", written, named)
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
