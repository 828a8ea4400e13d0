package network

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Audit is what the books were held against on a chain, and what came out.
type Audit struct {
	At     driver.Point
	Assets []AssetAudit
}

// AssetAudit is one asset of an audit. More on the chain than in the books is no harm: somebody may have sent it in a way that blocks do
// not show. Less is.
type AssetAudit struct {
	Asset         schema.AssetID
	Ticker        string
	Books, Chain  fixed.Decimal
	Less, Surplus fixed.Decimal
}

// mostHoldings is how many coins of an asset a step asks the node for. An audit of more goes on with the next step.
const mostHoldings = 500

// Audited is what the last audit found.
func (l *Link) Audited() Audit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.audit
}

// examine holds the books against the chain, when it is time to. The error says what is missing there: until that is explained nothing
// more is planned.
func (l *Link) examine(ctx context.Context) error {
	if l.round != nil || time.Since(l.audited) >= l.o.Audit || l.Audited().short() != nil {
		if l.round == nil {
			l.round = &round{from: map[schema.AssetID]int{}}
		}
		whole, err := l.hold(ctx, l.round)
		switch {
		case errors.Is(err, driver.ErrMoved): // a block came meanwhile: this part again with the next step
		case err != nil:
			return err
		case whole || l.round.short() != nil:
			l.mu.Lock()
			l.audit = l.round.Audit
			l.mu.Unlock()
			l.round, l.audited = nil, time.Now()
		}
	}
	return l.Audited().short()
}

// round is an audit under way, and how many coins of each asset it has looked at.
type round struct {
	Audit
	from map[schema.AssetID]int
}

func (a Audit) short() error {
	for i := range a.Assets {
		if s := &a.Assets[i]; s.Less.Sign() > 0 {
			return fmt.Errorf("the chain has %s %s less than the books: nothing is paid until that is explained", s.Less, s.Ticker)
		}
	}
	return nil
}

// hold holds the next coins of every asset against the node, in the block where the exchange stands. It reports whether there are no more.
// Coins that come or go between two parts may be looked at twice or in the next round: each is held against its own amount.
func (l *Link) hold(ctx context.Context, r *round) (whole bool, err error) {
	list, _ := l.assets()
	coins := make([][]holding, len(list))
	var at driver.Point
	l.o.Node.Read(func(m core.View) {
		at.Height, at.Hash = m.Chains().Cursor(l.id)
		for i := range list {
			skip := r.from[list[i].id]
			for c := range holdings(m, l.id, l.space, list[i].id) {
				if skip > 0 {
					skip--
					continue
				}
				if coins[i] = append(coins[i], c); len(coins[i]) == mostHoldings {
					break
				}
			}
		}
	})
	parts := make([]AssetAudit, len(list))
	for i := range list {
		parts[i] = AssetAudit{Asset: list[i].id, Ticker: list[i].ticker}
		for _, c := range coins[i] {
			what, err := c.question(l.keys, &list[i])
			if err != nil {
				return false, err
			}
			has, err := l.o.Driver.Holds(ctx, at, what)
			if err != nil {
				return false, err
			}
			parts[i].add(c.Amount, has)
		}
	}
	whole, r.At = true, at
	for i := range parts {
		r.add(&parts[i])
		r.from[list[i].id] += len(coins[i])
		whole = whole && len(coins[i]) < mostHoldings
	}
	return whole, nil
}

// holding is a coin of ours, or what an address of ours has of an asset, and where it lies.
type holding struct {
	schema.Coin
	at driver.Place
}

// holdings are those of an asset that the books have in blocks of a chain.
func holdings(m core.View, chain schema.ChainID, space schema.Space, asset schema.AssetID) iter.Seq[holding] {
	return func(yield func(holding) bool) {
		for c := range m.Chains().Coins(chain, asset) {
			if c.Amount.IsZero() || space.Family == schema.Bitcoin && c.Height == 0 {
				continue
			}
			if !yield(holding{c, place(m, space, c.Index, c.Own)}) {
				return
			}
		}
	}
}

// question is what a node is asked about it.
func (h *holding) question(keys custody.Ring, a *offered) (driver.Holding, error) {
	text, _, err := keys.Address(h.at)
	return driver.Holding{ID: h.ID, Address: text, Contract: a.contract, Decimals: a.decimals}, err
}

// add counts a coin.
func (a *AssetAudit) add(books, chain fixed.Decimal) {
	a.Books, a.Chain = a.Books.Add(books), a.Chain.Add(chain)
	if chain.Less(books) {
		a.Less = a.Less.Add(books.Sub(chain))
	} else {
		a.Surplus = a.Surplus.Add(chain.Sub(books))
	}
}

// add adds a part of an asset.
func (a *Audit) add(part *AssetAudit) {
	for i := range a.Assets {
		if sum := &a.Assets[i]; sum.Asset == part.Asset {
			sum.Books, sum.Chain = sum.Books.Add(part.Books), sum.Chain.Add(part.Chain)
			sum.Less, sum.Surplus = sum.Less.Add(part.Less), sum.Surplus.Add(part.Surplus)
			return
		}
	}
	a.Assets = append(a.Assets, *part)
}
