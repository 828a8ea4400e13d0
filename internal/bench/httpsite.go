package bench

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"bourse/internal/argon"
	"bourse/internal/auth"
	"bourse/internal/directory"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/rest"
	"bourse/internal/schema"
)

// site is a whole exchange behind a listener on loopback, as 'bourse serve' runs it, but without
// limits: the embedded journal that syncs every batch, market data, history in the directory.
// Its first market is BTC_USDT.
type site struct {
	exchange *exchange.Exchange
	address  string
	dir      string
	traders  []trader
	random   traffic
	dealt    int64 // trades for those who listen
}

// trader is an account with a key.
type trader struct {
	account schema.AccountID
	key     string
	secret  *auth.Secret
	nonce   int64 // the last one
}

// siteTick is how often timers run, as 'bourse serve' has it.
const siteTick = 100 * time.Millisecond

func openSite(traders, markets int) (*site, error) {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return nil, err
	}
	s := &site{dir: dir, random: traffic{random: 23}}
	s.exchange, err = exchange.Open(context.Background(), exchange.Options{
		Node:        node.Options{Journal: journal.Options{Dir: dir}, TickInterval: siteTick},
		Region:      schema.Global,
		REST:        rest.Options{Unlimited: true},
		HashCommand: argon.Self(),
	})
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	if err := s.setUp(traders, markets); err != nil {
		return nil, errors.Join(err, s.close())
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.address = ln.Addr().String()
	go func() { _ = s.exchange.Serve(ln) }() // its end is that of the exchange
	return s, nil
}

func (s *site) close() error { return errors.Join(s.exchange.Close(), os.RemoveAll(s.dir)) }

// do lets a command happen.
func (s *site) do(c schema.Command) (schema.Result, error) {
	var result schema.Result
	err := s.exchange.Node.Submit(context.Background(), c, &result)
	if err == nil && result.Rejection.Refused() {
		err = fmt.Errorf("%T: %s", c, result.Rejection.Text())
	}
	return result, err
}

// setUp lists markets, in each of which there was a deal, and opens accounts with keys.
func (s *site) setUp(traders, markets int) error {
	commands := []schema.Command{asset("USDT")}
	for i := range markets {
		base := "BTC"
		if i > 0 {
			base = fmt.Sprintf("COIN%d", i)
		}
		commands = append(commands, asset(base), &schema.SetMarket{Market: schema.MarketInfo{
			Name: base + "_USDT", Base: schema.AssetID(i + 2), Quote: 1, Type: schema.Spot, Enabled: true,
			StockPrec: 6, MoneyPrec: 2, FeePrec: 8, TickSize: fixed.FromUnits(1, 2), StepSize: fixed.FromUnits(1, 6),
			MakerFee: fixed.FromUnits(1, 1), TakerFee: fixed.FromUnits(1, 1), MaxOrders: schema.HighestMaxOrders,
		}})
	}
	for i := range traders {
		t := trader{account: schema.FirstCustomer + schema.AccountID(i), key: fmt.Sprintf("%032x", i+1)}
		secret := []byte(fmt.Sprintf("%064x", i+1))
		t.secret = auth.NewSecret(secret)
		s.traders = append(s.traders, t)
		commands = append(commands, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("trader%d", i), Region: schema.Global, NewAddresses: true}})
		assets := 2
		if i == 0 {
			assets = markets + 1
		}
		for a := range schema.AssetID(assets) {
			plenty := fixed.FromInt(1e12)
			commands = append(commands,
				&schema.Deposit{Account: t.account, Asset: a + 1, Amount: plenty},
				&schema.Transfer{Account: t.account, Asset: a + 1, Amount: plenty, From: schema.Main, To: schema.Trade})
		}
		commands = append(commands, &schema.SetKey{Key: schema.Key{
			Key: t.key, Account: t.account, Enabled: true, URLs: []string{schema.AllURLs},
			Sealed: s.exchange.Node.Key().Seal(secret, directory.Purpose),
		}})
	}
	for i := range markets {
		for _, side := range []schema.Side{schema.Buy, schema.Sell} {
			commands = append(commands, s.limit(0, schema.MarketID(i+1), side, middle))
		}
	}
	for _, c := range commands {
		if _, err := s.do(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *site) limit(trader int, market schema.MarketID, side schema.Side, cents int64) *schema.PlaceOrder {
	return &schema.PlaceOrder{Account: s.traders[trader].account, Order: schema.OrderRequest{
		Market: market, Type: schema.Limit, Side: side, Amount: fixed.FromUnits(3, 2), Price: fixed.FromUnits(cents, 2),
	}}
}

// Prices of the book in cents: so many levels a side, one unit apart, and none between them.
const (
	middle     = 50_000_00
	gap        = 10_00
	unit       = 1_00
	levels     = 400
	everything = gap + (levels+1)*unit // from the middle to behind the last level
)

// refill takes all orders back and puts some on every level: every round begins with this book.
func (s *site) refill(perLevel int) error {
	for i := range s.traders {
		if _, err := s.do(&schema.CancelAll{Account: s.traders[i].account, Products: schema.SpotOrders}); err != nil {
			return err
		}
	}
	_, err := s.place(len(s.traders), perLevel*levels*2/len(s.traders)+1)
	return err
}

// place lets traders put orders into the book, round about the levels, and returns their ids.
func (s *site) place(traders, each int) ([][]schema.OrderID, error) {
	var wait sync.WaitGroup
	ids, errs := make([][]schema.OrderID, traders), make([]error, traders)
	for t := range traders {
		wait.Go(func() {
			for i := range each {
				n := i*traders + t
				side, cents := schema.Buy, int64(middle-gap-n/2%levels*unit)
				if n%2 == 1 {
					side, cents = schema.Sell, int64(middle+gap+n/2%levels*unit)
				}
				result, err := s.do(s.limit(t, 1, side, cents))
				if err != nil {
					errs[t] = err
					return
				}
				ids[t] = append(ids[t], result.Order.ID)
			}
		})
	}
	wait.Wait()
	return ids, errors.Join(errs...)
}

// settleTime is how long what follows the node may take to get to its end.
const settleTime = time.Minute

// settle waits until market data and history know everything.
func (s *site) settle() error {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	if err := s.exchange.Data.Wait(ctx); err != nil {
		return fmt.Errorf("waiting for the market data: %w", err)
	}
	for s.exchange.History.Lag() > 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("the history is still %d batches behind", s.exchange.History.Lag())
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

const lagEvery = 5 * time.Millisecond

// mostLag is the most batches that the history is seen behind until it is stopped.
func (s *site) mostLag(stop chan struct{}) (most uint64) {
	ticker := time.NewTicker(lagEvery)
	defer ticker.Stop()
	for {
		most = max(most, s.exchange.History.Lag())
		select {
		case <-stop:
			return most
		case <-ticker.C:
		}
	}
}

// The orders that clients send: four of five come to rest on one of the levels, either side, one
// of five takes at once twice as much as one of those has, and is gone (ioc). So there is a deal
// in every fifth request, with two makers on average, and half of what comes to rest goes again.
func (s *site) appendOrder(dst []byte, clientID string, name int64) []byte {
	side, price, amount := "buy", -gap-s.random.draw(levels)*unit, 10+s.random.draw(41)
	taking := s.random.draw(5) == 0
	if taking {
		price, amount = everything, 2*amount
	}
	if s.random.draw(2) == 0 {
		side, price = "sell", -price
	}
	price += middle
	dst = fmt.Appendf(dst, `{"market":"BTC_USDT","side":"%s","amount":"0.%03d","price":"%d.%02d","%s":"order-%d"`,
		side, amount, price/100, price%100, clientID, name)
	if taking {
		dst = append(dst, `,"ioc":true`...)
	}
	return dst
}

// The kinds of requests, each for the next nonce of a trader.

func (s *site) order(dst []byte, t *trader) []byte {
	return t.sign(dst, "/api/v4/order/new", s.appendOrder(nil, "clientOrderId", t.nonce+1))
}

const bulkOrders = 20

func (s *site) bulk(dst []byte, t *trader) []byte {
	body := []byte(`{"orders":[`)
	for i := range bulkOrders {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(s.appendOrder(body, "clientOrderId", t.nonce*bulkOrders+int64(i)), '}')
	}
	return t.sign(dst, "/api/v4/order/bulk", append(body, ']'))
}

func (t *trader) cancel(dst []byte, id schema.OrderID) []byte {
	return t.sign(dst, "/api/v4/order/cancel", fmt.Appendf(nil, `{"market":"BTC_USDT","orderId":%d`, id))
}

// sign appends a signed request. The body lacks its end: the nonce and the path come there.
func (t *trader) sign(dst []byte, path string, body []byte) []byte {
	t.nonce = max(t.nonce+1, time.Now().UnixMicro())
	body = fmt.Appendf(body, `,"request":"%s","nonce":%d,"nonceWindow":false}`, path, t.nonce)
	payload := base64.StdEncoding.AppendEncode(nil, body)
	dst = fmt.Appendf(dst, "POST %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bourse-bench\r\nAccept: */*\r\n"+
		"Content-Type: application/json\r\nX-TXC-APIKEY: %s\r\nX-TXC-PAYLOAD: %s\r\nX-TXC-SIGNATURE: %s\r\nContent-Length: %d\r\n\r\n",
		path, t.key, payload, t.secret.Sign(payload), len(body))
	return append(dst, body...)
}

func get(path string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bourse-bench\r\nAccept: */*\r\n\r\n")
}

// fetch is the answer to one request.
func fetch(address string, request []byte) ([]byte, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	c := &client{conn: conn, buffer: make([]byte, maxAnswer)}
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	return c.read()
}

// null is the server that ours is compared with: the same HTTP server, and behind it a constant.
type null struct {
	server  *fasthttp.Server
	address string
}

func startNull(sizeBytes int) (*null, error) {
	body := bytes.Repeat([]byte{'1'}, sizeBytes)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := &null{address: ln.Addr().String()}
	n.server = rest.Bare(func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.SetContentType("application/json")
		ctx.Response.SetBody(body)
	})
	go func() { _ = n.server.Serve(ln) }() // it ends with stop
	return n, nil
}

func (n *null) stop() { _ = n.server.Shutdown() } // its clients are gone already
