package naive

import (
	"slices"
	"testing"

	"bourse/internal/schema"
)

func TestBlockSub(t *testing.T) {
	w := newFamily(t)
	w.must(&schema.SetSub{Master: anna, Alias: "later", External: "later", Email: "e"})
	block := func(master, sub schema.AccountID, on bool) *schema.BlockSub {
		return &schema.BlockSub{Master: master, Sub: sub, Blocked: on}
	}
	w.refused(because(schema.AccountUnknown), block(9, kid, true))
	w.refused(because(schema.SubUnknown), block(ben, kid, true))
	w.refused(because(schema.SubNotConfirmed), block(anna, kid+1, true))
	w.refused(because(schema.SubNotBlocked), block(anna, kid+1, false))
	w.refused(because(schema.SubNotBlocked), block(anna, kid, false))
	w.must(&schema.Transfer{Account: kid, Asset: btc, Amount: d("10"), From: schema.Main, To: schema.Trade})
	first := w.place(kid, limit(schema.Sell, "1", "200"))
	w.place(anna, limit(schema.Sell, "1", "200"))
	second := w.place(kid, limit(schema.Sell, "2", "300"))
	w.must(block(anna, kid, true))
	w.happened(
		"*schema.AccountChanged",
		"104 trade of 1 by block for 1: 8 2", "level sell 200: 1", "order 1 closed by block: CANCELED left 1",
		"104 trade of 1 by block for 3: 10 0", "level sell 300: 0", "order 3 closed by block: CANCELED left 2",
	)
	if got := w.ended(schema.Canceled); !slices.Equal(got, []schema.OrderID{first.ID, second.ID}) {
		t.Errorf("ended: %v", got)
	}
	w.refused(because(schema.SubBlockedBefore), block(anna, kid, true))
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = true }))
	w.must(block(anna, kid, false))
	w.happened("*schema.AccountChanged")
	if a, _ := w.accounts.customer(kid); !a.Blocked || a.Status != schema.SubActive {
		t.Errorf("the master lifted %+v", *a)
	}
}

// TestBlockSparesWhatReduces: orders that may only reduce a position stay, however they came to be.
func TestBlockSparesWhatReduces(t *testing.T) {
	w := newGroups(t)
	sub := schema.AccountID(w.must(child("kid", "first")).ID)
	w.collateral(sub, usdt, "100000")
	w.cross(ben, sub, bid("1", "50000"))
	stays := w.place(sub, reducing(ask("0.5", "51000")))
	protects := w.must(&schema.PlaceTPSL{Account: sub, Market: perp, TakeProfit: d("54000"), StopLoss: d("46000")})
	w.must(oco(sub, schema.Buy, "0.1", "49000", "50500", "50600"))
	w.place(sub, bid("0.5", "48000"))
	w.must(&schema.BlockSub{Master: anna, Sub: sub, Blocked: true})
	want := []schema.OrderID{stays.ID}
	for _, item := range protects.Items {
		want = append(want, item.Order.ID)
	}
	w.openOrders(want...)
	if got := len(w.ended(schema.Canceled)); got != 3 {
		t.Errorf("%d orders ended", got)
	}
}

// deletes is the end of anna's sub-account.
func deletes(sub schema.AccountID) *schema.DeleteSub {
	return &schema.DeleteSub{Master: anna, Sub: sub}
}

func TestDeleteSub(t *testing.T) {
	w := newFamily(t)
	w.refused(because(schema.AccountUnknown), &schema.DeleteSub{Master: 9, Sub: kid})
	w.refused(because(schema.SubUnknown), &schema.DeleteSub{Master: ben, Sub: kid})
	w.refused(because(schema.SubNotEmpty), deletes(kid))
	w.must(moves(false, "10"))
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = true }))
	w.refused(because(schema.SubNotEmpty), deletes(kid))
	w.must(w.sets(kid, func(a *schema.Account) { a.Blocked = false }))
	w.key("b", kid, true)
	w.key("x", anna, true)
	w.key("a", kid, true)
	w.must(deletes(kid))
	w.happened("*schema.KeyChanged", "*schema.KeyChanged", "*schema.AccountChanged")
	for i, id := range []schema.KeyID{1, 3} {
		if e := w.last.Events[i].(*schema.KeyChanged); e.Key.ID != id || !e.Deleted {
			t.Errorf("event %d is of %+v", i, *e)
		}
	}
	if len(w.Keys()) != 1 {
		t.Errorf("the keys are %+v", w.Keys())
	}
	w.refused(because(schema.SubUnknown), deletes(kid))
	w.refused(because(schema.NameTaken), child("kid", "first"))
	w.must(child("other", "first"))
}

// TestWhatKeepsASub: anything that it has or waits for.
func TestWhatKeepsASub(t *testing.T) {
	for name, keep := range map[string]func(w *chainWorld, sub schema.AccountID){
		"main": func(w *chainWorld, sub schema.AccountID) {
			w.ledger.receive(sub, schema.Main, btc, whole(1), byDeposit)
		},
		"trade": func(w *chainWorld, sub schema.AccountID) {
			w.ledger.receive(sub, schema.Trade, usd, whole(1), byDeposit)
		},
		"collateral": func(w *chainWorld, sub schema.AccountID) {
			w.ledger.receive(sub, schema.Collateral, btc, whole(1), byDeposit)
		},
		"earn": func(w *chainWorld, sub schema.AccountID) {
			w.ledger.receive(sub, schema.Earn, btc, whole(1), byDeposit)
		},
		"debt": func(w *chainWorld, sub schema.AccountID) {
			w.ledger.receive(sub, schema.Debt, btc, whole(1), byDeposit)
		},
		"owed": func(w *chainWorld, sub schema.AccountID) {
			w.ledger.receive(sub, schema.Owed, btc, whole(1), byDeposit)
		},
		"frozen": func(w *chainWorld, sub schema.AccountID) { w.ledger.spend(in(sub), btc, whole(-1), byDeposit) },
		"order": func(w *chainWorld, sub schema.AccountID) {
			m := w.trading.market(spot)
			m.orders = append(m.orders, &order{account: sub, market: m})
		},
		"position": func(w *chainWorld, sub schema.AccountID) {
			w.margins.open = append(w.margins.open, &held{account: sub})
		},
		"credit": func(w *chainWorld, sub schema.AccountID) {
			w.credits.active = append(w.credits.active, &schema.Credit{Account: sub})
		},
		"code": func(w *chainWorld, sub schema.AccountID) {
			w.codes.active = append(w.codes.active, &code{Code: schema.Code{Account: sub}})
		},
		"deposit": func(w *chainWorld, sub schema.AccountID) {
			w.must(pays(3, "5"))
			w.must(mines(1))
		},
		"suspense": func(w *chainWorld, sub schema.AccountID) {
			w.must(pays(3, "5"))
			w.must(mines(1))
			w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
			w.must(mines(5))
		},
		"refund": func(w *chainWorld, sub schema.AccountID) {
			w.must(pays(3, "5"))
			w.must(mines(1))
			w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
			w.must(mines(3))
			w.must(&schema.RefundDeposit{Account: sub, Deposit: 1, Address: "r9"})
			w.must(mines(2))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPayouts(t)
			w.must(child("kid", "first"))
			const sub = emil + 1
			w.must(w.sets(sub, func(a *schema.Account) { a.Deposits = true }))
			w.must(&schema.OpenAddress{Account: sub, Chain: sand})
			w.must(&schema.DeleteSub{Master: anna, Sub: schema.AccountID(w.must(child("empty", "empty")).ID)})
			keep(w, sub)
			w.refused(because(schema.SubNotEmpty), deletes(sub))
		})
	}
}

// TestWhatIsOverKeepsNoSub: a deposit that was lost, one that was sent back, and one that was spent.
func TestWhatIsOverKeepsNoSub(t *testing.T) {
	w := newPayouts(t)
	w.must(child("kid", "first"))
	const sub = emil + 1
	w.must(w.sets(sub, func(a *schema.Account) { a.Deposits = true }))
	w.must(&schema.OpenAddress{Account: sub, Chain: sand})
	w.must(pays(3, "5"))
	w.must(mines(1))
	w.must(&schema.DecideDeposit{Deposit: 1, Decision: schema.CancelDeposit})
	w.must(mines(3))
	w.must(&schema.RefundDeposit{Account: sub, Deposit: 1, Address: "r9"})
	w.must(pays(3, "7"))
	w.must(mines(3))
	w.refused(because(schema.SubNotEmpty), deletes(sub))
	w.must(&schema.MoveSub{Master: anna, Sub: sub, Asset: btc, Amount: d("7")})
	w.must(deletes(sub))

	// What comes to its address later is nobody's, and waits for operators, who cannot give it to whom it was sent.
	w.must(pays(3, "2"))
	w.must(mines(3))
	w.deposit(3, schema.DepositUncredited, 8, "0")
	if owner := w.chains.deposit(3).Account; owner != 0 {
		t.Errorf("it is of %d", owner)
	}
	w.main(suspense, btc, "2")
	w.refused(because(schema.AccountUnknown), &schema.DecideDeposit{Deposit: 3, Account: sub, Decision: schema.CreditDeposit})
	w.refused(because(schema.AccountUnknown), &schema.Deposit{Account: sub, Asset: btc, Amount: d("1")})
	w.must(&schema.DecideDeposit{Deposit: 3, Account: anna, Decision: schema.CreditDeposit})
	w.refused(because(schema.WithdrawAddressInvalid), with(asks("a", "1"), func(c *schema.RequestWithdrawal) { c.Index = 3 }))
	w.main(sub, btc, "0")
}

// TestNothingArrivesAtADeletedSub: what waited for operators or a master when it was deleted waits on, or is canceled.
func TestNothingArrivesAtADeletedSub(t *testing.T) {
	w := newApprovals(t)
	w.must(child("kid", "first"))
	const sub = payingSub + 1
	w.must(w.sets(sub, func(a *schema.Account) { a.Deposits = true }))
	w.must(&schema.OpenAddress{Account: sub, Chain: sand})
	w.network(func(n *schema.Network) { n.ApproveAbove = d("10") })
	toSub := func(c *schema.RequestWithdrawal) { c.Index = 3 }
	w.must(with(asks("a", "20"), toSub))
	w.must(with(subAsks("b", "1"), toSub))
	w.must(deletes(sub))
	w.stays(schema.SubUnknown, "olga", 1, schema.ApproveWithdrawal)
	w.refused(because(schema.SubUnknown), confirms(2))
	w.decided("olga", 1, schema.CancelWithdrawal)
	w.decided("olga", 2, schema.CancelWithdrawal)
	w.frozen("100", "0")
}

// TestBlockLetsProtectionCome: what a primary dealt before the block ended it is protected.
func TestBlockLetsProtectionCome(t *testing.T) {
	w := newGroups(t)
	sub := schema.AccountID(w.must(child("kid", "first")).ID)
	w.collateral(sub, usdt, "100000")
	w.place(ben, ask("0.4", "50000"))
	w.place(sub, protecting(bid("1", "50000"), "54000", "46000"))
	w.must(&schema.BlockSub{Master: anna, Sub: sub, Blocked: true})
	open := w.Orders(perp)
	if len(open) != 2 || open[0].Role != schema.TakeProfit || open[1].Role != schema.StopLoss || open[0].Amount != d("0.4") {
		t.Errorf("open are %+v", open)
	}
}
