package doublehash

import (
	"encoding/binary"

	"github.com/btcsuite/btcd/chainhash/v2"
	"golang.org/x/sys/cpu"
)

const (
	lanes      = 8
	blockBytes = 64
	// longBytes is from where on a message is hashed by itself: the last one must not keep a lane busy for long while the others have
	// nothing to do.
	longBytes = 4096
)

var abreast = cpu.X86.HasAVX2

// state and words are those of FIPS 180-4, of all lanes: a row has the same word of each.
type (
	state [8][lanes]uint32
	words [16][lanes]uint32
)

var initial = [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

// compress takes a block of every lane into the state. It leaves nothing useful in the words.
//
//go:noescape
func compress(s *state, w *words)

// lane is where one message stands.
type lane struct {
	dst  *chainhash.Hash      // nil: there is nothing to do
	rest []byte               // whole blocks of the message
	tail [2 * blockBytes]byte // its last bytes and the padding
	end  []byte               // blocks of the tail
	last bool                 // the hash of the message is known, and is hashed itself
}

// sumAbreast gives each lane the next message when it is done with one.
func sumAbreast(dst []chainhash.Hash, messages [][]byte) {
	var s state
	var w words
	var all [lanes]lane
	next := 0
	for {
		busy := false
		for i := range all {
			l := &all[i]
			if l.dst == nil {
				for next < len(messages) && len(messages[next]) > longBytes {
					dst[next] = one(messages[next])
					next++
				}
				if next == len(messages) {
					continue
				}
				l.begin(&dst[next], messages[next])
				s.reset(i)
				next++
			}
			l.load(i, &s, &w)
			busy = true
		}
		if !busy {
			return
		}
		compress(&s, &w)
		for i := range all {
			all[i].unload(i, &s)
		}
	}
}

func (s *state) reset(lane int) {
	for i := range s {
		s[i][lane] = initial[i]
	}
}

// begin takes a message.
func (l *lane) begin(dst *chainhash.Hash, message []byte) {
	whole := len(message) &^ (blockBytes - 1)
	l.dst, l.rest, l.last = dst, message[:whole], false
	l.tail = [2 * blockBytes]byte{}
	size := copy(l.tail[:], message[whole:])
	l.tail[size] = 0x80
	l.end = l.tail[:blockBytes]
	if size+1+8 > blockBytes {
		l.end = l.tail[:]
	}
	binary.BigEndian.PutUint64(l.end[len(l.end)-8:], 8*uint64(len(message)))
}

// load writes the next block of a lane into its words.
func (l *lane) load(at int, s *state, w *words) {
	if l.last { // the hash of the message, a bit, and the length of 256 bits
		for i := range s {
			w[i][at], w[8+i][at] = s[i][at], 0
		}
		w[8][at], w[15][at] = 1<<31, 256
		s.reset(at)
		return
	}
	var block *[blockBytes]byte
	if len(l.rest) > 0 {
		block, l.rest = (*[blockBytes]byte)(l.rest), l.rest[blockBytes:]
	} else {
		block, l.end = (*[blockBytes]byte)(l.end), l.end[blockBytes:]
	}
	for i := range w {
		w[i][at] = binary.BigEndian.Uint32(block[4*i:])
	}
}

// unload writes the hash if a lane is done with its message.
func (l *lane) unload(at int, s *state) {
	switch {
	case l.dst == nil || len(l.end) > 0:
	case !l.last:
		l.last = true
	default:
		for i := range s {
			binary.BigEndian.PutUint32(l.dst[4*i:], s[i][at])
		}
		l.dst = nil
	}
}
