package siege

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"bourse/internal/conform"
)

// client is a customer with a key and connections of its own. Unlike the client of the conformance
// tests it fails no test: under attack an error is an outcome, which the attack judges.
type client struct {
	*conform.Client
	url  string
	http *http.Client
}

// client is the customer with a key. Its connections end with the attack.
func (s *Siege) client(v *conform.Venue, key string) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: 4}
	s.Cleanup(transport.CloseIdleConnections)
	return &client{v.Client(key, secret(key)), v.URL, &http.Client{Transport: transport, Timeout: timeout}}
}

// answer is what came back.
type answer struct {
	status int
	body   string
}

func (a answer) String() string { return fmt.Sprintf("%d %.300s", a.status, a.body) }

// read reads the body as JSON; what is no success is an error.
func (a answer) read(into any) error {
	if a.status != http.StatusOK {
		return fmt.Errorf("the answer is %s", a)
	}
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		return fmt.Errorf("the answer %s: %w", a, err)
	}
	return nil
}

// send sends a request as it is.
func (c *client) send(method, path string, header map[string]string, body []byte) (answer, error) {
	request, err := http.NewRequest(method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, string(text)}, err
}

// post sends a signed request.
func (c *client) post(path string, fields conform.Fields) (answer, error) {
	body := c.Body(path, fields)
	return c.send("POST", path, c.Sign(body), body)
}

// get asks for something public.
func (c *client) get(path string) (answer, error) { return c.send("GET", path, nil, nil) }

// ask sends a signed request that must succeed.
func (c *client) ask(path string, fields conform.Fields, into any) error {
	a, err := c.post(path, fields)
	if err == nil {
		err = a.read(into)
	}
	if err != nil {
		return fmt.Errorf("%s %v: %w", path, fields, err)
	}
	return nil
}

// placed is an order as the API returns it.
type placed struct {
	OrderID       int64  `json:"orderId"`
	ClientOrderID string `json:"clientOrderId"`
	Side          string `json:"side"`
	Status        string `json:"status"`
	Price         string `json:"price"`
	Amount        string `json:"amount"`
	Left          string `json:"left"`
	DealMoney     string `json:"dealMoney"`
	DealStock     string `json:"dealStock"`
}

// limit places a limit order.
func (c *client) limit(market, side, amount, price, id string) (o placed, err error) {
	fields := conform.Fields{"market": market, "side": side, "amount": amount, "price": price}
	if id != "" {
		fields["clientOrderId"] = id
	}
	err = c.ask("/api/v4/order/new", fields, &o)
	return o, err
}

// page is how many orders are asked for at once, which is as many as there may be.
const page = 100

// open are the open orders on a market.
func (c *client) open(market string) (all []placed, err error) {
	for {
		var some []placed
		if err := c.ask("/api/v4/orders", conform.Fields{"market": market, "limit": page, "offset": len(all)}, &some); err != nil {
			return nil, err
		}
		if all = append(all, some...); len(some) < page {
			return all, nil
		}
	}
}

// balance is what there is of an asset in the trade wallet.
func (c *client) balance(ticker string) (available, frozen string, err error) {
	var b map[string]struct{ Available, Freeze string }
	err = c.ask("/api/v4/trade-account/balance", conform.Fields{}, &b)
	return b[ticker].Available, b[ticker].Freeze, err
}

// since is how long ago something was, for figures.
func since(t time.Time) time.Duration { return time.Since(t).Round(time.Millisecond) }
