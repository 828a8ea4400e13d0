package convert

import (
	"slices"

	"bourse/internal/core/hours"
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// mostFrozen is the part of what the inventory has of an asset that may be frozen for a family.
var mostFrozen = fixed.FromUnits(5, 2)

// within checks the bounds of an offer and the balance of who takes it, as if an open quote were ended (0: none).
func (c *Conversions) within(o *offer, ended uint32) schema.Rejection {
	open, frozen, freed := o.value, o.receive, fixed.Zero
	fits := true
	for _, place := range c.families[o.family] {
		if place == ended {
			continue
		}
		q := c.quotes.At(place)
		open = hours.Plus(open, q.value)
		if q.to == o.to && fits {
			frozen, fits = frozen.AddChecked(q.receive)
		}
	}
	if ended != 0 && c.quotes.At(ended).to == o.to {
		freed = c.quotes.At(ended).receive
	}
	day := hours.Total(hours.Live(c.converted[o.family], c.out.Time, hours.Day))
	available, otherwise, _ := c.ledger.Balance(c.ledger.Find(schema.Convert, schema.Main, o.to))
	switch {
	case open.Cmp(c.settings.OpenMost) > 0, hours.Plus(open, day).Cmp(c.settings.DayMost) > 0,
		available.Add(freed).Less(o.receive),
		!fits || fixed.CmpProducts(frozen, fixed.One, available.Add(otherwise), mostFrozen) > 0:
		return schema.Refuse(schema.ConversionTooLarge)
	}
	return c.covered(&o.deal)
}

// covered checks that the trade wallet of an account has what it gives.
func (c *Conversions) covered(d *deal) schema.Rejection {
	if c.ledger.Available(c.ledger.Find(d.account, schema.Trade, d.from)).Less(d.give) {
		return schema.Refuse(schema.ConversionNotCovered)
	}
	return schema.Rejection{}
}

// execute does a deal of a value, for which the inventory froze what it gives or not, and counts what it was worth.
func (c *Conversions) execute(d *deal, value fixed.Decimal, frozen bool) {
	d.done = c.out.Time
	note := ledger.Note{Cause: schema.ByConversion, Ref: uint64(d.id)}
	source, target := c.ledger.Find(d.account, schema.Trade, d.from), c.ledger.Open(schema.Convert, schema.Main, d.from)
	c.ledger.Move(source, target, d.give, note)
	source, target = c.ledger.Find(schema.Convert, schema.Main, d.to), c.ledger.Open(d.account, schema.Trade, d.to)
	if frozen {
		c.ledger.MoveFrozen(source, target, d.receive, note)
	} else {
		c.ledger.Move(source, target, d.receive, note)
	}
	family := c.accounts.Root(d.account).ID
	c.converted[family] = hours.Add(forgetting(c.converted[family], c.out.Time), c.out.Time, value)
	c.announce(d)
	c.count(d)
}

// announce answers with a deal that was done.
func (c *Conversions) announce(d *deal) {
	e := &schema.Converted{Conversion: d.message()}
	c.out.Events.Add(e)
	c.out.Result.Conversion, c.out.Result.ID = &e.Conversion, uint64(d.id)
}

// count adds what the inventory lost by a deal to the hour, and switches conversions off where that is too much in a day.
func (c *Conversions) count(d *deal) {
	lost := c.worth(d.to, d.receive, fixed.Ceil).Sub(c.worth(d.from, d.give, fixed.Floor))
	c.results = hours.Add(forgetting(c.results, c.out.Time), c.out.Time, lost)
	if c.settings.On && hours.Total(c.results).Cmp(c.settings.LossMost) > 0 {
		c.settings.On = false
		c.changed()
	}
}

// worth is what an amount is worth by the index, fresh or not.
func (c *Conversions) worth(asset schema.AssetID, amount fixed.Decimal, r fixed.Rounding) fixed.Decimal {
	index, _ := c.prices.Index(asset)
	worth, fits := fixed.Mul(amount, index, valuePlaces, r)
	if !fits {
		return fixed.Max
	}
	return worth
}

// forgetting is a list of sums without those that are over, in the memory of the list.
func forgetting(list []hours.Sum, now schema.Time) []hours.Sum {
	return slices.Delete(list, 0, len(list)-len(hours.Live(list, now, hours.Day)))
}
