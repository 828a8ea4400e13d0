package story

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// sum reads whose money it is, how much and of what.
func (t *teller) sum(l *line) (schema.AccountID, fixed.Decimal, schema.AssetID) {
	account := t.account(l)
	amount := l.decimal("an amount")
	return account, amount, t.asset(l)
}

// give makes an account rich enough to trade, or to trade with margin: a deposit and a transfer. It says nothing but
// what goes wrong, since stories begin with many of these.
func (t *teller) give(l *line) {
	account, amount, asset := t.sum(l)
	to := schema.Trade
	if l.take("as", "collateral") {
		to = schema.Collateral
	}
	if t.set(l, &schema.Deposit{Account: account, Asset: asset, Amount: amount}) {
		t.set(l, &schema.Transfer{Account: account, Asset: asset, Amount: amount, From: schema.Main, To: to})
	}
}

func (t *teller) deposit(l *line) {
	account, amount, asset := t.sum(l)
	t.move(l, &schema.Deposit{Account: account, Asset: asset, Amount: amount, Held: l.take("held")}, account)
}

func (t *teller) confirm(l *line) {
	account, amount, asset := t.sum(l)
	t.move(l, &schema.ConfirmDeposit{Account: account, Asset: asset, Amount: amount}, account)
}

func (t *teller) withdraw(l *line) {
	account, amount, asset := t.sum(l)
	t.move(l, &schema.Withdraw{Account: account, Asset: asset, Amount: amount}, account)
}

func (t *teller) transfer(l *line) {
	account, amount, asset := t.sum(l)
	cmd := &schema.Transfer{Account: account, Asset: asset, Amount: amount, From: l.wallet()}
	l.want("to")
	cmd.To = l.wallet()
	t.move(l, cmd, account)
}

func (l *line) wallet() schema.Wallet {
	word := l.next("a wallet")
	for w := schema.Main; schema.Valid(w); w++ {
		if w.String() == word {
			return w
		}
	}
	l.fail("a wallet is main, trade, collateral or earn, not %q", word)
	return 0
}

// move applies a command that moves money and prints the balances of the account after it.
func (t *teller) move(l *line, cmd schema.Command, account schema.AccountID) {
	if !l.finished() {
		return
	}
	out := t.machine.Apply(t.now, cmd)
	if out.Result.Rejection.Refused() {
		t.refuse("", out.Result.Rejection)
		return
	}
	last := map[schema.Wallet]*schema.BalanceChanged{}
	for event := range out.Events.All() {
		if b, ok := event.(*schema.BalanceChanged); ok && b.Account == account {
			last[b.Wallet] = b
		}
	}
	for w := schema.Main; schema.Valid(w); w++ {
		if b := last[w]; b != nil {
			t.balance(b.Wallet, b.Asset, b.Available, b.Frozen, b.Held)
		}
	}
}
