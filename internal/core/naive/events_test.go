package naive

import (
	"fmt"
	"slices"
	"testing"

	"bourse/internal/schema"
)

// listed is the events of the last command in words.
func (w *world) listed() (list []string) {
	for _, e := range w.last.Events {
		switch e := e.(type) {
		case *schema.OrderChanged:
			list = append(list, fmt.Sprintf("order %d %s by %s: %s left %s", e.Order.ID, e.Change, e.Cause, e.Order.Status, e.Order.Left))
		case *schema.Deal:
			what := "deal"
			if e.OffBook {
				what = "off-book deal"
			}
			list = append(list, fmt.Sprintf("%s %d: %s at %s", what, e.ID, e.Amount, e.Price))
		case *schema.BalanceChanged:
			list = append(list, fmt.Sprintf("%d %s of %d by %s for %d: %s %s", e.Account, e.Wallet, e.Asset, e.Cause, e.Ref, e.Available, e.Frozen))
		case *schema.LevelChanged:
			list = append(list, fmt.Sprintf("level %s %s: %s", e.Side, e.Price, e.Amount))
		case *schema.PositionChanged:
			if e.Cause == schema.ByFunding {
				list = append(list, fmt.Sprintf("funding of position %d of %d: %s for %s at %s, %s in all",
					e.Position.ID, e.Position.Account, e.Funding, e.Amount, e.Price, e.Position.Funding))
				continue
			}
			what := "position"
			switch e.Cause {
			case schema.ByLiquidation:
				what = "overlap of position"
			case schema.ByDelisting:
				what = "delisted position"
			}
			list = append(list, fmt.Sprintf("%s %d of %d %s: %s for %s, %s at %s realized %s fee %s",
				what, e.Position.ID, e.Position.Account, e.Position.Side, e.Position.Amount, e.Position.Cost, e.Amount, e.Price, e.Realized, e.Fee))
		case *schema.FundingSettled:
			list = append(list, fmt.Sprintf("funding on %d: %s at %s, from +%d to +%d",
				e.Market, e.Rate, e.Mark, (e.Since-noon)/minute, (e.At-noon)/minute))
		case *schema.LoanChanged:
			what := ""
			if e.Liquidated {
				what = ", liquidated"
			}
			list = append(list, fmt.Sprintf("loan of %d: %s and %s%s", e.Account, e.Principal, e.Interest, what))
		case *schema.RiskChanged:
			list = append(list, fmt.Sprintf("risk of %d: %s, %s of %s", e.Account, e.State, e.Total, e.Maintenance))
		case *schema.Shortfall:
			list = append(list, fmt.Sprintf("shortfall of %d: %s of asset %d, the fund has %s", e.Account, e.Amount, e.Asset, e.Fund))
		case *schema.MarginChanged:
			list = append(list, fmt.Sprintf("margin of %d: %d %t", e.Account, e.Leverage, e.Hedge))
		case *schema.CodeChanged:
			list = append(list, fmt.Sprintf("code %d of %d: %s of %d %s", e.Code.ID, e.Code.Account, e.Code.Amount, e.Code.Asset, e.Code.Status))
		case *schema.ChainMoved:
			what := ""
			if e.Halted {
				what = ", halted"
			}
			list = append(list, fmt.Sprintf("chain %d at %d%s", e.Chain, e.Height, what))
		case *schema.ChainDepositChanged:
			what := ""
			if e.Deposit.Reversed {
				what = ", reversed"
			}
			list = append(list, fmt.Sprintf("deposit %d of %d: %s %s at %d%s", e.Deposit.ID, e.Deposit.Account, e.Deposit.Amount, e.Deposit.Status, e.Deposit.Height, what))
		case *schema.WithdrawalChanged:
			list = append(list, fmt.Sprintf("withdrawal %d of %d: %s for %s %s at %d", e.Withdrawal.ID, e.Withdrawal.Account, e.Withdrawal.Amount, e.Withdrawal.Fee, e.Withdrawal.Status, e.Withdrawal.Height))
		case *schema.SpendAdopted:
			text := fmt.Sprintf("spend %s at %d", e.Tx, e.Height)
			for _, l := range e.Losses {
				text += fmt.Sprintf(", %s of %d at %d %d", l.Amount, l.Asset, l.Index, l.Own)
			}
			list = append(list, text)
		case *schema.ProposalChanged:
			list = append(list, fmt.Sprintf("proposal %d %s", e.Proposal.ID, e.Proposal.Status))
		default:
			list = append(list, fmt.Sprintf("%T", e))
		}
	}
	return list
}

func (w *world) happened(want ...string) {
	w.t.Helper()
	if got := w.listed(); !slices.Equal(got, want) {
		w.t.Errorf("events:\n got %q\nwant %q", got, want)
	}
}

func TestEventsOfADeal(t *testing.T) {
	w := newWorld(t)
	maker := w.place(anna, limit(schema.Sell, "3", "100"))
	w.happened(
		"101 trade of 1 by request for 1: 97 3",
		"level sell 100: 3",
		"order 1 opened by request: OPEN left 3",
	)
	w.place(ben, limit(schema.Buy, "1", "110"))
	w.happened(
		"102 trade of 2 by trade for 1: 99900 0",
		"101 trade of 1 by trade for 1: 97 2",
		"102 trade of 1 by trade for 1: 101 0",
		"101 trade of 2 by trade for 1: 100100 0",
		"101 trade of 2 by fee for 1: 100099.9 0",
		"2 main of 2 by fee for 1: 0.1 0",
		"102 trade of 1 by fee for 1: 100.998 0",
		"2 main of 1 by fee for 1: 0.002 0",
		"deal 1: 1 at 100",
		"level sell 100: 2",
		"order 1 updated by trade: PARTIALLY_FILLED left 2",
		"order 2 closed by trade: FILLED left 0",
	)
	w.must(&schema.CancelOrder{Account: anna, Order: schema.OrderRef{Market: spot, ID: maker.ID}})
	w.happened(
		"101 trade of 1 by request for 1: 99 0",
		"level sell 100: 0",
		"order 1 closed by request: CANCELED left 2",
	)
}

func TestEventsOfSettings(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		command schema.Command
		want    []string
	}{
		{&schema.SetMarket{Market: btcUSD()}, []string{"*schema.MarketChanged"}},
		{&schema.SetFee{Account: anna, Market: spot, Maker: schema.Some(d("1"))}, []string{"*schema.FeeChanged"}},
		{&schema.SetIndex{Market: spot, Price: d("1")}, []string{"*schema.IndexChanged"}},
		{&schema.SetFeature{Feature: schema.ExactMoney, On: true}, []string{"*schema.FeatureChanged"}},
		{&schema.SetKillSwitch{Account: anna, Market: spot, Timeout: 5 * schema.Second}, []string{"*schema.KillSwitchChanged"}},
		{&schema.SetKillSwitch{Account: anna, Market: spot}, []string{"*schema.KillSwitchChanged"}},
		{&schema.SetKillSwitch{Account: anna, Market: spot}, nil}, // there is none to remove
		{&schema.PlanMaintenance{Market: spot, From: 1_000_000, To: 2_000_000}, []string{"*schema.MarketChanged"}},
		{&schema.PlanDelisting{Market: spot, At: 9_000_000}, []string{"*schema.MarketChanged"}},
		{&schema.Transfer{Account: anna, Asset: btc, Amount: d("1"), From: schema.Trade, To: schema.Main}, []string{
			"101 trade of 1 by transfer for 0: 99 0", "101 main of 1 by transfer for 0: 1 0", "*schema.Transferred",
		}},
	} {
		w.must(c.command)
		if got := w.listed(); !slices.Equal(got, c.want) {
			t.Errorf("%T: %q", c.command, got)
		}
	}
	// A tick that comes late begins and ends the maintenance.
	w.Apply(2_000_000, &schema.Tick{})
	w.happened("*schema.MarketChanged", "*schema.MarketChanged")
}
