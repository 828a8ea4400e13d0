package naive

import (
	"slices"

	"bourse/internal/schema"
)

// funded are the system accounts that the operator brings money into.
var funded = []schema.AccountID{insurance, lending, inventory, interests, miners}

// fundSystem brings money of the operator into a system account; a negative amount takes out what is there.
func (w *wallet) fundSystem(c *schema.FundSystem) schema.Rejection {
	asset, amount := w.listing.asset(c.Asset), of(c.Amount)
	switch {
	case !slices.Contains(funded, c.Account):
		return because(schema.SystemAccountInvalid)
	case asset == nil:
		return because(schema.AssetUnknown)
	}
	if r := checkMove(amount.abs(), asset.Scale); refused(r) {
		return r
	}
	y := why{cause: schema.ByTransfer}
	if amount.sign() > 0 {
		if !w.ledger.canHold(c.Asset, amount) {
			return because(schema.MoveTooLarge)
		}
		w.ledger.move(holder{schema.Outside, schema.Main}, holder{c.Account, schema.Main}, c.Asset, amount, y)
		return accepted
	}
	there := greatest(num{}, w.ledger.balance(c.Account, schema.Main, c.Asset).available)
	if amount.neg().more(there) {
		return about(schema.MoveNotCovered, there)
	}
	w.ledger.move(holder{c.Account, schema.Main}, holder{schema.Outside, schema.Main}, c.Asset, amount.neg(), y)
	return accepted
}
