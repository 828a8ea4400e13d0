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
	Differences   []Difference // the first of them
}

// Difference is a coin, or what an address has, of which the chain has more or less than the books.
type Difference struct {
	Address      string
	Coin         string // its name
	Books, Chain fixed.Decimal
}

const (
	// mostHoldings is how many coins of an asset a step asks the node for. An audit of more goes on with the next step.
	mostHoldings = 500
	// mostDifferences is how many an audit keeps of an asset.
	mostDifferences = 100
	// turns is in how many audits every address is looked at that has nothing in the books, where there are accounts instead of coins: with
	// one every ten minutes in a day.
	turns = 144
)

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
			l.strays, l.turn = l.round.strays, (l.turn+1)%turns
			l.round, l.audited = nil, time.Now()
		}
	}
	return l.Audited().short()
}

// round is an audit under way: how many coins of each asset it has looked at, the next address of those that have nothing in the books,
// and those of them that have something on the chain.
type round struct {
	Audit
	from   map[schema.AssetID]int
	next   schema.AddressIndex
	strays []holding
}

// empty are the next addresses of customers, from one on, that have nothing of a chain's own asset in the books, and where those begin that
// follow. What came there in a way that blocks do not show is found nowhere else; tokens say whatever moves. Before the first (from is 0) come
// those that had something when they were looked at last.
func (l *Link) empty(m core.View, native schema.AssetID, from schema.AddressIndex) (list []holding, next schema.AddressIndex) {
	if from == 0 {
		from = schema.AddressIndex(l.turn + 1)
		for _, s := range l.strays {
			if s.Index%turns != from%turns && m.Chains().Balance(l.id, native, s.Index, 0).IsZero() {
				list = append(list, s)
			}
		}
	}
	for next = from; len(list) < mostHoldings; next += turns {
		a, known := m.Chains().Address(l.space, next)
		if !known {
			break
		}
		if m.Chains().Balance(l.id, native, a.Index, 0).IsZero() {
			list = append(list, holding{schema.Coin{Index: a.Index}, driver.Place{Index: a.Index, Type: a.Type}})
		}
	}
	return list, next
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
	list, native := l.assets()
	coins := make([][]holding, len(list))
	booked := make([]int, len(list)) // of coins: those that the books have
	next, strays := r.next, []holding(nil)
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
			booked[i] = len(coins[i])
			if l.space.Family == schema.EVM && &list[i] == native && booked[i] < mostHoldings {
				var others []holding
				others, next = l.empty(m, native.id, next)
				coins[i] = append(coins[i], others...)
			}
		}
	})
	parts := make([]AssetAudit, len(list))
	for i := range list {
		parts[i] = AssetAudit{Asset: list[i].id, Ticker: list[i].ticker}
		for j, c := range coins[i] {
			what, err := c.question(l.keys, &list[i])
			if err != nil {
				return false, err
			}
			has, err := l.o.Driver.Holds(ctx, at, what)
			if err != nil {
				return false, err
			}
			parts[i].add(what, c.Amount, has)
			if j >= booked[i] && !has.IsZero() {
				strays = append(strays, c)
			}
		}
	}
	whole, r.At, r.next = true, at, next
	r.strays = append(r.strays, strays[:min(len(strays), mostDifferences-len(r.strays))]...)
	for i := range parts {
		r.add(&parts[i])
		r.from[list[i].id] += booked[i]
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
func (a *AssetAudit) add(what driver.Holding, books, chain fixed.Decimal) {
	a.Books, a.Chain = a.Books.Add(books), a.Chain.Add(chain)
	if books != chain && len(a.Differences) < mostDifferences {
		a.Differences = append(a.Differences, Difference{what.Address, what.ID, books, chain})
	}
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
			sum.Differences = append(sum.Differences, part.Differences[:min(len(part.Differences), mostDifferences-len(sum.Differences))]...)
			return
		}
	}
	a.Assets = append(a.Assets, *part)
}
