package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"bourse/internal/disk"
)

// keepDamaged copies the files aside that the embedded server would cut off when it opens them,
// and returns where they are; empty when there are none. After a stop that was not in order the
// server goes through all its files and cuts each off behind the first record that it cannot read,
// good batches included. The torn end of the last write, which was never acknowledged, is no damage.
//
// After an orderly stop the server trusts its index and looks at no record, and neither is
// anything looked at here.
func keepDamaged(dir string) (string, error) {
	all, err := blocks(dir)
	if err != nil || len(all) == 0 || trusted(dir, all) {
		return "", err
	}
	// One that cannot be read is an error elsewhere, and here nothing is known then.
	acknowledged, _ := (&Dir{path: dir}).Watermark()
	var damaged []string
	var reached uint64
	var memory []byte
	for i := range all {
		if memory, err = all[i].load(memory); err != nil {
			return "", err
		}
		s := all[i].walk(memory)
		last := i == len(all)-1
		reached = max(reached, s.last)
		if s.bad >= 0 && (!last || s.behind > 0 || reached < acknowledged.Seq) {
			damaged = append(damaged, all[i].path)
		}
	}
	if len(damaged) == 0 {
		return "", nil
	}
	aside := filepath.Join(dir, "journal.damaged-"+time.Now().UTC().Format("20060102T150405.000000000Z"))
	if err := keep(aside, damaged); err != nil {
		return "", errors.Join(fmt.Errorf("%w, and its files cannot be kept as they are before they are repaired: %w; nothing was changed", ErrDamaged, err),
			os.RemoveAll(aside))
	}
	return aside, nil
}

// trusted reports whether the server will believe its index: it is whole and ends with the
// checksum of the last record.
func trusted(dir string, all []block) bool {
	index, err := os.ReadFile(filepath.Join(dir, blockDir, indexFile))
	body := len(index) - recordSum
	if err != nil || body < recordSum {
		return false
	}
	h := newSum(StreamName)
	h.Write(index[:body])
	if !bytes.Equal(h.Sum(nil), index[body:]) {
		return false
	}
	for i := range all {
		if all[i].number != i+1 {
			return false
		}
	}
	end, err := all[len(all)-1].end()
	return err == nil && bytes.Equal(end, index[body-recordSum:body])
}

// end is the checksum of the last record of a block.
func (b *block) end() ([]byte, error) {
	f, err := os.Open(b.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := make([]byte, recordSum)
	info, err := f.Stat()
	if err != nil || info.Size() < recordSum {
		return sum, err
	}
	_, err = f.ReadAt(sum, info.Size()-recordSum)
	return sum, err
}

func keep(aside string, files []string) error {
	if err := os.Mkdir(aside, 0o700); err != nil {
		return err
	}
	for _, file := range files {
		if err := copyFile(filepath.Join(aside, filepath.Base(file)), file); err != nil {
			return err
		}
	}
	return errors.Join(disk.SyncDir(aside), disk.SyncDir(filepath.Dir(aside)))
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
