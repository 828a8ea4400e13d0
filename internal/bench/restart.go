package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/disk"
	"bourse/internal/exchange"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// FillCommand is the hidden command of the program that is killed.
const FillCommand = "bench-fill"

// restart measures how long an exchange with a million resting orders takes to come back.
func restart(r *report) error { return r.restart(million) }

// restart measures three ways back: after a kill that left all commands behind the last snapshot, from a snapshot,
// and from the log alone. The first is that of a whole exchange until it accepts an order, and until its market data
// and history have everything too; the others are those of its node.
func (r *report) restart(orders int) error {
	both, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(both)
	dir, killed := filepath.Join(both, "data"), filepath.Join(both, "killed")
	fmt.Fprintf(r.progress, "%-26s filling the books of an exchange and killing it\n", "")
	if err := fillAndKill(killed, orders); err != nil {
		return err
	}
	if err := disk.CopyTree(dir, killed); err != nil {
		return err
	}
	took, whole, err := startKilled(killed)
	if err != nil {
		return err
	}
	perMillion := million / float64(orders)
	r.add(Result{Name: "node.restart.killed", Value: took.Seconds() * perMillion, Unit: "s/M commands"})
	r.add(Result{Name: "node.restart.whole", Value: whole.Seconds() * perMillion, Unit: "s/M commands"})

	if _, err := reopen(dir, orders); err != nil { // closing writes a snapshot
		return err
	}
	if took, err = reopen(dir, orders); err != nil {
		return err
	}
	r.add(Result{Name: "node.restart", Value: took.Seconds() * perMillion, Unit: "s/M orders"})

	if err := os.RemoveAll(filepath.Join(dir, "snapshots")); err != nil {
		return err
	}
	if took, err = reopen(dir, orders); err != nil {
		return err
	}
	r.add(Result{Name: "node.recovery", Value: float64(orders) / took.Seconds(), Unit: "commands/s"})
	return nil
}

// fillAndKill lets another process fill an exchange, and kills it.
func fillAndKill(dir string, orders int) error {
	child, in, out, err := spawn(FillCommand, dir, strconv.Itoa(orders))
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = bufio.NewReader(out).ReadString('\n')
	kill := child.Process.Kill()
	_ = child.Wait() // it was killed
	if err != nil {
		return fmt.Errorf("filling an exchange in another process: %w", err)
	}
	return kill
}

// Fill is that other process: it places resting orders on an exchange in a directory, says so, and waits to be killed.
func Fill(dir string, orders int, in io.Reader, out io.Writer) error {
	x, err := openRestart(dir)
	if err != nil {
		return err
	}
	if err := fillNode(x.Node, orders); err != nil {
		return errors.Join(err, x.Close())
	}
	if _, err := fmt.Fprintln(out, "filled"); err != nil {
		return errors.Join(err, x.Close())
	}
	_, err = io.Copy(io.Discard, in)
	return errors.Join(err, x.Close())
}

// startKilled is how long a whole exchange takes to accept an order, and to have everything that can be read of it.
func startKilled(dir string) (orders, whole time.Duration, err error) {
	began := time.Now()
	x, err := openRestart(dir)
	if err != nil {
		return 0, 0, err
	}
	err = place(x.Node, 0, 0)
	orders = time.Since(began)
	if err == nil {
		err = x.Data.Wait(context.Background())
	}
	if err == nil {
		_, err = x.History.Page(context.Background(), &history.Query{Kind: history.Orders, Limit: 1})
	}
	return orders, time.Since(began), errors.Join(err, x.Close())
}

func openRestart(dir string) (*exchange.Exchange, error) {
	return exchange.Open(context.Background(), exchange.Options{Node: restartOptions(dir), Region: schema.Global})
}

func restartOptions(dir string) node.Options {
	return node.Options{Journal: journal.Options{Dir: dir}, SnapshotCommands: 100 * million}
}

// reopen is how long a node takes to come back to where it was.
func reopen(dir string, orders int) (time.Duration, error) {
	began := time.Now()
	n, err := node.Open(context.Background(), restartOptions(dir))
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	n.Read(func(m core.View) {
		if placed := m.Trading().Counters().Order; int(placed) != orders {
			err = fmt.Errorf("the node came back with %d orders of %d", placed, orders)
		}
	})
	return took, errors.Join(err, n.Close())
}

// fillNode places resting orders with a thousand clients at once.
func fillNode(n *node.Node, orders int) error {
	for _, c := range setUpCommands(1, mixedAccounts) {
		var result schema.Result
		if err := n.Submit(context.Background(), c, &result); err != nil {
			return err
		}
	}
	var wait sync.WaitGroup
	errs := make([]error, mixedAccounts)
	for client := range mixedAccounts {
		wait.Go(func() {
			for i := 0; i < orders/mixedAccounts && errs[client] == nil; i++ {
				errs[client] = place(n, client, i)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// place submits a resting order of a client.
func place(n *node.Node, client, i int) error {
	var result schema.Result
	err := n.Submit(context.Background(), &schema.PlaceOrder{
		Account: schema.FirstCustomer + schema.AccountID(client),
		Order: schema.OrderRequest{
			Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(1), Price: fixed.FromInt(int64(1000 + i%1000)),
		},
	}, &result)
	if err == nil && result.Rejection.Refused() {
		err = fmt.Errorf("an order was refused: %s", result.Rejection.Text())
	}
	return err
}
