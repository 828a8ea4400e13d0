package wallet

import (
	"bourse/internal/core/ledger"
	"bourse/internal/schema"
)

// moveSub moves money between the main wallets of a master and a sub-account. It is an exit of who gives: what is held and what is owed
// stays in the account that it binds, or a family could send on what a chain has not confirmed.
func (w *Wallets) moveSub(m *schema.MoveSub) schema.Rejection {
	sub, r := w.Accounts.Sub(m.Master, m.Sub)
	if r.Refused() {
		return r
	}
	switch {
	case sub.Status == schema.SubPending:
		return schema.Refuse(schema.SubNotConfirmed)
	case sub.Status != schema.SubActive || sub.Blocked:
		return schema.Refuse(schema.SubInactive)
	}
	asset := w.Listing.Asset(m.Asset)
	if asset == nil {
		return schema.Refuse(schema.AssetUnknown)
	}
	if r := CheckAmount(m.Amount, asset.Precision); r.Refused() {
		return r
	}
	giver, taker := m.Sub, m.Master
	if m.ToSub {
		giver, taker = m.Master, m.Sub
	}
	if r := w.MayLeave(giver, m.Asset, m.Amount); r.Refused() {
		return r
	}
	w.LastTransfer++
	to := w.Ledger.Open(taker, schema.Main, m.Asset)
	w.Ledger.Move(w.Ledger.Find(giver, schema.Main, m.Asset), to, m.Amount, ledger.Note{Cause: schema.ByTransfer})
	w.Out.Result.ID = uint64(w.LastTransfer)
	w.Out.Events.Add(&schema.SubMoved{ID: w.LastTransfer, Move: *m})
	w.Repay(taker, m.Asset)
	return schema.Rejection{}
}
