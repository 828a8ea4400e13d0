package naive

import (
	"bourse/internal/schema"
)

// wallet is money that comes, goes and moves between the wallets of an account.
type wallet struct {
	call         *call
	features     *features
	ledger       *ledger
	listing      *listing
	accounts     *accounts
	trading      *trading // knows what was dealt last, prices what the world outside says
	prices       *prices
	margins      *margins
	chains       *chains // know what is held until a chain confirms it
	lastTransfer schema.TransferID
}

func (w *wallet) apply(cmd schema.Command) *schema.Result {
	var r schema.Rejection
	switch c := cmd.(type) {
	case *schema.Deposit:
		r = w.deposit(c)
	case *schema.ConfirmDeposit:
		r = w.confirmDeposit(c)
	case *schema.Withdraw:
		r = w.withdraw(c)
	case *schema.Transfer:
		r = w.transfer(c)
	case *schema.MoveSub:
		result := w.moveSub(c)
		return &result
	case *schema.FundSystem:
		r = w.fundSystem(c)
	default:
		return nil
	}
	return &schema.Result{Rejection: r}
}

// checkMove checks an amount that moves in, out or between wallets.
func checkMove(amount num, decimals uint8) schema.Rejection {
	switch smallest := unit(decimals); {
	case amount.sign() <= 0:
		return about(schema.MoveNotPositive, smallest)
	case !amount.multipleOf(smallest):
		return about(schema.MoveTooPrecise, whole(int64(decimals)))
	}
	return accepted
}

// checkDeposit looks at money that operators bring.
func (w *wallet) checkDeposit(c *schema.Deposit) schema.Rejection {
	if _, r := w.accounts.living(c.Account); refused(r) {
		return r
	}
	asset := w.listing.asset(c.Asset)
	if asset == nil {
		return because(schema.AssetUnknown)
	}
	if r := checkMove(of(c.Amount), asset.Scale); refused(r) {
		return r
	}
	if !w.ledger.canHold(c.Asset, of(c.Amount)) {
		return because(schema.MoveTooLarge)
	}
	return accepted
}

func (w *wallet) deposit(c *schema.Deposit) schema.Rejection {
	if r := w.checkDeposit(c); refused(r) {
		return r
	}
	amount := of(c.Amount)
	y := why{cause: schema.ByDeposit}
	if c.Held {
		w.ledger.hold(c.Account, c.Asset, amount, y)
	}
	w.ledger.receive(schema.Outside, schema.Main, c.Asset, amount.neg(), y)
	w.ledger.receive(c.Account, schema.Main, c.Asset, amount, y)
	if !c.Held {
		w.ledger.repay(c.Account, c.Asset)
	}
	return accepted
}

func (w *wallet) confirmDeposit(c *schema.ConfirmDeposit) schema.Rejection {
	if _, r := w.accounts.living(c.Account); refused(r) {
		return r
	}
	asset := w.listing.asset(c.Asset)
	if asset == nil {
		return because(schema.AssetUnknown)
	}
	if r := checkMove(of(c.Amount), asset.Scale); refused(r) {
		return r
	}
	held := w.ledger.held[heldKey{c.Account, c.Asset}].minus(w.chains.heldBy(c.Account, 0, c.Asset))
	if of(c.Amount).more(held) {
		return about(schema.ConfirmTooMuch, held)
	}
	w.ledger.hold(c.Account, c.Asset, of(c.Amount).neg(), why{cause: schema.ByDeposit})
	w.ledger.repay(c.Account, c.Asset)
	return accepted
}

func (w *wallet) withdraw(c *schema.Withdraw) schema.Rejection {
	if _, r := w.accounts.trader(c.Account); refused(r) {
		return r
	}
	asset := w.listing.asset(c.Asset)
	if asset == nil {
		return because(schema.AssetUnknown)
	}
	if r := checkMove(of(c.Amount), asset.Precision); refused(r) {
		return r
	}
	amount := of(c.Amount)
	if r := w.checkWithdrawn(c.Account, c.Asset, amount); refused(r) {
		return r
	}
	w.ledger.move(in(c.Account), in(schema.Outside), c.Asset, amount, byWithdrawal)
	return accepted
}

// checkWithdrawn reports whether an account may send an amount to the world outside.
func (w *wallet) checkWithdrawn(a schema.AccountID, asset schema.AssetID, amount num) schema.Rejection {
	if available := w.ledger.balance(a, schema.Main, asset).available; amount.more(available) {
		return about(schema.WithdrawNotCovered, available)
	}
	return w.checkExit(a, asset, amount)
}

func (w *wallet) transfer(c *schema.Transfer) schema.Rejection {
	account, r := w.accounts.trader(c.Account)
	if refused(r) {
		return r
	}
	asset := w.listing.asset(c.Asset)
	switch {
	case asset == nil:
		return because(schema.AssetUnknown)
	case !movable(c.From):
		return because(schema.FromInvalid)
	case !movable(c.To):
		return because(schema.ToInvalid)
	case c.From == c.To:
		return because(schema.WalletsEqual)
	case c.From != schema.Main && c.To != schema.Main:
		return because(schema.WalletsNotDirect)
	case c.To == schema.Collateral && w.accounts.region(account) == schema.EU:
		return because(schema.CollateralNotOffered)
	case account.Parent != 0 && (c.To == schema.Trade && !account.Spot || c.To == schema.Collateral && !account.Margin):
		return because(schema.SubNotPermitted)
	}
	if r := checkMove(of(c.Amount), asset.Precision); refused(r) {
		return r
	}
	switch {
	case c.To == schema.Main && !asset.CanWithdraw:
		return because(schema.LeavingDisabled)
	case c.From == schema.Main && !asset.CanDeposit:
		return because(schema.EnteringDisabled)
	}
	amount := of(c.Amount)
	available := w.ledger.balance(c.Account, c.From, c.Asset).available
	if c.From == schema.Collateral {
		available = w.margins.free(c.Account, c.Asset)
	}
	if amount.more(available) {
		return about(schema.MoveNotCovered, available)
	}
	if c.To == schema.Collateral {
		if r := w.checkExit(c.Account, c.Asset, amount); refused(r) {
			return r
		}
	}
	if c.From == schema.Collateral {
		w.margins.bookAccount(c.Account)
	}
	y := why{cause: schema.ByTransfer}
	w.ledger.receive(c.Account, c.From, c.Asset, amount.neg(), y)
	w.ledger.receive(c.Account, c.To, c.Asset, amount, y)
	switch c.To {
	case schema.Collateral:
		w.margins.repay(c.Account, c.Asset, 0, false)
	case schema.Main:
		w.ledger.repay(c.Account, c.Asset)
	}
	w.lastTransfer++
	w.call.record(&schema.Transferred{ID: w.lastTransfer, Transfer: *c})
	return accepted
}

// movable reports whether a transfer may name the wallet.
func movable(w schema.Wallet) bool {
	return w == schema.Main || w == schema.Trade || w == schema.Collateral
}
