package ws

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// listedReasons are all reasons that some method lists.
func listedReasons() (all []schema.Reason) {
	for _, m := range table {
		all = append(all, m.Refusals...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Every reason that a method lists has words, and the table has words for no other.
func TestReasonsAreWorded(t *testing.T) {
	listed := listedReasons()
	for _, r := range listed {
		if rows[r].code == 0 || rows[r].text == "" {
			t.Errorf("%d has no row", r)
		}
		if e := worded(schema.Rejection{Reason: r, Value: fixed.FromUnits(5, 2)}); strings.ContainsAny(e.Message, "%#") {
			t.Errorf("%d: %s", r, e.Message)
		}
	}
	if len(rows) != len(listed) {
		t.Errorf("%d rows for %d reasons", len(rows), len(listed))
	}
	if e := worded(schema.Rejection{Reason: schema.PriceTooPrecise, Value: fixed.FromUnits(1, 8)}); e.Message != "price: precision is greater than 8" || e.Code != 1 {
		t.Errorf("%+v", e)
	}
}

// A reason that a method does not list is an error of ours, and not that of another method. What the key lost on the way is as if the door had
// known.
func TestReasonsOutsideAreInternalErrors(t *testing.T) {
	for _, m := range table {
		for _, r := range schema.Reasons()[1:] {
			e := m.refused(schema.Refuse(r))
			if r == schema.KeyRefused || r == schema.KeyNotAllowed {
				if *e != *errAnonymous {
					t.Errorf("%s refused for %d: %+v", m.Name, r, e)
				}
				continue
			}
			if is := *e == *errInternal; is == slices.Contains(m.Refusals, r) {
				t.Errorf("%s refused for %d: %+v", m.Name, r, e)
			}
		}
	}
}

// unreachable are reasons in the rules of trading that no method can be refused for: what its reader
// takes does not have them, or no method sends such a command.
var unreachable = []string{
	"SideInvalid", "TypeInvalid", "STPInvalid", // readers take known words only
	"FlagNotAllowed", "BBONotAllowed", "BBOInvalid", "BBOWithRPI", // each method takes the flags that its type has
	"OrderRefInvalid", "ModifyNothing", "ModifyAmountAndTotal", "ProductsInvalid", // the reader has the same rule
	"BulkEmpty", "BulkTooMany", "CancelBulkEmpty", "CancelBulkTooMany", // no bulk over the socket
	"TimeoutTooShort", "TimeoutTooLong", // no kill switch over the socket
	"NameInvalid", "NameTaken", "RegionInvalid", "FeeInvalid", "IndexInvalid", "TimesInvalid", "MarketDelisted", // acts of operators
	"IndexSourceInvalid", "LeverageInvalid", "TierInvalid", // acts of operators too
	"CollateralUnavailable", // the reader has the same rule
	"ProtectionMissing",     // the same
	"GroupKindInvalid",      // groups of any kind are meant
	"PositionUnknown",       // no method closes positions
	"PositionSidesInvalid",  // nor cancels those of one side
	"MarketBusy",            // stays between the core and the node
	"OK",
}

// The reasons for which the rules of trading refuse anything are listed by some method, or cannot reach
// one: a new rule of the core does not become an internal error unnoticed.
func TestReasonsOfTheCoreAreListed(t *testing.T) {
	names := map[string]bool{}
	for _, dir := range []string{"../core/trading", "../core/accounts/accounts.go"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if strings.HasSuffix(dir, ".go") {
			files = []string{dir}
		}
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is {
					if x, is := s.X.(*ast.Ident); is && x.Name == "schema" {
						names[s.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	reasons := reasonNames(t)
	listed := listedReasons()
	found := 0
	for name := range names {
		r, is := reasons[name]
		if !is {
			continue
		}
		found++
		if slices.Contains(listed, r) == slices.Contains(unreachable, name) {
			t.Errorf("the core refuses for %s: listed by a method %v, said to be unreachable %v", name, slices.Contains(listed, r), slices.Contains(unreachable, name))
		}
	}
	if found < len(listed) {
		t.Errorf("only %d reasons were found in the core, and methods list %d", found, len(listed))
	}
}

// reasonNames are the reasons by their names in the source.
func reasonNames(t *testing.T) map[string]schema.Reason {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../schema/reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]schema.Reason{}
	for _, d := range parsed.Decls {
		g, is := d.(*ast.GenDecl)
		if !is || g.Tok != token.CONST {
			continue
		}
		if first := g.Specs[0].(*ast.ValueSpec); first.Names[0].Name != "OK" {
			continue
		}
		for i, spec := range g.Specs {
			all[spec.(*ast.ValueSpec).Names[0].Name] = schema.Reason(i)
		}
	}
	if len(all) < len(schema.Reasons()) {
		t.Fatalf("%d names for %d reasons", len(all), len(schema.Reasons()))
	}
	return all
}
