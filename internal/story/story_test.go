package story

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bourse/internal/core"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the transcripts in testdata with what happens now")

// A transcript that is up to date tells itself again: what the lines make happen is what stands
// below them.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in testdata (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			first := told(t, file, text, verify)
			compare(t, file, first)
			if again := told(t, file, text, restart); again != first {
				t.Errorf("an exchange that is restored from its snapshot after every line went another way:\n%s", diff(first, again))
			}
		})
	}
}

// compare checks what was told against a file, or rewrites the file.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the story went another way (- what stands in %s, + what happened now):\n%s", file, diff(string(want), got))
	}
}

// restart lets the story go on with an exchange that was made from a snapshot.
func restart(m *core.Machine) (*core.Machine, error) { return core.Restore(m.Snapshot()) }

func told(t *testing.T, name, text string, between func(*core.Machine) (*core.Machine, error)) string {
	t.Helper()
	var b bytes.Buffer
	if err := run(&b, name, text, between); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return b.String()
}

// diff shows the lines that differ, by number, between the longest equal beginning and end.
func diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var s strings.Builder
	for i := max(0, head-3); i < head; i++ {
		fmt.Fprintf(&s, "%4d   %s\n", i+1, a[i])
	}
	for i := head; i < len(a)-tail; i++ {
		fmt.Fprintf(&s, "%4d - %s\n", i+1, a[i])
	}
	for i := head; i < len(b)-tail; i++ {
		fmt.Fprintf(&s, "%4d + %s\n", i+1, b[i])
	}
	return s.String()
}

// The tour runs to its end, the same every time. Its hash is not compared: it changes whenever
// the exchange keeps something new in its state.
func TestDefault(t *testing.T) {
	hash := regexp.MustCompile(`(?m)^    [0-9a-f]{64}$`)
	first := told(t, "session.txt", Default(), verify)
	if again := told(t, "session.txt", Default(), restart); again != first {
		t.Errorf("the tour goes another way on an exchange that is restored after every line:\n%s", diff(first, again))
	}
	if !hash.MatchString(first) {
		t.Error("the tour does not show the hash of the state")
	}
	compare(t, "testdata/tour/session.txt", hash.ReplaceAllString(first, "    (hash)"))
}

// What is wrong with a line is said with its number and with what would be right.
func TestMalformedLines(t *testing.T) {
	const setting = "asset BTC\nasset USDT\nmarket BTC_USDT prices 2 amounts 3\naccount alice\n"
	for _, c := range []struct{ line, want string }{
		{"bob buys 1 BTC_USDT @ 100", `story:5: "bob" is neither a command nor an account; accounts are opened by: account bob`},
		{"alice dances", `story:5: a trader arms, buys, cancels, closes, disarms, modifies, places, protects, sells, spends, uses`},
		{"alice buys", "story:5: an amount is missing; write: " + formOrder},
		{"alice buys one BTC_USDT @ 100", `story:5: an amount: "one" is not a decimal number: write digits, optionally with '-' in front and '.' and more digits behind, such as "-12.5"; write: ` + formOrder},
		{"alice buys 1 BTC_USDT 100", `story:5: "@" is missing before "100"; write: ` + formOrder},
		{"alice buys 1 BTC_USDT @ bbo", `story:5: a role is bbo1 or bbo2, not "bbo"; write: ` + formOrder},
		{"alice buys 1 BTC_USDT @ 100 fok", `story:5: "fok" is not a flag of orders; write: ` + formOrder},
		{"alice buys 1 BTC_USDT at market", "story:5: a buy at the market counts what it spends (alice spends 100 USDT on BTC_USDT) unless it is at stock market; write: " + formOrder},
		{"alice spends 1 BTC on BTC_USDT", "story:5: on BTC_USDT one spends USDT; write: alice spends 100 USDT on BTC_USDT [once 104] [stp=cn] [id=my-1]"},
		{"alice places together:\n- buys 1 BTC_USDT @ 1\n- lends 1 BTC_USDT @ 1", `story:7: an item begins with buys, sells or spends, not "lends"; write: alice places together [stop on failure]: and below it lines like "- buys 1 BTC_USDT @ 100"`},
		{"alice modifies 1 on BTC_USDT side sell", `story:5: "side" cannot be modified; write: alice modifies 3 on BTC_USDT [price 101] [amount 2] [total 50] [trigger 99] [stp=cb]`},
		{"alice arms kill switch on BTC_USDT 0s", `story:5: a timer of no time is none; alice disarms kill switch on BTC_USDT; write: alice arms kill switch on BTC_USDT 10s [for spot margin]`},
		{"alice arms kill switch on BTC_USDT soon", `story:5: a timeout is a duration such as 10s or 1h30m, not "soon"; write: alice arms kill switch on BTC_USDT 10s [for spot margin]`},
		{"alice cancels all for cash", `story:5: orders are spot, margin or futures, not "cash"; write: alice cancels 3 on BTC_USDT, or my-1 on BTC_USDT, or bulk 1 2 my-3 on BTC_USDT, or all [on BTC_USDT] [for spot margin], or group 3 on BTC_PERP, or oco (or oto) my-1 on BTC_PERP`},
		{"at noon", `story:5: a time is written like 2026-10-01T12:00:00Z, or +10s for ten seconds from now, not "noon"; write: at 2026-10-01T12:00:00Z`},
		{"tick tock", `story:5: "tock" is not understood; write: ` + operatorVerbs["tick"].form},
		{"tick every 0s for 5m", "story:5: between two ticks is more than no time; write: tick, or tick every 5s for 5m"},
		{"tick every 5s", `story:5: "for" is missing before ""; write: tick, or tick every 5s for 5m`},
		{"market BTC_PERP leverage ten", `story:5: a leverage is a small whole number, not "ten"; write: ` + operatorVerbs["market"].form},
		{"market BTC_PERP funding 90s", `story:5: an interval is in whole minutes, not "90s"; write: ` + operatorVerbs["market"].form},
		{"market BTC_PERP lever 10", `story:5: "lever" is not a setting of markets; write: ` + operatorVerbs["market"].form},
		{"collateral BTC haircut 0.05", `story:5: "haircut" is not a setting of collateral; write: ` + operatorVerbs["collateral"].form},
		{"fund alice 1 BTC", `story:5: what is funded is insurance or lending, not "alice"; write: ` + operatorVerbs["fund"].form},
		{"index BTC_USDT 100 source me", `story:5: a source is a small whole number, not "me"; write: index BTC_USDT 100 [source 3]`},
		{"alice uses hope", `story:5: "one-way mode" is missing before "hope"; write: alice uses leverage 20, or hedge mode, or one-way mode`},
		{"alice closes BTC_USDT now", `story:5: "now" is not understood; write: alice closes BTC_PERP [long] [short]`},
		{"alice sells 1 BTC_PERP @ 110 or 94", `story:5: "@" is missing before "94"; write: ` + formOrder},
		{"alice sells 1 BTC_PERP @ bbo1 or @ 94 once 95", "story:5: the first order of an OCO has a price; write: " + formOrder},
		{"alice sells 1 BTC_PERP @ 110 or @ 94 once 95 ioc", `story:5: "ioc" is not a flag of an OCO; write: ` + formOrder},
		{"alice buys 1 BTC_PERP @ 100 take profit", "story:5: the price of a take profit is missing; write: " + formOrder},
		{"alice protects BTC_PERP from harm", `story:5: "from" is not about a take profit or a stop loss; write: ` + traderVerbs["protects"].form},
		{"alice cancels oco 3", `story:5: "on" is missing before ""; write: ` + traderVerbs["cancels"].form},
		{"asset BTC precision lots", `story:5: precision is a number of decimals such as 8, not "lots"; write: asset BTC [precision 8] [scale 18]`},
		{"region alice mars", `story:5: a region is eu or global, not "mars"; write: region alice eu (or global)`},
		{"block bob", `story:5: there is no account "bob"; write: block alice`},
		{"close ETH_USDT", `story:5: there is no market "ETH_USDT"; write: close BTC_USDT`},
		{"transfer alice 1 BTC main to sock", `story:5: a wallet is main, trade, collateral or earn, not "sock"; write: transfer alice 10 BTC main to trade (or collateral)`},
		{"fee alice on BTC_USDT", `story:5: a fee is missing; write: fee alice on BTC_USDT maker 0.05 taker 0.07, or fee alice on BTC_USDT none`},
		{"allow alice partner", `story:5: accounts are allowed retail, rpi and tradfi, not "partner"; write: allow alice retail rpi tradfi`},
		{"show moon", `story:5: "moon" cannot be shown; write: ` + operatorVerbs["show"].form},
	} {
		var b bytes.Buffer
		err := Run(&b, "story", setting+c.line)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got: %v\nwant: %s", c.line, err, c.want)
		}
		if b.String() != setting+c.line+"\n" {
			t.Errorf("%s: the lines up to the wrong one are not repeated:\n%s", c.line, b.String())
		}
	}
}
