package work

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Sizes of what tells the work of one miner from that of all others: the listener chooses the first for each connection, the miner the second.
const (
	Extra1Size = 4
	Extra2Size = 8
)

// VersionMask are the bits of the version that miners may choose.
const VersionMask = 0x1fffe000

// tag stands in the first transaction of each block of ours.
const tag = "/bourse/"

// Body is a template with what all jobs of it have in common.
type Body struct {
	*driver.Template
	Network Target
	Most    int // the exponent of the highest difficulty that is not above the network's

	branch        [][32]byte
	begin, end    []byte // of the first transaction, around what is different in each job
	before, after []byte // of the notification, around job and clean
}

// NewBody prepares a template, for a block that pays to a script.
func NewBody(t *driver.Template, script []byte) (*Body, error) {
	b := &Body{Template: t, branch: branchOf(t.Txs)}
	var ok bool
	if b.Network, ok = OfBits(t.Bits); !ok {
		return nil, fmt.Errorf("the bits %08x of the template are no target", t.Bits)
	}
	if b.Most, ok = b.Network.Exponent(); !ok {
		return nil, fmt.Errorf("the bits %08x of the template are easier than the least difficulty", t.Bits)
	}
	if t.Height > 1<<31-1 || len(script) > 255 || len(t.Commitment) > 255 {
		return nil, errors.New("height or scripts of the template are too large")
	}
	height := pushNumber(t.Height)
	extra := 8 + 4 + Extra1Size + Extra2Size
	b.begin = binary.LittleEndian.AppendUint32(nil, 2) // version
	b.begin = append(b.begin, 1)                       // one input, which spends nothing
	b.begin = append(b.begin, make([]byte, 32)...)
	b.begin = binary.LittleEndian.AppendUint32(b.begin, 0xffffffff)
	b.begin = append(b.begin, byte(len(height)+1+extra+1+len(tag)))
	b.begin = append(b.begin, height...)
	b.begin = append(b.begin, byte(extra))

	b.end = append(b.end, byte(len(tag)))
	b.end = append(b.end, tag...)
	b.end = binary.LittleEndian.AppendUint32(b.end, 0xffffffff) // sequence
	outputs := byte(1)
	if t.Commitment != nil {
		outputs = 2
	}
	b.end = append(b.end, outputs)
	b.end = appendOutput(b.end, t.Value, script)
	if t.Commitment != nil {
		b.end = appendOutput(b.end, 0, t.Commitment)
	}
	b.end = binary.LittleEndian.AppendUint32(b.end, 0) // lock time
	b.notification()
	return b, nil
}

// pushNumber is how a script names a height: its first item, which rules ask for.
func pushNumber(n uint64) []byte {
	if n == 0 {
		return []byte{0}
	}
	if n <= 16 {
		return []byte{0x50 + byte(n)}
	}
	var number []byte
	for ; n > 0; n >>= 8 {
		number = append(number, byte(n))
	}
	if number[len(number)-1]&0x80 != 0 { // it would be a sign
		number = append(number, 0)
	}
	return append([]byte{byte(len(number))}, number...)
}

func appendOutput(to []byte, value uint64, script []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, value)
	to = appendCount(to, len(script))
	return append(to, script...)
}

// appendCount appends a number as Bitcoin counts things.
func appendCount(to []byte, n int) []byte {
	switch {
	case n < 0xfd:
		return append(to, byte(n))
	case n <= 0xffff:
		return binary.LittleEndian.AppendUint16(append(to, 0xfd), uint16(n))
	default:
		return binary.LittleEndian.AppendUint32(append(to, 0xfe), uint32(n))
	}
}

// branchOf is what the hash of the first transaction is hashed with, one after the other, to get the root of all.
func branchOf(txs []driver.TemplateTx) (branch [][32]byte) {
	level := make([][32]byte, 1+len(txs)) // the first is not known
	for i := range txs {
		level[i+1] = txs[i].ID
	}
	var pair [64]byte
	for len(level) > 1 {
		if len(level)%2 == 1 {
			level = append(level, level[len(level)-1])
		}
		branch = append(branch, level[1])
		next := level[:1]
		for i := 2; i < len(level); i += 2 {
			copy(pair[:], level[i][:])
			copy(pair[32:], level[i+1][:])
			next = append(next, double(pair[:]))
		}
		level = next
	}
	return branch
}

func double(b []byte) [32]byte {
	once := sha256.Sum256(b)
	return sha256.Sum256(once[:])
}

// notification writes what is the same in all notifications of the template.
func (b *Body) notification() {
	b.before = append(b.before, '"', ',', '"')
	parent := b.Parent
	for i := 0; i < len(parent); i += 4 {
		slices.Reverse(parent[i : i+4])
	}
	b.before = hex.AppendEncode(b.before, parent[:])
	b.before = append(b.before, '"', ',', '"')

	b.after = append(b.after, '"', ',', '"')
	b.after = hex.AppendEncode(b.after, b.end)
	b.after = append(b.after, '"', ',', '[')
	for i, hash := range b.branch {
		if i > 0 {
			b.after = append(b.after, ',')
		}
		b.after = append(b.after, '"')
		b.after = hex.AppendEncode(b.after, hash[:])
		b.after = append(b.after, '"')
	}
	b.after = fmt.Appendf(b.after, `],"%08x","%08x","%08x",`, b.Version, b.Bits, b.Time)
}

// Job is work on a template that no other job is: it has a number that no other job of its lease has. Each header counts once for it.
type Job struct {
	*Body
	ID     string
	Lease  schema.LeaseID
	Clean  bool // what came before it does not count any more
	Notice []byte

	begin []byte // of the first transaction, up to what the connection has of its own
	mu    sync.Mutex
	seen  map[[16]byte]struct{}
}

// Job makes a job.
func (b *Body) Job(lease schema.LeaseID, number uint32, clean bool) *Job {
	j := &Job{Body: b, ID: strconv.FormatUint(uint64(number), 16), Lease: lease, Clean: clean, seen: map[[16]byte]struct{}{}}
	j.begin = make([]byte, 0, len(b.begin)+12)
	j.begin = append(j.begin, b.begin...)
	j.begin = binary.BigEndian.AppendUint64(j.begin, uint64(lease))
	j.begin = binary.BigEndian.AppendUint32(j.begin, number)
	n := make([]byte, 0, 128+len(b.before)+2*len(j.begin)+len(b.after))
	n = append(n, `{"id":null,"method":"mining.notify","params":["`...)
	n = append(n, j.ID...)
	n = append(n, b.before...)
	n = hex.AppendEncode(n, j.begin)
	n = append(n, b.after...)
	n = strconv.AppendBool(n, clean)
	j.Notice = append(n, "]}\n"...)
	return j
}

// First reports whether a hash was not seen before, and remembers it. Its least bytes tell it from all others: the others are zero.
func (j *Job) First(hash *[32]byte) bool {
	key := [16]byte(hash[:])
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, is := j.seen[key]; is {
		return false
	}
	j.seen[key] = struct{}{}
	return true
}
