package core

import (
	"fmt"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// payerAccounts are the accounts of worlds where money is paid out: the last is a sub-account of the first.
func payerAccounts(region func() schema.Region) (list []schema.Command) {
	const last = worldAccounts - 1
	for i := range last {
		list = append(list, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("payer%d", i), Region: region()}})
	}
	name := fmt.Sprintf("payer%d", last)
	return append(list,
		&schema.SetSub{Master: schema.FirstCustomer, External: name, Alias: name, ShareKYC: true, Spot: true},
		&schema.SetAccount{Account: schema.Account{ID: schema.FirstCustomer + last, Name: name, Region: region(), Deposits: true}})
}

// payerSettings is what operators do with an account of these, or the master with its sub-account: what is paid out stops and goes on.
func payerSettings(t *dice, account schema.AccountID, slow *naive.Exchange) schema.Command {
	const master, sub = schema.FirstCustomer, schema.FirstCustomer + worldAccounts - 1
	switch chance(t, 4) {
	case 0:
		return &schema.BlockSub{Master: master, Sub: sub, Blocked: chance(t, 3) == 0}
	case 1:
		c := &schema.ConfirmWithdrawal{Master: master, Withdrawal: 1}
		for _, on := range slow.Chains() {
			for _, w := range slow.Withdrawals(on.ID) {
				if w.Status == schema.WithdrawalUnconfirmed {
					c.Withdrawal = w.ID
				}
			}
		}
		return c
	}
	return &schema.SetAccount{Account: schema.Account{
		ID: account, Name: fmt.Sprintf("payer%d", account-schema.FirstCustomer), Region: schema.Global, Blocked: chance(t, 3) == 0,
		Deposits: true, Approvals: coin(t),
	}}
}
