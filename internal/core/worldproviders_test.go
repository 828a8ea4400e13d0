package core

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/core/ledger"
	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Chains of a world of fiat money.
const (
	firstProvider  schema.ChainID = 1
	secondProvider schema.ChainID = 2
	fiatSand       schema.ChainID = 3
)

// fiat draws what customers, operators and payment providers do with fiat money.
type fiat struct {
	now    schema.Time
	slow   *naive.Exchange
	assets []schema.Asset // two of fiat money, and one that comes by a sandbox
	chains []schema.Chain
	named  int
	huge   bool // there is as much money as there can be
	marks  []schema.Time
}

func newFiat(t *dice, slow *naive.Exchange) *fiat {
	w := &fiat{now: start, slow: slow, huge: chance(t, 5) == 0}
	w.chains = []schema.Chain{
		{ID: firstProvider, Name: "BANK", Driver: schema.Provider},
		{ID: secondProvider, Name: "CARDS", Driver: schema.Provider},
		{ID: fiatSand, Name: "SAND", Driver: schema.Sandbox, Family: schema.Bitcoin, Net: schema.Regtest},
	}
	w.assets = []schema.Asset{
		{Ticker: "EUR", Scale: pick[uint8](t, 2, 4, 18), Precision: 2, Class: schema.Fiat},
		{Ticker: "USD_CARD", Scale: 8, Precision: pick[uint8](t, 0, 8), Class: schema.PaymentMethod},
		{Ticker: "BTC", Scale: 8, Precision: 8, Class: schema.Crypto},
	}
	for i := range w.assets {
		w.assets[i].CanDeposit, w.assets[i].CanWithdraw, w.assets[i].NotInEU = true, true, chance(t, 6) == 0
		w.assets[i].Networks = w.networks(t, i)
	}
	return w
}

// networks are those of an asset by the providers, or on the sandbox.
func (w *fiat) networks(t *dice, asset int) (list []schema.Network) {
	for _, c := range w.chains {
		if (asset == 2) != (c.ID == fiatSand) || len(list) > 0 && chance(t, 3) == 0 {
			continue
		}
		n := schema.Network{
			Name: c.Name, Chain: c.ID, CanDeposit: chance(t, 12) != 0, CanWithdraw: chance(t, 12) != 0,
			MinDeposit:      pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(3)),
			MaxDeposit:      pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(400)),
			DepositFixed:    pick(t, fixed.Zero, fixed.Zero, fixed.One),
			DepositPercent:  pick(t, fixed.Zero, fixed.FromUnits(333, 3), fixed.FromInt(100)),
			DepositMaxFee:   pick(t, fixed.Zero, fixed.FromInt(5)),
			MinWithdraw:     pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(2)),
			WithdrawFixed:   pick(t, fixed.Zero, fixed.Zero, fixed.One),
			WithdrawPercent: pick(t, fixed.Zero, fixed.Zero, fixed.FromUnits(333, 3), fixed.FromInt(10)),
			ApproveAbove:    pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(100)),
		}
		if c.Driver == schema.Sandbox {
			n.Confirmations, n.ConfirmationsForTrading = 1, 1
		}
		list = append(list, n)
	}
	return list
}

// birth is the commands with which the world begins.
func (w *fiat) birth(t *dice) (list []schema.Command) {
	list = append(list, schemaFeatures()...)
	for _, c := range w.chains {
		list = append(list, &schema.SetChain{Chain: c})
	}
	for _, a := range w.assets {
		list = append(list, &schema.SetAsset{Asset: a})
	}
	list = append(list, payerAccounts(func() schema.Region { return pick(t, schema.Global, schema.EU) })...)
	for i := range worldAccounts {
		for asset := range schema.AssetID(len(w.assets)) {
			amount := fixed.FromInt(300)
			if w.huge && i == 0 {
				amount = cut(ledger.Limit, 0).Sub(fixed.FromInt(1500))
			}
			list = append(list, &schema.Deposit{Account: schema.FirstCustomer + schema.AccountID(i), Asset: asset + 1, Amount: amount})
		}
	}
	return list
}

func (w *fiat) name(what string) string {
	w.named++
	return fmt.Sprintf("%s%d", what, w.named)
}

func (w *fiat) account(t *dice) schema.AccountID {
	return schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
}

// draw draws what happens next.
func (w *fiat) draw(t *dice) moment {
	w.now += schema.Time(chance(t, 3000)) * schema.Second / 1000
	if chance(t, 12) == 0 {
		w.now += schema.Time(chance(t, 3600)) * schema.Second
	}
	if len(w.marks) > 0 && chance(t, 12) == 0 {
		w.now = max(w.now, w.marks[chance(t, len(w.marks))]+schema.Time(chance(t, 3)-1))
	}
	m := moment{at: w.now}
	m.cmd = w.command(t)
	if _, is := m.cmd.(*schema.DecideWithdrawal); is && !rarely(t) {
		m.from.Operator = pick(t, "olga", "oscar")
	} else if chance(t, 8) == 0 {
		m.from.Region = schema.EU
	}
	return m
}

func (w *fiat) command(t *dice) schema.Command {
	switch n := chance(t, 40); {
	case n < 9:
		return w.invoice(t)
	case n < 15:
		return w.settle(t)
	case n < 22:
		return w.withdraw(t)
	case n < 29:
		return w.settleWithdrawal(t)
	case n < 31:
		return w.decide(t)
	case n < 33:
		return w.judge(t)
	case n < 34:
		return payerSettings(t, w.account(t), w.slow)
	case n < 36:
		return w.setAsset(t)
	case n < 37:
		return w.setChain(t)
	case n < 38:
		return w.elsewhere(t)
	}
	return &schema.Tick{}
}

// amount is how much comes or goes.
func (w *fiat) amount(t *dice) fixed.Decimal {
	if chance(t, 20) == 0 {
		return pick(t, fixed.Zero, fixed.FromInt(-1), smallest, fixed.FromUnits(1, 3), fixed.Max, ledger.Limit)
	}
	return pick(t, fixed.FromInt(int64(1+chance(t, 20))), fixed.FromInt(int64(1+chance(t, 500))), fixed.FromUnits(int64(1+chance(t, 30000)), 2))
}

// chain is one by which an asset comes, and rarely another.
func (w *fiat) chain(t *dice, asset schema.AssetID) schema.ChainID {
	if list := w.assets[min(asset, 3)-1].Networks; len(list) > 0 && chance(t, 15) != 0 {
		return list[chance(t, len(list))].Chain
	}
	return schema.ChainID(chance(t, 5))
}

func (w *fiat) invoice(t *dice) schema.Command {
	asset := pick(t, schema.AssetID(1), 1, 2, 2, 2, 3)
	c := &schema.RequestInvoice{
		Account: w.account(t), Asset: asset, Chain: w.chain(t, asset), Amount: w.amount(t), Unique: w.name("i"),
		Success: "https://bourse/yes", Failure: "https://bourse/no", Return: "https://bourse",
	}
	copy(c.Digest[:], w.name("digest"))
	if coin(t) {
		c.Expires = w.now + schema.Time(1+chance(t, 600))*schema.Second
		w.marks = append(w.marks, c.Expires)
	} else {
		w.marks = append(w.marks, w.now+schema.MaxLifetime)
	}
	if chance(t, 8) == 0 {
		switch chance(t, 7) {
		case 0:
			c.Unique = pick(t, "", "i1", "i2", strings.Repeat("u", schema.MaxUniqueID), strings.Repeat("u", schema.MaxUniqueID+1))
		case 1:
			c.Digest = schema.Digest{}
			if open := w.slow.Invoices(); len(open) > 0 && coin(t) {
				c.Digest = open[chance(t, len(open))].Digest
			}
		case 2:
			c.Expires = pick(t, -1, w.now, w.now+1, w.now+schema.MaxLifetime, w.now+schema.MaxLifetime+1)
		case 3:
			link := strings.Repeat("l", schema.MaxLink+chance(t, 2))
			c.Success, c.Failure, c.Return = pick(t, "", link), pick(t, "", link), pick(t, "", link)
		case 4:
			c.Asset = pick(t, schema.AssetID(0), 9)
		case 5:
			c.Account = pick(t, schema.AccountID(0), schema.Fees, 999)
		case 6:
			c.Chain = schema.ChainID(chance(t, 5))
		}
	}
	return c
}

// known is the number of an invoice, mostly of one that can be asked for.
func (w *fiat) known(t *dice) schema.DepositID {
	if list := w.slow.Invoices(); len(list) > 0 && chance(t, 12) != 0 {
		return list[chance(t, len(list))].ID
	}
	return schema.DepositID(chance(t, 40))
}

func (w *fiat) settle(t *dice) schema.Command {
	return &schema.SettleInvoice{Invoice: w.known(t), Paid: chance(t, 4) != 0}
}

func (w *fiat) withdraw(t *dice) schema.Command {
	asset := pick(t, schema.AssetID(1), 1, 2, 2, 2, 3)
	c := &schema.RequestWithdrawal{
		Account: w.account(t), Asset: asset, Chain: w.chain(t, asset), Amount: w.amount(t), Pay: coin(t), Address: "DE02120300000000202051", Unique: w.name("w"),
		BIC: pick(t, "", "DEUTDEFF", "DEUTDEFF500"), Partial: coin(t),
	}
	if asset == 3 {
		c.Travel = []byte("sealed")
	}
	if chance(t, 8) == 0 {
		switch chance(t, 5) {
		case 0:
			c.BIC = pick(t, "X", "deutdeff", "DEUTDEF", "DEUTDEFF5", "DEUTDEFF5000", "DEUT EFF", "DEUTDEFÄ")
		case 1:
			c.Address = strings.Repeat("a", pick(t, 0, schema.MaxAddressText, schema.MaxAddressText+1))
		case 2:
			c.Index = 1
		case 3:
			c.Unique = pick(t, "", "w1", "w2")
		case 4:
			c.Memo = strings.Repeat("m", pick(t, 1, schema.MaxMemo, schema.MaxMemo+1))
		}
	}
	return c
}

// settleWithdrawal lets a provider pay all of a withdrawal, a part, or nothing; sometimes that cannot be.
func (w *fiat) settleWithdrawal(t *dice) schema.Command {
	c := &schema.SettleWithdrawal{Withdrawal: schema.WithdrawalID(chance(t, 40)), Amount: w.amount(t)}
	var list []schema.Withdrawal
	for _, on := range w.chains {
		for _, known := range w.slow.Withdrawals(on.ID) {
			if known.Status == schema.WithdrawalQueued || chance(t, 6) == 0 {
				list = append(list, known)
			}
		}
	}
	if len(list) == 0 || rarely(t) {
		return c
	}
	known := list[chance(t, len(list))]
	part, _ := fixed.Div(known.Amount, fixed.FromInt(int64(2+chance(t, 5))), pick(t, 0, 0, 2, 2, 4), fixed.Down)
	c.Withdrawal = known.ID
	c.Amount = pick(t, known.Amount, known.Amount, known.Amount, fixed.Zero, part, part, known.Amount.Add(fixed.FromUnits(1, 2)), fixed.FromInt(-1))
	return c
}

func (w *fiat) decide(t *dice) schema.Command {
	if chance(t, 5) == 0 {
		return &schema.RefundDeposit{Account: w.account(t), Deposit: w.known(t), Address: "back"}
	}
	c := &schema.DecideDeposit{Deposit: w.known(t), Decision: pick(t, schema.CreditDeposit, schema.CreditDeposit, schema.CancelDeposit, schema.FreezeDeposit)}
	for _, v := range w.slow.Invoices() {
		if v.Status == schema.InvoiceSuspended && coin(t) {
			c.Deposit = v.ID
		}
		if v.ID == c.Deposit && chance(t, 4) == 0 {
			c.Account = v.Account
		}
	}
	if rarely(t) {
		c.Account = w.account(t)
	}
	return c
}

func (w *fiat) judge(t *dice) schema.Command {
	c := &schema.DecideWithdrawal{Withdrawal: schema.WithdrawalID(chance(t, 30)), Decision: schema.Verdict(1 + chance(t, 4))}
	for _, on := range w.chains {
		for _, known := range w.slow.Withdrawals(on.ID) {
			if known.Status == schema.WithdrawalReview && coin(t) {
				c.Withdrawal, c.Decision = known.ID, schema.ApproveWithdrawal
			}
		}
	}
	return c
}

// setAsset changes how an asset comes and goes; rarely it is wrong.
func (w *fiat) setAsset(t *dice) schema.Command {
	i := chance(t, len(w.assets))
	a := w.assets[i]
	a.CanWithdraw, a.CanDeposit = chance(t, 6) != 0, chance(t, 3) != 0
	a.MinDeposit, a.MaxDeposit = pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(10)), pick(t, fixed.Zero, fixed.Zero, fixed.FromInt(300))
	a.Networks = w.networks(t, i)
	if chance(t, 4) == 0 {
		n := &a.Networks[0]
		switch chance(t, 5) {
		case 0:
			n.Chain = schema.ChainID(chance(t, 5))
		case 1:
			n.Decimals = 2
		case 2:
			n.Contract = "contract"
		case 3:
			n.Confirmations, n.ConfirmationsForTrading = 2, uint32(chance(t, 3))
		case 4:
			a.Networks = append(a.Networks, a.Networks[0])
			a.Networks[len(a.Networks)-1].Name = "again"
		}
	}
	return &schema.SetAsset{Asset: a}
}

// setChain pauses a provider or not; rarely it is wrong.
func (w *fiat) setChain(t *dice) schema.Command {
	c := w.chains[chance(t, len(w.chains))]
	c.Paused = chance(t, 3) == 0
	if chance(t, 3) == 0 {
		switch chance(t, 8) {
		case 0:
			c.Family = schema.Family(chance(t, 3))
		case 1:
			c.Net = schema.Net(chance(t, 3))
		case 2:
			c.Interval = schema.Second
		case 3:
			c.Stuck = true
		case 4:
			c.Number = 1
		case 5:
			c.FeeRateMax = 1
		case 6:
			c.Driver = schema.Driver(chance(t, 6))
		case 7:
			c.Name = pick(t, "THIRD", "bank")
		}
	}
	return &schema.SetChain{Chain: c}
}

// elsewhere asks a provider for what only chains do.
func (w *fiat) elsewhere(t *dice) schema.Command {
	id := pick(t, firstProvider, secondProvider)
	return pick[schema.Command](t,
		&schema.ChainBlock{Chain: id, Height: 1, Hash: schema.Digest{1}, Parts: 1},
		&schema.ChainRewind{Chain: id, Height: 1, Hash: schema.Digest{1}},
		&schema.OpenAddress{Account: w.account(t), Chain: id},
		&schema.MineSandbox{Chain: id, Blocks: 1},
		&schema.ReorgSandbox{Chain: id, Depth: 1},
		&schema.PaySandbox{Chain: id, Receipt: schema.Receipt{Asset: 1, Amount: fixed.One}},
		&schema.PlanPayout{Chain: id, Payout: 1},
		&schema.SetKeys{Keys: schema.Keys{Print: schema.Digest{1}, Sealed: []byte("keys")}},
		&schema.MineSandbox{Chain: fiatSand, Blocks: 1},
	)
}

// compareInvoices compares the invoices that can be asked for.
func (tr *trial) compareInvoices() error {
	var got []schema.Invoice
	for _, c := range tr.fast.chains.All() {
		for v := range tr.fast.chains.Invoices(c.ID) {
			got = append(got, *v)
		}
	}
	slices.SortFunc(got, func(a, b schema.Invoice) int { return cmp.Compare(a.ID, b.ID) })
	if want := tr.slow.Invoices(); !slices.Equal(got, want) {
		return fmt.Errorf("invoices:\n got %+v\nwant %+v", got, want)
	}
	return nil
}

// TestProvidersAgainstNaive is TestAgainstNaive for fiat money, which comes and goes by payment providers.
func TestProvidersAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		tr.limitChains(pick(r, tr.steps, tr.steps, 1, 2, 3))
		w := newFiat(r, tr.slow)
		apply := func(tr *trial) sender {
			return func(m moment) error {
				if err := tr.apply(m); err != nil {
					return err
				}
				return tr.compareInvoices()
			}
		}
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := apply(tr).run(m); err != nil {
				t.Fatalf("%d steps\n%s", tr.steps, longStory(log, func() sender {
					again := newTrial(tr.slice)
					again.limitChains(tr.steps)
					return apply(again)
				}))
			}
			if tr.answer.Rejection.Refused() { // it changed nothing
				log = log[:len(log)-1]
			}
		}
		for _, cmd := range w.birth(r) {
			send(moment{at: w.now, cmd: cmd})
		}
		for range 1 + chance(r, 300) {
			send(w.draw(r))
		}
	})
}
