package ws

import (
	"context"
	"maps"
	"slices"
	"time"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// balances pushes what is in a wallet of an account. Changes between two ticks are one frame, with
// the newest balance of each asset that changed.
type balances struct {
	server  *Server
	kind    *balanceKind
	private *private[balanceScope]
}

// balanceKind is what tells the channels of balances apart.
type balanceKind struct {
	name   string
	wallet schema.Wallet
	pause  time.Duration
	// put writes a balance into the answer to a request, one into a push. In a push they stand
	// between before and behind.
	put, one       func(dst []byte, ticker string, b balance) []byte
	before, behind string
}

type balance struct{ available, frozen fixed.Decimal }

var spotBalances = &balanceKind{
	name: "balanceSpot", wallet: schema.Trade, pause: time.Second, put: putSpot, one: putSpot, before: "[{", behind: "}]",
}

// The wallet for collateral can be filled before there is anything to do with it: nothing of it is
// borrowed.
var marginBalances = &balanceKind{
	name: "balanceMargin", wallet: schema.Collateral, pause: 1500 * time.Millisecond, put: putMargin, one: oneMargin, before: "[", behind: "]",
}

func putSpot(dst []byte, ticker string, b balance) []byte {
	dst = append(api.AppendText(dst, ticker), `:{"available":`...)
	dst = api.AppendDecimal(dst, b.available)
	dst = append(dst, `,"freeze":`...)
	dst = api.AppendDecimal(dst, b.frozen)
	return append(dst, '}')
}

func putMargin(dst []byte, ticker string, b balance) []byte {
	dst = append(api.AppendText(dst, ticker), `:{"balance":`...)
	dst = api.AppendDecimal(dst, b.available.Add(b.frozen))
	dst = append(dst, `,"borrow":"0","available_without_borrow":`...)
	dst = api.AppendDecimal(dst, b.available)
	dst = append(dst, `,"available_with_borrow":`...)
	dst = api.AppendDecimal(dst, b.available)
	return append(dst, '}')
}

func oneMargin(dst []byte, ticker string, b balance) []byte {
	dst = api.AppendText(append(dst, `{"a":`...), ticker)
	dst = append(dst, `,"B":`...)
	dst = api.AppendDecimal(dst, b.available.Add(b.frozen))
	dst = append(dst, `,"b":"0","av":`...)
	dst = api.AppendDecimal(dst, b.available)
	dst = append(dst, `,"ab":`...)
	dst = api.AppendDecimal(dst, b.available)
	return append(dst, '}')
}

// balanceScope is which assets somebody wants to hear of (none: all), and what changed since the
// last tick.
type balanceScope struct {
	assets  []schema.AssetID
	changed map[schema.AssetID]balance
}

func (x *balanceScope) include(id schema.AssetID) bool {
	return len(x.assets) == 0 || slices.Contains(x.assets, id)
}

func (s *Server) openBalances(ctx context.Context, kind *balanceKind) *balances {
	b := &balances{server: s, kind: kind}
	s.answers(kind.name+"_request", method{private: true, do: b.request})
	b.private = openPrivate(s, kind.name, b.scope, takeOver, nil)
	s.every(ctx, kind.pause, b.tick)
	return b
}

func (b *balances) scope(q *call) (x balanceScope, err *Error) {
	named, err := b.named(q)
	for _, a := range named {
		x.assets = append(x.assets, a.ID)
	}
	x.changed = map[schema.AssetID]balance{}
	return x, err
}

// takeOver keeps what the scope before had not pushed, as far as it is still wanted.
func takeOver(old, scope *balanceScope) {
	for id, have := range old.changed {
		if scope.include(id) {
			scope.changed[id] = have
		}
	}
}

// named are the assets that a request names.
func (b *balances) named(q *call) ([]*schema.Asset, *Error) {
	tickers, err := q.texts()
	if err != nil {
		return nil, err
	}
	var assets []*schema.Asset
	for _, ticker := range tickers {
		a := b.server.options.API.Directory().Asset(ticker)
		if a == nil {
			return nil, errAsset
		}
		if !slices.Contains(assets, a) {
			assets = append(assets, a)
		}
	}
	return assets, nil
}

// happened notes what a command did, all of it between two ticks: nobody sees half of a trade.
func (b *balances) happened(step *node.Step, h *node.CommandEvents) {
	if b.private.idle(step.Seq) {
		return
	}
	b.private.mu.Lock()
	defer b.private.mu.Unlock()
	for event := range step.Events(h) {
		e, is := event.(*schema.BalanceChanged)
		if !is || e.Wallet != b.kind.wallet {
			continue
		}
		b.private.among(e.Account, step.Seq, func(sub *subscription[balanceScope]) {
			if sub.scope.include(e.Asset) {
				sub.scope.changed[e.Asset] = balance{e.Available, e.Frozen}
			}
		})
	}
}

// balancesBehind is how many bytes may wait for a client that is to get balances. One that is slower
// gets the newest of them when it has read.
const balancesBehind = 64 << 10

// tick pushes what changed.
func (b *balances) tick() {
	b.private.all(func(sub *subscription[balanceScope]) {
		if changed := sub.scope.changed; len(changed) > 0 && sub.conn.backlog() <= balancesBehind {
			b.private.push(sub, b.frame(changed))
			clear(changed)
		}
	})
}

func (b *balances) frame(changed map[schema.AssetID]balance) []byte {
	out := append(push(b.kind.name+"_update"), b.kind.before...)
	for i, id := range slices.Sorted(maps.Keys(changed)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = b.kind.one(out, b.server.options.API.Directory().Ticker(id), changed[id])
	}
	return pushed(append(out, b.kind.behind...))
}

// request answers with balances as they are. Assets of which there is nothing are listed if they are
// named.
func (b *balances) request(q *call) ([]byte, func(), *Error) {
	assets, err := b.named(q)
	if err != nil {
		return nil, nil, err
	}
	all := len(assets) == 0
	if all {
		assets, _, _ = b.server.options.API.Directory().Listing()
	}
	have := make([]balance, len(assets))
	b.server.options.Node.Read(func(m *core.Machine) {
		for i, a := range assets {
			have[i].available, have[i].frozen, _ = m.Balance(q.account.ID, b.kind.wallet, a.ID)
		}
	})
	out := []byte{'{'}
	for i, a := range assets {
		if all && have[i].available.IsZero() && have[i].frozen.IsZero() {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = b.kind.put(out, a.Ticker, have[i])
	}
	return append(out, '}'), nil, nil
}
