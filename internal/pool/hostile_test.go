package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"bourse/internal/pool/work"
	"bourse/internal/schema"
)

// TestWhatIsNoMessageEndsTheConnection: nothing behind it is looked at.
func TestWhatIsNoMessageEndsTheConnection(t *testing.T) {
	w := newWorld(t, easy, 32)
	long := `{"id":1,"method":"mining.subscribe","params":["` + strings.Repeat("x", mostLine) + `"]}` + "\n"
	for line, want := range map[string]string{
		"nonsense\n": "this is no message of Stratum", "[]\n": "this is no message of Stratum", `{"id":1,"method":7}` + "\n": "this is no message of Stratum",
		`{"id":{"a":1},"method":"mining.subscribe","params":[]}` + "\n": "this is no message of Stratum", "\xff\xfe\x00\n": "this is no message of Stratum",
		`{"id":"` + strings.Repeat("1", 100) + `","method":"mining.subscribe"}` + "\n": "this is no message of Stratum",
		strings.Repeat("[", 4000) + "\n":                                               "this is no message of Stratum", long: "the line is too long",
	} {
		c := w.dial()
		c.write(line)
		if got := c.ended(); len(got) != 1 || got[0] != `[20,"`+want+`",null]` {
			t.Errorf("%.40q: %v", line, got)
		}
	}
	c := w.dial()
	c.write("\n  \r\n")
	if got := c.ask("mining.pigeon", `[]`); got != `[20,"unknown method",null]` {
		t.Errorf("empty lines: %s", got)
	}
}

// TestAFloodIsRefused: three seconds of messages at once are borne, what is beyond is refused, and then the connection ends. The worker has to wait.
func TestAFloodIsRefused(t *testing.T) {
	w := newWorld(t, hard, 32)
	c := w.mine("anna.rig")
	n := c.job(0)
	line := fmt.Sprintf(`{"id":1,"method":"mining.submit","params":["anna.rig",%q,"00","00","00"]}`+"\n", n.ID)
	c.write(strings.Repeat(line, 300))
	got := c.ended()
	shaped, many := 0, 0
	for _, text := range got {
		switch text {
		case `[20,"extranonce2 has 16 hexadecimal digits, ntime and nonce have 8",null]`:
			shaped++
		case `[20,"too many messages",null]`:
			many++
		}
	}
	if shaped != 57 || many != 143 { // three messages were said before
		t.Errorf("%d answered, %d refused", shaped, many)
	}
	again := w.dial()
	again.ask("mining.subscribe", `[]`)
	if got := again.ask("mining.authorize", `["anna.rig"]`); !strings.HasPrefix(got, "[24,") {
		t.Errorf("at once: %s", got)
	}
	if got := again.ask("mining.authorize", `["anna.other"]`); got != "true" {
		t.Errorf("another worker: %s", got)
	}
	w.pass(time.Minute)
	if got := again.ask("mining.authorize", `["anna.rig"]`); got != "true" {
		t.Errorf("a minute later: %s", got)
	}
}

// TestWhoDoesNotSignInIsLetGo: also if it talks.
func TestWhoDoesNotSignInIsLetGo(t *testing.T) {
	w := newWorld(t, easy, 32)
	silent, talks, mines := w.dial(), w.dial(), w.mine("anna.rig")
	talks.ask("mining.subscribe", `[]`)
	w.pass(11 * time.Second)
	silent.ended()
	talks.ended()
	if got := mines.ask("mining.pigeon", `[]`); got != `[20,"unknown method",null]` {
		t.Error(got)
	}
}

// TestAnAddressHasItsShareOfConnections: thousands that say nothing leave room for others, and are gone after ten seconds.
func TestAnAddressHasItsShareOfConnections(t *testing.T) {
	w := newWorld(t, easy, 32, func(b *Bounds) { b.PerAddress = 5000 })
	for range 5000 {
		nc, err := net.Dial("tcp", w.at)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
	}
	w.until("all are there", func() bool { return len(w.pool.all()) == 5000 })
	refused := w.dial()
	if got := refused.ended(); len(got) != 0 {
		t.Fatal(got)
	}
	w.pass(11 * time.Second)
	w.until("they are gone", func() bool { return len(w.pool.all()) == 0 })
	w.mine("anna.rig")
	w.pool.mu.Lock()
	defer w.pool.mu.Unlock()
	if len(w.pool.extras) != 1 {
		t.Errorf("%d numbers of connections are taken", len(w.pool.extras))
	}
}

// TestWhoDoesNotReadIsLetGo: what waits for a connection is bounded.
func TestWhoDoesNotReadIsLetGo(t *testing.T) {
	w := newWorld(t, easy, 32, func(b *Bounds) { b.Queue = 2000 })
	ours, theirs := net.Pipe() // which buffers nothing
	defer ours.Close()
	w.pool.enter(theirs)
	say := func(text string) {
		if _, err := ours.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"id":1,"method":"mining.subscribe","params":[]}` + "\n")
	say(`{"id":2,"method":"mining.authorize","params":["anna.rig"]}` + "\n")
	w.until("it is signed in", func() bool {
		c := w.pool.all()
		if len(c) == 0 {
			return true
		}
		c[0].mu.Lock()
		defer c[0].mu.Unlock()
		return len(c[0].workers) > 0
	})
	for range 10 {
		w.pass(30 * time.Second)
	}
	w.until("it is gone", func() bool { return len(w.pool.all()) == 0 })
}

// TestHeadersCountOnce: over connections, jobs and leases.
func TestHeadersCountOnce(t *testing.T) {
	w := newWorld(t, hard, 32)
	target := work.OfExponent(-32)
	anna, ben := w.mine("anna.rig"), w.mine("ben.rig")
	a := anna.job(0)
	s := anna.search(a, target, true, "0000000000000001")
	if got := anna.submit("anna.rig", a, s); got != "true" {
		t.Fatal(got)
	}
	// Ben hears what anna found, and knows her job. It is none of his, and with his own extranonce it is another header.
	if got := ben.submit("ben.rig", a, s); got != `[21,"stale job",null]` {
		t.Errorf("a job of another connection: %s", got)
	}
	hers, header := anna.hash(a, s)
	theirs, other := ben.hash(ben.job(0), s)
	if hers == theirs || string(header) == string(other) || a.Begin == ben.job(0).Begin || anna.extra == ben.extra {
		t.Error("two connections have the same work")
	}
	// A second connection of anna has work of its own too.
	second := w.mine("anna.rig")
	if got := second.submit("anna.rig", a, s); got != `[21,"stale job",null]` {
		t.Errorf("over another connection: %s", got)
	}
	// Another lease: all get new work, and what was of the old one is stale.
	w.journal.change(func(j *journal) { clear(j.leases) })
	w.pass(31 * time.Second)
	after := anna.job(len(anna.jobs))
	for !after.Clean || after.Begin[len(after.Begin)-24:len(after.Begin)-8] != "0000000000000002" {
		after = anna.job(len(anna.jobs))
	}
	if got := anna.submit("anna.rig", a, s); got != `[21,"stale job",null]` {
		t.Errorf("after another lease: %s", got)
	}
	w.until("the share is reported with the new lease", func() bool { return w.journal.sum(1).Work == 1 })
}

// TestTheLastEightJobsCount: until one of them says that those before it do not.
func TestTheLastEightJobsCount(t *testing.T) {
	w := newWorld(t, hard, 32)
	c := w.mine("anna.rig")
	for len(c.jobs) < 9 {
		w.pass(30 * time.Second)
		if n := c.job(len(c.jobs)); n.Clean {
			t.Fatal("the parent is the same")
		}
	}
	target := work.OfExponent(-32)
	for i, want := range []string{`[21,"stale job",null]`, "true", "true", "true", "true", "true", "true", "true", "true"} {
		if got := c.submit("anna.rig", c.jobs[i], c.search(c.jobs[i], target, true, "0000000000000001")); got != want {
			t.Errorf("job %d: %s, want %s", i, got, want)
		}
	}
	w.source.change(func(s *source) { s.template.Parent[0]++ })
	w.pass(time.Second)
	fresh := c.job(len(c.jobs))
	if !fresh.Clean {
		t.Fatal("there is another parent")
	}
	last := c.jobs[len(c.jobs)-2]
	if got := c.submit("anna.rig", last, c.search(last, target, true, "0000000000000002")); got != `[21,"stale job",null]` {
		t.Errorf("of the parent before: %s", got)
	}
	if got := c.submit("anna.rig", fresh, c.search(fresh, target, true, "0000000000000002")); got != "true" {
		t.Errorf("of the new parent: %s", got)
	}
}

// TestABarredAccountIsSentAway, and a pool that is closed sends all away.
func TestABarredAccountIsSentAway(t *testing.T) {
	w := newWorld(t, hard, 32)
	anna, ben := w.mine("anna.rig"), w.mine("ben.rig")
	w.book.change(func(b *book) { b.barred["ben"] = true })
	w.pass(31 * time.Second)
	ben.ended()
	if got := anna.ask("mining.pigeon", `[]`); got != `[20,"unknown method",null]` {
		t.Error(got)
	}
	w.book.change(func(b *book) { b.closed = "it is night" })
	w.pass(2 * time.Second)
	anna.ended()
	c := w.dial()
	c.ask("mining.subscribe", `[]`)
	if got := c.ask("mining.authorize", `["anna.rig"]`); got != `[20,"there is no work now; come again later",null]` {
		t.Error(got)
	}
}

// TestAChainThatIsSilentSendsAllAway: after two minutes, not before.
func TestAChainThatIsSilentSendsAllAway(t *testing.T) {
	w := newWorld(t, hard, 32)
	c := w.mine("anna.rig")
	w.source.change(func(s *source) { s.fails = errLost })
	w.pass(110 * time.Second)
	if got := c.ask("mining.pigeon", `[]`); got != `[20,"unknown method",null]` {
		t.Error(got)
	}
	w.pass(15 * time.Second)
	c.ended()
}

// TestAnAccountHasSoManyWorkers: a thousand that brought a share, of whom those that are gone for an hour make room. Others take no place.
func TestAnAccountHasSoManyWorkers(t *testing.T) {
	var l workers
	l.begin()
	enter := func(account schema.MiningID, name string) *worker {
		t.Helper()
		w, ok := l.come(account, name, netip.Addr{}, start)
		if !ok {
			t.Fatal(name)
		}
		return w
	}
	for i := range 2 * mostWorkers {
		enter(1, fmt.Sprint("stranger", i))
	}
	var first *worker
	for i := range mostWorkers {
		w := l.list(enter(1, fmt.Sprint("w", i)), start)
		if i == 0 {
			first = w
		}
		if !w.listed {
			t.Fatal(i)
		}
	}
	if more := enter(1, "more"); l.list(more, start) != more || more.listed {
		t.Error("one more has a place")
	}
	if known := enter(1, "w7"); !known.listed || known.online != 2 {
		t.Errorf("a second connection of one that is known is %+v", known)
	}
	l.left([]*worker{first}, start)
	if l.list(enter(1, "more"), start.Add(forgetAfter-1)).listed {
		t.Error("it has a place before the hour is over")
	}
	if l.list(enter(1, "more"), start.Add(forgetAfter+roomEvery-2)).listed {
		t.Error("room is looked for with every share")
	}
	one, other := enter(1, "more"), enter(1, "more")
	if l.list(one, start.Add(forgetAfter+roomEvery-1)) != one || !one.listed {
		t.Error("it has no place after an hour")
	}
	if l.list(other, start.Add(forgetAfter+roomEvery-1)) != one || one.online != 2 {
		t.Error("a second connection has a place of its own")
	}
	if !l.list(enter(2, "more"), start).listed {
		t.Error("another account has none")
	}
}

// TestStrangersTakeNoPlaces: a miner that signs in by a name and brings nothing has no row, and sets nobody's difficulty.
func TestStrangersTakeNoPlaces(t *testing.T) {
	w := newWorld(t, hard, 32)
	c := w.mine("anna.rig")
	begins := c.job(0).Diff
	stranger := w.mine("anna.rig")
	n := len(stranger.jobs)
	stranger.ask("mining.suggest_difficulty", "[0.125]")
	if got := stranger.job(n).Diff; got != "0.125" {
		t.Errorf("the stranger works at %v", got)
	}
	stranger.ask("mining.submit", `["anna.rig"]`)
	if got := w.mine("anna.rig").job(0).Diff; got != begins {
		t.Errorf("the next begins with %v, the first with %v", got, begins)
	}
	w.pool.tally.mu.Lock()
	defer w.pool.tally.mu.Unlock()
	if len(w.pool.tally.workers) != 0 || len(w.pool.tally.accounts) != 1 {
		t.Errorf("%d rows of workers, %d of accounts", len(w.pool.tally.workers), len(w.pool.tally.accounts))
	}
}

// dated is a connection that knows whether what is written must be taken by some time.
type dated struct {
	net.Conn
	set chan struct{}
}

func (d *dated) SetWriteDeadline(at time.Time) error {
	close(d.set)
	return d.Conn.SetWriteDeadline(at)
}

// TestWhoNeitherReadsNorSpeaksKeepsNobody: when nothing more is read of a miner that takes nothing, it has its place as long as something is written
// to it, and that has an end. The pool can be closed meanwhile.
func TestWhoNeitherReadsNorSpeaksKeepsNobody(t *testing.T) {
	w := newWorld(t, hard, 32)
	ours, theirs := net.Pipe()
	defer theirs.Close()
	d := &dated{ours, make(chan struct{})}
	w.pool.enter(d)
	c := w.pool.all()[0]
	if _, err := fmt.Fprintf(theirs, `{"id":1,"method":"mining.subscribe","params":[]}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Write(make([]byte, mostLine)); err != nil { // what is no line ends the reading
		t.Fatal(err)
	}
	<-c.gone
	<-d.set
	if n := len(w.pool.all()); n != 1 {
		t.Errorf("%d connections have a place", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.pool.Close(ctx); err != nil {
		t.Error(err)
	}
}

// TestWhoBringsNothingIsLetGo: an hour after the last share, so that idle connections do not hold the places for ever.
func TestWhoBringsNothingIsLetGo(t *testing.T) {
	w := newWorld(t, hard, 32)
	idle, busy := w.mine("anna.idle"), w.mine("anna.busy")
	w.pass(40 * time.Minute)
	busy.ask("mining.pigeon", `[]`) // and reads the jobs before it
	n := busy.job(len(busy.jobs) - 1)
	if got := busy.submit("anna.busy", n, busy.search(n, work.OfExponent(-32), true, "0000000000000001")); got != "true" {
		t.Fatal(got)
	}
	w.pass(20*time.Minute - time.Second)
	if got := idle.ask("mining.pigeon", `[]`); got != `[20,"unknown method",null]` {
		t.Error(got)
	}
	w.pass(2 * time.Second)
	idle.ended()
	w.pass(38 * time.Minute)
	if got := busy.ask("mining.pigeon", `[]`); got != `[20,"unknown method",null]` {
		t.Error(got)
	}
	w.pass(2 * time.Minute)
	busy.ended()
}

// TestALogThatTakesNothingSendsAllAway: after two minutes, for what miners bring then is in no log.
func TestALogThatTakesNothingSendsAllAway(t *testing.T) {
	w := newWorld(t, hard, 32)
	c := w.mine("anna.rig")
	w.journal.change(func(j *journal) { j.lose = make([]bool, 10_000) })
	n := c.job(0)
	if got := c.submit("anna.rig", n, c.search(n, work.OfExponent(-32), true, "0000000000000001")); got != "true" {
		t.Fatal(got)
	}
	w.pass(140 * time.Second) // half a minute until it is reported
	if got := c.ask("mining.pigeon", `[]`); got != `[20,"unknown method",null]` {
		t.Error(got)
	}
	w.pass(15 * time.Second)
	c.ended()
	w.journal.change(func(j *journal) { j.lose = nil })
	w.pass(2 * time.Second)
	w.mine("anna.rig")
	if got := w.journal.sum(1); got.Work != 1 {
		t.Errorf("%+v", got)
	}
}

// TestWhatIsSaidIsValidJSON: whatever a miner calls its message comes back as it was.
func TestWhatIsSaidIsValidJSON(t *testing.T) {
	w := newWorld(t, easy, 32)
	c := w.dial()
	for _, id := range []string{"1", `"x\"y"`, "null", "-1.5e3", "true"} {
		c.write(`{"id":` + id + `,"method":"mining.pigeon","params":[]}` + "\n")
		if !c.lines.Scan() {
			t.Fatal(c.lines.Err())
		}
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil || string(m.ID) != id {
			t.Errorf("%s: %s %v", id, c.lines.Bytes(), err)
		}
	}
}
