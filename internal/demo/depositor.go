package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"bourse/internal/fixed"
)

// depositor is somebody who brings money in and takes it out again, for no reason: the history of the exchange has deposits that confirm
// and withdrawals that leave while one watches. What it has of an asset came from the faucet, so much at a time, and when that is enough
// to withdraw, all of it leaves: there is never more than that, and a withdrawal that happened cannot be covered twice.
type depositor struct {
	client *client
	chance *rand.Rand
}

// habit is what the depositor does with an asset.
type habit struct {
	ticker        string
	piece         fixed.Decimal // that it takes from the faucet at a time: what it takes in a day is within the faucet's limit
	enough        fixed.Decimal // to withdraw
	address, memo string        // outside
}

// The addresses are examples of the documents of their networks, and nobody's here.
const (
	outsideBTC = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
	outsideEVM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	outsideXRP = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
)

var (
	inUSDT = habit{"USDT", fixed.FromInt(15), fixed.FromInt(30), outsideEVM, ""}
	inXRP  = habit{"XRP", fixed.FromUnits(75, 1), fixed.FromInt(15), outsideXRP, "1001"}
	inBTC  = habit{"BTC", fixed.FromUnits(2, 4), fixed.FromUnits(8, 4), outsideBTC, ""}
	inETH  = habit{"ETH", fixed.FromUnits(5, 3), fixed.FromUnits(15, 3), outsideEVM, ""}

	// habits are what it chooses from, the more usual ones twice.
	habits = []*habit{&inUSDT, &inXRP, &inBTC, &inUSDT, &inXRP, &inETH}
)

// Between two acts. With a pause of half a minute on the average the log grows by a few commands in it, and by the blocks that are
// waited for.
const (
	depositPauseMin = 20 * time.Second
	depositPauseMax = 40 * time.Second
)

// live acts until the context ends.
func (d *depositor) live(ctx context.Context, log *slog.Logger) {
	act := func(ctx context.Context) error { return d.act(ctx, habits[d.chance.IntN(len(habits))]) }
	for persist(ctx, log, d.client.name, act) && wait(ctx, depositPauseMin+time.Duration(d.chance.Int64N(int64(depositPauseMax-depositPauseMin)))) {
	}
}

// act goes on with one asset: nothing while money of it is under way, a withdrawal if there is enough for one, a deposit otherwise.
func (d *depositor) act(ctx context.Context, h *habit) error {
	if open, err := d.underWay(ctx, h.ticker); open || err != nil {
		return err
	}
	var have map[string]struct {
		Main decimal `json:"main_balance"`
	}
	if err := d.client.post(ctx, "/api/v4/main-account/balance", fields{"ticker": h.ticker}, &have); err != nil {
		return err
	}
	if money := have[h.ticker].Main.Decimal; money.Cmp(h.enough) >= 0 {
		return d.withdraw(ctx, h, money)
	}
	return d.deposit(ctx, h)
}

// waiting are the statuses of deposits and withdrawals that are not at their end.
var waiting = []int{1, 2, 10, 15, 21}

// underWay reports whether a deposit or a withdrawal of an asset is not at its end: blocks may be late, or an operator looks at it.
func (d *depositor) underWay(ctx context.Context, ticker string) (bool, error) {
	var page struct {
		Total int `json:"total"`
	}
	err := d.client.post(ctx, "/api/v4/main-account/history", fields{"ticker": ticker, "status": waiting, "limit": 1}, &page)
	return page.Total > 0, err
}

// deposit takes a piece from the faucet. One that has nothing for it has something on another day.
func (d *depositor) deposit(ctx context.Context, h *habit) error {
	var taken struct{}
	err := d.client.post(ctx, "/api/v4/sandbox/faucet", fields{"ticker": h.ticker, "amount": h.piece.String()}, &taken)
	var no *refused
	if errors.As(err, &no) && no.status == http.StatusUnprocessableEntity {
		return nil
	}
	return err
}

// withdraw sends an amount away. The id is of the moment, and no other withdrawal of the account has it.
func (d *depositor) withdraw(ctx context.Context, h *habit, amount fixed.Decimal) error {
	f := fields{"ticker": h.ticker, "amount": amount.String(), "address": h.address, "uniqueId": fmt.Sprintf("demo-%d", time.Now().UnixMicro())}
	if h.memo != "" {
		f["memo"] = h.memo
	}
	var none []any
	return d.client.post(ctx, "/api/v4/main-account/withdraw", f, &none)
}
