package exchange

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/miner"
	"bourse/internal/network/driver"
	"bourse/internal/pool"
	"bourse/internal/pool/work"
	"bourse/internal/schema"
)

// TestASandboxIsMined: a miner finds blocks, the log makes them and knows who found them, and what was brought is counted, also what was
// brought last.
func TestASandboxIsMined(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v := newVenue(t, nil)
	n, do := v.node, v.do
	chain := v.chain("PLAY", schema.Sandbox, schema.Testnet)
	v.chain("COLD", schema.BitcoinNode, schema.Regtest)
	terms := poolTerms(v.asset("BTC", 8, 0))
	terms.Unit = 32
	do(&schema.SetAccount{Account: schema.Account{Name: "anna", Region: schema.Global}})
	do(&schema.SetPool{Terms: terms})
	do(&schema.SetPoolRate{Rate: fixed.FromUnits(1, 8)})
	anna := schema.FirstCustomer
	do(&schema.OpenMining{Account: anna, Name: "anna"})
	x := &Exchange{Node: n, now: func() schema.Time { return 0 }, chainNodes: []ChainNodes{{"COLD", []string{"http://127.0.0.1:1"}}}}
	for _, o := range []PoolOptions{{Chain: "NONE"}, {Chain: "COLD", Address: "bc1"}} {
		if err := x.OpenPool(o); err == nil {
			t.Errorf("%+v is opened", o)
		}
	}
	const bits = 0x1f7fffff // a block in 512 hashes
	bounds := pool.NewBounds()
	bounds.Start = work.LeastExponent
	if err := x.OpenPool(PoolOptions{Chain: "PLAY", Bits: bits, Bounds: bounds}); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- x.ServePool(ln, false) }()
	m, err := miner.New(miner.Options{URL: "stratum+tcp://" + ln.Addr().String(), User: "anna.rig", Threads: 1, Rate: 4096})
	if err != nil {
		t.Fatal(err)
	}
	mining, end := context.WithCancel(ctx)
	mined := make(chan struct{})
	go func() {
		m.Run(mining)
		close(mined)
	}()
	var blocks []schema.PoolBlock
	for len(blocks) < 3 {
		if ctx.Err() != nil {
			t.Fatalf("%d blocks: %+v", len(blocks), m.Stats())
		}
		runtime.Gosched() // they are only to be seen by looking
		n.Read(func(v core.View) { blocks = v.Mining().Blocks() })
	}
	end()
	<-mined
	if err := errors.Join(x.pool.Close(ctx), <-served); err != nil {
		t.Fatal(err)
	}
	n.Read(func(v core.View) {
		blocks = v.Mining().Blocks()
		height, _ := v.Chains().Cursor(chain)
		slices.SortFunc(blocks, func(a, b schema.PoolBlock) int { return cmp.Compare(a.Height, b.Height) }) // two at once are reported in any order
		if height != uint64(len(blocks)) {
			t.Errorf("%d blocks, and the chain has %d", len(blocks), height)
		}
		for i, b := range blocks {
			if b.Height != uint64(i+1) || b.Mining != 1 || b.Worker != "rig" {
				t.Errorf("block %d: %+v", i+1, b)
			}
		}
	})
	// A block that is not the next is none.
	source := &sandboxSource{node: n, chain: chain, name: "PLAY", bits: bits}
	if err := source.Submit(ctx, make([]byte, 80)); !errors.Is(err, driver.ErrBlock) {
		t.Errorf("a block of nothing: %v", err)
	}
	next, err := source.Template(ctx)
	if err != nil {
		t.Fatal(err)
	}
	block := binary.LittleEndian.AppendUint32(nil, 1)
	block = append(block, next.Parent[:]...)
	if err := source.Submit(ctx, block); err != nil {
		t.Error(err)
	}
	if err := source.Submit(ctx, block); !errors.Is(err, driver.ErrBlock) {
		t.Errorf("a second of the same height: %v", err)
	}
	// A barred account may not mine; without a rate nobody may.
	desk := poolDesk{n, x.now}
	if id, may := desk.Find("anna"); id != 1 || !may {
		t.Error(id, may)
	}
	if unit, closed := desk.Terms(); unit != 32 || closed != "" {
		t.Error(unit, closed)
	}
	do(&schema.BarMining{Mining: 1, Barred: true})
	if _, may := desk.Find("anna"); may {
		t.Error("a barred account may mine")
	}
	if _, may := desk.Find("ben"); may {
		t.Error("nobody may mine")
	}
}
