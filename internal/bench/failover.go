package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

const (
	failoverRounds  = 3
	failoverClients = 8
	turnsSeconds    = 3
)

// failover measures how long nobody can write when the server that leads the stream is gone: the
// time until one of the others leads, which is the servers' affair, and what the node adds to it.
func failover(r *report) error {
	c, err := startCluster(true)
	if err != nil {
		return err
	}
	defer c.stop()
	// The first node makes the stream, and with it a leader.
	_, done, err := freshNode(journal.Options{URL: c.servers[0].ClientURL(), Replicas: 3})
	if err != nil {
		return err
	}
	done()
	var whole, added time.Duration
	for range failoverRounds {
		w, a, err := cutLeader(c)
		if err != nil {
			return err
		}
		whole, added = max(whole, w), max(added, a)
	}
	r.add(Result{Name: "cluster.failover", Value: whole.Seconds(), Unit: "s"})
	r.add(Result{Name: "cluster.failover.node", Value: float64(added) / float64(time.Millisecond), Unit: "ms"})
	return nil
}

// cutLeader cuts the leader off under load and returns how long it took until a command was acknowledged
// that was sent after, and how much of that came after there was another leader.
func cutLeader(c *cluster) (whole, added time.Duration, err error) {
	leader := c.leader(-1)
	if leader < 0 {
		return 0, 0, errors.New("nobody leads the stream")
	}
	n, done, err := freshNode(journal.Options{URL: c.servers[(leader+1)%3].ClientURL(), Replicas: 3})
	if err != nil {
		return 0, 0, err
	}
	defer done()
	var gone, elected, back atomic.Int64
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	do := trade(n, failoverClients)
	var clients sync.WaitGroup
	failed := make(chan error, failoverClients)
	for client := range failoverClients {
		clients.Go(func() {
			for round := 0; back.Load() == 0 && ctx.Err() == nil; round++ {
				sent := time.Now().UnixNano()
				if err := do(client, round); err != nil {
					failed <- err
					return
				}
				if cut := gone.Load(); cut != 0 && sent > cut {
					back.CompareAndSwap(0, time.Now().UnixNano())
				}
			}
		})
	}
	c.cut(leader, true)
	gone.Store(time.Now().UnixNano())
	for back.Load() == 0 && len(failed) == 0 && ctx.Err() == nil {
		if elected.Load() == 0 && c.leader(leader) >= 0 {
			elected.Store(time.Now().UnixNano())
		}
		time.Sleep(time.Millisecond)
	}
	clients.Wait()
	c.cut(leader, false)
	if len(failed) > 0 {
		return 0, 0, <-failed
	}
	if ctx.Err() != nil {
		return 0, 0, errors.New("writes did not come back within a minute")
	}
	return time.Duration(back.Load() - gone.Load()), time.Duration(back.Load() - elected.Load()), nil
}

// turns measures two nodes that write at once, one of them at the server that leads the stream: how
// much the one that gets less has of what the other has, and the longest that anybody waits.
func turns(r *report) error {
	c, err := startCluster(false)
	if err != nil {
		return err
	}
	defer c.stop()
	first, done, err := freshNode(journal.Options{URL: c.servers[0].ClientURL(), Replicas: 3})
	if err != nil {
		return err
	}
	defer done()
	other := c.leader(-1)
	if other <= 0 {
		other = 1
	}
	late, closeLate, err := openNode(journal.Options{URL: c.servers[other].ClientURL(), Replicas: 3})
	if err != nil {
		return err
	}
	defer closeLate()
	var results [2]Result
	var errs [2]error
	var both sync.WaitGroup
	for i, n := range []*node.Node{first, late} {
		both.Go(func() { results[i], errs[i] = load(failoverClients, turnsSeconds, newAccounts(n, i)) })
	}
	both.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	less, more := results[0], results[1]
	if less.Value > more.Value {
		less, more = more, less
	}
	less.Name, less.Ratio, less.RatioTo = "cluster.turns", less.Value/more.Value, "the other node"
	less.Max = max(less.Max, more.Max)
	r.add(less)
	return nil
}

// newAccounts is a client that opens accounts with names of its own.
func newAccounts(n *node.Node, number int) func(client, round int) error {
	return func(client, round int) error {
		var result schema.Result
		return n.Submit(context.Background(), &schema.SetAccount{Account: schema.Account{
			Name: fmt.Sprintf("n%d-%d-%d", number, client, round), Region: schema.Global,
		}}, &result)
	}
}
