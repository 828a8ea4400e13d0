package node

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bourse/internal/disk"
	"bourse/internal/journal"
	"bourse/internal/schema"
)

// exhibit is a data directory, and what was acknowledged in it. Its log has 25 batches in two
// files of the store; the second one begins with batch 18, the first that is small.
type exhibit struct {
	dir  string
	mark journal.Mark
	hash [32]byte
}

// Ways in which a node can leave its directory behind.
const (
	closed = "closed" // in order; snapshots of 10, 20 and 25
	killed = "killed" // in the middle of work; snapshots of 10 and 20
	bare   = "bare"   // killed before the first snapshot
	older  = "older"  // closed, and the newest snapshot is lost
)

const (
	batches = 25
	store   = "journal/jetstream/$G/streams/bourse/"
	block1  = store + "msgs/1.blk"
	block2  = store + "msgs/2.blk"
	index   = store + "msgs/index.db"
)

// exhibits are those that were made, by their kinds; their directories end with the tests of the package.
var exhibits = struct {
	dir  string
	made map[string]*exhibit
}{made: map[string]*exhibit{}}

func TestMain(m *testing.M) {
	code := m.Run()
	if exhibits.dir != "" {
		os.RemoveAll(exhibits.dir)
	}
	os.Exit(code)
}

// newExhibit is a copy of an exhibit that is made once.
func newExhibit(t *testing.T, kind string) *exhibit {
	t.Helper()
	e := exhibits.made[kind]
	if e == nil {
		var err error
		if exhibits.dir == "" {
			exhibits.dir, err = os.MkdirTemp("", "node-exhibits")
		}
		e = makeExhibit(t, kind)
		dir := filepath.Join(exhibits.dir, kind)
		if err = errors.Join(err, disk.CopyTree(dir, e.dir)); err != nil {
			t.Fatal(err)
		}
		e.dir = dir
		exhibits.made[kind] = e
	}
	return &exhibit{dir: e.clone(t), mark: e.mark, hash: e.hash}
}

func makeExhibit(t *testing.T, kind string) *exhibit {
	t.Helper()
	dir := t.TempDir()
	n := open(t, dir, func(o *Options) {
		if o.SnapshotCommands = 10; kind == bare {
			o.SnapshotCommands = 1_000_000
		}
	})
	submit(t, n, account("alice"))
	for i := range batches - 1 {
		if kind != bare && n.Mark().Seq%10 == 0 {
			await(t, "the snapshot is written", func() bool { return n.builder.saved.Load() == n.Mark().Seq })
		}
		// Half a megabyte each until the 8 MB of the store's first file are full: what a node reads, copies and hashes takes the time.
		size := 522_000
		if n.Mark().Seq >= 17 {
			size = 60_000
		}
		submit(t, n, &schema.SetKey{Key: schema.Key{Key: "key", Account: schema.FirstCustomer, Sealed: bytes.Repeat([]byte{byte(i)}, size)}})
	}
	e := &exhibit{dir: dir, mark: n.Mark(), hash: hash(n)}
	if kind == killed || kind == bare {
		// What the files hold while the node runs is what a kill leaves.
		e.dir = e.clone(t)
	}
	mustClose(t, n)
	if kind == older {
		remove(t, snapshotFile(e.dir, batches))
	}
	return e
}

func (e *exhibit) clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := disk.CopyTree(dir, e.dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// wakes opens a directory and reports whether a node comes up. Either it has everything that was
// acknowledged, or the error says what is wrong and what to do, now and the next time.
func (e *exhibit) wakes(t *testing.T, dir string, change ...func(*Options)) bool {
	t.Helper()
	o := Options{Journal: journal.Options{Dir: dir}}
	for _, c := range change {
		c(&o)
	}
	n, err := Open(t.Context(), o)
	if err == nil {
		if n.Mark() != e.mark || hash(n) != e.hash {
			t.Errorf("the node comes up at batch %d with another state; batch %d was acknowledged", n.Mark().Seq, e.mark.Seq)
		}
		submit(t, n, account("bob"))
		mustClose(t, n)
		return true
	}
	says := func() {
		if !errors.Is(err, journal.ErrDamaged) || !strings.Contains(err.Error(), dir) ||
			!strings.Contains(err.Error(), "restore the journal") && !strings.Contains(err.Error(), "remove the file") {
			t.Errorf("the error does not say what, where, or what to do: %v", err)
		}
	}
	says()
	if n, err = Open(t.Context(), o); err != nil {
		says()
		return false
	}
	t.Errorf("refused once, and then the node comes up at batch %d", n.Mark().Seq)
	n.Close()
	return false
}

func snapshotFile(dir string, seq int) string {
	return filepath.Join(dir, "snapshots", fmt.Sprintf("%020d.state", seq))
}

func remove(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// rewrite changes the bytes of a file.
func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// damages are what can happen to a file. The store writes a record as length (4 bytes), place
// (8), time (8), length of the subject (2), subject, payload, checksum (8).
var damages = map[string]func([]byte) []byte{
	"empty":           func(b []byte) []byte { return nil },
	"one byte":        func(b []byte) []byte { return b[:1] },
	"half":            func(b []byte) []byte { return b[:len(b)/2] },
	"one byte less":   func(b []byte) []byte { return b[:len(b)-1] },
	"length flipped":  flip(func(int) int { return 0 }),
	"place flipped":   flip(func(int) int { return 5 }),
	"subject flipped": flip(func(int) int { return 22 }),
	// The checksum does not cover this one: the payload seems to begin elsewhere, and only the batch itself shows it.
	"subject length flipped": flip(func(int) int { return 20 }),
	"payload flipped":        flip(func(int) int { return 600 }),
	"middle flipped":         flip(func(size int) int { return size / 2 }),
	"end flipped":            flip(func(size int) int { return size - 1 }),
	"zeros":                  func(b []byte) []byte { return make([]byte, len(b)) },
}

func flip(at func(size int) int) func([]byte) []byte {
	return func(b []byte) []byte {
		b[at(len(b))] ^= 0x10
		return b
	}
}

// TestDamagedLog: everything acknowledged is there, or the node says no. It may come up when
// what was lost lies before a good snapshot.
func TestDamagedLog(t *testing.T) {
	all := []string{"removed"}
	for name := range damages {
		all = append(all, name)
	}
	slices.Sort(all)
	// In an orderly end the store writes an index, by which it trusts the files unseen at the next
	// start: a flip within a record is found when the record is read.
	up := map[string]map[string][]string{
		closed: {block1: all, block2: {"payload flipped", "subject flipped"}},
		killed: {block1: all, block2: nil},
		bare:   {block1: nil, block2: nil},
		older:  {block1: all, block2: {"payload flipped", "subject flipped"}},
	}
	for kind, files := range up {
		e := newExhibit(t, kind)
		for file, expected := range files {
			t.Run(kind+" "+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				var got []string
				for _, name := range all {
					dir := e.clone(t)
					if name == "removed" {
						remove(t, filepath.Join(dir, file))
					} else {
						rewrite(t, filepath.Join(dir, file), damages[name])
					}
					if e.wakes(t, dir) {
						got = append(got, name)
					}
					if t.Failed() {
						t.Fatalf("the damage was: %s", name)
					}
					os.RemoveAll(dir)
				}
				if !slices.Equal(got, expected) {
					t.Errorf("the node comes up after %q, expected was %q", got, expected)
				}
			})
		}
	}
}

func TestLostJournalIsNotANewExchange(t *testing.T) {
	for _, kind := range []string{closed, bare} {
		e := newExhibit(t, kind)
		for _, what := range []string{"journal", store, store + "msgs"} {
			dir := e.clone(t)
			remove(t, filepath.Join(dir, what))
			if e.wakes(t, dir) {
				t.Errorf("%s: %s is gone, and the node comes up", kind, what)
			}
		}
	}
}

// What the store derives from its records it makes again.
func TestDamagedDescriptionsOfTheStoreDoNoHarm(t *testing.T) {
	e := newExhibit(t, closed)
	for _, file := range []string{index, store + "meta.inf", store + "meta.sum"} {
		for _, name := range []string{"empty", "one byte", "half", "one byte less", "length flipped", "place flipped", "middle flipped", "end flipped", "zeros"} {
			dir := e.clone(t)
			rewrite(t, filepath.Join(dir, file), damages[name])
			if !e.wakes(t, dir) {
				t.Errorf("%s, %s: refused", file, name)
			}
			os.RemoveAll(dir)
		}
		dir := e.clone(t)
		remove(t, filepath.Join(dir, file))
		if !e.wakes(t, dir) {
			t.Errorf("%s removed: refused", file)
		}
	}
}

// A crash in the middle of a write leaves a part of a record behind what was acknowledged.
func TestHalfWrittenBatchIsDropped(t *testing.T) {
	e := newExhibit(t, killed)
	for _, size := range []int{1, 21, 22, 40, 1000, 50_000} {
		dir := e.clone(t)
		rewrite(t, filepath.Join(dir, block2), func(b []byte) []byte {
			record := b[:60_000] // the beginning of batch 18, as good as any other
			return append(b, record[:size]...)
		})
		if !e.wakes(t, dir) {
			t.Errorf("%d bytes of a record: refused", size)
		}
	}
}

// A hole in the past is not in the way of the exchange, but it is said, and a reader of the past
// gets an error and no gap.
func TestHoleInThePastIsSaid(t *testing.T) {
	e := newExhibit(t, killed)
	remove(t, filepath.Join(e.dir, block1))
	var text strings.Builder
	n := open(t, e.dir, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&text, nil)) })
	defer n.Close()
	if !strings.Contains(text.String(), "level=ERROR msg=\"the log has lost batches of the past") || !strings.Contains(text.String(), "batches=17") {
		t.Errorf("the log of the node says\n%s", text.String())
	}
	if hash(n) != e.hash {
		t.Error("the state is another one")
	}
	if step, err := n.Reader(0).Next(t.Context()); !errors.Is(err, journal.ErrDamaged) {
		t.Errorf("a reader gets %v, %v", step, err)
	}
}

func TestDamagedSnapshotsArePassedOver(t *testing.T) {
	e := newExhibit(t, closed)
	all := slices.Sorted(maps.Keys(damages))
	for _, c := range []struct {
		bad      []int
		replayed uint64
		damages  []string // which of them a snapshot has is all the same to the others
	}{{nil, 0, all[:1]}, {[]int{10}, 0, all[:1]}, {[]int{25}, 5, all}, {[]int{20, 25}, 15, all[:2]}, {[]int{10, 20, 25}, 25, all[:2]}} {
		for _, name := range c.damages {
			dir := e.clone(t)
			for _, seq := range c.bad {
				rewrite(t, snapshotFile(dir, seq), damages[name])
			}
			n := open(t, dir)
			if hash(n) != e.hash || n.Mark() != e.mark || n.replayed != c.replayed {
				t.Errorf("%v %s: at batch %d after %d of the log, expected %d", c.bad, name, n.Mark().Seq, n.replayed, c.replayed)
			}
			mustClose(t, n)
			os.RemoveAll(dir)
		}
	}
}

func TestSnapshotsCanBeThrownAway(t *testing.T) {
	e := newExhibit(t, closed)
	dir := e.clone(t)
	remove(t, filepath.Join(dir, "snapshots"))
	n := open(t, dir)
	if hash(n) != e.hash || n.replayed != batches {
		t.Errorf("another state after %d batches", n.replayed)
	}
	mustClose(t, n)
}

// A snapshot is known to be of the log, too: a log from an older backup is too short for it even
// without a watermark.
func TestLogShorterThanASnapshotIsRefused(t *testing.T) {
	e := newExhibit(t, closed)
	remove(t, filepath.Join(e.dir, "watermark"))
	remove(t, filepath.Join(e.dir, index))
	rewrite(t, filepath.Join(e.dir, block2), damages["one byte less"])
	if e.wakes(t, e.dir) {
		t.Error("batch 25 is gone, and the node comes up")
	}
}

func TestWatermark(t *testing.T) {
	for _, kind := range []string{closed, bare} {
		e := newExhibit(t, kind)
		for name, c := range map[string]struct {
			change func([]byte) []byte
			up     bool
		}{
			"empty":          {damages["empty"], true}, // as a power cut may leave it
			"half":           {damages["half"], false},
			"flipped":        {damages["place flipped"], false},
			"behind":         {setMark(batches-1, nil), false}, // the place of one batch, the hash of another
			"ahead":          {setMark(batches+1, nil), false},
			"another hash":   {setMark(batches, []byte{1, 2, 3}), false},
			"before a state": {setMark(3, nil), false},
		} {
			dir := e.clone(t)
			rewrite(t, filepath.Join(dir, "watermark"), c.change)
			if up := e.wakes(t, dir); up != c.up {
				t.Errorf("%s, %s: comes up is %v", kind, name, up)
			}
		}
		dir := e.clone(t)
		remove(t, filepath.Join(dir, "watermark"))
		if !e.wakes(t, dir) {
			t.Errorf("%s: without a watermark the whole log is refused", kind)
		}
	}
}

// setMark makes a good watermark of another place or with another hash.
func setMark(seq uint64, hash []byte) func([]byte) []byte {
	return func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b, seq)
		copy(b[8:], hash)
		end := len(b) - 4
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)))
		return b
	}
}
