package exchange

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/core/mining"
	"bourse/internal/custody"
	"bourse/internal/network"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/node"
	"bourse/internal/pool"
	"bourse/internal/rest"
	"bourse/internal/schema"
)

// PoolOptions say what the mining pool works on.
type PoolOptions struct {
	Chain   string // by its name here: a sandbox, or a chain of Bitcoin with a node among Options.Chains
	Address string // that blocks pay to; a sandbox needs none
	Bits    uint32 // the target of blocks of a sandbox, as headers have it
	// Certificate and Key are files, for a listener with TLS.
	Certificate, Key string
	Bounds           pool.Bounds
}

// OpenPool brings the pool to life. It serves nobody before ServePool.
func (x *Exchange) OpenPool(o PoolOptions) error {
	source, chain, script, err := x.poolSource(&o)
	if err != nil {
		return fmt.Errorf("the mining pool: %w", err)
	}
	if o.Certificate != "" {
		if x.poolCertificate, err = rest.Certificate(o.Certificate, o.Key, x.log); err != nil {
			return fmt.Errorf("the mining pool: %w", err)
		}
	}
	desk := poolDesk{x.Node, x.now}
	x.pool = pool.New(pool.Options{Source: source, Book: desk, Reporter: desk, Script: script, Bounds: o.Bounds, Log: x.log})
	if c, is := source.(*bitcoin.Chain); is {
		x.rater = startRater(&rater{desk: desk, chain: chain, worth: c.Worth, log: x.log})
	}
	return nil
}

// ServePool serves miners on a listener until Close; over TLS, if it is secure.
func (x *Exchange) ServePool(ln net.Listener, secure bool) error {
	if secure {
		ln = pool.TLS(ln, x.poolCertificate)
	}
	return x.pool.Serve(ln)
}

// poolSource is where blocks to be mined come from, of which chain, and what they pay to.
func (x *Exchange) poolSource(o *PoolOptions) (pool.Source, schema.ChainID, []byte, error) {
	var chain schema.Chain
	x.Node.Read(func(m core.View) {
		if c := m.Chains().ByName(o.Chain); c != nil {
			chain = *c
		}
	})
	switch {
	case chain.ID == 0:
		return nil, 0, nil, fmt.Errorf("there is no chain %s; 'bourse operator chain create' makes it", o.Chain)
	case chain.Driver == schema.Sandbox:
		return &sandboxSource{node: x.Node, chain: chain.ID, name: chain.Name, bits: o.Bits}, chain.ID, []byte{trueScript}, nil
	case chain.Driver != schema.BitcoinNode:
		return nil, 0, nil, fmt.Errorf("chain %s is a %s: only sandboxes and chains of Bitcoin are mined", o.Chain, chain.Driver)
	}
	for _, at := range x.chainNodes {
		if at.Chain != o.Chain {
			continue
		}
		c, err := bitcoin.Dial(at.URLs[0], chain) // shares are made of one node's templates
		if err != nil {
			return nil, 0, nil, err
		}
		address := o.Address
		if address == "" {
			if address, err = x.poolAddress(&chain); err != nil {
				return nil, 0, nil, fmt.Errorf("blocks would pay to an address of the exchange itself (--pool-address names another): %w", err)
			}
		}
		script, err := c.Key(address)
		if err != nil {
			return nil, 0, nil, fmt.Errorf("blocks cannot pay to %q: %w", address, err)
		}
		x.log.Info("blocks of the pool pay to an address", "chain", chain.Name, "address", address)
		return c, chain.ID, script, nil
	}
	return nil, 0, nil, fmt.Errorf("chain %s has no node here; name one with --chain-node", o.Chain)
}

// poolAddress is where blocks of a chain pay to if nothing else was said: what comes there is credited to the account that miners are paid
// from. At the first start the keys of the chain are those of the signer, and may not be in the log yet.
func (x *Exchange) poolAddress(chain *schema.Chain) (string, error) {
	space := chain.Space()
	keys := func() (*custody.Public, error) { return network.PublicKeys(x.Node.Read, x.Node.Key(), space, false) }
	public, err := keys()
	if err == nil && public == nil {
		if err = x.links.settle(chain); err == nil {
			public, err = keys()
		}
	}
	switch {
	case err != nil:
		return "", err
	case public == nil:
		return "", fmt.Errorf("chain %s has no keys yet; a node with a signer sets them", chain.Name)
	}
	address, _, err := public.Address(driver.Place{Own: schema.PoolOwn})
	return address, err
}

// poolDesk is the exchange as the pool sees it.
type poolDesk struct {
	node *node.Node
	now  func() schema.Time
}

func (d poolDesk) Terms() (unit uint8, closed string) {
	d.node.Read(func(m core.View) {
		terms, rate := m.Mining().Terms()
		health := m.Mining().Health()
		unit = terms.Unit
		switch {
		case !terms.Open:
			closed = "operators closed it"
		case rate.IsZero():
			closed = "nobody said what a block is worth"
		case d.stopped(&health):
			closed = "its fund has been too small for a day's rewards for 24 hours"
		}
	})
	return unit, closed
}

// shortFor is how long the fund may be too small before miners get no more work that would have to be paid.
const shortFor = 24 * 3600 * schema.Second

func (d poolDesk) stopped(h *mining.Health) bool { return h.Short != 0 && d.now()-h.Short >= shortFor }

func (d poolDesk) Find(name string) (id schema.MiningID, may bool) {
	d.node.Read(func(m core.View) {
		a, is := m.Mining().Named(name)
		id, may = a.ID, is && !a.Barred
	})
	return id, may
}

func (d poolDesk) Lease(ctx context.Context) (schema.LeaseID, error) {
	var r schema.Result
	if err := d.node.Submit(ctx, &schema.LeasePool{}, &r); err != nil {
		return 0, err
	}
	if r.Rejection.Refused() {
		return 0, errors.New(r.Rejection.Text())
	}
	return schema.LeaseID(r.ID), nil
}

func (d poolDesk) Report(ctx context.Context, c *schema.ReportShares) (schema.Rejection, error) {
	return d.submit(ctx, c)
}

func (d poolDesk) Found(ctx context.Context, c *schema.FoundBlock) (schema.Rejection, error) {
	return d.submit(ctx, c)
}

func (d poolDesk) submit(ctx context.Context, c schema.Command) (schema.Rejection, error) {
	var r schema.Result
	err := d.node.Submit(ctx, c, &r)
	return r.Rejection, err
}

// trueScript is one that anybody can spend. Blocks of sandboxes pay nobody.
const trueScript = 0x51

// sandboxSource makes blocks of a sandbox out of work: the log makes them, and what was mined is only held against the last one.
type sandboxSource struct {
	node  *node.Node
	chain schema.ChainID
	name  string
	bits  uint32

	mu sync.Mutex // one block after the other: a second of the same height is none
}

// next is the height of the next block and what it follows.
func (s *sandboxSource) next() (height uint64, parent [32]byte) {
	s.node.Read(func(m core.View) {
		height, _ = m.Chains().Cursor(s.chain)
	})
	height++
	return height, sha256.Sum256(fmt.Appendf(nil, "%s block %d to be mined", s.name, height))
}

func (s *sandboxSource) Template(context.Context) (*driver.Template, error) {
	height, parent := s.next()
	now := uint32(time.Now().Unix())
	return &driver.Template{Height: height, Parent: parent, Version: 0x20000000, Bits: s.bits, MinTime: now - sandboxAgo, Time: now}, nil
}

// sandboxAgo is how old the time of a block may be, in seconds.
const sandboxAgo = 7200

func (s *sandboxSource) Submit(ctx context.Context, block []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, parent := s.next(); len(block) < 36 || [32]byte(block[4:36]) != parent {
		return fmt.Errorf("%w: it is not the next of %s", driver.ErrBlock, s.name)
	}
	var r schema.Result
	if err := s.node.Submit(ctx, &schema.MineSandbox{Chain: s.chain, Blocks: 1}, &r); err != nil {
		return err
	}
	if r.Rejection.Refused() {
		return fmt.Errorf("%w: %s", driver.ErrBlock, r.Rejection.Text())
	}
	return nil
}
