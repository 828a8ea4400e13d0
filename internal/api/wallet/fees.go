package wallet

import (
	"cmp"
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// charge is what it costs to bring an asset in, or out, within which bounds.
type charge struct{ minFlex, maxFlex, percent, fixed, low, high fixed.Decimal }

// depositCharge is that of the network that is meant where none is named.
func depositCharge(a *schema.Asset) *charge {
	n := a.StandardNetwork()
	if n == nil {
		return &charge{low: a.MinDeposit, high: a.MaxDeposit}
	}
	low, high := a.DepositBounds(n)
	return &charge{n.DepositMinFee, n.DepositMaxFee, n.DepositPercent, n.DepositFixed, low, high}
}

func withdrawCharge(a *schema.Asset) *charge {
	n := a.StandardNetwork()
	if n == nil {
		return &charge{low: a.MinWithdraw, high: a.MaxWithdraw}
	}
	low, high := a.WithdrawBounds(n)
	return &charge{n.WithdrawMinFee, n.WithdrawMaxFee, n.WithdrawPercent, n.WithdrawFixed, low, high}
}

var feesEncoder = func() *api.Encoder[schema.Asset] {
	one := api.Encode("Charge", "Fees and limits of one direction. Zero: none.",
		api.DecimalField("minFlex", "Least that the percentage comes to.", func(c *charge) fixed.Decimal { return c.minFlex }),
		api.DecimalField("maxFlex", "Most that the percentage comes to.", func(c *charge) fixed.Decimal { return c.maxFlex }),
		api.DecimalField("percentFlex", "Percentage of the amount.", func(c *charge) fixed.Decimal { return c.percent }),
		api.DecimalField("fixed", "Fixed fee, in addition to the percentage.", func(c *charge) fixed.Decimal { return c.fixed }),
		api.DecimalField("minAmount", "Minimum amount.", func(c *charge) fixed.Decimal { return c.low }),
		api.DecimalField("maxAmount", "Maximum amount.", func(c *charge) fixed.Decimal { return c.high }))
	return api.Encode("AssetCharges", "What it costs to bring an asset in and out.",
		api.StringField("ticker", "Ticker of the asset.", func(a *schema.Asset) string { return a.Ticker }),
		api.StringField("name", "Display name.", func(a *schema.Asset) string { return a.Name }),
		api.BooleanField("can_deposit", "Whether deposits are enabled.", func(a *schema.Asset) bool { return a.CanDeposit }),
		api.BooleanField("can_withdraw", "Whether withdrawals are enabled.", func(a *schema.Asset) bool { return a.CanWithdraw }),
		api.ObjectField("deposit", one, "Deposits by the default network of the asset, or its only one.", depositCharge),
		api.ObjectField("withdraw", one, "Withdrawals by the same.", withdrawCharge))
}()

var aboutFees = &api.About{
	Summary:  "Get deposit and withdrawal fees of the account",
	Text:     "Sorted by ticker. What is not available in the region of the account can be neither deposited nor withdrawn. For the deposit fees of every network see /api/v4/main-account/address.",
	Response: api.ArrayOf(feesEncoder.Schema()),
}

func fees(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	listed, _, _ := c.Directory().Listing()
	assets := make([]schema.Asset, len(listed))
	for i, a := range listed {
		assets[i] = *a.For(c.Region())
	}
	slices.SortFunc(assets, func(a, b schema.Asset) int { return cmp.Compare(a.Ticker, b.Ticker) })
	return feesEncoder.Array(assets), nil
}
