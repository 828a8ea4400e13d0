package sheet

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Plan is an offer to invest; see schema.Plan. A fixed plan has a percent, minutes and, if it pays another asset, a ratio; a flex plan has a rate.
type Plan struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // fixed or flex
	Asset   string `json:"asset"`
	Payout  string `json:"payout"` // the asset of the interest; none: the same
	Percent Number `json:"percent"`
	Minutes uint32 `json:"minutes"`
	Ratio   Number `json:"ratio"` // how much of the asset one unit of payout is worth; 0 of a fixed plan: 1
	Rate    Number `json:"rate"`  // of a year, as a fraction
	Min     Number `json:"min"`
	Max     Number `json:"max"` // 0: no bound
	Cap     Number `json:"cap"` // of what all have; 0: no bound
	// Status is active, sold out, inactive or paused; none: active.
	Status  string   `json:"status"`
	Regions []string `json:"regions"` // of accounts that see it; none: all
	Private bool     `json:"private"` // only accounts to which it is assigned see it
}

// PlanOf is the sheet of a plan.
func PlanOf(p *schema.Plan, ticker func(schema.AssetID) string) Plan {
	s := Plan{
		Name: p.Name, Kind: p.Kind.String(), Asset: ticker(p.Asset), Payout: ticker(p.Payout), Percent: Number{p.Percent}, Minutes: p.Minutes, Ratio: Number{p.Ratio},
		Rate: Number{p.Rate}, Min: Number{p.Min}, Max: Number{p.Max}, Cap: Number{p.Cap}, Status: p.Status.String(), Regions: []string{}, Private: p.Private,
	}
	for _, r := range []schema.Region{schema.Global, schema.EU} {
		if p.Regions != 0 && p.Regions.Include(r) {
			s.Regions = append(s.Regions, r.String())
		}
	}
	return s
}

// Command offers the plan (id 0) or changes the one with an id.
func (s *Plan) Command(id schema.PlanID, l Assets) (*schema.SetPlan, error) {
	p := schema.Plan{
		ID: id, Name: s.Name, Percent: s.Percent.Decimal, Minutes: s.Minutes, Ratio: s.Ratio.Decimal, Rate: s.Rate.Decimal,
		Min: s.Min.Decimal, Max: s.Max.Decimal, Cap: s.Cap.Decimal, Status: schema.PlanActive, Private: s.Private,
	}
	var err error
	if p.Kind, err = choice("a kind", s.Kind, schema.FixedPlan, schema.FlexPlan); err != nil {
		return nil, fmt.Errorf("plan %s: %w", s.Name, err)
	}
	if s.Status != "" {
		if p.Status, err = choice("a status", s.Status, schema.PlanActive, schema.PlanSoldOut, schema.PlanInactive, schema.PlanPaused); err != nil {
			return nil, fmt.Errorf("plan %s: %w", s.Name, err)
		}
	}
	for _, word := range s.Regions {
		region, err := ParseRegion(word)
		if err != nil {
			return nil, fmt.Errorf("plan %s: %w", s.Name, err)
		}
		p.Regions |= schema.In(region)
	}
	asset := l.AssetByTicker(s.Asset)
	if asset == nil {
		return nil, fmt.Errorf("plan %s: there is no asset %q", s.Name, s.Asset)
	}
	p.Asset, p.Payout = asset.ID, asset.ID
	if s.Payout != "" {
		payout := l.AssetByTicker(s.Payout)
		if payout == nil {
			return nil, fmt.Errorf("plan %s: there is no asset %q", s.Name, s.Payout)
		}
		p.Payout = payout.ID
	}
	if p.Kind == schema.FixedPlan && p.Ratio.IsZero() {
		p.Ratio = fixed.One
	}
	return &schema.SetPlan{Plan: p}, nil
}
