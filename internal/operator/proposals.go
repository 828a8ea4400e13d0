package operator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// waits is the answer to what takes two operators, and was asked for by one. It goes the way of errors: nothing was done.
type waits struct {
	Proposal schema.ProposalID `json:"proposal"`
	Message  string            `json:"message"`
}

func (w *waits) Error() string { return w.Message }

// waiting is the answer to a command that became a proposal.
func waiting(id schema.ProposalID, command schema.Command) *waits {
	text := fmt.Sprintf("it takes two operators: another one has to approve proposal %d", id)
	if settles(command) {
		text += ", and it is done 24 hours after that"
	}
	return &waits{id, text}
}

// settles reports whether a command is a setting, which waits for its time once it is approved.
func settles(c schema.Command) bool {
	switch c.(type) {
	case *schema.SetAsset, *schema.SetChain, *schema.SetTier:
		return true
	}
	return false
}

// proposed is a command that waits for a second operator, or for its time.
type proposed struct {
	Proposal schema.ProposalID `json:"proposal"`
	Created  time.Time         `json:"created"`
	Operator string            `json:"operator"` // who asked for it
	Status   string            `json:"status"`   // asked, approved; in the answer to a decision also done or canceled
	Approver string            `json:"approver"`
	Due      *time.Time        `json:"due"`     // when an approved setting is done
	What     string            `json:"what"`    // what is asked for
	Changes  []string          `json:"changes"` // what a setting would change, from what to what
}

func proposedOf(m core.View, p *schema.Proposal) proposed {
	now := proposed{
		Proposal: p.ID, Created: moment(p.Asked), Operator: p.Operator, Status: p.Status.String(), Approver: p.Approver, Due: when(p.Due), Changes: []string{},
	}
	amount := func(of fmt.Stringer, asset schema.AssetID) string {
		return of.String() + " " + m.Listing().Asset(asset).Ticker
	}
	switch c := p.Command.(type) {
	case *schema.SetAsset:
		now.What = "asset " + c.Asset.Ticker
		if old := m.Listing().AssetByTicker(c.Asset.Ticker); old != nil {
			now.Changes = assetChanges(sheet.AssetOf(old, m.Chains()), sheet.AssetOf(&c.Asset, m.Chains()))
		}
	case *schema.SetChain:
		now.What = "chain " + c.Chain.Name
		if old := m.Chains().ByName(c.Chain.Name); old != nil {
			now.Changes = changes("", sheet.ChainOf(old), sheet.ChainOf(&c.Chain))
		}
	case *schema.SetTier:
		now.What = fmt.Sprint("tier ", c.Tier.Number)
		now.Changes = changes("", tierIn(m, c.Tier.Number), sheet.TierOf(&c.Tier))
	case *schema.Deposit:
		now.What = fmt.Sprintf("bring %s to %s", amount(c.Amount, c.Asset), nameOf(m, c.Account))
		if c.Held {
			now.What += ", held"
		}
	case *schema.DecideDeposit:
		now.What = fmt.Sprint("credit deposit ", c.Deposit)
		if d, known := m.Chains().Deposit(c.Deposit); known {
			now.What += fmt.Sprintf(" of %s to %s", amount(d.Amount, d.Asset), nameOf(m, max(d.Account, c.Account)))
		}
	case *schema.ForgiveOwed:
		now.What = fmt.Sprintf("forgive %s to %s", amount(c.Amount, c.Asset), nameOf(m, c.Account))
	}
	return now
}

// assetChanges are those of an asset, and of its networks by their names.
func assetChanges(was, is sheet.Asset) []string {
	network := func(of sheet.Asset, name string) (sheet.Network, bool) {
		at := slices.IndexFunc(of.Networks, func(n sheet.Network) bool { return n.Name == name })
		if at < 0 {
			return sheet.Network{}, false
		}
		return of.Networks[at], true
	}
	list := changes("", was, is)
	for _, n := range is.Networks {
		old, known := network(was, n.Name)
		if !known {
			list = append(list, "network "+n.Name+" is new")
		}
		list = append(list, changes("network "+n.Name+": ", old, n)...)
	}
	for _, n := range was.Networks {
		if _, known := network(is, n.Name); !known {
			list = append(list, "network "+n.Name+" is removed")
		}
	}
	return list
}

// changes are the settings in which two sheets of a type differ, but for the names and networks, in words.
func changes(of string, was, is any) []string {
	list := []string{}
	for f := range members(reflect.TypeOf(was)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "name" && of != "" || name == "networks" {
			continue
		}
		from, to := setting(was, f), setting(is, f)
		if from != to {
			list = append(list, fmt.Sprintf("%s%s from %s to %s", of, name, from, to))
		}
	}
	return list
}

// setting is what a sheet says, as a person reads it.
func setting(of any, f reflect.StructField) string {
	text, err := json.Marshal(reflect.ValueOf(of).FieldByIndex(f.Index).Interface())
	if err != nil {
		return err.Error()
	}
	var s string
	if json.Unmarshal(text, &s) == nil && s != "" {
		return s
	}
	return string(text)
}

// listProposals lists what waits, by number.
func (s *Server) listProposals(*call) (any, error) {
	list := []proposed{}
	s.look(func(m core.View) {
		for _, p := range m.Proposals() {
			list = append(list, proposedOf(m, &p))
		}
	})
	return list, nil
}

func (s *Server) approveProposal(c *call) (any, error) {
	return s.decideProposal(c, true, schema.ProposalDone)
}

func (s *Server) cancelProposal(c *call) (any, error) {
	return s.decideProposal(c, false, schema.ProposalCanceled)
}

// decideProposal approves or cancels the proposal in the path. The answer is the proposal, which is over if it waits no more.
func (s *Server) decideProposal(c *call, approve bool, over schema.ProposalStatus) (any, error) {
	find := func(m core.View, id uint64) (p proposed, known bool) {
		list := m.Proposals()
		at := slices.IndexFunc(list, func(p schema.Proposal) bool { return uint64(p.ID) == id })
		if at < 0 {
			return p, false
		}
		return proposedOf(m, &list[at]), true
	}
	was, err := numbered(s, c, "proposal", find)
	if err == nil {
		err = c.read(&nothing{})
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.do(c, &schema.DecideProposal{Proposal: was.Proposal, Approve: approve}); err != nil {
		return nil, err
	}
	now, waits := was, false
	s.look(func(m core.View) {
		if left, known := find(m, uint64(was.Proposal)); known {
			now, waits = left, true
		}
	})
	if !waits {
		if now.Status = over.String(); approve {
			now.Approver = c.who
		}
	}
	return now, nil
}

// answered writes the answer to an act, or that it waits.
func answered(w http.ResponseWriter, answer any, err error) error {
	var proposal *waits
	switch {
	case errors.As(err, &proposal):
		return writeJSON(w, http.StatusAccepted, proposal)
	case err != nil:
		return err
	}
	return writeJSON(w, http.StatusOK, answer)
}
