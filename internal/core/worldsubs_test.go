package core

import (
	"fmt"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// worldSubs is what the world knows of families: the accounts of the world are masters, and their sub-accounts come after them.
type worldSubs struct {
	named   int  // external ids that were drawn
	opened  int  // ids and public parts of keys that were drawn
	crowded bool // a master has about as many sub-accounts as it can have
	born    []schema.Command
}

// wantSubs lets masters have sub-accounts that do what the others do.
func (w *world) wantSubs(t *dice) {
	w.subs = &worldSubs{crowded: chance(t, 60) < 3}
	if w.leaving == nil && coin(t) {
		w.wantLeaving(t)
	}
	for _, c := range w.listed {
		if c, is := c.(*schema.SetAccount); is {
			w.allow(t, &c.Account)
			c.Account.RestrictedUntil, c.Account.Approvals, c.Account.TradFi = 0, coin(t), coin(t)
			c.Account.Tier = min(c.Account.Tier, schema.MaxTier)
		}
	}
	var list []schema.Command
	for i := range schema.AccountID(2 + chance(t, 3)) {
		c := w.setSub(t)
		c.Master, c.Sub, c.Alias = schema.FirstCustomer+i%2, 0, fmt.Sprintf("birth%d", i)
		c.External, c.Email, c.ShareKYC, c.Active = fmt.Sprintf("born%d", i), "sealed", coin(t), chance(t, 5) != 0
		list = append(list, c)
	}
	if w.subs.crowded {
		for i := range schema.MaxSubs - pick(t, 0, 1, 2) {
			list = append(list, &schema.SetSub{
				Master: schema.FirstCustomer + 3, Alias: fmt.Sprintf("crowd%d", i), External: fmt.Sprintf("crowd%d", i), ShareKYC: true,
			})
		}
	}
	for i := range schema.AccountID(2) {
		sub := schema.FirstCustomer + worldAccounts + i
		for asset := range schema.AssetID(worldAssets) {
			amount := fixed.FromInt(int64(1 + chance(t, 150)))
			list = append(list, &schema.Deposit{Account: sub, Asset: asset + 1, Amount: amount})
			if coin(t) {
				list = append(list, &schema.Transfer{Account: sub, Asset: asset + 1, Amount: amount, From: schema.Main, To: schema.Trade})
			}
		}
		list = append(list, &schema.OpenKey{
			By: schema.FirstCustomer + i, Account: pick(t, sub, schema.FirstCustomer+i), External: fmt.Sprintf("e%d", i), Key: fmt.Sprintf("p%d", i),
			Sealed: []byte("sealed"), Type: uint8(1 + chance(t, 2)),
		})
	}
	w.subs.opened = 2
	w.subs.born = append(list, w.keys()...)
}

// family draws a sub-account, mostly one that is active or at least not deleted, with its master. There may be none.
func (w *world) family(t *dice) (master, sub schema.AccountID) {
	var all, alive, active []schema.Account
	for _, a := range w.oracle.Accounts() {
		if a.IsSub() {
			all = append(all, a)
			if a.Status != schema.SubDeleted {
				alive = append(alive, a)
			}
			if a.Status == schema.SubActive && !a.Blocked {
				active = append(active, a)
			}
		}
	}
	switch {
	case len(active) > 0 && chance(t, 3) != 0:
		all = active
	case len(alive) > 0 && !rarely(t):
		all = alive
	}
	if len(all) == 0 {
		return schema.FirstCustomer, schema.FirstCustomer + worldAccounts
	}
	chosen := all[chance(t, min(len(all), 8))] // in a crowd, too, some do most
	if rarely(t) {
		chosen = all[chance(t, len(all))]
	}
	return chosen.Parent, chosen.ID
}

// relatives is a family, rarely of a master who is none of it, or of somebody who is no sub-account.
func (w *world) relatives(t *dice) (master, sub schema.AccountID) {
	master, sub = w.family(t)
	if chance(t, 20) == 0 {
		master = pick(t, 0, schema.Fees, 999, sub, schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts)))
	}
	if chance(t, 20) == 0 {
		sub = pick(t, master, 999, schema.Fees, schema.FirstCustomer+schema.AccountID(chance(t, worldAccounts+8)))
	}
	return master, sub
}

// subCommand draws something that masters do with their sub-accounts, that operators do with either, or that sub-accounts do and only
// some may.
func (w *world) subCommand(t *dice) schema.Command {
	master, sub := w.relatives(t)
	switch n := chance(t, 100); {
	case n < 10:
		return w.setSub(t)
	case n < 19:
		return &schema.BlockSub{Master: master, Sub: sub, Blocked: w.blocks(t, sub)}
	case n < 37:
		return w.moveSub(t, master, sub)
	case n < 40:
		return &schema.DeleteSub{Master: master, Sub: sub}
	case n < 43:
		return w.emptySub(t, master, sub)
	case n < 49:
		return w.confirm(t, master)
	case n < 59:
		return w.setFamily(t)
	case n < 60:
		return &schema.VerifySub{Sub: pick(t, sub, sub, sub, master, w.account(t))}
	case n < 62 && w.chains != nil:
		return w.strand(t, master, sub)
	case n < 76:
		return w.exitOf(t, sub)
	}
	return w.keyCommand(t)
}

// blocks is mostly what can be done: to block a sub-account that is active, or to lift the block.
func (w *world) blocks(t *dice, sub schema.AccountID) bool {
	if a := w.known(sub); a != nil && chance(t, 6) != 0 {
		return a.Status != schema.SubBlocked
	}
	return coin(t)
}

// known is an account as the oracle knows it, or nil.
func (w *world) known(id schema.AccountID) *schema.Account {
	for _, a := range w.oracle.Accounts() {
		if a.ID == id {
			return &a
		}
	}
	return nil
}

// setSub draws a sub-account to be made or changed.
func (w *world) setSub(t *dice) *schema.SetSub {
	c := &schema.SetSub{
		Master: schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts)), Alias: fmt.Sprintf("alias%d", chance(t, 8)),
		Spot: chance(t, 4) != 0, Margin: coin(t), ShareKYC: coin(t), Active: coin(t),
	}
	switch {
	case w.subs.crowded && coin(t):
		c.Master, c.Email = schema.FirstCustomer+3, "sealed"
	case w.oracle != nil && coin(t):
		c.Master, c.Sub = w.relatives(t)
		if a := w.known(c.Sub); a != nil && coin(t) {
			c.Alias = a.Alias
		}
	}
	w.subs.named++
	c.External = fmt.Sprintf("sub%d", w.subs.named)
	if coin(t) {
		c.Email = "sealed"
	}
	if chance(t, 6) != 0 {
		return c
	}
	switch chance(t, 6) {
	case 0:
		c.Alias = strings.Repeat("a", pick(t, 0, schema.MaxAlias, schema.MaxAlias+1))
	case 1:
		c.External = pick(t, "", "trader0", "born0", strings.Repeat("x", 64), strings.Repeat("x", 65), fmt.Sprintf("sub%d", 1+chance(t, w.subs.named)))
	case 2:
		c.Email = strings.Repeat("e", pick(t, 0, schema.MaxEmail, schema.MaxEmail+1))
	case 3:
		if w.oracle != nil {
			_, c.Master = w.family(t)
			c.Sub = 0
		}
	case 4:
		c.Master = w.account(t)
	case 5: // an id that one has, maybe one who has another name now
		if w.oracle != nil {
			_, other := w.family(t)
			if a := w.known(other); a != nil {
				c.External, c.Sub = a.External, 0
			}
		}
	}
	return c
}

// moveSub draws a movement between the wallets of a family: something, all that is there, or nearly that.
func (w *world) moveSub(t *dice, master, sub schema.AccountID) schema.Command {
	c := &schema.MoveSub{Master: master, Sub: sub, ToSub: coin(t), Asset: schema.AssetID(1 + chance(t, worldAssets))}
	from := sub
	if c.ToSub {
		from = master
	}
	c.Amount = w.leavingAmount(t, from, c.Asset)
	if available, _, held := w.oracle.Balance(from, schema.Main, c.Asset); available.Sign() > 0 && chance(t, 3) == 0 {
		free := fixed.MaxOf(fixed.Zero, available.Sub(held))
		c.Amount = pick(t, available, free, cut(available, 2), cut(free, 2), free.Add(fixed.FromUnits(1, 2)), available.Add(fixed.FromUnits(1, 2)))
	}
	if chance(t, 30) == 0 {
		c.Asset = pick[schema.AssetID](t, 0, worldAssets+1)
	}
	if chance(t, 30) == 0 {
		c.Amount = pick(t, fixed.Zero, fixed.FromInt(-1), smallest, fixed.Max)
	}
	return c
}

// emptySub plans that a sub-account gives away all it has and is then deleted, in this order or nearly, and maybe gets a deposit then.
func (w *world) emptySub(t *dice, master, sub schema.AccountID) schema.Command {
	list := []schema.Command{}
	for asset := range schema.AssetID(worldAssets) {
		places := int(w.listed[asset].(*schema.SetAsset).Asset.Precision)
		main, _, _ := w.oracle.Balance(sub, schema.Main, asset+1)
		trade, frozen, _ := w.oracle.Balance(sub, schema.Trade, asset+1)
		trade = cut(trade.Add(frozen), places)
		if trade.Sign() > 0 {
			list = append(list, &schema.Transfer{Account: sub, Asset: asset + 1, Amount: trade, From: schema.Trade, To: schema.Main})
		}
		if all := cut(main.Add(trade), places); all.Sign() > 0 {
			list = append(list, &schema.MoveSub{Master: master, Sub: sub, Asset: asset + 1, Amount: all})
		}
	}
	list = append(list, &schema.DeleteSub{Master: master, Sub: sub})
	if coin(t) {
		list = append(list, w.gift(t, sub))
	}
	if chance(t, 6) == 0 { // a step is forgotten
		drop := chance(t, len(list))
		list = append(list[:drop:drop], list[drop+1:]...)
	}
	w.plan = append(list, w.plan...)
	return &schema.CancelAll{Account: sub}
}

// gift is money that comes to an account: by a chain to one of its addresses, or without one.
func (w *world) gift(t *dice, to schema.AccountID) schema.Command {
	if w.chains != nil {
		sandbox := w.chains.all[w.often(t, 0, 3)]
		payment := w.payment(t, sandbox)
		for _, a := range w.oracle.Addresses() {
			if a.Space() == sandbox.Space() && a.Account == to {
				payment.Index = a.Index
			}
		}
		w.grow(t, sandbox, true)
		return &schema.PaySandbox{Chain: sandbox.ID, Receipt: payment}
	}
	return &schema.Deposit{Account: to, Asset: schema.AssetID(1 + chance(t, worldAssets)), Amount: fixed.FromInt(int64(1 + chance(t, 9))), Held: coin(t)}
}

// confirm lets a withdrawal begin, mostly one that waits for it.
func (w *world) confirm(t *dice, master schema.AccountID) schema.Command {
	c := &schema.ConfirmWithdrawal{Master: master, Withdrawal: schema.WithdrawalID(chance(t, 4))}
	if w.chains == nil {
		return c
	}
	for _, on := range w.chains.all {
		for _, known := range w.oracle.Withdrawals(on.ID) {
			a := w.known(known.Account)
			waits := known.Status == schema.WithdrawalUnconfirmed
			if waits && chance(t, 3) != 0 || !waits && chance(t, 12) == 0 {
				c.Withdrawal = known.ID
				if !rarely(t) {
					c.Master = a.Parent
				}
			}
		}
	}
	return c
}

// setFamily draws what an operator lets a master or a sub-account do.
func (w *world) setFamily(t *dice) schema.Command {
	id := schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
	if chance(t, 3) != 0 {
		_, id = w.family(t)
	}
	a := schema.Account{Name: "nobody", Region: schema.Global}
	if known := w.known(id); known != nil {
		a = *known
	}
	a.ID = id
	a.Region = pick(t, schema.Global, schema.Global, schema.Global, schema.EU)
	a.Blocked = chance(t, 10) == 0
	a.Retail, a.RPI, a.Mining, a.TradFi = chance(t, 4) != 0, chance(t, 4) != 0, coin(t), coin(t)
	a.Deposits, a.Approvals, a.KYCLinks = chance(t, 4) != 0, coin(t), coin(t)
	a.MaxLeverage = pick[uint8](t, 0, 0, 5, 20, 100, 4, 255)
	w.allow(t, &a)
	if chance(t, 6) == 0 { // what is not an operator's to choose
		a.Parent, a.External, a.Alias = pick(t, a.Parent, 0, id, schema.FirstCustomer), pick(t, a.External, "", "other"), pick(t, a.Alias, "", "other")
		a.Email, a.Status = pick(t, a.Email, "", "other"), schema.SubStatus(chance(t, 6))
		a.ShareKYC, a.Spot, a.Margin = coin(t), coin(t), coin(t)
	}
	if chance(t, 12) == 0 { // a new one, which has no other fault than that it is a sub-account
		w.subs.named++
		a.ID, a.Name, a.MaxLeverage = 0, fmt.Sprintf("sub%d", w.subs.named), 0
		a.Tier, a.RestrictedUntil = min(a.Tier, schema.MaxTier), max(a.RestrictedUntil, 0)
		if coin(t) {
			a.Parent, a.External, a.Alias, a.Email, a.Status, a.ShareKYC, a.Spot, a.Margin = 0, "", "", "", 0, false, false, false
		}
		return &schema.SetAccount{Account: a}
	}
	switch {
	case rarely(t):
		a.Name = pick(t, "trader0", "born0", "", strings.Repeat("n", 65))
	case a.IsSub() && chance(t, 6) == 0:
		a.Name = fmt.Sprintf("renamed%d", a.ID)
	}
	return &schema.SetAccount{Account: a, KeepRestriction: chance(t, 3) == 0, KeepVerified: chance(t, 3) == 0}
}

// exitOf draws something by which money comes to a sub-account or leaves it, or is only moved, and that not all of them may.
func (w *world) exitOf(t *dice, sub schema.AccountID) schema.Command {
	asset := schema.AssetID(1 + chance(t, 2))
	if w.chains != nil {
		switch chance(t, 12) {
		case 0, 1, 2, 3, 4:
			c := w.requestWithdrawal(t, sub, asset)
			if coin(t) {
				c.Amount = fixed.FromInt(int64(1 + chance(t, 30)))
			}
			if coin(t) {
				w.chains.named++
				c.Unique = fmt.Sprintf("v%d", w.chains.named)
			}
			if chance(t, 3) == 0 {
				w.toSub(t, c)
			}
			return c
		case 5:
			return &schema.OpenAddress{Account: sub, Chain: w.chain(t, w.chains.all[chance(t, len(w.chains.all))]), Fresh: coin(t), Asset: w.addressAsset(t)}
		case 6:
			return w.refund(t, sub)
		case 7:
			return w.gift(t, sub)
		}
	}
	switch chance(t, 10) {
	case 0, 1:
		return w.createCode(t, sub, asset)
	case 2:
		return &schema.CheckAddress{Account: sub, Asset: asset, Address: "one"}
	case 3:
		return &schema.RequestExpress{Account: sub, Asset: asset, Amount: fixed.One, External: "x", Digest: codeDigest(900), Sealed: []byte(usualSealed)}
	case 4:
		return &schema.RequestInvoice{Account: pick(t, sub, sub, w.account(t)), Asset: asset, Amount: fixed.One, Unique: "x", Digest: codeDigest(900)}
	case 5:
		return w.gift(t, sub)
	}
	c := &schema.Transfer{Account: sub, Asset: schema.AssetID(1 + chance(t, worldAssets)), From: schema.Main, To: pick(t, schema.Trade, schema.Collateral), Amount: fixed.FromInt(int64(1 + chance(t, 20)))}
	if chance(t, 3) == 0 {
		c.From, c.To = c.To, c.From
	}
	return c
}

// learnSubs lets something come of what masters did, or wait for it: a block is lifted, and a withdrawal is confirmed, decided about, or
// forgotten until it is too late.
func (w *world) learnSubs(t *dice, cmd schema.Command, answer schema.Result) {
	if answer.Rejection.Refused() {
		return
	}
	switch c := cmd.(type) {
	case *schema.BlockSub:
		if c.Blocked && chance(t, 3) != 0 {
			w.plan = append(w.plan, &schema.BlockSub{Master: c.Master, Sub: c.Sub})
		}
	case *schema.SetAccount:
		if c.Account.Blocked && coin(t) {
			free := *c
			free.Account.Blocked = false
			w.plan = append(w.plan, &free)
		}
	case *schema.RequestWithdrawal:
		switch answer.Withdrawal.Status {
		case schema.WithdrawalUnconfirmed:
			w.answerRequest(t, answer.Withdrawal)
		case schema.WithdrawalQueued: // what leaves another of the family counts with it
			if a := w.known(c.Account); a.IsSub() && coin(t) {
				again := *c
				w.chains.named++
				again.Account, again.Index, again.Unique = a.Parent, 0, fmt.Sprintf("v%d", w.chains.named)
				again.Amount = pick(t, c.Amount, fixed.FromInt(int64(15+chance(t, 90))), w.withdrawn(t, a.Parent, c.Asset))
				w.plan = append([]schema.Command{&again}, w.plan...)
			}
		}
	case *schema.MoveSub:
		if c.ToSub && chance(t, 3) == 0 {
			w.retry = &schema.Transfer{Account: c.Sub, Asset: c.Asset, Amount: c.Amount, From: schema.Main, To: pick(t, schema.Trade, schema.Trade, schema.Collateral)}
		}
	}
}

// toSub sends a withdrawal to the address of a sub-account, also of one that is deleted.
func (w *world) toSub(t *dice, c *schema.RequestWithdrawal) {
	for _, a := range w.oracle.Addresses() {
		on := w.chains.all[chance(t, len(w.chains.all))]
		if owner := w.known(a.Account); owner.IsSub() && a.Space() == on.Space() && coin(t) {
			c.Chain, c.Index = on.ID, a.Index
		}
	}
}

// strand plans that a new sub-account is deleted before it has what another sends to it, and then the sender's master or an operator says
// that it is sent.
func (w *world) strand(t *dice, master, sender schema.AccountID) schema.Command {
	asset := schema.AssetID(1 + chance(t, 2))
	c := w.requestWithdrawal(t, sender, asset)
	on := w.chains.all[chance(t, len(w.chains.all))]
	if networks := w.listed[asset-1].(*schema.SetAsset).Asset.Networks; len(networks) > 0 {
		on = w.chains.all[networks[chance(t, len(networks))].Chain-1]
	}
	w.subs.named++
	made := &schema.SetSub{Master: master, External: fmt.Sprintf("sub%d", w.subs.named), Alias: fmt.Sprintf("strand%d", w.subs.named), ShareKYC: true}
	opened := schema.Account{ID: schema.FirstCustomer + schema.AccountID(len(w.oracle.Accounts())), Name: made.External, Region: schema.Global, Deposits: true}
	w.chains.named++
	c.Chain, c.Index, c.Unique = on.ID, w.oracle.LastIndex(on.ID)+1, fmt.Sprintf("v%d", w.chains.named)
	c.Amount, c.Pay = pick(t, fixed.FromInt(int64(1+chance(t, 9))), fixed.FromInt(int64(5+chance(t, 60)))), true
	id := schema.WithdrawalID(w.chains.asked + 1)
	list := []schema.Command{
		&schema.SetAccount{Account: opened}, &schema.OpenAddress{Account: opened.ID, Chain: on.ID}, c,
		&schema.DeleteSub{Master: master, Sub: opened.ID},
		&schema.ConfirmWithdrawal{Master: master, Withdrawal: id},
		&schema.DecideWithdrawal{Withdrawal: id, Decision: pick(t, schema.ApproveWithdrawal, schema.ApproveWithdrawal, schema.CancelWithdrawal)},
	}
	w.plan = append(list, w.plan...)
	return made
}

// answerRequest lets a master or somebody else do something about a withdrawal that waits.
func (w *world) answerRequest(t *dice, waits *schema.Withdrawal) {
	master := w.known(waits.Account).Parent
	w.mark(waits.Created + aDay)
	confirm := &schema.ConfirmWithdrawal{Master: master, Withdrawal: waits.ID}
	switch chance(t, 9) {
	case 0, 1:
		w.retry = confirm
	case 2:
		w.retry, w.due = &schema.Tick{}, waits.Created+aDay+schema.Time(chance(t, 3)-1)
		w.plan = append(w.plan, confirm)
	case 3:
		w.retry, w.due = confirm, waits.Created+aDay+schema.Time(chance(t, 3)-1)
	case 4:
		w.retry = &schema.DecideWithdrawal{Withdrawal: waits.ID, Decision: schema.Verdict(1 + chance(t, 4))}
	case 5:
		w.retry = &schema.BlockSub{Master: master, Sub: waits.Account, Blocked: true}
		w.plan = append(w.plan, confirm)
	case 6:
		a := *w.known(master)
		a.Approvals = false
		w.retry = &schema.SetAccount{Account: a}
		w.plan = append(w.plan, confirm)
	case 7: // nothing leaves the family for a while
		a := *w.known(pick(t, master, waits.Account))
		a.RestrictedUntil = w.now + anHour
		w.plan = append([]schema.Command{&schema.SetAccount{Account: a}, confirm}, w.plan...)
	}
}

// families are the sub-accounts of a pit, which have some collateral, too.
func (p *pit) families(t *dice) (list []schema.Command) {
	for i := range schema.AccountID(p.subs) {
		master, sub := schema.FirstCustomer+i%2, schema.FirstCustomer+worldAccounts+i
		list = append(list, &schema.SetSub{Master: master, Alias: fmt.Sprintf("s%d", i), External: fmt.Sprintf("s%d", i), Spot: true, Margin: true, ShareKYC: true})
		for asset := range schema.AssetID(3) {
			amount := fixed.FromInt(int64(1 + chance(t, pick(t, 300, 3000, 20_000))))
			if asset+1 != pitUSDT {
				amount = fixed.FromUnits(int64(1+chance(t, 100)), 3)
			}
			list = append(list, &schema.Deposit{Account: sub, Asset: asset + 1, Amount: amount},
				&schema.Transfer{Account: sub, Asset: asset + 1, Amount: amount, From: schema.Main, To: pick(t, schema.Collateral, schema.Collateral, schema.Trade)})
		}
	}
	return list
}

// family is something that a master or an operator does while a sub-account has orders and positions.
func (p *pit) family(t *dice) schema.Command {
	i := schema.AccountID(chance(t, p.subs))
	master, sub := schema.FirstCustomer+i%2, schema.FirstCustomer+worldAccounts+i
	switch chance(t, 8) {
	case 0, 1, 2:
		p.follow = append(p.follow, &schema.BlockSub{Master: master, Sub: sub})
		return &schema.BlockSub{Master: master, Sub: sub, Blocked: true}
	case 3:
		return &schema.BlockSub{Master: master, Sub: sub, Blocked: coin(t)}
	case 4:
		return &schema.DeleteSub{Master: master, Sub: sub}
	case 5:
		return &schema.SetSub{Master: master, Sub: sub, Alias: fmt.Sprintf("s%d", i), Spot: coin(t), Margin: chance(t, 3) != 0}
	case 6:
		return &schema.MoveSub{Master: master, Sub: sub, ToSub: coin(t), Asset: schema.AssetID(1 + chance(t, 3)), Amount: pick(t, d("1"), d("0.01"), d("100"))}
	}
	a := *p.bank.Accounts().Get(pick(t, master, sub))
	a.MaxLeverage, a.TradFi, a.RPI = pick[uint8](t, 0, 0, 5, 100), chance(t, 4) != 0, chance(t, 4) != 0
	a.Region, a.Blocked = pick(t, schema.Global, schema.Global, schema.Global, schema.EU), chance(t, 8) == 0
	return &schema.SetAccount{Account: a}
}
