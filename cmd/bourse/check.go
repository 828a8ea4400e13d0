package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"bourse/internal/api"
	"bourse/internal/custody"
	"bourse/internal/exchange"
	"bourse/internal/history"
	"bourse/internal/journal"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// checks look at the values of settings beyond their types. The error of one ends the sentence
// "this is not …".
//
// What must hold: a setting that cannot be right is found here, before there is a data directory,
// a key or a listener; the exit code is that of wrong usage.
var checks = []struct {
	setting string
	wrong   func(c *serveCmd) error
}{
	{"data", func(c *serveCmd) error { return checkDirectory(c.Data) }},
	{"master-key", func(c *serveCmd) error { return unlessEmpty(c.MasterKey, c.checkMasterKey) }},
	{"listen", func(c *serveCmd) error { return checkAddress(c.Listen) }},
	{"public-url", func(c *serveCmd) error { return unlessEmpty(c.PublicURL, checkPublic) }},
	{"operator", func(c *serveCmd) error { return checkAddress(c.Operator) }},
	{"setup", func(c *serveCmd) error { return unlessEmpty(c.Setup, c.checkSetup) }},
	{"database", func(c *serveCmd) error { return unlessEmpty(c.Database, history.CheckPostgres) }},
	{"history-keep", func(c *serveCmd) error { return within(c.HistoryKeep, 0, maxKeep) }},
	{"tls-cert", func(c *serveCmd) error { return checkPair(c.TLSCert, c.TLSKey) }},
	{"limit-factor", func(c *serveCmd) error { return within(c.LimitFactor, 1, maxFactor) }},
	{"cors-origin", func(c *serveCmd) error { return each(c.CORSOrigin, checkOrigin) }},
	{"connections-per-address", func(c *serveCmd) error { return within(c.PerAddress, 1, maxFactor) }},
	{"operator-host", func(c *serveCmd) error { return each(c.Hosts, checkHost) }},
	{"clock-bound", func(c *serveCmd) error { return within(c.ClockBound, time.Second, 24*time.Hour) }},
	{"tick", func(c *serveCmd) error { return within(c.Tick, time.Millisecond, time.Minute) }},
	{"chain-node", func(c *serveCmd) error { return each(c.ChainNode, checkChainNode) }},
	{"signer", func(c *serveCmd) error { return checkSigner(c.Signer) }},
	{"cold", func(c *serveCmd) error { return unlessEmpty(c.Cold, checkCold) }},
	{"retire", func(c *serveCmd) error { return each(c.Retire, checkRetire) }},
	{"pool-listen", func(c *serveCmd) error { return unlessEmpty(c.Pool.Listen, checkAddress) }},
	{"pool-tls-listen", func(c *serveCmd) error { return unlessEmpty(c.Pool.TLSListen, checkAddress) }},
	{"pool-cert", func(c *serveCmd) error { return checkPair(c.Pool.Cert, c.Pool.Key) }},
	{"pool-url", func(c *serveCmd) error { return each(c.Pool.URL, checkStratum) }},
	{"pool-location", func(c *serveCmd) error { return checkLocation(c.Pool.Location) }},
	{"pool-bits", func(c *serveCmd) error { return checkBits(c.Pool.Bits) }},
	{"pool-difficulty", func(c *serveCmd) error { return checkDifficulty(c.Pool.Difficulty) }},
	{"pool-connections-per-address", func(c *serveCmd) error { return within(c.Pool.PerAddress, 1, maxFactor) }},
	{"nats", func(c *serveCmd) error { return unlessEmpty(c.Journal.NATS, journal.CheckURL) }},
	{"credentials", func(c *serveCmd) error { return unlessEmpty(c.Journal.Credentials, journal.CheckCredentials) }},
	{"ca", func(c *serveCmd) error { return unlessEmpty(c.Journal.CA, checkAuthority) }},
	{"cert", func(c *serveCmd) error { return checkPair(c.Journal.Certificate, c.Journal.Key) }},
}

// The largest values that make sense.
const (
	maxKeep   = 100 * 365 * 24 * time.Hour
	maxFactor = 1_000_000
)

// AfterApply is called by kong, for serve and for config, when all settings have their values.
func (c *serveCmd) AfterApply(ctx *kong.Context, s *settings) error {
	if err := c.checkTogether(); err != nil {
		return err
	}
	if err := c.checkDemo(); err != nil {
		return err
	}
	for _, check := range checks {
		if err := check.wrong(c); err != nil {
			flag := findFlag(ctx.Selected().Flags, check.setting)
			return fmt.Errorf("--%s: %s says %q, which is not %w",
				check.setting, s.source(ctx, flag), masked(flag, fmt.Sprint(shown(flag.Target))), err)
		}
	}
	return nil
}

// source is where the value of a setting stands, for people.
func (s *settings) source(ctx *kong.Context, flag *kong.Flag) string {
	switch from, set := s.origins[flag.Name]; {
	case set:
		return from.String()
	case given(ctx, flag):
		return "the command line"
	default:
		return "the default"
	}
}

// checkTogether looks for settings that make no sense without others.
func (c *serveCmd) checkTogether() error {
	if err := c.Pool.check(); err != nil {
		return err
	}
	j := &c.Journal
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key go together")
	case (j.Certificate == "") != (j.Key == ""):
		return errors.New("--cert and --key go together")
	case c.Listen == c.Operator && !freePort(c.Listen):
		return fmt.Errorf("--listen and --operator are both %s; operators have an address of their own", c.Listen)
	case j.NATS == "" && j.Replicas != 0:
		return errors.New("--replicas is for a NATS cluster; name it with --nats")
	case j.NATS == "" && (j.Credentials != "" || j.CA != "" || j.Certificate != ""):
		return errors.New("--credentials, --ca and --cert are for a NATS server; name it with --nats")
	}
	return nil
}

// retirement is what --retire names: a form, and from when on it is refused.
func retirement(text string) (form api.Older, from time.Time, ok bool) {
	name, date, _ := strings.Cut(text, "=")
	form, known := api.ParseOlder(name)
	from, err := time.Parse(time.DateOnly, date)
	return form, from, known && err == nil
}

func checkRetire(text string) error {
	if _, _, ok := retirement(text); !ok {
		return fmt.Errorf("an older form and the day on which it is refused, such as long-stp=2027-03-01; there are %s", strings.Join(api.OlderNames(), ", "))
	}
	return nil
}

// retire is all that was checked.
func (c *serveCmd) retire() api.Retire {
	all := api.Retire{}
	for _, text := range c.Retire {
		form, from, _ := retirement(text)
		all[form] = schema.Time(from.UnixMicro())
	}
	return all
}

// chainNode is what --chain-node names.
func chainNode(text string) (name, url string) {
	name, url, _ = strings.Cut(text, "=")
	return name, url
}

// chainNodes are the nodes that --chain-node names, by their chains, in the order of the first of each.
func chainNodes(texts []string) (list []exchange.ChainNodes) {
	for _, text := range texts {
		name, url := chainNode(text)
		at := slices.IndexFunc(list, func(n exchange.ChainNodes) bool { return n.Chain == name })
		if at < 0 {
			at = len(list)
			list = append(list, exchange.ChainNodes{Chain: name})
		}
		list[at].URLs = append(list[at].URLs, url)
	}
	return list
}

// checkChainNode looks for the name of a chain and where a node of it answers.
func checkChainNode(text string) error {
	name, at := chainNode(text)
	u, err := url.Parse(at)
	if name == "" || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("the name of a chain and the URL of a node of it, such as BTC=http://user:password@127.0.0.1:8332")
	}
	return nil
}

func checkSigner(text string) error {
	kind, at, _ := strings.Cut(text, ":")
	if text == "hot" || text == "none" || at != "" && (kind == "manual" || kind == "remote") {
		return nil
	}
	return errors.New("hot, manual:DIR, remote:URL or none")
}

func checkCold(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, custody.PublicFile)); err != nil {
		return fmt.Errorf("a directory with %s, which 'bourse custody public --out' writes where the seed of cold storage is", custody.PublicFile)
	}
	return nil
}

// checkMasterKey wants the file of the key, or a place where one can be made.
func (c *serveCmd) checkMasterKey(file string) error {
	if in, err := filepath.Abs(c.Data); err == nil && filepath.Dir(file) == in && c.begins() { // which is yet to be made
		return nil
	}
	if err := seal.Check(c.Data, file); err != nil {
		return fmt.Errorf("the file of the master key: %w", err)
	}
	return nil
}

// unlessEmpty checks a text; an empty one is not set.
func unlessEmpty(text string, wrong func(string) error) error {
	if text == "" {
		return nil
	}
	return wrong(text)
}

func within[T int | time.Duration](value, low, high T) error {
	if value < low || value > high {
		return fmt.Errorf("from %v to %v", low, high)
	}
	return nil
}

// each checks all values of a setting.
func each(values []string, check func(string) error) error {
	for _, v := range values {
		if err := check(v); err != nil {
			return err
		}
	}
	return nil
}

// checkOrigin wants what browsers send as the origin of a page.
func checkOrigin(text string) error {
	if text == "*" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || text != u.Scheme+"://"+u.Host || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("'*' or an origin such as https://example.com")
	}
	return nil
}

// checkPublic wants what comes before the path of a link.
func checkPublic(text string) error {
	if text == "*" || checkOrigin(text) != nil {
		return errors.New("a scheme and a host such as https://example.com")
	}
	return nil
}

// checkHost wants a name without a port.
func checkHost(text string) error {
	if text == "" || strings.ContainsAny(text, ":/ ") {
		return errors.New("the name of a host, without a port")
	}
	return nil
}

// checkAddress wants what net.Listen takes, without asking who has the name or the port.
func checkAddress(text string) error {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return errors.New("an address such as 127.0.0.1:8080")
	}
	return nil
}

// freePort reports whether an address lets the system choose the port.
func freePort(address string) bool {
	_, port, err := net.SplitHostPort(address)
	return err == nil && port == "0"
}

// checkDirectory wants a directory, or a place where one can be made.
func checkDirectory(path string) error {
	if path == "" {
		return errors.New("the name of a directory")
	}
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at):
			continue
		case err != nil:
			return fmt.Errorf("a directory: %w", err)
		case !info.IsDir():
			return fmt.Errorf("a directory: %s is a file", at)
		}
		return nil
	}
}

// checkSetup wants a file that can be read, and that a new exchange takes. What an exchange that is
// there takes depends on what it has, which is not known before it is open.
func (c *serveCmd) checkSetup(path string) error {
	file, err := readSetup(path)
	if err == nil && c.begins() {
		err = file.Check()
	}
	if err != nil {
		return fmt.Errorf("a set-up file: %w", err)
	}
	return nil
}

// begins reports whether the data directory is yet to be made, and the log with it.
func (c *serveCmd) begins() bool {
	_, err := os.Stat(filepath.Join(c.Data, journal.FormatFile))
	return c.Journal.NATS == "" && errors.Is(err, fs.ErrNotExist)
}

// checkPair wants a certificate and its key.
func checkPair(certificate, key string) error {
	if certificate == "" {
		return nil
	}
	if _, err := tls.LoadX509KeyPair(certificate, key); err != nil {
		return fmt.Errorf("the certificate of the key in %s: %w", key, err)
	}
	return nil
}

func checkAuthority(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("a certificate: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return errors.New("a file with certificates in PEM form")
	}
	return nil
}
