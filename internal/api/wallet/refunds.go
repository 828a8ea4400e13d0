package wallet

import (
	"fmt"
	"strings"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/network/address"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// refundRequest asks to send a deposit back that was not accepted.
type refundRequest struct{ id, address, memo string }

func (q *refundRequest) Read(f *api.Form) {
	f.Demand("transactionId", "address")
	q.id, q.address, q.memo = f.String("transactionId"), f.String("address"), f.String("memo")
	if len(q.memo) > schema.MaxMemo {
		f.Fail(400, 0, "memo", fmt.Sprintf("The memo may not be greater than %d characters.", schema.MaxMemo))
	}
}

// notRefundable says so of a deposit that is not canceled, or was refunded, or is none of the account's.
var notRefundable = &api.Error{Status: 400, Message: "Transaction not refundable"}

var requestedEncoder = api.Encode("RequestedRefund", "A refund that was requested.",
	api.StringField("transactionId", "As requested.", func(id *string) string { return *id }),
	api.StringField("id", "As transactionId.", func(id *string) string { return *id }))

var aboutRefund = &api.About{
	Summary: "Refund a deposit",
	Text: "Sends a canceled deposit back, less the fee of a withdrawal, to an address of the same network. It takes as long as a withdrawal; " +
		"the outcome is in /api/v4/main-account/refund-history. A deposit whose refund was canceled can be refunded again.",
	Parameters: map[string]string{
		"transactionId": "UUID of the deposit, as /api/v4/main-account/history has it.",
		"address":       "Address to send the deposit to. It need not be the one that it came from, and must not be one of this exchange.",
		"memo":          "Memo or destination tag, where the network has them; elsewhere it is kept and not used. At most 255 characters.",
	},
	Response: requestedEncoder.Schema(),
	Refusals: []schema.Reason{schema.WithdrawAddressInvalid},
	Faults:   []*api.Error{notRefundable, wrongMemo},
}

func refund(c api.WriteCall, q *refundRequest) (api.Answer, error) {
	number, ok := uuid.Read(q.id, uuid.Deposit)
	if !ok {
		return nil, notRefundable
	}
	command := &schema.RefundDeposit{Account: c.Account.ID, Deposit: schema.DepositID(number), Memo: q.memo}
	var deposit schema.ChainDeposit
	c.API.Read(func(m core.View) { deposit, ok = m.Chains().Deposit(command.Deposit) })
	if !ok || deposit.Account != c.Account.ID || deposit.Status != schema.DepositCanceled {
		return nil, notRefundable
	}
	to := destination{place: place{chain: c.Directory().Chain(deposit.Chain)}}
	var err error
	if to.address, err = address.Parse(to.chain.Space(), q.address); err != nil {
		return nil, wrongAddress
	}
	if address.HasMemo(to.chain.Family) {
		if command.Memo, err = address.ParseMemo(to.chain.Family, q.memo); err != nil {
			return nil, wrongMemo
		}
		to.memo = command.Memo
	}
	if err := to.look(c); err != nil {
		return nil, err
	}
	command.Address, command.Index = to.address, to.index
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		switch result.Rejection.Reason {
		case schema.NotRefundable, schema.DepositUnknown:
			return nil, notRefundable
		}
		return nil, err
	}
	return requestedEncoder.Answer(&q.id), nil
}

// refundQuery asks for refunds.
type refundQuery struct {
	deposit, ticker string // "": any
	limit, offset   int
}

// maxFilter is how many characters a filter may have.
const maxFilter = 255

func (q *refundQuery) Read(f *api.Form) {
	q.deposit, q.ticker = f.String("depositId"), f.String("ticker")
	if len(q.deposit) > maxFilter {
		f.Fail(400, 0, "depositId", fmt.Sprintf("The deposit id may not be greater than %d characters.", maxFilter))
	}
	if len(q.ticker) > maxFilter {
		f.Fail(400, 0, "ticker", fmt.Sprintf("The ticker may not be greater than %d characters.", maxFilter))
	}
	q.limit, q.offset = f.Page(100, 100, api.MaxOffset, api.OfMoney)
}

// refundRecord is a refund of the past, with the directory that names its asset.
type refundRecord struct {
	*schema.Withdrawal
	directory *directory.Directory
	class     history.Class
}

func (r *refundRecord) network() *schema.Network {
	return r.directory.AssetByID(r.Asset).NetworkOn(r.Chain)
}

// refundStatuses are how customers know the classes of refunds.
var refundStatuses = map[history.Class]string{
	history.RefundPending: "in_process", history.RefundDone: "successful", history.RefundCanceled: "canceled",
}

// refundPage is a part of the refunds of an account.
type refundPage struct {
	records       []refundRecord
	limit, offset int
}

var refundsEncoder = func() *api.Encoder[refundPage] {
	record := api.Encode("Refund", "A refund.",
		api.StringField("depositId", "UUID of the deposit.", func(r *refundRecord) string { return uuid.Text(r.Deposited, uuid.Deposit, uint64(r.Refund)) }),
		nullable("currency", "Display name of the asset.", func(r *refundRecord) string { return r.directory.AssetByID(r.Asset).Name }),
		nullable("ticker", "Ticker of the asset.", func(r *refundRecord) string { return r.directory.Ticker(r.Asset) }),
		nullable("network", "Network of the asset, null if it has been removed.", func(r *refundRecord) string {
			if n := r.network(); n != nil {
				return n.Name
			}
			return ""
		}),
		api.DecimalField("depositAmount", "Amount of the deposit.", func(r *refundRecord) fixed.Decimal { return r.Amount.Add(r.Fee) }),
		api.StringField("refundId", "UUID of the refund.", func(r *refundRecord) string { return uuid.Text(r.Created, uuid.Withdrawal, uint64(r.ID)) }),
		api.StringField("refundAddress", "Address that the deposit is sent to.", func(r *refundRecord) string { return r.Address }),
		api.DecimalField("refundAmount", "Amount that arrives there: that of the deposit less the fee.", func(r *refundRecord) fixed.Decimal { return r.Amount }),
		nullable("refundHash", "Hash of the transaction, null unless the refund was successful.", func(r *refundRecord) string {
			if r.class == history.RefundDone {
				return r.Tx
			}
			return ""
		}),
		nullable("memo", "Memo as requested, null if there was none.", func(r *refundRecord) string { return r.Memo }),
		api.EnumField("status", []string{"in_process", "successful", "canceled"}, "Status. Successful and canceled are final.",
			func(r *refundRecord) string { return refundStatuses[r.class] }),
		api.SecondsField("createdAt", "Time of the request.", func(r *refundRecord) schema.Time { return r.Created }),
		api.NewField("processedAt", api.Nullable(api.Integer), "Time at which the refund became successful or canceled, null before.",
			func(dst []byte, r *refundRecord) []byte {
				if r.class == history.RefundPending {
					return append(dst, "null"...)
				}
				return fmt.Appendf(dst, "%d", r.Changed/schema.Second)
			}))
	return api.Encode("RefundPage", "A page of refunds.",
		api.IntegerField("limit", "As requested.", func(p *refundPage) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *refundPage) int64 { return int64(p.offset) }),
		api.ArrayField("records", record, "Refunds.", func(p *refundPage) []refundRecord { return p.records }))
}()

var aboutRefunds = &api.About{
	Summary: "List refunds",
	Text:    "Newest first. A page with fewer records than its limit is the last one.",
	Parameters: map[string]string{
		"depositId": "Return only refunds of the deposit with this UUID.",
		"ticker":    "Return only refunds in this asset, on all its networks.",
	},
	Response: refundsEncoder.Schema(),
}

func refunds(c *api.Call, q *refundQuery) (api.Answer, error) {
	query := &history.Query{Kind: history.Refunds, Offset: q.offset, Limit: q.limit}
	page := &refundPage{limit: q.limit, offset: q.offset}
	if q.ticker != "" {
		asset := c.Directory().Asset(strings.ToUpper(q.ticker))
		if asset == nil {
			return refundsEncoder.Answer(page), nil
		}
		query.Asset = asset.ID
	}
	if q.deposit != "" {
		number, ok := uuid.Read(q.deposit, uuid.Deposit)
		if !ok {
			return refundsEncoder.Answer(page), nil
		}
		query.Tag = history.RefundOf(schema.DepositID(number))
	}
	records, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	for i := range records {
		page.records = append(page.records, refundRecord{records[i].Payload.(*schema.Withdrawal), c.Directory(), records[i].Class})
	}
	return refundsEncoder.Answer(page), nil
}
