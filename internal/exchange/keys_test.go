package exchange

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/schema"
)

// seeded is a directory with a seed that the node's key opens, and that key, too, unless it is elsewhere.
func (v *venue) seeded() (dir string) {
	v.Helper()
	dir = v.TempDir()
	_, err := custody.Create(dir, v.node.Key())
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, "master.key"), nil, 0o600)); err != nil {
		v.Fatal(err)
	}
	return dir
}

// waits is the problem of the only line there is, once it has one.
func waits(t *testing.T, l *links) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if link, err := l.list[0].state(); link != nil || err != nil {
			return err
		}
		runtime.Gosched()
	}
	t.Fatal(ctx.Err())
	return nil
}

// TestAChainOfRealCoinsIsNotOpenedBesideItsKey: one that operators name while the exchange runs gets no keys, so nobody gets an address there.
func TestAChainOfRealCoinsIsNotOpenedBesideItsKey(t *testing.T) {
	v := newVenue(t, nil)
	dir, away := v.seeded(), filepath.Join(t.TempDir(), "master.key")
	v.chain("BTC", schema.BitcoinNode, schema.Mainnet)
	v.chain("TRY", schema.BitcoinNode, schema.Regtest)
	main, trial := schema.Space{Family: schema.Bitcoin, Net: schema.Mainnet}, schema.Space{Family: schema.Bitcoin, Net: schema.Regtest}
	has := func(space schema.Space) (known bool) {
		v.node.Read(func(m core.View) { _, known = m.Chains().Keys(space, false) })
		return known
	}
	follow := func(chain string, k keys) (*links, error) {
		t.Helper()
		l := openLinks(v.node, k, []ChainNodes{{chain, []string{"http://u:p@127.0.0.1:1"}}}, slog.New(slog.DiscardHandler))
		err := waits(t, l)
		l.close()
		return l, err
	}
	l, err := follow("BTC", keys{dir: dir, signer: "hot"})
	if !errors.Is(err, custody.ErrTogether) || !strings.HasPrefix(err.Error(), "chain BTC: ") || has(main) {
		t.Errorf("%v, keys %v", err, has(main))
	}
	chain := schema.Chain{Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Mainnet}
	if err := l.settle(&chain); !errors.Is(err, custody.ErrTogether) { // for the pool
		t.Error(err)
	}
	for _, c := range []struct {
		chain string
		keys  keys
		space schema.Space
	}{
		{"TRY", keys{dir: dir, signer: "hot"}, trial},
		{"BTC", keys{dir: dir, signer: "none"}, main}, // which watches
		{"BTC", keys{dir: dir, masterKey: away, signer: "hot"}, main},
	} {
		if c.keys.masterKey != "" {
			if err := os.Rename(filepath.Join(dir, "master.key"), away); err != nil {
				t.Fatal(err)
			}
		}
		_, err := follow(c.chain, c.keys)
		if errors.Is(err, custody.ErrTogether) || has(c.space) != (c.keys.signer == "hot") {
			t.Errorf("%s %+v: %v, keys %v", c.chain, c.keys, err, has(c.space))
		}
	}
}

// TestApart: an exchange that has chains of tests alone, or no seed, or a seed apart from its key, goes on.
func TestApart(t *testing.T) {
	v := newVenue(t, nil)
	var said bytes.Buffer
	dir, away := v.seeded(), filepath.Join(t.TempDir(), "master.key")
	x := &Exchange{Node: v.node, log: slog.New(slog.NewTextHandler(&said, nil))}
	want := func(k keys, refused, warned bool) {
		t.Helper()
		said.Reset()
		x.keys = k
		err := x.Apart()
		if errors.Is(err, custody.ErrTogether) != refused || !refused && err != nil || strings.Contains(said.String(), "level=WARN") != warned {
			t.Errorf("%+v: %v, %s", k, err, said.String())
		}
		if refused && !strings.HasPrefix(err.Error(), "chain ETH: ") {
			t.Error(err)
		}
	}
	v.chain("TRY", schema.BitcoinNode, schema.Signet)
	v.chain("PLAY", schema.Sandbox, schema.Mainnet)
	want(keys{dir: dir, signer: "hot"}, false, false)
	v.do(&schema.SetChain{Chain: schema.Chain{Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 1}})
	want(keys{dir: dir, signer: "hot"}, true, false)
	for _, signer := range []string{"none", "manual:slips", "remote:https://10.0.0.2:8455"} {
		want(keys{dir: dir, signer: signer}, false, true)
	}
	want(keys{dir: t.TempDir(), signer: "hot"}, false, false)
	if err := os.Rename(filepath.Join(dir, "master.key"), away); err != nil {
		t.Fatal(err)
	}
	for _, signer := range []string{"hot", "none"} {
		want(keys{dir: dir, masterKey: away, signer: signer}, false, false)
	}
}
