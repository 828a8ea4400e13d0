package collateral

import (
	"cmp"
	"slices"
	"strings"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/history"
	"bourse/internal/schema"
)

// borrows asks for loans.
type borrows struct {
	asset         string
	span          span
	limit, offset int
}

func (q *borrows) Read(f *api.Form) {
	name, s := f.Text("asset")
	if s == api.Malformed {
		f.Fail(400, 30, "asset", "Asset field should be a string.")
	}
	q.asset = name
	q.span = readSpan(f, "startTime", "endTime", ofPast)
	q.limit, q.offset = f.Page(100, 100, api.MaxOffset, ofPast)
}

// borrowsInWindow is how many loans a window may have: they are sorted for an answer.
const borrowsInWindow = 10_000

var (
	noBorrowAsset    = api.NewError(400, 30, api.ValidationFailed, "asset", "Asset is not available.")
	borrowsBackwards = api.NewError(400, 30, api.ValidationFailed, "endTime", "EndTime should be greater than startTime.")
	tooManyBorrows   = api.NewError(422, 30, api.ValidationFailed, "startTime", "There are more than 10000 loans in this time; choose a shorter one.")
)

// borrow is a loan.
type borrow struct {
	asset  string
	owed   fixed.Decimal
	status history.Class
	*schema.LoanChanged
}

// borrowPage is a part of the loans of an account.
type borrowPage struct {
	records       []borrow
	limit, offset int
}

var borrowWords = []string{"active", "repaid", "liquidated"}

var (
	borrowEncoder = api.Encode("Borrow", "A loan from its beginning to its end.",
		api.StringField("asset", "Borrowed asset.", func(b *borrow) string { return b.asset }),
		api.DecimalField("amount", "The most that was owed, interest included.", func(b *borrow) fixed.Decimal { return b.owed }),
		api.DecimalField("principal", "The most that was borrowed, without interest.", func(b *borrow) fixed.Decimal { return b.MostLent }),
		api.DecimalField("interest", "Interest that was charged.", func(b *borrow) fixed.Decimal { return b.Cost }),
		api.EnumField("status", borrowWords, "liquidated: liquidation or the insurance fund paid the last of it; repaid: it was paid otherwise.", func(b *borrow) string {
			return borrowWords[b.status-history.Active]
		}),
		api.SecondsField("timestamp", "Time at which the loan began.", func(b *borrow) schema.Time { return b.Opened }))
	borrowPageEncoder = api.Encode("BorrowPage", "A page of loans.",
		api.ArrayField("records", borrowEncoder, "Loans, the oldest first.", func(p *borrowPage) []borrow { return p.records }),
		api.IntegerField("limit", "As requested.", func(p *borrowPage) int64 { return int64(p.limit) }),
		api.IntegerField("offset", "As requested.", func(p *borrowPage) int64 { return int64(p.offset) }))
)

var aboutBorrows = &api.About{
	Summary: "List loans",
	Text: "One record for each loan, by the time at which it began, then asset, the oldest first. amount, principal and interest are each at " +
		"their highest: amount need not be the sum of the others. At most 10,000 loans may be in the time that is asked for.",
	Parameters: map[string]string{
		"asset":     "Return only loans of this asset.",
		"startTime": "Return loans that began at or after this Unix time in seconds.",
		"endTime":   "Return loans that began at or before this Unix time in seconds. Defaults to now; it must be after startTime.",
	},
	Response: borrowPageEncoder.Schema(),
	Faults:   []*api.Error{noBorrowAsset, borrowsBackwards, tooManyBorrows},
}

func listBorrows(c *api.Call, q *borrows) (api.Answer, error) {
	query := &history.Query{Kind: history.Loans, From: q.span.from, To: q.span.to, Limit: borrowsInWindow + 1}
	if q.asset != "" {
		asset := c.Directory().Asset(q.asset)
		if asset == nil {
			return nil, noBorrowAsset
		}
		query.Asset = asset.ID
	}
	if end := cmp.Or(q.span.to, c.API.Now()) / schema.Second; end <= q.span.from/schema.Second {
		return nil, borrowsBackwards
	}
	records, err := c.Past(query)
	if err != nil {
		return nil, err
	}
	if len(records) > borrowsInWindow {
		return nil, tooManyBorrows
	}
	list := make([]borrow, len(records))
	for i := range records {
		e := records[i].Payload.(*schema.LoanChanged)
		list[i] = borrow{c.Directory().Ticker(e.Asset), e.MostOwed, records[i].Class, e}
	}
	slices.SortFunc(list, func(a, b borrow) int {
		return cmp.Or(cmp.Compare(a.Opened, b.Opened), strings.Compare(a.asset, b.asset))
	})
	list = list[min(q.offset, len(list)):]
	list = list[:min(q.limit, len(list))]
	accrue(c, list)
	return borrowPageEncoder.Answer(&borrowPage{list, q.limit, q.offset}), nil
}

// accrue brings loans that are not repaid up to now: interest is owed before it is charged.
func accrue(c *api.Call, loans []borrow) {
	c.API.Read(func(m core.View) {
		for i := range loans {
			if l := &loans[i]; l.status == history.Active {
				l.owed = fixed.MaxOf(l.owed, m.Collateral().Balance(c.Account.ID, l.Asset).Owed)
			}
		}
	})
}
