package operator

import (
	"encoding/hex"

	"bourse/internal/fixed"
	"bourse/internal/network"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// chainAudit is how the books stood to a chain when they were held against it last.
type chainAudit struct {
	Height uint64       `json:"height"` // of the block in which it was; 0: there was none yet, or the chain is not followed here
	Hash   string       `json:"hash"`
	Assets []assetAudit `json:"assets"`
}

type assetAudit struct {
	Asset       string       `json:"asset"`
	Books       sheet.Number `json:"books"`
	Chain       sheet.Number `json:"chain"`
	Less        sheet.Number `json:"less"`        // what the chain lacks: nothing is paid until that is explained
	Surplus     sheet.Number `json:"surplus"`     // what it has beyond the books
	Differences []difference `json:"differences"` // the first 100
}

type difference struct {
	Address string       `json:"address"`
	Coin    string       `json:"coin"` // the output that it is, where there are coins
	Books   sheet.Number `json:"books"`
	Chain   sheet.Number `json:"chain"`
}

func auditOf(of *schema.Chain, a *network.Audit) chainAudit {
	shown := chainAudit{Height: a.At.Height, Assets: []assetAudit{}}
	if a.At.Height != 0 {
		shown.Hash = hex.EncodeToString(a.At.Hash[:])
	}
	number := func(d fixed.Decimal) sheet.Number { return sheet.Number{Decimal: d} }
	for i := range a.Assets {
		one := &a.Assets[i]
		asset := assetAudit{one.Ticker, number(one.Books), number(one.Chain), number(one.Less), number(one.Surplus), []difference{}}
		for _, d := range one.Differences {
			if of.Driver != schema.BitcoinNode {
				d.Coin = ""
			}
			asset.Differences = append(asset.Differences, difference{d.Address, d.Coin, number(d.Books), number(d.Chain)})
		}
		shown.Assets = append(shown.Assets, asset)
	}
	return shown
}

// showAudit shows what the last audit of a chain found. There is none of a chain that is not followed here.
func (s *Server) showAudit(c *call) (any, error) {
	of, err := s.chain(c)
	if err != nil {
		return nil, err
	}
	audit := s.options.Audited(of.Name)
	return auditOf(&of, &audit), nil
}
