package api

// Group names operations that a key is given together. A key keeps the URLs that a group had when the
// key was made: URLs that are added later are off on it.
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
)

// groupRow is what the operations of a group have in common.
type groupRow struct {
	group Group
	title string
	text  string // what it is, for those who read the document
	tier  Tier
	sub   Sub
}

var groups = []groupRow{
	{GroupTrading, "Trading", "Orders.", Tier1, SubAlways},
	{GroupTradeInfo, "Trade balance and order history", "What an account trades with, and what it did.", Tier1, SubAlways},
	{GroupWallet, "Wallet balance and history", "What an account owns.", Tier1, SubAlways},
	{GroupTransfer, "Balance Transfer", "Money between the wallets of an account.", Tier1, SubByFlag},
	{GroupDeposits, "Deposits", "Addresses for deposits.", Tier1, SubByFlag},
	{GroupWithdraw, "Withdraw", "Money out of the exchange.", Tier1, SubByFlag},
	{GroupCodes, "Codes", "Money for anyone who knows a text.", Tier1, SubByFlag},
	{GroupAccount, "Account", "Tokens for other services.", Tier1, SubAlways},
	{GroupChecker, "Address Checker", "The risk of taking money from an address.", Tier1, SubAlways},
}

// Groups are all there are.
func Groups() []Group {
	all := make([]Group, len(groups))
	for i := range groups {
		all[i] = groups[i].group
	}
	return all
}

// Title is what people call the group.
func (g Group) Title() string { return g.row().title }

// Text says what the group is for.
func (g Group) Text() string { return g.row().text }

func (g Group) row() groupRow {
	for _, row := range groups {
		if row.group == g {
			return row
		}
	}
	return groupRow{}
}
