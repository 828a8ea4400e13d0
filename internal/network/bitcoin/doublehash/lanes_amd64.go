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

// begun is the state before the first block.
var begun = func() (s state) {
	for i, word := range [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {
		for lane := range lanes {
			s[i][lane] = word
		}
	}
	return s
}()

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

// sumAbreast hashes the messages in the order of how many blocks they have, so that those of a group end at about the same time. A lane that
// is done before the others hashes what is left in it, for nobody.
func sumAbreast[Hash ~[sha256.Size]byte](dst []Hash, messages [][]byte) {
	order := make([]int32, 0, len(messages))
	var ends [mostBlocks + 2]int32 // first how many messages have fewer blocks, then where the next one of so many stands
	for i, m := range messages {
		if len(m) > longBytes {
			dst[i] = Hash(one(m))
			continue
		}
		ends[blocksOf(len(m))+1]++
		order = order[:len(order)+1]
	}
	for i := range ends[1:] {
		ends[i+1] += ends[i]
	}
	for i, m := range messages {
		if len(m) <= longBytes {
			at := &ends[blocksOf(len(m))]
			order[*at] = int32(i)
			*at++
		}
	}
	var g group
	for i := range g.hashes {
		copy(g.hashes[i][sha256.Size:], behindHash[:])
	}
	for len(order) > 0 {
		n := min(lanes, len(order))
		for i, number := range order[:n] {
			g.begin(i, messages[number])
		}
		for i := n; i < lanes; i++ {
			g.begin(i, nil)
		}
		g.sum()
		for i, number := range order[:n] {
			g.state.hash(i, dst[number][:])
		}
		order = order[n:]
	}
}

// blocksOf is how many blocks a message of a size has with its padding: a bit and the length.
func blocksOf(size int) int { return (size+8)/blockBytes + 1 }

const mostBlocks = (longBytes+8)/blockBytes + 1

// group is a message for each lane.
type group struct {
	state    state
	blocks   [lanes]*[blockBytes]byte
	messages [lanes][]byte
	count    [lanes]int                  // blocks of a message with its padding
	tails    [lanes][2 * blockBytes]byte // the last bytes of each message and the padding
	hashes   [lanes][blockBytes]byte     // the hash of each message and the padding
}

// begin takes the message of a lane.
func (g *group) begin(i int, message []byte) {
	tail := &g.tails[i]
	whole := len(message) &^ (blockBytes - 1)
	g.messages[i], g.count[i] = message[:whole], blocksOf(len(message))
	size := copy(tail[:], message[whole:])
	tail[size] = 0x80
	end := g.count[i]*blockBytes - whole
	clear(tail[size+1 : end])
	binary.BigEndian.PutUint64(tail[end-8:], 8*uint64(len(message)))
}

// sum leaves the hashes of the hashes in the state.
func (g *group) sum() {
	most := 0
	for i := range g.count {
		most = max(most, g.count[i])
	}
	g.state = begun
	for n := range most {
		for i := range g.blocks {
			g.blocks[i] = g.block(i, n)
		}
		g.compress()
		for i := range g.count {
			if g.count[i] == n+1 {
				g.state.hash(i, g.hashes[i][:])
			}
		}
	}
	for i := range g.blocks {
		g.blocks[i] = &g.hashes[i]
	}
	g.state = begun
	g.compress()
}

// block n of a message; of one that has no more, anything.
func (g *group) block(i, n int) *[blockBytes]byte {
	at := n * blockBytes
	if m := g.messages[i]; at < len(m) {
		return (*[blockBytes]byte)(m[at:])
	} else if at -= len(m); at < blockBytes {
		return (*[blockBytes]byte)(g.tails[i][:])
	}
	return (*[blockBytes]byte)(g.tails[i][blockBytes:])
}

func (g *group) compress() {
	if shorter {
		compressAVX512(&g.state, &g.blocks, &constants)
	} else {
		compressAVX2(&g.state, &g.blocks, &constants)
	}
}

// hash writes that of a lane.
func (s *state) hash(lane int, to []byte) {
	_ = to[sha256.Size-1]
	for i := range s {
		binary.BigEndian.PutUint32(to[4*i:], s[i][lane])
	}
}
