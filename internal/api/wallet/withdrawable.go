package wallet

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
)

// withdrawables is what may leave an account.
type withdrawables struct {
	assets []api.Named[fixed.Decimal]
	value  fixed.Decimal
}

var withdrawableEncoder = api.Encode("WithdrawableBalance", "What can leave the account while deposits await confirmation.",
	api.NewField("assets", api.MapOf(api.Decimal), "Keyed by ticker: the amount of the asset that can be withdrawn, if no other is. Absent: neither a balance nor an unconfirmed deposit.",
		func(dst []byte, w *withdrawables) []byte {
			dst = append(dst, '{')
			for i := range w.assets {
				dst = append(api.AppendText(api.AppendComma(dst, i), w.assets[i].Name), ':')
				dst = api.AppendDecimal(dst, w.assets[i].Value)
			}
			return append(dst, '}')
		}),
	api.DecimalField("availableBalanceStable", "Value of what the account owns in its main and spot balances beyond its unconfirmed deposits, in the quote asset of the first market (USDT). "+
		"Withdrawals cannot be worth more while unconfirmed deposits have been traded.", func(w *withdrawables) fixed.Decimal { return w.value }))

var aboutWithdrawable = &api.About{
	Summary: "Get withdrawable balances",
	Text: "Unconfirmed deposits can be traded and cannot leave the exchange, and neither can what was bought with them. Both limits apply: that of the asset, and the value of " +
		"the whole account. The collateral balance is left out. Limits by day and month are not part of it.",
	Response: withdrawableEncoder.Schema(),
}

func withdrawable(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	var list []wallet.Withdrawable
	have := &withdrawables{}
	c.API.Read(func(m core.View) { list, have.value = m.Withdrawable(c.Account.ID) })
	for _, w := range list {
		have.assets = append(have.assets, api.Named[fixed.Decimal]{Name: c.Directory().Ticker(w.Asset), Value: w.Amount})
	}
	return withdrawableEncoder.Answer(have), nil
}
