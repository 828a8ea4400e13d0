package market

import (
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// assetFees is what it costs to bring an asset in and out.
type assetFees struct{ *schema.Asset }

// providers of a fiat asset, in which its fees differ: those of its networks, or else those that operators name.
func (f *assetFees) providers() (names []string) {
	if f.Class != schema.Fiat {
		return nil
	}
	for i := range f.Networks {
		if onProvider(&f.Networks[i]) {
			names = append(names, f.Networks[i].Name)
		}
	}
	if names == nil {
		return f.Providers
	}
	return names
}

// byProvider reports whether the fees are those of each provider.
func (f *assetFees) byProvider() bool { return len(f.providers()) > 0 }

// by is the network of a provider, or the one that is meant where none is named; it may be nil.
func (f *assetFees) by(provider string) *schema.Network {
	if n := f.NetworkNamed(provider); f.Class == schema.Fiat && onProvider(n) {
		return n
	}
	return f.StandardNetwork()
}

// oneWay is what it costs to bring an asset in, or out, within which bounds.
type oneWay struct {
	*schema.Asset
	open                             bool // it can be done
	low, high                        fixed.Decimal
	fixed, percent, minFlex, maxFlex fixed.Decimal
}

// depositFees are those of a network.
func depositFees(f *assetFees, n *schema.Network) oneWay {
	if n == nil {
		return oneWay{Asset: f.Asset, open: f.CanDeposit, low: f.MinDeposit, high: f.MaxDeposit}
	}
	low, high := f.DepositBounds(n)
	return oneWay{f.Asset, f.CanDeposit && (n.CanDeposit || !onProvider(n)), low, high, n.DepositFixed, n.DepositPercent, n.DepositMinFee, n.DepositMaxFee}
}

func withdrawFees(f *assetFees, n *schema.Network) oneWay {
	if n == nil {
		return oneWay{Asset: f.Asset, open: f.CanWithdraw, low: f.MinWithdraw, high: f.MaxWithdraw}
	}
	low, high := f.WithdrawBounds(n)
	return oneWay{f.Asset, f.CanWithdraw && (n.CanWithdraw || !onProvider(n)), low, high, n.WithdrawFixed, n.WithdrawPercent, n.WithdrawMinFee, n.WithdrawMaxFee}
}

var flexEncoder = api.Encode("", "",
	api.DecimalField("percent", "Percentage of the amount.", func(w *oneWay) fixed.Decimal { return w.percent }),
	api.DecimalField("min_fee", "Least that it comes to.", func(w *oneWay) fixed.Decimal { return w.minFlex }),
	api.DecimalField("max_fee", "Most that it comes to, 0: unlimited.", func(w *oneWay) fixed.Decimal { return w.maxFlex }))

var feeFields = []api.Field[oneWay]{
	api.DecimalField("min_amount", "Minimum amount, 0: none.", func(w *oneWay) fixed.Decimal { return w.low }),
	api.DecimalField("max_amount", "Maximum amount, 0: unlimited.", func(w *oneWay) fixed.Decimal { return w.high }),
	api.NewField("fixed", api.Nullable(api.Decimal), "Fixed fee, null if there is none.", func(dst []byte, w *oneWay) []byte {
		if w.fixed.IsZero() {
			return append(dst, "null"...)
		}
		return api.AppendDecimal(dst, w.fixed)
	}),
	api.NewField("flex", api.Nullable(flexEncoder.Schema()), "Percentage fee, in addition to the fixed one; null if there is none.", func(dst []byte, w *oneWay) []byte {
		if w.percent.IsZero() && w.minFlex.IsZero() {
			return append(dst, "null"...)
		}
		return flexEncoder.Append(dst, w)
	}),
}

// providerFields are those of the fees of a provider.
var providerFields = append(slices.Clone(feeFields),
	api.StringField("ticker", "Ticker of the asset.", func(w *oneWay) string { return w.Ticker }),
	api.StringField("name", "Display name.", func(w *oneWay) string { return w.Name }))

func isOpen(w *oneWay) bool { return w.open }

var (
	feeDetailsEncoder = api.Encode("FeeDetails", "Fees of an asset.", feeFields...)
	depositFeeEncoder = api.Encode("DepositFee", "Deposit fees of a provider.", append(slices.Clone(providerFields),
		api.BooleanField("is_depositable", "Whether deposits are enabled.", isOpen),
		api.BooleanField("is_api_depositable", "Whether deposits through the API are enabled.", isOpen))...)
	withdrawFeeEncoder = api.Encode("WithdrawFee", "Withdrawal fees of a provider.", append(slices.Clone(providerFields),
		api.BooleanField("is_withdrawal", "Whether withdrawals are enabled.", isOpen),
		api.BooleanField("is_api_withdrawal", "Whether withdrawals through the API are enabled.", isOpen))...)

	assetFeesEncoder = api.Encode("WalletFees", "Deposit and withdrawal fees of an asset.",
		api.StringField("ticker", "Ticker of the asset.", func(f *assetFees) string { return f.Ticker }),
		api.StringField("name", "Display name.", func(f *assetFees) string { return f.Name }),
		api.StringsField("providers", "Payment providers. Fiat only.", func(f *assetFees) []string { return f.providers() }),
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
func waysField(name, description string, provider *api.Encoder[oneWay], get func(f *assetFees, n *schema.Network) oneWay) api.Field[assetFees] {
	either := api.OneOf(feeDetailsEncoder.Schema(), api.MapOf(provider.Schema()))
	return api.NewField(name, either, description, func(dst []byte, f *assetFees) []byte {
		if !f.byProvider() {
			w := get(f, f.StandardNetwork())
			return feeDetailsEncoder.Append(dst, &w)
		}
		var fees []api.Named[oneWay]
		for _, p := range slices.Compact(slices.Sorted(slices.Values(f.providers()))) {
			fees = append(fees, api.Named[oneWay]{Name: p, Value: get(f, f.by(p))})
		}
		return provider.Map(fees).AppendTo(dst)
	})
}

var aboutWalletFees = &api.About{
	Summary:  "Get deposit and withdrawal fees",
	Text:     "Keyed by ticker. Fees are those of the default network of an asset, or its only one; of fiat those of each provider. Refreshed once a minute. For trading fees see /api/v4/public/markets.",
	Response: api.MapOf(assetFeesEncoder.Schema()),
}

// walletFees says what deposits and withdrawals cost.
func (g *group) walletFees(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.fees.get(assetStamp(c), written(func(dst []byte) []byte {
		all, _, _ := c.Directory().Listing()
		var named []api.Named[assetFees]
		for _, a := range all {
			named = append(named, api.Named[assetFees]{Name: a.Ticker, Value: assetFees{a.For(c.API.Region())}})
		}
		return assetFeesEncoder.Map(byName(named)).AppendTo(dst)
	})), nil
}
