package bench

import (
	"fmt"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// setUp makes a machine ready with setUpCommands.
func setUp(m *core.Machine, at schema.Time, markets, accounts int) error {
	for _, c := range setUpCommands(markets, accounts) {
		if r := m.Apply(at, c).Result.Rejection; r.Refused() {
			return fmt.Errorf("%T: %s", c, r.Text())
		}
	}
	return nil
}

// setUpCommands list markets with whole prices and amounts and open accounts with plenty of money
// in their trade wallets.
func setUpCommands(markets, accounts int) []schema.Command {
	quote := schema.AssetID(1)
	commands := []schema.Command{asset("USDT")}
	for i := range markets {
		base := fmt.Sprintf("COIN%d", i)
		commands = append(commands, asset(base), &schema.SetMarket{Market: schema.MarketInfo{
			Name: base + "_USDT", Base: quote + schema.AssetID(i) + 1, Quote: quote, Type: schema.Spot, Enabled: true,
			TickSize: fixed.FromInt(1), StepSize: fixed.FromInt(1), FeePrec: 8,
			MakerFee: fixed.FromUnits(1, 1), TakerFee: fixed.FromUnits(1, 1),
		}})
	}
	for i := range accounts {
		account := schema.FirstCustomer + schema.AccountID(i)
		commands = append(commands, &schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("trader%d", i), Region: schema.Global}})
		for a := range schema.AssetID(markets + 1) {
			plenty := fixed.FromInt(1e15)
			commands = append(commands,
				&schema.Deposit{Account: account, Asset: a + 1, Amount: plenty},
				&schema.Transfer{Account: account, Asset: a + 1, Amount: plenty, From: schema.Main, To: schema.Trade})
		}
	}
	return commands
}

func asset(ticker string) schema.Command {
	return &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}}
}
