package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"bourse/internal/custody"
	"bourse/internal/journal"
	"bourse/internal/seal"
)

// A backup is a tar file of
//
//	backup.json            what it is and where it ends; the first entry
//	files/NAME             files of the data directory that the log does not give
//	snapshots/SEQ.state    the newest snapshot up to the end, if there is one
//	log/SEQ                batches from SEQ on as they are stored, each after its length
//	keys/NAME              files that open secrets, only if they were asked for
//
// The log is the exchange: history and market data are made from it again, and what is before it in
// the market data of a demo is one of the files. A batch keeps its bytes, so the restored log has the
// same chain of hashes.
const (
	backupFormat  = "bourse backup"
	backupVersion = 1

	manifestName = "backup.json"
	filesDir     = "files"
	snapshotsDir = "snapshots"
	logDir       = "log"
	keysDir      = "keys"

	// partBytes is how much log is gathered before it is written: tar wants to know sizes first.
	partBytes = journal.MaxBatch
	// maxPart is the longest part: the last batch of one may be as large as batches get.
	maxPart = partBytes + journal.MaxBatch + binary.MaxVarintLen64
)

// carried are files of the data directory that a backup holds where they are there. None of them
// is of use to a thief: the check and the signing key are sealed by the master key.
var carried = []string{seal.CheckFile, "jwt.key", "nonces", journal.PassesFile, "marketdata.seed"}

// secrets are files that a backup holds only if the keys are asked for. They open everything. The master key is the first.
var secrets = []string{seal.KeyFile, "operators/*.token", custody.SeedFile, custody.ClientFile}

// Manifest says what a backup is.
type Manifest struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Made    time.Time `json:"made"`
	// Batches is the place of the last batch, Hash that batch's hash.
	Batches uint64 `json:"batches"`
	Hash    []byte `json:"hash"`
}

func (m *Manifest) end() journal.Mark {
	mark := journal.Mark{Seq: m.Batches}
	copy(mark.Hash[:], m.Hash)
	return mark
}

// Source is what a backup is made from.
type Source struct {
	Dir      string            // the data directory
	End      journal.Mark      // the last batch of the backup
	Snapshot *journal.Snapshot // not after the end; nil: none
	// Read calls each with the batches from the first to the end.
	Read func(ctx context.Context, each func(*journal.Batch) error) error
}

// Backup is this directory as the source of a backup.
func (a *Archive) Backup(ctx context.Context) (*Source, error) {
	if err := a.whole(); err != nil {
		return nil, err
	}
	s := &Source{Dir: a.dir.Path()}
	if a.last > 0 {
		err := a.log.Read(ctx, a.last-1, a.last, func(b *journal.Batch) error {
			s.End = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var err error
	if s.Snapshot, err = a.dir.NewestSnapshot(a.last); err != nil {
		return nil, err
	}
	s.Read = func(ctx context.Context, each func(*journal.Batch) error) error {
		return a.log.Read(ctx, 0, a.last, each)
	}
	return s, nil
}

// Write writes a backup without keys, and checks every batch on the way.
func (s *Source) Write(ctx context.Context, w io.Writer) error {
	out := newPacker(w)
	manifest, err := json.Marshal(&Manifest{
		Format: backupFormat, Version: backupVersion, Made: out.made, Batches: s.End.Seq, Hash: s.End.Hash[:],
	})
	if err != nil {
		return err
	}
	if err := out.add(manifestName, append(manifest, '\n')); err != nil {
		return err
	}
	if err := out.addFiles(filesDir, s.Dir, carried); err != nil {
		return err
	}
	if s.Snapshot != nil {
		if err := out.add(snapshotEntry(s.Snapshot.Mark.Seq), journal.EncodeSnapshot(s.Snapshot)); err != nil {
			return err
		}
	}
	if err := s.writeLog(ctx, out); err != nil {
		return err
	}
	return out.close()
}

func (s *Source) writeLog(ctx context.Context, out *packer) error {
	var at journal.Mark
	var part, stored []byte
	first := uint64(1)
	flush := func() error {
		if len(part) == 0 {
			return nil
		}
		err := out.add(fmt.Sprintf("%s/%020d", logDir, first), part)
		part, first = part[:0], at.Seq+1
		return err
	}
	err := s.Read(ctx, func(b *journal.Batch) error {
		if err := b.Follows(at.Seq, at.Hash); err != nil {
			return err
		}
		at = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
		stored = b.Append(stored[:0])
		part = append(binary.AppendUvarint(part, uint64(len(stored))), stored...)
		if len(part) < partBytes {
			return nil
		}
		return flush()
	})
	if err == nil && at != s.End {
		err = fmt.Errorf("%w: the log ends at batch %d, not at batch %d as it was when the backup began", journal.ErrDamaged, at.Seq, s.End.Seq)
	}
	return errors.Join(err, flush())
}

func snapshotEntry(seq uint64) string { return fmt.Sprintf("%s/%020d.state", snapshotsDir, seq) }

// packer writes the entries of a backup.
type packer struct {
	tar  *tar.Writer
	made time.Time
}

func newPacker(w io.Writer) *packer {
	return &packer{tar: tar.NewWriter(w), made: time.Now().UTC().Truncate(time.Second)}
}

func (p *packer) add(name string, data []byte) error {
	err := p.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: p.made, Typeflag: tar.TypeReg})
	if err == nil {
		_, err = p.tar.Write(data)
	}
	if err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}

// addFiles adds those files of a directory that are there.
func (p *packer) addFiles(under, dir string, patterns []string) error {
	for _, pattern := range patterns {
		names, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return err
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return fmt.Errorf("reading what belongs to the backup: %w", err)
			}
			if err := p.add(path.Join(under, name), data); err != nil {
				return err
			}
		}
	}
	return nil
}

// addKeys adds the master key from where it is, and the other secrets that are there.
func (p *packer) addKeys(keys Keys) error {
	key, err := os.ReadFile(seal.KeyPath(keys.Dir, keys.Master))
	if err != nil {
		return fmt.Errorf("reading what belongs to the backup: %w", err)
	}
	if err := p.add(path.Join(keysDir, seal.KeyFile), key); err != nil {
		return err
	}
	return p.addFiles(keysDir, keys.Dir, secrets[1:])
}

func (p *packer) close() error {
	if err := p.tar.Close(); err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}

// Keys are where the keys of an exchange are: its data directory, and the file of its master key if that is elsewhere (seal.KeyPath). Without a
// directory there are none.
type Keys struct{ Dir, Master string }

// Keep copies a backup that comes from a running exchange, checks it on the way, and adds the
// keys if it is said where they are. A backup that was cut off is an error.
func Keep(w io.Writer, r io.Reader, keys Keys, progress Progress) (*Manifest, error) {
	in, out := newUnpacker(r), newPacker(w)
	for {
		e, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if e.under == logDir {
			err = in.batches(e.data, func(b *journal.Batch, _ []byte) error {
				progress(b.Seq, in.manifest.Batches)
				return nil
			})
		}
		if err == nil {
			err = out.add(path.Join(e.under, e.name), e.data)
		}
		if err != nil {
			return nil, err
		}
	}
	if keys.Dir != "" {
		if err := out.addKeys(keys); err != nil {
			return nil, err
		}
	}
	return in.manifest, out.close()
}

// ErrBackup is wrapped by errors about a file that is no backup, or not a whole one.
var ErrBackup = errors.New("the backup cannot be used")

// entry is one of a backup.
type entry struct {
	under, name string
	data        []byte // valid until the next one
}

// unpacker reads the entries of a backup and checks them: nothing in a name leads out of the
// directory that is restored, and the log is whole up to the end that the manifest names.
type unpacker struct {
	tar      *tar.Reader
	manifest *Manifest
	at       journal.Mark // the last batch that was read
	memory   bytes.Buffer
}

func newUnpacker(r io.Reader) *unpacker { return &unpacker{tar: tar.NewReader(r)} }

// next is the next entry after the manifest, io.EOF at the end of a whole backup.
func (u *unpacker) next() (e entry, err error) {
	header, err := u.tar.Next()
	switch {
	case errors.Is(err, io.EOF) && u.manifest != nil && u.at == u.manifest.end():
		return e, io.EOF
	case errors.Is(err, io.EOF) && u.manifest != nil:
		return e, fmt.Errorf("%w: it was cut off: it says %d batches and has %d", ErrBackup, u.manifest.Batches, u.at.Seq)
	case errors.Is(err, io.EOF):
		return e, fmt.Errorf("%w: it is empty", ErrBackup)
	case err != nil:
		return e, fmt.Errorf("%w: %w", ErrBackup, err)
	}
	e.under, e.name = splitEntry(header.Name)
	if e.under == logDir && header.Size > maxPart {
		return e, fmt.Errorf("%w: %s has %d bytes, the most is %d", ErrBackup, header.Name, header.Size, maxPart)
	}
	u.memory.Reset()
	if _, err := u.memory.ReadFrom(u.tar); err != nil {
		return e, fmt.Errorf("%w: %s: %w", ErrBackup, header.Name, err)
	}
	e.data = u.memory.Bytes()
	if u.manifest == nil {
		return e, u.begin(e)
	}
	if !e.expected() {
		return e, fmt.Errorf("%w: it holds %q, which does not belong into one", ErrBackup, header.Name)
	}
	return e, nil
}

func splitEntry(name string) (under, rest string) {
	for _, dir := range []string{filesDir, snapshotsDir, logDir, keysDir} {
		if prefix := dir + "/"; len(name) > len(prefix) && name[:len(prefix)] == prefix {
			return dir, name[len(prefix):]
		}
	}
	return "", name
}

// expected tells what belongs into a backup from what somebody put there.
func (e *entry) expected() bool {
	known := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			is, err := path.Match(pattern, e.name)
			return is && err == nil
		})
	}
	var seq uint64
	switch e.under {
	case "":
		return e.name == manifestName
	case filesDir:
		return known(carried)
	case keysDir:
		return known(secrets)
	case snapshotsDir:
		_, err := fmt.Sscanf(e.name, "%020d.state", &seq)
		return err == nil && snapshotEntry(seq) == path.Join(snapshotsDir, e.name)
	default:
		return true // a part of the log: its name is for people
	}
}

// begin reads the manifest.
func (u *unpacker) begin(e entry) error {
	var m Manifest
	if e.under != "" || e.name != manifestName || json.Unmarshal(e.data, &m) != nil || m.Format != backupFormat {
		return fmt.Errorf("%w: it does not begin like one; is this a file of 'bourse backup'?", ErrBackup)
	}
	if m.Version != backupVersion {
		return fmt.Errorf("%w: it has version %d, this program reads version %d: use the Bourse that wrote it", ErrBackup, m.Version, backupVersion)
	}
	if len(m.Hash) != len(journal.Hash{}) {
		return fmt.Errorf("%w: its hash has %d bytes instead of %d", ErrBackup, len(m.Hash), len(journal.Hash{}))
	}
	u.manifest = &m
	return nil
}

// batches goes through a part of the log and checks checksums and chain. Both arguments of each
// are valid during the call only.
func (u *unpacker) batches(part []byte, each func(b *journal.Batch, stored []byte) error) error {
	for len(part) > 0 {
		size, n := binary.Uvarint(part)
		if n <= 0 || size > uint64(len(part)-n) {
			return fmt.Errorf("%w: batch %d is cut off", ErrBackup, u.at.Seq+1)
		}
		stored := part[n : n+int(size)]
		part = part[n+int(size):]
		b, err := journal.DecodeBatch(u.at.Seq+1, stored)
		if err == nil {
			err = b.Follows(u.at.Seq, u.at.Hash)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrBackup, err)
		}
		u.at = journal.Mark{Seq: b.Seq, Hash: b.Hash()}
		if err := each(&b, stored); err != nil {
			return err
		}
	}
	return nil
}
