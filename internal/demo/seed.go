package demo

import (
	"slices"

	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/past"
	"bourse/internal/schema"
)

// seed gives a demo that never traded a past. It ends with the time of the log: every trade that
// follows is later.
func (w *World) seed(n *node.Node) error {
	var markets []past.Market
	var end schema.Time
	traded := false
	n.Read(func(m core.View) {
		end, traded = m.Time(), m.Trading().Counters().Deal > 0
		for _, s := range w.scenes {
			info := m.Listing().MarketByName(s.name)
			rules := newMarket(s, &rules{
				StockPrec: int(info.StockPrec), MoneyPrec: int(info.MoneyPrec),
				TickSize: decimal{info.TickSize}, StepSize: decimal{info.StepSize},
			})
			p := past.Market{
				ID: info.ID, Tick: rules.tick, Step: rules.step, Start: s.start, Unit: s.unit, Gap: rules.gap, Volatility: s.volatility,
			}
			for _, leg := range s.cross {
				if leg != "" {
					p.Legs = append(p.Legs, w.scene(leg))
				}
			}
			markets = append(markets, p)
		}
	})
	if traded {
		return nil
	}
	return past.Write(w.dir, markets, end)
}

// scene is the place of a market among the scenes.
func (w *World) scene(name string) int {
	return slices.IndexFunc(w.scenes, func(s scene) bool { return s.name == name })
}
