package ws

import (
	"cmp"
	"time"

	"bourse/internal/api"
	"bourse/internal/core"
	margin "bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const borrowsRight = "/api/v4/collateral-account/borrow-history"

// openBorrow is a loan that is not repaid.
type openBorrow struct {
	margin.Loan
	ticker string
}

// changed is as much as the state knows of the last change: interest is counted by the minute.
func (b *openBorrow) changed() schema.Time { return max(b.Opened, b.Counted) }

func (b *openBorrow) owed() fixed.Decimal { return b.Principal.Add(b.Interest).Add(b.Accrued) }

var borrowEncoder = api.Encode("MarginBorrow", "A loan that is not repaid.",
	api.StringField("asset", "Borrowed asset.", func(b *openBorrow) string { return b.ticker }),
	api.TimestampField("ctime", "Time at which the loan began.", func(b *openBorrow) schema.Time { return b.Opened }),
	api.TimestampField("mtime", "The minute to which interest is counted, or ctime if that is later.", (*openBorrow).changed),
	api.DecimalField("amount", "What is owed with interest, negative.", func(b *openBorrow) fixed.Decimal { return b.owed().Neg() }),
	api.DecimalField("unrealized_funding", "The part of amount that is interest which was not charged yet.", func(b *openBorrow) fixed.Decimal { return b.Accrued }),
	api.ConstantField[openBorrow]("liq_price", api.Decimal, "Always 0: it is known of positions alone.", `"0"`))

const borrowExample = `{"asset":"USDT","ctime":1790000000.000000,"mtime":1790000040.000000,"amount":"-525.000875","unrealized_funding":"0.000875","liq_price":"0"}`

var borrowList = &listKind{
	channel: "borrowsMargin", right: borrowsRight, pause: 1500 * time.Millisecond,
	all:  listOf("MarginBorrows", "All loans that are not repaid, by asset.", borrowEncoder.Schema()),
	read: (*Server).openBorrows,
}

var borrowMethods = listMethods(
	borrowList, func(s *Server) *list { return s.personal.borrows },
	"Borrows", "What the account has borrowed and not repaid. A loss, a fee or funding that the account cannot pay at once is borrowed.",
	"Pushes all loans at once, and then every one and a half seconds if anything about them changed.",
	`{"total":1,"records":[`+borrowExample+`]}`,
)

// openBorrows are those of an account.
func (s *Server) openBorrows(account schema.AccountID) *records {
	var open []margin.Loan
	s.options.Node.Read(func(m core.View) { open = m.Collateral().Loans(account) })
	d := s.options.API.Directory()
	return &records{n: len(open), one: func(dst []byte, i int) []byte {
		return borrowEncoder.Append(dst, &openBorrow{open[i], d.Ticker(open[i].Asset)})
	}}
}

var borrowAlerts = &alertKind[schema.LoanChanged]{
	channel: "borrowsAccountMargin", right: borrowsRight,
	open: func(m core.View, account schema.AccountID) (list []schema.LoanChanged) {
		for _, l := range m.Collateral().Loans(account) {
			list = append(list, schema.LoanChanged{Account: account, Asset: l.Asset, Principal: l.Principal, Interest: l.Interest, Cost: l.Cost, Opened: l.Opened})
		}
		return list
	},
	changed: func(event schema.Event) (*schema.LoanChanged, schema.AccountID, bool) {
		if e, is := event.(*schema.LoanChanged); is {
			return e, e.Account, e.Principal.IsZero() && e.Interest.IsZero()
		}
		return nil, 0, false
	},
	order: func(a, b schema.LoanChanged) int { return cmp.Compare(a.Asset, b.Asset) },
	put:   (*Server).borrowsAtRisk,
}

var borrowAlertMethods = alertMethods(
	borrowAlerts, func(s *Server) *alerts[schema.LoanChanged] { return s.personal.borrowAlerts },
	"Borrow alerts", "Margin calls and liquidations of the account, for each of its loans.",
	"The margin of the account came to a margin call or to liquidation: one push for each loan, by asset. It is as it was before liquidation repaid anything.",
	borrowEncoder.Schema(), borrowExample,
)

// borrowsAtRisk are loans of an account whose risk changed. What liquidation has changed since then was charged before with the
// interest that was due; of a loan that it brought to its end that is not known any more.
func (s *Server) borrowsAtRisk(e *schema.RiskChanged, open []schema.LoanChanged) *records {
	var now []margin.Loan
	s.options.Node.Read(func(m core.View) { now = m.Collateral().Loans(e.Account) })
	d := s.options.API.Directory()
	return &records{n: len(open), one: func(dst []byte, i int) []byte {
		was := &open[i]
		b := openBorrow{ticker: d.Ticker(was.Asset)}
		b.Principal, b.Interest, b.Opened = was.Principal, was.Interest, was.Opened
		for _, l := range now {
			if l.Asset == was.Asset && l.Opened == was.Opened {
				b.Accrued, b.Counted = l.Accrued.Add(l.Cost.Sub(was.Cost)), l.Counted
			}
		}
		return borrowEncoder.Append(dst, &b)
	}}
}
