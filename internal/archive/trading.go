package archive

import (
	"context"
	"fmt"
	"math"

	"bourse/internal/core"
	"bourse/internal/core/trading"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Moment of an order's life: a change or a deal, never both.
type Moment struct {
	Batch   uint64
	Time    schema.Time
	Market  string
	Changed *schema.OrderChanged
	Deal    *schema.Deal
}

// OrderLife calls each with the changes and deals of an order.
func (a *Archive) OrderLife(ctx context.Context, limit Limit, id schema.OrderID, each func(*Moment) error) error {
	p := NewPast()
	found := false
	err := a.Replay(ctx, p, limit, func(h *CommandEvents) error {
		for e := range h.Outcome.Events.All() {
			m := Moment{Batch: h.Batch, Time: h.Outcome.Time}
			switch e := e.(type) {
			case *schema.OrderChanged:
				if e.Order.ID != id {
					continue
				}
				m.Changed, m.Market = e, marketName(p.Machine, e.Order.Market)
			case *schema.Deal:
				if e.Maker.Order != id && e.Taker.Order != id {
					continue
				}
				m.Deal, m.Market = e, marketName(p.Machine, e.Market)
			default:
				continue
			}
			found = true
			if err := each(&m); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !found {
		err = fmt.Errorf("there is no order %d up to batch %d; its number is in the answer to placing it", id, p.Mark.Seq)
	}
	return err
}

func marketName(m *core.Machine, id schema.MarketID) string { return m.Listing().Market(id).Name }

// Trade is a deal and when it was.
type Trade struct {
	Batch uint64
	Time  schema.Time
	Deal  *schema.Deal
}

// Trades calls each with the deals in the book of a market.
func (a *Archive) Trades(ctx context.Context, limit Limit, market string, each func(*Trade) error) error {
	p := NewPast()
	err := a.Replay(ctx, p, limit, func(h *CommandEvents) error {
		for i := range h.Outcome.Events.Deals() {
			deal := &h.Outcome.Events.Deals()[i]
			if deal.OffBook || marketName(p.Machine, deal.Market) != market {
				continue
			}
			if err := each(&Trade{h.Batch, h.Outcome.Time, deal}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = marketByName(p.Machine, market)
	return err
}

// Book is the public book of a market, best first on both sides.
type Book struct {
	Batch uint64
	Time  schema.Time
	Last  fixed.Decimal // the price of the last trade; zero when there was none
	Bids  []trading.Level
	Asks  []trading.Level
}

// Book rebuilds the public book of a market.
func (a *Archive) Book(ctx context.Context, limit Limit, market string) (*Book, error) {
	p := NewPast()
	if err := a.Replay(ctx, p, limit, nil); err != nil {
		return nil, err
	}
	info, err := marketByName(p.Machine, market)
	if err != nil {
		return nil, err
	}
	engine := p.Machine.Trading()
	return &Book{
		Batch: p.Mark.Seq, Time: p.Machine.Time(), Last: engine.Market(info.ID).Last,
		Bids: engine.Depth(info.ID, schema.Buy, math.MaxInt), Asks: engine.Depth(info.ID, schema.Sell, math.MaxInt),
	}, nil
}

// Summary is a state in a few numbers.
type Summary struct {
	Batch    uint64
	Time     schema.Time
	Commands uint64
	Refused  uint64
	Accounts int
	Assets   int
	Markets  int
	Orders   int
	Hash     [32]byte
}

// Summary rebuilds the state and counts what is in it.
func (a *Archive) Summary(ctx context.Context, limit Limit) (*Summary, error) {
	p := NewPast()
	if err := a.Replay(ctx, p, limit, nil); err != nil {
		return nil, err
	}
	s := &Summary{
		Batch: p.Mark.Seq, Time: p.Machine.Time(), Commands: p.Commands, Refused: p.Refused,
		Accounts: len(p.Machine.Accounts().All()), Assets: len(p.Machine.Listing().Assets()),
		Markets: len(p.Machine.Listing().Markets()), Hash: p.Machine.Hash(),
	}
	for _, market := range p.Machine.Listing().Markets() {
		s.Orders += len(p.Machine.Trading().All(market.ID))
	}
	return s, nil
}
