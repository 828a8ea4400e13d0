package sheet

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Pool is how the mining pool works and pays; see schema.PoolTerms. What is left out, or null, is the default.
type Pool struct {
	Open     bool    `json:"open"`
	Asset    string  `json:"asset"` // that it pays; none: BTC
	Chain    string  `json:"chain"` // by which it pays to addresses; none: it does not
	Unit     *uint8  `json:"unit"`  // work is counted in units of 2^-unit of difficulty 1
	Fee      *Number `json:"fee"`   // a fraction
	Least    *Number `json:"least"` // that is paid to an address
	Accounts *uint32 `json:"accounts"`
	Links    *uint32 `json:"links"`
}

// pool is what holds where nobody said anything. The pool is closed.
var pool = schema.PoolTerms{Unit: 0, Fee: fixed.FromUnits(4, 2), Least: fixed.FromUnits(1, 3), Accounts: 10, Links: 3}

// poolAsset is what a pool pays where nobody said anything.
const poolAsset = "BTC"

// PoolOf is the sheet of terms, or of what holds where nothing ever was set. Asset and chain are looked up.
func PoolOf(t schema.PoolTerms, ticker func(schema.AssetID) string, chains Chains) Pool {
	s := Pool{Asset: poolAsset}
	if t.Asset == 0 {
		t = pool
	} else {
		s.Asset = ticker(t.Asset)
	}
	if t.Chain != 0 {
		s.Chain = chains.Get(t.Chain).Name
	}
	s.Open, s.Unit, s.Fee, s.Least, s.Accounts, s.Links = t.Open, &t.Unit, &Number{t.Fee}, &Number{t.Least}, &t.Accounts, &t.Links
	return s
}

// Command sets the terms.
func (s *Pool) Command(l Assets, chains Chains) (*schema.SetPool, error) {
	t := pool
	t.Open = s.Open
	name := s.Asset
	if name == "" {
		name = poolAsset
	}
	asset := l.AssetByTicker(name)
	if asset == nil {
		return nil, fmt.Errorf("pool: there is no asset %q", name)
	}
	t.Asset = asset.ID
	if s.Chain != "" {
		chain := chains.ByName(s.Chain)
		if chain == nil {
			return nil, fmt.Errorf("pool: there is no chain %q", s.Chain)
		}
		t.Chain = chain.ID
	}
	if s.Unit != nil {
		t.Unit = *s.Unit
	}
	for _, part := range []struct {
		said *Number
		of   *fixed.Decimal
	}{{s.Fee, &t.Fee}, {s.Least, &t.Least}} {
		if part.said != nil {
			*part.of = part.said.Decimal
		}
	}
	for _, part := range []struct{ said, of *uint32 }{{s.Accounts, &t.Accounts}, {s.Links, &t.Links}} {
		if part.said != nil {
			*part.of = *part.said
		}
	}
	return &schema.SetPool{Terms: t}, nil
}
