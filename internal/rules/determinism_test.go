package rules

import (
	"go/ast"
	"go/parser"
	"go/types"
	"testing"
)

// deterministic are the packages whose results must be the same bytes on every machine. The
// naive exchange is among them: it is what they are held against.
func deterministic(at string) bool {
	return within(at, "bourse/internal/core") || at == "bourse/internal/fixed" || at == "bourse/internal/schema" || at == "bourse/internal/wire"
}

// TestNothingIsLeftToChance goes through every node of the deterministic packages.
func TestNothingIsLeftToChance(t *testing.T) {
	s := loaded(t)
	for at, p := range s.pkgs {
		if !deterministic(at) {
			continue
		}
		if _, err := s.Import(at); err != nil {
			t.Fatal(err)
		}
		for _, file := range p.files {
			for n, what := range faults(file, &s.info) {
				t.Errorf("%s: %s", s.fset.Position(n.Pos()), what)
			}
		}
	}
}

// faults are the nodes of a file that the deterministic part may not have, and what they are.
func faults(file *ast.File, info *types.Info) map[ast.Node]string {
	found := map[ast.Node]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			found[n] = "a goroutine or a channel"
		case *ast.RangeStmt:
			// The order of a map is chance. Maps may be asked; what is to be gone through
			// stands in a slice.
			if isMap(info.Types[n.X].Type) {
				found[n] = "a loop over a map"
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "maps" {
				found[n] = "package maps goes through maps"
			}
		}
		// A float needs no name to be there, so the types of all expressions are looked at.
		if e, ok := n.(ast.Expr); ok && isFloat(info.Types[e].Type) {
			found[n] = "a floating-point number"
		}
		return true
	})
	return found
}

func isMap(typ types.Type) bool {
	if typ == nil {
		return false
	}
	_, ok := typ.Underlying().(*types.Map)
	return ok
}

func isFloat(typ types.Type) bool {
	if typ == nil {
		return false
	}
	basic, ok := typ.Underlying().(*types.Basic)
	return ok && basic.Info()&(types.IsFloat|types.IsComplex) != 0
}

// TestFaultsAreFound: a rule that sees nothing forbids nothing.
func TestFaultsAreFound(t *testing.T) {
	for body, want := range map[string]int{
		"go func() {}()":                              1,
		"for range map[string]int{} {}":               1,
		"type m map[int]int; var x m; for range x {}": 1,
		"x := 1 / 2.5; _ = x":                         4, // two numbers, their quotient, its use
		"var x float32; _ = x":                        2, // the word and the value
		"x := map[int]int{}; _ = x[1]; delete(x, 1)":  0,
		"for range 10 {}; for range []int{} {}":       0,
	} {
		s := loaded(t)
		file, err := parser.ParseFile(s.fset, "snippet.go", "package p\nfunc f() { "+body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		if _, err := new(types.Config).Check("p", s.fset, []*ast.File{file}, &info); err != nil {
			t.Fatal(err)
		}
		if got := faults(file, &info); len(got) != want {
			t.Errorf("%s: found %v, want %d", body, got, want)
		}
	}
}
