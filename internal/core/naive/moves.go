package naive

import "bourse/internal/schema"

// moveSub moves money between the main wallets of a master and a sub-account, as far as it could leave who gives it.
func (w *wallet) moveSub(c *schema.MoveSub) schema.Result {
	sub, r := w.accounts.asMaster(c.Master, c.Sub)
	asset := w.listing.asset(c.Asset)
	switch {
	case refused(r):
		return reject(r)
	case sub.Status == schema.SubPending:
		return refuse(schema.SubNotConfirmed)
	case sub.Status == schema.SubBlocked, sub.Blocked:
		return refuse(schema.SubInactive)
	case asset == nil:
		return refuse(schema.AssetUnknown)
	}
	amount := of(c.Amount)
	if r := checkMove(amount, asset.Precision); refused(r) {
		return reject(r)
	}
	from, to := c.Sub, c.Master
	if c.ToSub {
		from, to = to, from
	}
	if r := w.checkWithdrawn(from, c.Asset, amount); refused(r) {
		return reject(r)
	}
	w.ledger.move(in(from), in(to), c.Asset, amount, why{cause: schema.ByTransfer})
	w.lastTransfer++
	w.call.record(&schema.SubMoved{ID: w.lastTransfer, Move: *c})
	w.ledger.repay(to, c.Asset)
	return schema.Result{ID: uint64(w.lastTransfer)}
}
