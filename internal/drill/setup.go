package drill

import (
	"fmt"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What the drill trades: everything against the first asset.
var tickers = [...]string{"DRILL", "IRON", "SALT"}

// An account that owns less than enough of an asset gets plenty.
var (
	plenty = fixed.FromInt(1_000_000)
	enough = fixed.FromInt(20_000)
)

func accountName(client int) string { return fmt.Sprintf("drill%d", client) }

// checkOwner keeps the drill from trading on an exchange that is not its own.
func checkOwner(m core.View) error {
	empty := len(m.Accounts().All()) == 0 && len(m.Listing().Assets()) == 0
	if !empty && m.Accounts().ByName(accountName(1)) == nil {
		return fmt.Errorf("the data directory holds an exchange that no drill has made: use an empty directory")
	}
	return nil
}

// missing is the next command that makes the exchange ready for so many clients, nil when it is.
func missing(m core.View, clients int) schema.Command {
	for client := 1; client <= clients; client++ {
		if m.Accounts().ByName(accountName(client)) == nil {
			return &schema.SetAccount{Account: schema.Account{Name: accountName(client), Region: schema.Global}}
		}
	}
	for _, ticker := range tickers {
		if m.Listing().AssetByTicker(ticker) == nil {
			return &schema.SetAsset{Asset: schema.Asset{Ticker: ticker, CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}}
		}
	}
	for _, base := range tickers[1:] {
		if m.Listing().MarketByName(marketName(base)) == nil {
			return market(m, base)
		}
	}
	for client := 1; client <= clients; client++ {
		account := m.Accounts().ByName(accountName(client)).ID
		for _, ticker := range tickers {
			if c := missingMoney(m, account, m.Listing().AssetByTicker(ticker).ID); c != nil {
				return c
			}
		}
	}
	return nil
}

func marketName(base string) string { return base + "_" + tickers[0] }

// market has whole prices and amounts, and fees, so that rounding is part of the drill.
func market(m core.View, base string) schema.Command {
	return &schema.SetMarket{Market: schema.MarketInfo{
		Name: marketName(base), Base: m.Listing().AssetByTicker(base).ID, Quote: m.Listing().AssetByTicker(tickers[0]).ID,
		Type: schema.Spot, Enabled: true, TickSize: fixed.FromInt(1), StepSize: fixed.FromInt(1), FeePrec: 8,
		MakerFee: fixed.FromUnits(1, 1), TakerFee: fixed.FromUnits(1, 1),
	}}
}

// missingMoney keeps enough in the main wallet, which transfers go through, and in the trade wallet.
func missingMoney(m core.View, account schema.AccountID, asset schema.AssetID) schema.Command {
	if owned(m, account, schema.Main, asset).Cmp(enough) < 0 {
		return &schema.Deposit{Account: account, Asset: asset, Amount: plenty.Add(plenty)}
	}
	if owned(m, account, schema.Trade, asset).Cmp(enough) < 0 {
		return &schema.Transfer{Account: account, Asset: asset, Amount: plenty, From: schema.Main, To: schema.Trade}
	}
	return nil
}

func owned(m core.View, account schema.AccountID, w schema.Wallet, asset schema.AssetID) fixed.Decimal {
	available, frozen, _ := m.Balance(account, w, asset)
	return available.Add(frozen)
}
