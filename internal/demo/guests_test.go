package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// guests listen to the demo over its WebSocket: some for as long as it is watched, who look whether
// something is missing; others come and go; one of them never reads.
type guests struct {
	t     *testing.T
	place string
	all   sync.WaitGroup

	mu     sync.Mutex
	frames map[string]int // by method, of those who stay
}

// invite lets guests come until the context ends.
func invite(ctx context.Context, t *testing.T, place string) *guests {
	g := &guests{t: t, place: place, frames: map[string]int{}}
	for range 4 {
		g.all.Go(func() { g.stay(ctx) })
	}
	for range 4 {
		g.all.Go(func() { g.come(ctx, time.Second) })
	}
	g.all.Go(func() { g.come(ctx, time.Hour) })
	return g
}

// enter opens a connection that ends with the context, and asks for all channels.
func (g *guests) enter(ctx context.Context) (net.Conn, error) {
	c, _, _, err := ws.Dialer{}.Dial(ctx, g.place)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = c.Close() })
	for _, r := range []string{
		`"trades_subscribe","params":[]`, `"bookTicker_subscribe","params":[]`, `"candles_subscribe","params":["BTC_USDT",60]`,
		`"lastprice_subscribe","params":["BTC_USDT","ETH_USDT"]`, `"market_subscribe","params":["BTC_USDT"]`, `"marketToday_subscribe","params":["ETH_BTC"]`,
		`"depth_subscribe","params":["BTC_USDT",100,"0",true]`, `"depth_subscribe","params":["PEPE_USDT",5,"0",true]`,
	} {
		if err := wsutil.WriteClientText(c, []byte(`{"id":1,"method":`+r+`}`)); err != nil {
			return c, err
		}
	}
	return c, nil
}

// come comes and goes, and reads nothing.
func (g *guests) come(ctx context.Context, stay time.Duration) {
	for ctx.Err() == nil {
		c, err := g.enter(ctx)
		if err != nil {
			if ctx.Err() == nil {
				g.t.Error(err)
			}
			return
		}
		select {
		case <-time.After(stay):
		case <-ctx.Done():
		}
		_ = c.Close()
	}
}

// stay reads everything.
func (g *guests) stay(ctx context.Context) {
	c, err := g.enter(ctx)
	books, trades := map[string]uint64{}, map[string]uint64{}
	for spoke := time.Now(); err == nil; {
		var text []byte
		if text, err = wsutil.ReadServerText(c); err == nil {
			err = g.hear(text, books, trades)
		}
		if err == nil && time.Since(spoke) > 20*time.Second {
			spoke = time.Now()
			err = wsutil.WriteClientText(c, []byte(`{"id":2,"method":"ping","params":[]}`))
		}
	}
	if ctx.Err() == nil {
		g.t.Errorf("a guest who stayed: %v", err)
	}
}

// hear checks that a frame follows the one before it.
func (g *guests) hear(text []byte, books, trades map[string]uint64) error {
	var f struct {
		Method string
		Params []json.RawMessage
		Error  json.RawMessage
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	g.mu.Lock()
	g.frames[f.Method]++
	g.mu.Unlock()
	switch f.Method {
	case "":
		if string(f.Error) != "null" {
			return fmt.Errorf("refused: %s", text)
		}
	case "depth_update":
		var full bool
		var market string
		var book struct {
			ID   uint64 `json:"update_id"`
			Past uint64 `json:"past_update_id"`
		}
		err := errors.Join(json.Unmarshal(f.Params[0], &full), json.Unmarshal(f.Params[1], &book), json.Unmarshal(f.Params[2], &market))
		if err != nil || !full && book.Past != books[market] {
			return fmt.Errorf("after %d comes %s: %w", books[market], text, err)
		}
		books[market] = book.ID
	case "trades_update":
		var market string
		var list []struct{ ID uint64 }
		err := errors.Join(json.Unmarshal(f.Params[0], &market), json.Unmarshal(f.Params[1], &list))
		last, heard := trades[market]
		// The first frame may hold trades of the made-up past, which have number 0.
		if err != nil || heard && list[len(list)-1].ID <= last {
			return fmt.Errorf("after trade %d comes %s: %w", trades[market], text, err)
		}
		trades[market] = list[0].ID
	}
	return nil
}

// check waits until all have left, and looks whether all channels spoke.
func (g *guests) check() {
	g.all.Wait()
	for _, method := range []string{
		"depth_update", "trades_update", "bookTicker_update", "candles_update", "lastprice_update", "market_update", "marketToday_update",
	} {
		if g.frames[method] == 0 {
			g.t.Errorf("no %s", method)
		}
	}
	g.t.Logf("guests heard %v", g.frames)
}
