package operator

import (
	"net/http"
	"slices"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// plan is an offer to invest as operators see it.
type plan struct {
	sheet.Plan
	Invested sheet.Number `json:"invested"` // what all have in it
	Accounts []string     `json:"accounts"` // to which it is assigned
	Created  time.Time    `json:"created"`
}

func planOf(m core.View, p *schema.Plan) plan {
	ticker := func(id schema.AssetID) string { return m.Listing().Asset(id).Ticker }
	shown := plan{sheet.PlanOf(p, ticker), sheet.Number{Decimal: m.Earn().Invested(p.ID)}, []string{}, moment(p.Created)}
	for _, id := range m.Earn().Assigned(p.ID) {
		shown.Accounts = append(shown.Accounts, m.Accounts().Get(id).Name)
	}
	return shown
}

func (s *Server) listPlans(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []plan{}
	s.look(func(m core.View) {
		for _, p := range window(m.Earn().Plans(), limit, offset) {
			list = append(list, planOf(m, p))
		}
	})
	return list, nil
}

// plan is the plan in the path.
func (s *Server) plan(c *call) (found schema.Plan, err error) {
	name := c.PathValue("plan")
	s.look(func(m core.View) {
		if p := m.Earn().PlanByName(name); p != nil {
			found = *p
		}
	})
	if found.ID == 0 {
		return found, missing("plan", name)
	}
	return found, nil
}

func (s *Server) showPlan(c *call) (any, error) {
	p, err := s.plan(c)
	if err != nil {
		return nil, err
	}
	var shown plan
	s.look(func(m core.View) { shown = planOf(m, m.Earn().Plan(p.ID)) })
	return shown, nil
}

// offerPlan offers a plan, or replaces all settings of one.
func (s *Server) offerPlan(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	settings := sheet.Plan{Name: c.PathValue("plan")}
	old, err := s.plan(c)
	if err == nil && c.onlyNew() {
		return nil, exists("plan", settings.Name)
	}
	return s.setPlan(c, old.ID, &settings)
}

func (s *Server) changePlan(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	old, err := s.plan(c)
	if err != nil {
		return nil, err
	}
	var settings sheet.Plan
	s.look(func(m core.View) { settings = planOf(m, &old).Plan })
	return s.setPlan(c, old.ID, &settings)
}

func (s *Server) setPlan(c *call, id schema.PlanID, settings *sheet.Plan) (any, error) {
	regions := settings.Regions // a list is replaced whole
	settings.Regions = nil
	if err := c.read(settings); err != nil {
		return nil, err
	}
	if settings.Regions == nil {
		settings.Regions = regions
	}
	if settings.Name != c.PathValue("plan") {
		return nil, &Error{Status: http.StatusUnprocessableEntity, Field: "name", Message: "the plan in the path is another one"}
	}
	var command *schema.SetPlan
	var err error
	s.look(func(m core.View) { command, err = settings.Command(id, m.Listing()) })
	if err != nil {
		return nil, &Error{Status: http.StatusUnprocessableEntity, Message: err.Error()}
	}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showPlan(c)
}

// assignPlan lets an account see a private plan, hidePlan hides it from the account again.
func (s *Server) assignPlan(c *call) (any, error) { return s.assignment(c, true) }
func (s *Server) hidePlan(c *call) (any, error)   { return s.assignment(c, false) }

func (s *Server) assignment(c *call, on bool) (any, error) {
	p, err := s.plan(c)
	if err != nil {
		return nil, err
	}
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	if _, err := s.do(c, &schema.AssignPlan{Plan: p.ID, Account: a.ID, On: on}); err != nil {
		return nil, err
	}
	return s.showPlan(c)
}

// investment is an open investment as operators see it.
type investment struct {
	Plan     string       `json:"plan"`
	Kind     string       `json:"kind"`
	Asset    string       `json:"asset"`
	Amount   sheet.Number `json:"amount"`
	Interest sheet.Number `json:"interest"` // what a fixed plan will pay, and what a flex plan has to credit so far
	Due      *time.Time   `json:"due"`      // null: of a flex plan
	Reinvest bool         `json:"reinvest"`
	Created  time.Time    `json:"created"`
}

func (s *Server) listInvestments(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	list := []investment{}
	s.look(func(m core.View) {
		for _, v := range slices.Backward(m.Earn().Investments(a.ID)) {
			p := m.Earn().Plan(v.Plan)
			shown := investment{p.Name, p.Kind.String(), m.Listing().Asset(p.Asset).Ticker, sheet.Number{Decimal: v.Amount}, sheet.Number{Decimal: v.Interest}, momentOrNull(v.Due), v.Reinvest, moment(v.Created)}
			if p.Kind == schema.FlexPlan {
				shown.Interest.Decimal = m.Earn().Accrued(v.ID)
			}
			list = append(list, shown)
		}
	})
	return list, nil
}
