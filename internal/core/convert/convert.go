// Package convert lets accounts convert one asset into another at a price that is known before. The exchange gives what an account receives
// out of an inventory of its own, the account Convert, which bears the risk: prices come from the public books and are held against the
// indices, quotes cost a spread, and how much is open, converted and lost in a day is bounded. The rules are in docs/convert.md.
//
// What must hold: what is frozen of the inventory is what open quotes pay, of every asset; the inventory is never below zero; nothing
// is kept before conversions were first set.
package convert

import (
	"slices"

	"bourse/internal/core/accounts"
	"bourse/internal/core/hours"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/price"
	"bourse/internal/core/product"
	"bourse/internal/core/slab"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// slice is how many quotes, records and remembered quotes a Tick ends.
const slice = 1000

// Conversions are quotes, and what was converted not long ago.
type Conversions struct {
	product.Base
	ledger   *ledger.Ledger
	listing  *listing.Listing
	accounts *accounts.Accounts
	prices   *price.Board
	trading  *trading.Engine
	out      *schema.Outcome
	// Clock is the moment of the last accepted command.
	Clock func() schema.Time
	// MostKeys is how many answers are recorded of all accounts.
	MostKeys int

	settings schema.SetConversion
	hubs     []schema.AssetID // of the settings, by id
	last     schema.ConversionID

	// quotes are those that are open, in order by number, which is that of their expiry, and those that are remembered, as they ended.
	quotes slab.Shelf[quote, *quote]
	open   slab.List
	ended  slab.List
	// known are the quotes of accounts by number, and families the open ones of masters and their sub-accounts; only ever asked.
	known    map[schema.AccountID][]uint32
	families map[schema.AccountID][]uint32
	recorded

	converted map[schema.AccountID][]hours.Sum // values, by family; only ever asked
	results   []hours.Sum                      // what the inventory lost
	moves     [][]bucket                       // of asset i+1

	routes []route // of the last quote, kept for their memory
}

// New makes conversions that are switched off.
func New(l *ledger.Ledger, listed *listing.Listing, a *accounts.Accounts, p *price.Board, t *trading.Engine, out *schema.Outcome) *Conversions {
	return &Conversions{
		ledger: l, listing: listed, accounts: a, prices: p, trading: t, out: out, MostKeys: mostKeys,
		known: map[schema.AccountID][]uint32{}, families: map[schema.AccountID][]uint32{}, converted: map[schema.AccountID][]hours.Sum{},
		recorded: recorded{places: map[schema.Digest]uint32{}, counts: map[schema.AccountID]int{}},
	}
}

// Commands registers what is done with conversions.
func (c *Conversions) Commands(h *product.Handlers) {
	product.On(h, c.set)
	product.On(h, c.quote)
	product.On(h, c.confirm)
	product.On(h, c.auto)
}

func (c *Conversions) set(m *schema.SetConversion) schema.Rejection {
	if !c.valid(m) {
		return schema.Rejection{Reason: schema.ConversionInvalid, Value: fixed.FromInt(schema.MaxHubs)}
	}
	settings := *m
	settings.Hubs = slices.Clone(m.Hubs) // the command's memory belongs to the caller
	c.keep(settings)
	if m.On {
		c.results = nil
	}
	c.changed()
	return schema.Rejection{}
}

func (c *Conversions) keep(settings schema.SetConversion) {
	c.settings = settings
	c.hubs = slices.Sorted(slices.Values(settings.Hubs))
}

func (c *Conversions) changed() {
	c.out.Events.Add(&schema.ConversionChanged{Conversion: c.settings})
}

func (c *Conversions) valid(m *schema.SetConversion) bool {
	if m.Spread.Sign() < 0 || m.Spread.Cmp(fixed.One) >= 0 || m.Spread.Decimals() > 6 || len(m.Hubs) > schema.MaxHubs {
		return false
	}
	for i, hub := range m.Hubs {
		if c.listing.Asset(hub) == nil || slices.Contains(m.Hubs[:i], hub) {
			return false
		}
	}
	for _, bound := range []fixed.Decimal{m.OpenMost, m.DayMost, m.LossMost} {
		if bound.Sign() <= 0 || bound.Decimals() > valuePlaces {
			return false
		}
	}
	return true
}

// everSet reports whether conversions were set at some time: the bounds of those that were are above zero.
func (c *Conversions) everSet() bool { return !c.settings.OpenMost.IsZero() }

// Settings are what is set; nothing where nothing ever was.
func (c *Conversions) Settings() schema.SetConversion { return c.settings }

// Blocks reports whether a command has to wait: it would look at a book in the middle of work that goes on in slices.
func (c *Conversions) Blocks(cmd schema.Command) bool {
	switch m := cmd.(type) {
	case *schema.QuoteConversion:
		return c.settings.On && c.unsettled(m.Exchange.From, m.Exchange.To)
	case *schema.AutoConvert:
		return c.settings.On && c.unsettled(m.Exchange.From, m.Exchange.To)
	}
	return false
}

// unsettled reports whether that is so of a book of a route between two assets.
func (c *Conversions) unsettled(from, to schema.AssetID) bool {
	joined := func(a, b schema.AssetID) bool {
		for _, info := range [...]*schema.MarketInfo{c.listing.Spot(a, b), c.listing.Spot(b, a)} {
			if info != nil && c.trading.Unsettled(info.ID) {
				return true
			}
		}
		return false
	}
	if joined(from, to) {
		return true
	}
	for i, hub := range c.hubs {
		if joined(from, hub) || joined(hub, to) || slices.ContainsFunc(c.hubs[:i], func(other schema.AssetID) bool { return joined(hub, other) }) {
			return true
		}
	}
	return false
}

// Holds reports whether an account has an open quote.
func (c *Conversions) Holds(account schema.AccountID) bool {
	return slices.ContainsFunc(c.known[account], func(place uint32) bool { return c.quotes.At(place).ended == 0 })
}

// NextTimer is when the first open quote expires. Records and what is remembered need no timer: they count no more by themselves.
func (c *Conversions) NextTimer() (schema.Time, bool) {
	if c.open.First == 0 {
		return 0, false
	}
	return c.quotes.At(c.open.First).expires, true
}

// Tick ends quotes that expired and forgets what is over, some of each at once.
func (c *Conversions) Tick() {
	for range slice {
		if c.open.First == 0 || c.quotes.At(c.open.First).expires > c.out.Time {
			break
		}
		c.end(c.open.First)
	}
	for range slice {
		if c.ended.First == 0 || c.remembers(c.quotes.At(c.ended.First)) {
			break
		}
		c.forget(c.ended.First)
	}
	c.dropOver(c.out.Time)
}
