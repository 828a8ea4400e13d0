package conform

import (
	"encoding/json"
	"strings"
	"testing"

	"bourse/internal/ws"
)

// TestTheFramesBite: what is not described is found, in frames and in requests that were done.
func TestTheFramesBite(t *testing.T) {
	for _, c := range []struct {
		what, request, frame string
		good                 bool
	}{
		{"an answer", `{"id":1,"method":"ping"}`, `{"error":null,"result":"pong","id":1}`, true},
		{"another answer", `{"id":1,"method":"ping"}`, `{"error":null,"result":"peng","id":1}`, false},
		{"the answer to another", `{"id":2,"method":"time"}`, `{"error":null,"result":1790000000,"id":1}`, false},
		{"an error", `{"id":1,"method":"depth_request"}`, `{"error":{"code":1,"message":"x"},"result":null,"id":1}`, true},
		{"an error of another method", `{"id":1,"method":"depth_request"}`, `{"error":{"code":10,"message":"x"},"result":null,"id":1}`, false},
		{"a request that is not allowed", `{"id":1,"method":"lastprice_request","params":[7]}`, `{"error":null,"result":"1","id":1}`, false},
		{"a push", ``, `{"method":"lastprice_update","params":["A_B","1"],"id":null}`, true},
		{"a push that is not described", ``, `{"method":"price_update","params":["A_B","1"],"id":null}`, false},
		{"a method that is not there", `{"id":1,"method":"nope"}`, `{"error":{"code":4,"message":"method not found"},"result":null,"id":1}`, true},
	} {
		var a asked
		a.note(c.request)
		if err := a.holds(c.frame); (err == nil) != c.good {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestSocketExamples sends the example of every method. What can be done at any exchange is done, and
// every answer follows the document, as all frames do that a test gets.
func TestSocketExamples(t *testing.T) {
	p := privateOpen(t)
	s := p.alice.Authorized()
	for _, m := range ws.Methods() {
		if m.Kind == ws.Push {
			continue
		}
		var params []any
		d := json.NewDecoder(strings.NewReader(m.Example.Params))
		d.UseNumber()
		if err := d.Decode(&params); err != nil {
			t.Fatal(err)
		}
		a := s.Ask(m.Name, params...)
		switch {
		case m.Group.Name == "orders" || m.Group.Name == "collateralOrders": // whether they are done depends on the book
		case m.Name == "authorize":
			if a.Error == nil || a.Error.Code != 11 {
				t.Errorf("%s with a token that is none: %s", m.Name, a.Result)
			}
		case a.Error != nil:
			t.Errorf("%s %s: %+v", m.Name, m.Example.Params, a.Error)
		}
	}
}
