package collateral

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"bourse/internal/api"
	"bourse/internal/history"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// lender is a store with so many loans, the newest first as stores answer.
type lender struct {
	history.Store
	loans int
}

func (l *lender) Page(_ context.Context, q *history.Query) (page []history.Record, _ error) {
	for i := l.loans; i > 0 && len(page) < q.Limit; i-- {
		opened := schema.Time(i) * schema.Second
		page = append(page, history.Record{Kind: history.Loans, Time: opened, Class: history.Repaid, Payload: &schema.LoanChanged{Asset: 1, Opened: opened}})
	}
	return page, nil
}

// TestLoansOfAnAnswer: 10,000 loans are sorted for an answer, and no more.
func TestLoansOfAnAnswer(t *testing.T) {
	dir := t.TempDir()
	n, err := node.Open(t.Context(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	var result schema.Result
	err = n.Submit(t.Context(), &schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", Class: schema.Crypto, Scale: 8, Precision: 8}}, &result)
	if err != nil || result.Rejection.Refused() {
		t.Fatal(err, result.Rejection.Text())
	}
	store, err := history.OpenPebble(dir+"/history", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l := &lender{store, 10_000}
	past := history.Follow(n, l, history.Options{})
	t.Cleanup(func() {
		if err := errors.Join(past.Close(), n.Close()); err != nil {
			t.Error(err)
		}
	})
	c := &api.Call{API: api.New(n, nil, past, api.Options{}), Account: &schema.Account{ID: schema.FirstCustomer}, Context: t.Context()}
	answer, err := listBorrows(c, &borrows{limit: 1, offset: 9_999})
	want := `{"records":[{"asset":"USDT","amount":"0","principal":"0","interest":"0","status":"repaid","timestamp":10000}],"limit":1,"offset":9999}`
	if err != nil || string(answer.AppendTo(nil)) != want {
		t.Fatalf("%s, %v, want %s", answer.AppendTo(nil), err, want)
	}
	l.loans++
	_, err = listBorrows(c, &borrows{limit: 1})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Status != 422 || refused.Code != 30 || refused.Fields[0].Field != "startTime" {
		t.Errorf("10,001 loans: %v", err)
	}
}
