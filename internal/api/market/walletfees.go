package market

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// assetFees is what it costs to bring an asset in and out.
type assetFees struct{ *schema.Asset }

// byProvider reports whether the fees are those of each provider.
func (f *assetFees) byProvider() bool { return f.Class == schema.Fiat && len(f.Providers) > 0 }

// oneWay is what it costs to bring an asset in, or out: nothing, within bounds.
type oneWay struct {
	*schema.Asset
	low, high fixed.Decimal
}

func depositFees(f *assetFees) oneWay { return oneWay{f.Asset, f.MinDeposit, f.MaxDeposit} }

func withdrawFees(f *assetFees) oneWay { return oneWay{f.Asset, f.MinWithdraw, f.MaxWithdraw} }

var feeFields = []api.Field[oneWay]{
	api.DecimalField("min_amount", "Minimum amount, 0: none.", func(w *oneWay) fixed.Decimal { return w.low }),
	api.DecimalField("max_amount", "Maximum amount, 0: unlimited.", func(w *oneWay) fixed.Decimal { return w.high }),
	api.ConstantField[oneWay]("fixed", api.Nullable(api.Decimal), "Fixed fee, null if there is none.", "null"),
	api.ConstantField[oneWay]("flex", api.Null, "Percentage fee. There are none.", "null"),
}

// providerFields are those of the fees of a provider.
var providerFields = append(slices.Clone(feeFields),
	api.StringField("ticker", "Ticker of the asset.", func(w *oneWay) string { return w.Ticker }),
	api.StringField("name", "Display name.", func(w *oneWay) string { return w.Name }))

func canDeposit(w *oneWay) bool { return w.CanDeposit }

func canWithdraw(w *oneWay) bool { return w.CanWithdraw }

var (
	feeDetailsEncoder = api.Encode("FeeDetails", "Fees of an asset.", feeFields...)
	depositFeeEncoder = api.Encode("DepositFee", "Deposit fees of a provider.", append(slices.Clone(providerFields),
		api.BooleanField("is_depositable", "Whether deposits are enabled.", canDeposit),
		api.BooleanField("is_api_depositable", "Whether deposits through the API are enabled.", canDeposit))...)
	withdrawFeeEncoder = api.Encode("WithdrawFee", "Withdrawal fees of a provider.", append(slices.Clone(providerFields),
		api.BooleanField("is_withdrawal", "Whether withdrawals are enabled.", canWithdraw),
		api.BooleanField("is_api_withdrawal", "Whether withdrawals through the API are enabled.", canWithdraw))...)

	assetFeesEncoder = api.Encode("WalletFees", "Deposit and withdrawal fees of an asset.",
		api.StringField("ticker", "Ticker of the asset.", func(f *assetFees) string { return f.Ticker }),
		api.StringField("name", "Display name.", func(f *assetFees) string { return f.Name }),
		api.StringsField("providers", "Payment providers. Fiat only.", func(f *assetFees) []string {
			if f.byProvider() {
				return f.Providers
			}
			return nil
		}),
		api.BooleanField("is_depositable", "Whether deposits are enabled. Absent where providers differ.", func(f *assetFees) bool { return f.CanDeposit }).
			If(func(f *assetFees) bool { return !f.byProvider() }),
		api.BooleanField("is_withdrawal", "Whether withdrawals are enabled. Absent where providers differ.", func(f *assetFees) bool { return f.CanWithdraw }).
			If(func(f *assetFees) bool { return !f.byProvider() }),
		api.BooleanField("is_api_depositable", "Whether deposits through the API are enabled.", func(f *assetFees) bool { return f.CanDeposit }),
		api.BooleanField("is_api_withdrawal", "Whether withdrawals through the API are enabled.", func(f *assetFees) bool { return f.CanWithdraw }),
		waysField("deposit", "Deposit fees, or those of each provider.", depositFeeEncoder, depositFees),
		waysField("withdraw", "Withdrawal fees, or those of each provider.", withdrawFeeEncoder, withdrawFees))
)

// waysField is the fees of an asset, or those of each of its providers, by name.
func waysField(name, description string, provider *api.Encoder[oneWay], get func(f *assetFees) oneWay) api.Field[assetFees] {
	either := api.OneOf(feeDetailsEncoder.Schema(), api.MapOf(provider.Schema()))
	return api.NewField(name, either, description, func(dst []byte, f *assetFees) []byte {
		w := get(f)
		if !f.byProvider() {
			return feeDetailsEncoder.Append(dst, &w)
		}
		var fees []api.Named[oneWay]
		for _, p := range slices.Compact(slices.Sorted(slices.Values(f.Providers))) {
			fees = append(fees, api.Named[oneWay]{Name: p, Value: w})
		}
		return provider.Map(fees).AppendTo(dst)
	})
}

var aboutWalletFees = &api.About{
	Summary:  "Get deposit and withdrawal fees",
	Text:     "Keyed by ticker. Refreshed once a minute. For trading fees see /api/v4/public/markets.",
	Response: api.MapOf(assetFeesEncoder.Schema()),
}

// walletFees says what deposits and withdrawals cost.
func (g *group) walletFees(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.fees.get(assetStamp(c), written(func(dst []byte) []byte {
		all, _, _ := c.Directory().Listing()
		var named []api.Named[assetFees]
		for _, a := range all {
			named = append(named, api.Named[assetFees]{Name: a.Ticker, Value: assetFees{a}})
		}
		return assetFeesEncoder.Map(byName(named)).AppendTo(dst)
	})), nil
}
