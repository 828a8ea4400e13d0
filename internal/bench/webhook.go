package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/webhook"
)

const (
	hookAccounts = 10_000
	hookEvery    = time.Millisecond // an event: a thousand a second
	hookEvents   = 30_000
	hookHanging  = 20 // of so many servers one never answers
)

// hookServer is the servers of all customers: each has a path. It notes when the events of those that are well arrive.
type hookServer struct {
	mu      sync.Mutex
	sent    []time.Time // by the number in the unique id
	times   Latency
	arrived int
}

func (s *hookServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	now := time.Now()
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	account, _ := strconv.Atoi(strings.TrimPrefix(q.URL.Path, "/"))
	if account%hookHanging == 0 {
		<-q.Context().Done()
		return
	}
	var said struct {
		Params struct {
			Unique string `json:"uniqueId"`
		} `json:"params"`
	}
	n := -1
	if json.Unmarshal(body, &said) == nil {
		n, _ = strconv.Atoi(said.Params.Unique)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n >= 0 && n < len(s.sent) {
		s.times.Add(now.Sub(s.sent[n]))
		s.arrived++
	}
}

// webhooks announces a thousand events a second to ten thousand webhooks, of which one in twenty hangs, all on this machine. The figure is how long
// it takes from the request of a customer until the event arrives, at the servers that are well.
func webhooks(r *report) error {
	dir, err := os.MkdirTemp("", "bourse-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	n, err := node.Open(ctx, node.Options{Journal: journal.Options{Dir: dir}, TickInterval: 100 * time.Millisecond})
	if err != nil {
		return err
	}
	defer n.Close()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	desk := &hookServer{sent: make([]time.Time, 0, hookEvents)}
	server := &http.Server{Handler: desk, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(ln) }()
	defer server.Close()
	if err := hookWorld(ctx, n, "http://"+ln.Addr().String()); err != nil {
		return err
	}
	h := webhook.Open(n, filepath.Join(dir, "webhooks"), webhook.Options{Loopback: true})
	defer h.Close()
	for claimed := false; !claimed || h.Lag() > 0; {
		time.Sleep(10 * time.Millisecond)
		n.Read(func(m core.View) { claimed = m.Webhooks().Shards()[0].Owner != 0 })
	}
	healthy, err := announce(ctx, n, desk)
	if err != nil {
		return err
	}
	limit := time.Now().Add(time.Minute)
	for arrived := 0; arrived < healthy; {
		if time.Now().After(limit) {
			return fmt.Errorf("%d of %d events arrived", arrived, healthy)
		}
		time.Sleep(10 * time.Millisecond)
		desk.mu.Lock()
		arrived = desk.arrived
		desk.mu.Unlock()
	}
	desk.mu.Lock()
	defer desk.mu.Unlock()
	result := Result{Name: "webhook.load", Unit: "ms (p99)"}
	desk.times.fill(&result)
	result.Value = result.P99 / 1000
	r.add(result)
	return nil
}

// hookWorld makes the accounts and their webhooks, which announce withdrawals.
func hookWorld(ctx context.Context, n *node.Node, url string) error {
	list := []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "BTC", Name: "Bitcoin", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true,
			Networks: []schema.Network{{Name: "BTC", Chain: 1, CanDeposit: true, CanWithdraw: true, Confirmations: 2, ConfirmationsForTrading: 1}},
		}},
	}
	sealed := n.Key().Seal([]byte("secret"), webhook.Purpose)
	for i := range hookAccounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		at := fmt.Sprintf("%s/%d", url, account)
		list = append(list,
			&schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("saver%d", i), Region: schema.Global}},
			&schema.Deposit{Account: account, Asset: 1, Amount: fixed.FromInt(1000)},
			&schema.SetWebhook{Account: account, URL: at, Events: 1 << schema.WithdrawPending, On: true, Key: "key", Sealed: sealed},
			&schema.VerifyWebhook{Account: account, Host: schema.WebhookHost(at), Key: "key"})
	}
	pending := make([]node.Pending, 0, len(list))
	for _, c := range list {
		p, err := n.Begin(schema.Origin{}, c)
		if err != nil {
			return err
		}
		pending = append(pending, p)
	}
	for i, p := range pending {
		var result schema.Result
		if err := p.Wait(ctx, &result); err != nil {
			return err
		}
		if result.Rejection.Refused() {
			return fmt.Errorf("%T: %s", list[i], result.Rejection.Text())
		}
	}
	return nil
}

// announce lets customers withdraw, at a steady pace, and says how many of them have a server that is well.
func announce(ctx context.Context, n *node.Node, desk *hookServer) (healthy int, err error) {
	var done sync.WaitGroup
	var mu sync.Mutex
	t := newTraffic(47)
	next := time.Now()
	for i := range hookEvents {
		time.Sleep(time.Until(next))
		next = next.Add(hookEvery)
		account := schema.FirstCustomer + schema.AccountID(t.draw(hookAccounts))
		if account%hookHanging != 0 {
			healthy++
		}
		desk.mu.Lock()
		desk.sent = append(desk.sent, time.Now())
		desk.mu.Unlock()
		p, begun := n.Begin(schema.Origin{}, &schema.RequestWithdrawal{
			Account: account, Asset: 1, Chain: 1, Amount: fixed.FromUnits(1, 2), Address: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", Unique: strconv.Itoa(i),
		})
		if begun != nil {
			return 0, begun
		}
		done.Go(func() {
			var result schema.Result
			failed := p.Wait(ctx, &result)
			if failed == nil && result.Rejection.Refused() {
				failed = errors.New(result.Rejection.Text())
			}
			mu.Lock()
			defer mu.Unlock()
			err = errors.Join(err, failed)
		})
	}
	done.Wait()
	return healthy, err
}
