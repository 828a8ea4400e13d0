package ws

import (
	"context"

	"bourse/internal/api"
	"bourse/internal/history"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// deals pushes the trades of an account as they happen, a frame for each.
type deals struct {
	server  *Server
	private *private[markets]
}

func (s *Server) openDeals(ctx context.Context) *deals {
	read := func(q *call) (markets, *Error) {
		params := q.params
		if len(params) == 1 && isArray(params[0]) {
			inner, err := q.list(0)
			if err != nil {
				return nil, err
			}
			params = inner
		}
		return s.markets(params)
	}
	s.answers("deals_request", method{private: true, do: func(q *call) ([]byte, func(), *Error) {
		result, err := s.dealsPage(ctx, q)
		return result, nil, err
	}})
	return &deals{s, openPrivate(s, "deals", read, nil, nil)}
}

// happened pushes the deals of a command. Somebody who trades with himself gets both sides.
func (d *deals) happened(step *node.Step, h *node.CommandEvents) {
	if d.private.idle(step.Seq) {
		return
	}
	for event := range step.Events(h) {
		if e, is := event.(*schema.Deal); is {
			d.side(step.Seq, h.Time, e, &e.Maker, history.Maker, e.TakerSide.Opposite())
			d.side(step.Seq, h.Time, e, &e.Taker, history.Taker, e.TakerSide)
		}
	}
}

// side pushes a deal to those who listen to one of its parties.
func (d *deals) side(seq uint64, at schema.Time, e *schema.Deal, own *schema.DealSide, role history.Role, side schema.Side) {
	var f []byte
	d.private.each(own.Account, seq, func(sub *subscription[markets]) {
		if !sub.scope.include(e.Market) {
			return
		}
		if f == nil {
			f = d.frame(at, e, own, role, side)
		}
		d.private.push(sub, f)
	})
}

func (d *deals) frame(at schema.Time, e *schema.Deal, own *schema.DealSide, role history.Role, side schema.Side) []byte {
	directory := d.server.options.API.Directory()
	m := directory.MarketByID(e.Market)
	b := append(push("deals_update"), '[')
	b = api.AppendInt(b, int64(e.ID))
	b = api.AppendMoment(append(b, ','), at)
	b = api.AppendText(append(b, ','), m.Name)
	b = api.AppendInt(append(b, ','), int64(own.Order))
	b = api.AppendDecimal(append(b, ','), e.Price)
	b = api.AppendDecimal(append(b, ','), e.Amount)
	b = api.AppendDecimal(append(b, ','), own.Fee)
	b = api.AppendText(append(b, ','), own.ClientID.Bytes())
	b = api.AppendInt(append(b, ','), sideCode(side))
	b = api.AppendInt(append(b, ','), int64(role))
	b = api.AppendText(append(b, ','), directory.FeeAsset(m, side))
	return pushed(append(b, ']'))
}

// dealsPage answers a request for past deals.
func (s *Server) dealsPage(ctx context.Context, q *call) ([]byte, *Error) {
	market, p, err := s.marketPage(q)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pastTimeout)
	defer cancel()
	records, err := s.past(ctx, &history.Query{
		Kind: history.Deals, Account: q.account.ID, Market: market, Offset: p.offset, Limit: p.limit,
	})
	if err != nil {
		return nil, err
	}
	return appendPage(nil, p, "", len(records), func(dst []byte, i int) []byte {
		return s.appendDeal(dst, &records[i])
	}), nil
}

// appendPage writes a page of records. Total is what stands before them, if anything does.
func appendPage(dst []byte, p page, total string, n int, one func(dst []byte, i int) []byte) []byte {
	dst = append(dst, `{"limit":`...)
	dst = api.AppendInt(dst, int64(p.limit))
	dst = append(dst, `,"offset":`...)
	dst = api.AppendInt(dst, int64(p.offset))
	dst = append(append(dst, total...), `,"records":[`...)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = one(dst, i)
	}
	return append(dst, `]}`...)
}

// appendDeal writes a deal of the past.
func (s *Server) appendDeal(dst []byte, r *history.Record) []byte {
	directory := s.options.API.Directory()
	deal, m := r.Payload.(*history.Deal), directory.MarketByID(r.Market)
	dst = append(dst, `{"time":`...)
	dst = api.AppendMoment(dst, r.Time)
	dst = append(dst, `,"id":`...)
	dst = api.AppendInt(dst, int64(deal.ID))
	dst = append(dst, `,"side":`...)
	dst = api.AppendInt(dst, sideCode(deal.Side))
	dst = append(dst, `,"role":`...)
	dst = api.AppendInt(dst, int64(deal.Role))
	dst = append(dst, `,"price":`...)
	dst = api.AppendDecimal(dst, deal.Price)
	dst = append(dst, `,"amount":`...)
	dst = api.AppendDecimal(dst, deal.Amount)
	dst = append(dst, `,"deal":`...)
	dst = api.AppendDecimal(dst, deal.Money)
	dst = append(dst, `,"fee":`...)
	dst = api.AppendDecimal(dst, deal.Fee)
	dst = append(dst, `,"order_id":`...)
	dst = api.AppendInt(dst, int64(deal.Order))
	dst = append(dst, `,"deal_order_id":`...)
	dst = api.AppendInt(dst, int64(deal.Counter))
	dst = append(dst, `,"market":`...)
	dst = api.AppendText(dst, m.Name)
	dst = append(dst, `,"client_order_id":`...)
	dst = api.AppendText(dst, deal.ClientID.Bytes())
	dst = append(dst, `,"fee_asset":`...)
	dst = api.AppendText(dst, directory.FeeAsset(m, deal.Side))
	return append(dst, '}')
}
