package network

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bourse/internal/core"
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

// mostHoldings is how many coins an audit asks the node for; where there are more, it goes on where the last one ended.
const mostHoldings = 10_000

// Audited is what the last audit found.
func (l *Link) Audited() Audit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.audit
}

// examine holds the books against the chain, when it is time to. The error says what is missing there: until that is explained nothing
// more is planned.
func (l *Link) examine(ctx context.Context) error {
	if time.Since(l.audited) >= l.o.Audit || l.Audited().short() != nil {
		switch err := l.hold(ctx); {
		case errors.Is(err, driver.ErrMoved): // a block came meanwhile: next time
		case err != nil:
			return err
		default:
			l.audited = time.Now()
		}
	}
	return l.Audited().short()
}

func (a Audit) short() error {
	for i := range a.Assets {
		if s := &a.Assets[i]; s.Less.Sign() > 0 {
			return fmt.Errorf("the chain has %s %s less than the books: nothing is paid until that is explained", s.Less, s.Ticker)
		}
	}
	return nil
}

// hold holds every coin against the node, in the block where the exchange stands.
func (l *Link) hold(ctx context.Context) error {
	var at driver.Point
	list, _ := l.assets()
	audit := Audit{}
	type holding struct {
		schema.Coin
		at driver.Place
	}
	coins := make([][]holding, len(list))
	l.o.Node.Read(func(m core.View) {
		at.Height, at.Hash = m.Chains().Cursor(l.id)
		for i := range list {
			for c := range m.Chains().Coins(l.id, list[i].id) {
				if c.Amount.IsZero() || l.space.Family == schema.Bitcoin && c.Height == 0 {
					continue
				}
				if coins[i] = append(coins[i], holding{c, place(m, l.space, c.Index, c.Own)}); len(coins[i]) == mostHoldings {
					break
				}
			}
		}
	})
	for i := range list {
		a := AssetAudit{Asset: list[i].id, Ticker: list[i].ticker}
		for _, c := range coins[i] {
			text, _, err := l.text(c.at)
			if err != nil {
				return err
			}
			has, err := l.o.Driver.Holds(ctx, at, driver.Holding{ID: c.ID, Address: text, Contract: list[i].contract, Decimals: list[i].decimals})
			if err != nil {
				return err
			}
			a.Books, a.Chain = a.Books.Add(c.Amount), a.Chain.Add(has)
			if has.Less(c.Amount) {
				a.Less = a.Less.Add(c.Amount.Sub(has))
			} else {
				a.Surplus = a.Surplus.Add(has.Sub(c.Amount))
			}
		}
		audit.Assets = append(audit.Assets, a)
	}
	audit.At = at
	l.mu.Lock()
	l.audit = audit
	l.mu.Unlock()
	return nil
}
