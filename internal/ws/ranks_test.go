package ws

import (
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/setup"
)

// aFuture is what a small exchange needs for two to have positions.
const aFuture = `{"markets":[{"name":"BTC_PERP","type":"futures","stock_prec":4,"money_prec":2,"fee_prec":4,"enabled":true}],
	"accounts":[{"name":"bob","region":"global"}]}`

// Ranks come at once and every half minute, as they are then.
func TestRanksArePushedEveryHalfMinute(t *testing.T) {
	s, c, client := aServer(t)
	file, err := setup.Read(strings.NewReader(aFuture))
	if err == nil {
		err = file.Apply(t.Context(), s.options.Node)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !c.handle([]byte(`{"id":1,"method":"ADLQuantile_subscribe","params":[]}`)) {
		t.Fatal("the connection ended")
	}
	subscribed := time.Now()
	none, one := `{"method":"ADLQuantile_update","params":[],"id":null}`, `{"method":"ADLQuantile_update","params":[["BTC_PERP",4,null]],"id":null}`
	for _, want := range []string{`{"error":null,"result":{"status":"success"},"id":1}`, none} {
		if got := reads(t, client); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	r := s.personal.ranks
	mark := func(text string) { c.send(frame(ws.OpText, []byte(text))) }
	r.tick(subscribed.Add(29 * time.Second))
	mark("29")
	r.tick(subscribed.Add(30 * time.Second))
	mark("30")
	r.tick(subscribed.Add(59 * time.Second))
	mark("59")

	d := s.options.API.Directory()
	perp, usdt := d.Market("BTC_PERP").ID, d.Asset("USDT").ID
	commands := []schema.Command{&schema.SetIndex{Market: perp, Price: fixed.FromInt(50_000)}}
	for i, side := range []schema.Side{schema.Buy, schema.Sell} {
		account := c.may("").ID + schema.AccountID(i)
		commands = append(commands,
			&schema.Deposit{Account: account, Asset: usdt, Amount: fixed.FromInt(10_000)},
			&schema.Transfer{Account: account, Asset: usdt, Amount: fixed.FromInt(10_000), From: schema.Main, To: schema.Collateral},
			&schema.PlaceOrder{Account: account, Order: schema.OrderRequest{
				Market: perp, Type: schema.Limit, Side: side, Amount: fixed.FromUnits(5, 1), Price: fixed.FromInt(50_000), Collateral: true,
			}})
	}
	for _, command := range commands {
		var result schema.Result
		if err := s.options.Node.Submit(t.Context(), command, &result); err != nil || result.Rejection.Refused() {
			t.Fatalf("%T: %v %s", command, err, result.Rejection.Text())
		}
	}
	r.tick(subscribed.Add(60 * time.Second))
	r.private.leave(c)
	r.tick(subscribed.Add(90 * time.Second))
	mark("the end")
	for _, want := range []string{"29", none, "30", "59", one, "the end"} {
		if got := reads(t, client); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
