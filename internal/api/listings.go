package api

import (
	"slices"
	"strconv"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// visible are the markets that the deployment lists.
func (c *Call) visible() []*schema.MarketInfo {
	_, all, _ := c.API.directory.Listing()
	return slices.DeleteFunc(all, func(m *schema.MarketInfo) bool {
		return !m.Offered(c.API.options.Region)
	})
}

// listed is the stamp of what is made of the listing alone.
func (c *Call) listed() listingStamp {
	return listingStamp{generation: c.API.directory.Generation()}
}

// marketMembers are the members of a market that both versions have.
var marketMembers = []Member{
	always("name", anyText, "Market name, as BASE_QUOTE."),
	always("stock", anyText, "Base asset."),
	always("money", anyText, "Quote asset."),
	always("stockPrec", countShape, "Decimal places of an amount."),
	always("moneyPrec", countShape, "Decimal places of a price."),
	always("feePrec", countShape, "Decimal places of a fee."),
	always("makerFee", decimal, "Maker fee in percent. Negative: rebate."),
	always("takerFee", decimal, "Taker fee in percent."),
	always("minAmount", decimal, "Minimum order amount in the base asset."),
}

// countShape is how a market shows numbers of decimals.
var countShape = called("A whole number as a text.", decimal)

var aboutMarkets = &About{
	Summary: "List markets",
	Text:    "Trading rules, precisions, limits and fees of every market. Markets that are not available in the region of this deployment are omitted.",
	Answer: listOf(record("Market", "A market with its trading rules.", append(slices.Clone(marketMembers),
		always("tickSize", stepShape, "Prices must be a multiple of this, empty if any price with moneyPrec decimals is allowed."),
		always("stepSize", stepShape, "Amounts must be a multiple of this, empty if any amount with stockPrec decimals is allowed."),
		always("minTotal", decimal, "Minimum total (price × amount) in the quote asset."),
		always("maxTotal", decimal, "Maximum total (price × amount) in the quote asset, 0: unlimited."),
		always("tradesEnabled", yesOrNo, "Always true: disabled markets are omitted."),
		always("isCollateral", yesOrNo, "Whether margin trading is enabled."),
		always("type", oneWord("spot", "futures", "tradfiFutures"), "Market type."),
		always("isTradFiFutures", yesOrNo, "Whether the type is tradfiFutures."),
		always("delistedAt", orNull(seconds), "Time at which the market will be delisted, null if none is planned."),
	)...)),
}

// stepShape is a tick or a step.
var stepShape = oneOf(decimal, oneWord(""))

func markets(c *Call, _ *nothing) (Answer, error) {
	return c.API.caches.markets.get(c.listed(), written(func(dst []byte) []byte {
		dst = append(dst, '[')
		for i, m := range c.visible() {
			dst = c.API.directory.appendMarket(appendComma(dst, i), m)
		}
		return append(dst, ']')
	})), nil
}

func (d *Directory) appendMarket(dst []byte, m *schema.MarketInfo) []byte {
	dst = d.beginMarket(append(dst, '{'), m)
	dst = append(dst, `,"tickSize":`...)
	dst = appendStep(dst, m.TickSize)
	dst = append(dst, `,"stepSize":`...)
	dst = appendStep(dst, m.StepSize)
	dst = append(dst, `,"minTotal":`...)
	dst = AppendDecimal(dst, m.MinTotal)
	dst = append(dst, `,"maxTotal":`...)
	dst = AppendDecimal(dst, m.MaxTotal)
	dst = append(dst, `,"tradesEnabled":true,"isCollateral":false,"type":"`...)
	dst = append(dst, m.Type.String()...)
	dst = append(dst, `","isTradFiFutures":`...)
	dst = AppendBool(dst, m.Type == schema.TradFiFutures)
	dst = append(dst, `,"delistedAt":`...)
	if m.DelistsAt == 0 {
		return append(dst, `null}`...)
	}
	dst = AppendInt(dst, int64(m.DelistsAt/schema.Second))
	return append(dst, '}')
}

// beginMarket writes the members of a market that both versions have.
func (d *Directory) beginMarket(dst []byte, m *schema.MarketInfo) []byte {
	dst = append(dst, `"name":`...)
	dst = AppendText(dst, m.Name)
	dst = append(dst, `,"stock":`...)
	dst = AppendText(dst, d.Ticker(m.Base))
	dst = append(dst, `,"money":`...)
	dst = AppendText(dst, d.Ticker(m.Quote))
	for _, p := range []struct {
		name string
		prec uint8
	}{{"stockPrec", m.StockPrec}, {"moneyPrec", m.MoneyPrec}, {"feePrec", m.FeePrec}} {
		dst = append(dst, `,"`+p.name+`":"`+strconv.Itoa(int(p.prec))+`"`...)
	}
	dst = append(dst, `,"makerFee":`...)
	dst = AppendDecimal(dst, m.MakerFee)
	dst = append(dst, `,"takerFee":`...)
	dst = AppendDecimal(dst, m.TakerFee)
	dst = append(dst, `,"minAmount":`...)
	return AppendDecimal(dst, m.MinAmount)
}

// appendStep writes a tick or step: empty when it is not available.
func appendStep(dst []byte, d fixed.Decimal) []byte {
	if d.IsZero() {
		return append(dst, `""`...)
	}
	return AppendDecimal(dst, d)
}

// minute is how long lists of assets are kept: the spec has them made again about once a minute,
// shared by all callers.
const minute = 60 * schema.Second

// assetStamp changes with every minute, and not with what is listed in between.
func (c *Call) assetStamp() listingStamp { return listingStamp{period: c.API.options.Now() / minute} }

var aboutAssets = &About{
	Summary: "Get the status of assets",
	Text:    "Keyed by ticker. Refreshed once a minute.",
	Answer: mapOf(record("Asset", "An asset.",
		always("name", anyText, "Display name."),
		always("unified_cryptoasset_id", whole, "Id of the asset at market data aggregators, 0 if it has none."),
		always("can_withdraw", yesOrNo, "Whether withdrawals are enabled."),
		always("can_deposit", yesOrNo, "Whether deposits are enabled."),
		always("min_withdraw", decimal, "Minimum withdrawal, 0: none."),
		always("max_withdraw", decimal, "Maximum withdrawal, 0: unlimited."),
		always("maker_fee", decimal, "Highest maker fee among the markets of the asset, in percent."),
		always("taker_fee", decimal, "Highest taker fee among the markets of the asset, in percent."),
		always("min_deposit", decimal, "Minimum deposit, 0: none."),
		always("max_deposit", decimal, "Maximum deposit, 0: unlimited."),
		always("currency_precision", whole, "Decimal places of amounts in the main wallet."),
		always("is_memo", yesOrNo, "Whether deposits or withdrawals need a memo."),
		always("memo", record("", "",
			always("deposit", yesOrNo, "Deposits."),
			always("withdraw", yesOrNo, "Withdrawals.")), "What a memo is needed for."),
		sometimes("networks", record("", "",
			sometimes("deposits", listOf(anyText), "Deposits. Absent if there are none."),
			sometimes("withdraws", listOf(anyText), "Withdrawals. Absent if there are none."),
			sometimes("default", anyText, "Network that is used if a request names none.")), "Networks. Fiat has none."),
		sometimes("limits", record("", "",
			always("deposit", mapOf(boundsShape), "Deposits."),
			always("withdraw", mapOf(boundsShape), "Withdrawals.")), "Limits by network."),
		sometimes("confirmations", mapOf(whole), "Confirmations until a deposit can be withdrawn, by network. Crypto assets only."),
		sometimes("confirmations_for_trading", mapOf(whole), "Confirmations until a deposit can be traded, by network. Crypto assets only."),
		sometimes("providers", record("", "",
			always("deposits", listOf(anyText), "Deposits."),
			always("withdraws", listOf(anyText), "Withdrawals.")), "Payment providers. Fiat only."),
	)),
}

var boundsShape = record("Bounds", "Minimum and maximum amount.",
	always("min", decimal, "Minimum, 0: none."),
	sometimes("max", decimal, "Maximum. Absent: unlimited."))

func assets(c *Call, _ *nothing) (Answer, error) {
	return c.API.caches.assets.get(c.assetStamp(), written(func(dst []byte) []byte {
		all, _, _ := c.API.directory.Listing()
		list := c.visible()
		object := map[string]assetStatus{}
		for _, a := range all {
			object[a.Ticker] = statusOf(a, list)
		}
		return marshal(object).AppendTo(dst)
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
			maker, taker = higher(maker, m.MakerFee), higher(taker, m.TakerFee)
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

var feeMembers = []Member{
	always("min_amount", decimal, "Minimum amount, 0: none."),
	always("max_amount", decimal, "Maximum amount, 0: unlimited."),
	always("fixed", orNull(decimal), "Fixed fee, null if there is none."),
	always("flex", justNil, "Percentage fee. There are none."),
}

var aboutWalletFees = &About{
	Summary: "Get deposit and withdrawal fees",
	Text:    "Keyed by ticker. Refreshed once a minute. For trading fees see /api/v4/public/markets.",
	Answer: mapOf(record("WalletFees", "Deposit and withdrawal fees of an asset.",
		always("ticker", anyText, "Ticker of the asset."),
		always("name", anyText, "Display name."),
		always("providers", listOf(anyText), "Payment providers. Fiat only."),
		sometimes("is_depositable", yesOrNo, "Whether deposits are enabled. Absent where providers differ."),
		sometimes("is_withdrawal", yesOrNo, "Whether withdrawals are enabled. Absent where providers differ."),
		always("is_api_depositable", yesOrNo, "Whether deposits through the API are enabled."),
		always("is_api_withdrawal", yesOrNo, "Whether withdrawals through the API are enabled."),
		always("deposit", oneOf(feeDetailsShape, mapOf(depositFeeShape)), "Deposit fees, or those of each provider."),
		always("withdraw", oneOf(feeDetailsShape, mapOf(withdrawFeeShape)), "Withdrawal fees, or those of each provider."),
	)),
}

var (
	feeDetailsShape = record("FeeDetails", "Fees of an asset.", feeMembers...)
	depositFeeShape = record("DepositFee", "Deposit fees of a provider.", append(slices.Clone(feeMembers),
		always("ticker", anyText, "Ticker of the asset."),
		always("name", anyText, "Display name."),
		always("is_depositable", yesOrNo, "Whether deposits are enabled."),
		always("is_api_depositable", yesOrNo, "Whether deposits through the API are enabled."))...)
	withdrawFeeShape = record("WithdrawFee", "Withdrawal fees of a provider.", append(slices.Clone(feeMembers),
		always("ticker", anyText, "Ticker of the asset."),
		always("name", anyText, "Display name."),
		always("is_withdrawal", yesOrNo, "Whether withdrawals are enabled."),
		always("is_api_withdrawal", yesOrNo, "Whether withdrawals through the API are enabled."))...)
)

// walletFees says what deposits and withdrawals cost: nothing, within bounds.
func walletFees(c *Call, _ *nothing) (Answer, error) {
	return c.API.caches.fees.get(c.assetStamp(), written(func(dst []byte) []byte {
		all, _, _ := c.API.directory.Listing()
		object := map[string]feeStatus{}
		for _, a := range all {
			object[a.Ticker] = feesOf(a)
		}
		return marshal(object).AppendTo(dst)
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
