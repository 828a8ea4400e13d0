package schema

import (
	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// ConversionID numbers quotes and what came of them.
type ConversionID uint64

// QuoteLife is how long a quote can be confirmed.
const QuoteLife = 10 * Second

// SetConversion says whether there are conversions, and what bounds them. Bounds are values in USDT.
type SetConversion struct {
	On bool
	// Spread is the least that each hop costs, a fraction with at most 6 decimals.
	Spread fixed.Decimal
	// Hubs are the assets over which conversions may go, at most MaxHubs.
	Hubs []AssetID
	// OpenMost is what a family may have in open quotes, DayMost what it may convert in 24 hours together with them.
	OpenMost, DayMost fixed.Decimal
	// LossMost is what the inventory may lose by conversions in 24 hours before they are switched off.
	LossMost fixed.Decimal
}

// MaxHubs is the highest number of hubs, MaxHops that of the markets of a conversion.
const (
	MaxHubs = 4
	MaxHops = 3 // over two of them
)

func (*SetConversion) Kind() Kind { return 120 }

func (m *SetConversion) Subject() Subject { return Subject{Name: "conversion"} }

func (m *SetConversion) Fields(c *wire.Coder) {
	c.Bool(1, "on", &m.On)
	c.Decimal(2, "spread", &m.Spread)
	wire.Uints(c, 3, "hubs", &m.Hubs)
	c.Decimal(4, "open_most", &m.OpenMost)
	c.Decimal(5, "day_most", &m.DayMost)
	c.Decimal(6, "loss_most", &m.LossMost)
}

// Exchange is what an account wants to convert. Amount counts what it gives, or, with InTo, what it receives.
type Exchange struct {
	Account  AccountID
	From, To AssetID
	InTo     bool
	Amount   fixed.Decimal // what is beyond 8 decimals, or beyond those of the asset that it counts, does not count
}

func (m *Exchange) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "from", &m.From)
	wire.Uint(c, 3, "to", &m.To)
	c.Bool(4, "in_to", &m.InTo)
	c.Decimal(5, "amount", &m.Amount)
}

// QuoteConversion asks for a quote, which can be confirmed once within QuoteLife.
type QuoteConversion struct{ Exchange Exchange }

func (*QuoteConversion) Kind() Kind { return 121 }

func (m *QuoteConversion) Fields(c *wire.Coder) { wire.Embed(c, 1, "exchange", &m.Exchange) }

// ConfirmConversion converts as a quote of the account says.
type ConfirmConversion struct {
	Account AccountID
	Quote   ConversionID
}

func (*ConfirmConversion) Kind() Kind { return 122 }

func (m *ConfirmConversion) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &m.Account)
	wire.Uint(c, 2, "quote", &m.Quote)
}

// AutoConvert quotes and converts at once. A repetition with the same key converts nothing and has the same answer for 24 hours.
type AutoConvert struct {
	Exchange Exchange
	Key      Digest // of the account and its idempotency key; none: each command converts
}

func (*AutoConvert) Kind() Kind { return 123 }

func (m *AutoConvert) Fields(c *wire.Coder) {
	wire.Embed(c, 1, "exchange", &m.Exchange)
	c.Array(2, "key", m.Key[:])
}

// Hop is one market of a conversion, at the average price of its book for the amount.
type Hop struct {
	From, To AssetID
	Rate     fixed.Decimal // To for one From, cut to 8 decimals
}

func (m *Hop) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "from", &m.From)
	wire.Uint(c, 2, "to", &m.To)
	c.Decimal(3, "rate", &m.Rate)
}

// Conversion is a quote, or what was converted by it.
type Conversion struct {
	ID            ConversionID
	Account       AccountID
	From, To      AssetID
	Give, Receive fixed.Decimal
	Rate          fixed.Decimal // To for one From, cut to 8 decimals
	Path          []Hop
	Expires       Time
	Done          Time // when it was converted; 0: it was not
}

func (m *Conversion) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "id", &m.ID)
	wire.Uint(c, 2, "account", &m.Account)
	wire.Uint(c, 3, "from", &m.From)
	wire.Uint(c, 4, "to", &m.To)
	c.Decimal(5, "give", &m.Give)
	c.Decimal(6, "receive", &m.Receive)
	c.Decimal(7, "rate", &m.Rate)
	wire.List(c, 8, "path", &m.Path)
	wire.Int(c, 9, "expires", &m.Expires)
	wire.Int(c, 10, "done", &m.Done)
}

// ConversionChanged carries what was set of conversions, also when they are switched off because of losses.
type ConversionChanged struct{ Conversion SetConversion }

func (*ConversionChanged) event()   {}
func (*ConversionChanged) setting() {}

func (e *ConversionChanged) Fields(c *wire.Coder) { wire.Embed(c, 1, "conversion", &e.Conversion) }

// Converted is a conversion that was done.
type Converted struct{ Conversion Conversion }

func (*Converted) event() {}

func (e *Converted) Fields(c *wire.Coder) { wire.Embed(c, 1, "conversion", &e.Conversion) }
