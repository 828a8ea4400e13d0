package work

import (
	"encoding/binary"

	"bourse/internal/network/driver"
)

// Share is what a miner found, or says so.
type Share struct {
	Extra1  [Extra1Size]byte
	Extra2  [Extra2Size]byte
	Version uint32
	Time    uint32
	Nonce   uint32
}

// Room is where shares are hashed, one at a time. It grows to what the largest needs and is used again.
type Room struct {
	first  []byte
	pair   [64]byte
	header [80]byte
}

// transaction writes the first transaction of a share, without a witness.
func (j *Job) transaction(to []byte, s *Share) []byte {
	to = append(to, j.begin...)
	to = append(to, s.Extra1[:]...)
	to = append(to, s.Extra2[:]...)
	return append(to, j.Body.end...)
}

// Hash is that of the header of a share.
func (j *Job) Hash(s *Share, r *Room) [32]byte {
	r.first = j.transaction(r.first[:0], s)
	root := double(r.first)
	for i := range j.branch {
		copy(r.pair[:], root[:])
		copy(r.pair[32:], j.branch[i][:])
		root = double(r.pair[:])
	}
	h := r.header[:]
	binary.LittleEndian.PutUint32(h, s.Version)
	copy(h[4:], j.Parent[:])
	copy(h[36:], root[:])
	binary.LittleEndian.PutUint32(h[68:], s.Time)
	binary.LittleEndian.PutUint32(h[72:], j.Bits)
	binary.LittleEndian.PutUint32(h[76:], s.Nonce)
	return double(h)
}

// Block is the whole block of a share, with the witness of its first transaction, if the template binds one.
func (j *Job) Block(s *Share) []byte {
	var r Room
	j.Hash(s, &r)
	block := append([]byte(nil), r.header[:]...)
	block = appendCount(block, 1+len(j.Txs))
	block = append(block, witnessed(r.first, j.Template)...)
	for i := range j.Txs {
		block = append(block, j.Txs[i].Raw...)
	}
	return block
}

// witnessed is the first transaction with its witness, 32 zeros, which is what nodes reckon with in what binds the witnesses.
func witnessed(first []byte, t *driver.Template) []byte {
	if t.Commitment == nil {
		return first
	}
	body, lock := first[4:len(first)-4], first[len(first)-4:]
	whole := append([]byte(nil), first[:4]...)
	whole = append(whole, 0, 1) // there are witnesses
	whole = append(whole, body...)
	whole = append(whole, 1, 32)
	whole = append(whole, make([]byte, 32)...)
	return append(whole, lock...)
}
