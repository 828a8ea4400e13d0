package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Hash is the SHA-256 of a batch and, through the hash of the batch before it that every batch
// carries, of everything before it.
type Hash [sha256.Size]byte

// ID tells batches apart, so that a node knows its own when the answer to storing it was lost.
type ID [16]byte

// Batch is what is stored at once: commands in a row, as schema.AppendEnvelope writes them.
type Batch struct {
	Seq      uint64 // where it stands in the log, from 1; not part of its bytes
	Prev     Hash   // of the batch before; zero for the first one
	ID       ID
	Commands []byte
}

// A stored batch is: magic, version, CRC-32C of what follows, Prev, ID, Commands.
const (
	batchMagic   = 'B'
	batchVersion = 1
	batchHead    = 2 + 4 + sha256.Size + 16
)

// ErrDamaged is wrapped by every error that means bytes of the log are not what was written.
var ErrDamaged = errors.New("the log is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Append writes the batch behind dst.
func (b *Batch) Append(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, batchMagic, batchVersion, 0, 0, 0, 0)
	dst = append(dst, b.Prev[:]...)
	dst = append(dst, b.ID[:]...)
	dst = append(dst, b.Commands...)
	binary.LittleEndian.PutUint32(dst[start+2:], crc32.Checksum(dst[start+6:], castagnoli))
	return dst
}

// Hash of the batch: of what the checksum covers.
func (b *Batch) Hash() Hash {
	h := sha256.New()
	h.Write(b.Prev[:])
	h.Write(b.ID[:])
	h.Write(b.Commands)
	return Hash(h.Sum(nil))
}

// DecodeBatch reads a stored batch. The commands point into data.
func DecodeBatch(seq uint64, data []byte) (Batch, error) {
	b := Batch{Seq: seq}
	switch {
	case len(data) < batchHead || data[0] != batchMagic:
		return b, fmt.Errorf("%w: batch %d does not begin like one", ErrDamaged, seq)
	case data[1] != batchVersion:
		return b, fmt.Errorf("batch %d has format %d, this program reads format %d: use the newer program that wrote it", seq, data[1], batchVersion)
	case crc32.Checksum(data[6:], castagnoli) != binary.LittleEndian.Uint32(data[2:]):
		return b, fmt.Errorf("%w: the checksum of batch %d does not fit", ErrDamaged, seq)
	}
	r := bytes.NewBuffer(data[6:])
	copy(b.Prev[:], r.Next(sha256.Size))
	copy(b.ID[:], r.Next(len(b.ID)))
	b.Commands = r.Bytes()
	return b, nil
}

// Follows checks that the batch is the one after another.
func (b *Batch) Follows(seq uint64, hash Hash) error {
	if b.Seq != seq+1 {
		return fmt.Errorf("%w: batch %d comes where %d should be; batches in between are missing", ErrDamaged, b.Seq, seq+1)
	}
	if b.Prev != hash {
		return fmt.Errorf("%w: batch %d does not continue batch %d as it was when it was applied", ErrDamaged, b.Seq, seq)
	}
	return nil
}
