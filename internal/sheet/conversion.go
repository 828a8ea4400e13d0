package sheet

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Conversion is whether there are conversions, and what bounds them; see schema.SetConversion. The spread is a ratio, bounds are in USDT.
// What is left out, or null, is the default.
type Conversion struct {
	On       bool     `json:"on"`
	Spread   *Number  `json:"spread"`    // what each hop costs at least
	Hubs     []string `json:"hubs"`      // over which conversions may go
	OpenMost *Number  `json:"open_most"` // in open quotes of a family
	DayMost  *Number  `json:"day_most"`  // what a family may convert in 24 hours
	LossMost *Number  `json:"loss_most"` // what the inventory may lose in 24 hours
}

// conversion is what holds where nobody said anything: there are none.
var conversion = schema.SetConversion{
	Spread: fixed.FromUnits(2, 3), OpenMost: fixed.FromInt(100_000), DayMost: fixed.FromInt(1_000_000), LossMost: fixed.FromInt(10_000),
}

// ConversionOf is the sheet of what was set of conversions, or of what holds where nothing ever was. Hubs are looked up.
func ConversionOf(c schema.SetConversion, ticker func(schema.AssetID) string) Conversion {
	if c.OpenMost.IsZero() { // what was set has bounds
		c = conversion
	}
	s := Conversion{
		On: c.On, Spread: &Number{c.Spread}, Hubs: []string{}, OpenMost: &Number{c.OpenMost}, DayMost: &Number{c.DayMost}, LossMost: &Number{c.LossMost},
	}
	for _, hub := range c.Hubs {
		s.Hubs = append(s.Hubs, ticker(hub))
	}
	return s
}

// Command sets conversions.
func (s *Conversion) Command(l Assets) (*schema.SetConversion, error) {
	c := conversion
	c.On = s.On
	for _, ticker := range s.Hubs {
		asset := l.AssetByTicker(ticker)
		if asset == nil {
			return nil, fmt.Errorf("conversion: there is no asset %q for a hub", ticker)
		}
		c.Hubs = append(c.Hubs, asset.ID)
	}
	for _, part := range []struct {
		said *Number
		of   *fixed.Decimal
	}{{s.Spread, &c.Spread}, {s.OpenMost, &c.OpenMost}, {s.DayMost, &c.DayMost}, {s.LossMost, &c.LossMost}} {
		if part.said != nil {
			*part.of = part.said.Decimal
		}
	}
	return &c, nil
}
