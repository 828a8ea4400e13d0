package core

import (
	"math"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func (w *world) operator(t *dice) schema.Command {
	list := w.listed
	if list == nil {
		list = genesis()
	}
	account := w.account(t)
	switch chance(t, 12) {
	case 0:
		c := *list[chance(t, worldAssets)].(*schema.SetAsset)
		c.Asset.Precision = uint8(chance(t, 20))
		c.Asset.Scale += pick(t, uint8(0), 0, 0, 1)
		c.Asset.CanDeposit, c.Asset.CanWithdraw = chance(t, 4) != 0, chance(t, 4) != 0
		c.Asset.Codes = chance(t, 6) != 0
		oddAsset(t, &c.Asset)
		return &c
	case 1:
		c := *list[worldAssets+chance(t, worldMarkets)].(*schema.SetMarket)
		m := &c.Market
		if w.edges != nil {
			w.edges.sharpen(t, m)
			return &c
		}
		m.Enabled = !rarely(t)
		if chance(t, 8) == 0 {
			m.Base, m.Quote = pick(t, m.Base, schema.AssetID(chance(t, 5))), pick(t, m.Quote, schema.AssetID(chance(t, 5)))
			m.Name = pick(t, m.Name, m.Name, "AAA_BBB", "AAA_DDD", "")
			m.Type = pick(t, m.Type, m.Type, schema.Futures, 0)
		}
		m.TakerBand = pick(t, m.TakerBand, fixed.Zero, fixed.FromInt(1), fixed.FromInt(100))
		m.MakerFee = pick(t, m.MakerFee, fixed.FromUnits(-1, 2), fixed.FromInt(50))
		m.StepSize = pick(t, m.StepSize, fixed.Zero, fixed.FromInt(1))
		m.FeePrec += pick(t, uint8(0), 1, 30)
		m.OpensAt = pick(t, 0, 0, w.now+schema.Time(chance(t, 60))*schema.Second)
		w.mark(m.OpensAt)
		m.Regions = pick(t, 0, 0, 0, 0, schema.In(schema.EU), schema.In(schema.Global), schema.In(schema.Global, schema.EU))
		if rarely(t) {
			m.Regions = pick[schema.Regions](t, 1, 3, 7, 8, 255)
		}
		m.RPIPremium = pick(t, m.RPIPremium, schema.Optional{}, schema.Some(fixed.FromUnits(-2, 2)))
		m.MaxOrders = pick[uint32](t, 0, 0, 1, 3, schema.HighestMaxOrders, schema.HighestMaxOrders+1)
		return &c
	case 2:
		n := chance(t, worldAccounts)
		a := list[worldAssets+worldMarkets+n].(*schema.SetAccount).Account
		a.ID = pick(t, schema.FirstCustomer+schema.AccountID(n), schema.FirstCustomer+schema.AccountID(n), schema.FirstCustomer+schema.AccountID(n), account, 0)
		a.Region = pick(t, schema.Global, schema.Global, schema.EU, 0)
		a.Blocked, a.Retail, a.RPI = chance(t, 8) == 0, coin(t), coin(t)
		a.MakerFee = pick(t, schema.Optional{}, schema.Some(fixed.Zero), schema.Some(fixed.FromUnits(-3, 2)))
		if rarely(t) {
			a.Name = pick(t, "", "trader0", strings.Repeat("x", 64), strings.Repeat("x", 65))
		}
		if w.edges != nil {
			a.MakerFee, a.TakerFee = w.edges.fee(t), w.edges.fee(t)
		}
		if w.leaving != nil {
			w.allow(t, &a)
		}
		return &schema.SetAccount{Account: a}
	case 3:
		if w.edges != nil {
			return &schema.SetFee{Account: account, Market: w.market(t), Maker: w.edges.fee(t), Taker: w.edges.fee(t)}
		}
		return &schema.SetFee{
			Account: account, Market: w.market(t),
			Maker: pick(t, schema.Optional{}, schema.Some(fixed.FromUnits(7, 2)), schema.Some(fixed.FromUnits(-7, 2))),
			Taker: pick(t, schema.Optional{}, schema.Some(fixed.Zero), schema.Some(fixed.FromInt(60))),
		}
	case 4:
		if w.ticksAlone() {
			return w.index(t)
		}
		from := w.now + schema.Time(chance(t, 20)-2)*schema.Second
		to := from + schema.Time(chance(t, 20)-1)*schema.Second
		if rarely(t) {
			from, to = w.moment(t), w.moment(t)
		}
		w.mark(from)
		w.mark(to)
		return &schema.PlanMaintenance{Market: w.market(t), From: pick(t, from, from, 0), To: to}
	case 5:
		if w.ticksAlone() {
			return w.index(t)
		}
		at := pick(t, 0, w.now+schema.Time(chance(t, 600)-1)*schema.Second, w.moment(t))
		w.mark(at)
		return &schema.PlanDelisting{Market: w.market(t), At: at}
	case 6:
		if feature := pick(t, schema.BoundedWork, schema.ExactMoney, schema.ExactNonces, schema.JudgedKeys); rarely(t) {
			return &schema.SetFeature{Feature: feature, On: w.on(feature) && coin(t)}
		}
		return &schema.SetFeature{Feature: pick(t, schema.StepRule, schema.StepRule, schema.PlatformMaintenance, schema.IdleKeys, 8), On: !rarely(t)}
	case 7:
		return w.index(t)
	case 8, 9, 10:
		n := chance(t, worldAccounts)
		k := schema.Key{Key: keyName(n), Account: pick(t, account, schema.FirstCustomer+schema.AccountID(n)), Sealed: []byte("sealed"), Enabled: chance(t, 6) != 0, URLs: []string{"/api/v4/orders"}}
		if rarely(t) {
			k.Key = pick(t, "", strings.Repeat("k", 128), strings.Repeat("k", 129))
			k.Sealed = pick(t, nil, []byte("s"))
		}
		return &schema.SetKey{Key: k}
	default:
		return &schema.DeleteKey{Key: keyName(chance(t, worldAccounts+1))}
	}
}

// mark notes a moment at which something is to happen, so that commands come right then.
func (w *world) mark(at schema.Time) {
	if at > 0 && at < w.now+schema.StepRuleFrom { // and not at the end of time
		w.marks = append(w.marks, at)
	}
}

// moment is a time at an edge.
func (w *world) moment(t *dice) schema.Time {
	return pick(t, w.now-1, w.now, w.now+1, 0, 1, -1, math.MaxInt64, math.MinInt64, schema.StepRuleFrom)
}

// oddAsset draws settings of an asset that few have, right or wrong.
func oddAsset(t *dice, a *schema.Asset) {
	switch chance(t, 8) {
	case 0:
		a.Ticker = pick(t, "", "a", "DDD", "A_1", "ABCDEFGHIJKLMNOPQRST", "ABCDEFGHIJKLMNOPQRSTU", "A-B")
	case 1:
		a.Class = pick[schema.AssetClass](t, 0, schema.Fiat, schema.PaymentMethod, 4)
	case 2:
		a.MinDeposit, a.MaxDeposit = pick(t, fixed.Zero, fixed.One, smallest.Neg()), pick(t, fixed.Zero, fixed.One, smallest)
	case 3:
		a.MinWithdraw, a.MaxWithdraw = pick(t, fixed.Zero, fixed.Max, smallest.Neg()), pick(t, fixed.Zero, fixed.Max, smallest)
	case 4:
		for range chance(t, 3) {
			a.Networks = append(a.Networks, schema.Network{
				Name: pick(t, "one", "two", ""), Default: coin(t), MinDeposit: pick(t, fixed.Zero, fixed.One), MaxDeposit: pick(t, fixed.Zero, fixed.One, smallest),
				Confirmations: uint32(chance(t, 3)), ConfirmationsForTrading: uint32(chance(t, 2)),
			})
		}
	case 5, 6:
		a.MinCode = pick(t, fixed.Zero, fixed.One, fixed.FromUnits(5, 1), fixed.FromInt(100), fixed.FromUnits(1, int(min(a.Precision, 18))), smallest, smallest.Neg(), fixed.Max)
	}
}
