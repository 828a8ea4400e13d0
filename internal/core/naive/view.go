package naive

import (
	"cmp"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Level is a price of the public book and what stands there.
type Level struct {
	Price  fixed.Decimal
	Amount fixed.Decimal
}

// view is the order as everyone outside sees it.
func (o *order) view() schema.Order {
	return schema.Order{
		ID: o.id, Account: o.account, Market: o.market.ID,
		Type: o.kind, Side: o.side, STP: o.stp, Status: o.status,
		PostOnly: o.postOnly, IOC: o.ioc, RPI: o.rpi, Retail: o.retail,
		ActivatedAt: o.activatedAt,
		Price:       o.price.decimal(), ActivationPrice: o.activation.decimal(),
		Amount: o.amount.decimal(), Left: o.left.decimal(),
		DealStock: o.stock.decimal(), DealMoney: o.money.decimal(), DealFee: o.fee.decimal(),
		Created: o.created, Updated: o.updated, ClientID: o.client,
		Collateral: o.collateral, ReduceOnly: o.reduceOnly, PositionSide: o.positionSide,
		Group: o.group, Role: o.role, TakeProfit: o.takeProfit.decimal(), StopLoss: o.stopLoss.decimal(),
	}
}

// Balance is what an account has of an asset in a wallet. Held is the account's unconfirmed
// money and shown with main only.
func (x *Exchange) Balance(a schema.AccountID, w schema.Wallet, s schema.AssetID) (available, frozen, held fixed.Decimal) {
	b := x.ledger.balance(a, w, s)
	if w == schema.Main {
		held = x.ledger.held[heldKey{a, s}].decimal()
	}
	return b.available.decimal(), b.frozen.decimal(), held
}

// Orders are the open orders of a market, with waiting stops and RPI orders, by id.
func (x *Exchange) Orders(id schema.MarketID) []schema.Order {
	m := x.trading.market(id)
	if m == nil {
		return nil
	}
	var orders []schema.Order
	for _, o := range m.orders {
		orders = append(orders, o.view())
	}
	return orders
}

// Levels is one side of the public book, best first.
func (x *Exchange) Levels(id schema.MarketID, s schema.Side) []Level {
	if m := x.trading.market(id); m != nil {
		return levels(m, s)
	}
	return nil
}

func levels(m *market, s schema.Side) []Level {
	var book []*order
	for _, o := range m.orders {
		if o.resting && !o.rpi && o.side == s {
			book = append(book, o)
		}
	}
	slices.SortFunc(book, priority)
	var levels []Level
	amount := num{}
	for i, o := range book {
		amount = amount.plus(o.left)
		if i+1 == len(book) || book[i+1].price.cmp(o.price) != 0 {
			levels = append(levels, Level{Price: o.price.decimal(), Amount: amount.decimal()})
			amount = num{}
		}
	}
	return levels
}

// LastPrice is the price of the last deal on a market, 0 when there was none.
func (x *Exchange) LastPrice(id schema.MarketID) fixed.Decimal {
	if m := x.trading.market(id); m != nil {
		return m.last.decimal()
	}
	return fixed.Decimal{}
}

// Index is the index price of a market and since when it is that; both are 0 when there is none.
func (x *Exchange) Index(id schema.MarketID) (price fixed.Decimal, at schema.Time) {
	if m := x.trading.market(id); m != nil {
		price, since := x.prices.market(m)
		return price.decimal(), since
	}
	return fixed.Decimal{}, 0
}

// AssetPrice is the index price of an asset in USDT, and whether it is fresh.
func (x *Exchange) AssetPrice(id schema.AssetID) (price fixed.Decimal, fresh bool) {
	if x.listing.asset(id) == nil {
		return fixed.Decimal{}, false
	}
	of, fresh := x.prices.asset(id)
	return of.decimal(), fresh
}

// Collateral is what was set of an asset as collateral, if anything was.
func (x *Exchange) Collateral(id schema.AssetID) (set schema.SetCollateral, ok bool) {
	set, ok = x.prices.collaterals[id]
	return set, ok
}

// Mark is what is shown of the price of a future, and only its id for any other market.
func (x *Exchange) Mark(id schema.MarketID) schema.MarkChanged { return x.prices.future(id).shown }

// Positions are the open positions, by id.
func (x *Exchange) Positions() []schema.Position {
	var positions []schema.Position
	for _, h := range x.margins.open {
		positions = append(positions, h.view())
	}
	return positions
}

// Loans are what accounts owe, by account and asset.
func (x *Exchange) Loans() []schema.LoanChanged {
	var loans []schema.LoanChanged
	for _, account := range x.accounts.all {
		for _, asset := range x.listing.assets {
			who := debtor{account.ID, asset.ID}
			if d := x.margins.debts[who]; d != nil {
				loans = append(loans, d.view(who))
			}
		}
	}
	return loans
}

// Margin is how an account trades with collateral.
func (x *Exchange) Margin(a schema.AccountID) schema.MarginChanged {
	m := x.margins.mode(a)
	return schema.MarginChanged{Account: a, Leverage: uint8(m.leverage), Hedge: m.hedge}
}

// Risk is how near an account is to the end of its margin.
func (x *Exchange) Risk(a schema.AccountID) schema.RiskState { return x.risk.states[a] }

// KillSwitches are the running timers, by account and market.
func (x *Exchange) KillSwitches() []schema.KillSwitch {
	timers := slices.Clone(x.trading.switches)
	slices.SortFunc(timers, func(a, b schema.KillSwitch) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Market, b.Market))
	})
	return timers
}

// NextTimer is when something is due next, if anything is.
func (x *Exchange) NextTimer() (next schema.Time, running bool) {
	var due []schema.Time
	for _, k := range x.trading.switches {
		due = append(due, k.Deadline)
	}
	for _, m := range x.listing.markets {
		switch {
		case m.Delisted:
		case m.InMaintenance:
			due = append(due, m.MaintenanceTo)
		case m.MaintenanceFrom != 0:
			due = append(due, m.MaintenanceFrom)
		}
		if !m.Delisted && m.DelistsAt != 0 {
			due = append(due, m.DelistsAt)
		}
	}
	if x.accounts.idleSince != 0 {
		due = append(due, x.accounts.idleNext)
	}
	due = append(due, x.prices.due()...)
	due = append(due, x.margins.due()...)
	due = append(due, x.codes.due()...)
	due = append(due, x.chains.due()...)
	due = append(due, x.checks.due()...)
	due = append(due, x.express.due()...)
	due = append(due, x.users.due()...)
	due = append(due, x.convert.due()...)
	due = append(due, x.earn.due(x.lastTick)...)
	due = append(due, x.mining.due(x.lastTick)...)
	due = append(due, x.proposals.due()...)
	if x.margins.settling() || x.margins.delisting() || x.risk.spent || x.risk.resumes != 0 {
		due = append(due, x.lastTick+1)
	}
	if len(due) == 0 {
		return 0, false
	}
	return slices.Min(due), true
}

// Assets are the listed assets, by id.
func (x *Exchange) Assets() []schema.Asset { return x.listing.assets }

// Markets are the listed markets, by id.
func (x *Exchange) Markets() []schema.MarketInfo {
	var markets []schema.MarketInfo
	for _, m := range x.listing.markets {
		markets = append(markets, *m)
	}
	return markets
}

// Accounts are the customers, by id.
func (x *Exchange) Accounts() []schema.Account { return x.accounts.all }

// Keys are the API keys, by id.
func (x *Exchange) Keys() []schema.Key {
	var keys []schema.Key
	for _, k := range x.accounts.keys {
		keys = append(keys, k.Key)
	}
	return keys
}

// LastUsed is when a key that customers know was last used; 0: never.
func (x *Exchange) LastUsed(id schema.KeyID) schema.Time {
	if k := x.accounts.key(id); k != nil {
		return k.lastUsed
	}
	return 0
}

// Fees are the fees that an account was assigned, by market.
func (x *Exchange) Fees(a schema.AccountID) []schema.SetFee {
	var fees []schema.SetFee
	for _, fee := range x.trading.fees {
		if fee.Account == a {
			fees = append(fees, fee)
		}
	}
	slices.SortFunc(fees, func(a, b schema.SetFee) int { return cmp.Compare(a.Market, b.Market) })
	return fees
}

// Chains are the chains, by id.
func (x *Exchange) Chains() []schema.Chain {
	var chains []schema.Chain
	for _, c := range x.chains.all {
		chains = append(chains, c.Chain)
	}
	return chains
}

// ChainAt is where a chain stands, with how many payments wait there.
func (x *Exchange) ChainAt(id schema.ChainID) (at schema.ChainMoved, busy bool, waiting int) {
	c := x.chains.chain(id)
	at = schema.ChainMoved{Chain: id, Halted: c.halted}
	if len(c.points) > 0 {
		last := c.points[len(c.points)-1]
		at.Height, at.Hash = last.height, last.hash
	}
	return at, c.busy, len(c.mempool)
}

// Addresses are those that were opened, the first first.
func (x *Exchange) Addresses() []schema.Address { return x.chains.addresses }

// Withdrawals are those by a chain that can be asked for, by number.
func (x *Exchange) Withdrawals(id schema.ChainID) []schema.Withdrawal {
	var withdrawals []schema.Withdrawal
	for _, w := range x.chains.withdrawals {
		if w.Chain == id && !w.forgotten {
			withdrawals = append(withdrawals, w.Withdrawal)
		}
	}
	return withdrawals
}

// Coins are what of an asset came by blocks of a chain and did not go by one.
func (x *Exchange) Coins(id schema.ChainID, asset schema.AssetID) fixed.Decimal {
	return x.chains.coins(x.chains.chain(id), asset).decimal()
}

// ChainDeposits are the deposits by a chain that can be asked for, by number.
func (x *Exchange) ChainDeposits(id schema.ChainID) []schema.ChainDeposit {
	var deposits []schema.ChainDeposit
	for _, d := range x.chains.deposits {
		if d.Chain == id && !d.forgotten {
			deposits = append(deposits, d.ChainDeposit)
		}
	}
	return deposits
}

// VASPs are those that operators know, by id.
func (x *Exchange) VASPs() []schema.VASP { return x.chains.vasps }

// Travel is what was said about who sent a deposit, while operators look at it; nil: nothing.
func (x *Exchange) Travel(id schema.DepositID) []byte {
	if d := x.chains.deposit(id); d != nil {
		return d.travel
	}
	return nil
}

// Signatures are those of the operators who signed a withdrawal that can be asked for, the oldest first.
func (x *Exchange) Signatures(id schema.WithdrawalID) []schema.Signature {
	if w := x.chains.withdrawal(id); w != nil {
		return w.signed
	}
	return nil
}

// TravelOf is what was said about who gets a withdrawal that can be asked for; nil: nothing.
func (x *Exchange) TravelOf(id schema.WithdrawalID) []byte {
	if w := x.chains.withdrawal(id); w != nil {
		return w.travel
	}
	return nil
}

// Tiers are those that were set, by number.
func (x *Exchange) Tiers() []schema.Tier { return x.limits.tiers }

// Leaves is what left the family of an account in the hours of a day and of a month, as it counts for its tier.
func (x *Exchange) Leaves(a schema.AccountID) (day, month fixed.Decimal) {
	account, _ := x.accounts.customer(a)
	d, m := x.limits.sums(x.accounts.master(account).ID, x.now)
	return d.decimal(), m.decimal()
}

// Credit is what an operator lent an account, if anything is not repaid.
func (x *Exchange) Credit(a schema.AccountID) (credit schema.Credit, ok bool) {
	if c := x.credits.find(a); c != nil {
		return *c, true
	}
	return schema.Credit{}, false
}

// Credits are those that are not repaid, by account.
func (x *Exchange) Credits() (credits []schema.Credit) {
	for _, c := range x.credits.active {
		credits = append(credits, *c)
	}
	return credits
}

// CreditLTV is how much a credit is of what its account owns, in percent; 0 when nobody knows.
func (x *Exchange) CreditLTV(a schema.AccountID) fixed.Decimal { return x.credits.ltv(a).decimal() }

// Checks are the running ones of an account, by number.
func (x *Exchange) Checks(a schema.AccountID) []schema.Check { return x.checks.of(a) }

// Verdicts are what operators say about addresses, by address.
func (x *Exchange) Verdicts() []schema.AddressVerdict { return x.checks.verdicts }

// Expresses are the payments that a partner waits for, the first first.
func (x *Exchange) Expresses(a schema.AccountID) []schema.Express {
	return x.express.waiting(a, x.now)
}

// Conversion is how conversions are set, and whether anybody ever set them.
func (x *Exchange) Conversion() (set schema.SetConversion, ever bool) {
	if x.convert.set == nil {
		return set, false
	}
	return *x.convert.set, true
}

// Quotes are the open quotes of an account, by number.
func (x *Exchange) Quotes(a schema.AccountID) (list []schema.Conversion) {
	for _, q := range x.convert.ofAccount(a) {
		list = append(list, q.view())
	}
	return list
}

// Time is when the last accepted command happened.
func (x *Exchange) Time() schema.Time { return x.now }

// InMaintenance reports whether the platform is in maintenance.
func (x *Exchange) InMaintenance() bool { return x.features.maintenance }

// Webhooks are those that accounts have or had, in the order in which they first had one.
func (x *Exchange) Webhooks() (list []schema.Webhook) {
	for _, w := range x.webhooks.list {
		list = append(list, *w)
	}
	return list
}

// Shards are who sends for webhooks.
func (x *Exchange) Shards() []schema.Shard { return x.webhooks.shards[:] }

// Users are the people who sign in, by id.
func (x *Exchange) Users() (list []schema.User) {
	for _, u := range x.users.all {
		list = append(list, *u)
	}
	return list
}

// Invitations are those that are not over, by account.
func (x *Exchange) Invitations() (list []schema.Invitation) {
	for _, i := range x.users.invitations {
		if x.now < i.Expires {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b schema.Invitation) int { return cmp.Compare(a.Account, b.Account) })
	return list
}

// SessionUsed is when a session was last used, to ten minutes.
func (x *Exchange) SessionUsed(id schema.KeyID) schema.Time { return x.accounts.key(id).used }

// SessionSpent reports whether a client was let in by the last factor of a session, if there is one.
func (x *Exchange) SessionSpent(id schema.KeyID) bool {
	k := x.accounts.key(id)
	return k != nil && k.allowed == k.AuthAt
}

// Partners are the clients of OAuth, by id.
func (x *Exchange) Partners() (list []schema.Partner) {
	for _, p := range x.oauth.partners {
		list = append(list, *p)
	}
	return list
}

// Grants are what accounts gave clients, by account and client, with those that are over.
func (x *Exchange) Grants() (list []schema.Grant) {
	for _, g := range x.oauth.grants {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b schema.Grant) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Partner, b.Partner))
	})
	return list
}
