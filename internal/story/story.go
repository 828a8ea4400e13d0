// Package story plays trading sessions: a text with one command per line, written so that a
// trader can read it, runs on a real exchange, and below each line stands what came of it.
//
// A line says what the operator does ("market BTC_USDT tick 0.5 …") or what a trader does
// ("alice buys 1 BTC_USDT @ 100 postonly"). '#' begins a comment. Lines that begin with four
// spaces are what an earlier run printed; they are skipped, so a transcript is itself a story,
// and one that is up to date is printed again byte for byte.
//
// What must hold: the same text gives the same transcript; the clock is the story's own; after
// each line every invariant of the exchange is checked.
package story

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"

	"bourse/internal/core"
	"bourse/internal/schema"
)

//go:embed session.txt
var session string

// Default is a tour of the exchange for a newcomer.
func Default() string { return session }

// Run plays a story: every line of text goes to w, and below it, indented, what came of it. It
// stops at the first line that it does not understand; the error names the line of the file.
// What the exchange refuses is not an error but part of the story.
func Run(w io.Writer, name, text string) error { return run(w, name, text, verify) }

// verify is what happens between two lines: nothing may be wrong with the exchange.
func verify(m *core.Machine) (*core.Machine, error) { return m, m.Verify() }

// dawn is when a story begins that does not say when: after the step rule came into force.
var dawn = micros(time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC))

func micros(t time.Time) schema.Time { return schema.Time(t.UnixMicro()) }

// indent marks what a line made happen.
const indent = "    "

// teller goes through a story.
type teller struct {
	machine *core.Machine
	now     schema.Time
	lines   []string
	at      int             // the line that is read next
	text    strings.Builder // what is to be printed of the present line
}

// run is Run with a choice of what happens between two lines.
func run(w io.Writer, name, text string, between func(*core.Machine) (*core.Machine, error)) error {
	t := &teller{machine: core.NewExchange(), now: dawn, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	for t.at < len(t.lines) {
		t.text.Reset()
		l := t.read()
		if l == nil {
			continue
		}
		t.tell(l)
		if _, err := io.WriteString(w, t.text.String()); err != nil {
			return err
		}
		if l.err != nil {
			return fmt.Errorf("%s:%d: %w", name, l.number, l.err)
		}
		var err error
		if t.machine, err = between(t.machine); err != nil {
			return fmt.Errorf("%s:%d: the exchange is not sound after this line: %w", name, l.number, err)
		}
	}
	return nil
}

// read takes the next line and repeats it, or returns nil for what an earlier run printed.
func (t *teller) read() *line {
	text := strings.TrimRight(t.lines[t.at], " \t\r")
	t.at++
	if strings.HasPrefix(text, indent) {
		return nil
	}
	t.text.WriteString(text + "\n")
	return &line{number: t.at, words: split(text)}
}

// tell lets happen what a line says.
func (t *teller) tell(l *line) {
	if !l.more() {
		return
	}
	first := l.next("a command")
	v, found := operatorVerbs[first]
	if !found {
		account := t.machine.Accounts().ByName(first)
		if account == nil {
			l.fail("%q is neither a command nor an account; accounts are opened by: account %s", first, first)
			return
		}
		if v, found = traderVerbs[l.next("what the trader does")]; !found {
			l.fail("a trader %s", choices(traderVerbs))
			return
		}
		l.trader = account.ID
	}
	v.do(t, l)
	if l.err != nil {
		l.err = fmt.Errorf("%w; write: %s", l.err, v.form)
	}
}

// apply lets a command happen now and prints what came of it.
func (t *teller) apply(l *line, cmd schema.Command) {
	if l.finished() {
		t.report(t.machine.Apply(t.now, cmd))
	}
}

// set applies a command that says all there is to see itself; only its refusal is printed.
func (t *teller) set(l *line, cmd schema.Command) bool {
	if !l.finished() {
		return false
	}
	r := t.machine.Apply(t.now, cmd).Result.Rejection
	if r.Refused() {
		t.refuse("", r)
	}
	return !r.Refused()
}

// say prints a line below the present one.
func (t *teller) say(format string, args ...any) {
	fmt.Fprintf(&t.text, indent+format+"\n", args...)
}
