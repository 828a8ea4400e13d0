package schema

import (
	"fmt"
	"testing"
)

func TestWordsAreThoseOfTheSpec(t *testing.T) {
	for want, value := range map[string]fmt.Stringer{
		"buy": Buy, "sell": Sell,
		"limit": Limit, "market": Market, "stock market": StockMarket, "stop limit": StopLimit, "stop market": StopMarket,
		"stop stock market": StopStockMarket,
		"no":                STPNo, "cb": STPCancelBoth, "cn": STPCancelNew, "co": STPCancelOld,
		"OPEN": Open, "PARTIALLY_FILLED": PartiallyFilled, "FILLED": Filled, "CANCELED": Canceled,
		"CANCELED_TAKER_BAND": CanceledTakerBand, "CANCELED_STP": CanceledSTP, "MAINTENANCE": Maintenance,
		"AUTO_CANCELED_REDUCE_ONLY": AutoCanceledReduceOnly, "AUTO_CANCELED_LIQUIDATION": AutoCanceledLiquidation,
		"main": Main, "trade": Trade, "collateral": Collateral, "earn": Earn,
		"global": Global, "eu": EU,
		"spot": Spot, "futures": Futures, "tradfiFutures": TradFiFutures,
		"crypto": Crypto, "fiat": Fiat, "payment method": PaymentMethod,
		"step rule": StepRule,
		"opened":    Opened, "updated": Updated, "activated": Activated, "closed": Closed,
		"request": ByRequest, "self-trade prevention": BySTP, "transfer": ByTransfer,
	} {
		if got := value.String(); got != want {
			t.Errorf("%T is spelled %q, want %q", value, got, want)
		}
	}
}

// TestNumbersOfWordsArePinned: the journal keeps numbers, so they are for ever.
func TestNumbersOfWordsArePinned(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		want  []string
	}{
		{"side", sideWords[:], []string{"", "buy", "sell"}},
		{"type", typeWords[:], []string{"", "limit", "market", "stock market", "stop limit", "stop market", "stop stock market"}},
		{"stp", stpWords[:], []string{"no", "cb", "cn", "co"}},
		{"status", statusWords[:], []string{
			"", "OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELED", "CANCELED_TAKER_BAND", "CANCELED_STP",
			"AUTO_CANCELED_REDUCE_ONLY", "AUTO_CANCELED_LIQUIDATION", "MAINTENANCE",
		}},
		{"wallet", walletWords[:], []string{"", "main", "trade", "collateral", "earn", "debt", "owed"}},
		{"region", regionWords[:], []string{"", "global", "eu"}},
		{"market type", marketWords[:], []string{"", "spot", "futures", "tradfiFutures"}},
		{"class", classWords[:], []string{"", "crypto", "fiat", "payment method"}},
		{"feature", featureWords[:], []string{"", "step rule", "platform maintenance", "bounded work", "exact money", "exact nonces", "judged keys", "idle keys", "two operators"}},
		{"change", changeWords[:], []string{"", "opened", "updated", "activated", "closed"}},
		{"cause", causeWords[:], []string{
			"", "request", "modify", "trade", "fee", "trigger", "self-trade prevention", "taker band", "remainder",
			"kill switch", "maintenance", "delisting", "deposit", "withdrawal", "transfer", "faucet",
			"margin", "reduce only", "realized PnL", "loan", "repayment", "interest", "funding",
			"liquidation", "deleveraging", "shortfall", "group", "code", "reversal", "block", "conversion", "investment", "mining",
		}},
		{"risk", riskWords[:], []string{"none", "margin_call", "liquidation"}},
		{"position side", positionWords[:], []string{"BOTH", "LONG", "SHORT"}},
		{"driver", driverWords[:], []string{"", "sandbox", "bitcoin", "evm", "provider"}},
		{"family", familyWords[:], []string{"", "bitcoin", "evm", "tron", "xrp", "solana", "ton"}},
		{"net", netWords[:], []string{"", "mainnet", "testnet", "signet", "regtest", "simnet"}},
		{"address type", addressTypeWords[:], []string{"", "bech32", "p2sh-segwit"}},
		{"deposit", depositWords[:], []string{"", "confirming", "held", "credited", "uncredited", "frozen", "canceled", "lost", "travel", "review"}},
		{"decision", decisionWords[:], []string{"", "credit", "cancel", "freeze"}},
		{"payout", payoutWords[:], []string{"", "planned", "sent", "mined", "failed", "dead"}},
		{"invoice", invoiceWords[:], []string{"", "open", "paid", "suspended", "failed", "expired"}},
		{"sub-account", subWords[:], []string{"", "pending", "active", "blocked", "deleted"}},
		{"withdrawal", withdrawalWords[:], []string{"", "review", "frozen", "queued", "sent", "mined", "done", "canceled", "planned", "partial", "unconfirmed"}},
		{"check", checkWords[:], []string{"", "in_progress", "success", "failed"}},
		{"risk of an address", addressRiskWords[:], []string{"", "low", "medium", "high"}},
		{"verdict", verdictWords[:], []string{"", "approve", "cancel", "freeze", "release", "sign"}},
		{"plan", planWords[:], []string{"", "fixed", "flex"}},
		{"status of a plan", planStatusWords[:], []string{"", "active", "sold out", "inactive", "paused"}},
		{"action", earnWords[:], []string{"", "invested", "reinvested", "withdrawn", "daily earning", "closed", "opened", "interest", "principal", "began"}},
		{"reward", rewardWords[:], []string{"", "pending", "successful", "canceled"}},
		{"proposal", proposalWords[:], []string{"", "asked", "approved", "done", "canceled", "refused"}},
		{"role", roleWords[:], []string{"none", "primary", "limit leg", "stop leg", "take profit", "stop loss"}},
	} {
		if fmt.Sprint(tt.words) != fmt.Sprint(tt.want) || len(tt.words) != len(tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, tt.words, tt.want)
		}
	}
	if BBOQueue != 1 || BBOCounterparty != 2 || SpotOrders != 1 || MarginOrders != 2 || FuturesOrders != 4 {
		t.Error("the numbers of BBO roles or products changed")
	}
	if Outside != 1 || Fees != 2 || Insurance != 3 || House != 4 || Lending != 5 || Clearing != 6 || Codes != 7 || Custody != 8 || Suspense != 9 || FirstCustomer != 101 {
		t.Error("the numbers of system accounts changed")
	}
}

func TestValuesWithoutAWordAreSpelledAsNumbersAndInvalid(t *testing.T) {
	if got := Side(9).String() + OrderType(0).String() + STP(200).String() + Status(255).String(); got != "90200255" {
		t.Errorf("got %q", got)
	}
	if Valid(Side(0)) || Valid(Side(3)) || Valid(OrderType(0)) || Valid(OrderType(7)) || Valid(STP(4)) || Valid(Wallet(0)) ||
		Valid(Wallet(7)) || Valid(PositionSide(3)) || Valid(Region(0)) || Valid(Region(3)) || Valid(MarketType(0)) || Valid(MarketType(4)) ||
		Valid(AssetClass(0)) || Valid(AssetClass(4)) || Valid(Feature(0)) || Valid(Feature(9)) || Valid(Driver(0)) || Valid(Driver(5)) || Valid(Family(7)) || Valid(Net(6)) || Valid(Decision(0)) || Valid(Decision(4)) || Valid(Verdict(0)) || Valid(Verdict(6)) {
		t.Error("a value without a word is valid")
	}
	if !Valid(Buy) || !Valid(Sell) || !Valid(Limit) || !Valid(StopMarket) || !Valid(STPNo) || !Valid(STPCancelOld) || !Valid(Main) ||
		!Valid(Earn) || !Valid(BothSides) || !Valid(ShortSide) || !Valid(Global) || !Valid(EU) || !Valid(Spot) || !Valid(TradFiFutures) || !Valid(Crypto) || !Valid(PaymentMethod) || !Valid(StepRule) || !Valid(PlatformMaintenance) || !Valid(ExactMoney) || !Valid(ExactNonces) || !Valid(JudgedKeys) || !Valid(IdleKeys) || !Valid(TwoOperators) {
		t.Error("a value with a word is invalid")
	}
}

func TestSTPIsReadByItsShortAndItsOldNames(t *testing.T) {
	for text, want := range map[string]STP{
		"": STPNo, "no": STPNo, "cb": STPCancelBoth, "cn": STPCancelNew, "co": STPCancelOld,
		"cancel_both": STPCancelBoth, "cancel_new": STPCancelNew, "cancel_old": STPCancelOld,
	} {
		if got, ok := ParseSTP(text); !ok || got != want {
			t.Errorf("%q is read as %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"CB", "none", "cancel-both", "cb ", "0"} {
		if got, ok := ParseSTP(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestOrderTypesKnowTheirShape(t *testing.T) {
	for _, tt := range []struct {
		kind                 OrderType
		stop, price, inQuote bool // inQuote: of a buy
	}{
		{Limit, false, true, false},
		{Market, false, false, true},
		{StockMarket, false, false, false},
		{StopLimit, true, true, false},
		{StopMarket, true, false, true},
		{StopStockMarket, true, false, false},
	} {
		if tt.kind.IsStop() != tt.stop || tt.kind.HasPrice() != tt.price || tt.kind.InQuote(Buy) != tt.inQuote || tt.kind.InQuote(Sell) {
			t.Errorf("%s: stop %v, price %v, quote %v %v", tt.kind, tt.kind.IsStop(), tt.kind.HasPrice(), tt.kind.InQuote(Buy), tt.kind.InQuote(Sell))
		}
	}
	if Buy.Opposite() != Sell || Sell.Opposite() != Buy {
		t.Error("a side is not the opposite of the other")
	}
}

func TestOnlyOpenAndPartlyFilledOrdersAreAlive(t *testing.T) {
	for status := Open; status <= Maintenance; status++ {
		o := Order{Status: status}
		if want := status == Open || status == PartiallyFilled; o.Alive() != want {
			t.Errorf("%s: alive %v", status, o.Alive())
		}
	}
}

func TestProductsIncludeAllWhenNoneAreNamed(t *testing.T) {
	for _, p := range []Products{SpotOrders, MarginOrders, FuturesOrders} {
		if !Products(0).Includes(p) || !p.Includes(p) || !(SpotOrders | MarginOrders | FuturesOrders).Includes(p) {
			t.Errorf("%d is not included", p)
		}
	}
	if MarginOrders.Includes(SpotOrders) || (MarginOrders | FuturesOrders).Includes(SpotOrders) {
		t.Error("spot orders are included although others are named")
	}
}

func TestStepRuleBeginsOnItsDay(t *testing.T) {
	if got := StepRuleFrom.String(); got != "2026-09-18T00:00:00.000000Z" {
		t.Errorf("it begins on %s", got)
	}
}
