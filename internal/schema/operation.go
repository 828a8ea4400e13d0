package schema

// Op numbers the operations that API keys can be given. A command that a customer signed carries the number of the operation that was
// called, and the core asks the key for it at that place of the log: what a key lost before, it writes nothing with, whichever node took
// the request. The numbers stand in the log and are for ever.
type Op uint16

// MaxOp is the highest number that an operation can have.
const MaxOp = 255

// Group names operations that a key is given together.
type Group string

const (
	GroupTrading   Group = "trading"
	GroupTradeInfo Group = "trade_info"
	GroupWallet    Group = "wallet"
	GroupTransfer  Group = "transfer"
	GroupDeposits  Group = "deposits"
	GroupWithdraw  Group = "withdraw"
	GroupCodes     Group = "codes"
	GroupAccount   Group = "account"
	GroupChecker   Group = "address_checker"
	GroupSubs      Group = "sub_account"
	GroupEarn      Group = "earn"
	GroupMining    Group = "mining"
)

// SubRule is whether the key of a sub-account may call an operation.
type SubRule uint8

const (
	SubAlways    SubRule = iota
	SubNever             // and it cannot be enabled on such a key
	SubDeposited         // if an operator enabled deposits of the sub-account
)

// Right is an operation as keys know it.
type Right struct {
	Op    Op
	Path  string
	Group Group
	Sub   SubRule
}

// Type of keys that can have the operation: those that move money in and out, and those about the keys of others, need type 2.
func (r *Right) Type() uint8 {
	switch r.Group {
	case GroupDeposits, GroupWithdraw, GroupCodes, GroupSubs:
		return KeyMoney
	}
	return KeyTrading
}

// rights is the one list of all operations that are signed.
var rights = []Right{
	{1, "/api/v4/order/new", GroupTrading, SubAlways},
	{2, "/api/v4/order/bulk", GroupTrading, SubAlways},
	{3, "/api/v4/order/market", GroupTrading, SubAlways},
	{4, "/api/v4/order/stock_market", GroupTrading, SubAlways},
	{5, "/api/v4/order/stop_limit", GroupTrading, SubAlways},
	{6, "/api/v4/order/stop_market", GroupTrading, SubAlways},
	{7, "/api/v4/order/cancel", GroupTrading, SubAlways},
	{8, "/api/v4/order/cancel/bulk", GroupTrading, SubAlways},
	{9, "/api/v4/order/cancel/all", GroupTrading, SubAlways},
	{10, "/api/v4/order/modify", GroupTrading, SubAlways},
	{11, "/api/v4/order/kill-switch", GroupTrading, SubAlways},
	{12, "/api/v4/order/kill-switch/status", GroupTrading, SubAlways},
	{13, "/api/v4/orders", GroupTrading, SubAlways},
	{14, "/api/v4/order/collateral/limit", GroupTrading, SubAlways},
	{15, "/api/v4/order/collateral/bulk", GroupTrading, SubAlways},
	{16, "/api/v4/order/collateral/market", GroupTrading, SubAlways},
	{17, "/api/v4/order/collateral/stop-limit", GroupTrading, SubAlways},
	{18, "/api/v4/order/collateral/trigger-market", GroupTrading, SubAlways},
	{19, "/api/v4/order/collateral/oco", GroupTrading, SubAlways},
	{20, "/api/v4/order/conditional-cancel", GroupTrading, SubAlways},
	{21, "/api/v4/order/oco-cancel", GroupTrading, SubAlways},
	{22, "/api/v4/order/oto-cancel", GroupTrading, SubAlways},
	{23, "/api/v4/conditional-orders", GroupTrading, SubAlways},
	{24, "/api/v4/oco-orders", GroupTrading, SubAlways},
	{25, "/api/v4/collateral-account/leverage", GroupTrading, SubAlways},
	{26, "/api/v4/collateral-account/hedge-mode/update", GroupTrading, SubAlways},
	{27, "/api/v4/collateral-account/position/close", GroupTrading, SubAlways},

	{40, "/api/v4/trade-account/balance", GroupTradeInfo, SubAlways},
	{41, "/api/v4/trade-account/executed-history", GroupTradeInfo, SubAlways},
	{42, "/api/v4/trade-account/order", GroupTradeInfo, SubAlways},
	{43, "/api/v4/trade-account/order/history", GroupTradeInfo, SubAlways},
	{44, "/api/v4/trade-account/order/history/query", GroupTradeInfo, SubAlways},
	{45, "/api/v4/collateral-account/balance", GroupTradeInfo, SubAlways},
	{46, "/api/v4/collateral-account/balance-summary", GroupTradeInfo, SubAlways},
	{47, "/api/v4/collateral-account/summary", GroupTradeInfo, SubAlways},
	{48, "/api/v4/collateral-account/hedge-mode", GroupTradeInfo, SubAlways},
	{49, "/api/v4/collateral-account/adl-quantile", GroupTradeInfo, SubAlways},
	{50, "/api/v4/collateral-account/positions/open", GroupTradeInfo, SubAlways},
	{51, "/api/v4/collateral-account/positions/history", GroupTradeInfo, SubAlways},
	{52, "/api/v4/collateral-account/positions/closed-pnl", GroupTradeInfo, SubAlways},
	{53, "/api/v4/collateral-account/funding-history", GroupTradeInfo, SubAlways},
	{54, "/api/v4/collateral-account/borrow-history", GroupTradeInfo, SubAlways},
	{55, "/api/v4/market/fee", GroupTradeInfo, SubAlways},
	{56, "/api/v4/market/fee/single", GroupTradeInfo, SubAlways},

	{70, "/api/v4/main-account/balance", GroupWallet, SubAlways},
	{71, "/api/v4/main-account/withdrawable-balance", GroupWallet, SubAlways},
	{72, "/api/v4/main-account/history", GroupWallet, SubAlways},
	{73, "/api/v4/main-account/fee", GroupWallet, SubAlways},
	{74, "/api/v4/main-account/refund-history", GroupWallet, SubAlways},
	{75, "/api/v4/credit-line/loans/info", GroupWallet, SubAlways},
	{76, "/api/v4/travel-rule/vasps", GroupWallet, SubAlways},

	{80, "/api/v4/main-account/transfer", GroupTransfer, SubAlways},
	{81, "/api/v4/main-account/transfer/history", GroupTransfer, SubAlways},

	{90, "/api/v4/main-account/address", GroupDeposits, SubDeposited},
	{91, "/api/v4/main-account/create-new-address", GroupDeposits, SubDeposited},
	{92, "/api/v4/main-account/fiat-deposit-url", GroupDeposits, SubNever},
	{93, "/api/v4/travel-rule/deposit/verification", GroupDeposits, SubDeposited},

	{100, "/api/v4/main-account/withdraw", GroupWithdraw, SubAlways},
	{101, "/api/v4/main-account/withdraw-pay", GroupWithdraw, SubAlways},
	{102, "/api/v4/main-account/refund-deposit", GroupWithdraw, SubAlways},
	{103, "/api/v4/main-account/express-withdraw/token", GroupWithdraw, SubNever},
	{104, "/api/card-token", GroupWithdraw, SubNever},

	{110, "/api/v4/main-account/codes", GroupCodes, SubAlways},
	{111, "/api/v4/main-account/codes/apply", GroupCodes, SubAlways},
	{112, "/api/v4/main-account/codes/my", GroupCodes, SubAlways},
	{113, "/api/v4/main-account/codes/history", GroupCodes, SubAlways},

	{120, "/api/v4/jwt", GroupAccount, SubAlways},
	{121, "/api/v4/profile/websocket_token", GroupAccount, SubAlways},
	{122, "/api/v4/sandbox/faucet", GroupAccount, SubNever},
	{123, "/api/v4/sandbox/faucet/history", GroupAccount, SubNever},

	{130, "/api/v4/aml/checks/assets", GroupChecker, SubNever},
	{131, "/api/v4/aml/checks/create", GroupChecker, SubNever},
	{132, "/api/v4/aml/checks/result", GroupChecker, SubNever},
	{133, "/api/v4/aml/checks/history", GroupChecker, SubNever},

	{140, "/api/v4/sub-account/create", GroupSubs, SubNever},
	{141, "/api/v4/sub-account/delete", GroupSubs, SubNever},
	{142, "/api/v4/sub-account/edit", GroupSubs, SubNever},
	{143, "/api/v4/sub-account/list", GroupSubs, SubNever},
	{144, "/api/v4/sub-account/block", GroupSubs, SubNever},
	{145, "/api/v4/sub-account/unblock", GroupSubs, SubNever},
	{146, "/api/v4/sub-account/balances", GroupSubs, SubNever},
	{147, "/api/v4/sub-account/transfer", GroupSubs, SubNever},
	{148, "/api/v4/sub-account/transfer/history", GroupSubs, SubNever},
	{149, "/api/v4/sub-account/withdraw/unconfirmed-list", GroupSubs, SubNever},
	{150, "/api/v4/sub-account/withdraw/confirm", GroupSubs, SubNever},
	{151, "/api/v4/sub-account/kyc-url", GroupSubs, SubNever},
	{152, "/api/v4/sub-account/api-key/create", GroupSubs, SubNever},
	{153, "/api/v4/sub-account/api-key/edit", GroupSubs, SubNever},
	{154, "/api/v4/sub-account/api-key/delete", GroupSubs, SubNever},
	{155, "/api/v4/sub-account/api-key/list", GroupSubs, SubNever},
	{156, "/api/v4/sub-account/api-key/reset", GroupSubs, SubNever},
	{157, "/api/v4/sub-account/api-key/ip-address/list", GroupSubs, SubNever},
	{158, "/api/v4/sub-account/api-key/ip-address/create", GroupSubs, SubNever},
	{159, "/api/v4/sub-account/api-key/ip-address/delete", GroupSubs, SubNever},

	{160, "/api/v4/convert/estimate", GroupTrading, SubAlways},
	{161, "/api/v4/convert/confirm", GroupTrading, SubAlways},
	{162, "/api/v4/convert/auto-confirm", GroupTrading, SubAlways},
	{163, "/api/v4/convert/history", GroupTradeInfo, SubAlways},
	{170, "/api/v4/main-account/smart/plans", GroupEarn, SubAlways},
	{171, "/api/v4/main-account/smart/investment", GroupEarn, SubAlways},
	{172, "/api/v4/main-account/smart/investment/close", GroupEarn, SubAlways},
	{173, "/api/v4/main-account/smart/investments", GroupEarn, SubAlways},
	{174, "/api/v4/main-account/smart/interest-payment-history", GroupEarn, SubAlways},
	{175, "/api/v4/main-account/smart-flex/plans", GroupEarn, SubAlways},
	{176, "/api/v4/main-account/smart-flex/investments", GroupEarn, SubAlways},
	{177, "/api/v4/main-account/smart-flex/investments/history", GroupEarn, SubAlways},
	{178, "/api/v4/main-account/smart-flex/investments/payment-history", GroupEarn, SubAlways},
	{179, "/api/v4/main-account/smart-flex/investments/invest", GroupEarn, SubAlways},
	{180, "/api/v4/main-account/smart-flex/investments/withdraw", GroupEarn, SubAlways},
	{181, "/api/v4/main-account/smart-flex/investments/close", GroupEarn, SubAlways},
	{182, "/api/v4/main-account/smart-flex/investments/auto-invest", GroupEarn, SubAlways},

	{190, "/api/v4/mining/accounts", GroupMining, SubAlways},
	{191, "/api/v4/mining/accounts/create", GroupMining, SubAlways},
	{192, "/api/v4/mining/rewards", GroupMining, SubAlways},
	{193, "/api/v4/mining/hashrate", GroupMining, SubAlways},
	{194, "/api/v4/mining/payout-destination", GroupMining, SubAlways},
	{195, "/api/v4/mining/payout-destination/edit", GroupWithdraw, SubAlways},
	{196, "/api/v4/mining/miners/info", GroupMining, SubAlways},
	{197, "/api/v4/mining/workers/names", GroupMining, SubAlways},
	{198, "/api/v4/mining/workers/hashrate", GroupMining, SubAlways},
	{199, "/api/v4/mining/watcher-links/create", GroupMining, SubAlways},
	{200, "/api/v4/mining/watcher-links/list", GroupMining, SubAlways},
}

var byPath = func() map[string]*Right {
	all := map[string]*Right{}
	for i := range rights {
		all[rights[i].Path] = &rights[i]
	}
	return all
}()

// Rights are all operations that are signed, in the order in which keys list them.
func Rights() []Right { return rights }

// RightTo is what keys know of an operation, or nil: none is given for that path.
func RightTo(path string) *Right { return byPath[path] }

// Ops is a set of operations.
type Ops [(MaxOp + 1) / 64]uint64

// OpsOf are the operations that some URLs give. Paths that are none give nothing.
func OpsOf(urls []string) (s Ops) {
	for _, url := range urls {
		if url == AllURLs {
			for i := range s {
				s[i] = ^uint64(0)
			}
			return s
		}
		if r := byPath[url]; r != nil {
			s.Add(r.Op)
		}
	}
	return s
}

// Add puts an operation into the set.
func (s *Ops) Add(op Op) { s[op/64] |= 1 << (op % 64) }

// Has reports whether an operation is in the set. None has a number beyond the highest.
func (s *Ops) Has(op Op) bool { return op <= MaxOp && s[op/64]&(1<<(op%64)) != 0 }
