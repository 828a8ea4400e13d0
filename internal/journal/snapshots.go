package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bourse/internal/disk"
)

// Snapshot is a state of the machine and the place of the log that it stands for.
type Snapshot struct {
	Mark  Mark
	State []byte
}

// A stored snapshot is: magic, Mark, State, SHA-256 of all that. The state is opaque here.
const (
	snapshotDir   = "snapshots"
	snapshotMagic = "bourse state 1\n"
	snapshotHead  = len(snapshotMagic) + 8 + len(Hash{})
	snapshotsKept = 3
)

// ErrSnapshot is wrapped by errors about a snapshot that cannot be used.
var ErrSnapshot = errors.New("the snapshot cannot be used")

// EncodeSnapshot writes a snapshot as it is stored.
func EncodeSnapshot(s *Snapshot) []byte {
	head, sum := s.frame()
	return slices.Concat(head, s.State, sum)
}

// frame is what is stored before and behind the state.
func (s *Snapshot) frame() (head, sum []byte) {
	head = append(head, snapshotMagic...)
	head = binary.LittleEndian.AppendUint64(head, s.Mark.Seq)
	head = append(head, s.Mark.Hash[:]...)
	h := sha256.New()
	h.Write(head)
	h.Write(s.State)
	return head, h.Sum(nil)
}

// DecodeSnapshot reads a stored snapshot. The state points into data.
func DecodeSnapshot(data []byte) (Snapshot, error) {
	body := len(data) - sha256.Size
	if body < snapshotHead || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return Snapshot{}, fmt.Errorf("%w: it does not begin like one", ErrSnapshot)
	}
	if sum := sha256.Sum256(data[:body]); string(sum[:]) != string(data[body:]) {
		return Snapshot{}, fmt.Errorf("%w: its SHA-256 does not fit; it was damaged or cut off", ErrSnapshot)
	}
	s := Snapshot{State: data[snapshotHead:body]}
	s.Mark.Seq = binary.LittleEndian.Uint64(data[len(snapshotMagic):])
	copy(s.Mark.Hash[:], data[len(snapshotMagic)+8:])
	return s, nil
}

// SaveSnapshot writes a snapshot aside, syncs and renames it, reads it back from the disk and lets
// check look at what is there. One that check refuses is removed; otherwise the oldest ones are.
// What s holds of the state is let go, so that there is not twice as much of it in memory.
func (d *Dir) SaveSnapshot(s *Snapshot, check func(*Snapshot) error) error {
	path, seq := d.snapshotPath(s.Mark.Seq), s.Mark.Seq
	head, sum := s.frame()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the directory of snapshots: %w", err)
	}
	if err := disk.Replace(path, head, s.State, sum); err != nil {
		return err
	}
	s.State = nil
	read, err := d.LoadSnapshot(seq)
	if err == nil {
		err = check(&read)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("reading back the snapshot of batch %d: %w: %w", seq, ErrSnapshot, err), os.Remove(path))
	}
	all, err := d.Snapshots()
	if err != nil {
		return err
	}
	for len(all) > snapshotsKept {
		if err := os.Remove(d.snapshotPath(all[0])); err != nil {
			return fmt.Errorf("removing an old snapshot: %w", err)
		}
		all = all[1:]
	}
	return nil
}

// LoadSnapshot reads the snapshot of a place.
func (d *Dir) LoadSnapshot(seq uint64) (Snapshot, error) {
	path := d.snapshotPath(seq)
	data, err := os.ReadFile(path)
	if err != nil {
		return Snapshot{}, fmt.Errorf("reading a snapshot: %w", err)
	}
	s, err := DecodeSnapshot(data)
	if err == nil && s.Mark.Seq != seq {
		err = fmt.Errorf("%w: it is of batch %d", ErrSnapshot, s.Mark.Seq)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// NewestSnapshot is the newest snapshot up to a place that can be read, nil if there is none. One
// that is damaged, or removed meanwhile for a newer one, is passed over: the log has everything.
func (d *Dir) NewestSnapshot(upTo uint64) (*Snapshot, error) {
	all, err := d.Snapshots()
	if err != nil {
		return nil, err
	}
	for _, seq := range slices.Backward(all) {
		if seq > upTo {
			continue
		}
		if s, err := d.LoadSnapshot(seq); err == nil {
			return &s, nil
		}
	}
	return nil, nil
}

// Snapshots are the places that there are snapshots of, oldest first.
func (d *Dir) Snapshots() ([]uint64, error) {
	entries, err := os.ReadDir(filepath.Join(d.path, snapshotDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing the snapshots: %w", err)
	}
	var all []uint64
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".state")
		if seq, err := strconv.ParseUint(name, 10, 64); ok && err == nil {
			all = append(all, seq)
		}
	}
	slices.Sort(all)
	return all, nil
}

func (d *Dir) snapshotPath(seq uint64) string {
	return filepath.Join(d.path, snapshotDir, fmt.Sprintf("%020d.state", seq))
}
