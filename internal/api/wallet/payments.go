package wallet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/uuid"
)

// Methods of payments, as clients number them.
const (
	depositMethod  = 1
	withdrawMethod = 2
)

// Statuses that records have, as clients number them.
const (
	statusQueued     = 1
	statusPlanned    = 2
	statusDone       = 3
	statusCanceled   = 4
	statusInside     = 7
	statusReview     = 10
	statusPending    = 15
	statusMaster     = 5 // the master of the sub-account has to confirm it
	statusPartial    = 18
	statusFrozen     = 21
	statusUncredited = 22
	statusTravel     = 27
	statusVerified   = 28
)

// statuses are the codes that a filter may name, by method. One that no record has is no mistake.
var statuses = map[int64][]int64{
	depositMethod:  {3, 4, 5, 7, 9, 15, 21, 22, 27, 28},
	withdrawMethod: {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18, 21},
}

// classes are the payments of a method that have a status. What a chain took back is canceled too, though it cannot be refunded.
var classes = map[int64]map[int64][]history.Class{
	depositMethod: {
		statusPending:    {history.DepositPending},
		statusDone:       {history.DepositCredited},
		statusInside:     {history.DepositInside},
		statusUncredited: {history.DepositUncredited},
		statusFrozen:     {history.DepositFrozen},
		statusTravel:     {history.DepositTravel},
		statusVerified:   {history.DepositReview},
		statusCanceled:   {history.DepositCanceled, history.DepositLost},
	},
	withdrawMethod: {
		statusReview:   {history.WithdrawalReview},
		statusFrozen:   {history.WithdrawalFrozen},
		statusQueued:   {history.WithdrawalQueued},
		statusPending:  {history.WithdrawalSent},
		statusDone:     {history.WithdrawalDone},
		statusInside:   {history.WithdrawalInside},
		statusCanceled: {history.WithdrawalCanceled},
		statusPlanned:  {history.WithdrawalPlanned},
		statusPartial:  {history.WithdrawalPartial},
		statusMaster:   {history.WithdrawalUnconfirmed},
	},
}

// statusOf is the status of every class.
var statusOf = func() map[history.Class]int64 {
	all := map[history.Class]int64{}
	for _, method := range classes {
		for status, list := range method {
			for _, class := range list {
				all[class] = status
			}
		}
	}
	return all
}()

// maxAddresses is how many addresses a filter may name.
const maxAddresses = 20

// paymentQuery asks for what came to an account and left it.
type paymentQuery struct {
	method        int64 // 0: both
	ticker        string
	addresses     []string // of which one must be it; nil: any
	memo, id      string   // "": any
	status        []int64  // nil: any
	limit, offset int
}

func (q *paymentQuery) Read(f *api.Form) {
	method, s := f.Between("transactionMethod", depositMethod, withdrawMethod)
	if q.method = method; s == api.Malformed {
		f.Fail(400, 0, "transactionMethod", "The selected transaction method is invalid.")
	}
	q.ticker, q.memo = f.String("ticker"), f.String("memo")
	q.readAddresses(f)
	older := f.String("uniqueId")
	q.id = cmp.Or(f.String("unique_id"), older)
	if q.status, s = f.Ints("status"); s == api.Malformed || slices.ContainsFunc(q.status, func(n int64) bool { return !q.known(n) }) {
		f.Fail(400, 0, "status", "The selected status is invalid.")
	}
	if len(q.status) == 0 {
		q.status = nil
	}
	q.limit, q.offset = f.Page(50, 500, api.MaxOffset, api.OfMoney)
	boundPage(f, q.limit, q.offset)
}

// readAddresses reads an address and several. If there are both, both must be it.
func (q *paymentQuery) readAddresses(f *api.Form) {
	f.Schema().Count("addresses", 0, maxAddresses)
	all, s := f.Texts("addresses")
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, "addresses", "The addresses must be an array.")
	case len(all) > maxAddresses:
		f.Fail(400, 0, "addresses", fmt.Sprintf("The addresses may not have more than %d items.", maxAddresses))
	case len(all) > 0:
		q.addresses = slices.DeleteFunc(all, func(text string) bool { return text == "" }) // nothing comes to no address
	}
	one := f.String("address")
	if one == "" {
		return
	}
	if q.addresses != nil && !slices.Contains(q.addresses, one) {
		q.addresses = []string{}
		return
	}
	q.addresses = []string{one}
}

// known reports whether a status is one of the method.
func (q *paymentQuery) known(status int64) bool {
	for method, list := range statuses {
		if (q.method == 0 || q.method == method) && slices.Contains(list, status) {
			return true
		}
	}
	return false
}

// classes are the payments of a method that are asked for; none if no payment of it can be it.
func (q *paymentQuery) classes(method int64) []history.Class {
	switch {
	case q.method != 0 && q.method != method:
		return nil
	case q.status == nil && method == depositMethod:
		return history.Deposits
	case q.status == nil:
		return history.Withdrawals
	}
	var list []history.Class
	for _, n := range q.status {
		list = append(list, classes[method][n]...)
	}
	return list
}

// payment is a deposit or a withdrawal of the past, with what is said about it now.
type payment struct {
	method, status int64
	uuid           string
	unique         string // of withdrawals and invoices, "" if there is none
	created        schema.Time
	asset          *schema.Asset
	network        *schema.Network // nil if the asset is on the chain no more
	amount, fee    fixed.Decimal
	address, memo  string
	hash           string // of the transaction, "" if there is none
	chain          schema.ChainID
	height         uint64        // of its block, 0: none
	actual         uint64        // how many confirmations it has
	asked          fixed.Decimal // what the receiver should have got, where a part was paid
	provider       bool          // it comes or goes by a provider, where nothing is confirmed
}

// paymentOf is what a record says.
func paymentOf(all *directory.Directory, r *history.Record) payment {
	stored := r.Payload.(*history.Payment)
	if r.ID&1 == 1 {
		w := &stored.Withdrawal
		return payment{
			method: withdrawMethod, status: statusOf[r.Class], uuid: uuid.Text(w.Created, uuid.Withdrawal, uint64(w.ID)), unique: w.Unique, created: w.Created,
			amount: w.Amount, fee: w.Fee, address: w.Address, memo: w.Memo, hash: w.Tx, chain: w.Chain, height: w.Height, asked: w.Asked, provider: provides(all, w.Chain),
		}
	}
	d := &stored.Deposit
	if provides(all, d.Chain) {
		return payment{
			method: depositMethod, status: statusOf[r.Class], uuid: uuid.Text(d.Created, uuid.Deposit, uint64(d.ID)), unique: d.Receipt, created: d.Created,
			amount: d.Amount, fee: d.Fee, chain: d.Chain, provider: true,
		}
	}
	return payment{
		method: depositMethod, status: statusOf[r.Class], uuid: uuid.Text(d.Created, uuid.Deposit, uint64(d.ID)), created: d.Created,
		amount: d.Amount, fee: d.Fee, address: d.Address, memo: d.Memo, hash: schema.TxOf(d.Receipt), chain: d.Chain, height: d.Height,
	}
}

// provides reports whether a chain is a payment provider.
func provides(all *directory.Directory, id schema.ChainID) bool {
	chain := all.Chain(id)
	return chain != nil && chain.Driver == schema.Provider
}

// confirming reports whether confirmations mean something for it.
func (p *payment) confirming() bool {
	return (p.status == statusPending || p.status == statusDone) && !p.provider
}

// requiredWithout is how many confirmations a payment needs whose asset is on the chain no more.
const requiredWithout = 6

func (p *payment) required() int64 {
	if p.network == nil {
		return requiredWithout
	}
	return int64(p.network.Confirmations)
}

// paymentPage is a part of the payments of an account.
type paymentPage struct {
	records              []payment
	limit, offset, total int
}

var paymentsEncoder = func() *api.Encoder[paymentPage] {
	unique := func(name, description string) api.Field[payment] {
		return api.NewField(name, api.Nullable(api.String), description, func(dst []byte, p *payment) []byte {
			if p.unique == "" {
				return append(dst, "null"...)
			}
			return api.AppendText(dst, p.unique)
		})
	}
	id := func(p *payment) string { return p.uuid }
	confirmations := api.Encode("", "",
		api.IntegerField("actual", "Confirmations so far.", func(p *payment) int64 { return int64(p.actual) }),
		api.IntegerField("required", "Confirmations that are needed.", (*payment).required))
	partial := api.Encode("", "",
		api.DecimalField("requestAmount", "Amount that the receiver should have got.", func(p *payment) fixed.Decimal { return p.asked }),
		api.DecimalField("processedAmount", "Amount that the receiver got.", func(p *payment) fixed.Decimal { return p.amount }),
		api.DecimalField("processedFee", "Fee for that.", func(p *payment) fixed.Decimal { return p.fee }),
		api.StringField("normalizeTransaction", "Always empty.", func(*payment) string { return "" }))
	details := api.Encode("PaymentDetails", "More about a payment.",
		api.ObjectField("partial", partial, "What the provider paid.", func(p *payment) *payment { return p }))
	record := api.Encode("Payment", "A deposit or a withdrawal.",
		api.StringField("address", "Address that is paid to, empty for a fiat deposit.", func(p *payment) string { return p.address }),
		unique("unique_id", "Unique id of the request for a withdrawal or a fiat deposit, null for other deposits."),
		unique("uniqueId", "As unique_id."),
		api.StringField("transaction_id", "UUID of the record.", id),
		api.StringField("transactionId", "As transaction_id.", id),
		api.SecondsField("createdAt", "Time at which the deposit was first seen, or the withdrawal requested.", func(p *payment) schema.Time { return p.created }),
		api.StringField("currency", "Display name of the asset.", func(p *payment) string { return p.asset.Name }),
		api.StringField("ticker", "Ticker of the asset.", func(p *payment) string { return p.asset.Ticker }),
		api.IntegerField("method", "1: deposit, 2: withdrawal.", func(p *payment) int64 { return p.method }),
		api.DecimalField("amount", "Amount that arrived, fee included; of a withdrawal the amount that the receiver gets, without the fee.", func(p *payment) fixed.Decimal { return p.amount }),
		api.StringField("description", "Always empty.", func(*payment) string { return "" }),
		api.StringField("memo", "Memo that goes with it, empty if none does.", func(p *payment) string { return p.memo }),
		api.DecimalField("fee", "Fee: taken from the amount of a deposit, in addition to that of a withdrawal.", func(p *payment) fixed.Decimal { return p.fee }),
		api.IntegerField("status", "Deposits: 15: waiting for confirmations, 3: credited, 7: credited, from another customer, 22: not credited, 21: frozen, "+
			"27: waiting for who sent it to be said in /api/v4/travel-rule/deposit/verification, 28: that is said and under review, 4: canceled, or taken back by the network. Withdrawals: 10: under review, 21: frozen, 1: waiting to be sent, 15: sent, waiting for confirmations, 3: done, "+
			"2: about to be sent, 7: done, to another customer, 18: the provider paid a part of it and the rest is given back, 4: canceled. Fiat deposits: 15: the invoice is open, 3: paid, 4: failed or expired, 22: paid and not credited.", func(p *payment) int64 { return p.status }),
		api.NewField("network", api.Nullable(api.String), "Network of the asset, null if it has been removed.", func(dst []byte, p *payment) []byte {
			if p.network == nil {
				return append(dst, "null"...)
			}
			return api.AppendText(dst, p.network.Name)
		}),
		api.StringField("transactionHash", "Hash of the transaction, empty if there is none. Several records may share one.", func(p *payment) string { return p.hash }),
		api.NewField("details", api.Nullable(details.Schema()), "What was paid of a withdrawal with status 18, null otherwise.", func(dst []byte, p *payment) []byte {
			if p.asked.IsZero() {
				return append(dst, "null"...)
			}
			return details.Append(dst, p)
		}),
		api.NewField("confirmations", api.Nullable(confirmations.Schema()), "Confirmations of payments with status 15 or 3, null otherwise and by providers.",
			func(dst []byte, p *payment) []byte {
				if !p.confirming() {
					return append(dst, "null"...)
				}
				return confirmations.Append(dst, p)
			}))
	return api.Encode("PaymentPage", "A page of deposits and withdrawals.",
		api.IntegerField("limit", "As requested.", func(p *paymentPage) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *paymentPage) int64 { return int64(p.offset) }),
		api.ArrayField("records", record, "Records.", func(p *paymentPage) []payment { return p.records }),
		api.IntegerField("total", "How many records there are. Exact up to 10000 for one address, and among the last 10000 for a memo, a unique id or several addresses.",
			func(p *paymentPage) int64 { return int64(p.total) }))
}()

var aboutPayments = &api.About{
	Summary: "List deposits and withdrawals",
	Text:    "What arrived by networks, what left by them, and what went from customer to customer; newest first.",
	Parameters: map[string]string{
		"transactionMethod": "1: deposits, 2: withdrawals. Default: both.",
		"ticker":            "Return only payments in this asset.",
		"address":           "Return only payments to this address.",
		"addresses":         "Return only payments to these addresses, at most 20.",
		"memo":              "Return only payments with this memo.",
		"unique_id":         "Return only the withdrawal or the fiat deposit with this unique id, or the deposit with this transaction_id.",
		"uniqueId":          "Older name of unique_id.",
		"status":            "Return only payments with these statuses.",
	},
	Response: paymentsEncoder.Schema(),
	Faults:   []*api.Error{unknownTicker},
}

// payments lists what came to the account and what left it.
func payments(c *api.Call, q *paymentQuery) (api.Answer, error) {
	deposits, withdrawals := q.classes(depositMethod), q.classes(withdrawMethod)
	query := &history.Query{Kind: history.Payments, Classes: slices.Concat(deposits, withdrawals), Offset: q.offset, Limit: q.limit}
	if q.ticker != "" {
		asset := c.Directory().Asset(q.ticker)
		if asset == nil {
			return nil, unknownTicker
		}
		query.Asset = asset.ID
	}
	if len(q.addresses) == 1 {
		query.Tag = q.addresses[0]
	}
	page := &paymentPage{limit: q.limit, offset: q.offset}
	var records []history.Record
	var err error
	switch {
	case len(query.Classes) == 0 || q.addresses != nil && len(q.addresses) == 0: // nothing can be it
	case q.id != "":
		records, page.total, err = q.named(c, query, deposits, withdrawals)
	case q.memo != "" || len(q.addresses) > 1:
		records, page.total, err = q.sought(c, query)
	default:
		records, page.total, err = c.Counted(query)
	}
	if err != nil {
		return nil, err
	}
	page.records = describe(c, records)
	return paymentsEncoder.Answer(page), nil
}

// named are the withdrawal and the deposit that an id may name, newest first. An invoice is a deposit that has a unique id.
func (q *paymentQuery) named(c *api.Call, query *history.Query, deposits, withdrawals []history.Class) (page []history.Record, total int, err error) {
	limit, offset := q.limit, q.offset
	q.limit, q.offset = 2, 0
	look := func(of []history.Class, ref uint64) error {
		query.Classes, query.Ref = of, ref
		found, n, err := q.sought(c, query)
		page, total = append(page, found...), total+n
		return err
	}
	if number, ok := uuid.Read(q.id, uuid.Deposit); ok && len(deposits) > 0 {
		err = look(deposits, number<<1)
	}
	rest := slices.Concat(deposits, withdrawals)
	if total > 0 {
		rest = withdrawals
	}
	if err == nil && len(rest) > 0 {
		err = look(rest, 0)
	}
	slices.SortFunc(page, func(a, b history.Record) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.ID, a.ID)) })
	return page[min(offset, len(page)):min(offset+limit, len(page))], total, err
}

const (
	// mostSought is how many records of an account are gone through for what they are not found by.
	mostSought = 10_000
	// soughtAtOnce is how many of them are in memory.
	soughtAtOnce = 2_000
)

// sought goes through what a query chooses, newest first, for what fits the other filters.
func (q *paymentQuery) sought(c *api.Call, query *history.Query) (page []history.Record, total int, err error) {
	query.Offset, query.Limit = q.offset, q.limit
	return sought(c, query, func(r *history.Record) bool { return q.fits(c, r) })
}

// sought is the page of a query of which only what fits counts. It goes through what the query chooses, newest first.
func sought(c *api.Call, query *history.Query, fits func(*history.Record) bool) (page []history.Record, total int, err error) {
	var last *history.Record
	offset, limit := query.Offset, query.Limit
	query.Limit = soughtAtOnce
	for query.Offset = 0; query.Offset < mostSought; query.Offset += soughtAtOnce {
		records, err := c.Past(query)
		if err != nil {
			return nil, 0, err
		}
		for i := range records {
			r := &records[i]
			// A record that came meanwhile moves the others: some are there again.
			if last != nil && cmp.Or(cmp.Compare(r.Time, last.Time), cmp.Compare(r.ID, last.ID)) >= 0 {
				continue
			}
			if last = r; !fits(r) {
				continue
			}
			if total++; total > offset && len(page) < limit {
				page = append(page, *r)
			}
		}
		if len(records) < soughtAtOnce {
			break
		}
	}
	return page, total, nil
}

func (q *paymentQuery) fits(c *api.Call, r *history.Record) bool {
	p := paymentOf(c.Directory(), r)
	name := p.unique == q.id || p.method == depositMethod && strings.EqualFold(q.id, p.uuid)
	return (q.memo == "" || q.memo == p.memo) && (q.addresses == nil || slices.Contains(q.addresses, p.address)) && (q.id == "" || name)
}

// describe adds what is known of payments now.
func describe(c *api.Call, records []history.Record) []payment {
	list := make([]payment, len(records))
	for i := range records {
		list[i] = paymentOf(c.Directory(), &records[i])
		list[i].asset = c.Directory().AssetByID(records[i].Asset)
		list[i].network = list[i].asset.NetworkOn(list[i].chain)
	}
	c.API.Read(func(m core.View) {
		for i := range list {
			p := &list[i]
			// While its block comes in parts the chain is below it; a block that is gone has height 0.
			if height, _ := m.Chains().Cursor(p.chain); p.height != 0 && p.height <= height {
				p.actual = height - p.height + 1
			}
		}
	})
	return list
}
