package conform

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheDocumentBites: what is not described is found, in answers and in requests that were done.
func TestTheDocumentBites(t *testing.T) {
	const (
		balance = "/api/v4/trade-account/balance"
		book    = "/api/v4/public/orderbook/BTC_USDT"
		kline   = "/api/v1/public/kline"
		signed  = `{"request":"/api/v4/trade-account/balance","nonce":7}`
	)
	for _, c := range []struct {
		what, method, target, request string
		status                        int
		body                          string
		good                          bool
	}{
		{"an answer", "POST", balance, signed, 200, `{"BTC":{"available":"1","freeze":"0"}}`, true},
		{"a member more", "POST", balance, signed, 200, `{"BTC":{"available":"1","freeze":"0","held":"0"}}`, false},
		{"a member less", "POST", balance, signed, 200, `{"BTC":{"available":"1"}}`, false},
		{"a number that is none", "POST", balance, signed, 200, `{"BTC":{"available":"1.50","freeze":"0"}}`, false},
		{"a request that it does not allow", "POST", balance, `{"request":"/api/v4/trade-account/balance"}`, 200, `{}`, false},
		{"an error", "POST", balance, signed, 422, `{"code":30,"message":"Validation failed","errors":{"ticker":["x"]}}`, true},
		{"a code that it does not have", "POST", balance, signed, 422, `{"code":31,"message":"Validation failed","errors":{"ticker":["x"]}}`, false},
		{"an error of another form", "POST", balance, signed, 422, `{"success":false,"message":"x","errors":[]}`, false},
		{"a status that it does not have", "POST", balance, signed, 418, `{"code":0,"message":"x","errors":{}}`, false},
		{"a body that is not JSON", "POST", balance, signed, 503, `down`, false},
		{"another method", "GET", balance, "", 405, `{"code":0,"message":"x","errors":{}}`, true},
		{"another method that was done", "GET", balance, "", 200, `{}`, false},
		{"a path that is not there", "GET", "/api/v1/none", "", 404, `{"success":false,"message":"x","params":[]}`, true},
		{"a path that is not there, in another form", "GET", "/api/v4/public/none", "", 404, `{"success":false,"message":"x","params":[]}`, false},
		{"a book", "GET", book + "?limit=1", "", 200, `{"ticker_id":"BTC_USDT","timestamp":1,"asks":[["1","2"]],"bids":[]}`, true},
		{"a level of three", "GET", book + "?limit=1", "", 200, `{"ticker_id":"BTC_USDT","timestamp":1,"asks":[["1","2","3"]],"bids":[]}`, false},
		{"a field beside an error", "GET", book, "", 422, `{"success":false,"message":"x","errors":["x"],"market":["x"]}`, true},
		{"candles", "GET", kline + "?market=A_B&limit=5", "", 200, `{"success":true,"message":null,"result":[[1,"1","1","1","1","1","1"]]}`, true},
		{"a limit that it does not allow", "GET", kline + "?market=A_B&limit=0", "", 200, `{"success":true,"message":null,"result":[]}`, false},
		{"an error about candles", "GET", kline, "", 200, `{"success":false,"message":{"market":["x"]},"result":null}`, true},
	} {
		err := described().holds(c.method, c.target, []byte(c.request), Reply{c.status, http.Header{}, c.body})
		if (err == nil) != c.good {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestEveryOperationIsFound by its path, as the program finds it.
func TestEveryOperationIsFound(t *testing.T) {
	for _, o := range append(operationsOf(true), operationsOf(false)...) {
		if found := operation(strings.Replace(o.Path, "{market}", "BTC_USDT", 1)); found == nil || found.Path != o.Path {
			t.Errorf("%s is not found", o.Path)
		}
	}
}
