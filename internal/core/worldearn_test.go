package core

import (
	"fmt"
	"slices"

	"bourse/internal/core/ledger"
	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// earnWorld draws the commands of a small exchange where money is invested: few accounts with sub-accounts, few plans, amounts at every bound, and
// moments just before, at and after full hours, midnights and the ends of terms.
type earnWorld struct {
	now    schema.Time
	oracle *naive.Exchange // that the commands are for, too
	plan   []moment        // what comes next in most cases; without a time: now
	blocks int
	tip    schema.ChainBlock
	named  int
}

const (
	earnAccounts = 4
	earnSubs     = 2
	earnAssets   = 4
	earnCoin     = 2 // comes by a chain, is traded for the last, and is the asset of the first plan
	earnMoney    = 4
)

// birth is the commands with which the world begins.
func (w *earnWorld) birth(t *dice) (list []schema.Command) {
	for _, birth := range schema.BirthFeatures() {
		list = append(list, &schema.SetFeature{Feature: birth.Feature, On: true})
	}
	list = append(list, &schema.SetChain{Chain: schema.Chain{Name: "BITCOIN", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}})
	for _, a := range []schema.Asset{
		{Ticker: "WEI", Scale: 18, Precision: 18},
		{Ticker: "BTC", Scale: 8, Precision: 8, Networks: []schema.Network{
			{Name: "bitcoin", CanDeposit: true, Confirmations: 4, ConfirmationsForTrading: 1, Chain: 1, Decimals: 8},
		}},
		{Ticker: "ONE", Scale: 18, Precision: 0},
		{Ticker: "USD", Scale: 12, Precision: 2},
	} {
		a.CanDeposit, a.CanWithdraw, a.Class = true, true, schema.Crypto
		list = append(list, &schema.SetAsset{Asset: a})
	}
	list = append(list, &schema.SetMarket{Market: schema.MarketInfo{
		Name: "BTC_USD", Base: earnCoin, Quote: earnMoney, Type: schema.Spot, StockPrec: 4, MoneyPrec: 2, FeePrec: 6, Enabled: true,
	}}, &schema.SetIndex{Market: 1, Price: fixed.One})
	for i := range schema.AccountID(earnAccounts) {
		list = append(list, &schema.SetAccount{Account: schema.Account{
			Name: fmt.Sprintf("p%d", i), Region: schema.Global, Partner: i != 3 || coin(t), MultiInvest: coin(t),
		}})
	}
	for i := range earnSubs {
		list = append(list, &schema.SetSub{Master: schema.FirstCustomer, Alias: fmt.Sprint(i), External: fmt.Sprint("sub", i), ShareKYC: true, Active: true, Spot: true})
	}
	some := fixed.FromInt(1000)
	if chance(t, 5) == 0 {
		some, _ = fixed.Div(ledger.Limit, fixed.FromInt(earnAccounts+earnSubs+2), 0, fixed.Down)
	}
	for asset := range schema.AssetID(earnAssets) {
		for i := range schema.AccountID(earnAccounts + earnSubs) {
			list = append(list, &schema.Deposit{Account: schema.FirstCustomer + i, Asset: 1 + asset, Amount: some})
		}
		if interest := pick(t, fixed.Zero, fixed.FromInt(3), some, some, some); interest.Sign() > 0 {
			list = append(list, &schema.FundSystem{Account: schema.Interest, Asset: 1 + asset, Amount: interest})
		}
	}
	list = append(list, &schema.OpenAddress{Account: schema.FirstCustomer, Chain: 1}, &schema.OpenAddress{Account: schema.FirstCustomer + 1, Chain: 1})
	list = append(list, &schema.SetPlan{Plan: schema.Plan{
		Name: "coins", Kind: schema.FlexPlan, Asset: earnCoin, Payout: earnCoin, Rate: fixed.One, Min: unitOf(earnCoin), Status: schema.PlanActive,
	}})
	for range 3 + chance(t, 4) {
		p := w.offer(t)
		p.Status = schema.PlanActive
		list = append(list, &schema.SetPlan{Plan: p})
	}
	w.tip.Height = 1000
	return append(list, w.block())
}

// next draws a command, when it comes and how.
func (w *earnWorld) next(t *dice) moment {
	if len(w.plan) > 0 && chance(t, 6) != 0 {
		m := w.plan[0]
		w.plan = w.plan[1:]
		if m.at != 0 {
			w.now = m.at
		}
		m.at = w.now
		return m
	}
	w.pass(t)
	m := moment{at: w.now, cmd: w.command(t)}
	if rarely(t) {
		m.from.Region = pick(t, schema.Global, schema.EU)
	}
	if rarely(t) {
		m.from.Operator = "olga"
	}
	return m
}

// pass lets time pass: mostly until near a full hour, a midnight or the end of a term, rarely for days.
func (w *earnWorld) pass(t *dice) {
	switch n := chance(t, 100); {
	case n < 2:
		w.now -= schema.Second // a clock that goes back
	case n < 20:
		w.now = around(t, w.now-w.now%anHour+anHour*schema.Time(1+chance(t, 3)))
	case n < 32:
		w.now = around(t, w.now-w.now%aDay+aDay)
	case n < 40:
		for _, v := range w.oracle.Investments() {
			if v.Due > w.now && v.Due < w.now+40*aDay && coin(t) {
				w.now = around(t, v.Due)
				break
			}
		}
	case n < 42:
		w.now = around(t, w.now+aDay)
	case n < 44:
		w.now += schema.Time(chance(t, 5)) * aDay
	case n < 45:
		w.now += schema.Time(chance(t, 40))*aDay + schema.Time(chance(t, 24))*anHour
	default:
		w.now += pick(t, 0, 0, 1, schema.Second, 7*aMinute)
	}
}

func (w *earnWorld) command(t *dice) schema.Command {
	switch n := chance(t, 100); {
	case n < 8:
		return &schema.SetPlan{Plan: w.changed(t)}
	case n < 11:
		return &schema.SetPlan{Plan: w.offer(t)}
	case n < 15:
		return &schema.AssignPlan{Plan: w.planID(t), Account: w.account(t), On: chance(t, 3) != 0}
	case n < 44:
		return w.invest(t, w.account(t), w.planID(t))
	case n < 58:
		return w.divest(t)
	case n < 63:
		v := w.investment(t)
		return &schema.SetReinvest{Account: v.Account, Plan: v.Plan, On: chance(t, 3) != 0}
	case n < 72:
		return w.fund(t)
	case n < 80:
		return w.money(t)
	case n < 83:
		return w.setAccount(t)
	case n < 85:
		return w.family(t)
	case n < 87:
		return w.reversal(t)
	case n < 88:
		a := w.oracle.Assets()[2]
		a.Precision = pick[uint8](t, 0, 0, 1, 18)
		return &schema.SetAsset{Asset: a}
	}
	return &schema.Tick{}
}

// account is one of those that there are, rarely none.
func (w *earnWorld) account(t *dice) schema.AccountID {
	if rarely(t) {
		return pick(t, schema.AccountID(0), schema.Interest, 999)
	}
	return schema.FirstCustomer + schema.AccountID(chance(t, earnAccounts+earnSubs))
}

func (w *earnWorld) planID(t *dice) schema.PlanID {
	if rarely(t) {
		return pick[schema.PlanID](t, 0, 77)
	}
	return schema.PlanID(1 + chance(t, len(w.oracle.Plans())))
}

// investment is one that is open, rarely one that is not, of which there is nothing but what it could be.
func (w *earnWorld) investment(t *dice) schema.Investment {
	open := w.oracle.Investments()
	if len(open) == 0 || chance(t, 12) == 0 {
		return schema.Investment{ID: schema.InvestmentID(chance(t, 20)), Account: w.account(t), Plan: w.planID(t)}
	}
	return open[chance(t, len(open))]
}

// precisionOf is how many decimals move of an asset.
func precisionOf(asset schema.AssetID) int {
	if asset < 1 || asset > earnAssets {
		return 0
	}
	return [...]int{18, 8, 0, 2}[asset-1]
}

// unitOf is the least of an asset that moves.
func unitOf(asset schema.AssetID) fixed.Decimal { return fixed.FromUnits(1, precisionOf(asset)) }

// beside is a number, or one unit more or less.
func beside(t *dice, n fixed.Decimal, asset schema.AssetID) fixed.Decimal {
	switch unit := unitOf(asset); chance(t, 6) {
	case 0:
		if more, fits := n.AddChecked(unit); fits {
			return more
		}
	case 1:
		return n.Sub(unit)
	}
	return n
}

// part is some of a number, as precise as the asset is.
func part(t *dice, n fixed.Decimal, asset schema.AssetID) fixed.Decimal {
	some, _ := fixed.Div(n, fixed.FromInt(int64(2+chance(t, 8))), precisionOf(asset), fixed.Down)
	return some
}

// odd is an amount that is seldom right.
func odd(t *dice) fixed.Decimal {
	return pick(t, fixed.Zero, fixed.FromInt(-1), smallest, fixed.Max, fixed.FromUnits(1, 3), ledger.Limit)
}

// invest draws an amount that is at one of the bounds, or somewhere.
func (w *earnWorld) invest(t *dice, account schema.AccountID, id schema.PlanID) schema.Command {
	p := w.planOf(id)
	main, _, held := w.oracle.Balance(account, schema.Main, p.Asset)
	left, has := p.Cap, fixed.Zero
	for _, v := range w.oracle.Investments() {
		if v.Plan == id {
			left = left.Sub(v.Amount)
			if v.Account == account {
				has = v.Amount
			}
		}
	}
	bound := fixed.Zero
	if !p.Max.IsZero() {
		bound = pick(t, p.Max, p.Max.Sub(has))
	}
	c := &schema.Invest{Account: account, Plan: id, Reinvest: coin(t)}
	switch chance(t, 12) {
	case 0, 1:
		c.Amount = beside(t, p.Min, p.Asset)
	case 2:
		c.Amount = beside(t, bound, p.Asset)
	case 3:
		c.Amount = beside(t, left, p.Asset)
	case 4:
		c.Amount = beside(t, main.Sub(held), p.Asset)
	case 5:
		c.Amount = pick(t, main, part(t, main, p.Asset))
	case 6:
		c.Amount = odd(t)
	case 7:
		if available, _, _ := w.oracle.Balance(schema.Interest, schema.Main, p.Payout); available.Sign() > 0 {
			c.Amount = part(t, available, p.Asset)
		}
	default:
		c.Amount = part(t, pick(t, fixed.FromInt(50), fixed.FromInt(200), fixed.FromInt(900)), p.Asset)
	}
	return c
}

func (w *earnWorld) divest(t *dice) schema.Command {
	v := w.investment(t)
	p := w.planOf(v.Plan)
	if p.Kind == schema.FixedPlan {
		c := &schema.Divest{Account: v.Account, Investment: v.ID, Amount: pick(t, fixed.Zero, v.Amount)}
		if chance(t, 8) == 0 {
			c.Account = w.account(t)
		}
		if chance(t, 12) == 0 {
			c.Investment, c.Plan, c.All = 0, v.Plan, true
		}
		return c
	}
	c := &schema.Divest{Account: v.Account, Plan: v.Plan, All: chance(t, 8) == 0}
	switch chance(t, 8) {
	case 0:
		c.Amount = beside(t, v.Amount, p.Asset)
	case 1:
		c.Amount = beside(t, v.Amount.Sub(p.Min), p.Asset)
	case 2:
		c.Amount = odd(t)
	case 3:
		c.Account = w.account(t)
		c.Amount = p.Min
	default:
		c.Amount = part(t, v.Amount, p.Asset)
	}
	if rarely(t) {
		c.Plan, c.Investment = 0, v.ID
	}
	return c
}

// fund brings interest or takes it out: nearly all, what is owed, or what lasts for little.
func (w *earnWorld) fund(t *dice) schema.Command {
	c := &schema.FundSystem{Account: schema.Interest, Asset: schema.AssetID(1 + chance(t, earnAssets))}
	available, _, _ := w.oracle.Balance(schema.Interest, schema.Main, c.Asset)
	owed, first := w.oracle.InterestOwed(), schema.InvestmentID(0)
	for id := range owed {
		if first == 0 || id < first {
			first = id
		}
	}
	switch n := chance(t, 10); {
	case n < 4 && first != 0 && owed[first].Cmp(available) > 0:
		c.Amount = beside(t, owed[first].Sub(available), c.Asset)
	case n < 5:
		c.Amount = fixed.Zero.Sub(beside(t, available, c.Asset))
	case n < 6:
		c.Amount = fixed.Zero.Sub(part(t, available, c.Asset))
	case n < 7:
		c.Amount = odd(t)
	default:
		c.Amount = pick(t, unitOf(c.Asset), fixed.One, fixed.FromInt(20), fixed.FromInt(1000))
	}
	if rarely(t) {
		c.Account = pick(t, schema.Codes, schema.FirstCustomer, schema.Lending)
	}
	return c
}

// money lets what can be invested come, wait or go.
func (w *earnWorld) money(t *dice) schema.Command {
	account, asset := w.account(t), schema.AssetID(1+chance(t, earnAssets))
	main, _, held := w.oracle.Balance(account, schema.Main, asset)
	switch chance(t, 6) {
	case 0:
		return &schema.Withdraw{Account: account, Asset: asset, Amount: beside(t, main, asset)}
	case 1:
		return &schema.Transfer{Account: account, Asset: asset, Amount: part(t, main, asset), From: schema.Main, To: schema.Trade}
	case 2:
		trade, _, _ := w.oracle.Balance(account, schema.Trade, asset)
		return &schema.Transfer{Account: account, Asset: asset, Amount: trade, From: schema.Trade, To: schema.Main}
	case 3:
		return &schema.ConfirmDeposit{Account: account, Asset: asset, Amount: pick(t, held, part(t, held, asset))}
	}
	return &schema.Deposit{Account: account, Asset: asset, Amount: fixed.FromInt(int64(1 + chance(t, 300))), Held: coin(t)}
}

// tickAtMidnight comes at the next one, or just not.
func (w *earnWorld) tickAtMidnight(t *dice) moment {
	return moment{cmd: &schema.Tick{}, at: w.now - w.now%aDay + aDay - pick[schema.Time](t, 0, 0, 0, 1)}
}

// setAccount is what an operator says of an account.
func (w *earnWorld) setAccount(t *dice) schema.Command {
	all := w.oracle.Accounts()
	a := all[chance(t, len(all))]
	switch chance(t, 4) {
	case 0:
		a.Partner = !a.Partner
	case 1:
		a.MultiInvest = !a.MultiInvest
		return &schema.SetAccount{Account: a}
	case 2:
		a.Region = schema.EU
	case 3:
		a.Blocked = true
	}
	free := a
	free.Blocked, free.Partner, free.Region = false, true, schema.Global
	w.plan = append(w.plan, moment{cmd: w.invest(t, a.ID, w.planID(t))}, moment{cmd: w.divest(t)}, w.tickAtMidnight(t), moment{cmd: &schema.SetAccount{Account: free}})
	return &schema.SetAccount{Account: a}
}

// family ends or blocks a sub-account, with all money taken out before or not.
func (w *earnWorld) family(t *dice) schema.Command {
	sub := schema.FirstCustomer + earnAccounts + schema.AccountID(chance(t, earnSubs))
	if chance(t, 3) == 0 {
		w.plan = append(w.plan, moment{cmd: &schema.BlockSub{Master: schema.FirstCustomer, Sub: sub}})
		return &schema.BlockSub{Master: schema.FirstCustomer, Sub: sub, Blocked: true}
	}
	if coin(t) {
		for _, v := range w.oracle.Investments() {
			if v.Account == sub && w.planOf(v.Plan).Kind == schema.FlexPlan {
				w.plan = append(w.plan, moment{cmd: &schema.Divest{Account: sub, Plan: v.Plan, All: true}})
			}
		}
		for asset := range schema.AssetID(earnAssets) {
			main, _, _ := w.oracle.Balance(sub, schema.Main, 1+asset)
			trade, _, _ := w.oracle.Balance(sub, schema.Trade, 1+asset)
			earn, _, _ := w.oracle.Balance(sub, schema.Earn, 1+asset)
			w.plan = append(w.plan, moment{cmd: &schema.Transfer{Account: sub, Asset: 1 + asset, Amount: trade, From: schema.Trade, To: schema.Main}},
				moment{cmd: &schema.MoveSub{Master: schema.FirstCustomer, Sub: sub, Asset: 1 + asset, Amount: main.Add(trade).Add(earn)}})
		}
	}
	w.plan = append(w.plan, moment{cmd: &schema.DeleteSub{Master: schema.FirstCustomer, Sub: sub}})
	return &schema.Tick{}
}

// block is the next one of the chain.
func (w *earnWorld) block(receipts ...schema.Receipt) *schema.ChainBlock {
	w.blocks++
	b := schema.ChainBlock{Chain: 1, Height: w.tip.Height + 1, Hash: digest(7000 + w.blocks), Parent: w.tip.Hash, Parts: 1, Receipts: receipts}
	w.tip = b
	return &b
}

// reversal plans that a deposit that somebody sold is taken back by the chain, so that he owes it.
func (w *earnWorld) reversal(t *dice) schema.Command {
	seller := schema.FirstCustomer + schema.AccountID(chance(t, 2))
	buyer := schema.FirstCustomer + 2
	standing, _, _ := w.oracle.ChainAt(1)
	before := schema.ChainBlock{Height: standing.Height, Hash: standing.Hash}
	w.plan, w.tip = nil, before
	amount := fixed.FromInt(int64(1 + chance(t, 20)))
	coins, _, held := w.oracle.Balance(seller, schema.Main, earnCoin)
	coins = coins.Sub(held)
	invested := part(t, coins, earnCoin)
	first := w.block(schema.Receipt{ID: fmt.Sprint("tx", w.blocks), Asset: earnCoin, Amount: amount, Index: schema.AddressIndex(1 + seller - schema.FirstCustomer), Text: "address"})
	order := schema.OrderRequest{Market: 1, Type: schema.Limit, Amount: amount, Price: fixed.One}
	bid, ask := order, order
	bid.Side, ask.Side = schema.Buy, schema.Sell
	for _, c := range []schema.Command{
		w.block(),
		&schema.Invest{Account: seller, Plan: 1, Amount: invested},
		&schema.Withdraw{Account: seller, Asset: earnCoin, Amount: coins.Sub(invested)},
		&schema.Transfer{Account: seller, Asset: earnCoin, Amount: amount, From: schema.Main, To: schema.Trade},
		&schema.Transfer{Account: buyer, Asset: earnMoney, Amount: amount, From: schema.Main, To: schema.Trade},
		&schema.PlaceOrder{Account: buyer, Order: bid},
		&schema.PlaceOrder{Account: seller, Order: ask},
		w.invest(t, seller, w.planID(t)), // what was unconfirmed is another asset now
		&schema.ChainRewind{Chain: 1, Height: before.Height, Hash: before.Hash},
	} {
		w.plan = append(w.plan, moment{cmd: c})
	}
	w.tip = before
	for range 12 { // so many that it is lost
		w.plan = append(w.plan, moment{cmd: w.block()})
	}
	w.plan = append(w.plan, moment{cmd: w.invest(t, seller, w.planID(t))},
		w.tickAtMidnight(t), moment{cmd: &schema.Divest{Account: seller, Plan: 1, Amount: part(t, invested, earnCoin)}})
	return first
}

// learn lets what was refused be asked for once more, just so that it is right, and what began end soon.
func (w *earnWorld) learn(t *dice, m moment, answer schema.Result) {
	value := answer.Rejection.Value
	switch c := m.cmd.(type) {
	case *schema.Invest:
		switch answer.Rejection.Reason {
		case schema.InvestmentNotCovered, schema.MoveHeld, schema.PlanSpent:
			if value.Sign() > 0 && coin(t) {
				w.plan = slices.Insert(w.plan, 0, moment{cmd: &schema.Invest{Account: c.Account, Plan: c.Plan, Amount: value}})
			}
		case schema.OK:
			if p := w.planOf(c.Plan); p.Kind == schema.FlexPlan && c.Reinvest && chance(t, 3) == 0 { // with room for little
				v := p
				v.Max = c.Amount.Add(pick(t, fixed.Zero, unitOf(p.Asset), part(t, fixed.One, p.Asset)))
				w.plan = append(w.plan, moment{cmd: &schema.SetPlan{Plan: v}}, w.tickAtMidnight(t), moment{cmd: &schema.SetPlan{Plan: p}})
			} else if chance(t, 6) == 0 { // once more, in the same hour, at its end, or at the next
				again := *c
				w.plan = append(w.plan, moment{cmd: &again, at: around(t, w.now-w.now%anHour+anHour)}, moment{cmd: w.divest(t)})
			}
		}
	case *schema.FundSystem:
		if coin(t) {
			w.plan = append(w.plan, moment{cmd: &schema.Tick{}})
		}
	}
}
