package conform

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"bourse/internal/exchange"
)

// said is a log that a test reads while it is written.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) count(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(s.text.String(), text)
}

// A certificate that is replaced counts from the next connection on; one that is not good never does.
func TestGateReadsCertificatesAgain(t *testing.T) {
	cert, key, first := certificate(t)
	nextCert, nextKey, second := certificate(t)
	var log said
	v := Inside(t, gateWorld(), func(o *exchange.Options) {
		o.REST.Certificate, o.REST.Key = cert, key
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	trusts := func(pool *x509.CertPool) bool {
		t.Helper()
		c, err := tls.Dial("tcp", v.Address(), &tls.Config{RootCAs: pool})
		if err != nil {
			return false
		}
		return c.Close() == nil
	}
	replace := func(path, by string) {
		t.Helper()
		text, err := os.ReadFile(by)
		if err == nil {
			err = os.WriteFile(path+".new", text, 0o600)
		}
		if err == nil {
			err = os.Rename(path+".new", path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const notGood = "the new certificate is not good"
	if !trusts(first) || trusts(second) {
		t.Error("the first certificate is not in use")
	}
	replace(cert, nextCert) // and not its key
	for range 2 {
		if !trusts(first) || trusts(second) {
			t.Error("half of a pair is in use")
		}
	}
	if got := log.count(notGood); got != 1 {
		t.Errorf("%d messages about half of a pair", got)
	}
	replace(key, nextKey)
	if trusts(first) || !trusts(second) {
		t.Error("the second certificate is not in use")
	}
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	if !trusts(second) {
		t.Error("no certificate is in use while the file is gone")
	}
	if err := os.WriteFile(cert, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !trusts(second) || log.count(notGood) != 2 {
		t.Errorf("nonsense is in use, or %d messages", log.count(notGood))
	}
}
