package main

import (
	"context"
	"fmt"
	"time"

	"bourse/internal/archive"
	"bourse/internal/schema"
)

type replayCmd struct {
	dataFlag
	To    uint64    `placeholder:"BATCH" xor:"limit" help:"Go up to this batch and not to the end of the log."`
	Until time.Time `placeholder:"TIME" xor:"limit" help:"Go up to this moment, such as 2026-10-01T12:00:00Z."`
	JSON  bool      `name:"json" help:"Print JSON, one object a line, instead of tables."`

	Summary replaySummary `cmd:"" default:"1" help:"Print the state in a few numbers, with its hash. This is what comes without a word."`
	Account replayAccount `cmd:"" help:"Print the statement of an account, line by line."`
	Order   replayOrder   `cmd:"" help:"Print the life of an order: every change and every deal."`
	Book    replayBook    `cmd:"" help:"Print the public book of a market."`
	Trades  replayTrades  `cmd:"" help:"Print the trades of a market."`
	Risk    replayRisk    `cmd:"" help:"Print margin calls, liquidations, deleveraging, and every change of the insurance fund."`
}

func (replayCmd) Help() string {
	return `Rebuilds the state from the log alone, from its beginning, and prints a part of it or of what
happened on the way. Nothing is changed.`
}

func (c *replayCmd) limit() archive.Limit {
	l := archive.Limit{Seq: c.To}
	if !c.Until.IsZero() {
		l.Time = schema.Time(c.Until.UnixMicro())
	}
	return l
}

// replay looks at the archive and prints what work makes of it.
func (c *replayCmd) replay(out stdout, errs stderr, work func(context.Context, *archive.Archive, *rows) error) error {
	r := &rows{out: out, json: c.JSON}
	return c.look(errs, func(ctx context.Context, a *archive.Archive) error {
		if err := work(ctx, a, r); err != nil {
			return err
		}
		return r.flush()
	})
}

type replaySummary struct{}

func (*replaySummary) Run(c *replayCmd, out stdout, errs stderr) error {
	return c.replay(out, errs, func(ctx context.Context, a *archive.Archive, r *rows) error {
		s, err := a.Summary(ctx, c.limit())
		if err != nil {
			return err
		}
		r.pairs = true
		return r.add(
			cell{"batch", s.Batch}, cell{"time", s.Time.String()}, cell{"commands", s.Commands}, cell{"refused", s.Refused},
			cell{"accounts", s.Accounts}, cell{"assets", s.Assets}, cell{"markets", s.Markets}, cell{"open_orders", s.Orders},
			cell{"hash", fmt.Sprintf("%x", s.Hash)})
	})
}

type replayAccount struct {
	Name string `arg:"" help:"The name of the account. The exchange's own are outside, fees, insurance, house, lending, clearing, codes, custody, suspense, convert and interest."`
}

func (replayAccount) Help() string {
	return `Each line is a balance after it changed. 'change' is that of available and frozen together: money
that is only set aside for an order, or given back, changes by 0, and the lines of a wallet and an
asset add up to what is there. 'held' is what was deposited and is not confirmed yet.`
}

func (w *replayAccount) Run(c *replayCmd, out stdout, errs stderr) error {
	return c.replay(out, errs, func(ctx context.Context, a *archive.Archive, r *rows) error {
		return a.Statement(ctx, c.limit(), w.Name, func(l *archive.Line) error {
			return r.add(
				cell{"batch", l.Batch}, cell{"time", l.Time.String()}, cell{"wallet", l.Wallet.String()}, cell{"asset", l.Asset},
				cell{"change", l.Change.String()}, cell{"cause", l.Cause.String()}, cell{"order", some(l.Order)}, cell{"deal", some(l.Deal)},
				cell{"available", l.Available.String()}, cell{"frozen", l.Frozen.String()}, cell{"held", l.Held.String()})
		})
	})
}

type replayOrder struct {
	ID uint64 `arg:"" name:"id" help:"The number of the order."`
}

func (w *replayOrder) Run(c *replayCmd, out stdout, errs stderr) error {
	return c.replay(out, errs, func(ctx context.Context, a *archive.Archive, r *rows) error {
		return a.OrderLife(ctx, c.limit(), schema.OrderID(w.ID), func(m *archive.Moment) error {
			return r.add(w.cells(m)...)
		})
	})
}

// cells are the same columns for changes and deals, so that they make one table.
func (w *replayOrder) cells(m *archive.Moment) []cell {
	if d := m.Deal; d != nil {
		role, fee := "maker", d.Maker.Fee
		if d.Taker.Order == schema.OrderID(w.ID) {
			role, fee = "taker", d.Taker.Fee
		}
		side := d.TakerSide
		if role == "maker" {
			side = side.Opposite()
		}
		return []cell{
			{"batch", m.Batch},
			{"time", m.Time.String()},
			{"market", m.Market},
			{"event", "deal"},
			{"cause", role},
			{"side", side.String()},
			{"type", nil},
			{"price", d.Price.String()},
			{"amount", d.Amount.String()},
			{"left", nil},
			{"money", d.Money.String()},
			{"fee", fee.String()},
			{"status", nil},
			{"deal", uint64(d.ID)},
		}
	}
	o := &m.Changed.Order
	return []cell{
		{"batch", m.Batch},
		{"time", m.Time.String()},
		{"market", m.Market},
		{"event", m.Changed.Change.String()},
		{"cause", m.Changed.Cause.String()},
		{"side", o.Side.String()},
		{"type", o.Type.String()},
		{"price", o.Price.String()},
		{"amount", o.Amount.String()},
		{"left", o.Left.String()},
		{"money", o.DealMoney.String()},
		{"fee", o.DealFee.String()},
		{"status", o.Status.String()},
		{"deal", nil},
	}
}

type replayBook struct {
	Market string `arg:"" help:"The market, such as BTC_USDT."`
}

func (w *replayBook) Run(c *replayCmd, out stdout, errs stderr) error {
	return c.replay(out, errs, func(ctx context.Context, a *archive.Archive, r *rows) error {
		b, err := a.Book(ctx, c.limit(), w.Market)
		if err != nil {
			return err
		}
		r.empty = "the book is empty"
		// Like a ladder: the best prices of the two sides meet in the middle.
		for i := len(b.Asks) - 1; i >= 0; i-- {
			if err := r.add(cell{"side", "ask"}, cell{"price", b.Asks[i].Price.String()}, cell{"amount", b.Asks[i].Amount.String()}); err != nil {
				return err
			}
		}
		for _, l := range b.Bids {
			if err := r.add(cell{"side", "bid"}, cell{"price", l.Price.String()}, cell{"amount", l.Amount.String()}); err != nil {
				return err
			}
		}
		return nil
	})
}

type replayTrades struct {
	Market string `arg:"" help:"The market, such as BTC_USDT."`
}

func (w *replayTrades) Run(c *replayCmd, out stdout, errs stderr) error {
	return c.replay(out, errs, func(ctx context.Context, a *archive.Archive, r *rows) error {
		r.empty = "there was no trade"
		return a.Trades(ctx, c.limit(), w.Market, func(t *archive.Trade) error {
			d := t.Deal
			return r.add(
				cell{"batch", t.Batch}, cell{"time", t.Time.String()}, cell{"deal", uint64(d.ID)}, cell{"taker", d.TakerSide.String()},
				cell{"price", d.Price.String()}, cell{"amount", d.Amount.String()}, cell{"money", d.Money.String()},
				cell{"maker_order", uint64(d.Maker.Order)}, cell{"taker_order", uint64(d.Taker.Order)})
		})
	})
}

type replayRisk struct{}

func (replayRisk) Help() string {
	return `A line is a change of state of an account (margin_call, liquidation, none: it is safe), with what it had
and its maintenance margin; a deal of liquidation in a book; one of deleveraging, with the winner that was
closed; a debt that the insurance fund paid (shortfall); or a change of the fund, with its cause and what
the fund has then. The changes of the fund of an asset add up to what it has.`
}

func (*replayRisk) Run(c *replayCmd, out stdout, errs stderr) error {
	return c.replay(out, errs, func(ctx context.Context, a *archive.Archive, r *rows) error {
		r.empty = "nobody ran out of margin"
		return a.Risk(ctx, c.limit(), func(l *archive.RiskLine) error { return r.add(riskCells(l)...) })
	})
}

// riskCells are the same columns for all lines, so that they make one table.
func riskCells(l *archive.RiskLine) []cell {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	var price, amount, cause, total, maintenance, fund any
	switch l.Event {
	case archive.RiskDeal, archive.RiskDeleveraging:
		price, amount = l.Price.String(), l.Amount.String()
	case archive.RiskShortfall:
		amount, fund = l.Amount.String(), l.Fund.String()
	case archive.RiskFund:
		amount, cause, fund = l.Amount.String(), l.Cause.String(), l.Fund.String()
	default:
		total, maintenance = l.Total.String(), l.Maintenance.String()
	}
	return []cell{
		{"batch", l.Batch},
		{"time", l.Time.String()},
		{"event", l.Event},
		{"account", text(l.Account)},
		{"with", text(l.With)},
		{"of", text(l.Of)},
		{"price", price},
		{"amount", amount},
		{"deal", some(l.Deal)},
		{"cause", cause},
		{"total", total},
		{"maintenance", maintenance},
		{"fund", fund},
	}
}

// some is nothing for an id that is not there.
func some[T ~uint64](id T) any {
	if id == 0 {
		return nil
	}
	return uint64(id)
}
