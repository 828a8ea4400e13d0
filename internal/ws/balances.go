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
	channel string
	right   string // the path of REST whose right it needs
	wallet  schema.Wallet
	pause   time.Duration
	// put writes a balance into the answer to a request, one into a push. In a push they stand
	// between before and behind.
	put, one       func(dst []byte, ticker string, b balance) []byte
	before, behind string
}

type balance struct{ available, frozen fixed.Decimal }

var spotBalances = &balanceKind{
	channel: "balanceSpot", right: "/api/v4/trade-account/balance",
	wallet: schema.Trade, pause: time.Second, put: putSpot, one: putSpot, before: "[{", behind: "}]",
}

// The wallet for collateral can be filled before there is anything to do with it: nothing of it is
// borrowed.
var marginBalances = &balanceKind{
	channel: "balanceMargin", right: "/api/v4/collateral-account/balance",
	wallet: schema.Collateral, pause: 1500 * time.Millisecond, put: putMargin, one: oneMargin, before: "[", behind: "]",
}

var (
	spotBalanceShape = api.MapOf(api.Object("SpotBalance", "Balance of an asset in the trade wallet.",
		api.Required("available", api.Decimal, "Amount that is available."),
		api.Required("freeze", api.Decimal, "Amount that open orders hold.")))
	marginBalanceShape = api.MapOf(api.Object("MarginBalance", "Balance of an asset in the collateral wallet.",
		api.Required("balance", api.Decimal, "Total amount."),
		api.Required("borrow", api.Decimal, "Borrowed amount."),
		api.Required("available_without_borrow", api.Decimal, "Amount that is available without borrowing."),
		api.Required("available_with_borrow", api.Decimal, "Amount that is available with borrowing.")))
	marginChangeShape = api.ArrayOf(api.Object("MarginBalanceChange", "Balance of an asset in the collateral wallet, in short names.",
		api.Required("a", api.String, "Ticker."),
		api.Required("B", api.Decimal, "Total amount."),
		api.Required("b", api.Decimal, "Borrowed amount."),
		api.Required("av", api.Decimal, "Amount that is available without borrowing."),
		api.Required("ab", api.Decimal, "Amount that is available with borrowing.")))
)

var spotBalanceMethods = balanceMethods(
	spotBalances, func(s *Server) *balances { return s.personal.spot },
	"Balances", "Balances of the trade wallet of the account, pushed within a second of a change.",
	spotBalanceShape, `{"USDT":{"available":"985.5","freeze":"14.5"}}`,
	api.TupleOf(spotBalanceShape), `[{"USDT":{"available":"985.5","freeze":"14.5"}}]`,
)

var marginBalanceMethods = balanceMethods(
	marginBalances, func(s *Server) *balances { return s.personal.margin },
	"Collateral balances", "Balances of the collateral wallet of the account, pushed within one and a half seconds of a change.",
	marginBalanceShape, `{"USDT":{"balance":"12.5","borrow":"0","available_without_borrow":"12.5","available_with_borrow":"12.5"}}`,
	marginChangeShape, `[{"a":"USDT","B":"12.5","b":"0","av":"12.5","ab":"12.5"}]`,
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
		if !is || e.Wallet != b.kind.wallet {
			continue
		}
		b.private.among(e.Account, id, func(sub *subscription[balanceScope]) {
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
	out := append(push(b.kind.channel), b.kind.before...)
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
func (b *balances) request(account *schema.Account, assets []*schema.Asset) []byte {
	all := len(assets) == 0
	if all {
		assets, _, _ = b.server.options.API.Directory().Listing()
	}
	have := make([]balance, len(assets))
	b.server.options.Node.Read(func(m core.View) {
		for i, a := range assets {
			have[i].available, have[i].frozen, _ = m.Balance(account.ID, b.kind.wallet, a.ID)
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
	return append(out, '}')
}
