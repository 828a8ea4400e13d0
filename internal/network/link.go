package network

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/places"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Link joins a chain that others live on to the log. What its node shows goes into the log as blocks; what the log says is to be paid
// goes to the node, as transactions that the log had first. It keeps nothing that it cannot read again from both: it may be killed
// between any two steps, and several nodes of one exchange may each have one.
type Link struct {
	o     LinkOptions
	id    schema.ChainID
	space schema.Space

	checked bool // the node is one of this chain
	index   index
	keys    custody.Ring

	batched   time.Time // when the last batch was planned
	audited   time.Time
	round     *round // an audit under way
	sent      uint64 // the height at which everything was sent again
	fates     map[fate]driver.Fate
	collected uint64 // the height at which customers' addresses were looked through
	balanced  uint64 // the height at which cold storage had what it should
	suspects  map[schema.WithdrawalID]bool
	met       meeting                      // with what a halted chain cannot take
	asked     time.Time                    // when the signer was asked about everything that lacked a signature
	kept      map[schema.WithdrawalID]bool // which lacked one since then

	mu          sync.Mutex
	problem     error
	lacks       map[schema.WithdrawalID]string
	height, tip uint64
	audit       Audit
}

// LinkOptions of a link.
type LinkOptions struct {
	Node   *node.Node
	Chain  string // its name
	Driver driver.Chain
	// Signer signs payouts; nil: this node only watches, and pays nothing. Cold signs those that come back from cold storage; nil:
	// another node has them signed.
	Signer, Cold driver.Signer
	Log          *slog.Logger

	// Poll is how often the node is asked for news, Batch how long withdrawals wait for others to be paid with, or to be asked about again
	// when they lacked a signature of an operator, Audit how often the books are held against the chain. Zero: the usual.
	Poll, Batch, Audit time.Duration
	// Bump is after how many blocks a transaction bids more, Flight how many may be under way. Zero: the usual of the chain.
	Bump   uint64
	Flight int
}

// OpenLink makes a link. It does nothing before Run.
func OpenLink(o LinkOptions) (*Link, error) {
	var c *schema.Chain
	o.Node.Read(func(m core.View) {
		if found := m.Chains().ByName(o.Chain); found != nil {
			copied := *found
			c = &copied
		}
	})
	switch {
	case c == nil:
		return nil, fmt.Errorf("chain %s: there is none of this name; 'bourse operator chain set' makes it", o.Chain)
	case c.Driver != schema.BitcoinNode && c.Driver != schema.EVMNode:
		return nil, fmt.Errorf("chain %s: its driver is %s: no node is asked for it", o.Chain, c.Driver)
	}
	usual := func(p *time.Duration, d time.Duration) {
		if *p == 0 {
			*p = d
		}
	}
	usual(&o.Poll, time.Second)
	usual(&o.Audit, 10*time.Minute)
	usual(&o.Batch, 30*time.Second)
	if o.Bump == 0 {
		o.Bump = map[schema.Driver]uint64{schema.BitcoinNode: 3, schema.EVMNode: 5}[c.Driver]
	}
	if o.Flight == 0 {
		o.Flight = map[schema.Driver]int{schema.BitcoinNode: 4, schema.EVMNode: 16}[c.Driver]
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = o.Log.With("chain", o.Chain)
	l := &Link{o: o, id: c.ID, space: c.Space(), fates: map[fate]driver.Fate{}, suspects: map[schema.WithdrawalID]bool{}, kept: map[schema.WithdrawalID]bool{}, lacks: map[schema.WithdrawalID]string{}}
	l.index = index{link: l, places: places.New()}
	return l, nil
}

// Run follows and pays until the context ends. What goes wrong is said once, by Problem and in the log, and tried again.
func (l *Link) Run(ctx context.Context) {
	for {
		l.report(l.Step(ctx))
		select {
		case <-ctx.Done():
			return
		case <-time.After(l.o.Poll):
		}
	}
}

// Step does all there is to do now: blocks, then payouts, then the audit.
func (l *Link) Step(ctx context.Context) error {
	if !l.checked {
		if err := l.o.Driver.Check(ctx); err != nil {
			return err
		}
		l.checked = true
	}
	if err := l.open(); err != nil {
		return err
	}
	current, err := l.follow(ctx)
	if err != nil || !current {
		return err
	}
	// An audit that finds less than there should be lets nothing be paid; what is signed already is sent all the same.
	short := l.examine(ctx)
	return errors.Join(short, l.pay(ctx, short == nil))
}

// open reads the keys of the space. Without keys no address is ours; those of cold storage may come later.
func (l *Link) open() error {
	for _, half := range []struct {
		keys **custody.Public
		cold bool
	}{{&l.keys.Hot, false}, {&l.keys.Cold, true}} {
		if *half.keys != nil {
			continue
		}
		keys, err := PublicKeys(l.o.Node.Read, l.o.Node.Key(), l.space, half.cold)
		switch {
		case err != nil:
			return err
		case keys == nil && !half.cold:
			return fmt.Errorf("%s %s has no keys yet; a node with a signer sets them", l.space.Family, l.space.Net)
		}
		*half.keys = keys
	}
	return nil
}

// PublicKeys are those of a space, of what is at hand or of cold storage; nil: it has none yet.
func PublicKeys(read func(func(core.View)), key *seal.Key, space schema.Space, cold bool) (*custody.Public, error) {
	var sealed schema.Keys
	var known bool
	read(func(m core.View) { sealed, known = m.Chains().Keys(space, cold) })
	if !known {
		return nil, nil
	}
	keys, err := custody.Unseal(&sealed, key)
	if err != nil {
		return nil, err
	}
	return &keys, nil
}

// report keeps what a step ended with, and says what changed.
func (l *Link) report(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil && (l.problem == nil || l.problem.Error() != err.Error()):
		l.o.Log.Error("the chain cannot be followed or paid on", "error", err)
	case err == nil && l.problem != nil:
		l.o.Log.Info("the chain is followed again")
	}
	l.problem = err
}

// Problem is what keeps a link from its work; nil: nothing.
func (l *Link) Problem() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.problem == nil {
		return nil
	}
	return fmt.Errorf("chain %s: %w", l.o.Chain, l.problem)
}

// Heights are where the exchange stands on the chain, and where the node does.
func (l *Link) Heights() (exchange, node uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.height, l.tip
}

// settings of the chain, as they are now.
func (l *Link) settings() (c schema.Chain) {
	l.o.Node.Read(func(m core.View) { c = *m.Chains().Get(l.id) })
	return c
}

// submit gives a command to the log; a refusal is a value, not an error.
func (l *Link) submit(ctx context.Context, c schema.Command) (schema.Rejection, error) {
	var r schema.Result
	if err := l.o.Node.Submit(ctx, c, &r); err != nil {
		return schema.Rejection{}, err
	}
	return r.Rejection, nil
}

// offered is an asset on the chain.
type offered struct {
	id       schema.AssetID
	ticker   string
	contract string
	decimals uint8
	scale    uint8
	cap      fixed.Decimal // of what is hot; 0: none
}

// assets that the chain has, and the one that its fees are paid in; nil if it has none.
func (l *Link) assets() (list []offered, native *offered) {
	l.o.Node.Read(func(m core.View) { list = offeredOn(m, l.id) })
	for i := range list {
		if list[i].contract == "" {
			native = &list[i]
		}
	}
	return list, native
}

// offeredOn are the assets on a chain.
func offeredOn(m core.View, chain schema.ChainID) (list []offered) {
	for _, a := range m.Listing().Assets() {
		if n := a.NetworkOn(chain); n != nil {
			list = append(list, offered{a.ID, a.Ticker, n.Contract, n.Decimals, a.Scale, n.HotCap})
		}
	}
	return list
}

// text of one of our addresses, and its public key.
func (l *Link) text(p driver.Place) (string, []byte, error) { return l.keys.Address(p) }

// place is which address an index is.
func place(m core.View, space schema.Space, index schema.AddressIndex, own schema.OwnAddress) driver.Place {
	p := driver.Place{Index: index, Own: own}
	if a, known := m.Chains().Address(space, index); known {
		p.Type = a.Type
	} else if space.Family == schema.Bitcoin {
		p.Type = schema.Bech32
	}
	return p
}
