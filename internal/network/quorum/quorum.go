// Package quorum asks several nodes about one chain and believes what more than half of them say. A node is a program of somebody, and on
// chains of contracts nothing but its word says what is in a block: one that was taken over could show payments that never were.
package quorum

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
)

// Node is one of the nodes of a chain, with a name for people.
type Node struct {
	Name string
	driver.Chain
}

// Quorum is a chain as more than half of its nodes show it. It keeps nothing but which nodes failed last.
//
// What must hold: nothing about blocks, coins or nonces is said that fewer than need nodes say. What a wrong answer cannot turn into money,
// such as a fee within the operator's bound, may come from fewer.
type Quorum struct {
	nodes []Node
	need  int
	grace time.Duration // for the last nodes to answer, once enough did
	log   *slog.Logger

	mu     sync.Mutex
	failed []bool
}

// New makes a quorum of nodes of one chain.
func New(nodes []Node, log *slog.Logger) *Quorum {
	return &Quorum{nodes: nodes, need: len(nodes)/2 + 1, grace: time.Second, log: log, failed: make([]bool, len(nodes))}
}

// said is the answer of a node.
type said[T any] struct {
	node  int
	value T
	err   error
}

// errLate is the answer of a node that others were not kept waiting for.
var errLate = errors.New("no answer while the others gave theirs")

// ask asks all nodes at once. When enough have answered, the others have a little time left, and none if all of them failed last.
func ask[T any](ctx context.Context, q *Quorum, question func(context.Context, driver.Chain) (T, error)) []said[T] {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	come := make(chan said[T], len(q.nodes))
	answers := make([]said[T], len(q.nodes))
	for i := range q.nodes {
		answers[i] = said[T]{node: i, err: errLate}
		go func() {
			value, err := question(ctx, q.nodes[i].Chain)
			come <- said[T]{i, value, err}
		}()
	}
	var over <-chan time.Time
	for pending, good := len(q.nodes), 0; pending > 0; {
		select {
		case a := <-come:
			answers[a.node] = a
			if pending--; a.err == nil {
				good++
			}
		case <-over:
			pending = 0
		}
		if good < q.need {
			continue
		}
		if over == nil {
			over = time.After(q.grace)
		}
		if !slices.ContainsFunc(answers, func(a said[T]) bool { return a.err == errLate && !q.fails(a.node) }) {
			pending = 0
		}
	}
	for i := range answers {
		q.note(i, answers[i].err)
	}
	return answers
}

// fails reports whether a node failed last.
func (q *Quorum) fails(node int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failed[node]
}

// note logs that a node fails, or that it does no longer. That its chain went another way, or cannot do something, is an answer.
func (q *Quorum) note(node int, err error) {
	fails := err != nil && !errors.Is(err, driver.ErrMoved) && !errors.Is(err, driver.ErrFunds) && !errors.Is(err, driver.ErrCannot)
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case fails && !q.failed[node]:
		q.log.Warn("a node of the chain fails", "node", q.nodes[node].Name, "nodes", len(q.nodes), "needed", q.need, "error", err)
	case !fails && q.failed[node]:
		q.log.Info("a node of the chain answers again", "node", q.nodes[node].Name)
	}
	q.failed[node] = fails
}

// order is in which nodes are asked one after the other: those that failed last come last.
func (q *Quorum) order() (list []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, failed := range []bool{false, true} {
		for i := range q.nodes {
			if q.failed[i] == failed {
				list = append(list, i)
			}
		}
	}
	return list
}

// problem says why too few nodes say the same.
func problem[T any](q *Quorum, answers []said[T]) error {
	list := []error{fmt.Errorf("%d of %d nodes must say the same, and do not", q.need, len(q.nodes))}
	for _, a := range answers {
		if a.err != nil {
			list = append(list, fmt.Errorf("node %s: %w", q.nodes[a.node].Name, a.err))
		}
	}
	return errors.Join(list...)
}

// agreed is what enough nodes say.
func agreed[T any](q *Quorum, answers []said[T], same func(a, b T) bool) (value T, err error) {
	for i := range answers {
		count := 0
		for j := range answers {
			if answers[i].err == nil && answers[j].err == nil && same(answers[i].value, answers[j].value) {
				count++
			}
		}
		if count >= q.need {
			return answers[i].value, nil
		}
	}
	return value, problem(q, answers)
}

// Check fails unless enough nodes are of the chain. One of another chain never agrees with them.
func (q *Quorum) Check(ctx context.Context) error {
	answers := ask(ctx, q, func(ctx context.Context, c driver.Chain) (struct{}, error) { return struct{}{}, c.Check(ctx) })
	_, err := agreed(q, answers, func(_, _ struct{}) bool { return true })
	return err
}

// reach is how far below their tips nodes may have parted: short forks are no news, and a chain waits where one is longer.
const reach = 10

// Tip is the highest block that enough nodes have.
func (q *Quorum) Tip(ctx context.Context) (driver.Point, error) {
	answers := ask(ctx, q, func(ctx context.Context, c driver.Chain) (driver.Point, error) { return c.Tip(ctx) })
	var heights []uint64
	for _, a := range answers {
		if a.err == nil {
			heights = append(heights, a.value.Height)
		}
	}
	if len(heights) < q.need {
		return driver.Point{}, problem(q, answers)
	}
	slices.Sort(heights)
	height := heights[len(heights)-q.need]
	for below := uint64(0); ; below++ {
		at, _, err := q.At(ctx, height-below)
		if err == nil || ctx.Err() != nil || below == min(reach, height) {
			return at, err
		}
	}
}

// place is where a node stands at a height.
type place struct {
	driver.Point
	known bool
}

// At implements driver.Chain.
func (q *Quorum) At(ctx context.Context, height uint64) (driver.Point, bool, error) {
	answers := ask(ctx, q, func(ctx context.Context, c driver.Chain) (p place, err error) {
		p.Point, p.known, err = c.At(ctx, height)
		if !p.known {
			p.Point = driver.Point{}
		}
		return p, err
	})
	at, err := agreed(q, answers, func(a, b place) bool { return a == b })
	if err != nil {
		return driver.Point{}, false, fmt.Errorf("height %d: %w", height, err)
	}
	return at.Point, at.known, nil
}

// Block implements driver.Chain: all that is found in it must be the same. Nodes are asked one after the other, since a lookup serves one
// at a time.
func (q *Quorum) Block(ctx context.Context, at driver.Point, ours driver.Lookup) (*driver.Block, error) {
	var answers []said[*driver.Block]
	for _, i := range q.order() {
		b, err := q.nodes[i].Block(ctx, at, ours)
		q.note(i, err)
		answers = append(answers, said[*driver.Block]{i, b, err})
		if len(answers) < q.need {
			continue
		}
		if found, err := agreed(q, answers, sameBlock); err == nil {
			return found, nil
		}
	}
	return nil, problem(q, answers)
}

func sameBlock(a, b *driver.Block) bool { return reflect.DeepEqual(a, b) }

// Key implements driver.Chain.
func (q *Quorum) Key(address string) ([]byte, error) { return q.nodes[0].Key(address) }

// FeeRate is the one in the middle.
func (q *Quorum) FeeRate(ctx context.Context) (uint64, error) {
	answers := ask(ctx, q, func(ctx context.Context, c driver.Chain) (uint64, error) { return c.FeeRate(ctx) })
	var rates []uint64
	for _, a := range answers {
		if a.err == nil {
			rates = append(rates, a.value)
		}
	}
	if len(rates) < q.need {
		return 0, problem(q, answers)
	}
	slices.Sort(rates)
	return rates[(len(rates)-1)/2], nil
}

// Compose is done by the first node that can. What a node adds to an order is what the transaction costs, within the operator's bound.
func (q *Quorum) Compose(ctx context.Context, o *driver.Order) (*driver.Draft, error) {
	var problems []error
	for _, i := range q.order() {
		d, err := q.nodes[i].Compose(ctx, o)
		if err == nil || errors.Is(err, driver.ErrFunds) || errors.Is(err, driver.ErrCannot) {
			return d, err
		}
		problems = append(problems, fmt.Errorf("node %s: %w", q.nodes[i].Name, err))
	}
	return nil, errors.Join(problems...)
}

// Bid implements driver.Chain.
func (q *Quorum) Bid(unsigned []byte) (uint64, error) { return q.nodes[0].Bid(unsigned) }

// Signed implements driver.Chain.
func (q *Quorum) Signed(unsigned, raw []byte, by string) (string, error) {
	return q.nodes[0].Signed(unsigned, raw, by)
}

// Size implements driver.Chain.
func (q *Quorum) Size(raw []byte) (uint64, error) { return q.nodes[0].Size(raw) }

// Send gives a transaction to all nodes, and is the best that became of it: one that passes it on is enough. It is sent again until it is in
// a block that enough nodes have.
func (q *Quorum) Send(ctx context.Context, raw []byte) (driver.Fate, error) {
	answers := ask(ctx, q, func(ctx context.Context, c driver.Chain) (driver.Fate, error) { return c.Send(ctx, raw) })
	best := driver.Fate(0)
	for _, a := range answers {
		if a.err == nil && (best == 0 || slices.Index(fates, a.value) < slices.Index(fates, best)) {
			best = a.value
		}
	}
	if best == 0 {
		return 0, problem(q, answers)
	}
	return best, nil
}

// fates of a transaction, the best first.
var fates = []driver.Fate{driver.Accepted, driver.Mined, driver.Cheap, driver.Conflict, driver.Refused}

// Holds implements driver.Chain.
func (q *Quorum) Holds(ctx context.Context, at driver.Point, h driver.Holding) (fixed.Decimal, error) {
	answers := ask(ctx, q, func(ctx context.Context, c driver.Chain) (fixed.Decimal, error) { return c.Holds(ctx, at, h) })
	return agreed(q, answers, func(a, b fixed.Decimal) bool { return a == b })
}

// Nonce is the highest: what one node knows to be sent is sent.
func (q *Quorum) Nonce(ctx context.Context, address string) (uint64, error) {
	answers := ask(ctx, q, func(ctx context.Context, c driver.Chain) (uint64, error) { return c.Nonce(ctx, address) })
	highest, count := uint64(0), 0
	for _, a := range answers {
		if a.err == nil {
			highest = max(highest, a.value)
			count++
		}
	}
	if count < q.need {
		return 0, problem(q, answers)
	}
	return highest, nil
}
