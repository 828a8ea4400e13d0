package siege

import (
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"bourse/internal/conform"
)

var disks = []Attack{
	{"disk.full", "a full disk ends the program with exit code 3, and room brings back all that was acknowledged", fullDisk},
	{"disk.history", "a full disk of the history alone: orders go on, readyz says it, and room heals it", fullHistory},
	{"disk.readonly", "a disk that cannot be written ends the start with exit code 3 and changes nothing", readOnlyDisk},
	{"disk.flipped", "one flipped bit: read tools leave it as it is, serve keeps the original and exits with 4", flippedBit},
	{"disk.missing", "without saved market data and history both are made from the log", missingFiles},
}

// The exit codes of serve that disks lead to.
const (
	exitStorage = 3
	exitDamaged = 4
)

// exits holds a program that was launched to an exit code, without a panic.
func (s *Siege) exits(v *conform.Venue, want int) {
	s.Helper()
	if code := v.Wait(); code != want {
		s.Errorf("the exit code is %d, want %d", code, want)
	}
	if log := v.Log(); strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		s.Error("it panicked")
	}
}

func fullDisk(s *Siege) {
	d := conform.NewDisk(s.TB, s.size(24, 64))
	v, l := conform.New(s.TB, s.world(nil), "--no-limits"), s.newLoad(hands)
	l.faulty = true
	v.On(d)
	v.Restart()
	l.begin(v)
	l.until(100)
	d.Fill("filler")
	s.exits(v, exitStorage)
	l.finish()
	v.Launch()
	s.exits(v, exitStorage)
	d.Free("filler")
	s.back(v, l)
	l.begin(v)
	l.until(100)
	l.finish()
	l.check(v)
	s.note("%d acknowledged", l.acks.Load())
	v.Stop()
	s.verified(v)
}

func fullHistory(s *Siege) {
	d := conform.NewDisk(s.TB, 8)
	v := conform.New(s.TB, s.world(nil), "--no-limits")
	v.Disk = d
	s.must(os.Mkdir(v.Data(), 0o700))
	s.must(os.Mkdir(d.Path("history"), 0o700))
	s.must(os.Symlink(filepath.Join(d.Place, "history"), filepath.Join(v.Data(), "history")))
	d.Fill("filler")
	v.Restart()
	if status, said := s.look(v, "/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(said, "no space left on device") {
		s.Errorf("with a full history readyz says %d %s", status, said)
	}
	l := s.newLoad(hands)
	l.begin(v)
	l.until(s.size(100, 2000))
	l.finish()
	d.Free("filler")
	s.ready(v)
	// Once more under the eyes of a neighbour, who must not notice.
	s.beside(v, func() {
		d.Fill("filler")
		s.repeat(1, s.size(200, 4000), 200, func(int, int) { l.step(0, l.hands[0]) })
		d.Free("filler")
	})
	s.ready(v)
	l.check(v)
	s.end(v)
}

func readOnlyDisk(s *Siege) {
	d := conform.NewDisk(s.TB, 24)
	v, l := conform.New(s.TB, s.world(nil), "--no-limits"), s.newLoad(hands)
	v.On(d)
	v.Restart()
	l.begin(v)
	l.until(100)
	v.Kill()
	l.finish()
	before := s.contents(v)
	d.Mount("ro")
	v.Launch()
	s.exits(v, exitStorage)
	s.verified(v)
	if !maps.Equal(s.contents(v), before) {
		s.Error("the directory changed")
	}
	d.Mount("rw")
	s.back(v, l)
}

// contents are the bytes of all files of an exchange.
func (s *Siege) contents(v *conform.Venue) map[string]string {
	s.Helper()
	all := map[string]string{}
	s.must(filepath.WalkDir(v.Data(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// flippedBit flips bits all over the log, one at a time.
func flippedBit(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	l.begin(v)
	l.until(200)
	v.Kill()
	l.finish()
	block := filepath.Join(v.Data(), "journal", "jetstream", "$G", "streams", "bourse", "msgs", "1.blk")
	good, err := os.ReadFile(block)
	s.must(err)
	flips := s.size(2, 20)
	for i := range flips {
		bad := []byte(string(good))
		// Not near the end, which a kill may have torn.
		bad[len(bad)*3/4*(i+1)/(flips+1)] ^= 1 << (i % 8)
		s.must(os.WriteFile(block, bad, 0o600))
		before := s.contents(v)
		for tool, want := range map[string]int{"verify": 1, "replay": exitDamaged, "export": exitDamaged} {
			if code, said := v.Tool(tool); code != want {
				s.Errorf("flip %d: %s has exit code %d: %s", i, tool, code, said)
			}
			if !maps.Equal(s.contents(v), before) {
				s.Fatalf("flip %d: %s changed the directory", i, tool)
			}
		}
		v.Launch()
		s.exits(v, exitDamaged)
		kept, err := filepath.Glob(filepath.Join(v.Data(), "journal.damaged-*", "1.blk"))
		s.must(err)
		// The checksum of a record does not cover the length of its subject. The store sees nothing wrong with a flip there
		// and repairs nothing; the batch that begins at the wrong place is refused, and the original stays where it is.
		original := block
		switch len(kept) {
		case 0:
		case 1:
			original = kept[0]
		default:
			s.Fatalf("flip %d: kept are %v", i, kept)
		}
		if text, err := os.ReadFile(original); err != nil || string(text) != string(bad) {
			s.Errorf("flip %d: what is in %s is not what was there, %v", i, original, err)
		}
		s.restore(v, before)
	}
	s.must(os.WriteFile(block, good, 0o600))
	s.back(v, l)
	s.note("%d flips", flips)
}

// restore brings back the files of an exchange.
func (s *Siege) restore(v *conform.Venue, contents map[string]string) {
	s.Helper()
	for path := range s.contents(v) {
		if _, had := contents[path]; !had {
			s.must(os.Remove(path))
		}
	}
	for path, text := range contents {
		s.must(os.MkdirAll(filepath.Dir(path), 0o700))
		s.must(os.WriteFile(path, []byte(text), 0o600))
	}
}

func missingFiles(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	for i, side := range []string{"sell", "buy"} {
		_, err := s.client(v, trader(hands+i)).limit(attacked, side, "1", "1000", "")
		s.must(err)
	}
	l.begin(v)
	l.until(s.size(500, 20_000))
	l.finish()
	// What the two readers of the log know: trades, and the orders of those who traded.
	tell := func() string {
		c := s.client(v, trader(hands))
		trades, err := c.get("/api/v4/public/trades/" + attacked)
		s.status("trades", trades, err, http.StatusOK)
		deals, err := c.post("/api/v4/trade-account/executed-history", conform.Fields{"market": attacked})
		s.status("deals", deals, err, http.StatusOK)
		return trades.body + deals.body
	}
	before := tell()
	if strings.Count(before, `"1000"`) < 2 {
		s.Errorf("a trade is missing: %s", before)
	}
	v.Stop()
	for _, name := range []string{"marketdata.snapshot", "history"} {
		s.must(os.RemoveAll(filepath.Join(v.Data(), name)))
		v.Restart()
		s.ready(v)
		l.check(v)
		if after := tell(); after != before {
			s.Errorf("without %s: %s, before: %s", name, after, before)
		}
		v.Kill()
	}
	s.verified(v)
}
