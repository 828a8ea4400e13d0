package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"bourse/internal/fixed"
)

// converter is somebody who now and then converts a little of one asset into another, for no reason: half of the time by a quote and its
// confirmation, otherwise in one step. What it cannot give any more it waits for: others of its conversions bring it.
type converter struct {
	client *client
	chance *rand.Rand
}

// exchanged is what the converter gives of an asset at a time, about the worth of a hundred USDT: in a day far less than one customer may convert.
type exchanged struct {
	ticker string
	piece  fixed.Decimal
}

var pieces = []exchanged{{"USDT", fixed.FromInt(100)}, {"BTC", fixed.FromUnits(1, 3)}, {"ETH", fixed.FromUnits(3, 2)}}

// Between two conversions.
const (
	convertPauseMin = 20 * time.Second
	convertPauseMax = 40 * time.Second
)

// live converts until the context ends, once everything is quoted.
func (c *converter) live(ctx context.Context, log *slog.Logger, quoted []<-chan struct{}) {
	for _, q := range quoted {
		select {
		case <-q:
		case <-ctx.Done():
			return
		}
	}
	act := func(ctx context.Context) error {
		from := c.chance.IntN(len(pieces))
		to := (from + 1 + c.chance.IntN(len(pieces)-1)) % len(pieces)
		return c.act(ctx, pieces[from], pieces[to].ticker, c.chance.IntN(2) == 0)
	}
	for persist(ctx, log, c.client.name, act) && wait(ctx, convertPauseMin+time.Duration(c.chance.Int64N(int64(convertPauseMax-convertPauseMin)))) {
	}
}

// act converts once. What is refused, because prices moved, the inventory is short or conversions are off, is tried at another time.
func (c *converter) act(ctx context.Context, give exchanged, to string, atOnce bool) error {
	err := c.convert(ctx, fields{"from": give.ticker, "to": to, "direction": "from", "amount": give.piece.String()}, atOnce)
	var no *refused
	if errors.As(err, &no) && (no.status < http.StatusInternalServerError || no.status == http.StatusServiceUnavailable) {
		return nil
	}
	return err
}

func (c *converter) convert(ctx context.Context, f fields, atOnce bool) error {
	var done struct{}
	if atOnce {
		f["idempotencyKey"] = fmt.Sprintf("demo-%d", time.Now().UnixMicro())
		return c.client.post(ctx, "/api/v4/convert/auto-confirm", f, &done)
	}
	var quote struct {
		ID string `json:"id"`
	}
	if err := c.client.post(ctx, "/api/v4/convert/estimate", f, &quote); err != nil {
		return err
	}
	return c.client.post(ctx, "/api/v4/convert/confirm", fields{"quoteId": quote.ID}, &done)
}
