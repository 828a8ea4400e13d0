package demo

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"bourse/internal/fixed"
)

// investor is a partner that invests in flex plans, adds to its investments and takes some of them out again, so that plans have something in
// them and each midnight something is paid. Of each plan it has at most as much as a few acts put there, so its money never runs out.
type investor struct {
	client *client
	chance *rand.Rand
}

// A plan's smallest amounts: so many of them it adds at a time, and beyond so many of them it takes out.
var (
	addedAtOnce = fixed.FromInt(2)
	mostAdded   = fixed.FromInt(10)
)

const (
	investPauseMin = 40 * time.Second
	investPauseMax = 80 * time.Second
)

// live acts until the context ends.
func (v *investor) live(ctx context.Context, log *slog.Logger) {
	for persist(ctx, log, v.client.name, v.act) && wait(ctx, investPauseMin+time.Duration(v.chance.Int64N(int64(investPauseMax-investPauseMin)))) {
	}
}

const flexPath = "/api/v4/main-account/smart-flex/"

// act chooses a plan and adds to what is there, or takes it out if it is much.
func (v *investor) act(ctx context.Context) error {
	var plans []struct {
		ID  string  `json:"id"`
		Min decimal `json:"minInvestment"`
	}
	if err := v.client.post(ctx, flexPath+"plans", fields{}, &plans); err != nil || len(plans) == 0 {
		return err
	}
	plan := plans[v.chance.IntN(len(plans))]
	var has struct {
		Data []struct {
			Invested decimal `json:"invested"`
		} `json:"data"`
	}
	if err := v.client.post(ctx, flexPath+"investments", fields{"plan": plan.ID, "investmentStatus": 1}, &has); err != nil {
		return err
	}
	amount, _ := fixed.Mul(plan.Min.Decimal, addedAtOnce, fixed.Places, fixed.Down)
	most, _ := fixed.Mul(plan.Min.Decimal, mostAdded, fixed.Places, fixed.Down)
	f := fields{"plan": plan.ID, "amount": amount.String()}
	what := "invest"
	switch {
	case len(has.Data) == 0 || has.Data[0].Invested.Cmp(most) < 0:
		f["withReinvest"] = v.chance.IntN(2) == 0
	case v.chance.IntN(2) == 0:
		what = "withdraw"
	default:
		what = "close"
	}
	var done struct{}
	err := v.client.post(ctx, flexPath+"investments/"+what, f, &done)
	var no *refused
	if errors.As(err, &no) && no.status == http.StatusUnprocessableEntity { // nothing is left to invest, or nothing to pay interest with
		return nil
	}
	return err
}
