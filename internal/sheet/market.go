package sheet

import (
	"fmt"
	"strings"

	"bourse/internal/schema"
)

// Market is a market; see schema.MarketInfo. Its name says what is traded: BASE_QUOTE, or BASE_PERP of a future, which
// is quoted in USDT. A TradFi future is BASE_USD.
type Market struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	TickSize   Number   `json:"tick_size"`
	StepSize   Number   `json:"step_size"`
	StockPrec  uint8    `json:"stock_prec"`
	MoneyPrec  uint8    `json:"money_prec"`
	FeePrec    uint8    `json:"fee_prec"`
	MinAmount  Number   `json:"min_amount"`
	MinTotal   Number   `json:"min_total"`
	MaxTotal   Number   `json:"max_total"`
	MakerFee   Number   `json:"maker_fee"`
	TakerFee   Number   `json:"taker_fee"`
	RPIPremium *Number  `json:"rpi_premium"`
	TakerBand  Number   `json:"taker_band"`
	Enabled    bool     `json:"enabled"`
	Regions    []string `json:"regions"`  // where it is offered; none: everywhere
	OpensAt    int64    `json:"opens_at"` // Unix seconds
	// MaxOrders is how many open orders an account may have; 0: the default.
	MaxOrders uint32 `json:"max_orders"`
	Margin
}

// LastSecond is the last one of the year 9999: JSON has no later times.
const LastSecond = 253_402_300_799

// MarketOf is the sheet of a market.
func MarketOf(m *schema.MarketInfo) Market {
	s := Market{
		Name: m.Name, Type: m.Type.String(), TickSize: Number{m.TickSize}, StepSize: Number{m.StepSize},
		StockPrec: m.StockPrec, MoneyPrec: m.MoneyPrec, FeePrec: m.FeePrec,
		MinAmount: Number{m.MinAmount}, MinTotal: Number{m.MinTotal}, MaxTotal: Number{m.MaxTotal},
		MakerFee: Number{m.MakerFee}, TakerFee: Number{m.TakerFee}, RPIPremium: pointer(m.RPIPremium),
		TakerBand: Number{m.TakerBand}, Enabled: m.Enabled, Regions: []string{}, OpensAt: int64(m.OpensAt / schema.Second),
		MaxOrders: m.MaxOrders,
	}
	switch {
	case m.Future():
		s.Margin = marginOf(&m.Margin)
	case m.Pair():
		all := marginOf(&m.Margin)
		s.Margin = Margin{MaxLeverage: all.MaxLeverage, MaxPosition: all.MaxPosition, MaxPending: all.MaxPending, LiquidationBand: all.LiquidationBand}
	}
	for _, r := range []schema.Region{schema.Global, schema.EU} {
		if m.Regions != 0 && m.Regions.Include(r) {
			s.Regions = append(s.Regions, r.String())
		}
	}
	return s
}

// Assets is where assets are looked up.
type Assets interface{ AssetByTicker(string) *schema.Asset }

// Command lists the market or changes it. The assets that its name says are looked up.
func (s *Market) Command(l Assets) (*schema.SetMarket, error) {
	kind, err := choice("a type", s.Type, schema.Spot, schema.Futures, schema.TradFiFutures)
	if err != nil {
		return nil, fmt.Errorf("market %s: %w", s.Name, err)
	}
	if s.OpensAt < 0 || s.OpensAt > LastSecond {
		return nil, fmt.Errorf("market %s: opens_at is a moment in Unix seconds before the year 10000, or 0, not %d", s.Name, s.OpensAt)
	}
	m := schema.MarketInfo{
		Name: s.Name, Type: kind, TickSize: s.TickSize.Decimal, StepSize: s.StepSize.Decimal,
		StockPrec: s.StockPrec, MoneyPrec: s.MoneyPrec, FeePrec: s.FeePrec,
		MinAmount: s.MinAmount.Decimal, MinTotal: s.MinTotal.Decimal, MaxTotal: s.MaxTotal.Decimal,
		MakerFee: s.MakerFee.Decimal, TakerFee: s.TakerFee.Decimal, RPIPremium: optional(s.RPIPremium),
		TakerBand: s.TakerBand.Decimal, Enabled: s.Enabled, OpensAt: schema.Time(s.OpensAt) * schema.Second,
		MaxOrders: s.MaxOrders,
	}
	for _, word := range s.Regions {
		region, err := ParseRegion(word)
		if err != nil {
			return nil, fmt.Errorf("market %s: %w", s.Name, err)
		}
		m.Regions |= schema.In(region)
	}
	if m.Future() {
		m.Margin = s.terms(futures)
	} else {
		m.Margin = s.terms(s.spot())
	}
	if kind == schema.Futures {
		base, quote := l.AssetByTicker(strings.TrimSuffix(s.Name, "_PERP")), l.AssetByTicker("USDT")
		if base != nil && quote != nil {
			m.Base, m.Quote = base.ID, quote.ID
		}
		return &schema.SetMarket{Market: m}, nil
	}
	// A ticker may have an underscore of its own: the assets decide where the name is cut.
	for i := range len(s.Name) {
		if s.Name[i] == '_' {
			base, quote := l.AssetByTicker(s.Name[:i]), l.AssetByTicker(s.Name[i+1:])
			if base != nil && quote != nil {
				m.Base, m.Quote = base.ID, quote.ID
			}
		}
	}
	return &schema.SetMarket{Market: m}, nil
}
