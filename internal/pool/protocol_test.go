package pool

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"bourse/internal/pool/work"
)

func doubled(b []byte) [32]byte {
	once := sha256.Sum256(b)
	return sha256.Sum256(once[:])
}

// TestTranscript is a whole session as it stands on the wire.
func TestTranscript(t *testing.T) {
	w := newWorld(t, easy, 32)
	c := w.dial()
	for _, line := range []struct{ say, hear string }{
		{
			`{"id":1,"method":"mining.configure","params":[["version-rolling","minimum-difficulty","subscribe-extranonce"],{"version-rolling.mask":"1fffe000","version-rolling.min-bit-count":2,"minimum-difficulty.value":1e-12}]}`,
			`{"id":1,"result":{"version-rolling":true,"version-rolling.mask":"1fffe000","minimum-difficulty":true},"error":null}`,
		},
		{`{"id":"a","method":"mining.subscribe","params":["test/1",null]}`, `{"id":"a","result":[[["mining.set_difficulty","00000001"],["mining.notify","00000001"]],"00000001",8],"error":null}`},
		{`{"params":["anna.rig-1","x"],"id":3,"method":"mining.authorize"}`, `{"id":3,"result":true,"error":null}`},
		{"", `{"id":null,"method":"mining.set_difficulty","params":[2.3283064365386963e-10]}`},
		{"", `{"id":null,"method":"mining.notify","params":["2","04030201080706050000000000000000000000000000000000000000` + `09000000",` +
			`"02000000010000000000000000000000000000000000000000000000000000000000000000ffffffff2502f4011800000000000000010000` + `0002",` +
			`"082f626f757273652fffffffff0200f2052a010000000151000000000000000003` + `6a010700000000",` +
			`["0100000000000000000000000000000000000000000000000000000000000000","` + fmt.Sprintf("%x", doubled(append(append(make([]byte, 0, 64), pad(2)...), pad(2)...))) + `"],` +
			`"20000000","207fffff","` + fmt.Sprintf("%08x", start.Unix()) + `",true]}`},
		{`{"id":4,"method":"mining.suggest_difficulty","params":[0.5]}`, `{"id":4,"result":true,"error":null}`},
		{`{"id":5,"method":"mining.pigeon","params":[]}`, `{"id":5,"result":null,"error":[20,"unknown method",null]}`},
	} {
		if line.say != "" {
			c.write(line.say + "\n")
		}
		if !c.lines.Scan() {
			t.Fatal(c.lines.Err())
		}
		if got := c.lines.Text(); got != line.hear {
			t.Errorf("%s\ngot  %s\nwant %s", line.say, got, line.hear)
		}
	}
}

func pad(first byte) []byte {
	b := make([]byte, 32)
	b[0] = first
	return b
}

// TestWhoMaySignIn: only known accounts that are not barred, with a worker whose name is one.
func TestWhoMaySignIn(t *testing.T) {
	w := newWorld(t, easy, 32)
	c := w.dial()
	if got := c.ask("mining.authorize", `["anna.rig","x"]`); got != `[25,"not subscribed",null]` {
		t.Fatal(got)
	}
	c.ask("mining.subscribe", `[]`)
	for name, want := range map[string]string{
		"nobody.rig": "no such mining account, or it may not mine", "carl.rig": "no such mining account, or it may not mine",
		"anna": "sign in as account.worker", "anna.": "sign in as account.worker", "anna.a.b": "sign in as account.worker",
		"anna." + strings.Repeat("x", 65): "sign in as account.worker", "anna.ä": "sign in as account.worker",
	} {
		if got := c.ask("mining.authorize", fmt.Sprintf(`[%q]`, name)); !strings.HasPrefix(got, `[24,"`+want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, name := range []string{"anna.a", "anna." + strings.Repeat("Z", 64), "ben._-9"} {
		if got := c.ask("mining.authorize", fmt.Sprintf(`[%q]`, name)); got != "true" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestSharesAreJudged: each fault of a share has its error, and only what is right is paid.
func TestSharesAreJudged(t *testing.T) {
	w := newWorld(t, hard, 16)
	c := w.mine("anna.rig")
	n := c.job(0)
	if n.Diff != "0.0000152587890625" && n.Diff != "1.52587890625e-05" { // 2^-16: one unit
		t.Fatal(n.Diff)
	}
	target := work.OfExponent(-16)
	good := c.search(n, target, true, "0000000000000001")
	low := c.search(n, target, false, "0000000000000001")
	at := func(seconds int64) share {
		s := good
		s.time = fmt.Sprintf("%08x", start.Unix()+seconds)
		return s
	}
	bits := func(text string) share { s := good; s.bits = text; return s }
	for _, s := range []struct {
		what string
		got  func() string
		want string
	}{
		{"good", func() string { return c.submit("anna.rig", n, good) }, "true"},
		{"again", func() string { return c.submit("anna.rig", n, good) }, `[22,"duplicate share",null]`},
		{"low", func() string { return c.submit("anna.rig", n, low) }, `[23,"low difficulty share",null]`},
		{"another worker", func() string { return c.submit("ben.rig", n, good) }, `[24,"unauthorized worker",null]`},
		{"no such job", func() string { x := n; x.ID = "ffff"; return c.submit("anna.rig", x, good) }, `[21,"stale job",null]`},
		{"too early", func() string { return c.submit("anna.rig", n, at(-61)) }, `[20,"ntime is out of range",null]`},
		{"too late", func() string { return c.submit("anna.rig", n, at(601)) }, `[20,"ntime is out of range",null]`},
		{"just in time", func() string { return c.submit("anna.rig", n, at(600))[:4] }, `[23,`},
		{"outside the mask", func() string { return c.submit("anna.rig", n, bits("20000000")) }, `[20,"bits of the version outside the mask",null]`},
		{"below the mask", func() string { return c.submit("anna.rig", n, bits("00000001")) }, `[20,"bits of the version outside the mask",null]`},
		{"short extra", func() string { x := good; x.extra2 = "00"; return c.submit("anna.rig", n, x) }, `[20,"extranonce2 has 16 hexadecimal digits, ntime and nonce have 8",null]`},
		{"no digits", func() string { x := good; x.nonce = "0000000g"; return c.submit("anna.rig", n, x) }, `[20,"extranonce2 has 16 hexadecimal digits, ntime and nonce have 8",null]`},
		{"too few", func() string { return c.ask("mining.submit", `["anna.rig","1"]`) }, `[20,"params must be worker, job, extranonce2, ntime, nonce and bits of the version",null]`},
		{"not a list", func() string { return c.ask("mining.submit", `{}`) }, `[20,"params must be worker, job, extranonce2, ntime, nonce and bits of the version",null]`},
	} {
		if got := s.got(); got != s.want {
			t.Errorf("%s: %s, want %s", s.what, got, s.want)
		}
	}
	rolled := share{}
	for i := 0; rolled == (share{}); i++ {
		s := share{"0000000000000007", n.Time, fmt.Sprintf("%08x", i), "1fffe000"}
		if hash, _ := c.hash(n, s); target.Met(&hash) {
			rolled = s
		}
	}
	if got := c.submit("anna.rig", n, rolled); got != "true" {
		t.Errorf("a version of the miner's: %s", got)
	}
	w.pass(30 * time.Second)
	w.until("it is reported", func() bool { return w.journal.sum(1).Work > 0 })
	if got := w.journal.sum(1); got.Work != 2 || got.Accepted != 2 || got.Rejected != 11 {
		t.Errorf("%+v", got)
	}
}

// TestWhoAskedForNoVersionsHasNone: the bits must be left out, or zero.
func TestWhoAskedForNoVersionsHasNone(t *testing.T) {
	w := newWorld(t, hard, 32)
	c := w.dial()
	c.join("anna.rig")
	n := c.job(0)
	s := c.search(n, work.OfExponent(-32), true, "0000000000000001")
	s.bits = "00002000"
	if got := c.submit("anna.rig", n, s); got != `[20,"bits of the version outside the mask",null]` {
		t.Error(got)
	}
	if got := c.ask("mining.submit", fmt.Sprintf(`["anna.rig",%q,%q,%q,%q]`, n.ID, s.extra2, s.time, s.nonce)); got != "true" {
		t.Error(got)
	}
}
