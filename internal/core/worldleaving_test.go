package core

import (
	"math"
	"strings"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	anHour  = 3600 * schema.Second
	aMonth  = 30 * aDay // in which what left is counted
	tetherN = 3         // the asset that may be USDT
)

// nextHour is the end of the hour of a moment.
func nextHour(at schema.Time) schema.Time { return at - at%anHour + anHour }

// worldLeaving is what the world knows of what bounds what leaves, and of what else customers do with their money.
type worldLeaving struct {
	tokens []*schema.RequestExpress // that somebody asked for
	tether bool                     // there is something to pay checks with
}

// wantLeaving lets tiers bound what leaves accounts, operators lend them money, partners be paid by tokens, and addresses be checked.
func (w *world) wantLeaving(t *dice) {
	w.leaving = &worldLeaving{tether: chance(t, 5) != 0}
	for _, c := range w.listed {
		switch c := c.(type) {
		case *schema.SetAsset:
			if w.leaving.tether && c.Asset.Ticker == "CCC" {
				c.Asset.Ticker = schema.CheckTicker
			}
		case *schema.SetMarket:
			if w.leaving.tether {
				c.Market.Name = strings.ReplaceAll(c.Market.Name, "CCC", schema.CheckTicker)
			}
		case *schema.SetAccount:
			w.allow(t, &c.Account)
			c.Account.RestrictedUntil = 0
		}
	}
	for range 1 + chance(t, 4) {
		w.plan = append(w.plan, w.setTier(t))
	}
	for market := range schema.MarketID(worldMarkets) {
		if chance(t, 4) != 0 {
			w.plan = append(w.plan, &schema.SetIndex{Market: market + 1, Price: w.rateDrawn(t)})
		}
	}
}

// allow draws what an account may.
func (w *world) allow(t *dice, a *schema.Account) {
	a.Tier, a.Verified = uint8(chance(t, 4)), coin(t)
	a.Checker, a.CreditLine, a.Partner = chance(t, 4) != 0, chance(t, 4) != 0, chance(t, 4) != 0
	a.NewAddresses, a.Invoices = coin(t), coin(t)
	if chance(t, 4) == 0 {
		a.RestrictedUntil = pick(t, w.now, w.now+1, w.now+5*schema.Second, w.now+20*schema.Second+1, nextHour(w.now), math.MaxInt64)
		w.mark(a.RestrictedUntil)
	}
	if rarely(t) {
		a.Tier = pick[uint8](t, schema.MaxTier, schema.MaxTier+1, math.MaxUint8)
	}
	if rarely(t) {
		a.RestrictedUntil = pick[schema.Time](t, -1, 1, math.MinInt64)
	}
}

// setTier draws bounds that are often reached; rarely they are wrong.
func (w *world) setTier(t *dice) *schema.SetTier {
	c := schema.Tier{
		Number: uint8(chance(t, 4)),
		Day:    pick(t, fixed.Zero, fixed.FromInt(100), fixed.FromInt(500), fixed.FromUnits(100005, 2), fixed.FromInt(10_000)),
		Month:  pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(600), fixed.FromUnits(1200_00000001, 8), fixed.FromInt(30_000)),
	}
	if w.edges != nil && coin(t) {
		c.Day = pick(t, fixed.Zero, fixed.FromUnits(1, 8), fixed.FromUnits(edgeUnits(t), 8), cut(ledger.Limit, 8))
		c.Month = pick(t, fixed.Zero, c.Day, cut(ledger.Limit, 8))
	}
	if chance(t, 10) == 0 {
		switch chance(t, 4) {
		case 0:
			c.Number = pick[uint8](t, schema.MaxTier, schema.MaxTier+1, math.MaxUint8)
		case 1:
			c.Day = pick(t, smallest, fixed.FromInt(-1), fixed.Max, cut(ledger.Limit, 8), cut(ledger.Limit, 8).Add(fixed.FromUnits(1, 8)))
		case 2:
			c.Month = pick(t, smallest, fixed.FromInt(-1), fixed.Max, cut(ledger.Limit, 8), cut(ledger.Limit, 8).Add(fixed.FromUnits(1, 8)))
		case 3:
			c.Day = c.Month.Add(fixed.FromUnits(1, 8))
		}
	}
	return &schema.SetTier{Tier: c}
}

// rateDrawn is an index price by which amounts and values are easily told from each other.
func (w *world) rateDrawn(t *dice) fixed.Decimal {
	if w.edges != nil && coin(t) {
		return w.edges.index(t)
	}
	return pick(t, fixed.One, fixed.FromInt(10), fixed.FromUnits(5, 1), fixed.FromInt(3), fixed.FromUnits(333333333, 9), fixed.FromInt(25), fixed.Zero)
}

// rate is what an asset is worth where what leaves is counted, as far as somebody knows; 0: nobody does.
func (w *world) rate(asset schema.AssetID) fixed.Decimal {
	if w.oracle == nil {
		return fixed.One
	}
	markets := w.oracle.Markets()
	if len(markets) == 0 {
		return fixed.Zero
	}
	for _, m := range markets {
		switch {
		case asset == markets[0].Quote:
			return fixed.One
		case m.Base == asset && m.Quote == markets[0].Quote && m.Type == schema.Spot:
			index, _ := w.oracle.Index(m.ID)
			return fixed.MaxOf(index, w.oracle.LastPrice(m.ID))
		}
	}
	return fixed.Zero
}

// worthJust is an amount of an asset that is worth a value, or the least less or more.
func (w *world) worthJust(t *dice, asset schema.AssetID, value fixed.Decimal) fixed.Decimal {
	places := 8
	if asset >= 1 && asset <= worldAssets {
		places = int(w.listed[asset-1].(*schema.SetAsset).Asset.Precision)
	}
	amount, fits := fixed.Div(value, fixed.MaxOf(w.rate(asset), smallest), places, fixed.Down)
	if !fits {
		return value
	}
	return pick(t, amount, amount, amount.Add(fixed.FromUnits(1, places)), amount.Sub(fixed.FromUnits(1, places)))
}

// leavingAmount draws how much is sent away, lent, charged or asked for.
func (w *world) leavingAmount(t *dice, account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	switch chance(t, 6) {
	case 0:
		return w.codeAmount(t, account, asset)
	case 1:
		return w.worthJust(t, asset, pick(t, fixed.FromInt(100), fixed.FromInt(500), fixed.FromInt(10_000)))
	}
	if w.edges != nil && coin(t) {
		return w.edges.money(t, asset)
	}
	return pick(t, fixed.FromInt(int64(1+chance(t, 40))), fixed.FromUnits(int64(1+chance(t, 9000)), 2), fixed.FromInt(int64(1+chance(t, 900))))
}

// leavingCommand draws something that bounds what leaves, something that leaves, or something else that customers and operators do with
// money in main.
func (w *world) leavingCommand(t *dice, account schema.AccountID) schema.Command {
	asset := schema.AssetID(1 + chance(t, 2))
	switch n := chance(t, 40); {
	case n < 2:
		return w.setTier(t)
	case n < 4:
		a := w.block(schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts)), chance(t, 8) == 0)
		w.allow(t, &a.Account)
		return a
	case n < 6:
		return &schema.SetIndex{Market: w.market(t), Price: w.rateDrawn(t)}
	case n < 9:
		c := w.createCode(t, account, asset)
		c.Amount = w.leavingAmount(t, account, asset)
		return c
	case n < 13 && w.chains != nil:
		c := w.requestWithdrawal(t, account, asset)
		c.Amount = w.leavingAmount(t, account, asset)
		return c
	case n < 18 && w.chains != nil:
		return w.refund(t, account)
	case n < 24:
		return w.credit(t, account)
	case n < 30:
		return w.checkOrVerdict(t, account)
	case n < 38:
		return w.expressPayment(t, account)
	}
	w.mark(pick(t, nextHour(w.now), nextHour(w.now)+aDay-anHour, nextHour(w.now)+aMonth-anHour))
	return &schema.Tick{}
}

// refund sends a deposit back, mostly one that was not accepted; or lets one not be accepted, and then sends it back.
func (w *world) refund(t *dice, account schema.AccountID) schema.Command {
	c := &schema.RefundDeposit{Account: account, Deposit: schema.DepositID(1 + chance(t, w.chains.receipts+1)), Address: pick(t, "one", "two"), Memo: pick(t, "", "7")}
	var from *worldChain
	var chosen schema.ChainDeposit
	if w.oracle != nil && !rarely(t) {
		for _, on := range w.chains.all {
			for _, d := range w.oracle.ChainDeposits(on.ID) {
				useful := d.Status == schema.DepositCanceled || d.Height != 0 && decided(d.Status)
				if d.Account != 0 && useful && (from == nil || chance(t, 3) == 0) {
					from, chosen = on, d
					c.Account, c.Deposit = d.Account, d.ID
				}
			}
		}
	}
	w.oddRefund(t, c)
	if from == nil {
		return c
	}
	if from.Driver == schema.Sandbox && chance(t, 3) == 0 {
		w.loseRefunded(t, from, &chosen)
	} else {
		w.follow(t, from, c)
	}
	if chosen.Status == schema.DepositCanceled {
		return c
	}
	w.plan = append([]schema.Command{c}, w.plan...)
	w.grow(t, from, true)
	return &schema.DecideDeposit{Deposit: c.Deposit, Decision: schema.CancelDeposit}
}

// decided reports whether an operator can still not accept a deposit.
func decided(s schema.DepositStatus) bool {
	switch s {
	case schema.DepositConfirming, schema.DepositUncredited, schema.DepositFrozen, schema.DepositTravel, schema.DepositReview:
		return true
	}
	return false
}

// oddRefund makes a refund wrong, rarely.
func (w *world) oddRefund(t *dice, c *schema.RefundDeposit) {
	if chance(t, 12) != 0 {
		return
	}
	switch chance(t, 5) {
	case 0:
		c.Address = strings.Repeat("a", pick(t, 0, schema.MaxAddressText, schema.MaxAddressText+1))
	case 1:
		c.Memo = strings.Repeat("m", pick(t, schema.MaxMemo, schema.MaxMemo+1))
	case 2:
		c.Index = schema.AddressIndex(1 + chance(t, 3))
	case 3:
		c.Account = w.account(t)
	case 4:
		c.Deposit = pick(t, 0, c.Deposit+1)
	}
}

// grow lets a chain go on by a few blocks, before all else that is planned or after it.
func (w *world) grow(t *dice, c *worldChain, first bool) {
	blocks := 1 + chance(t, 7)
	if c.Driver != schema.Sandbox {
		c.hurry += blocks
		return
	}
	mine := &schema.MineSandbox{Chain: c.ID, Blocks: uint32(blocks)}
	if first {
		w.plan = append([]schema.Command{mine}, w.plan...)
	} else {
		w.plan = append(w.plan, mine)
	}
}

// follow plans what becomes of a refund: blocks pay it, or an operator decides about it, its account is blocked, or its chain falls back,
// with the deposit or without it.
func (w *world) follow(t *dice, on *worldChain, c *schema.RefundDeposit) {
	for range chance(t, 4) {
		switch chance(t, 6) {
		case 0, 1:
			w.grow(t, on, false)
		case 2:
			w.plan = append(w.plan, &schema.DecideWithdrawal{Withdrawal: schema.WithdrawalID(w.chains.asked + 1), Decision: schema.Verdict(1 + chance(t, 4))})
		case 3:
			if int(c.Account-schema.FirstCustomer) < worldAccounts && c.Account >= schema.FirstCustomer {
				w.plan = append(w.plan, w.block(c.Account, true))
				w.grow(t, on, false)
				w.plan = append(w.plan, w.block(c.Account, false))
			}
		case 4:
			if on.Driver == schema.Sandbox {
				r := w.reorg(t, on)
				r.Depth, r.DropAll = uint32(1+chance(t, 12)), coin(t)
				w.plan = append(w.plan, r)
				w.grow(t, on, false)
				w.grow(t, on, false)
			} else {
				w.plan = append(w.plan, w.chainRewind(t, on))
			}
		case 5:
			if on.Driver == schema.Sandbox {
				stuck := on.Chain
				stuck.Stuck = !stuck.Stuck
				w.plan = append(w.plan, &schema.SetChain{Chain: stuck})
				w.grow(t, on, false)
			}
		}
	}
}

// loseRefunded plans that the sandbox pays a refund, and then takes back the deposit that it is of; the refund may still have to be paid
// again.
func (w *world) loseRefunded(t *dice, on *worldChain, d *schema.ChainDeposit) {
	at, _, _ := w.oracle.ChainAt(on.ID)
	w.plan = append(w.plan, &schema.MineSandbox{Chain: on.ID, Blocks: uint32(1 + chance(t, 4))})
	stuck := on.Chain
	stuck.Paused, stuck.Stuck = false, true
	if coin(t) {
		w.plan = append(w.plan, &schema.SetChain{Chain: stuck})
	}
	w.plan = append(w.plan,
		&schema.ReorgSandbox{Chain: on.ID, Depth: uint32(at.Height-d.Height) + 1 + uint32(chance(t, 12)), Drop: d.Receipt, DropAll: chance(t, 4) == 0},
		&schema.MineSandbox{Chain: on.ID, Blocks: uint32(6 + chance(t, 20))})
	stuck.Stuck = false
	w.plan = append(w.plan, &schema.SetChain{Chain: stuck}, &schema.MineSandbox{Chain: on.ID, Blocks: uint32(1 + chance(t, 8))})
}

// learnLeaving notes what became of commands that are about what leaves, and asks again for what would just do, or when it would.
func (w *world) learnLeaving(t *dice, cmd schema.Command, answer schema.Result) (done bool) {
	r := answer.Rejection
	switch c := cmd.(type) {
	case *schema.RefundDeposit:
		w.learnRefund(t, c, answer)
		return true
	case *schema.OpenCredit, *schema.ChargeCredit, *schema.RepayCredit:
		w.learnCredit(t, cmd, answer)
		return true
	case *schema.CheckAddress:
		w.learnCheck(t, c, answer)
		return true
	case *schema.RequestExpress:
		w.learnExpress(t, c, answer)
		return true
	case *schema.SetTier:
		return true
	}
	switch r.Reason {
	case schema.DayLimit, schema.MonthLimit:
		if chance(t, 3) == 0 {
			return true
		}
		w.retry = w.resized(t, cmd, r.Value)
		if chance(t, 3) == 0 {
			w.due = pick(t, nextHour(w.now)-1, nextHour(w.now), nextHour(w.now)+aDay-anHour-1, nextHour(w.now)+aDay-anHour,
				nextHour(w.now)+aMonth-anHour-1, nextHour(w.now)+aMonth-anHour)
		}
		return true
	case schema.Restricted:
		if until, fits := r.Value.Units(0); fits && until < int64(schema.StepRuleFrom/schema.Second)*2 && chance(t, 3) == 0 {
			w.retry, w.due = cmd, schema.Time(until)*schema.Second-pick(t, 0, 1, schema.Second)
		}
		return true
	}
	return false
}

// resized is a command that left too much, with what may still leave, or the least more or less; or as it was.
func (w *world) resized(t *dice, cmd schema.Command, value fixed.Decimal) schema.Command {
	if value.Sign() <= 0 || chance(t, 4) == 0 {
		return cmd
	}
	switch c := cmd.(type) {
	case *schema.CreateCode:
		again := *c
		again.Amount = w.worthJust(t, c.Asset, value)
		return &again
	case *schema.RequestWithdrawal:
		again := *c
		again.Amount, again.Pay = w.worthJust(t, c.Asset, value), false
		return &again
	}
	return cmd
}

// learnRefund counts a refund among the withdrawals, and asks for the same again.
func (w *world) learnRefund(t *dice, c *schema.RefundDeposit, answer schema.Result) {
	if answer.Rejection.Refused() {
		return
	}
	w.chains.asked++
	if chance(t, 4) == 0 {
		again := *c
		w.retry = &again
	}
	if on := w.chains.all[answer.Withdrawal.Chain-1]; on.Interval > 0 {
		w.mark(w.now + on.Interval)
	}
}
