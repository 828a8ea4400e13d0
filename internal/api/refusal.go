package api

import (
	"net/http"
	"slices"
	"time"

	"bourse/internal/schema"
)

// refusalRow is what a client of REST sees of a reason beside its sentence, as the documents in docs/api
// give it. The field is spelled as the request spells it; "" where no field is at fault.
type refusalRow struct {
	code   int
	status int
	field  string
}

// refusals is the table of refusals. Every reason has a row.
var refusals = [...]refusalRow{
	schema.AccountUnknown:       {0, 401, ""},
	schema.AccountBlocked:       {2, 401, ""},
	schema.KeyRefused:           {2, 401, ""},
	schema.NonceUsed:            {0, 401, ""},
	schema.NonceOutsideWindow:   {0, 401, ""},
	schema.MarketUnavailable:    {31, 422, "market"},
	schema.TradingNotAllowed:    {51, 400, "price"},
	schema.OrderTypeUnavailable: {30, 453, "orderType"},

	schema.SideInvalid:      {30, 422, "side"},
	schema.TypeInvalid:      {30, 422, "type"},
	schema.STPInvalid:       {30, 422, "stp"},
	schema.IOCWithPostOnly:  {37, 422, "ioc"},
	schema.IOCWithRPI:       {40, 422, "ioc"},
	schema.RPIWithPostOnly:  {30, 422, "postOnly"},
	schema.RetailNotEnabled: {42, 422, "retail"},
	schema.RPINotEnabled:    {43, 422, "rpi"},
	schema.FlagNotAllowed:   {30, 422, "orderType"},
	schema.BBOInvalid:       {30, 422, "bboRole"},
	schema.BBONotAllowed:    {30, 422, "bboRole"},
	schema.BBOWithPostOnly:  {30, 422, "bboRole"},
	schema.BBOWithRPI:       {30, 422, "bboRole"},
	schema.BBOQueueWithIOC:  {30, 422, "bboRole"},
	schema.BBOEmpty:         {30, 422, "bboRole"},

	schema.AmountNotPositive:          {32, 422, "amount"},
	schema.AmountTooPrecise:           {32, 422, "amount"},
	schema.AmountBelowMin:             {32, 422, "amount"},
	schema.AmountTooLarge:             {32, 422, "amount"},
	schema.AmountOffStep:              {1, 422, "amount"},
	schema.MoneyTooPrecise:            {32, 422, "amount"},
	schema.MoneyBelowMin:              {32, 422, "amount"},
	schema.MoneyAboveMax:              {32, 422, "amount"},
	schema.PriceNotPositive:           {33, 422, "price"},
	schema.PriceTooPrecise:            {33, 422, "price"},
	schema.PriceTooLarge:              {33, 422, "price"},
	schema.PriceOffTick:               {1, 422, "price"},
	schema.ActivationNotPositive:      {30, 422, "activation_price"},
	schema.ActivationTooPrecise:       {30, 422, "activation_price"},
	schema.ActivationTooLarge:         {30, 422, "activation_price"},
	schema.ActivationOffTick:          {1, 422, "activation_price"},
	schema.ActivationEqualsLast:       {30, 422, "activation_price"},
	schema.ModifyActivationEqualsLast: {101, 400, "activation_price"},
	schema.EmptyHistory:               {30, 422, "activation_price"},
	schema.TotalBelowMin:              {30, 422, "total"},
	schema.TotalAboveMax:              {30, 422, "total"},
	schema.ClientIDInvalid:            {36, 422, "clientOrderId"},
	schema.ClientIDTaken:              {36, 422, "clientOrderId"},

	schema.NotEnoughBalance:  {10, 400, "amount"},
	schema.AmountTooSmall:    {11, 400, "amount"},
	schema.PostOnlyWouldTake: {13, 400, "postOnly"},
	schema.OrderNotFound:     {2, 400, "orderId"},
	schema.OrderRefInvalid:   {30, 422, "orderId"},

	schema.ModifyNothing:        {30, 422, "amount"},
	schema.ModifyAmountAndTotal: {30, 422, "total"},
	schema.ActivationOnLimit:    {158, 400, "activation_price"},
	schema.PriceOnStopMarket:    {159, 422, "price"},
	schema.TotalNotAllowed:      {162, 422, "total"},
	schema.AmountNotAllowed:     {163, 422, "amount"},
	schema.BulkEmpty:            {30, 422, "orders"},
	schema.BulkTooMany:          {30, 422, "orders"},
	schema.CancelBulkEmpty:      {30, 422, "orders"},
	schema.CancelBulkTooMany:    {30, 422, "orders"},
	schema.TimeoutTooShort:      {30, 422, "timeout"},
	schema.TimeoutTooLong:       {30, 422, "timeout"},
	schema.ProductsInvalid:      {30, 422, "types"},

	schema.AssetUnknown:       {0, 422, "ticker"},
	schema.FromInvalid:        {0, 400, "from"},
	schema.ToInvalid:          {0, 400, "to"},
	schema.WalletsEqual:       {0, 400, "to"},
	schema.WalletsNotDirect:   {0, 400, "to"},
	schema.MoveNotPositive:    {0, 400, "amount"},
	schema.MoveTooPrecise:     {0, 400, "amount"},
	schema.MoveTooLarge:       {0, 422, "amount"},
	schema.LeavingDisabled:    {1, 422, "currency"},
	schema.EnteringDisabled:   {2, 422, "currency"},
	schema.MoveNotCovered:     {3, 422, "amount"},
	schema.WithdrawNotCovered: {5, 422, "amount"},
	schema.MoveHeld:           {20, 422, "amount"},
	schema.ConfirmTooMuch:     {0, 422, "amount"},

	schema.TickerInvalid:     {0, 422, "ticker"},
	schema.ScaleInvalid:      {0, 422, "scale"},
	schema.ClassInvalid:      {0, 422, "class"},
	schema.NetworkInvalid:    {0, 422, "networks"},
	schema.LimitInvalid:      {0, 422, "limits"},
	schema.ImmutableChanged:  {0, 422, "name"},
	schema.NameInvalid:       {0, 422, "name"},
	schema.NameTaken:         {0, 422, "name"},
	schema.AssetsInvalid:     {0, 422, "base"},
	schema.MarketTypeInvalid: {0, 422, "type"},
	schema.PrecisionInvalid:  {0, 422, "stockPrec"},
	schema.StepInvalid:       {0, 422, "tickSize"},
	schema.FeeInvalid:        {0, 422, "fee"},
	schema.BandInvalid:       {0, 422, "takerBand"},
	schema.TimesInvalid:      {0, 422, "from"},
	schema.MarketDelisted:    {0, 422, "market"},
	schema.RegionInvalid:     {0, 422, "region"},
	schema.KeyInvalid:        {0, 422, "key"},
	schema.KeyUnknown:        {0, 422, "key"},
	schema.FeatureInvalid:    {0, 422, "feature"},
	schema.IndexInvalid:      {0, 422, "price"},

	// MarketBusy stays between the core and the node, which asks again.
	schema.MarketBusy:         {0, 503, "market"},
	schema.TooManyOrders:      {30, 422, "market"},
	schema.OrdersLimitInvalid: {0, 422, "maxOrders"},
	schema.FeatureForGood:     {0, 422, "feature"},

	schema.FaucetUnavailable:  {1, 422, "ticker"},
	schema.FaucetSpent:        {2, 422, "amount"},
	schema.FaucetLimitInvalid: {0, 422, "limit"},

	schema.CodesDisabled:       {0, 422, "ticker"},
	schema.CodeNotWithdrawable: {1, 422, "ticker"},
	schema.CodeBelowMin:        {3, 422, "amount"},
	schema.CodesTooMany:        {0, 422, "ticker"},
	schema.CodeInvalid:         {0, 422, "code"},
	schema.CodeUnknown:         {0, 400, "code"},
	schema.CodeNotActive:       {0, 400, "code"},
	schema.CodeOwn:             {0, 400, "code"},
	schema.CodeSuspended:       {0, 400, "code"},
	schema.CodeMinInvalid:      {0, 422, "min_code"},

	schema.MarginInvalid:      {0, 422, "margin"},
	schema.CollateralInvalid:  {0, 422, "collateral"},
	schema.IndexSourceInvalid: {0, 422, "source"},

	schema.LeverageInvalid:       {30, 422, "leverage"},
	schema.LeverageNotCovered:    {17, 422, "leverage"},
	schema.HedgeModeInUse:        {113, 422, "hedgeMode"},
	schema.PositionSideMismatch:  {114, 422, "hedgeMode"},
	schema.ReduceOnlyNothing:     {116, 422, "reduceOnly"},
	schema.PositionTooBig:        {111, 422, "amount"},
	schema.PendingTooBig:         {112, 422, "amount"},
	schema.PriceOutOfBand:        {250, 400, "price"},
	schema.PriceUnknown:          {51, 400, "market"},
	schema.CollateralOnly:        {31, 422, "market"},
	schema.CollateralUnavailable: {31, 422, "market"},
	schema.SystemAccountInvalid:  {0, 422, "account"},
	schema.PositionUnknown:       {104, 400, "positionId"},
	schema.CollateralNotOffered:  {0, 422, "to"},
	schema.TooManyStops:          {103, 400, "error"},
	schema.PositionSidesInvalid:  {30, 422, "positionSide"},

	schema.ProtectionWithReduceOnly: {30, 422, "reduceOnly"},
	schema.ProtectionWithRPI:        {30, 422, "rpi"},
	schema.TakeProfitNotPositive:    {33, 422, "takeProfit"},
	schema.TakeProfitTooPrecise:     {33, 422, "takeProfit"},
	schema.TakeProfitTooLarge:       {33, 422, "takeProfit"},
	schema.TakeProfitOffTick:        {1, 422, "takeProfit"},
	schema.TakeProfitWrong:          {105, 400, "takeProfit"},
	schema.StopLossNotPositive:      {33, 422, "stopLoss"},
	schema.StopLossTooPrecise:       {33, 422, "stopLoss"},
	schema.StopLossTooLarge:         {33, 422, "stopLoss"},
	schema.StopLossOffTick:          {1, 422, "stopLoss"},
	schema.StopLossWrong:            {106, 400, "stopLoss"},
	schema.StopPriceNotPositive:     {33, 422, "stop_limit_price"},
	schema.StopPriceTooPrecise:      {33, 422, "stop_limit_price"},
	schema.StopPriceTooLarge:        {33, 422, "stop_limit_price"},
	schema.StopPriceOffTick:         {1, 422, "stop_limit_price"},
	schema.StopPriceOutOfBand:       {251, 400, "stopLimitPrice"},
	schema.LimitWouldTake:           {150, 400, "price"},
	schema.StopActivationWrong:      {151, 400, "activation_price"},
	schema.LimitNotCovered:          {153, 400, "price"},
	schema.StopNotCovered:           {152, 400, "price"},
	schema.ClientIDsEqual:           {36, 422, "clientOrderId"},
	schema.ProtectionMissing:        {30, 422, "takeProfit"},
	schema.PositionMissing:          {104, 400, "positionId"},
	schema.GroupKindInvalid:         {30, 422, "type"},
	schema.CancelOfGroup:            {2, 400, "orderId"},
	schema.ModifyOfGroup:            {155, 400, "orderId"},
	schema.ModifyOfProtection:       {160, 400, "orderId"},

	schema.SpotMarginInvalid: {0, 422, "margin"},
	schema.BaseNotLent:       {15, 400, "error"},
	schema.QuoteNotLent:      {16, 400, "error"},

	schema.TradFiNotEnabled: {10011, 422, "market"},
	schema.QuoteUnpriced:    {0, 422, "price"},

	schema.ChainUnknown:        {0, 422, "chain"},
	schema.ChainInvalid:        {0, 422, "chain"},
	schema.NetworkChainInvalid: {0, 422, "networks"},
	schema.ChargeInvalid:       {0, 422, "networks"},
	schema.AddressTypeInvalid:  {0, 400, "type"},
	schema.AddressesTooMany:    {0, 422, "message"},
	schema.ChainOwnBlocks:      {0, 422, "chain"},
	schema.ChainNotSandbox:     {0, 422, "chain"},
	schema.ChainHalted:         {0, 422, "chain"},
	schema.ChainPaused:         {0, 422, "chain"},
	schema.ChainBusy:           {0, 422, "chain"},
	schema.ChainElsewhere:      {0, 422, "height"},
	schema.BlockInvalid:        {0, 422, "receipts"},
	schema.RewindUnknown:       {0, 422, "height"},
	schema.DepositUnknown:      {0, 422, "deposit"},
	schema.DepositDecided:      {0, 422, "decision"},
	schema.DepositShallow:      {0, 422, "deposit"},
	schema.DepositOwner:        {0, 422, "account"},
	schema.MineInvalid:         {0, 422, "blocks"},
	schema.ReorgTooDeep:        {0, 422, "depth"},
	schema.SandboxFull:         {0, 422, "chain"},
	schema.Owing:               {20, 422, "amount"},
	schema.OwedLess:            {0, 422, "amount"},

	schema.WithdrawDisabled:       {1, 422, "ticker"},
	schema.WithdrawAddressInvalid: {2, 422, "address"},
	schema.WithdrawOwnAddress:     {9, 422, "address"},
	schema.WithdrawTooPrecise:     {7, 422, "amount"},
	schema.WithdrawBelowMin:       {3, 422, "amount"},
	schema.WithdrawAboveMax:       {0, 422, "amount"},
	schema.WithdrawBelowFee:       {6, 422, "amount"},
	schema.WithdrawalsTooMany:     {0, 422, "message"},
	schema.UniqueTaken:            {0, 400, "uniqueId"},
	schema.WithdrawalUnknown:      {0, 422, "withdrawal"},
	schema.WithdrawalDecided:      {0, 422, "decision"},
	schema.ApprovedBefore:         {0, 422, "decision"},
	schema.SignatureInvalid:       {0, 422, "signature"},
	schema.OperatorMissing:        {0, 422, "operator"},

	schema.TierInvalid:   {0, 422, "tier"},
	schema.DayLimit:      {0, 422, "amount"},
	schema.MonthLimit:    {0, 422, "amount"},
	schema.RateUnknown:   {0, 400, "amount"},
	schema.Restricted:    {0, 422, "error"},
	schema.NotRefundable: {0, 400, ""},

	schema.CreditInvalid:      {0, 422, "initial"},
	schema.CreditActive:       {0, 422, "account"},
	schema.CreditNone:         {0, 400, ""},
	schema.CreditLess:         {0, 422, "amount"},
	schema.CreditUnavailable:  {0, 422, "account"},
	schema.CheckInvalid:       {0, 422, "address"},
	schema.ChecksTooMany:      {0, 422, "address"},
	schema.CheckNotCovered:    {0, 422, "balance"},
	schema.CheckUnavailable:   {0, 422, "account"},
	schema.VerdictInvalid:     {0, 422, "address"},
	schema.VerdictsTooMany:    {0, 422, "address"},
	schema.ExpressInvalid:     {0, 422, "externalId"},
	schema.ExpressDisabled:    {0, 422, "ticker"},
	schema.ExpressPending:     {18, 422, "externalId"},
	schema.ExpressPaid:        {19, 422, "externalId"},
	schema.ExpressAboveCap:    {191, 422, "amount"},
	schema.ExpressUnknown:     {0, 422, "token"},
	schema.ExpressOwn:         {0, 422, "token"},
	schema.ExpressTooMany:     {0, 422, "externalId"},
	schema.ExpressUnavailable: {0, 422, "account"},

	schema.TravelMissing:  {0, 400, "travelRule"},
	schema.TravelInvalid:  {0, 422, "travelRule"},
	schema.TravelNotAsked: {0, 422, "uniqueId"},
	schema.VASPInvalid:    {0, 422, "vasp"},
	schema.VASPsTooMany:   {0, 422, "vasp"},

	schema.KeysInvalid:         {0, 422, "keys"},
	schema.ContractInvalid:     {0, 422, "networks"},
	schema.PayoutElsewhere:     {0, 422, "payout"},
	schema.PayoutInvalid:       {0, 422, "payout"},
	schema.PayoutUnknown:       {0, 422, "payout"},
	schema.PayoutDecided:       {0, 422, "payout"},
	schema.CoinUnavailable:     {0, 422, "inputs"},
	schema.WithdrawalNotQueued: {0, 422, "withdrawals"},
	schema.InvoiceInvalid:      {0, 400, "provider"},
	schema.InvoiceUnknown:      {0, 422, "invoice"},
	schema.InvoiceSettled:      {0, 422, "invoice"},
	schema.InvoicesTooMany:     {0, 400, "amount"},
	schema.DepositDisabled:     {0, 400, "ticker"},
	schema.DepositBelowMin:     {0, 400, "amount"},
	schema.DepositAboveMax:     {0, 400, "amount"},
	schema.SettlementInvalid:   {0, 422, "amount"},
	schema.BICInvalid:          {0, 400, "bankBic"},
	schema.ChainNotHalted:      {0, 422, "chain"},
	schema.RefillInvalid:       {0, 422, "amount"},

	schema.SubUnknown:          {0, 400, "id"},
	schema.SubNested:           {0, 400, "id"},
	schema.SubAliasInvalid:     {0, 400, "alias"},
	schema.SubAliasTaken:       {0, 400, "alias"},
	schema.SubEmailMissing:     {0, 400, "email"},
	schema.SubsTooMany:         {0, 400, "alias"},
	schema.SubNotConfirmed:     {422, 422, ""},
	schema.SubInactive:         {0, 400, "account"},
	schema.SubBlockedBefore:    {0, 400, "account"},
	schema.SubNotBlocked:       {0, 400, "account"},
	schema.SubNotEmpty:         {0, 400, "account"},
	schema.SubNotPermitted:     {4, 401, ""},
	schema.KeyTypeInvalid:      {5, 400, ""},
	schema.KeyTitleInvalid:     {0, 400, "title"},
	schema.KeysTooMany:         {5, 400, ""},
	schema.KeyURLsInvalid:      {5, 400, ""},
	schema.KeyURLsNotYours:     {5, 400, ""},
	schema.KeyAddressInvalid:   {0, 400, "ip"},
	schema.KeyAddressKnown:     {5, 400, ""},
	schema.KeyAddressUnknown:   {5, 400, ""},
	schema.KeyAddressesTooMany: {5, 400, ""},
	schema.KeyNotAllowed:       {4, 401, ""},
	schema.WithdrawalConfirmed: {422, 422, ""},

	schema.UserUnknown:       {0, 401, ""},
	schema.InvitationUnknown: {0, 404, ""},
	schema.InvitationInvalid: {0, 422, "login"},
	schema.LoginTaken:        {0, 422, "login"},
	schema.FactorInvalid:     {0, 422, "factor"},
	schema.FactorMissing:     {1, 412, ""},
	schema.GenerationOld:     {0, 409, ""},
	schema.SignInLocked:      {0, 429, ""},
	schema.ChallengeUsed:     {0, 401, ""},
	schema.ChallengesTooMany: {0, 503, ""},
	schema.PasskeyRefused:    {0, 401, ""},
	schema.SessionInvalid:    {0, 422, "session"},
	schema.SessionUnknown:    {0, 401, ""},
	schema.StepUpNeeded:      {2, 412, ""},
	schema.OnceUsed:          {0, 409, ""},
	schema.OnceTooMany:       {0, 429, ""},

	schema.WebhookInvalid:      {0, 422, "url"},
	schema.WebhookUnknown:      {0, 422, ""},
	schema.WebhookOther:        {0, 422, ""},
	schema.WebhookEventUnknown: {0, 422, "n"},
	schema.ShardsOther:         {0, 422, ""},
	schema.DeliveriesInvalid:   {0, 422, ""},
	schema.DeliveriesLate:      {0, 422, ""},

	schema.PartnerUnknown:   {0, 400, "client_id"},
	schema.PartnerInvalid:   {0, 422, "client"},
	schema.PartnerKeyExists: {0, 409, ""},
	schema.GrantUnknown:     {0, 401, ""},
	schema.GrantInvalid:     {0, 422, "request"},
	schema.GrantsTooMany:    {0, 422, "client"},
	schema.SecretTaken:      {0, 409, ""},
	schema.NotVerified:      {0, 412, ""},

	schema.SubSharesKYC: {400, 400, ""},

	schema.NoPermission: {0, 403, ""},
	schema.UserExists:   {0, 400, "account"},

	schema.AssetNotOffered: {1, 422, "ticker"},

	schema.ConversionInvalid:     {0, 422, "conversion"},
	schema.ConversionsOff:        {0, 503, ""},
	schema.ConversionUnavailable: {0, 422, "from"},
	schema.ConversionTooSmall:    {0, 422, "amount"},
	schema.ConversionTooLarge:    {32, 400, "amount"},
	schema.ConversionNotCovered:  {37, 400, "amount"},
	schema.ConversionKeyUsed:     {0, 409, "request"},
	schema.ConversionKeysTooMany: {0, 429, ""},
	schema.QuoteUnknown:          {0, 422, "quoteId"},
	schema.QuoteUsed:             {0, 422, "quoteId"},
	schema.QuoteExpired:          {20, 400, "quoteId"},

	schema.PlanInvalid:           {0, 422, "plan"},
	schema.PlansTooMany:          {0, 422, "plan"},
	schema.PlanUnknown:           {0, 400, "plan"},
	schema.PlanIsInactive:        {0, 400, "plan"},
	schema.PlanIsPaused:          {0, 422, "plan"},
	schema.PlanIsSoldOut:         {0, 422, "plan"},
	schema.PlanPrivate:           {0, 422, "plan"},
	schema.PlanSpent:             {0, 400, "amount"},
	schema.InvestmentExists:      {1, 422, "amount"},
	schema.InvestmentsTooMany:    {0, 422, "plan"},
	schema.InvestmentBelowMin:    {2, 422, "amount"},
	schema.InvestmentAboveMax:    {3, 422, "amount"},
	schema.InvestmentAboveLimit:  {0, 422, "amount"},
	schema.InvestmentNotCovered:  {4, 422, "amount"},
	schema.InterestNotCovered:    {5, 422, "amount"},
	schema.InterestTooSmall:      {0, 422, "amount"},
	schema.InvestmentUnknown:     {0, 400, "id"},
	schema.DivestTooMuch:         {0, 422, "amount"},
	schema.DivestLeavesTooLittle: {0, 422, "minAmountLeft"},

	schema.PoolInvalid:          {0, 422, "pool"},
	schema.PoolOff:              {0, 503, ""},
	schema.PoolRateInvalid:      {0, 422, "rate"},
	schema.PoolRateJumps:        {0, 422, "rate"},
	schema.MiningInvalid:        {0, 400, "name"},
	schema.MiningNameTaken:      {0, 400, "name"},
	schema.MiningTooMany:        {0, 400, "error"},
	schema.MiningUnknown:        {0, 400, "user"},
	schema.PoolPayoutOff:        {0, 400, "destination"},
	schema.PoolLeaseUnknown:     {0, 422, "lease"},
	schema.PoolReportOutOfOrder: {0, 422, "seq"},
	schema.PoolReportInvalid:    {0, 422, "shares"},
	schema.BlockKnown:           {0, 422, "hash"},
	schema.WatchInvalid:         {0, 400, "name"},
	schema.WatchesTooMany:       {0, 400, "user"},

	schema.AdoptionInvalid: {0, 422, "tx"},
	schema.SurplusInvalid:  {0, 422, "amount"},

	schema.ProposalUnknown:  {0, 422, "proposal"},
	schema.ProposalDecided:  {0, 422, "proposal"},
	schema.ProposalsTooMany: {0, 422, "proposal"},
}

// found are refusals that the engine finds, whatever their codes mean elsewhere.
var found = []schema.Reason{
	schema.LeavingDisabled, schema.MoveTooLarge, schema.WithdrawDisabled, schema.WithdrawAboveMax, schema.WithdrawalsTooMany,
	schema.DayLimit, schema.MonthLimit, schema.Restricted, schema.AssetNotOffered,
	schema.PlanIsPaused, schema.PlanIsSoldOut, schema.PlanPrivate, schema.InvestmentExists, schema.InvestmentsTooMany, schema.InvestmentAboveLimit,
	schema.InterestTooSmall, schema.DivestTooMuch, schema.DivestLeavesTooLittle,
}

// camelCase is how step errors also spell the fields that requests spell in snake case.
var camelCase = map[string]string{"activation_price": "activationPrice", "stop_limit_price": "stopLimitPrice"}

// Status is the HTTP status of a refusal.
func Status(r schema.Reason) int { return refusals[r].status }

// Code is the code of a refusal in the body of a private error.
func Code(r schema.Reason) int { return refusals[r].code }

// FieldOf is the field that a refusal is about, "" where there is none.
func FieldOf(r schema.Reason) string { return refusals[r].field }

// Refusal is what a client sees of a rejection of the core, unless its operation says otherwise
// (Operation.MapError).
func Refusal(r schema.Rejection) *Error {
	row := refusals[r.Reason]
	e := &Error{Status: row.status, Code: row.code, Message: ValidationFailed}
	if row.field == "" && (row.status != http.StatusBadRequest || !validates(row.code)) { // it is not about what was sent
		e.Message = r.Text()
		return e
	}
	// What the engine found, as opposed to what was wrong from the start.
	if !validates(row.code) || slices.Contains(found, r.Reason) {
		e.Message = InnerValidationFailed
	}
	field := row.field
	if field == "activation_price" && row.code == 30 {
		field = "activationPrice" // how clients know these errors, whatever the request says
	}
	if field != "" {
		e.Fields = []FieldError{{field, []string{r.Text()}}}
	}
	// A step error of a field that the API spells in two ways is reported under both names.
	if other := camelCase[row.field]; other != "" && row.code == 1 {
		e.Fields = append(e.Fields, FieldError{other, []string{r.Text()}})
	}
	return e
}

// Restricted is the error of a rejection because nothing may leave the account for a while.
func Restricted(r schema.Rejection) *Error {
	seconds, _ := r.Value.Units(0)
	return NewError(422, 0, InnerValidationFailed, "error", "Withdrawals restricted until "+time.Unix(seconds, 0).UTC().Format(time.DateTime))
}

// validates reports whether a code is about the request and the settings of the account alone, as errors-and-limits 2
// tells them from what the engine found.
func validates(code int) bool {
	return code <= 1 || code >= 30 && code <= 43 || code >= 111 && code <= 116 || code == 10011
}
