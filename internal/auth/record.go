package auth

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"bourse/internal/schema"
)

// header is at the beginning of the file. It has the size of a record, so that no record lies
// across the border of two sectors.
const header = "bourse nonces 1\n"

const recordSize = 16

// ErrDamaged means that the file of the used nonces is not one, or not any more.
var ErrDamaged = errors.New("the file of the used nonces is damaged")

// remedy is what an operator can do about it.
const remedy = "put back the file that was there, or move this one away: what the log holds is known without it, " +
	"but requests of the last seconds that only read could then be repeated"

type mode byte

const (
	ordinary  mode = iota + 1 // all nonces up to this one are used
	window                    // this nonce is used, and the ordinary mode has to be above it
	forgotten                 // the key is no more
)

// record is one of the file: the key in 4 bytes, the mode, a checksum in 3 bytes, the nonce in 8,
// all little endian.
type record struct {
	key   schema.KeyID
	mode  mode
	nonce uint64
}

func (r record) append(dst []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(r.key))
	dst = append(dst, byte(r.mode), 0, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, r.nonce)
	sum := checksum(dst[start:])
	copy(dst[start+5:start+8], sum[:])
	return dst
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is that of all but the checksum.
func checksum(data []byte) [3]byte {
	sum := crc32.Update(crc32.Checksum(data[:5], castagnoli), castagnoli, data[8:recordSize])
	return [3]byte{byte(sum), byte(sum >> 8), byte(sum >> 16)}
}

// readRecords reads a file; one that is not there is empty. What a crash leaves behind at the
// end is no damage: half a record, or records of zeros where the file was made longer and the
// data never came.
func readRecords(path string) ([]record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the used nonces: %w", err)
	}
	if len(data) < len(header) || string(data[:len(header)]) != header {
		return nil, fmt.Errorf("%w: %s does not begin like one; %s", ErrDamaged, path, remedy)
	}
	var all []record
	for at := len(header); at+recordSize <= len(data); at += recordSize {
		raw := [recordSize]byte(data[at:])
		if raw == ([recordSize]byte{}) {
			continue
		}
		r := record{
			key:   schema.KeyID(binary.LittleEndian.Uint32(raw[:])),
			mode:  mode(raw[4]),
			nonce: binary.LittleEndian.Uint64(raw[8:]),
		}
		if [3]byte(raw[5:]) != checksum(raw[:]) || r.mode < ordinary || r.mode > forgotten {
			return nil, fmt.Errorf("%w: %s at byte %d; %s", ErrDamaged, path, at, remedy)
		}
		all = append(all, r)
	}
	return all, nil
}
