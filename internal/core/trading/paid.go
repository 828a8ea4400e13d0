package trading

import (
	"container/heap"
	"slices"

	"bourse/internal/schema"
)

// CancelPaid cancels the newest open orders of an account that are paid in an asset from its trade wallet, at most so many, and returns
// how many it found. Markets with unfinished work are left for later: then it returns as many as it may find, as there may be more.
func (e *Engine) CancelPaid(account schema.AccountID, asset schema.AssetID, most int) int {
	type target struct {
		market *market
		id     schema.OrderID
	}
	var targets []target
	all, left := e.merge(account, 0), false
	all.heads = slices.DeleteFunc(all.heads, func(h head) bool {
		info := h.market.info
		if info.Future() || info.Base != asset && info.Quote != asset {
			return true
		}
		left = left || h.market.work != nil
		return h.market.work != nil
	})
	heap.Init(all)
	for ; len(targets) < most && len(all.heads) > 0; all.next() {
		h := &all.heads[0]
		o := &h.market.book.At(h.slot).Terms
		pays := h.market.info.Quote
		if o.side == schema.Sell {
			pays = h.market.info.Base
		}
		if pays == asset && !o.flags.has(collateral) {
			targets = append(targets, target{h.market, schema.OrderID(h.id)})
		}
	}
	for _, t := range targets {
		// The end of an order may have been that of another.
		if _, slot, r := e.find(account, &schema.OrderRef{Market: t.market.info.ID, ID: t.id}); !r.Refused() {
			e.cancel(t.market, slot, schema.Canceled, schema.ByReversal)
		}
	}
	if left {
		return most
	}
	return len(targets)
}
