package wallet

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// credit is what an operator lent an account, with the directory that names its asset.
type credit struct {
	schema.Credit
	ltv       fixed.Decimal
	directory *directory.Directory
}

var creditEncoder = api.Encode("CreditLine", "The active loan of a credit line.",
	api.StringField("asset", "Ticker of the asset that was lent.", func(c *credit) string { return c.directory.Ticker(c.Asset) }),
	api.DecimalField("amount", "Amount that is not repaid.", func(c *credit) fixed.Decimal { return c.Amount }),
	api.DecimalField("totalFunding", "Interest that was ever charged for the loan.", func(c *credit) fixed.Decimal { return c.Funding }),
	api.DecimalField("currentLtv", "Value of the loan in percent of what the account owns in its main and spot balances, at index prices. 0 where there is no price.",
		func(c *credit) fixed.Decimal { return c.ltv }),
	api.DecimalField("initialLtv", "Percent at which the loan was granted.", func(c *credit) fixed.Decimal { return c.Initial }),
	api.DecimalField("marginCallLtv", "Percent at which more security is asked for.", func(c *credit) fixed.Decimal { return c.MarginCall }),
	api.DecimalField("liquidationLtv", "Percent at which the loan is taken back.", func(c *credit) fixed.Decimal { return c.Liquidation }),
	api.SecondsField("createdAt", "Time of the loan.", func(c *credit) schema.Time { return c.Created }))

var noLoan = &api.Error{Status: 400, Message: schema.Refuse(schema.CreditNone).Text()}

var aboutCredit = &api.About{
	Summary:  "Get the loan of a credit line",
	Text:     "Credit lines are agreed with an operator, who opens the loan, charges interest and takes it back from the main balance.",
	Response: creditEncoder.Schema(),
	Faults:   []*api.Error{noLoan},
}

func creditOf(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	have, active := credit{directory: c.Directory()}, false
	c.API.Read(func(m core.View) {
		have.Credit, active = m.Credit(c.Account.ID)
		have.ltv = m.CreditLTV(c.Account.ID)
	})
	if !active {
		return nil, noLoan
	}
	return creditEncoder.Answer(&have), nil
}
