package conform

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestGateFigures asks the real program for its figures after requests whose number is known.
func TestGateFigures(t *testing.T) {
	v := Start(t, `{"assets":[],"markets":[],"accounts":[{"name":"alice","region":"global","keys":[{"key":"k","secret":"s","enabled":true}]}]}`)
	for range 3 {
		v.Get("/api/v4/public/ping")
	}
	v.Get("/nowhere")
	v.Client("k", "s").Post("/api/v4/order/new", Fields{"market": "X_Y", "side": "buy", "amount": "1", "price": "1"})
	v.Client("k", "wrong").Post("/api/v4/orders", nil)

	response, err := http.Get(v.Operators + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`bourse_http_requests_total{operation="/api/v4/public/ping",status="200"} 3`,
		`bourse_http_requests_total{operation="",status="404"} 1`,
		`bourse_http_requests_total{operation="/api/v4/order/new",status="422"} 1`,
		`bourse_http_refusals_total{code="31",operation="/api/v4/order/new"} 1`,
		`bourse_http_refusals_total{code="10",operation="/api/v4/orders"} 1`,
		`bourse_http_request_seconds_count{operation="/api/v4/public/ping"} 3`,
		`bourse_commands_total{command="SetAccount"} 1`, `bourse_refusals_total{reason="MarketUnavailable"} 0`,
		`bourse_commands_waiting 0`, `bourse_journal_store_seconds_count `, `bourse_journal_bytes_total `, `bourse_journal_batch_commands_count `,
		`bourse_http_connections 1`, `bourse_marketdata_lag_batches `, `bourse_history_lag_batches `, `bourse_batches_applied `, `go_goroutines `,
	} {
		if !strings.Contains(string(text), "\n"+want) {
			t.Errorf("%s is not among the figures", want)
		}
	}
	if reply := v.Get("/metrics"); reply.Status != 404 {
		t.Errorf("the API shows figures to everybody: %d", reply.Status)
	}
}
