package conform

import (
	"strings"
	"testing"
)

const socketWorld = `{"assets":[{"ticker":"BTC","class":"crypto","scale":18,"precision":8,"can_deposit":true,"can_withdraw":true},
	{"ticker":"USDT","class":"crypto","scale":18,"precision":6,"can_deposit":true,"can_withdraw":true}],
	"markets":[{"name":"BTC_USDT","type":"spot","stock_prec":6,"money_prec":2,"fee_prec":8,"maker_fee":"0.1","taker_fee":"0.1","enabled":true}],
	"accounts":[{"name":"alice","region":"global","keys":[{"key":"alice","secret":"a","enabled":true}],"deposits":{"BTC":"100","USDT":"1000000"},"trade":{"BTC":"10","USDT":"100000"}},
	{"name":"bob","region":"global","keys":[{"key":"bob","secret":"b","enabled":true}],"deposits":{"BTC":"100","USDT":"1000000"},"trade":{"BTC":"10","USDT":"100000"}}]}`

func TestSocketServices(t *testing.T) {
	v := Inside(t, socketWorld, nil)
	s := v.Socket()
	if got := s.Must("ping"); got != `"pong"` {
		t.Errorf("ping: %s", got)
	}
	s.Refused(4, "method not found", "nope")
	s.Refused(11, "invalid token", "authorize", "nonsense", "public")
	s.Refused(1, "invalid argument", "authorize")
	if v.Client("alice", "a").Authorized().Must("ping") != `"pong"` {
		t.Error("an authorized socket does not answer")
	}
	for _, c := range []struct{ sent, want string }{
		{`{"id":0,"method":"ping","params":[]}`, `{"error":null,"result":"pong","id":0}`},
		{`{"id":9007199254740993,"method":"ping"}`, `{"error":null,"result":"pong","id":9007199254740993}`},
		{`{"id":"a\"b","method":"ping","params":null}`, `{"error":null,"result":"pong","id":"a\"b"}`},
		{`{"method":"ping","params":[]}`, `{"error":null,"result":"pong","id":null}`},
		{`{"id":5,"method":7}`, `{"error":{"code":1,"message":"invalid argument"},"result":null,"id":5}`},
		{`{"id":5,"method":"ping","params":{}}`, `{"error":{"code":1,"message":"invalid argument"},"result":null,"id":5}`},
		{`[1]`, `{"error":{"code":1,"message":"invalid argument"},"result":null,"id":null}`},
	} {
		s.Send(c.sent)
		if got := s.Next(); got != c.want {
			t.Errorf("%s: %s, want %s", c.sent, got, c.want)
		}
	}
	if got := s.Must("time"); strings.Trim(got, "0123456789") != "" {
		t.Errorf("time: %s", got)
	}
}
