package operator

import (
	"time"

	"bourse/internal/core"
	"bourse/internal/core/price"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

func (s *Server) listCollateral(*call) (any, error) {
	list := []sheet.Collateral{}
	s.look(func(m core.View) {
		for _, a := range m.Listing().Assets() {
			if c, set := m.Prices().Collateral(a.ID); set {
				list = append(list, sheet.CollateralOf(a.Ticker, &c))
			}
		}
	})
	return list, nil
}

// collateral is what holds for the asset in the path.
func (s *Server) collateral(c *call) (settings sheet.Collateral, err error) {
	a, err := s.asset(c)
	if err != nil {
		return settings, err
	}
	settings = sheet.NoCollateral(a.Ticker)
	s.look(func(m core.View) {
		if of, set := m.Prices().Collateral(a.ID); set {
			settings = sheet.CollateralOf(a.Ticker, &of)
		}
	})
	return settings, nil
}

func (s *Server) showCollateral(c *call) (any, error) { return s.collateral(c) }

// setCollateral changes what an asset is worth, or says it for the first time.
func (s *Server) setCollateral(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	settings, err := s.collateral(c)
	if err != nil {
		return nil, err
	}
	if err := c.read(&settings); err != nil {
		return nil, err
	}
	if settings.Asset != c.PathValue("asset") {
		return nil, &Error{Status: 422, Field: "asset", Message: "the asset in the path is another one"}
	}
	var command *schema.SetCollateral
	s.look(func(m core.View) { command, err = settings.Command(m.Listing()) })
	if err != nil {
		return nil, invalid(err)
	}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showCollateral(c)
}

// assetIndex is the index of an asset as operators see it.
type assetIndex struct {
	Asset   string        `json:"asset"`
	Price   *sheet.Number `json:"price"`
	Fresh   bool          `json:"fresh"`
	MaxAge  int64         `json:"max_age"`
	Sources []source      `json:"sources"`
}

// source is what a source last said. Its age is that at the last command of the exchange.
type source struct {
	Source int          `json:"source"`
	Price  sheet.Number `json:"price"`
	At     time.Time    `json:"at"`
	Age    int64        `json:"age"`
	Counts bool         `json:"counts"`
}

func (s *Server) showIndex(c *call) (any, error) {
	a, err := s.asset(c)
	if err != nil {
		return nil, err
	}
	now := assetIndex{Asset: a.Ticker, MaxAge: int64(schema.DefaultIndexMaxAge / schema.Second), Sources: []source{}}
	s.look(func(m core.View) {
		p := m.Prices()
		if index, fresh := p.Index(a.ID); !index.IsZero() {
			now.Price, now.Fresh = &sheet.Number{Decimal: index}, fresh
		}
		if set, is := p.Collateral(a.ID); is {
			now.MaxAge = int64(set.IndexMaxAge / schema.Second)
		}
		for i := range price.Sources {
			if said, counts, _ := p.Source(a.ID, i); !said.Price.IsZero() {
				now.Sources = append(now.Sources, source{
					Source: i, Price: sheet.Number{Decimal: said.Price}, At: moment(said.At), Age: int64((m.Time() - said.At) / schema.Second), Counts: counts,
				})
			}
		}
	})
	return now, nil
}
