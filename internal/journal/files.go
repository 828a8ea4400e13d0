package journal

import (
	"context"
	"fmt"
	"path/filepath"
)

// Files is the log of an embedded server as it lies on disk. It is read and never changed, also
// while the server writes to it: a batch that was acknowledged is in its file. The server itself is not
// asked for the past, because it cuts off a file behind a record that it cannot read.
type Files struct{ dir string }

// OpenFiles is the log in a data directory.
func OpenFiles(dir string) *Files { return &Files{dir} }

// Last is the place of the last batch, 0 when there is none. The end of a write that was
// interrupted does not count; batches behind a damaged one do.
func (f *Files) Last() (uint64, error) {
	all, err := blocks(f.dir)
	if err != nil {
		return 0, err
	}
	var memory []byte
	for i := len(all) - 1; i >= 0; i-- {
		if memory, err = all[i].load(memory); err != nil {
			return 0, err
		}
		s := all[i].walk(memory)
		if last := max(s.last, s.behind); last > 0 {
			return last, nil
		}
	}
	return 0, nil
}

// Read calls each with the batches after one place up to another, in order. A batch is valid
// during the call only.
func (f *Files) Read(ctx context.Context, after, upTo uint64, each func(*Batch) error) error {
	if after >= upTo {
		return nil
	}
	all, err := blocks(f.dir)
	if err != nil {
		return err
	}
	start := len(all) - 1
	for ; start > 0; start-- {
		if first, known := all[start].first(); known && first <= after+1 {
			break
		}
	}
	var memory []byte
	for _, b := range all[max(start, 0):] {
		if memory, err = b.load(memory); err != nil {
			return err
		}
		if after, err = b.read(ctx, memory, after, upTo, each); err != nil || after == upTo {
			return err
		}
	}
	return fmt.Errorf("%w: batches %d to %d are missing at its end", ErrDamaged, after+1, upTo)
}

// read goes through a block and returns the place that it came to.
func (b *block) read(ctx context.Context, data []byte, after, upTo uint64, each func(*Batch) error) (uint64, error) {
	h := b.sum()
	for at := 0; at < len(data); {
		r, ok := nextRecord(data[at:])
		if ok && r.batch() && r.place <= after {
			at += r.size
			continue
		}
		if !ok || !r.good(h) {
			return after, fmt.Errorf("%w: batch %d cannot be read, at byte %d of %s", ErrDamaged, after+1, at, filepath.Base(b.path))
		}
		at += r.size
		if !r.batch() {
			continue
		}
		if r.place != after+1 {
			return after, missing(r.place, after+1)
		}
		if err := ctx.Err(); err != nil {
			return after, err
		}
		batch, err := DecodeBatch(r.place, r.payload)
		if err != nil {
			return after, err
		}
		if err := each(&batch); err != nil {
			return after, err
		}
		if after = r.place; after == upTo {
			break
		}
	}
	return after, nil
}

// missing is the error of a batch that comes too early.
func missing(place, expected uint64) error {
	return fmt.Errorf("%w: batch %d comes where %d should be; batches in between are missing", ErrDamaged, place, expected)
}
