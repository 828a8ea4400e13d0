package main

import (
	"fmt"
	"net/http"
	"testing"
)

func TestOperatorVASPs(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("vasps", "list"), "no VASPs\n")
	d.prints(d.do("vasps", "set", "acme/eu", "Acme Exchange"), `
id    acme/eu
name  Acme Exchange
`)
	d.same(d.json("vasps", "set", "zeta", "Zeta"), parsed(t, `{"id":"zeta","name":"Zeta"}`))
	d.prints(d.do("vasps", "list"), `
id       name
acme/eu  Acme Exchange
zeta     Zeta
`)
	d.same(d.json("vasps", "list"), d.get("vasps"))
	d.do("vasps", "remove", "acme/eu")
	d.same(d.get("vasps"), parsed(t, `[{"id":"zeta","name":"Zeta"}]`))
	d.refuses(1, "VASP zeta: it has no name (name)", "vasps", "set", "zeta", "")
}

func TestOperatorTravel(t *testing.T) {
	asked := make(chan string, 1)
	args := stage(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.String()
		fmt.Fprintln(w, `{"walletType":"hosted","originator":{"type":"entity","fullName":"Boats Ltd"},"vasp":{"vaspId":"acme"}}`)
	})
	for what, path := range map[string]string{"deposit": "/v1/deposits/7/travel", "withdrawal": "/v1/withdrawals/7/travel"} {
		if got := good(t, "", append(args, "travel", what, "7")...); got != `{
  "walletType": "hosted",
  "originator": {
    "type": "entity",
    "fullName": "Boats Ltd"
  },
  "vasp": {
    "vaspId": "acme"
  }
}
` {
			t.Errorf("travel %s printed %s", what, got)
		}
		if got := <-asked; got != "GET "+path {
			t.Errorf("asked %s", got)
		}
	}
	d := openDesk(t)
	d.refuses(1, `nothing was said about the people behind deposit "7"`, "travel", "deposit", "7")
	d.refuses(1, `nothing was said about the people behind withdrawal "7"`, "travel", "withdrawal", "7")
	d.prints(d.do("deposits", "--status", "travel"), "no deposits\n")
	d.prints(d.do("deposits", "--status", "review"), "no deposits\n")
}
