package bench

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func convertAuto(r *report) error { return httpFull.run(r, (*httpRun).conversions) }

// conversions measures conversions in one step, each with a key of its own, beside orders, in turn: both are signed and durable, and a
// conversion walks the same book.
func (h *httpRun) conversions() error {
	if err := h.site.convertible(); err != nil {
		return err
	}
	connections := h.connections[0]
	var all rounds
	for i := range h.warmUp + min(h.rounds, fewRounds) { // of more rounds than these an account would run out of keys
		if err := h.site.refill(h.perLevel); err != nil {
			return err
		}
		orders, err := h.trading(h.plan(connections), h.streams(h.requests/connections, h.site.order))
		if err != nil {
			return err
		}
		if err := h.site.refill(h.perLevel); err != nil {
			return err
		}
		p := h.plan(connections)
		p.Forbidden = `"errors"`
		own, err := h.trading(p, h.streams(h.requests/connections, h.site.conversion))
		if err != nil {
			return err
		}
		fmt.Fprintf(h.progress, "%-26s orders %s, conversions %s, ratio %.2f\n", "", &orders, &own, own.rate()/orders.rate())
		if i >= h.warmUp {
			all.add(&own)
			all.ratios = append(all.ratios, own.rate()/orders.rate())
		}
	}
	result := all.result("convert.auto", "conversions/s", 1)
	result.Ratio, result.RatioTo = median(all.ratios), "orders"
	h.add(result)
	return nil
}

// convertible lets traders convert BTC and USDT, in bounds that they do not reach.
func (s *site) convertible() error {
	plenty, hour := fixed.FromInt(1e12), 3600*schema.Second
	for _, c := range []schema.Command{
		&schema.SetCollateral{Asset: 2, IndexMaxAge: hour},
		&schema.SetIndex{Market: 1, Price: fixed.FromUnits(middle, 2)},
		&schema.FundSystem{Account: schema.Convert, Asset: 1, Amount: plenty},
		&schema.FundSystem{Account: schema.Convert, Asset: 2, Amount: plenty},
		&schema.SetConversion{On: true, Spread: fixed.FromUnits(2, 3), OpenMost: plenty, DayMost: plenty, LossMost: plenty},
	} {
		if _, err := s.do(c); err != nil {
			return err
		}
	}
	return nil
}

// conversion is a request to convert as much as an order in the book has, or a little more, in either direction.
func (s *site) conversion(dst []byte, t *trader) []byte {
	from, to, amount := "BTC", "USDT", fmt.Sprintf("0.%03d", 10+s.random.draw(41))
	if s.random.draw(2) == 0 {
		from, to, amount = to, from, fmt.Sprint(500+s.random.draw(2000))
	}
	return t.sign(dst, "/api/v4/convert/auto-confirm",
		fmt.Appendf(nil, `{"from":"%s","to":"%s","direction":"from","amount":"%s","idempotencyKey":"conversion-%d"`, from, to, amount, t.nonce+1))
}
