package demo

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bourse/internal/core"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// feed is the world outside: three sources that say what the assets of the futures are worth, each a little beside the price at
// which the demo is. They are no customers, and their prices reach the exchange as commands.
type feed struct {
	node    *node.Node
	markets []*market // those with a price of their own
	chance  *rand.Rand
}

// sources are 1 to this.
const sources = 3

// tell sends a price of every source for every asset.
func (f *feed) tell(ctx context.Context) error {
	for _, m := range f.markets {
		var id schema.MarketID
		f.node.Read(func(v core.View) { id = v.Listing().MarketByName(m.name).ID })
		for source := range uint8(sources) {
			ticks := m.mid.Load() + f.chance.Int64N(2*m.gap+1) - m.gap
			c := &schema.SetIndex{Market: id, Price: m.price(max(ticks, 1)), Source: source + 1}
			var result schema.Result
			if err := f.node.Submit(ctx, c, &result); err != nil {
				return err
			}
			if r := result.Rejection; r.Refused() {
				return fmt.Errorf("the index of %s: %s", m.name, r.Text())
			}
		}
	}
	return nil
}
