package naive

import "bourse/internal/schema"

// judgeOwner looks whether a command is one that the owner of its key may give: what customers do, about the account of the key or, for webhooks,
// access of programs and invitations, about a sub-account of it.
func (a *accounts) judgeOwner(from schema.Origin, cmd schema.Command) schema.Rejection {
	k := a.key(from.Key)
	if k == nil {
		return accepted
	}
	if _, tick := cmd.(*schema.Tick); tick { // a request that changes nothing
		return accepted
	}
	if about, is := ofMasters(cmd); is {
		sub, _ := a.customer(about)
		if about != k.Account && (sub == nil || sub.Parent != k.Account) {
			return because(schema.SubUnknown)
		}
		return accepted
	}
	if about, is := ofCustomers(cmd); !is || about != k.Account {
		return because(schema.KeyNotAllowed)
	}
	return accepted
}

// ofMasters is the account of a command that a master also gives for its sub-accounts.
func ofMasters(cmd schema.Command) (schema.AccountID, bool) {
	switch c := cmd.(type) {
	case *schema.SetWebhook:
		return c.Account, true
	case *schema.VerifyWebhook:
		return c.Account, true
	case *schema.RevokePartner:
		return c.Account, true
	case *schema.Invite:
		return c.Account, true
	}
	return 0, false
}

// ofCustomers is the account of any other command that a customer gives.
func ofCustomers(cmd schema.Command) (schema.AccountID, bool) {
	switch c := cmd.(type) {
	case *schema.PlaceOrder:
		return c.Account, true
	case *schema.PlaceBulk:
		return c.Account, true
	case *schema.PlaceOCO:
		return c.Account, true
	case *schema.PlaceTPSL:
		return c.Account, true
	case *schema.ModifyOrder:
		return c.Account, true
	case *schema.CancelOrder:
		return c.Account, true
	case *schema.CancelBulk:
		return c.Account, true
	case *schema.CancelAll:
		return c.Account, true
	case *schema.CancelGroup:
		return c.Account, true
	case *schema.SetKillSwitch:
		return c.Account, true
	case *schema.ClosePosition:
		return c.Account, true
	case *schema.SetLeverage:
		return c.Account, true
	case *schema.SetHedgeMode:
		return c.Account, true
	case *schema.Transfer:
		return c.Account, true
	case *schema.TakeFaucet:
		return c.Account, true
	case *schema.PayFaucet:
		return c.Account, true
	case *schema.OpenAddress:
		return c.Account, true
	case *schema.RequestInvoice:
		return c.Account, true
	case *schema.SubmitTravel:
		return c.Account, true
	case *schema.QuoteConversion:
		return c.Exchange.Account, true
	case *schema.ConfirmConversion:
		return c.Account, true
	case *schema.AutoConvert:
		return c.Exchange.Account, true
	case *schema.Invest:
		return c.Account, true
	case *schema.Divest:
		return c.Account, true
	case *schema.SetReinvest:
		return c.Account, true
	case *schema.OpenMining:
		return c.Account, true
	case *schema.SetMiningPayout:
		return c.Account, true
	case *schema.WatchMining:
		return c.Account, true
	case *schema.RefundDeposit:
		return c.Account, true
	case *schema.RequestWithdrawal:
		return c.Account, true
	case *schema.CheckAddress:
		return c.Account, true
	case *schema.CreateCode:
		return c.Account, true
	case *schema.ApplyCode:
		return c.Account, true
	case *schema.RequestExpress:
		return c.Account, true
	case *schema.PayExpress:
		return c.Account, true
	case *schema.SetSub:
		return c.Master, true
	case *schema.DeleteSub:
		return c.Master, true
	case *schema.BlockSub:
		return c.Master, true
	case *schema.MoveSub:
		return c.Master, true
	case *schema.ConfirmWithdrawal:
		return c.Master, true
	case *schema.OpenKey:
		return c.By, true
	case *schema.EditKey:
		return c.By, true
	case *schema.SetKeyAddress:
		return c.By, true
	case *schema.CloseKey:
		return c.By, true
	case *schema.ResetKey:
		return c.By, true
	case *schema.SignOut:
		return c.Account, true
	case *schema.AuthorizePartner:
		return c.Account, true
	}
	return 0, false
}
