package operator

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// traffic is one direction of what passes by chains: deposits T or withdrawals T with a status S, which operators see as V.
type traffic[T any, S comparable, V any] struct {
	status func(word string) (S, error)
	all    func(core.View, schema.ChainID) iter.Seq[*T] // of a chain, without those that are forgotten
	about  func(*T) (id uint64, account schema.AccountID, status S)
	show   func(core.View, *T) V
}

// choice is what a query asks for; what is zero does not choose.
type choice[S comparable] struct {
	chain   schema.ChainID
	account schema.AccountID
	status  S
}

// list lists what is not forgotten, newest first. The query may choose a chain, an account and a status.
func (t *traffic[T, S, V]) list(s *Server, c *call) ([]V, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	wanted, err := t.choice(s, c)
	if err != nil {
		return nil, err
	}
	list := []V{}
	s.look(func(m core.View) {
		for _, p := range window(t.newest(m, wanted, limit+offset), limit, offset) {
			list = append(list, t.show(m, &p))
		}
	})
	return list, nil
}

func (t *traffic[T, S, V]) choice(s *Server, c *call) (wanted choice[S], err error) {
	if name := c.FormValue("chain"); name != "" {
		chain, err := s.chainByName(name)
		if err != nil {
			return wanted, err
		}
		wanted.chain = chain.ID
	}
	if name := c.FormValue("account"); name != "" {
		account, err := s.accountByName(name)
		if err != nil {
			return wanted, err
		}
		wanted.account = account.ID
	}
	if word := c.FormValue("status"); word != "" {
		if wanted.status, err = t.status(word); err != nil {
			return wanted, &Error{Status: 400, Field: "status", Message: err.Error()}
		}
	}
	return wanted, nil
}

func (w *choice[S]) has(account schema.AccountID, status S) bool {
	var every S
	return (w.account == 0 || account == w.account) && (w.status == every || status == w.status)
}

// newest are the newest that are wanted, at most so many. There may be far more of them: what is too much is thrown away on the way.
func (t *traffic[T, S, V]) newest(m core.View, wanted choice[S], most int) (list []T) {
	sort := func() {
		slices.SortFunc(list, func(a, b T) int {
			first, _, _ := t.about(&a)
			second, _, _ := t.about(&b)
			return cmp.Compare(second, first)
		})
		list = list[:min(most, len(list))]
	}
	for _, on := range m.Chains().All() {
		if wanted.chain != 0 && on.ID != wanted.chain {
			continue
		}
		for p := range t.all(m, on.ID) {
			if _, account, status := t.about(p); !wanted.has(account, status) {
				continue
			}
			if list = append(list, *p); len(list) == 2*most {
				sort()
			}
		}
	}
	sort()
	return list
}

// depth is how many confirmations something in a block of a chain has: 1 in the last one.
func depth(m core.View, on schema.ChainID, height uint64) uint64 {
	if tip, _ := m.Chains().Cursor(on); height != 0 && height <= tip {
		return tip - height + 1
	}
	return 0
}

// numbered is the deposit or the withdrawal whose number is in the path.
func numbered[T any](s *Server, c *call, what string, find func(core.View, uint64) (T, bool)) (found T, err error) {
	number := c.PathValue(what)
	id, err := strconv.ParseUint(number, 10, 64)
	known := false
	s.look(func(m core.View) { found, known = find(m, id) })
	if err != nil || !known {
		return found, missing(what, number)
	}
	return found, nil
}

// decided is what was decided about a deposit or a withdrawal, which may be forgotten by now.
type decided struct {
	ID       uint64       `json:"id"`
	Decision string       `json:"decision"`
	Account  string       `json:"account"`
	Asset    string       `json:"asset"`
	Amount   sheet.Number `json:"amount"`
}

func (s *Server) decided(id uint64, decision string, account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) decided {
	now := decided{ID: id, Decision: decision, Amount: sheet.Number{Decimal: amount}}
	s.look(func(m core.View) { now.Account, now.Asset = nameOf(m, account), m.Listing().Asset(asset).Ticker })
	return now
}
