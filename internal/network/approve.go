package network

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"bourse/internal/core"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// A signer may want that operators signed what is large. It is asked before anything is planned: a payout that it refuses would keep its
// coins, and all that it pays, until a person helps.

// payable are withdrawals of an asset that wait and lack nothing, at most so many. Those that lack a signature keep no others waiting; the
// signer is asked about them again after as long as a batch waits.
func (l *Link) payable(ctx context.Context, a *offered, most int) ([]schema.Withdrawal, error) {
	signer, wants := l.o.Signer.(driver.Approver)
	if !wants {
		return l.waiting(a.id, most, nil), nil
	}
	if time.Since(l.asked) >= l.o.Batch {
		l.asked = time.Now()
		clear(l.kept)
		l.forgetLacking()
	}
	for {
		list := l.waiting(a.id, most, l.kept)
		if len(list) == 0 {
			return nil, nil
		}
		lacking, err := signer.Unapproved(ctx, l.question(a, list))
		if err != nil {
			return nil, err
		}
		if l.noteLacking(list, lacking); len(lacking) == 0 {
			return list, nil
		}
		for _, u := range lacking { // others are looked for in their place
			if !slices.ContainsFunc(list, func(w schema.Withdrawal) bool { return w.ID == u.Withdrawal }) {
				return nil, fmt.Errorf("the signer speaks of withdrawal %d, about which it was not asked", u.Withdrawal)
			}
			l.kept[u.Withdrawal] = true
		}
	}
}

// question is a request for withdrawals of an asset that has no transaction yet.
func (l *Link) question(a *offered, list []schema.Withdrawal) *driver.Request {
	r := &driver.Request{Asset: a.ticker, Contract: a.contract, Decimals: a.decimals}
	l.o.Node.Read(func(m core.View) {
		r.Chain = *m.Chains().Get(l.id)
		for i := range list {
			r.Withdrawals = append(r.Withdrawals, paidOf(m, &list[i]))
		}
	})
	return r
}

// paidOf is a withdrawal as signers see it.
func paidOf(m core.View, w *schema.Withdrawal) driver.Paid {
	one := driver.Paid{ID: w.ID, Address: w.Address, Memo: w.Memo, Amount: w.Amount, Signatures: m.Chains().Signatures(w.ID)}
	if w.Approver != "" {
		one.Approvals = []string{w.Approver}
	}
	return one
}

// noteLacking keeps for operators what the signer said about withdrawals.
func (l *Link) noteLacking(list []schema.Withdrawal, lacking []driver.Unapproved) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := maps.Clone(l.lacks)
	for i := range list {
		delete(l.lacks, list[i].ID)
	}
	for _, u := range lacking {
		l.lacks[u.Withdrawal] = u.Lacks
		if before[u.Withdrawal] != u.Lacks {
			l.o.Log.Warn("a withdrawal waits for signatures of operators", "withdrawal", u.Withdrawal, "lacks", u.Lacks)
		}
	}
}

// forgetLacking forgets what was said about withdrawals that wait no more. Those who read the state may ask what one lacks, so nobody who
// keeps them waiting for that reads the state.
func (l *Link) forgetLacking() {
	l.mu.Lock()
	waiting := maps.Clone(l.lacks)
	l.mu.Unlock()
	l.o.Node.Read(func(m core.View) {
		maps.DeleteFunc(waiting, func(id schema.WithdrawalID, _ string) bool {
			w, known := m.Chains().Withdrawal(id)
			return !known || w.Status != schema.WithdrawalQueued
		})
	})
	l.mu.Lock()
	l.lacks = waiting
	l.mu.Unlock()
}

// Lacks is which signatures of operators a withdrawal lacks, as the signer said it last; "": it did not say so.
func (l *Link) Lacks(id schema.WithdrawalID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lacks[id]
}
