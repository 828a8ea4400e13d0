package operator_test

import (
	"testing"

	"bourse/internal/schema"
)

// TestProvidersAreSettledByOperators: what a provider said counts once, and what cannot be is refused.
func TestProvidersAreSettledByOperators(t *testing.T) {
	s := found(t)
	s.bill()
	s.ask("POST", "/v1/withdrawals/1/settlement", `{"outcome":"much"}`).is(422).has(`"outcome"`, "field").has(`"the receiver got all, none or an amount"`, "message")
	s.ask("POST", "/v1/withdrawals/1/settlement", `{"outcome":"11"}`).is(422).has(text(schema.Refuse(schema.SettlementInvalid).Text()), "message")
	s.ask("POST", "/v1/withdrawals/9/settlement", `{"outcome":"all"}`).is(404).has(`"there is no withdrawal \"9\""`, "message")
	s.must("POST", "/v1/withdrawals/1/settlement", `{"outcome":"all"}`).has(`"10"`, "amount")
	s.holds("alice", schema.Main, "EUR", "10 0 0")
	s.ask("POST", "/v1/withdrawals/1/settlement", `{"outcome":"all"}`).is(404)
	s.must("GET", "/v1/chains/SEPA", "").has(`[{"asset":"EUR","booked":"-10","coins":"-10","cold":"0","difference":"0","wanted":"0"}]`, "bookings")

	s.ask("POST", "/v1/invoices/1/settlement", `{"outcome":"perhaps"}`).is(422).has(`"outcome"`, "field").has(`"an invoice is paid or failed"`, "message")
	s.ask("GET", "/v1/invoices?status=paid", "").is(400).has(`"status"`, "field")
	s.must("PATCH", "/v1/assets/EUR", `{"can_deposit":false}`)
	s.must("POST", "/v1/invoices/1/settlement", `{"outcome":"paid"}`)
	s.must("GET", "/v1/invoices?status=suspended", "").has("1", 0, "id").has(`"30"`, 0, "amount")
	s.must("GET", "/v1/invoices?status=open", "").has("[]")
	s.ask("POST", "/v1/invoices/1/settlement", `{"outcome":"failed"}`).is(422).has(text(schema.Refuse(schema.InvoiceSettled).Text()), "message")
	s.holds("alice", schema.Main, "EUR", "10 0 0")
	s.must("POST", "/v1/deposits/1/decision", `{"decision":"credit"}`).has(`{"account":"alice","amount":"30","asset":"EUR","decision":"credit","id":1}`)
	s.holds("alice", schema.Main, "EUR", "40 0 0")
	s.ask("PUT", "/v1/chains/ZEN", `{"driver":"provider","net":"mainnet"}`).is(422).has(`"chain ZEN: a provider has no family, no net and no blocks"`, "message")
}
