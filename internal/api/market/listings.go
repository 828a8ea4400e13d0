package market

import (
	"slices"
	"strconv"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// visible are the markets that the deployment lists.
func visible(c *api.Call) []*schema.MarketInfo {
	_, all, _ := c.Directory().Listing()
	return slices.DeleteFunc(all, func(m *schema.MarketInfo) bool {
		return !m.Offered(c.API.Region())
	})
}

// listed is the stamp of what is made of the listing alone.
func listed(c *api.Call) listingStamp {
	return listingStamp{generation: c.Directory().Generation()}
}

// marketMembers are the members of a market that both versions have.
var marketMembers = []api.Property{
	api.Required("name", api.String, "Market name, as BASE_QUOTE."),
	api.Required("stock", api.String, "Base asset."),
	api.Required("money", api.String, "Quote asset."),
	api.Required("stockPrec", countSchema, "Decimal places of an amount."),
	api.Required("moneyPrec", countSchema, "Decimal places of a price."),
	api.Required("feePrec", countSchema, "Decimal places of a fee."),
	api.Required("makerFee", api.Decimal, "Maker fee in percent. Negative: rebate."),
	api.Required("takerFee", api.Decimal, "Taker fee in percent."),
	api.Required("minAmount", api.Decimal, "Minimum order amount in the base asset."),
}

// countSchema is how a market shows numbers of decimals.
var countSchema = api.Described("A whole number as a text.", api.Decimal)

var aboutMarkets = &api.About{
	Summary: "List markets",
	Text:    "Trading rules, precisions, limits and fees of every market. Markets that are not available in the region of this deployment are omitted.",
	Response: api.ArrayOf(api.Object("Market", "A market with its trading rules.", append(slices.Clone(marketMembers),
		api.Required("tickSize", stepSchema, "Prices must be a multiple of this, empty if any price with moneyPrec decimals is allowed."),
		api.Required("stepSize", stepSchema, "Amounts must be a multiple of this, empty if any amount with stockPrec decimals is allowed."),
		api.Required("minTotal", api.Decimal, "Minimum total (price × amount) in the quote asset."),
		api.Required("maxTotal", api.Decimal, "Maximum total (price × amount) in the quote asset, 0: unlimited."),
		api.Required("tradesEnabled", api.Boolean, "Always true: disabled markets are omitted."),
		api.Required("isCollateral", api.Boolean, "Whether margin trading is enabled."),
		api.Required("type", api.Enum("spot", "futures", "tradfiFutures"), "Market type."),
		api.Required("isTradFiFutures", api.Boolean, "Whether the type is tradfiFutures."),
		api.Required("delistedAt", api.Nullable(api.Seconds), "Time at which the market will be delisted, null if none is planned."),
	)...)),
}

// stepSchema is a tick or a step.
var stepSchema = api.OneOf(api.Decimal, api.Enum(""))

func (g *group) markets(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.markets.get(listed(c), written(func(dst []byte) []byte {
		dst = append(dst, '[')
		for i, m := range visible(c) {
			dst = encoder{c.Directory()}.appendMarket(api.AppendComma(dst, i), m)
		}
		return append(dst, ']')
	})), nil
}

func (d encoder) appendMarket(dst []byte, m *schema.MarketInfo) []byte {
	dst = d.beginMarket(append(dst, '{'), m)
	dst = append(dst, `,"tickSize":`...)
	dst = appendStep(dst, m.TickSize)
	dst = append(dst, `,"stepSize":`...)
	dst = appendStep(dst, m.StepSize)
	dst = append(dst, `,"minTotal":`...)
	dst = api.AppendDecimal(dst, m.MinTotal)
	dst = append(dst, `,"maxTotal":`...)
	dst = api.AppendDecimal(dst, m.MaxTotal)
	dst = append(dst, `,"tradesEnabled":true,"isCollateral":false,"type":"`...)
	dst = append(dst, m.Type.String()...)
	dst = append(dst, `","isTradFiFutures":`...)
	dst = api.AppendBool(dst, m.Type == schema.TradFiFutures)
	dst = append(dst, `,"delistedAt":`...)
	if m.DelistsAt == 0 {
		return append(dst, `null}`...)
	}
	dst = api.AppendInt(dst, int64(m.DelistsAt/schema.Second))
	return append(dst, '}')
}

// beginMarket writes the members of a market that both versions have.
func (d encoder) beginMarket(dst []byte, m *schema.MarketInfo) []byte {
	dst = append(dst, `"name":`...)
	dst = api.AppendText(dst, m.Name)
	dst = append(dst, `,"stock":`...)
	dst = api.AppendText(dst, d.Ticker(m.Base))
	dst = append(dst, `,"money":`...)
	dst = api.AppendText(dst, d.Ticker(m.Quote))
	for _, p := range []struct {
		name string
		prec uint8
	}{{"stockPrec", m.StockPrec}, {"moneyPrec", m.MoneyPrec}, {"feePrec", m.FeePrec}} {
		dst = append(dst, `,"`+p.name+`":"`+strconv.Itoa(int(p.prec))+`"`...)
	}
	dst = append(dst, `,"makerFee":`...)
	dst = api.AppendDecimal(dst, m.MakerFee)
	dst = append(dst, `,"takerFee":`...)
	dst = api.AppendDecimal(dst, m.TakerFee)
	dst = append(dst, `,"minAmount":`...)
	return api.AppendDecimal(dst, m.MinAmount)
}

// appendStep writes a tick or step: empty when it is not available.
func appendStep(dst []byte, d fixed.Decimal) []byte {
	if d.IsZero() {
		return append(dst, `""`...)
	}
	return api.AppendDecimal(dst, d)
}

// minute is how long lists of assets are kept: the spec has them made again about once a minute,
// shared by all callers.
const minute = 60 * schema.Second

// assetStamp changes with every minute, and not with what is listed in between.
func assetStamp(c *api.Call) listingStamp { return listingStamp{period: c.API.Now() / minute} }

var aboutAssets = &api.About{
	Summary: "Get the status of assets",
	Text:    "Keyed by ticker. Refreshed once a minute.",
	Response: api.MapOf(api.Object("Asset", "An asset.",
		api.Required("name", api.String, "Display name."),
		api.Required("unified_cryptoasset_id", api.Integer, "Id of the asset at market data aggregators, 0 if it has none."),
		api.Required("can_withdraw", api.Boolean, "Whether withdrawals are enabled."),
		api.Required("can_deposit", api.Boolean, "Whether deposits are enabled."),
		api.Required("min_withdraw", api.Decimal, "Minimum withdrawal, 0: none."),
		api.Required("max_withdraw", api.Decimal, "Maximum withdrawal, 0: unlimited."),
		api.Required("maker_fee", api.Decimal, "Highest maker fee among the markets of the asset, in percent."),
		api.Required("taker_fee", api.Decimal, "Highest taker fee among the markets of the asset, in percent."),
		api.Required("min_deposit", api.Decimal, "Minimum deposit, 0: none."),
		api.Required("max_deposit", api.Decimal, "Maximum deposit, 0: unlimited."),
		api.Required("currency_precision", api.Integer, "Decimal places of amounts in the main wallet."),
		api.Required("is_memo", api.Boolean, "Whether deposits or withdrawals need a memo."),
		api.Required("memo", api.Object("", "",
			api.Required("deposit", api.Boolean, "Deposits."),
			api.Required("withdraw", api.Boolean, "Withdrawals.")), "What a memo is needed for."),
		api.Optional("networks", api.Object("", "",
			api.Optional("deposits", api.ArrayOf(api.String), "Deposits. Absent if there are none."),
			api.Optional("withdraws", api.ArrayOf(api.String), "Withdrawals. Absent if there are none."),
			api.Optional("default", api.String, "Network that is used if a request names none.")), "Networks. Fiat has none."),
		api.Optional("limits", api.Object("", "",
			api.Required("deposit", api.MapOf(boundsSchema), "Deposits."),
			api.Required("withdraw", api.MapOf(boundsSchema), "Withdrawals.")), "Limits by network."),
		api.Optional("confirmations", api.MapOf(api.Integer), "Confirmations until a deposit can be withdrawn, by network. Crypto assets only."),
		api.Optional("confirmations_for_trading", api.MapOf(api.Integer), "Confirmations until a deposit can be traded, by network. Crypto assets only."),
		api.Optional("providers", api.Object("", "",
			api.Required("deposits", api.ArrayOf(api.String), "Deposits."),
			api.Required("withdraws", api.ArrayOf(api.String), "Withdrawals.")), "Payment providers. Fiat only."),
	)),
}

var boundsSchema = api.Object("Bounds", "Minimum and maximum amount.",
	api.Required("min", api.Decimal, "Minimum, 0: none."),
	api.Optional("max", api.Decimal, "Maximum. Absent: unlimited."))

func (g *group) assets(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.assets.get(assetStamp(c), written(func(dst []byte) []byte {
		all, _, _ := c.Directory().Listing()
		list := visible(c)
		object := map[string]assetStatus{}
		for _, a := range all {
			object[a.Ticker] = statusOf(a, list)
		}
		return api.Marshal(object).AppendTo(dst)
	})), nil
}

// assetStatus is an asset as /assets shows it.
type assetStatus struct {
	Name          string             `json:"name"`
	UnifiedID     uint32             `json:"unified_cryptoasset_id"`
	CanWithdraw   bool               `json:"can_withdraw"`
	CanDeposit    bool               `json:"can_deposit"`
	MinWithdraw   string             `json:"min_withdraw"`
	MaxWithdraw   string             `json:"max_withdraw"`
	MakerFee      string             `json:"maker_fee"`
	TakerFee      string             `json:"taker_fee"`
	MinDeposit    string             `json:"min_deposit"`
	MaxDeposit    string             `json:"max_deposit"`
	Precision     uint8              `json:"currency_precision"`
	IsMemo        bool               `json:"is_memo"`
	Memo          memo               `json:"memo"`
	Networks      *networks          `json:"networks,omitempty"`
	Limits        *limits            `json:"limits,omitempty"`
	Confirmations *map[string]uint32 `json:"confirmations,omitempty"`
	ForTrading    *map[string]uint32 `json:"confirmations_for_trading,omitempty"`
	Providers     *providers         `json:"providers,omitempty"`
}

type memo struct {
	Deposit  bool `json:"deposit"`
	Withdraw bool `json:"withdraw"`
}

// networks of an asset; nil is absent, which is not the same as none.
type networks struct {
	Deposits  []string `json:"deposits,omitzero"`
	Withdraws []string `json:"withdraws,omitzero"`
	Default   string   `json:"default,omitempty"`
}

type limits struct {
	Deposit  map[string]bounds `json:"deposit"`
	Withdraw map[string]bounds `json:"withdraw"`
}

type bounds struct {
	Min string `json:"min"`
	Max string `json:"max,omitempty"`
}

type providers struct {
	Deposits  []string `json:"deposits"`
	Withdraws []string `json:"withdraws"`
}

// statusOf describes an asset. Its fees are the highest of the markets where it trades.
func statusOf(a *schema.Asset, list []*schema.MarketInfo) assetStatus {
	var maker, taker fixed.Decimal
	for _, m := range list {
		if m.Base == a.ID || m.Quote == a.ID {
			maker, taker = fixed.MaxOf(maker, m.MakerFee), fixed.MaxOf(taker, m.TakerFee)
		}
	}
	s := assetStatus{
		Name: a.Name, UnifiedID: a.UnifiedID, CanWithdraw: a.CanWithdraw, CanDeposit: a.CanDeposit,
		MinWithdraw: a.MinWithdraw.String(), MaxWithdraw: a.MaxWithdraw.String(),
		MinDeposit: a.MinDeposit.String(), MaxDeposit: a.MaxDeposit.String(),
		MakerFee: maker.String(), TakerFee: taker.String(), Precision: a.Precision,
		IsMemo: a.DepositMemo || a.PayoutMemo, Memo: memo{a.DepositMemo, a.PayoutMemo},
	}
	if a.Class == schema.Fiat {
		s.Providers = &providers{[]string{}, []string{}}
		if a.CanDeposit {
			s.Providers.Deposits = append(s.Providers.Deposits, a.Providers...)
		}
		if a.CanWithdraw {
			s.Providers.Withdraws = append(s.Providers.Withdraws, a.Providers...)
		}
		return s
	}
	ways := a.Networks
	if a.Class == schema.PaymentMethod {
		// A payment method is its own network, whatever was set for it.
		ways = []schema.Network{{
			Name: a.Ticker, Default: true, CanDeposit: true, CanWithdraw: true,
			MinDeposit: a.MinDeposit, MaxDeposit: a.MaxDeposit, MinWithdraw: a.MinWithdraw, MaxWithdraw: a.MaxWithdraw,
		}}
	}
	s.describe(a, ways)
	return s
}

// describe lists the networks of an asset.
func (s *assetStatus) describe(a *schema.Asset, ways []schema.Network) {
	s.Networks = &networks{}
	if a.CanDeposit {
		s.Networks.Deposits = []string{}
	}
	if a.CanWithdraw {
		s.Networks.Withdraws = []string{}
	}
	s.Limits = &limits{map[string]bounds{}, map[string]bounds{}}
	confirmations, forTrading := map[string]uint32{}, map[string]uint32{}
	for i := range ways {
		n := &ways[i]
		if n.Default || len(ways) == 1 {
			s.Networks.Default = n.Name
		}
		if a.CanDeposit && n.CanDeposit {
			s.Networks.Deposits = append(s.Networks.Deposits, n.Name)
			s.Limits.Deposit[n.Name] = boundsOf(n.MinDeposit, n.MaxDeposit)
		}
		if a.CanWithdraw && n.CanWithdraw {
			s.Networks.Withdraws = append(s.Networks.Withdraws, n.Name)
			s.Limits.Withdraw[n.Name] = boundsOf(n.MinWithdraw, n.MaxWithdraw)
		}
		confirmations[n.Name], forTrading[n.Name] = n.Confirmations, n.ConfirmationsForTrading
	}
	if a.Class == schema.Crypto {
		s.Confirmations, s.ForTrading = &confirmations, &forTrading
	}
}

func boundsOf(low, high fixed.Decimal) bounds {
	b := bounds{Min: low.String()}
	if !high.IsZero() {
		b.Max = high.String()
	}
	return b
}

// feeStatus is what it costs to bring an asset in and out.
type feeStatus struct {
	Ticker          string   `json:"ticker"`
	Name            string   `json:"name"`
	Providers       []string `json:"providers"`
	Depositable     *bool    `json:"is_depositable,omitempty"`
	Withdrawable    *bool    `json:"is_withdrawal,omitempty"`
	APIDepositable  bool     `json:"is_api_depositable"`
	APIWithdrawable bool     `json:"is_api_withdrawal"`
	Deposit         any      `json:"deposit"`
	Withdraw        any      `json:"withdraw"`
}

type feeDetails struct {
	Min   string  `json:"min_amount"`
	Max   string  `json:"max_amount"`
	Fixed *string `json:"fixed"`
	Flex  *string `json:"flex"` // of which there is none
}

type providerFee struct {
	feeDetails
	Ticker          string `json:"ticker"`
	Name            string `json:"name"`
	Depositable     *bool  `json:"is_depositable,omitempty"`
	APIDepositable  *bool  `json:"is_api_depositable,omitempty"`
	Withdrawable    *bool  `json:"is_withdrawal,omitempty"`
	APIWithdrawable *bool  `json:"is_api_withdrawal,omitempty"`
}

var feeMembers = []api.Property{
	api.Required("min_amount", api.Decimal, "Minimum amount, 0: none."),
	api.Required("max_amount", api.Decimal, "Maximum amount, 0: unlimited."),
	api.Required("fixed", api.Nullable(api.Decimal), "Fixed fee, null if there is none."),
	api.Required("flex", api.Null, "Percentage fee. There are none."),
}

var aboutWalletFees = &api.About{
	Summary: "Get deposit and withdrawal fees",
	Text:    "Keyed by ticker. Refreshed once a minute. For trading fees see /api/v4/public/markets.",
	Response: api.MapOf(api.Object("WalletFees", "Deposit and withdrawal fees of an asset.",
		api.Required("ticker", api.String, "Ticker of the asset."),
		api.Required("name", api.String, "Display name."),
		api.Required("providers", api.ArrayOf(api.String), "Payment providers. Fiat only."),
		api.Optional("is_depositable", api.Boolean, "Whether deposits are enabled. Absent where providers differ."),
		api.Optional("is_withdrawal", api.Boolean, "Whether withdrawals are enabled. Absent where providers differ."),
		api.Required("is_api_depositable", api.Boolean, "Whether deposits through the API are enabled."),
		api.Required("is_api_withdrawal", api.Boolean, "Whether withdrawals through the API are enabled."),
		api.Required("deposit", api.OneOf(feeDetailsSchema, api.MapOf(depositFeeSchema)), "Deposit fees, or those of each provider."),
		api.Required("withdraw", api.OneOf(feeDetailsSchema, api.MapOf(withdrawFeeSchema)), "Withdrawal fees, or those of each provider."),
	)),
}

var (
	feeDetailsSchema = api.Object("FeeDetails", "Fees of an asset.", feeMembers...)
	depositFeeSchema = api.Object("DepositFee", "Deposit fees of a provider.", append(slices.Clone(feeMembers),
		api.Required("ticker", api.String, "Ticker of the asset."),
		api.Required("name", api.String, "Display name."),
		api.Required("is_depositable", api.Boolean, "Whether deposits are enabled."),
		api.Required("is_api_depositable", api.Boolean, "Whether deposits through the API are enabled."))...)
	withdrawFeeSchema = api.Object("WithdrawFee", "Withdrawal fees of a provider.", append(slices.Clone(feeMembers),
		api.Required("ticker", api.String, "Ticker of the asset."),
		api.Required("name", api.String, "Display name."),
		api.Required("is_withdrawal", api.Boolean, "Whether withdrawals are enabled."),
		api.Required("is_api_withdrawal", api.Boolean, "Whether withdrawals through the API are enabled."))...)
)

// walletFees says what deposits and withdrawals cost: nothing, within bounds.
func (g *group) walletFees(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.fees.get(assetStamp(c), written(func(dst []byte) []byte {
		all, _, _ := c.Directory().Listing()
		object := map[string]feeStatus{}
		for _, a := range all {
			object[a.Ticker] = feesOf(a)
		}
		return api.Marshal(object).AppendTo(dst)
	})), nil
}

func feesOf(a *schema.Asset) feeStatus {
	in := feeDetails{Min: a.MinDeposit.String(), Max: a.MaxDeposit.String()}
	out := feeDetails{Min: a.MinWithdraw.String(), Max: a.MaxWithdraw.String()}
	s := feeStatus{Ticker: a.Ticker, Name: a.Name, Providers: []string{}, APIDepositable: a.CanDeposit, APIWithdrawable: a.CanWithdraw}
	if a.Class != schema.Fiat || len(a.Providers) == 0 {
		s.Depositable, s.Withdrawable = &a.CanDeposit, &a.CanWithdraw
		s.Deposit, s.Withdraw = in, out
		return s
	}
	s.Providers = a.Providers
	deposits, withdraws := map[string]providerFee{}, map[string]providerFee{}
	for _, p := range a.Providers {
		deposits[p] = providerFee{feeDetails: in, Ticker: a.Ticker, Name: a.Name, Depositable: &a.CanDeposit, APIDepositable: &a.CanDeposit}
		withdraws[p] = providerFee{feeDetails: out, Ticker: a.Ticker, Name: a.Name, Withdrawable: &a.CanWithdraw, APIWithdrawable: &a.CanWithdraw}
	}
	s.Deposit, s.Withdraw = deposits, withdraws
	return s
}
