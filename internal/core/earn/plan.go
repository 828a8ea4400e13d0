package earn

import (
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	mostName    = 64
	mostMinutes = 5_256_000 // ten years
)

var mostPercent, mostRate = fixed.FromInt(1000), fixed.FromInt(10)

// plan is an offer, and what was made of it.
type plan struct {
	schema.Plan
	meter
	used     bool               // somebody invested in it
	total    fixed.Decimal      // that is invested; follows from the investments
	assigned []schema.AccountID // that see it though it is private, by number
}

// meter is how far the index of a plan has come. Money that earned while the index grew by some number is paid that number times itself;
// so nobody has to look at all investments each hour.
type meter struct {
	hour     uint32 // since 1970, that is under way
	index    uint64 // when that hour began
	running  uint64 // growth in that hour, by the rate that held when it began
	midnight uint64 // the index when the day began
}

// at is the meter when an hour is under way, if the rate does not change until then.
func (m meter) at(hour uint32, growth uint64) meter {
	if hour <= m.hour {
		return m
	}
	if midnight := hour - hour%24; midnight > m.hour {
		m.midnight = m.before(midnight, growth)
	}
	m.index, m.running, m.hour = m.before(hour, growth), growth, hour
	return m
}

// before is the index when a later hour begins.
func (m meter) before(hour uint32, growth uint64) uint64 {
	return m.index + m.running + uint64(hour-m.hour-1)*growth
}

// growth of the index in an hour.
func (p *plan) growth() uint64 {
	n, _ := p.Rate.Units(9)
	return uint64(n)
}

// read is the meter of a plan at the moment of the command.
func (e *Earn) read(p *plan) meter { return p.at(e.hour(), p.growth()) }

// hour is the hour under way, and today the day.
func (e *Earn) hour() uint32  { return uint32(e.out.Time / hour) }
func (e *Earn) today() uint32 { return uint32(e.out.Time / day) }

// plan is the plan with an id, or nil.
func (e *Earn) plan(id schema.PlanID) *plan {
	if id == 0 || int(id) > len(e.plans) {
		return nil
	}
	return e.plans[id-1]
}

func (e *Earn) setPlan(m *schema.SetPlan) schema.Rejection {
	next, old := m.Plan, e.plan(m.Plan.ID)
	switch holder, taken := e.names[next.Name]; {
	case next.ID != 0 && old == nil:
		return schema.Refuse(schema.PlanUnknown)
	case !e.valid(&next) || taken && holder != next.ID || old != nil && old.used && !same(&old.Plan, &next):
		return schema.Refuse(schema.PlanInvalid)
	case old == nil && len(e.plans) >= mostPlans:
		return schema.Rejection{Reason: schema.PlansTooMany, Value: fixed.FromInt(mostPlans)}
	}
	if old == nil {
		next.ID, next.Created = schema.PlanID(len(e.plans)+1), e.out.Time
		old = &plan{meter: meter{hour: e.hour()}}
		e.plans = append(e.plans, old)
	} else {
		old.meter = e.read(old) // the hour under way pays by the rate of before
		next.Created = old.Created
		delete(e.names, old.Name)
	}
	old.Plan = next
	e.names[next.Name] = next.ID
	e.out.Result.ID = uint64(next.ID)
	e.out.Events.Add(&schema.PlanChanged{Plan: next})
	return schema.Rejection{}
}

// valid reports whether there can be such a plan.
func (e *Earn) valid(p *schema.Plan) bool {
	asset := e.listing.Asset(p.Asset)
	return asset != nil && e.listing.Asset(p.Payout) != nil && sound(p, int(asset.Precision))
}

// sound reports whether a plan makes sense, whose asset has so many decimals.
func sound(p *schema.Plan, places int) bool {
	switch {
	case !validName(p.Name) || !schema.Valid(p.Kind) || !schema.Valid(p.Status) || !p.Regions.Known():
		return false
	case p.Min.Sign() <= 0 || p.Cap.Sign() < 0 || !p.Max.IsZero() && p.Max.Less(p.Min):
		return false
	case max(p.Min.Decimals(), p.Max.Decimals(), p.Cap.Decimals()) > places:
		return false
	case p.Kind == schema.FlexPlan:
		return p.Payout == p.Asset && p.Percent.IsZero() && p.Minutes == 0 && p.Ratio.IsZero() &&
			p.Rate.Sign() >= 0 && p.Rate.Cmp(mostRate) <= 0 && p.Rate.Decimals() <= 9
	}
	return p.Rate.IsZero() && p.Percent.Sign() > 0 && p.Percent.Cmp(mostPercent) <= 0 && p.Percent.Decimals() <= 6 &&
		p.Minutes > 0 && p.Minutes <= mostMinutes && p.Ratio.Sign() > 0 && p.Ratio.Decimals() <= 8 &&
		(p.Payout != p.Asset || p.Ratio == fixed.One)
}

func validName(name string) bool {
	if name == "" || len(name) > mostName {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// same reports whether a plan keeps what its investments rely on.
func same(old, next *schema.Plan) bool {
	return old.Kind == next.Kind && old.Asset == next.Asset && old.Payout == next.Payout && old.Percent == next.Percent &&
		old.Minutes == next.Minutes && old.Ratio == next.Ratio
}

func (e *Earn) assignPlan(m *schema.AssignPlan) schema.Rejection {
	p := e.plan(m.Plan)
	switch {
	case p == nil:
		return schema.Refuse(schema.PlanUnknown)
	case e.accounts.Get(m.Account) == nil:
		return schema.Refuse(schema.AccountUnknown)
	}
	switch i, has := slices.BinarySearch(p.assigned, m.Account); {
	case m.On && !has && len(p.assigned) >= mostAssigned:
		return schema.Rejection{Reason: schema.PlansTooMany, Value: fixed.FromInt(mostAssigned)}
	case m.On && !has:
		p.assigned = slices.Insert(p.assigned, i, m.Account)
	case !m.On && has:
		p.assigned = slices.Delete(p.assigned, i, i+1)
	}
	e.out.Events.Add(&schema.PlanAssigned{Assigned: *m})
	return schema.Rejection{}
}

// openTo reports whether an account may know of a plan as far as that is private: it was assigned to the account or its master.
func (p *plan) openTo(account *schema.Account) bool {
	if !p.Private {
		return true
	}
	_, own := slices.BinarySearch(p.assigned, account.ID)
	_, family := slices.BinarySearch(p.assigned, account.Parent)
	return own || family
}
