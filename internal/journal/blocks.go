package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// blockDir is where the embedded server keeps the stream, below the data directory: numbered
// files of records, the blocks, and an index that it writes when it is stopped in order.
var (
	blockDir  = filepath.Join(storeDir, "jetstream", "$G", "streams", StreamName, "msgs")
	indexFile = "index.db"
)

// A record of a block is: its length (4 bytes, the top bit means that headers follow the subject),
// place (8), time (8), length of the subject (2), subject, length of the headers (4) and headers
// if there are any, payload, checksum (8). All numbers are little-endian.
const (
	recordHead    = 22
	recordSum     = 8
	recordMost    = 32 << 20
	recordHeaders = 1 << 31
	// Marks in the place of a record that holds no batch: erased, or a note that one is gone.
	recordErased = 1 << 63
	recordGone   = 1 << 62
)

// block is a file of records.
type block struct {
	number int
	path   string
}

// blocks are those of a data directory, in order.
func blocks(dir string) ([]block, error) {
	entries, err := os.ReadDir(filepath.Join(dir, blockDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the files of the log: %w", err)
	}
	var all []block
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".blk")
		if number, err := strconv.Atoi(name); ok && err == nil {
			all = append(all, block{number, filepath.Join(dir, blockDir, e.Name())})
		}
	}
	slices.SortFunc(all, func(a, b block) int { return a.number - b.number })
	return all, nil
}

// load reads a block into memory, which is used again if it is large enough.
func (b *block) load(memory []byte) ([]byte, error) {
	f, err := os.Open(b.path)
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	size := int(info.Size())
	memory = slices.Grow(memory[:0], size)[:size]
	// A block that is being written is longer by the time it is read: what was there is enough.
	if n, err := f.ReadAt(memory, 0); n < size {
		return nil, fmt.Errorf("reading %s: %w", b.path, err)
	}
	return memory, nil
}

// first is the place of the first batch of a block; it is false when it does not begin with one.
func (b *block) first() (uint64, bool) {
	f, err := os.Open(b.path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var head [recordHead]byte
	if n, _ := f.ReadAt(head[:], 0); n < len(head) {
		return 0, false
	}
	place := binary.LittleEndian.Uint64(head[4:])
	return place, place&(recordErased|recordGone) == 0
}

// sum makes the checksums of the records of a block, as the server makes them.
func (b *block) sum() *highwayhash.Digest64 {
	return newSum(fmt.Sprintf("%s-%d", StreamName, b.number))
}

func newSum(name string) *highwayhash.Digest64 {
	key := sha256.Sum256([]byte(name))
	h, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		panic("journal: a key of 32 bytes is refused: " + err.Error())
	}
	return h
}

// record is one of a block; its parts point into the block.
type record struct {
	place   uint64
	size    int
	head    []byte // what of the head the checksum covers
	subject []byte
	headers []byte
	payload []byte
	sum     []byte
}

// batch reports whether the record holds one.
func (r *record) batch() bool { return r.place != 0 && r.place&(recordErased|recordGone) == 0 }

// nextRecord reads the record at the beginning of data; it is false when there is none that could
// have been written so.
func nextRecord(data []byte) (r record, ok bool) {
	if len(data) < recordHead {
		return r, false
	}
	length := binary.LittleEndian.Uint32(data)
	r.size = int(length &^ recordHeaders)
	subject := int(binary.LittleEndian.Uint16(data[20:]))
	before := recordHead + subject
	if length&recordHeaders != 0 {
		before += 4
	}
	if r.size > recordMost || r.size > len(data) || before > r.size-recordSum {
		return r, false
	}
	r.place, r.head = binary.LittleEndian.Uint64(data[4:]), data[4:20]
	r.subject = data[recordHead : recordHead+subject]
	body := data[before : r.size-recordSum]
	if length&recordHeaders != 0 {
		size := binary.LittleEndian.Uint32(data[before-4:])
		if uint64(size) > uint64(len(body)) {
			return r, false
		}
		r.headers, body = body[:size], body[size:]
	}
	r.payload, r.sum = body, data[r.size-recordSum:r.size]
	return r, true
}

// good reports whether the server would find the record good.
func (r *record) good(h *highwayhash.Digest64) bool {
	h.Reset()
	h.Write(r.head)
	h.Write(r.subject)
	h.Write(r.headers)
	h.Write(r.payload)
	var sum [recordSum]byte
	return bytes.Equal(h.Sum(sum[:0]), r.sum)
}

// survey is what a walk over the records of a block found.
type survey struct {
	last   uint64 // the place of the last good batch before anything bad
	bad    int    // where the first bad record begins; -1: there is none
	behind uint64 // the place of the last good batch behind something bad; 0: there is none
}

// walk checks the records of a block, and looks for more behind a bad one.
func (b *block) walk(data []byte) survey {
	s := survey{bad: -1}
	h := b.sum()
	for at := 0; at < len(data); {
		r, ok := nextRecord(data[at:])
		if !ok || !r.good(h) {
			if s.bad < 0 {
				s.bad = at
			}
			if at = b.resume(data, at+1, h); at < 0 {
				break
			}
			continue
		}
		at += r.size
		switch {
		case !r.batch():
		case s.bad < 0:
			s.last = r.place
		default:
			s.behind = r.place
		}
	}
	return s
}

// resume is where the next good record begins, -1 if there is none.
func (b *block) resume(data []byte, from int, h *highwayhash.Digest64) int {
	for {
		found := bytes.Index(data[min(from+recordHead, len(data)):], []byte(subject))
		if found < 0 {
			return -1
		}
		from += found
		if r, ok := nextRecord(data[from:]); ok && string(r.subject) == subject && r.good(h) {
			return from
		}
		from++
	}
}
