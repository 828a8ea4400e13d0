package agree

import (
	"iter"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Orders are orders of market 1 with and without everything that an order may have, for what writes orders by hand.
func Orders() iter.Seq[*schema.Order] {
	return func(yield func(*schema.Order) bool) {
		for kind := schema.Limit; kind <= schema.StopStockMarket; kind++ {
			for flags := range 16 {
				o := &schema.Order{
					ID: 7, Market: 1, Type: kind, Side: schema.Buy + schema.Side(flags&1), Status: schema.Open + schema.Status(flags%3),
					STP: schema.STP(flags % 4), PostOnly: flags&2 != 0, Retail: flags&4 != 0, RPI: flags&4 != 0, IOC: flags&8 != 0,
					Amount: fixed.FromUnits(25, 1), Left: fixed.One, DealFee: fixed.FromInt(-1), Created: 1_790_000_000_000_001,
					Collateral: flags&8 != 0, ReduceOnly: flags&1 != 0, PositionSide: schema.PositionSide(flags % 3),
				}
				if kind.HasPrice() {
					o.Price = fixed.FromInt(50)
				}
				if kind.IsStop() {
					o.ActivationPrice = fixed.FromInt(60)
					o.ActivatedAt = schema.Time(flags & 2)
				}
				if o.Collateral {
					o.Role, o.Group = schema.Role(flags%6), schema.OrderID(6*(flags&1))
				}
				if o.Role == schema.Primary { // a stop loss, a take profit, or both
					o.Group = 6
					o.StopLoss, o.TakeProfit = fixed.FromInt(int64(kind%3)), fixed.FromInt(int64((kind+1)%3))
				}
				if !yield(o) {
					return
				}
			}
		}
	}
}
