// Package wallet moves money in, out, and between the wallets of an account.
//
// What must hold: held money, a deposit that the network has not confirmed yet, never leaves
// the exchange and never becomes collateral; it is looked for in the main wallet first, so that
// moving it to trade and back does not free it. Neither does what was bought with it; see exit.
package wallet

import (
	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/listing"
	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Wallets acts on the ledger for customers.
type Wallets struct {
	product.Base
	Ledger   *ledger.Ledger
	Listing  *listing.Listing
	Accounts *accounts.Accounts
	Out      *schema.Outcome
	// Index is the price of a market outside and its last price here, each 0 when there is none.
	Index func(schema.MarketID) (index, last fixed.Decimal)
	// Collateral is asked what may leave the collateral wallet, and hears what came in.
	Collateral Collateral
	// ChainHeld is what of an asset an account has by deposits of chains that are not confirmed: only their chains confirm them.
	ChainHeld func(schema.AccountID, schema.AssetID) fixed.Decimal
	// WholeAccount makes held deposits bind all that an account owns.
	WholeAccount *bool
	// LastTransfer is the last number that was handed out.
	LastTransfer schema.TransferID
}

// Collateral is what wallets know of trading with margin.
type Collateral interface {
	// Free is what of an asset may leave the collateral of an account.
	Free(schema.AccountID, schema.AssetID) fixed.Decimal
	// Leaving says that money is about to leave it.
	Leaving(schema.AccountID)
	// Credited says that an account got collateral.
	Credited(schema.AccountID, schema.AssetID)
}

// Commands registers what wallets do.
func (w *Wallets) Commands(h *product.Handlers) {
	product.On(h, w.Deposit)
	product.On(h, w.ConfirmDeposit)
	product.On(h, w.Withdraw)
	product.On(h, w.Transfer)
	product.On(h, w.moveSub)
}

// Deposit brings money from outside into a main wallet. Blocked accounts receive it too: money
// that arrives belongs to them.
func (w *Wallets) Deposit(m *schema.Deposit) schema.Rejection {
	if r := w.CheckDeposit(m); r.Refused() {
		return r
	}
	note := ledger.Note{Cause: schema.ByDeposit}
	main := bring(w.Ledger, m.Account, schema.Main, m.Asset, m.Amount, note)
	if m.Held {
		w.Ledger.Hold(main, m.Amount, note)
	} else {
		w.Repay(m.Account, m.Asset)
	}
	return schema.Rejection{}
}

// CheckDeposit is why money cannot be brought.
func (w *Wallets) CheckDeposit(m *schema.Deposit) schema.Rejection {
	if r := w.checkDeposit(m.Account, m.Asset, m.Amount); r.Refused() {
		return r
	}
	return fits(w.Ledger, m.Asset, m.Amount)
}

// Bring moves money from the world outside into a wallet and returns the balance there.
func Bring(l *ledger.Ledger, account schema.AccountID, w schema.Wallet, asset schema.AssetID, amount fixed.Decimal, n ledger.Note) (ledger.Cell, schema.Rejection) {
	if r := fits(l, asset, amount); r.Refused() {
		return 0, r
	}
	return bring(l, account, w, asset, amount, n), schema.Rejection{}
}

func bring(l *ledger.Ledger, account schema.AccountID, w schema.Wallet, asset schema.AssetID, amount fixed.Decimal, n ledger.Note) ledger.Cell {
	outside := l.Open(schema.Outside, schema.Main, asset)
	to := l.Open(account, w, asset)
	l.Move(outside, to, amount, n)
	return to
}

// fits checks that an amount can be brought. All that customers own is what the world outside and the chains owe: what that cannot become, no
// balance can.
func fits(l *ledger.Ledger, asset schema.AssetID, amount fixed.Decimal) schema.Rejection {
	owed, fits := amount.SubChecked(l.Available(l.Find(schema.Outside, schema.Main, asset)))
	if fits {
		owed, fits = owed.SubChecked(l.Available(l.Find(schema.Custody, schema.Main, asset)))
	}
	if !fits || owed.Cmp(ledger.Limit) > 0 {
		return schema.Refuse(schema.MoveTooLarge)
	}
	return schema.Rejection{}
}

// ConfirmDeposit frees held money.
func (w *Wallets) ConfirmDeposit(m *schema.ConfirmDeposit) schema.Rejection {
	if r := w.checkDeposit(m.Account, m.Asset, m.Amount); r.Refused() {
		return r
	}
	main := w.Ledger.Find(m.Account, schema.Main, m.Asset)
	_, _, held := w.Ledger.Balance(main)
	if manual := held.Sub(w.ChainHeld(m.Account, m.Asset)); m.Amount.Cmp(manual) > 0 {
		return schema.Rejection{Reason: schema.ConfirmTooMuch, Value: manual}
	}
	w.Ledger.Hold(main, m.Amount.Neg(), ledger.Note{Cause: schema.ByDeposit})
	w.Repay(m.Account, m.Asset)
	return schema.Rejection{}
}

// Withdraw takes free money out of a main wallet to the world outside.
func (w *Wallets) Withdraw(m *schema.Withdraw) schema.Rejection {
	_, asset, r := w.customer(m.Account, m.Asset)
	if r.Refused() {
		return r
	}
	if r := CheckAmount(m.Amount, asset.Precision); r.Refused() {
		return r
	}
	if r := w.MayLeave(m.Account, m.Asset, m.Amount); r.Refused() {
		return r
	}
	main := w.Ledger.Find(m.Account, schema.Main, m.Asset)
	outside := w.Ledger.Open(schema.Outside, schema.Main, m.Asset)
	w.Ledger.Move(main, outside, m.Amount, ledger.Note{Cause: schema.ByWithdrawal})
	return schema.Rejection{}
}

// MayLeave checks that a main wallet has an amount which may leave the account.
func (w *Wallets) MayLeave(account schema.AccountID, asset schema.AssetID, amount fixed.Decimal) schema.Rejection {
	main := w.Ledger.Find(account, schema.Main, asset)
	if r := w.covered(main, amount, true, schema.WithdrawNotCovered); r.Refused() {
		return r
	}
	if r := w.exit(account, asset, amount); r.Refused() {
		return r
	}
	return w.owing(account)
}

// Transfer moves money between two wallets of an account. In the EU nothing becomes collateral; what is collateral
// already can leave.
func (w *Wallets) Transfer(m *schema.Transfer) schema.Rejection {
	account, asset, r := w.customer(m.Account, m.Asset)
	if r.Refused() {
		return r
	}
	switch {
	case !transferable(m.From):
		return schema.Refuse(schema.FromInvalid)
	case !transferable(m.To):
		return schema.Refuse(schema.ToInvalid)
	case m.From == m.To:
		return schema.Refuse(schema.WalletsEqual)
	case m.From != schema.Main && m.To != schema.Main:
		return schema.Refuse(schema.WalletsNotDirect)
	case m.To == schema.Collateral && schema.Stricter(account.Region, w.Out.Region) == schema.EU:
		return schema.Refuse(schema.CollateralNotOffered)
	case account.IsSub() && (m.To == schema.Trade && !account.Spot || m.To == schema.Collateral && !account.Margin):
		return schema.Refuse(schema.SubNotPermitted)
	}
	if r := CheckAmount(m.Amount, asset.Precision); r.Refused() {
		return r
	}
	switch {
	case m.To == schema.Main && !asset.CanWithdraw:
		return schema.Refuse(schema.LeavingDisabled)
	case m.From == schema.Main && !asset.CanDeposit:
		return schema.Refuse(schema.EnteringDisabled)
	}
	from := w.Ledger.Find(m.Account, m.From, m.Asset)
	if m.From == schema.Collateral {
		if free := w.Collateral.Free(m.Account, m.Asset); m.Amount.Cmp(free) > 0 {
			return schema.Rejection{Reason: schema.MoveNotCovered, Value: free}
		}
	} else if r := w.covered(from, m.Amount, m.To == schema.Collateral, schema.MoveNotCovered); r.Refused() {
		return r
	}
	if m.To == schema.Collateral {
		if r := w.exit(m.Account, m.Asset, m.Amount); r.Refused() {
			return r
		}
		if r := w.owing(m.Account); r.Refused() {
			return r
		}
	}
	if m.From == schema.Collateral {
		w.Collateral.Leaving(m.Account)
	}
	to := w.Ledger.Open(m.Account, m.To, m.Asset)
	w.LastTransfer++
	w.Ledger.Move(from, to, m.Amount, ledger.Note{Cause: schema.ByTransfer})
	w.Out.Events.Add(&schema.Transferred{ID: w.LastTransfer, Transfer: *m})
	switch m.To {
	case schema.Collateral:
		w.Collateral.Credited(m.Account, m.Asset)
	case schema.Main:
		w.Repay(m.Account, m.Asset)
	}
	return schema.Rejection{}
}

// checkDeposit checks what comes from outside: it may be as fine as the ledger.
func (w *Wallets) checkDeposit(account schema.AccountID, id schema.AssetID, amount fixed.Decimal) schema.Rejection {
	asset := w.Listing.Asset(id)
	switch {
	case w.Accounts.Living(account) == nil:
		return schema.Refuse(schema.AccountUnknown)
	case asset == nil:
		return schema.Refuse(schema.AssetUnknown)
	}
	return CheckAmount(amount, asset.Scale)
}

func transferable(w schema.Wallet) bool {
	return w == schema.Main || w == schema.Trade || w == schema.Collateral
}

func (w *Wallets) customer(id schema.AccountID, of schema.AssetID) (*schema.Account, *schema.Asset, schema.Rejection) {
	account, r := w.Accounts.Customer(id)
	if r.Refused() {
		return nil, nil, r
	}
	asset := w.Listing.Asset(of)
	if asset == nil {
		return nil, nil, schema.Refuse(schema.AssetUnknown)
	}
	return account, asset, schema.Rejection{}
}

// covered checks that a balance has an amount, free of held money where that matters, and gives
// the reason if it does not.
func (w *Wallets) covered(from ledger.Cell, amount fixed.Decimal, free bool, reason schema.Reason) schema.Rejection {
	if available := w.Ledger.Available(from); amount.Cmp(available) > 0 {
		return schema.Rejection{Reason: reason, Value: available}
	}
	if part := w.Ledger.Free(from); free && amount.Cmp(part) > 0 {
		return schema.Rejection{Reason: schema.MoveHeld, Value: part}
	}
	return schema.Rejection{}
}

// CheckAmount checks that an amount is positive and has at most so many decimals.
func CheckAmount(amount fixed.Decimal, places uint8) schema.Rejection {
	if amount.Sign() <= 0 {
		return schema.Rejection{Reason: schema.MoveNotPositive, Value: fixed.FromUnits(1, int(places))}
	}
	if amount.Decimals() > int(places) {
		return schema.Rejection{Reason: schema.MoveTooPrecise, Value: fixed.FromInt(int64(places))}
	}
	return schema.Rejection{}
}
