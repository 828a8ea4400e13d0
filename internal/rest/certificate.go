package rest

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
)

// certificate is the certificate of the server and its key, in two files that are read again when they
// change. A pair that is not good, as while only one of the two has been replaced, leaves the one
// before in use.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu   sync.Mutex
	seen [2]fs.FileInfo // what was read last, good or not
	pair *tls.Certificate
}

// openCertificate reads a pair, which must be good.
func openCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log}
	seen, err := c.look()
	if err == nil {
		err = c.read()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	c.seen = seen
	return c, nil
}

// get is for tls.Config.GetCertificate. To look at two files costs little beside a handshake.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen, err := c.look()
	if err != nil || unchanged(seen, c.seen) {
		return c.pair, nil // files that are gone for a moment are being replaced
	}
	c.seen = seen
	if err := c.read(); err != nil {
		c.log.Error("the new certificate is not good; the one before stays in use", "certificate", c.cert, "key", c.key, "error", err)
	} else {
		c.log.Info("the certificate was read again", "certificate", c.cert)
	}
	return c.pair, nil
}

func (c *certificate) look() (seen [2]fs.FileInfo, err error) {
	for i, path := range []string{c.cert, c.key} {
		if seen[i], err = os.Stat(path); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.pair = &pair
	return nil
}

// unchanged reports whether neither of two files changed.
func unchanged(a, b [2]fs.FileInfo) bool {
	for i := range a {
		if !os.SameFile(a[i], b[i]) || a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime()) {
			return false
		}
	}
	return true
}

// Certificate reads a certificate and its key for another door of the exchange; what it returns reads them again when they change.
func Certificate(cert, key string, log *slog.Logger) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	c, err := openCertificate(cert, key, log)
	if err != nil {
		return nil, err
	}
	return c.get, nil
}
