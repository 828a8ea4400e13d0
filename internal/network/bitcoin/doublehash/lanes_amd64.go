package doublehash

import (
	"crypto/sha256"
	"encoding/binary"

	"golang.org/x/sys/cpu"
)

const (
	lanes      = 8
	blockBytes = sha256.BlockSize
	// longBytes is from where on a message is hashed by itself: the last one must not keep a lane busy for long while the others have
	// nothing to do.
	longBytes = 4096
)

var (
	abreast = cpu.X86.HasAVX2
	shorter = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL // half as many instructions
)

// state is that of FIPS 180-4 of all lanes: a row has the same word of each.
type state [8][lanes]uint32

var initial = [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

var constants = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}

// behindHash is the padding of a message that is a hash: a bit, zeros, and the length of 256 bits.
var behindHash = [blockBytes - sha256.Size]byte{0: 0x80, 30: 1}

// compressAVX2 takes a block of every lane into the state.
//
//go:noescape
func compressAVX2(s *state, blocks *[lanes]*[blockBytes]byte, constants *[64]uint32)

// compressAVX512 does the same.
//
//go:noescape
func compressAVX512(s *state, blocks *[lanes]*[blockBytes]byte, constants *[64]uint32)

// lane is where one message stands.
type lane struct {
	busy   bool
	number int                  // of the message among all
	rest   []byte               // whole blocks of the message
	end    []byte               // blocks of the tail
	tail   [2 * blockBytes]byte // the last bytes of the message and the padding
	last   bool                 // the message is the hash of the one that was asked for
}

// sumAbreast gives each lane the next message when it is done with one. A lane without one hashes what is left in it, for nobody.
func sumAbreast[Hash ~[sha256.Size]byte](dst []Hash, messages [][]byte) {
	var s state
	var all [lanes]lane
	var blocks [lanes]*[blockBytes]byte
	next := 0
	for {
		busy := false
		for i := range all {
			l := &all[i]
			blocks[i] = (*[blockBytes]byte)(l.tail[:])
			for !l.busy && next < len(messages) {
				if len(messages[next]) > longBytes {
					dst[next] = Hash(one(messages[next]))
				} else {
					l.begin(next, messages[next])
					s.reset(i)
				}
				next++
			}
			if l.busy {
				blocks[i] = l.block()
				busy = true
			}
		}
		if !busy {
			return
		}
		if shorter {
			compressAVX512(&s, &blocks, &constants)
		} else {
			compressAVX2(&s, &blocks, &constants)
		}
		for i := range all {
			if l := &all[i]; l.busy && len(l.end) == 0 {
				hash := s.hash(i)
				if l.last {
					dst[l.number], l.busy = Hash(hash), false
					continue
				}
				l.again(&hash)
				s.reset(i)
			}
		}
	}
}

func (s *state) reset(lane int) {
	for i := range s {
		s[i][lane] = initial[i]
	}
}

func (s *state) hash(lane int) (hash [sha256.Size]byte) {
	for i := range s {
		binary.BigEndian.PutUint32(hash[4*i:], s[i][lane])
	}
	return hash
}

// begin takes a message.
func (l *lane) begin(number int, message []byte) {
	whole := len(message) &^ (blockBytes - 1)
	l.busy, l.number, l.last = true, number, false
	l.rest = message[:whole]
	l.tail = [2 * blockBytes]byte{}
	size := copy(l.tail[:], message[whole:])
	l.tail[size] = 0x80
	l.end = l.tail[:blockBytes]
	if size+1+8 > blockBytes {
		l.end = l.tail[:]
	}
	binary.BigEndian.PutUint64(l.end[len(l.end)-8:], 8*uint64(len(message)))
}

// block is the next one of the message.
func (l *lane) block() (next *[blockBytes]byte) {
	if len(l.rest) > 0 {
		next, l.rest = (*[blockBytes]byte)(l.rest), l.rest[blockBytes:]
	} else {
		next, l.end = (*[blockBytes]byte)(l.end), l.end[blockBytes:]
	}
	return next
}

// again takes the hash of a message as the next one.
func (l *lane) again(hash *[sha256.Size]byte) {
	copy(l.tail[:], hash[:])
	copy(l.tail[sha256.Size:], behindHash[:])
	l.end, l.last = l.tail[:blockBytes], true
}
