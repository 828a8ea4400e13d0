package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// inFlight is how many commands are on their way at once.
var inFlight = []int{1, 16, 256, 1024, 8192}

// durableSeconds is how long each of them is measured.
const durableSeconds = 2

func durableNames(prefix string) []string {
	var names []string
	for _, n := range inFlight {
		names = append(names, fmt.Sprintf("%s.%d", prefix, n))
	}
	return names
}

// durable measures commands that are acknowledged only when they are on disk, through a node and
// through a file of our own that does nothing but write and fdatasync the same bytes in groups.
func durable(r *report) error {
	for _, clients := range inFlight {
		raw, err := rawDurable(clients)
		if err != nil {
			return err
		}
		raw.Name = fmt.Sprintf("raw.durable.%d", clients)
		ours, err := nodeDurable(clients)
		if err != nil {
			return err
		}
		ours.Name = fmt.Sprintf("journal.durable.%d", clients)
		ours.Ratio, ours.RatioTo = ours.Value/raw.Value, raw.Name
		r.add(raw)
		r.add(ours)
	}
	return nil
}

// load lets clients call do, one call after the other each, for some seconds, and counts what
// happened between the first and the last of them.
func load(clients int, seconds float64, do func(client, round int) error) (Result, error) {
	var wait sync.WaitGroup
	var failed atomic.Pointer[error]
	times := make([]Latency, min(clients, 64)) // shared by clients with the same remainder
	locks := make([]sync.Mutex, len(times))
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	began := time.Now()
	for c := range clients {
		wait.Go(func() {
			for round := 0; time.Now().Before(end) && failed.Load() == nil; round++ {
				asked := time.Now()
				if err := do(c, round); err != nil {
					failed.CompareAndSwap(nil, &err)
					return
				}
				took := time.Since(asked)
				locks[c%len(locks)].Lock()
				times[c%len(times)].Add(took)
				locks[c%len(locks)].Unlock()
			}
		})
	}
	wait.Wait()
	took := time.Since(began)
	if err := failed.Load(); err != nil {
		return Result{}, *err
	}
	var all Latency
	for i := range times {
		all.merge(&times[i])
	}
	result := Result{Value: float64(all.total) / took.Seconds(), Unit: "commands/s"}
	all.fill(&result)
	return result, nil
}

// nodeDurable measures orders through a node on a directory of its own.
func nodeDurable(clients int) (Result, error) {
	n, done, err := freshNode(journal.Options{})
	if err != nil {
		return Result{}, err
	}
	defer done()
	return load(clients, durableSeconds, trade(n, clients))
}

// openNode opens a node on an empty directory. done closes it and removes the directory.
func openNode(o journal.Options) (n *node.Node, done func(), err error) {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return nil, nil, err
	}
	o.Dir = dir
	n, err = node.Open(context.Background(), node.Options{Journal: o})
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return n, func() {
		n.Close()
		os.RemoveAll(dir)
	}, nil
}

// freshNode is openNode with a market and accounts.
func freshNode(o journal.Options) (n *node.Node, done func(), err error) {
	if n, done, err = openNode(o); err != nil {
		return nil, nil, err
	}
	for _, c := range setUpCommands(1, mixedAccounts) {
		var result schema.Result
		if err := n.Submit(context.Background(), c, &result); err != nil {
			done()
			return nil, nil, err
		}
	}
	return n, done, nil
}

// trade is a client that places an order and cancels it in turn.
func trade(n *node.Node, clients int) func(client, round int) error {
	open := make([]schema.OrderID, clients)
	return func(client, round int) error {
		account := schema.FirstCustomer + schema.AccountID(client%mixedAccounts)
		var result schema.Result
		var c schema.Command = &schema.CancelOrder{Account: account, Order: schema.OrderRef{Market: 1, ID: open[client]}}
		if round%2 == 0 {
			c = &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
				Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(3), Price: fixed.FromInt(int64(1000 + client%500)),
			}}
		}
		if err := n.Submit(context.Background(), c, &result); err != nil {
			return err
		}
		if result.Rejection.Refused() {
			return fmt.Errorf("%T: %s", c, result.Rejection.Text())
		}
		open[client] = result.Order.ID
		return nil
	}
}

// group is a file that many write to and that is synced for all of them at once.
type group struct {
	file *os.File
	mu   sync.Mutex
	next *waiting
	wake chan struct{}
}

// waiting is the bytes that travel together and those who wait for them.
type waiting struct {
	bytes []byte
	count int
	done  chan struct{}
	err   error
}

func rawDurable(clients int) (Result, error) {
	file, err := os.CreateTemp("", "bourse-bench")
	if err != nil {
		return Result{}, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	g := &group{file: file, next: &waiting{done: make(chan struct{})}, wake: make(chan struct{}, 1)}
	stop := make(chan struct{})
	finished := make(chan struct{})
	go func() { defer close(finished); g.commit(stop) }()
	bytes := schema.AppendEnvelope(nil, &schema.Envelope{Time: trafficStart, Command: &schema.PlaceOrder{
		Account: schema.FirstCustomer,
		Order: schema.OrderRequest{
			Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(3), Price: fixed.FromInt(1000),
		},
	}})
	result, err := load(clients, durableSeconds, func(int, int) error { return g.write(bytes) })
	close(stop)
	<-finished
	return result, err
}

func (g *group) write(b []byte) error {
	g.mu.Lock()
	w := g.next
	w.bytes = append(w.bytes, b...)
	w.count++
	g.mu.Unlock()
	select {
	case g.wake <- struct{}{}:
	default:
	}
	<-w.done
	return w.err
}

func (g *group) commit(stop chan struct{}) {
	for {
		select {
		case <-g.wake:
		case <-stop:
			return
		}
		runtime.Gosched()
		g.mu.Lock()
		w := g.next
		g.next = &waiting{done: make(chan struct{})}
		g.mu.Unlock()
		if w.count == 0 {
			continue
		}
		if _, w.err = g.file.Write(w.bytes); w.err == nil {
			w.err = syncData(g.file)
		}
		close(w.done)
	}
}
