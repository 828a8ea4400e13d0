package quorum

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

var errDown = errors.New("connection refused")

// answers is a node that says what a test wants.
type answers struct {
	driver.Chain // what is not asked
	name         string

	mu          sync.Mutex // a node that nobody waits for may still answer
	down, hangs bool
	hashes      []byte   // of its blocks, by height
	receipts    []string // of each block
	rate, nonce uint64
	fate        driver.Fate
	worth       string
	moved       bool
	composes    error
	asked       int
}

// set changes what a node says.
func (a *answers) set(change func(*answers)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(a)
}

// answer is what a node says, unless it is down or hangs.
func answer[T any](ctx context.Context, a *answers, says func() (T, error)) (value T, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	switch {
	case a.down:
		return value, errDown
	case a.hangs:
		a.mu.Unlock()
		<-ctx.Done()
		a.mu.Lock()
		return value, ctx.Err()
	}
	return says()
}

func (a *answers) Check(ctx context.Context) error {
	return second(answer(ctx, a, func() (int, error) { return 0, nil }))
}

func (a *answers) point(height int) driver.Point {
	return driver.Point{Height: uint64(height), Hash: schema.Digest{a.hashes[height]}}
}

func (a *answers) Tip(ctx context.Context) (driver.Point, error) {
	return answer(ctx, a, func() (driver.Point, error) { return a.point(len(a.hashes) - 1), nil })
}

func (a *answers) At(ctx context.Context, height uint64) (driver.Point, bool, error) {
	known := false
	at, err := answer(ctx, a, func() (at driver.Point, err error) {
		if known = height < uint64(len(a.hashes)); known {
			at = a.point(int(height))
		}
		return at, nil
	})
	return at, known, err
}

func (a *answers) Block(ctx context.Context, at driver.Point, _ driver.Lookup) (*driver.Block, error) {
	return answer(ctx, a, func() (*driver.Block, error) {
		if at.Height >= uint64(len(a.hashes)) || a.point(int(at.Height)) != at {
			return nil, driver.ErrMoved
		}
		return &driver.Block{Point: at, Receipts: []driver.Receipt{{ID: a.receipts[at.Height], Units: big.NewInt(5)}}}, nil
	})
}

func (a *answers) FeeRate(ctx context.Context) (uint64, error) {
	return answer(ctx, a, func() (uint64, error) { return a.rate, nil })
}

func (a *answers) Nonce(ctx context.Context, _ string) (uint64, error) {
	return answer(ctx, a, func() (uint64, error) { return a.nonce, nil })
}

func (a *answers) Send(ctx context.Context, _ []byte) (driver.Fate, error) {
	return answer(ctx, a, func() (driver.Fate, error) { return a.fate, nil })
}

func (a *answers) Compose(ctx context.Context, _ *driver.Order) (*driver.Draft, error) {
	return answer(ctx, a, func() (*driver.Draft, error) { return &driver.Draft{Tx: a.name}, a.composes })
}

func (a *answers) Holds(ctx context.Context, _ driver.Point, _ driver.Holding) (fixed.Decimal, error) {
	return answer(ctx, a, func() (fixed.Decimal, error) {
		if a.moved {
			return fixed.Zero, driver.ErrMoved
		}
		return fixed.MustParse(a.worth), nil
	})
}

func (a *answers) Key(address string) ([]byte, error)            { return []byte(a.name + address), nil }
func (a *answers) Bid([]byte) (uint64, error)                    { return a.rate, nil }
func (a *answers) Size(raw []byte) (uint64, error)               { return uint64(len(raw)), nil }
func (a *answers) Signed(_, _ []byte, by string) (string, error) { return a.name + by, nil }

// three are nodes that say the same.
func three() [3]*answers {
	var list [3]*answers
	for i := range list {
		list[i] = &answers{
			name: string(rune('a' + i)), hashes: []byte{1, 2, 3, 4}, receipts: []string{"", "", "", "paid"}, rate: 10, nonce: 7, fate: driver.Accepted, worth: "2.5",
		}
	}
	return list
}

func join(log *slog.Logger, list ...*answers) *Quorum {
	var nodes []Node
	for _, a := range list {
		nodes = append(nodes, Node{a.name, a})
	}
	return New(nodes, log)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestMoreThanHalfMustSayTheSame(t *testing.T) {
	ctx := t.Context()
	top := driver.Point{Height: 3, Hash: schema.Digest{4}}
	lies := func(a *answers) { // of the same chain, with a payment that never was and coins that are gone
		a.receipts[3], a.worth, a.nonce = "forged", "0", 3
	}
	otherwise := func(a *answers) { a.receipts[3], a.worth = "forged by another", "1" }
	down := func(a *answers) { a.down = true }
	parted := func(a *answers) { a.hashes[3] = 9 }
	ahead := func(a *answers) { a.hashes, a.receipts = append(a.hashes, 5), append(a.receipts, "") }
	behind := func(a *answers) { a.hashes = a.hashes[:2] }
	fine := func(*answers) {}
	for _, tt := range []struct {
		name    string
		nodes   []func(*answers)
		tip     uint64
		at      bool // height 3
		block   bool // that of height 3, as it is
		holds   bool
		working bool // nodes enough
	}{
		{"all the same", []func(*answers){fine, fine, fine}, 3, true, true, true, true},
		{"one lies", []func(*answers){lies, fine, fine}, 3, true, true, true, true},
		{"one of two lies", []func(*answers){lies, fine}, 3, true, false, false, true},
		{"two of three lie, each otherwise", []func(*answers){lies, otherwise, fine}, 3, true, false, false, true},
		{"one is down", []func(*answers){fine, down, fine}, 3, true, true, true, true},
		{"one of two is down", []func(*answers){down, fine}, 0, false, false, false, false},
		{"two are down", []func(*answers){down, fine, down}, 0, false, false, false, false},
		{"one is down and one lies", []func(*answers){down, lies, fine}, 3, true, false, false, true},
		{"one parted", []func(*answers){parted, fine, fine}, 3, true, true, true, true},
		{"one of two parted", []func(*answers){parted, fine}, 2, false, false, true, true},
		{"one is ahead", []func(*answers){ahead, fine, fine}, 3, true, true, true, true},
		{"two are ahead", []func(*answers){ahead, fine, ahead}, 4, true, true, true, true},
		{"one of two is ahead", []func(*answers){ahead, fine}, 3, true, true, true, true},
		{"one of two is behind", []func(*answers){behind, fine}, 1, false, false, true, true},
		{"two of four say the same", []func(*answers){fine, fine, lies, down}, 3, true, false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var list []*answers
			for i, change := range tt.nodes {
				a := three()[i%3]
				change(a)
				list = append(list, a)
			}
			q := join(quiet(), list...)
			if err := q.Check(ctx); (err == nil) != tt.working {
				t.Errorf("check: %v", err)
			}
			tip, err := q.Tip(ctx)
			if (err == nil) != tt.working || tip.Height != tt.tip {
				t.Errorf("tip: %d %v, want %d", tip.Height, err, tt.tip)
			}
			at, known, err := q.At(ctx, 3)
			if got := err == nil && known && at == top; got != tt.at {
				t.Errorf("height 3: %v %t %v", at, known, err)
			}
			b, err := q.Block(ctx, top, nil)
			if got := err == nil && b.Receipts[0].ID == "paid"; got != tt.block || !got && err == nil {
				t.Errorf("block: %v %v", b, err)
			}
			worth, err := q.Holds(ctx, top, driver.Holding{})
			if got := err == nil && worth == fixed.MustParse("2.5"); got != tt.holds || !got && err == nil {
				t.Errorf("holds: %s %v", worth, err)
			}
		})
	}
}

func TestAHeightThatMostNodesLackIsUnknown(t *testing.T) {
	list := three()
	list[0].hashes = append(list[0].hashes, 5)
	if at, known, err := join(quiet(), list[:]...).At(t.Context(), 4); known || err != nil || at != (driver.Point{}) {
		t.Errorf("%v %t %v", at, known, err)
	}
	if _, _, err := join(quiet(), list[:2]...).At(t.Context(), 4); err == nil {
		t.Error("one has a block and the other none, and both are needed")
	}
}

func TestAForkIsLookedForSoFarAndNoFurther(t *testing.T) {
	fork := func(depth int) *Quorum {
		list := three()
		for _, a := range list[:2] {
			a.hashes = bytes.Repeat([]byte{1}, 30)
		}
		for i := range depth {
			list[0].hashes[29-i] = 2
		}
		return join(quiet(), list[:2]...)
	}
	if tip, err := fork(reach).Tip(t.Context()); err != nil || tip.Height != 29-reach {
		t.Errorf("%d %v", tip.Height, err)
	}
	if _, err := fork(reach + 1).Tip(t.Context()); err == nil || !strings.Contains(err.Error(), "2 of 2 nodes must say the same, and do not") {
		t.Errorf("a longer fork: %v", err)
	}
}

func TestABlockThatIsGone(t *testing.T) {
	list := three()
	if _, err := join(quiet(), list[:]...).Block(t.Context(), driver.Point{Height: 3, Hash: schema.Digest{8}}, nil); !errors.Is(err, driver.ErrMoved) {
		t.Errorf("no node has it: %v", err)
	}
	list[0].moved, list[1].moved = true, true
	if _, err := join(quiet(), list[:]...).Holds(t.Context(), driver.Point{Height: 3}, driver.Holding{}); !errors.Is(err, driver.ErrMoved) {
		t.Errorf("two went on: %v", err)
	}
}

func TestWhatNeedNotBeTheSame(t *testing.T) {
	ctx := t.Context()
	list := three()
	list[0].rate, list[1].rate, list[2].rate = 9000, 12, 8
	list[0].nonce, list[1].nonce = 8, 0
	q := join(quiet(), list[:]...)
	if rate, err := q.FeeRate(ctx); rate != 12 || err != nil {
		t.Errorf("a rate of %d, %v: want the one in the middle", rate, err)
	}
	if nonce, err := q.Nonce(ctx, ""); nonce != 8 || err != nil {
		t.Errorf("nonce %d, %v: what one node knows to be sent is sent", nonce, err)
	}
	for _, tt := range []struct {
		said [3]driver.Fate
		want driver.Fate
	}{
		{[3]driver.Fate{driver.Refused, driver.Mined, driver.Cheap}, driver.Mined},
		{[3]driver.Fate{driver.Refused, driver.Mined, driver.Accepted}, driver.Accepted},
		{[3]driver.Fate{driver.Refused, driver.Conflict, driver.Cheap}, driver.Cheap},
		{[3]driver.Fate{driver.Refused, driver.Conflict, driver.Refused}, driver.Conflict},
		{[3]driver.Fate{driver.Refused, driver.Refused, driver.Refused}, driver.Refused},
	} {
		for i, a := range list {
			a.fate = tt.said[i]
		}
		if fate, err := q.Send(ctx, nil); fate != tt.want || err != nil {
			t.Errorf("%v: it is %s, %v, want %s", tt.said, fate, err, tt.want)
		}
	}
	list[0].down = true
	if d, err := q.Compose(ctx, nil); err != nil || d.Tx != "b" {
		t.Errorf("the first is down: %v %v", d, err)
	}
	list[1].composes = driver.ErrFunds
	before := list[2].asked
	if _, err := q.Compose(ctx, nil); !errors.Is(err, driver.ErrFunds) || list[2].asked != before {
		t.Errorf("%v: a node that says no has answered, and no other is asked", err)
	}
	key, _ := q.Key("x")
	bid, _ := q.Bid(nil)
	size, _ := q.Size(make([]byte, 3))
	tx, _ := q.Signed(nil, nil, "y")
	if string(key) != "ax" || bid != 9000 || size != 3 || tx != "ay" {
		t.Errorf("what needs no node: %s %d %d %s", key, bid, size, tx)
	}
}

func TestAllNodesAreDown(t *testing.T) {
	ctx := t.Context()
	list := three()
	for _, a := range list {
		a.down = true
	}
	q := join(quiet(), list[:]...)
	for name, err := range map[string]error{
		"check": q.Check(ctx), "tip": second(q.Tip(ctx)), "block": second(q.Block(ctx, driver.Point{}, nil)), "holds": second(q.Holds(ctx, driver.Point{}, driver.Holding{})),
		"rate": second(q.FeeRate(ctx)), "nonce": second(q.Nonce(ctx, "")), "send": second(q.Send(ctx, nil)), "compose": second(q.Compose(ctx, nil)),
	} {
		if !errors.Is(err, errDown) || !strings.Contains(err.Error(), "node c: connection refused") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A node that hangs costs others a second the first time, and nothing after that.
func TestANodeThatHangsKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := three()
		list[1].hangs = true
		var log bytes.Buffer
		q := join(slog.New(slog.NewTextHandler(&log, nil)), list[:]...)
		for _, want := range []time.Duration{time.Second, 0} {
			began := time.Now()
			if worth, err := q.Holds(t.Context(), driver.Point{}, driver.Holding{}); err != nil || worth != fixed.MustParse("2.5") {
				t.Fatal(worth, err)
			}
			if took := time.Since(began); took != want {
				t.Errorf("it took %s, want %s", took, want)
			}
		}
		if said := log.String(); strings.Count(said, "a node of the chain fails") != 1 || !strings.Contains(said, "node=b nodes=3 needed=2") {
			t.Errorf("the log says %s", said)
		}
		list[1].set(func(a *answers) { a.hangs = false })
		list[2].set(func(a *answers) { a.down = true }) // so that b is needed
		if nonce, err := q.Nonce(t.Context(), ""); err != nil || nonce != 7 {
			t.Fatal(nonce, err)
		}
		if !strings.Contains(log.String(), "a node of the chain answers again\" node=b") {
			t.Errorf("the log says %s", log.String())
		}
	})
}
