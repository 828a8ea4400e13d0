package custody

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// wanted is how many operators must have signed a withdrawal of an amount.
func (a *AssetLimits) wanted(w *driver.Paid) int {
	switch {
	case a.approve2Above != nil && a.approve2Above.Less(w.Amount):
		return 2
	case a.approveAbove != nil && a.approveAbove.Less(w.Amount):
		return 1
	}
	return 0
}

// lacks says which signatures a withdrawal of a request lacks; "": none.
func (g *Guard) lacks(r *driver.Request, asset *AssetLimits, keys schema.Digest, w *driver.Paid) string {
	wanted := asset.wanted(w)
	if wanted == 0 {
		return ""
	}
	a := NewApproval(&r.Chain, keys, r.Asset, asset.Contract, w)
	var good, wrong []string // operators have different keys, so each is counted once
	for _, s := range w.Signatures {
		key := g.limits.keys[s.Operator]
		switch {
		case slices.Contains(good, s.Operator):
		case key == nil:
			wrong = append(wrong, fmt.Sprintf("%s is no operator of %s", s.Operator, LimitsFile))
		case !a.SignedBy(key, s.Bytes):
			wrong = append(wrong, fmt.Sprintf("the signature of %s is by another key, or of something else", s.Operator))
		default:
			good = append(good, s.Operator)
		}
	}
	if len(good) >= wanted {
		return ""
	}
	says := fmt.Sprintf("withdrawal %d of %s %s must be signed by %d of the operators %s", w.ID, w.Amount, r.Asset, wanted,
		strings.Join(slices.Sorted(maps.Keys(g.limits.keys)), ", "))
	if len(good) > 0 {
		says += ", and is by " + strings.Join(good, " and ")
	}
	if len(wrong) > 0 {
		says += "; " + strings.Join(wrong, "; ")
	}
	return fmt.Sprintf("%s: 'bourse operator withdrawal %d sign --key FILE'", says, w.ID)
}

// Unapproved implements driver.Approver.
func (g *Guard) Unapproved(_ context.Context, r *driver.Request) ([]driver.Unapproved, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, asset, err := g.limits.of(r)
	if err != nil {
		return nil, err
	}
	k, err := g.knows(r.Chain.Space())
	if err != nil {
		return nil, err
	}
	var list []driver.Unapproved
	for i := range r.Withdrawals {
		w := &r.Withdrawals[i]
		if lacks := g.lacks(r, asset, k.own.Print(), w); lacks != "" {
			list = append(list, driver.Unapproved{Withdrawal: w.ID, Lacks: lacks})
		}
	}
	return list, nil
}
