package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"bourse/internal/schema"
)

// Bounds of a request.
const (
	connectTime = 3 * time.Second
	totalTime   = 10 * time.Second
	headerBytes = 16 << 10
	bodyBytes   = 64 << 10
	httpsPort   = 443
	// idleTime is how long a connection is kept: servers close theirs sooner or later, and a request that meets the end of one is lost.
	idleTime = 2 * time.Second
)

// errOwn means that a name leads to this exchange itself.
var errOwn = errors.New("the address is one of the exchange's own, or is denied")

// sender makes requests to servers of customers. Which address a name means is judged when it is connected to, so that a name that means another
// one a moment later, or leads inside, gets nowhere.
type sender struct {
	client   *http.Client
	check    *http.Client // for verification, without connections that are kept
	resolver *net.Resolver
	named    *named
	pool     []*http.Transport
	trust    *tls.Config
	total    time.Duration // that a request may take
}

func newSender(o *Options) *sender {
	s := &sender{resolver: o.resolver, trust: &tls.Config{MinVersion: tls.VersionTLS12}, total: totalTime, named: newNamed(o)}
	dialer := &net.Dialer{Timeout: connectTime, Control: guard(o, s.named), Resolver: o.resolver}
	transport := func(keep bool) *http.Transport {
		t := &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: s.trust, TLSHandshakeTimeout: connectTime, DisableCompression: true,
			DisableKeepAlives: !keep, MaxResponseHeaderBytes: headerBytes, MaxIdleConns: fastSlots, MaxIdleConnsPerHost: 2, IdleConnTimeout: idleTime,
			ForceAttemptHTTP2: true,
		}
		s.pool = append(s.pool, t)
		return t
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.client = &http.Client{Transport: transport(true), CheckRedirect: stay}
	s.check = &http.Client{Transport: transport(false), CheckRedirect: stay}
	if o.roots != nil {
		o.roots(s)
	}
	return s
}

func (s *sender) close() {
	for _, t := range s.pool {
		t.CloseIdleConnections()
	}
}

// guard judges addresses that are connected to: public ones, at port 443, and not those of the exchange. A demo may also reach the machine that
// it runs on, at any port.
func guard(o *Options, own *named) func(network, address string, c syscall.RawConn) error {
	public := ssrf.New(ssrf.WithPorts(httpsPort))
	return func(network, address string, c syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		ip := to.Addr().Unmap()
		if o.Loopback && ip.IsLoopback() {
			return nil
		}
		if err := public.Safe(network, address, c); err != nil {
			return err
		}
		if slices.ContainsFunc(o.Denied, func(p netip.Prefix) bool { return p.Contains(ip) }) || ownAddress(ip) || !own.allows(ip) {
			return fmt.Errorf("%w: %s", errOwn, ip)
		}
		return nil
	}
}

// ownAddress reports whether an address is one of this machine. Interfaces come and go, so they are looked at each time.
func ownAddress(ip netip.Addr) bool {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return true // what cannot be judged is not connected to
	}
	return slices.ContainsFunc(list, func(a net.Addr) bool {
		own, is := a.(*net.IPNet)
		if !is {
			return false
		}
		mine, ok := netip.AddrFromSlice(own.IP)
		return ok && mine.Unmap() == ip
	})
}

// named are the addresses that the name of the public URL means. They are asked for beside the connections that are made, which wait for no name.
type named struct {
	options *Options
	host    string

	mu    sync.Mutex
	known bool
	list  []netip.Addr
}

const (
	namedLasts = time.Minute // how long they are not asked for again
	namedAgain = time.Second // after which they are asked for again as long as there was no answer
)

func newNamed(o *Options) *named {
	n := &named{options: o}
	if at, err := url.Parse(o.PublicURL); err == nil {
		n.host = at.Hostname()
	}
	n.known = n.host == ""
	return n
}

// allows reports whether an address is none of them. Before the first answer that is not known of any.
func (n *named) allows(ip netip.Addr) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known && !slices.Contains(n.list, ip)
}

// ready reports whether there was an answer, or none is needed: a demo reaches its own machine without.
func (n *named) ready() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known || n.options.Loopback
}

// run keeps them up to date until the context ends.
func (n *named) run(ctx context.Context, first func()) {
	for n.host != "" {
		wait := namedLasts
		if !n.look(ctx) {
			wait = namedAgain
		}
		first()
		if !pause(ctx, n.options.Clock, wait) {
			return
		}
	}
}

// look asks what the name means, and reports whether that is known. If nobody answers it means what it meant.
func (n *named) look(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	list, err := n.options.resolver.LookupNetIP(ctx, "ip", n.host)
	none := (*net.DNSError)(nil)
	n.mu.Lock()
	defer n.mu.Unlock()
	if errors.As(err, &none) && none.IsNotFound { // an answer as well: as yet nothing is called so
		n.known = true
	}
	if err != nil {
		return n.known
	}
	for i := range list {
		list[i] = list[i].Unmap()
	}
	n.known, n.list = true, list
	return true
}

// attempt sends an event and says what became of it; without an outcome nothing was sent. A request that failed because the server had closed a
// connection that was kept is followed by another one at once: net/http does that by itself only for requests that may be repeated as they are.
func (h *Webhooks) attempt(ctx context.Context, w *waiting, epoch uint64, nonces func() (nonce uint64, more bool)) (d schema.Delivery) {
	d.Account, d.N, d.Epoch = w.account, w.n, epoch
	r, err := h.store.event(w.account, w.n)
	if err != nil { // of the queue here: the other nodes have the event
		h.lease.forsake(schema.ShardOf(w.account), epoch, err)
		return d
	}
	if r == nil {
		d.Outcome = schema.DeliveryDropped
		return d
	}
	hook, there := h.look(w.account)
	if !there || !hook.Active() || hook.Paused {
		return d
	}
	if h.checkURL(hook.URL) != nil { // it was set where another rule holds
		d.Outcome = schema.DeliveryRetried
		return d
	}
	secret, err := h.key.Open(hook.Sealed, Purpose)
	if err != nil {
		h.options.Log.Error("the secret of a webhook cannot be opened", "account", w.account, "problem", err)
		d.Outcome = schema.DeliveryRetried
		return d
	}
	ctx, cancel := context.WithTimeout(ctx, h.sender.total)
	defer cancel()
	begun := h.options.Clock.Elapsed()
	for last := false; ; last = true {
		nonce, more := nonces()
		if !more {
			return d
		}
		text, err := body(h.key, &r.Notified, nonce)
		if err != nil {
			h.options.Log.Error("an event cannot be written", "account", w.account, "event", w.n, "problem", err)
			d.Outcome = schema.DeliveryDropped
			return d
		}
		if !h.lease.may(schema.ShardOf(w.account), epoch) {
			return d
		}
		h.options.hooks.sending(d)
		status, stale := h.sender.post(ctx, hook.URL, hook.Key, string(secret), w.n, text)
		d.At, d.Millis, d.Status = h.options.Clock.Now(), uint32((h.options.Clock.Elapsed()-begun)/time.Millisecond), uint32(status)
		d.Outcome = schema.DeliveryRetried
		if status == http.StatusOK {
			d.Outcome = schema.DeliveryDone
		}
		h.options.hooks.sent(d)
		if !stale || last {
			return d
		}
	}
}

// post makes a request and returns the status of the answer; 0 if there was none, or if it was too large or too late. A request is stale if a
// connection that was kept ended before anything was answered, while there is time left.
func (s *sender) post(ctx context.Context, to, key, secret string, n uint64, body []byte) (status int, stale bool) {
	payload, signature := Sign(secret, body)
	var kept, answered atomic.Bool // the transport has goroutines of its own
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(c httptrace.GotConnInfo) { kept.Store(c.Reused) },
		GotFirstResponseByte: func() { answered.Store(true) },
	})
	q, err := http.NewRequestWithContext(traced, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return 0, false
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("User-Agent", "Bourse-Webhook/1")
	q.Header.Set("X-TXC-APIKEY", key)
	q.Header.Set("X-TXC-PAYLOAD", payload)
	q.Header.Set("X-TXC-SIGNATURE", signature)
	q.Header.Set("X-Bourse-Event", fmt.Sprint(n))
	status, _, err = answer(s.client, q)
	if err != nil {
		return 0, kept.Load() && !answered.Load() && ctx.Err() == nil
	}
	return status, false
}

// answer is the status and the body of an answer. One that is too large is none.
func answer(client *http.Client, q *http.Request) (status int, text []byte, err error) {
	r, err := client.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	text, err = io.ReadAll(io.LimitReader(r.Body, bodyBytes+1))
	if err == nil && len(text) > bodyBytes {
		err = errors.New("the answer is too large")
	}
	return r.StatusCode, text, err
}
