package schema

import "testing"

// others are the commands that customers do not give: those of operators and of the exchange itself, and what doors ask for before anybody is
// signed in, about a session, or for a program with a token.
var others = []Command{
	new(Continue), new(Tick), new(Deposit), new(ConfirmDeposit), new(Withdraw), new(FundSystem), new(ChainBlock), new(ChainRewind), new(DecideDeposit),
	new(ForgiveOwed), new(MineSandbox), new(ReorgSandbox), new(PaySandbox), new(SetAsset), new(SetMarket), new(PlanMaintenance), new(PlanDelisting),
	new(SetFeature), new(SetIndex), new(SetCollateral), new(SetAccount), new(SetKey), new(DeleteKey), new(SetFee), new(DecideWithdrawal), new(SetFaucet),
	new(SetChain), new(SetKeys), new(RefillHot), new(ResumeChain), new(AdoptSpend), new(BookSurplus), new(DecideProposal), new(SetTier), new(OpenCredit), new(ChargeCredit), new(RepayCredit), new(SetVerdict),
	new(SetVASP), new(PlanPayout), new(SignPayout), new(AbandonPayout), new(SettleInvoice), new(SettleWithdrawal), new(VerifySub), new(TouchKeys),
	new(Enrol), new(SignIn), new(StepUp), new(SetFactor), new(TouchSession),
	new(ClaimShards), new(SettleWebhooks), new(ResendWebhook), new(PauseWebhook), new(SetPartner), new(RedeemGrant), new(RefreshGrant), new(TakeSecret),
	new(SetConversion), new(SetPlan), new(AssignPlan),
	new(SetPool), new(SetPoolRate), new(BarMining), new(LeasePool), new(ReportShares), new(FoundBlock),
}

// Every command either says on whose account customers give it, or is none of customers.
func TestEveryCommandOfCustomersHasAnOwner(t *testing.T) {
	none := map[Kind]bool{}
	for _, c := range others {
		none[c.Kind()] = true
	}
	for _, c := range Commands() {
		if _, owned := c.(Owned); owned == none[c.Kind()] {
			t.Errorf("%T has an owner: %t, customers give it: %t", c, owned, !none[c.Kind()])
		}
	}
}
