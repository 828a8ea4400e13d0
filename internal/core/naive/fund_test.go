package naive

import (
	"math"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestFundSystem(t *testing.T) {
	w := newFutures(t)
	fund := func(a schema.AccountID, amount string) *schema.FundSystem {
		return &schema.FundSystem{Account: a, Asset: usdt, Amount: d(amount)}
	}
	w.must(fund(schema.Insurance, "100"))
	w.happened("1 main of 2 by transfer for 0: -100 0", "3 main of 2 by transfer for 0: 100 0")
	w.must(fund(schema.Lending, "7.00000001"))
	w.happened("1 main of 2 by transfer for 0: -107.00000001 0", "5 main of 2 by transfer for 0: 7.00000001 0")
	w.refused(schema.Rejection{Reason: schema.MoveNotCovered, Value: d("100")}, fund(schema.Insurance, "-100.1"))
	w.must(fund(schema.Insurance, "-100"))
	w.happened("3 main of 2 by transfer for 0: 0 0", "1 main of 2 by transfer for 0: -7.00000001 0")

	w.refused(because(schema.SystemAccountInvalid), fund(schema.Clearing, "1"))
	w.refused(because(schema.SystemAccountInvalid), fund(schema.FirstCustomer, "1"))
	w.refused(because(schema.AssetUnknown), &schema.FundSystem{Account: schema.Lending, Asset: 9, Amount: d("1")})
	w.refused(schema.Rejection{Reason: schema.MoveNotPositive, Value: d("0.00000001")}, fund(schema.Lending, "0"))
	w.refused(schema.Rejection{Reason: schema.MoveTooPrecise, Value: d("8")}, fund(schema.Lending, "-0.000000001"))
	w.refused(because(schema.MoveTooLarge), fund(schema.Lending, "170141183460469231731"))
	lowest := fixed.FromBits(math.MinInt64, 0)
	if got := w.apply(&schema.FundSystem{Account: schema.Lending, Asset: usdt, Amount: lowest}).Rejection.Reason; got != schema.MoveTooPrecise {
		t.Errorf("the lowest amount: %d", got)
	}
}
