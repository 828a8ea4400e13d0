package core

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// worldChains is what the world knows of chains: as much as somebody who watches them.
type worldChains struct {
	all      []*worldChain // by id, from 1
	last     map[schema.Space]schema.AddressIndex
	receipts int                // that were ever paid: there are no more deposits by blocks
	asked    int                // withdrawals that there ever were
	frozen   []schema.DepositID // deposits that operators froze, also after they decided
	named    int                // blocks and receipts that have got names
	other    bool               // the second sandbox and the second other chain are where most happens
	paying   bool               // money goes by chains as often as it comes
	european bool               // some accounts are in the EU
	coined   string             // the ticker of the asset that comes by the chain with coins
}

// worldChain is a chain, and where it stands.
type worldChain struct {
	schema.Chain
	blocks  []worldBlock       // the last is where it stands
	part    *schema.ChainBlock // the last that was taken of a block whose other parts are missing
	partly  []schema.Receipt   // what its parts paid
	missing []schema.Receipt   // what blocks paid that were rewound
	hurry   int                // empty blocks that come next
	still   int                // so are these, in any case
	paid    uint64             // payments of a sandbox
}

type worldBlock struct {
	height   uint64
	hash     schema.Digest
	receipts []schema.Receipt
}

// wantChains lets deposits come by chains often, to accounts that have little else.
func (w *world) wantChains(t *dice) {
	w.chains = &worldChains{last: map[schema.Space]schema.AddressIndex{}, other: coin(t), paying: coin(t), european: chance(t, 3) != 0}
	for i, c := range []schema.Chain{
		{Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest, Interval: w.interval(t)},
		{Name: "NODE", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest},
		{Name: "EVM", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 1},
		{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Mainnet, Interval: w.interval(t)},
	} {
		c.ID = schema.ChainID(i + 1)
		w.chains.all = append(w.chains.all, &worldChain{Chain: c})
	}
	sandboxes := coin(t)
	for _, c := range w.listed[:worldAssets] {
		asset := &c.(*schema.SetAsset).Asset
		if asset.Class == schema.Crypto {
			asset.Networks = w.networks(t, asset, sandboxes)
			sandboxes = !sandboxes
		}
	}
	if w.edges == nil && chance(t, 4) != 0 {
		for _, c := range w.listed {
			switch c := c.(type) {
			case *schema.Deposit:
				c.Amount = fixed.FromInt(200)
			case *schema.Transfer:
				c.Amount = fixed.FromInt(int64(1 + chance(t, 200)))
			}
		}
	}
	if w.edges != nil && coin(t) { // leave room for what chains bring
		for _, c := range w.listed {
			switch c := c.(type) {
			case *schema.Deposit:
				c.Amount = sixteenth(c.Amount, w.edges.assets[c.Asset-1].Precision)
			case *schema.Transfer:
				c.Amount = sixteenth(c.Amount, w.edges.assets[c.Asset-1].Precision)
			}
		}
	}
	for account := range schema.AccountID(worldAccounts) {
		for _, chain := range []schema.ChainID{1, 3} {
			w.plan = append(w.plan, &schema.OpenAddress{Account: schema.FirstCustomer + account, Chain: chain})
		}
	}
	if w.chains.european {
		w.wantTravel(t)
	}
}

// addressAsset is what an address is asked for, if that is said; rarely there is no such asset.
func (w *world) addressAsset(t *dice) schema.AssetID {
	if rarely(t) {
		return schema.AssetID(worldAssets + 10)
	}
	return schema.AssetID(chance(t, worldAssets+1))
}

// sixteenth is a part of an amount, or the least that there is.
func sixteenth(amount fixed.Decimal, places uint8) fixed.Decimal {
	part, _ := fixed.Div(amount, fixed.FromInt(16), int(places), fixed.Up)
	return part
}

func (w *world) interval(t *dice) schema.Time {
	return pick(t, 0, schema.Second/10, schema.Second, 3*schema.Second, 20*schema.Second)
}

// set are the commands that set the chains at first.
func (s *worldChains) set() (list []schema.Command) {
	for _, c := range s.all {
		list = append(list, &schema.SetChain{Chain: c.Chain})
	}
	return list
}

// networks are those of an asset on the sandboxes, or on the other chains.
func (w *world) networks(t *dice, asset *schema.Asset, sandboxes bool) (list []schema.Network) {
	places := int(asset.Scale)
	for _, c := range w.chains.all {
		if (c.Driver == schema.Sandbox) != sandboxes || len(list) > 0 && chance(t, 4) == 0 {
			continue
		}
		n := schema.Network{
			Name: c.Name, Chain: c.ID, CanDeposit: chance(t, 12) != 0, Confirmations: uint32(1 + chance(t, 5)),
			MinDeposit: pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.One), MaxDeposit: pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(700)),
			DepositFixed:   cut(pick(t, fixed.Zero, fixed.Zero, fixed.Zero, smallest, fixed.FromUnits(5, 1), fixed.FromInt(int64(chance(t, 20)))), places),
			DepositPercent: pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.One, fixed.FromUnits(333, 3), leastPercent, fixed.FromInt(pick[int64](t, 10, 20, 99, 100))),
			DepositMinFee:  cut(pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(15, 1)), places),
			DepositMaxFee:  pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(3)),
			HeldCap:        cut(pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(50), fixed.FromUnits(7505, 1)), places),
		}
		if rarely(t) {
			n.Confirmations = pick[uint32](t, 10, 51, 60)
		}
		n.ConfirmationsForTrading = 1 + uint32(chance(t, int(min(n.Confirmations, 3))))
		if !w.keeps(&n, c, asset) {
			continue
		}
		w.payable(t, &n, asset)
		list = append(list, n)
	}
	return list
}

// keeps says how many decimals of an asset a chain of others keeps, and reports whether the asset can be there. Nothing is paid out there:
// in this world nobody plans payouts.
func (w *world) keeps(n *schema.Network, c *worldChain, asset *schema.Asset) bool {
	switch c.Driver {
	case schema.BitcoinNode:
		if asset.Scale < 8 || w.chains.coined != "" && w.chains.coined != asset.Ticker {
			return false
		}
		w.chains.coined, n.Decimals = asset.Ticker, 8
	case schema.EVMNode:
		n.Decimals, n.Contract = asset.Scale, asset.Ticker
		return asset.Scale > 0
	}
	return true
}

// chainCommand draws something that chains do, or operators with them, or accounts with what came by them.
func (w *world) chainCommand(t *dice, account schema.AccountID) schema.Command {
	watched := w.chains.all[w.often(t, 1, 2)]
	sandbox := w.chains.all[w.often(t, 0, 3)]
	if debtor, asset, owed := w.debtor(t); owed.Sign() > 0 && chance(t, 3) == 0 {
		return w.owing(t, debtor, asset, owed)
	}
	for _, c := range w.chains.all {
		switch {
		case w.bank != nil && w.bank.Chains().Standing(c.ID).Busy && chance(t, 4) != 0:
			return &schema.Tick{}
		case c.hurry > 0 && chance(t, 4) != 0:
			return w.chainBlock(t, c)
		}
	}
	if chance(t, 6) == 0 || w.chains.paying && coin(t) {
		return w.payout(t, account)
	}
	if w.chains.european && chance(t, 6) == 0 {
		return w.travel(t, account)
	}
	switch n := chance(t, 48); {
	case n >= 40:
		return w.accident(t, watched, sandbox)
	case n < 15, n < 17 && len(watched.blocks) < 3:
		return w.chainBlock(t, watched)
	case n < 17:
		return w.chainRewind(t, watched)
	case n < 21:
		return &schema.PaySandbox{Chain: w.chain(t, sandbox), Receipt: w.payment(t, sandbox)}
	case n < 25:
		blocks := uint32(1 + chance(t, 4))
		if chance(t, 8) == 0 {
			blocks = pick[uint32](t, 0, 10, 99, 100, 101, math.MaxUint32)
		}
		return &schema.MineSandbox{Chain: w.chain(t, sandbox), Blocks: blocks}
	case n < 27 && (sandbox.paid > 0 || coin(t)):
		return w.reorg(t, sandbox)
	case n < 28:
		return &schema.OpenAddress{
			Account: account, Chain: w.chain(t, w.chains.all[chance(t, len(w.chains.all))]), Fresh: coin(t),
			Type: pick(t, schema.AddressType(0), 0, schema.Bech32, schema.P2SHSegwit, 3), Asset: w.addressAsset(t),
		}
	case n < 30:
		c := &schema.DecideDeposit{Deposit: schema.DepositID(1 + chance(t, w.chains.receipts+1)), Decision: schema.Decision(1 + chance(t, 3))}
		if rarely(t) {
			c.Deposit, c.Decision = pick(t, c.Deposit, 0), schema.Decision(chance(t, 5))
		}
		if frozen := w.chains.frozen; len(frozen) > 0 && coin(t) {
			return &schema.DecideDeposit{Deposit: frozen[chance(t, len(frozen))], Decision: schema.CreditDeposit, Account: account}
		}
		if chance(t, 3) == 0 {
			c.Account = account
		}
		return c
	case n < 31:
		return w.forgive(t, account, 1, fixed.Zero)
	case n < 34:
		return w.spend(t, account, schema.AssetID(1+chance(t, 2)))
	case n < 35:
		return w.setChain(t)
	case n < 37:
		return w.setNetworks(t)
	}
	if w.bank != nil {
		if next, running := w.bank.NextTimer(); running && coin(t) {
			w.now = max(w.now, min(next, w.now+schema.Second*60))
		}
	}
	return &schema.Tick{}
}

// ticksAlone says that nothing ends orders at ticks but the collecting of what is owed. In slices it comes before a kill switch or the
// end of a market has canceled all that it will, and the oracle knows no slices.
func (w *world) ticksAlone() bool { return w.chains != nil && !w.whole }

// often is one of two chains, mostly the one where most happens.
func (w *world) often(t *dice, a, b int) int {
	if w.chains.other {
		a, b = b, a
	}
	return pick(t, a, a, a, b)
}

// accident lets an account spend what it has because of deposits that are not confirmed, and then the deposits go away.
func (w *world) accident(t *dice, watched, sandbox *worldChain) schema.Command {
	for range 8 {
		account, asset := schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts)), schema.AssetID(1+chance(t, 2))
		if main, held := w.owned(account, schema.Main, asset); w.bank == nil || main.Sign() <= 0 || held.Sign() <= 0 {
			continue
		}
		var c schema.Command
		if coin(t) {
			c = w.empty(t, account, asset)
		} else {
			c = w.spend(t, account, asset)
		}
		if w.comesBy(asset, watched.ID) {
			r := w.chainRewind(t, watched)
			w.plan = append(w.plan, r)
		} else {
			r := w.reorg(t, sandbox)
			r.Depth, r.DropAll = uint32(3+chance(t, 4)), chance(t, 4) != 0
			w.plan = append(w.plan, r, &schema.MineSandbox{Chain: sandbox.ID, Blocks: uint32(1 + chance(t, 12))})
		}
		return c
	}
	return w.chainBlock(t, watched)
}

// comesBy reports whether an asset comes by a chain.
func (w *world) comesBy(asset schema.AssetID, id schema.ChainID) bool {
	return slices.ContainsFunc(w.listed[asset-1].(*schema.SetAsset).Asset.Networks, func(n schema.Network) bool { return n.Chain == id })
}

// chain is the id of a chain, and rarely another.
func (w *world) chain(t *dice, c *worldChain) schema.ChainID {
	if rarely(t) {
		return schema.ChainID(chance(t, len(w.chains.all)+2))
	}
	return c.ID
}

// name is the hash of a block that nothing else had.
func (s *worldChains) name() (d schema.Digest) {
	s.named++
	binary.BigEndian.PutUint64(d[:], uint64(s.named))
	return d
}

// setChain pauses a chain, or lets it go on, or has another interval; rarely it is wrong.
func (w *world) setChain(t *dice) schema.Command {
	c := w.chains.all[chance(t, len(w.chains.all))].Chain
	c.Paused = !c.Paused && chance(t, 4) == 0
	c.Stuck = !c.Stuck && (c.Driver == schema.Sandbox && chance(t, 4) == 0 || rarely(t))
	if c.Driver == schema.Sandbox {
		c.Interval = w.interval(t)
	}
	if chance(t, 5) == 0 {
		switch chance(t, 5) {
		case 0:
			c.Name = pick(t, "", "a", "OTHER", strings.Repeat("X", 20), strings.Repeat("X", 21))
		case 1:
			c.Driver = schema.Driver(chance(t, 5))
		case 2:
			c.Family = schema.Family(chance(t, 8))
		case 3:
			c.Net = schema.Net(chance(t, 7))
		case 4:
			c.Interval = pick(t, 1, -1, schema.Second/10-1, aDay, aDay+1)
		}
	}
	return &schema.SetChain{Chain: c}
}

// setNetworks changes how an asset comes by chains; rarely it is wrong.
func (w *world) setNetworks(t *dice) schema.Command {
	c := *w.listed[chance(t, 2)].(*schema.SetAsset)
	a := &c.Asset
	sandboxes := len(a.Networks) > 0 && w.chains.all[a.Networks[0].Chain-1].Driver == schema.Sandbox
	a.Networks = w.networks(t, a, sandboxes)
	a.CanDeposit = chance(t, 10) != 0
	a.MinDeposit = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(10))
	a.MaxDeposit = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(800))
	a.CanWithdraw = chance(t, 10) != 0
	a.MinWithdraw = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(2))
	a.MaxWithdraw = pick(t, fixed.Zero, fixed.Zero, fixed.Zero, fixed.FromInt(300))
	if chance(t, 8) == 0 && len(a.Networks) > 0 {
		n := &a.Networks[0]
		wrong := pick(t, smallest.Neg(), smallest, fixed.Max, fixed.One.Add(smallest))
		switch chance(t, 15) {
		case 0:
			n.DepositFixed = wrong
		case 1:
			n.DepositPercent = pick(t, wrong, fixed.FromInt(100).Add(leastPercent), fixed.One.Add(leastPercent))
		case 2:
			n.DepositMinFee = wrong
		case 3:
			n.DepositMaxFee = pick(t, wrong, fixed.One)
		case 4:
			n.HeldCap = wrong
		case 5:
			n.Chain = schema.ChainID(chance(t, 7))
		case 6:
			n.ConfirmationsForTrading = pick(t, 0, n.Confirmations+1)
		case 7:
			a.Networks = nil
		case 8:
			n.WithdrawFixed = wrong
		case 9:
			n.WithdrawPercent = pick(t, wrong, fixed.FromInt(100).Add(leastPercent), fixed.One.Add(leastPercent))
		case 10:
			n.WithdrawMinFee = wrong
		case 11:
			n.WithdrawMaxFee = pick(t, wrong, fixed.One)
		case 12:
			n.ApproveAbove = wrong
		case 13:
			n.Approve2Above = wrong
		case 14:
			n.HourCap = wrong
		}
	}
	return &c
}

// learnChains notes what became of the chains.
func (w *world) learnChains(t *dice, cmd schema.Command, answer schema.Result) {
	if answer.Proposal != 0 { // nothing changed
		return
	}
	switch cmd := cmd.(type) {
	case *schema.SetChain:
		c := cmd.Chain
		c.ID = schema.ChainID(answer.ID)
		if answer.ID > uint64(len(w.chains.all)) {
			w.chains.all = append(w.chains.all, &worldChain{})
		}
		w.chains.all[c.ID-1].Chain = c
		if c.Interval > 0 {
			w.mark(w.now + c.Interval)
		}
	case *schema.OpenAddress:
		space := answer.Address.Space()
		w.chains.last[space] = max(w.chains.last[space], answer.Address.Index)
	case *schema.PaySandbox:
		w.learnPaid(cmd.Chain, answer.ID)
	case *schema.PayFaucet:
		w.learnPaid(cmd.Payment.Chain, answer.ID)
	case *schema.ChainBlock:
		w.chains.all[cmd.Chain-1].took(cmd)
		w.chains.receipts += len(cmd.Receipts)
		if slices.ContainsFunc(cmd.Receipts, func(r schema.Receipt) bool { return r.Own == schema.PoolOwn }) && chance(t, 4) == 0 {
			last := schema.DepositID(max(1, w.chains.receipts-chance(t, 3)))
			w.plan = append(w.plan, &schema.DecideDeposit{Deposit: last, Decision: schema.FreezeDeposit})
		}
	case *schema.DecideDeposit:
		if cmd.Decision == schema.FreezeDeposit {
			w.chains.frozen = append(w.chains.frozen, cmd.Deposit)
		}
	case *schema.ChainRewind:
		c := w.chains.all[cmd.Chain-1]
		depth := c.rewound(cmd)
		c.hurry = pick(t, 0, 2, depth+6, depth+6, depth+7)
	}
}

// learnPaid notes a payment on a sandbox.
func (w *world) learnPaid(id schema.ChainID, payments uint64) {
	c := w.chains.all[id-1]
	c.paid = payments
	w.chains.receipts++
	if c.Interval > 0 {
		w.mark(w.now + c.Interval)
	}
}

// TestChainsAgainstNaive is TestAgainstNaive for those to whom money comes by chains. Most commands may do less at once than others.
func TestChainsAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr, w := newTrial(pick(r, 1, 2, slice, slice)), newborn(r)
		tr.limitChains(pick(r, tr.steps, 1, 2, 3, 5, 8))
		w.bank, w.whole = tr.fast, tr.slice == slice
		w.wantChains(r)
		tr.live(t, r, w)
	})
}

// live lets a world live on both machines for a while, and prints what happened if they come to differ.
func (tr *trial) live(t *rapid.T, r *dice, w *world) {
	var log []moment
	send := func(m moment) {
		log = append(log, m)
		if err := sender(tr.apply).run(m); err != nil {
			t.Fatalf("slices of %d, %d steps\n%s", tr.slice, tr.steps, story(log, func() sender {
				again := newTrial(tr.slice)
				again.limitChains(tr.steps)
				return again.apply
			}))
		}
	}
	for _, cmd := range w.birth() {
		send(moment{at: w.now, cmd: cmd})
	}
	for range 1 + chance(r, 300) {
		at, cmd := w.next(r)
		from := schema.Origin{}
		if w.subs != nil {
			from = w.caller(r, cmd)
		}
		send(moment{at, cmd, w.decider(r, cmd, from)})
		w.orders = tr.fast.Trading().Counters().Order
		w.learn(r, cmd, tr.answer)
	}
}
