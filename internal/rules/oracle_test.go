package rules

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"
)

const oracle = "bourse/internal/core/naive"

// The naive exchange is the oracle of the core: a rule that both take from one place is a rule that
// nobody checks. It may use messages and their fields, words of the API, and what is listed here,
// which makes, reads or prints values and decides nothing.
var (
	oracleCalls = []string{
		"bourse/internal/fixed.Decimal.Bits", "bourse/internal/fixed.FromBits",
		"bourse/internal/schema.Optional.Set", "bourse/internal/schema.Optional.Value", "bourse/internal/schema.Optional.Or",
		"bourse/internal/schema.Rejection.Text", "bourse/internal/schema.SystemClientID",
		"bourse/internal/schema.Rights", "bourse/internal/schema.BalanceID", "bourse/internal/schema.OutputID",
		"bourse/internal/schema.SandboxBlock", "bourse/internal/schema.SandboxPayout", "bourse/internal/schema.SandboxReceipt",
	}
	// oracleWords are the types whose constants are words. Limits and dates are rules: the oracle has
	// its own, from the documents.
	oracleWords = []string{
		"AddressType", "AssetClass", "BBORole", "Cause", "Change", "CheckStatus", "CodeStatus", "Decision", "DepositStatus", "Driver", "Family", "Feature",
		"Group", "GroupKind", "InvoiceStatus", "MarketType", "Net", "OrderType", "PayoutStatus", "Reason", "Region", "Risk", "Role", "STP", "Side", "Status", "SubRule", "SubStatus", "Verdict", "Wallet",
		"WithdrawalStatus",

		"Delivered", "WebhookEvent",

		"FactorChange", "GrantOutcome", "ProofKind", "SignOutcome",

		"EarnAction", "PlanKind", "PlanStatus",

		"RewardStatus",

		"ProposalStatus",
	}
	oracleNumbers = []string{
		"bourse/internal/schema.Outside", "bourse/internal/schema.Fees", "bourse/internal/schema.Hot", "bourse/internal/schema.Microsecond",
	}
)

func TestOracleSharesNoRule(t *testing.T) {
	s := loaded(t)
	if _, err := s.Import(oracle); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, file := range s.pkgs[oracle].files {
		ast.Inspect(file, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is || s.info.Uses[id] == nil {
				return true
			}
			object := s.info.Uses[id]
			if name, rule := sharedRule(object); rule {
				t.Errorf("%s: the oracle uses %s", s.fset.Position(id.Pos()), name)
			} else {
				used[name] = true
			}
			return true
		})
	}
	for _, name := range slices.Concat(oracleCalls, oracleNumbers) {
		if !used[name] {
			t.Errorf("%s is listed and not used", name)
		}
	}
}

// sharedRule is the full name of something that is used, and whether the oracle may not use it.
func sharedRule(object types.Object) (name string, rule bool) {
	if object.Pkg() == nil {
		return "", false
	}
	at := object.Pkg().Path()
	if at != "bourse/internal/schema" && at != "bourse/internal/fixed" {
		return "", false
	}
	name = at + "." + object.Name()
	switch o := object.(type) {
	case *types.TypeName:
		return name, false
	case *types.Var:
		return name, !o.IsField()
	case *types.Const:
		named, is := o.Type().(*types.Named)
		word := is && slices.Contains(oracleWords, named.Obj().Name())
		return name, !word && !slices.Contains(oracleNumbers, name)
	case *types.Func:
		if receiver := o.Signature().Recv(); receiver != nil {
			name = at + "." + receiverName(receiver.Type()) + "." + object.Name()
		}
		return name, !slices.Contains(oracleCalls, name)
	}
	return name, true
}

func receiverName(typ types.Type) string {
	if pointer, is := typ.(*types.Pointer); is {
		typ = pointer.Elem()
	}
	return typ.(*types.Named).Obj().Name()
}

// TestRulesOfTheSchemaAreFound: a rule that sees nothing forbids nothing.
func TestRulesOfTheSchemaAreFound(t *testing.T) {
	s := loaded(t)
	schema, err := s.Import("bourse/internal/schema")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"Valid": true, "Stricter": true, "In": true, "Refuse": true, "BirthFeatures": true, "MaxBulkOrders": true, "StepRuleFrom": true,
		"FirstCustomer": true, "DefaultMaxOrders": true, "SpotOrders": true, "Buy": false, "NonceUsed": false, "Order": false, "Outside": false,
	} {
		if _, rule := sharedRule(schema.Scope().Lookup(name)); rule != want {
			t.Errorf("%s: a rule is %t", name, rule)
		}
	}
	order := schema.Scope().Lookup("OrderType").Type().(*types.Named)
	for i := range order.NumMethods() {
		if name, rule := sharedRule(order.Method(i)); !rule {
			t.Errorf("the oracle may use %s", name)
		}
	}
}
