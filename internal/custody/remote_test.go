package custody

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// served is a guard behind its door.
func served(t *testing.T) (url, dir string) {
	t.Helper()
	dir = aSigner(t)
	return serve(t, dir), dir
}

// serve opens the guard of a directory behind its door.
func serve(t *testing.T, dir string) (url string) {
	t.Helper()
	g := openGuard(t, dir, &clock{time.Unix(1_800_000_000, 0)})
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, at, dir, g, slog.New(slog.NewTextHandler(io.Discard, nil))) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "https://" + at.Addr().String()
}

func remote(t *testing.T, url, file string) *Remote {
	t.Helper()
	c, err := NewRemote(url, file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

func TestASignerSignsFromElsewhere(t *testing.T) {
	url, dir := served(t)
	c, ctx := remote(t, url, filepath.Join(dir, ClientFile)), context.Background()
	r := aPayout(t)
	want, err := NewHot(testSeed(t)).Sign(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if raw, err := c.Sign(ctx, r); err != nil || !bytes.Equal(raw, want) {
			t.Errorf("%x, %v", raw, err)
		}
	}
	refused := order{payout: 8, coin: 1, rate: 10, pays: []driver.Paid{paid(11, "0.5")}}.request(t)
	if raw, err := c.Sign(ctx, refused); !errors.Is(err, ErrRefused) || err.Error() != "the signer refuses: withdrawal 11 is paid by payout 7 already" {
		t.Errorf("%x, %v", raw, err)
	}
	for _, space := range []schema.Space{btc.Space(), eth.Space()} {
		if p, err := c.Public(ctx, space); err != nil || p.Print() != publicOf(t, testSeed(t), space).Print() {
			t.Error(err)
		}
	}
	if _, err := c.Public(ctx, schema.Space{Family: schema.XRP, Net: schema.Mainnet}); err == nil {
		t.Error("there are keys of XRP")
	}
	if _, err := c.call(ctx, "POST", signPath, []byte("nonsense")); err == nil || errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
	if _, err := c.call(ctx, "POST", signPath, bytes.Repeat([]byte{' '}, requestBytesMax+1)); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Error(err)
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Sign(short, r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestStrangersAreNotHeard: a certificate of somebody else, or none, ends the handshake on either side.
func TestStrangersAreNotHeard(t *testing.T) {
	url, dir := served(t)
	ctx := context.Background()
	other := aSigner(t)
	if raw, err := remote(t, url, filepath.Join(other, ClientFile)).Sign(ctx, aPayout(t)); err == nil || errors.Is(err, ErrRefused) || raw != nil {
		t.Errorf("a signer that nobody agreed on was asked: %v", err)
	}
	// Who knows the signer, and has another key than the one that it knows.
	ours, err := readIdentity(filepath.Join(dir, ClientFile))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := readIdentity(filepath.Join(other, ClientFile))
	if err != nil {
		t.Fatal(err)
	}
	mixed := &identity{own: theirs.own, peer: ours.peer}
	without := mixed.config()
	without.Certificates = nil
	old := ours.config()
	old.MinVersion, old.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	for name, config := range map[string]*tls.Config{"another": mixed.config(), "none": without, "old": old} {
		c := &Remote{url, &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}}
		if raw, err := c.Sign(ctx, aPayout(t)); err == nil || errors.Is(err, ErrRefused) || raw != nil {
			t.Errorf("%s: %x, %v", name, raw, err)
		}
	}
	if _, err := remote(t, url, filepath.Join(dir, ClientFile)).Sign(ctx, aPayout(t)); err != nil {
		t.Error(err)
	}
}

func TestTheDirectoryOfASignerIsItsOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "signer")
	if err := Init(dir, "", nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info, err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 7 {
		t.Error(names, err)
	}
	for _, name := range names {
		if info, err := name.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info.Name(), info.Mode(), err)
		}
	}
	if err := Init(dir, "", nil); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Error(err)
	}
	// It signs nothing before people wrote down what.
	g := openGuard(t, dir, &clock{time.Unix(1_800_000_000, 0)})
	g.refuses(t, "without limits", aPayout(t), `no limits for chain "BTC"`)
	if around, _ := os.ReadDir(filepath.Dir(dir)); len(around) != 1 {
		t.Error(around)
	}
}

func TestSignersAreParsed(t *testing.T) {
	data := t.TempDir()
	seed := func() (*Seed, error) { return testSeed(t), nil }
	if s, err := ParseSigner("hot", seed, data); err != nil || s.(*Hot).seed == nil {
		t.Error(err)
	}
	at := filepath.Join(data, "to-sign")
	if s, err := ParseSigner("manual:"+at, nil, data); err != nil || s.(*Manual).dir != at {
		t.Error(err)
	}
	if _, err := ParseSigner("remote:https://127.0.0.1:1", nil, data); err == nil || !strings.Contains(err.Error(), "bourse signer init") {
		t.Error(err)
	}
	client, err := os.ReadFile(filepath.Join(aSigner(t), ClientFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, ClientFile), client, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := ParseSigner("remote:https://127.0.0.1:1/", nil, data); err != nil || s.(*Remote).url != "https://127.0.0.1:1" {
		t.Error(err)
	}
	for text, says := range map[string]string{
		"": "is no signer", "cold": "is no signer", "manual:": "is no signer", "hot:x": "is no signer",
		"remote:http://127.0.0.1:1": "is not the URL of a signer", "remote:127.0.0.1:1": "is not the URL of a signer", "remote:https://127.0.0.1/sign": "is not the URL of a signer",
	} {
		if _, err := ParseSigner(text, seed, data); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseSigner("hot", func() (*Seed, error) { return nil, ErrMissing }, data); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}
