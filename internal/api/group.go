package api

import (
	"slices"

	"bourse/internal/schema"
)

// groupRow is what people read of a group of operations, which keys are given together. A key keeps the URLs that a group had when they
// were given: URLs that are added later are off on it.
type groupRow struct {
	group schema.Group
	title string
	text  string // what it is, for those who read the document
}

var groups = []groupRow{
	{schema.GroupTrading, "Trading", "Orders and conversions."},
	{schema.GroupTradeInfo, "Trade balance and order history", "What an account trades with, and what it did."},
	{schema.GroupWallet, "Wallet balance and history", "What an account owns."},
	{schema.GroupTransfer, "Balance Transfer", "Money between the wallets of an account."},
	{schema.GroupDeposits, "Deposits", "Addresses for deposits."},
	{schema.GroupWithdraw, "Withdraw", "Money out of the exchange."},
	{schema.GroupCodes, "Codes", "Money for anyone who knows a text."},
	{schema.GroupEarn, "Earn", "Money that is invested and earns interest."},
	{schema.GroupMining, "Mining pool", "Accounts that miners work for, what they earn and where it is paid."},
	{schema.GroupAccount, "Account", "Tokens for other services."},
	{schema.GroupChecker, "Address Checker", "The risk of taking money from an address."},
	{schema.GroupSubs, "Sub-accounts", "Sub-accounts, their money and their API keys."},
}

// Groups are all there are, in the order in which keys list them.
func Groups() []schema.Group {
	all := make([]schema.Group, len(groups))
	for i := range groups {
		all[i] = groups[i].group
	}
	return all
}

// GroupTitle is what people call a group.
func GroupTitle(g schema.Group) string { return groupOf(g).title }

// GroupText says what a group is for.
func GroupText(g schema.Group) string { return groupOf(g).text }

func groupOf(g schema.Group) groupRow {
	for _, row := range groups {
		if row.group == g {
			return row
		}
	}
	return groupRow{}
}

// KeyGroup is endpoints of one kind that a key can have, as people see them, and KeyURL one of them.
type KeyGroup struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	URLs  []KeyURL `json:"urls"`
}

type KeyURL struct {
	URL    string `json:"url"`
	Enable bool   `json:"enable"`
}

// KeyGroups are the endpoints of this exchange that a key can have, by group, and whether it has them. Groups without any are left out.
func (a *API) KeyGroups(can func(*schema.Right) bool, has []string) (list []KeyGroup) {
	rights := schema.Rights()
	for _, row := range groups {
		g := KeyGroup{Name: string(row.group), Title: row.title}
		for i := range rights {
			if r := &rights[i]; r.Group == row.group && a.byPath[r.Path] != nil && can(r) {
				g.URLs = append(g.URLs, KeyURL{r.Path, slices.Contains(has, r.Path)})
			}
		}
		if g.URLs != nil {
			list = append(list, g)
		}
	}
	return list
}
