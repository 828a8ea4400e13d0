// Command trade looks at money and book, places a limit order inside the spread, finds it among
// the open orders and cancels it, with the standard library alone: go run examples/trade/main.go [MARKET]
//
// The exchange is that of BOURSE_URL, with BOURSE_API_KEY and BOURSE_API_SECRET, or else the one
// that wrote data/demo.json, with its first account.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	name := "BTC_USDT"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	if err := trade(name); err != nil {
		fmt.Fprintln(os.Stderr, "trade:", err)
		os.Exit(1)
	}
}

// market is what is known of a market. Money is text on the wire and big.Rat here, which is exact.
type market struct {
	Name, Stock, Money                      string
	TickSize, StepSize, MinAmount, MinTotal decimal
}

func trade(name string) error {
	x, err := connect()
	if err != nil {
		return err
	}
	var markets []market
	if err := x.get("/api/v4/public/markets", &markets); err != nil {
		return err
	}
	at := slices.IndexFunc(markets, func(m market) bool { return m.Name == name })
	if at < 0 {
		return fmt.Errorf("there is no market %s", name)
	}
	m := &markets[at]

	var balance map[string]struct{ Available string }
	if err := x.post("/api/v4/trade-account/balance", fields{}, &balance); err != nil {
		return err
	}
	fmt.Printf("Balance: %s %s, %s %s\n", balance[m.Stock].Available, m.Stock, balance[m.Money].Available, m.Money)

	var book struct{ Bids, Asks [][2]decimal } // price and amount, best first
	if err := x.get("/api/v4/public/orderbook/"+name+"?limit=1", &book); err != nil {
		return err
	}
	if len(book.Bids) == 0 || len(book.Asks) == 0 {
		return fmt.Errorf("the book of %s needs a bid and an ask; put orders there with examples/order.sh", name)
	}
	bid, ask := book.Bids[0][0], book.Asks[0][0]
	fmt.Printf("Book of %s: best bid %s, best ask %s\n", name, bid, ask)

	price, amount := m.order(bid, ask)
	var placed, canceled struct {
		OrderID int64
		Left    string
	}
	order := fields{"market": name, "side": "buy", "amount": amount.String(), "price": price.String(), "postOnly": true}
	if err := x.post("/api/v4/order/new", order, &placed); err != nil {
		return err
	}
	id := placed.OrderID
	fmt.Printf("Placed order %d: buy %s %s at %s %s\n", id, amount, m.Stock, price, m.Money)

	var open []struct{ OrderID int64 }
	if err := x.post("/api/v4/orders", fields{"market": name}, &open); err != nil {
		return err
	}
	if !slices.Contains(open, struct{ OrderID int64 }{id}) {
		return fmt.Errorf("order %d is not open", id)
	}
	fmt.Printf("Order %d is open\n", id)

	if err := x.post("/api/v4/order/cancel", fields{"market": name, "orderId": id}, &canceled); err != nil {
		return err
	}
	fmt.Printf("Canceled order %d: %s %s left\n", id, canceled.Left, m.Stock)
	return nil
}

// order is one tick above the best bid and below the best ask, of the smallest amount that the
// market takes at this price, in whole steps.
func (m *market) order(bid, ask decimal) (price, amount decimal) {
	price.Add(&bid.Rat, &m.TickSize.Rat)
	if price.Cmp(&ask.Rat) >= 0 {
		price.Sub(&ask.Rat, &m.TickSize.Rat)
	}
	amount.Quo(&m.MinTotal.Rat, &price.Rat)
	if amount.Cmp(&m.MinAmount.Rat) < 0 {
		amount.Set(&m.MinAmount.Rat)
	}
	steps := new(big.Rat).Quo(&amount.Rat, &m.StepSize.Rat)
	whole, rest := new(big.Int).QuoRem(steps.Num(), steps.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	amount.Mul(new(big.Rat).SetInt(whole), &m.StepSize.Rat)
	return price, amount
}

// decimal is a number that the exchange writes as text.
type decimal struct{ big.Rat }

func (d *decimal) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if _, ok := d.SetString(text); !ok {
		return fmt.Errorf("%q is not a number", text)
	}
	return nil
}

// String has as many decimals as it needs, and 18 are the most that there are.
func (d decimal) String() string {
	text := d.FloatString(18)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// fields are the members of a request.
type fields map[string]any

// exchange is a connection with a key.
type exchange struct {
	url, key, secret string
	nonce            int64
	client           http.Client
}

func connect() (*exchange, error) {
	x := &exchange{url: os.Getenv("BOURSE_URL"), key: os.Getenv("BOURSE_API_KEY"), secret: os.Getenv("BOURSE_API_SECRET")}
	x.client.Timeout = 10 * time.Second
	if x.url != "" {
		return x, nil
	}
	file, err := os.ReadFile("data/demo.json")
	if err != nil {
		return nil, fmt.Errorf("no exchange: %w; set BOURSE_URL, BOURSE_API_KEY and BOURSE_API_SECRET", err)
	}
	var demo struct {
		REST     string
		Accounts []struct{ APIKey, Secret string }
	}
	if err := json.Unmarshal(file, &demo); err != nil {
		return nil, fmt.Errorf("reading data/demo.json: %w", err)
	}
	if len(demo.Accounts) == 0 {
		return nil, errors.New("data/demo.json has no accounts")
	}
	x.url, x.key, x.secret = demo.REST, demo.Accounts[0].APIKey, demo.Accounts[0].Secret
	return x, nil
}

// get asks for something public.
func (x *exchange) get(path string, into any) error {
	request, err := http.NewRequest(http.MethodGet, x.url+path, nil)
	if err != nil {
		return err
	}
	return x.send(request, into)
}

// post sends a signed request: the body in base64 is what is signed.
func (x *exchange) post(path string, members fields, into any) error {
	x.nonce = max(x.nonce+1, time.Now().UnixMilli()) // must grow with each request
	members["request"], members["nonce"] = path, x.nonce
	body, err := json.Marshal(members)
	if err != nil {
		return err
	}
	payload := base64.StdEncoding.EncodeToString(body)
	signature := hmac.New(sha512.New, []byte(x.secret))
	signature.Write([]byte(payload))
	request, err := http.NewRequest(http.MethodPost, x.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-TXC-APIKEY", x.key)
	request.Header.Set("X-TXC-PAYLOAD", payload)
	request.Header.Set("X-TXC-SIGNATURE", hex.EncodeToString(signature.Sum(nil)))
	return x.send(request, into)
}

func (x *exchange) send(request *http.Request, into any) error {
	response, err := x.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the exchange refused: %s", body)
	}
	return json.Unmarshal(body, into)
}
