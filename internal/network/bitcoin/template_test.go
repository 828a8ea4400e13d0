package bitcoin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"bourse/internal/miner"
	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/pool"
	"bourse/internal/schema"
)

// office is the mining accounts and the log of a pool: anna's account, and the blocks that were reported.
type office struct {
	mu     sync.Mutex
	blocks []schema.PoolBlock
	work   uint64
	news   chan struct{} // there is another block
}

func (*office) Terms() (uint8, string) { return 32, "" }

func (*office) Find(name string) (schema.MiningID, bool) { return 1, name == "anna" }

func (*office) Lease(context.Context) (schema.LeaseID, error) { return 77, nil }

func (o *office) Report(_ context.Context, r *schema.ReportShares) (schema.Rejection, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range r.Shares {
		o.work += s.Work
	}
	return schema.Rejection{}, nil
}

func (o *office) Found(_ context.Context, f *schema.FoundBlock) (schema.Rejection, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.blocks = append(o.blocks, f.Block)
	select {
	case o.news <- struct{}{}:
	default:
	}
	return schema.Rejection{}, nil
}

func (o *office) found() []schema.PoolBlock {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.blocks
}

// TestBlocksOfThePool: what our miner finds through the pool the node takes, with the transactions that wait; the chain grows by it.
func TestBlocksOfThePool(t *testing.T) {
	onNodes(t, func(w *world, _ func() *nodetest.Node) {
		var waiting []string
		for range 4 {
			tx, raw := w.signed(w.order(3, w.miner.bech32, []driver.Input{w.coinbase()}, pay(w.miner.bech32, "1.5")))
			w.sends("a payment", raw, driver.Accepted)
			waiting = append(waiting, tx.Tx)
		}
		keeper := w.owner(w.node.Net, "keeper", driver.Place{Own: schema.Cold})
		script, err := w.chain.Key(keeper.bech32)
		if err != nil {
			w.Fatal(err)
		}
		before := w.tip()
		// btcd makes a new template only each minute, or when the chain grew: the payments may be missing at first.
		template, err := w.chain.Template(w.ctx)
		if err != nil {
			w.Fatal(err)
		}
		if template.Height != before.Height+1 || digest(template.Parent) != before.Hash || template.Bits != 0x207fffff || template.Commitment == nil {
			w.Fatalf("%+v", template)
		}
		o := &office{news: make(chan struct{}, 1)}
		p := pool.New(pool.Options{Source: w.chain, Book: o, Reporter: o, Script: script, Bounds: pool.NewBounds()})
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- p.Serve(ln) }()
		m, err := miner.New(miner.Options{URL: "stratum+tcp://" + ln.Addr().String(), User: "anna.rig", Threads: 1, Rate: 16})
		if err != nil {
			w.Fatal(err)
		}
		mining, end := context.WithCancel(w.ctx)
		done := make(chan struct{})
		go func() {
			m.Run(mining)
			close(done)
		}()
		for len(o.found()) < 3 {
			select {
			case <-o.news:
			case <-w.ctx.Done():
				w.Fatalf("%d blocks after all the time: %+v", len(o.found()), m.Stats())
			}
		}
		end()
		<-done
		if err := errors.Join(p.Close(w.ctx), <-served); err != nil {
			w.Fatal(err)
		}
		found := o.found()
		if tip := w.tip(); tip.Height != before.Height+uint64(len(found)) || o.work < uint64(len(found)) {
			w.Fatalf("the tip is %d, it was %d; %d blocks, %d units of work", tip.Height, before.Height, len(found), o.work)
		}
		for i, b := range found {
			at, ok, err := w.chain.At(w.ctx, before.Height+1+uint64(i))
			if err != nil || !ok || b.Height != at.Height || digest(chainhash.Hash(b.Hash)) != at.Hash || b.Mining != 1 || b.Worker != "rig" {
				w.Fatalf("%+v, at %+v %v", b, at, err)
			}
			if first := w.block(at.Height).Receipts[0]; !first.Coinbase || first.Text != keeper.bech32 {
				w.Fatalf("%+v", first)
			}
			var raw string
			if err := w.node.Ask(&raw, "getblock", hex.EncodeToString(at.Hash[:]), 0); err != nil {
				w.Fatal(err)
			}
			if err := w.chain.Submit(w.ctx, must(hex.DecodeString(raw))); err != nil {
				w.Fatalf("a block that the node has: %v", err)
			}
			var text struct{ Tx []string }
			if err := w.node.Ask(&text, "getblock", hex.EncodeToString(at.Hash[:]), 1); err != nil {
				w.Fatal(err)
			}
			for _, id := range text.Tx[1:] {
				for n, tx := range waiting {
					if tx == id {
						waiting[n] = ""
					}
				}
			}
		}
		if left := strings.Join(waiting, ""); left != "" {
			w.Errorf("payments that are in no block: %s", left)
		}
		block := make([]byte, 81)
		if err := w.chain.Submit(w.ctx, block); err == nil {
			w.Error("the node takes what is no block")
		}
	})
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestTemplatesAreRead: what a node writes, and what cannot be read.
func TestTemplatesAreRead(t *testing.T) {
	parent, id := strings.Repeat("0", 62)+"a1", strings.Repeat("0", 62)+"b2"
	said := func(change ...string) string {
		text := fmt.Sprintf(`{"version":536870912,"previousblockhash":%q,"coinbasevalue":5000000000,"mintime":7,"curtime":9,"bits":"1d00ffff","height":12,`+
			`"default_witness_commitment":"aa","transactions":[{"data":"0102","txid":%q}]}`, parent, id)
		return strings.NewReplacer(change...).Replace(text)
	}
	read := func(text string) (*driver.Template, error) {
		return fake(t, map[string]string{"getblocktemplate": text}).Template(t.Context())
	}
	got, err := read(said())
	if err != nil || got.Version != 0x20000000 || got.Parent != [32]byte{0xa1} || got.Value != 5_000_000_000 || got.MinTime != 7 || got.Time != 9 || got.Bits != 0x1d00ffff ||
		got.Height != 12 || hex.EncodeToString(got.Commitment) != commits+"aa" || len(got.Txs) != 1 || got.Txs[0].ID != [32]byte{0xb2} || string(got.Txs[0].Raw) != "\x01\x02" {
		t.Fatalf("%+v %v", got, err)
	}
	if got, err := read(said(`"aa"`, `"`+commits+`aa"`)); err != nil || hex.EncodeToString(got.Commitment) != commits+"aa" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := read(said(`"aa"`, `""`)); err != nil || got.Commitment != nil {
		t.Errorf("%+v %v", got, err)
	}
	for _, change := range [][2]string{{"1d00ffff", "x"}, {parent, "a1"}, {id, "b2"}, {`"0102"`, `"01f"`}, {`"aa"`, `"a"`}, {"5000000000", "-1"}} {
		if got, err := read(said(change[0], change[1])); err == nil {
			t.Errorf("%s: %+v", change, got)
		}
	}
	const on, off, gone = `{"confirmations":1}`, `{"confirmations":-1}`, `{"code":-5,"message":"Block not found"}`
	for _, s := range []struct {
		answer, header string
		want           error
	}{
		{`null`, on, nil},
		{`null`, off, driver.ErrBlock},
		{`null`, gone, driver.ErrBlock},
		{`"duplicate"`, on, nil},
		{`"duplicate"`, off, driver.ErrBlock},
		{`"rejected: already have block 00"`, on, nil},
		{`"bad-txnmrklroot"`, on, driver.ErrBlock},
		{`"inconclusive"`, on, driver.ErrBlock},
	} {
		if err := fake(t, map[string]string{"submitblock": s.answer, "getblockheader": s.header}).Submit(t.Context(), make([]byte, 81)); !errors.Is(err, s.want) {
			t.Errorf("%s %s: %v", s.answer, s.header, err)
		}
	}
	if err := fake(t, map[string]string{"submitblock": `null`, "getblockheader": `7`}).Submit(t.Context(), make([]byte, 81)); err == nil || errors.Is(err, driver.ErrBlock) {
		t.Errorf("an answer that cannot be read: %v", err)
	}
	if err := fake(t, map[string]string{"submitblock": `{"code":-22,"message":"Block decode failed"}`}).Submit(t.Context(), nil); err == nil || errors.Is(err, driver.ErrBlock) {
		t.Errorf("%v", err)
	}
}
