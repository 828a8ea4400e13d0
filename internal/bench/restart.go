package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// restart measures how long an exchange with a million resting orders takes to come back: from
// its log alone, and from a snapshot.
func restart(r *report) error {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintf(r.progress, "%-26s filling the books through a node\n", "")
	n, err := node.Open(context.Background(), restartOptions(dir))
	if err != nil {
		return err
	}
	commands, err := fillNode(n)
	if err != nil {
		n.Close()
		return err
	}
	batches := n.Mark().Seq
	if err := n.Close(); err != nil {
		return err
	}
	took, err := reopen(dir, batches)
	if err != nil {
		return err
	}
	r.add(Result{Name: "node.restart", Value: took.Seconds(), Unit: "s/M orders"})

	if err := os.RemoveAll(filepath.Join(dir, "snapshots")); err != nil {
		return err
	}
	if took, err = reopen(dir, batches); err != nil {
		return err
	}
	r.add(Result{Name: "node.recovery", Value: float64(commands) / took.Seconds(), Unit: "commands/s"})
	return nil
}

func restartOptions(dir string) node.Options {
	return node.Options{Journal: journal.Options{Dir: dir}, SnapshotCommands: 100 * million}
}

// reopen is how long a node takes to come back to where it was.
func reopen(dir string, batches uint64) (time.Duration, error) {
	began := time.Now()
	n, err := node.Open(context.Background(), restartOptions(dir))
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	if n.Mark().Seq < batches {
		err = fmt.Errorf("the node came back at batch %d of %d", n.Mark().Seq, batches)
	}
	if closing := n.Close(); err == nil {
		err = closing
	}
	return took, err
}

// fillNode places a million resting orders with a thousand clients at once and returns how many
// commands that were.
func fillNode(n *node.Node) (int, error) {
	setup := setUpCommands(1, mixedAccounts)
	for _, c := range setup {
		var result schema.Result
		if err := n.Submit(context.Background(), c, &result); err != nil {
			return 0, err
		}
	}
	var wait sync.WaitGroup
	errs := make(chan error, mixedAccounts)
	for client := range mixedAccounts {
		wait.Go(func() {
			for i := range million / mixedAccounts {
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
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wait.Wait()
	select {
	case err := <-errs:
		return 0, err
	default:
		return len(setup) + million, nil
	}
}
