package core

import (
	"fmt"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// offer is a new plan, mostly one that can be.
func (w *earnWorld) offer(t *dice) schema.Plan {
	d := fixed.MustParse
	asset := schema.AssetID(1 + chance(t, earnAssets))
	w.named++
	p := schema.Plan{Name: fmt.Sprint("plan.", w.named), Kind: schema.FlexPlan, Asset: asset, Payout: asset, Status: schema.PlanActive, Private: chance(t, 8) == 0}
	p.Regions = pick(t, 0, 0, 0, schema.In(schema.Global), schema.In(schema.Global), schema.In(schema.Global, schema.EU))
	if rarely(t) {
		p.Regions = schema.In(schema.EU)
	}
	if coin(t) {
		p.Kind, p.Percent, p.Minutes, p.Ratio = schema.FixedPlan, percent(t), pick[uint32](t, 1, 60, 60, 90, 1440, 5_256_000), fixed.One
		if coin(t) {
			p.Payout = schema.AssetID(1 + chance(t, earnAssets))
		}
		if p.Payout != p.Asset {
			p.Ratio = pick(t, fixed.One, d("0.00000001"), d("3"), d("40000"), d("123456789.12345678"))
		}
	} else {
		p.Rate = rateOf(t)
	}
	bounds(t, &p)
	if rarely(t) {
		p.Status = schema.PlanStatus(chance(t, 6))
	}
	if chance(t, 6) == 0 {
		w.spoil(t, &p)
	}
	return p
}

func percent(t *dice) fixed.Decimal {
	d := fixed.MustParse
	return pick(t, d("3"), d("3"), d("1.234567"), d("100"), d("0.000001"), d("999.999999"), d("1000"))
}

func rateOf(t *dice) fixed.Decimal {
	d := fixed.MustParse
	return pick(t, d("0.05"), d("0.876"), d("0.876"), d("8.76"), d("10"), d("0.123456789"), d("0.000000001"), fixed.Zero)
}

// bounds draws what may be in a plan, small and large.
func bounds(t *dice, p *schema.Plan) {
	unit := unitOf(p.Asset)
	p.Min = pick(t, unit, unit, fixed.One, fixed.FromInt(10))
	p.Max = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(100), fixed.FromInt(500))
	p.Cap = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(100), fixed.FromInt(600))
	if rarely(t) {
		*pick(t, &p.Max, &p.Cap) = p.Min
	}
}

// spoil gives a plan something that it cannot have, or may no longer have, or just can.
func (w *earnWorld) spoil(t *dice, p *schema.Plan) {
	d := fixed.MustParse
	switch chance(t, 16) {
	case 0:
		p.Name = pick(t, "", "a b", strings.Repeat("n", 64), strings.Repeat("n", 65), "plan.1", "é")
	case 1:
		p.Kind = schema.PlanKind(chance(t, 4))
	case 2:
		p.Asset = schema.AssetID(chance(t, earnAssets+2))
	case 3:
		p.Payout = schema.AssetID(chance(t, earnAssets+2))
	case 4:
		p.Percent = pick(t, fixed.Zero, d("1000.000001"), d("0.0000001"), fixed.One)
	case 5:
		p.Minutes = pick[uint32](t, 0, 1, 5_256_001, 1<<32-1)
	case 6:
		p.Ratio = pick(t, fixed.Zero, fixed.One, d("2"), d("-1"), d("0.000000001"), fixed.Max)
	case 7:
		p.Rate = pick(t, fixed.Zero, d("10.000000001"), d("-0.1"), d("0.0000000001"), fixed.One)
	case 8:
		p.Min = odd(t)
	case 9:
		p.Max = odd(t)
	case 10:
		p.Cap = odd(t)
	case 11:
		p.Max = p.Min.Sub(unitOf(p.Asset))
	case 12:
		p.Status = schema.PlanStatus(chance(t, 6))
	case 13:
		p.Regions = schema.Regions(chance(t, 9))
	case 14:
		p.ID = schema.PlanID(100 + chance(t, 2))
	case 15:
		p.Created = w.now
	}
}

// changed is a plan with a change.
func (w *earnWorld) changed(t *dice) schema.Plan {
	plans := w.oracle.Plans()
	p := plans[chance(t, len(plans))]
	switch chance(t, 8) {
	case 0, 1, 2:
		if p.Kind == schema.FlexPlan {
			p.Rate = rateOf(t)
		} else if coin(t) {
			p.Percent = percent(t)
		}
	case 3:
		p.Status = pick(t, schema.PlanActive, schema.PlanSoldOut, schema.PlanInactive, schema.PlanPaused)
		back := p
		back.Status = schema.PlanActive
		w.plan = append(w.plan, moment{cmd: w.invest(t, w.account(t), p.ID)}, moment{cmd: &schema.SetPlan{Plan: back}})
	case 4, 5:
		bounds(t, &p)
	case 6:
		p.Private = !p.Private
	case 7:
		w.spoil(t, &p)
	}
	return p
}

// planOf finds a plan; there may be none.
func (w *earnWorld) planOf(id schema.PlanID) (p schema.Plan) {
	if plans := w.oracle.Plans(); id >= 1 && int(id) <= len(plans) {
		p = plans[id-1]
	}
	return p
}
