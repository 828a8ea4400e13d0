package naive

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// balance is what an account has of an asset in a wallet. System accounts have all in main.
type balance struct {
	available num
	frozen    num
}

type balanceKey struct {
	account schema.AccountID
	wallet  schema.Wallet
	asset   schema.AssetID
}

// heldKey names the unconfirmed money of an account.
type heldKey struct {
	account schema.AccountID
	asset   schema.AssetID
}

func (x *Exchange) balance(a schema.AccountID, w schema.Wallet, s schema.AssetID) *balance {
	key := balanceKey{a, w, s}
	if x.balances[key] == nil {
		x.balances[key] = &balance{}
	}
	return x.balances[key]
}

// receive adds to what is available; n may be negative.
func (x *Exchange) receive(a schema.AccountID, w schema.Wallet, s schema.AssetID, n num) {
	b := x.balance(a, w, s)
	b.available = b.available.plus(n)
}

// checkMove checks an amount that moves in, out or between wallets.
func checkMove(amount fixed.Decimal, decimals uint8) schema.Rejection {
	switch smallest := unit(decimals); {
	case amount.Sign() <= 0:
		return about(schema.MoveNotPositive, smallest)
	case !of(amount).multipleOf(smallest):
		return about(schema.MoveTooPrecise, whole(int64(decimals)))
	}
	return accepted
}

// checkCovered checks that the wallet has the money, and where unconfirmed money must not go
// (mustBeFree) that none of it is needed. Free money moves first.
func (x *Exchange) checkCovered(a schema.AccountID, from schema.Wallet, s schema.AssetID, amount num, mustBeFree bool) schema.Rejection {
	available := x.balance(a, from, s).available
	if amount.more(available) {
		return about(schema.MoveNotCovered, available)
	}
	if from == schema.Main && mustBeFree {
		free := available.minus(least(x.held[heldKey{a, s}], available))
		if amount.more(free) {
			return about(schema.MoveHeld, free)
		}
	}
	return accepted
}

func (x *Exchange) deposit(c *schema.Deposit) schema.Result {
	if _, r := x.customer(c.Account); r.Refused() {
		return reject(r)
	}
	asset := x.asset(c.Asset)
	if asset == nil {
		return refuse(schema.AssetUnknown)
	}
	if r := checkMove(c.Amount, asset.scale); r.Refused() {
		return reject(r)
	}
	amount := of(c.Amount)
	outside := x.balance(schema.Outside, schema.Main, c.Asset).available
	if amount.minus(outside).more(owedMost) {
		return refuse(schema.MoveTooLarge)
	}
	x.receive(schema.Outside, schema.Main, c.Asset, num{}.minus(amount))
	x.receive(c.Account, schema.Main, c.Asset, amount)
	if c.Held {
		key := heldKey{c.Account, c.Asset}
		x.held[key] = x.held[key].plus(amount)
	}
	return schema.Result{}
}

func (x *Exchange) confirmDeposit(c *schema.ConfirmDeposit) schema.Result {
	if _, r := x.customer(c.Account); r.Refused() {
		return reject(r)
	}
	asset := x.asset(c.Asset)
	if asset == nil {
		return refuse(schema.AssetUnknown)
	}
	if r := checkMove(c.Amount, asset.scale); r.Refused() {
		return reject(r)
	}
	key := heldKey{c.Account, c.Asset}
	if of(c.Amount).more(x.held[key]) {
		return reject(about(schema.ConfirmTooMuch, x.held[key]))
	}
	x.held[key] = x.held[key].minus(of(c.Amount))
	return schema.Result{}
}

func (x *Exchange) withdraw(c *schema.Withdraw) schema.Result {
	if _, r := x.trader(c.Account); r.Refused() {
		return reject(r)
	}
	asset := x.asset(c.Asset)
	if asset == nil {
		return refuse(schema.AssetUnknown)
	}
	if r := checkMove(c.Amount, asset.precision); r.Refused() {
		return reject(r)
	}
	amount := of(c.Amount)
	if r := x.checkCovered(c.Account, schema.Main, c.Asset, amount, true); r.Refused() {
		if r.Reason == schema.MoveNotCovered {
			r.Reason = schema.WithdrawNotCovered
		}
		return reject(r)
	}
	if r := x.checkExit(c.Account, c.Asset, amount); r.Refused() {
		return reject(r)
	}
	x.receive(c.Account, schema.Main, c.Asset, num{}.minus(amount))
	x.receive(schema.Outside, schema.Main, c.Asset, amount)
	return schema.Result{}
}

func (x *Exchange) transfer(c *schema.Transfer) schema.Result {
	if _, r := x.trader(c.Account); r.Refused() {
		return reject(r)
	}
	asset := x.asset(c.Asset)
	switch {
	case asset == nil:
		return refuse(schema.AssetUnknown)
	case !movable(c.From):
		return refuse(schema.FromInvalid)
	case !movable(c.To):
		return refuse(schema.ToInvalid)
	case c.From == c.To:
		return refuse(schema.WalletsEqual)
	case c.From != schema.Main && c.To != schema.Main:
		return refuse(schema.WalletsNotDirect)
	}
	if r := checkMove(c.Amount, asset.precision); r.Refused() {
		return reject(r)
	}
	switch {
	case c.To == schema.Main && !asset.withdraws:
		return refuse(schema.LeavingDisabled)
	case c.From == schema.Main && !asset.deposits:
		return refuse(schema.EnteringDisabled)
	}
	amount := of(c.Amount)
	if r := x.checkCovered(c.Account, c.From, c.Asset, amount, c.To == schema.Collateral); r.Refused() {
		return reject(r)
	}
	if c.To == schema.Collateral {
		if r := x.checkExit(c.Account, c.Asset, amount); r.Refused() {
			return reject(r)
		}
	}
	x.receive(c.Account, c.From, c.Asset, num{}.minus(amount))
	x.receive(c.Account, c.To, c.Asset, amount)
	return schema.Result{}
}

// movable reports whether a transfer may name the wallet.
func movable(w schema.Wallet) bool { return schema.Valid(w) && w != schema.Earn }
