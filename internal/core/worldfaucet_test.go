package core

import (
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const aDay = 24 * 3600 * schema.Second

// midnight is the end of the day of a moment.
func midnight(at schema.Time) schema.Time { return at - at%aDay + aDay }

// faucet takes money from a faucet, and sometimes sets one again.
func (w *world) faucet(t *dice, account schema.AccountID, asset schema.AssetID) schema.Command {
	if chance(t, 4) == 0 {
		return w.setFaucet(t, asset)
	}
	w.mark(midnight(w.now))
	return &schema.TakeFaucet{Account: account, Asset: asset, Amount: w.taken(t, asset)}
}

// setFaucet draws a limit. Those of an asset are close to each other, so that one is often lowered
// below what somebody took.
func (w *world) setFaucet(t *dice, asset schema.AssetID) schema.Command {
	limit := pick(t, fixed.FromInt(1000), fixed.FromInt(600), fixed.FromInt(100), fixed.FromUnits(100001, 2), fixed.Zero)
	if w.edges != nil {
		limit = w.edges.money(t, asset)
	}
	if chance(t, 6) == 0 {
		limit = pick(t, fixed.Zero, fixed.Max, smallest, fixed.FromInt(1000).Add(smallest), ledger.Limit, smallest.Neg(), fixed.FromInt(-1))
	}
	return &schema.SetFaucet{Asset: asset, Limit: limit}
}

// taken draws how much somebody wants from a faucet.
func (w *world) taken(t *dice, asset schema.AssetID) fixed.Decimal {
	amount := pick(t, fixed.FromInt(100), fixed.FromInt(int64(chance(t, 700))), fixed.FromUnits(int64(chance(t, 70000)), 2), fixed.FromUnits(1, 2))
	if w.edges != nil {
		amount = w.edges.money(t, asset)
	}
	if rarely(t) {
		amount = pick(t, fixed.Zero, fixed.Max, smallest, fixed.FromInt(-1), ledger.Limit)
	}
	return amount
}

// learnFaucet lets those who know what is left of a faucet ask for all of it, for the least more or for
// as much as before, at once or around midnight; or the limit becomes what was just taken, or less.
func (w *world) learnFaucet(t *dice, c *schema.TakeFaucet, answer schema.Result) {
	left := answer.Left
	switch answer.Rejection.Reason {
	case schema.OK:
	case schema.FaucetSpent:
		left = answer.Rejection.Value
	default:
		return
	}
	w.taker = c
	switch chance(t, 6) {
	case 0, 1:
		return
	case 2:
		w.retry = &schema.SetFaucet{Asset: c.Asset, Limit: pick(t, c.Amount, fixed.One, fixed.FromUnits(1, 2))}
		return
	}
	more, fits := left.AddChecked(pick(t, smallest, fixed.FromUnits(1, 2), fixed.One))
	if !fits {
		more = fixed.Max
	}
	again := *c
	again.Amount = pick(t, left, left, more, more, c.Amount)
	w.retry = &again
	w.due = pick(t, 0, 0, midnight(w.now)-1, midnight(w.now), midnight(w.now))
}

// learnLimit lets the last who took from a faucet come again when its limit is another.
func (w *world) learnLimit(c *schema.SetFaucet) {
	if w.taker != nil && w.taker.Asset == c.Asset {
		again := *w.taker
		w.retry = &again
	}
}
