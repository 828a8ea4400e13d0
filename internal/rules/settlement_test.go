package rules

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"testing"
)

// TestOnlySettlementMovesTheMoneyOfTrading: how an order is paid for is decided in one file, so that an order
// that is paid for in another way is a change of that file. Snapshots and invariants look at the ledger
// and change nothing.
func TestOnlySettlementMovesTheMoneyOfTrading(t *testing.T) {
	s := loaded(t)
	const trading, ledger = "bourse/internal/core/trading", "bourse/internal/core/ledger"
	if _, err := s.Import(trading); err != nil {
		t.Fatal(err)
	}
	looks := []string{"Records", "Len"}
	settled := 0
	for _, file := range s.pkgs[trading].files {
		name := filepath.Base(s.fset.Position(file.Pos()).Filename)
		ast.Inspect(file, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}
			called, is := s.info.Uses[id].(*types.Func)
			switch {
			case !is || called.Pkg() == nil || called.Pkg().Path() != ledger || called.Signature().Recv() == nil:
			case slices.Contains(looks, called.Name()):
			case name == "settlement.go":
				settled++
			default:
				t.Errorf("%s: %s of the ledger is called outside settlement.go", s.fset.Position(id.Pos()), called.Name())
			}
			return true
		})
	}
	if settled == 0 {
		t.Error("settlement.go does not use the ledger: this test sees nothing")
	}
}
