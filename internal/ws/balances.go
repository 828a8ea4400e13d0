package ws

import (
	"context"
	"maps"
	"slices"
	"time"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/core/collateral"
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
	channel string
	right   string          // the path of REST whose right it needs
	wallets []schema.Wallet // whose changes are pushed
	pause   time.Duration
	state   bool // what is pushed is read from the state, because the events do not say all of it
	// put writes a balance into the answer to a request, one into a push. In a push they stand
	// between before and behind.
	put, one       func(dst []byte, b *balance) []byte
	before, behind string
}

type balance struct {
	ticker             string
	available, frozen  fixed.Decimal // of the trade wallet
	collateral.Balance               // of the collateral wallet
}

var spotBalances = &balanceKind{
	channel: "balanceSpot", right: "/api/v4/trade-account/balance",
	wallets: []schema.Wallet{schema.Trade}, pause: time.Second, put: byTicker(spotBalanceEncoder), one: byTicker(spotBalanceEncoder), before: "[{", behind: "}]",
}

// What may leave the collateral of an account depends on prices too. It is what it is when it is pushed; that prices
// changed it is no reason for a push.
var marginBalances = &balanceKind{
	channel: "balanceMargin", right: "/api/v4/collateral-account/balance",
	wallets: []schema.Wallet{schema.Collateral, schema.Debt}, pause: 1500 * time.Millisecond, state: true, put: byTicker(marginBalanceEncoder), one: marginChangeEncoder.Append, before: "[", behind: "]",
}

var (
	spotBalanceEncoder = api.Encode("SpotBalance", "Balance of an asset in the trade wallet.",
		api.DecimalField("available", "Amount that is available.", func(b *balance) fixed.Decimal { return b.available }),
		api.DecimalField("freeze", "Amount that open orders hold.", func(b *balance) fixed.Decimal { return b.frozen }))
	marginBalanceEncoder = api.Encode("MarginBalance", "Balance of an asset in the collateral wallet.",
		api.DecimalField("balance", "Total amount.", func(b *balance) fixed.Decimal { return b.Amount }),
		api.DecimalField("borrow", "Borrowed amount, with interest.", func(b *balance) fixed.Decimal { return b.Owed }),
		api.DecimalField("available_without_borrow", "Amount that is available without borrowing.", func(b *balance) fixed.Decimal { return b.Free }),
		api.DecimalField("available_with_borrow", "Amount that is available with borrowing.", func(b *balance) fixed.Decimal { return b.WithLoan }))
	marginChangeEncoder = api.Encode("MarginBalanceChange", "Balance of an asset in the collateral wallet, in short names.",
		api.StringField("a", "Ticker.", func(b *balance) string { return b.ticker }),
		api.DecimalField("B", "Total amount.", func(b *balance) fixed.Decimal { return b.Amount }),
		api.DecimalField("b", "Borrowed amount, with interest.", func(b *balance) fixed.Decimal { return b.Owed }),
		api.DecimalField("av", "Amount that is available without borrowing.", func(b *balance) fixed.Decimal { return b.Free }),
		api.DecimalField("ab", "Amount that is available with borrowing.", func(b *balance) fixed.Decimal { return b.WithLoan }))
)

// byTicker writes balances as members of an object.
func byTicker(e *api.Encoder[balance]) func(dst []byte, b *balance) []byte {
	return func(dst []byte, b *balance) []byte { return e.Append(append(api.AppendText(dst, b.ticker), ':'), b) }
}

var spotBalanceMethods = balanceMethods(
	spotBalances, func(s *Server) *balances { return s.personal.spot },
	"Balances", "Balances of the trade wallet of the account, pushed within a second of a change.",
	api.MapOf(spotBalanceEncoder.Schema()), `{"USDT":{"available":"985.5","freeze":"14.5"}}`,
	api.TupleOf(api.MapOf(spotBalanceEncoder.Schema())), `[{"USDT":{"available":"985.5","freeze":"14.5"}}]`,
)

var marginBalanceMethods = balanceMethods(
	marginBalances, func(s *Server) *balances { return s.personal.margin },
	"Collateral balances", "Balances of the collateral wallet of the account, pushed within one and a half seconds of a change.",
	api.MapOf(marginBalanceEncoder.Schema()), `{"USDT":{"balance":"12.5","borrow":"0","available_without_borrow":"12.5","available_with_borrow":"12.5"}}`,
	api.ArrayOf(marginChangeEncoder.Schema()), `[{"a":"USDT","B":"12.5","b":"0","av":"12.5","ab":"12.5"}]`,
)

// balanceMethods are the rows of a channel of balances, with what its request answers and what it pushes.
func balanceMethods(k *balanceKind, find func(*Server) *balances, title, text string, result *shape, exampleResult string, sent *shape, examplePush string) []Method {
	return channel(
		&Group{k.channel, title, text}, k.right,
		Method{
			Kind: Request, Summary: "Query balances", Text: "Returns balances by ticker. Without any ticker all assets of which there is something are returned.",
			Result: result, Example: Example{`["USDT"]`, exampleResult},
			handling: answers(func(q *call, p *assetsRequest) ([]byte, *Error) {
				return find(q.conn.server).request(q.account, p.assets), nil
			}),
		},
		subscribing(`[]`, Method{
			Summary: "Subscribe to balances", Text: "Without any ticker it subscribes to all assets. There is no push until something changes.",
			handling: asks(func(q *call, p *assetsRequest) ([]byte, func(), *Error) {
				return find(q.conn.server).private.subscribe(q, scopeOf(p.assets))
			}),
		}),
		unsubscribing(leaves(func(s *Server) leaver { return find(s).private })),
		Method{
			Kind: Push, Summary: "Balances", Text: "The newest balance of each asset that changed.",
			Result: sent, Example: Example{Params: examplePush},
		},
	)
}

// assetsRequest names assets; none means all.
type assetsRequest struct{ assets []*schema.Asset }

func (p *assetsRequest) read(a *arguments) { p.assets = a.assets() }

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
	b := &balances{server: s, kind: kind, private: openPrivate[balanceScope](s, kind.channel, kind.right)}
	b.private.replaced = takeOver
	s.every(ctx, kind.pause, b.tick)
	return b
}

func scopeOf(assets []*schema.Asset) balanceScope {
	x := balanceScope{changed: map[schema.AssetID]balance{}}
	for _, a := range assets {
		x.assets = append(x.assets, a.ID)
	}
	return x
}

// takeOver keeps what the scope before had not pushed, as far as it is still wanted.
func takeOver(old, scope *balanceScope) {
	for id, have := range old.changed {
		if scope.include(id) {
			scope.changed[id] = have
		}
	}
}

// happened notes what a command did, all of it between two ticks: nobody sees half of a trade.
func (b *balances) happened(step *node.Step, h *node.CommandEvents) {
	if b.private.idle(step.Seq) {
		return
	}
	b.private.mu.Lock()
	defer b.private.mu.Unlock()
	for id, event := range step.Events(h) {
		e, is := event.(*schema.BalanceChanged)
		if !is || !slices.Contains(b.kind.wallets, e.Wallet) {
			continue
		}
		b.private.among(e.Account, id, func(sub *subscription[balanceScope]) {
			if sub.scope.include(e.Asset) {
				sub.scope.changed[e.Asset] = balance{available: e.Available, frozen: e.Frozen}
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
			if b.kind.state {
				b.refresh(sub.account, changed)
			}
			b.private.push(sub, b.frame(changed))
			clear(changed)
		}
	})
}

// refresh makes balances what they are now.
func (b *balances) refresh(account schema.AccountID, changed map[schema.AssetID]balance) {
	b.server.options.Node.Read(func(m core.View) {
		for id := range changed {
			changed[id] = balance{Balance: m.Collateral().Balance(account, id)}
		}
	})
}

func (b *balances) frame(changed map[schema.AssetID]balance) []byte {
	out := append(push(b.kind.channel), b.kind.before...)
	for i, id := range slices.Sorted(maps.Keys(changed)) {
		if i > 0 {
			out = append(out, ',')
		}
		have := changed[id]
		have.ticker = b.server.options.API.Directory().Ticker(id)
		out = b.kind.one(out, &have)
	}
	return pushed(append(out, b.kind.behind...))
}

// request answers with balances as they are. Assets of which there is nothing are listed if they are
// named.
func (b *balances) request(account *schema.Account, assets []*schema.Asset) []byte {
	all := len(assets) == 0
	if all {
		assets, _, _ = b.server.options.API.Directory().Listing()
	}
	have := make([]balance, len(assets))
	b.server.options.Node.Read(func(m core.View) {
		for i, a := range assets {
			have[i].ticker = a.Ticker
			if b.kind.state {
				have[i].Balance = m.Collateral().Balance(account.ID, a.ID)
			} else {
				have[i].available, have[i].frozen, _ = m.Balance(account.ID, b.kind.wallets[0], a.ID)
			}
		}
	})
	out := []byte{'{'}
	for i := range have {
		if h := &have[i]; all && h.available.IsZero() && h.frozen.IsZero() && h.Amount.IsZero() && h.Owed.IsZero() {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = b.kind.put(out, &have[i])
	}
	return append(out, '}')
}
