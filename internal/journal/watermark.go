package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Mark is a place of the log and the hash of the batch there.
type Mark struct {
	Seq  uint64
	Hash Hash
}

// Watermark remembers, outside of the stream, how far the log was acknowledged. It is written
// after every acknowledgement and not synced: that survives the death of the process and costs
// next to nothing. After a power cut it may be behind, which only makes the check weaker; each
// snapshot holds a mark of its own, which is synced.
type Watermark struct{ file *os.File }

const (
	watermarkFile = "watermark"
	markSize      = 8 + len(Hash{}) + 4
)

// OpenWatermark opens the watermark of a data directory and reads it; the mark is zero when
// there is none.
func (d *Dir) OpenWatermark() (*Watermark, Mark, error) {
	path := filepath.Join(d.path, watermarkFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, Mark{}, fmt.Errorf("opening the watermark: %w", err)
	}
	mark, err := readMark(f)
	if err != nil {
		f.Close()
		return nil, Mark{}, fmt.Errorf("%s: %w", path, err)
	}
	return &Watermark{f}, mark, nil
}

// Watermark reads the watermark of a data directory; it is zero when there is none.
func (d *Dir) Watermark() (Mark, error) {
	path := filepath.Join(d.path, watermarkFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Mark{}, nil
	}
	if err != nil {
		return Mark{}, fmt.Errorf("opening the watermark: %w", err)
	}
	defer f.Close()
	mark, err := readMark(f)
	if err != nil {
		return Mark{}, fmt.Errorf("%s: %w", path, err)
	}
	return mark, nil
}

func readMark(f *os.File) (Mark, error) {
	var buf [markSize]byte
	n, err := f.ReadAt(buf[:], 0)
	if n == 0 && (errors.Is(err, io.EOF) || errors.Is(err, fs.ErrNotExist)) {
		return Mark{}, nil
	}
	sum := binary.LittleEndian.Uint32(buf[markSize-4:])
	if n != markSize || crc32.Checksum(buf[:markSize-4], castagnoli) != sum {
		return Mark{}, fmt.Errorf("%w: the watermark cannot be read; if the log is known to be whole, remove the file", ErrDamaged)
	}
	m := Mark{Seq: binary.LittleEndian.Uint64(buf[:])}
	copy(m.Hash[:], buf[8:])
	return m, nil
}

// Set moves the watermark.
func (w *Watermark) Set(m Mark) error {
	var buf [markSize]byte
	binary.LittleEndian.PutUint64(buf[:], m.Seq)
	copy(buf[8:], m.Hash[:])
	binary.LittleEndian.PutUint32(buf[markSize-4:], crc32.Checksum(buf[:markSize-4], castagnoli))
	if _, err := w.file.WriteAt(buf[:], 0); err != nil {
		return fmt.Errorf("writing the watermark: %w", err)
	}
	return nil
}

// Close makes the watermark durable.
func (w *Watermark) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }
