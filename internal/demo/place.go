package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"bourse/internal/disk"
)

// fileName is where programs find the demo, in the data directory.
const fileName = "demo.json"

// Place says where a world can be reached: addresses with their schemes, and what the operator
// signs in with.
type Place struct {
	REST, WS, Operator, Token string
	Pool                      string // where miners come in; "": nowhere
}

// record is what demo.json holds.
type record struct {
	REST     string     `json:"rest"`
	WS       string     `json:"ws"`
	Operator operator   `json:"operator"`
	Accounts []identity `json:"accounts"`
}

type operator struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// Save writes demo.json, for its owner's eyes only.
func (w *World) Save(p Place) error {
	data, err := json.MarshalIndent(record{p.REST, p.WS, operator{p.Operator, p.Token}, w.visitors}, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", fileName, err)
	}
	return disk.Replace(filepath.Join(w.dir, fileName), append(data, '\n'))
}

// Guests are the accounts that everybody who sees the demo may use, as demo.json has them.
func (w *World) Guests() []byte {
	text, err := json.Marshal(w.visitors)
	if err != nil {
		panic("demo: the guests cannot be written: " + err.Error()) // they are texts
	}
	return text
}

// ccxtLine runs with Node.js where ccxt is installed, from any shell that knows quotes.
const ccxtLine = `node -e "const x=new(require('ccxt').whitebit)({apiKey:'%s',secret:'%s'});` +
	`for(const v of Object.values(x.urls.api))for(const s in v)v[s]=v[s].replace(/^https:..[^/]+/,'%s');` +
	`x.createOrder('BTC/USDT','market','sell',0.01).then(o=>console.log(o.status,o.average))"`

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Banner says where to go, who one may be there, and what to try first.
func (w *World) Banner(out io.Writer, p Place) {
	markets, bots := counted(len(w.scenes), "market"), "makers and noise traders"
	futures := slices.ContainsFunc(w.scenes, func(s scene) bool { return s.future })
	if futures {
		markets, bots = markets+" with perpetual futures", "makers, noise traders and a gambler"
	}
	fmt.Fprintf(out, "A living exchange: %s, %s, and three accounts for you.\n", markets, bots)
	fmt.Fprintf(out, "Candles and trades of the time before its first start are synthetic.\n\n")
	line := func(name, text string) { fmt.Fprintf(out, "  %-9s %s\n", name, text) }
	line("REST", p.REST)
	line("WebSocket", p.WS)
	line("operator", p.Operator+"  token "+p.Token)
	if p.Pool != "" {
		line("miners", p.Pool+"  as "+miningName+".NAME")
	}
	fmt.Fprintln(out)
	for _, v := range w.visitors {
		line(v.Name, "key "+v.Key+"  secret "+v.Secret)
	}
	line("", "also in "+filepath.Join(w.dir, fileName))
	first := w.visitors[0]
	fmt.Fprintf(out, "\nTry:\n")
	line("curl", "curl -s '"+p.REST+"/api/v4/public/orderbook/BTC_USDT?limit=3'")
	if futures {
		line("futures", "curl -s '"+p.REST+"/api/v4/public/futures'")
	}
	line("ccxt", fmt.Sprintf(ccxtLine, first.Key, first.Secret, p.REST))
	line("browser", p.REST+"/docs")
}
