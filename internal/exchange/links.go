package exchange

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/network"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/network/quorum"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// ChainNodes is where the nodes of a chain answer.
type ChainNodes struct {
	Chain string
	URLs  []string
}

// Dial is the driver of the chain for its nodes: of several, more than half must say the same.
func (at ChainNodes) Dial(chain schema.Chain, log *slog.Logger) (driver.Chain, error) {
	var nodes []quorum.Node
	for _, text := range at.URLs {
		d, err := dial(text, chain)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(len(nodes) + 1)
		if u, err := url.Parse(text); err == nil { // it may have a password, and a key in its path
			name = u.Host
		}
		nodes = append(nodes, quorum.Node{Name: name, Chain: d})
	}
	if len(nodes) == 1 {
		return nodes[0].Chain, nil
	}
	return quorum.New(nodes, log), nil
}

func dial(url string, chain schema.Chain) (driver.Chain, error) {
	switch chain.Driver {
	case schema.BitcoinNode:
		return bitcoin.Dial(url, chain)
	case schema.EVMNode:
		return evm.Dial(url, chain)
	}
	return nil, fmt.Errorf("it is a %s, which has no node", chain.Driver)
}

// links join the chains that others live on to the exchange, each on its own: a node that does not answer keeps no other chain waiting.
type links struct {
	list []*line
	stop context.CancelFunc
	done sync.WaitGroup
}

// line is a link that may have to wait for its chain: operators name chains while the exchange runs.
type line struct {
	ChainNodes
	node *node.Node
	keys keys
	log  *slog.Logger

	mu      sync.Mutex
	link    *network.Link
	problem error
}

// lookForChain is how often a line looks whether its chain is there.
const lookForChain = time.Second

func openLinks(n *node.Node, k keys, nodes []ChainNodes, log *slog.Logger) *links {
	ctx, stop := context.WithCancel(context.Background())
	all := &links{stop: stop}
	for _, at := range nodes {
		l := &line{ChainNodes: at, node: n, keys: k, log: log}
		all.list = append(all.list, l)
		all.done.Go(func() { l.run(ctx) })
	}
	return all
}

func (l *links) close() {
	l.stop()
	l.done.Wait()
}

// settle gives the space of a chain the keys of its signer now, if it has any.
func (l *links) settle(chain *schema.Chain) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	for _, at := range l.list {
		if at.Chain == chain.Name {
			_, _, err := at.signers(ctx, chain)
			return err
		}
	}
	return nil
}

// run waits until the link can be opened, and follows it.
func (l *line) run(ctx context.Context) {
	for {
		link, err := l.open(ctx)
		l.mu.Lock()
		if err != nil && (l.problem == nil || l.problem.Error() != err.Error()) {
			l.log.Warn("a chain is not followed yet", "chain", l.Chain, "error", err)
		}
		l.link, l.problem = link, err
		l.mu.Unlock()
		if err == nil {
			link.Run(ctx)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookForChain):
		}
	}
}

func (l *line) open(ctx context.Context) (*network.Link, error) {
	var chain schema.Chain
	l.node.Read(func(m core.View) {
		if c := m.Chains().ByName(l.Chain); c != nil {
			chain = *c
		}
	})
	if chain.ID == 0 {
		return nil, fmt.Errorf("there is no chain %s yet; 'bourse operator chain create' makes it", l.Chain)
	}
	signer, cold, err := l.signers(ctx, &chain)
	if err != nil {
		return nil, err
	}
	d, err := l.Dial(chain, l.log.With("chain", l.Chain))
	if err != nil {
		return nil, err
	}
	return network.OpenLink(network.LinkOptions{Node: l.node, Chain: l.Chain, Driver: d, Signer: signer, Cold: cold, Log: l.log})
}

// signers opens the signer, and the one of cold storage if there is any. Without a signer this node follows the chain by the keys that are
// there.
func (l *line) signers(ctx context.Context, chain *schema.Chain) (signer, cold driver.Signer, err error) {
	space := chain.Space()
	if l.keys.signer != "none" {
		if err := l.keys.admit(chain); err != nil {
			return nil, nil, err
		}
		s, err := custody.ParseSigner(l.keys.signer, func() (*custody.Seed, error) { return custody.Open(l.keys.dir, l.node.Key()) }, l.keys.dir)
		if err == nil {
			err = l.settle(ctx, s, space, false)
		}
		if err != nil {
			return nil, nil, err
		}
		signer = s
	}
	if l.keys.cold != "" {
		s, err := custody.NewManual(l.keys.cold)
		if err == nil {
			err = l.settle(ctx, s, space, true)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("cold storage: %w", err)
		}
		cold = s
	}
	return signer, cold, nil
}

// settle gives a space the keys of a signer. A space that has keys keeps them: others would watch other addresses than the ones that are
// known outside.
func (l *line) settle(ctx context.Context, signer custody.Signer, space schema.Space, cold bool) error {
	public, err := signer.Public(ctx, space)
	if err != nil {
		return err
	}
	var has schema.Keys
	var known bool
	l.node.Read(func(m core.View) { has, known = m.Chains().Keys(space, cold) })
	if known {
		if has.Print != public.Print() {
			return fmt.Errorf("the keys of this signer are not those that the addresses of %s %s were derived from", space.Family, space.Net)
		}
		return nil
	}
	keys := public.Seal(l.node.Key())
	keys.Cold = cold
	var r schema.Result
	if err := l.node.Submit(ctx, &schema.SetKeys{Keys: keys}, &r); err != nil {
		return err
	}
	if r.Rejection.Refused() {
		return errors.New(r.Rejection.Text())
	}
	return nil
}

// state of a line: the link if it is open, or what keeps it from that.
func (l *line) state() (*network.Link, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.link != nil {
		return l.link, l.link.Problem()
	}
	if l.problem != nil {
		return nil, fmt.Errorf("chain %s: %w", l.Chain, l.problem)
	}
	return nil, nil
}

// lacks is which signatures of operators a signer wants here before it signs what pays a withdrawal.
func (l *links) lacks(id schema.WithdrawalID) string {
	for _, at := range l.list {
		if link, _ := at.state(); link != nil {
			if lacks := link.Lacks(id); lacks != "" {
				return lacks
			}
		}
	}
	return ""
}

// audited is what the last audit of a chain found; nothing if it is not followed here.
func (l *links) audited(chain string) (a network.Audit) {
	for _, at := range l.list {
		if link, _ := at.state(); link != nil && at.Chain == chain {
			a = link.Audited()
		}
	}
	return a
}
