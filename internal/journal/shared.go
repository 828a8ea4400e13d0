package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Shared is what nodes on one log keep beside it: snapshots, so that a machine with an empty
// data directory need not read the whole log, and hashes of their states, to be compared.
// Nothing in it is needed to be safe: the log has everything.
type Shared struct {
	snapshots jetstream.ObjectStore
	reports   jetstream.KeyValue
}

const (
	snapshotBucket = "bourse-snapshots"
	reportBucket   = "bourse-states"
	// reportsLive is how long hashes are kept: nodes that are further behind are not compared.
	reportsLive = 24 * time.Hour
)

// Shared opens what nodes share, with as many replicas as the log was opened with.
func (j *Journal) Shared(ctx context.Context) (*Shared, error) {
	snapshots, err := answered(ctx, j.findSnapshots)
	if err != nil {
		return nil, fmt.Errorf("opening the shared snapshots: %w", err)
	}
	reports, err := answered(ctx, j.findReports)
	if err != nil {
		return nil, fmt.Errorf("opening the hashes of other nodes: %w", err)
	}
	return &Shared{snapshots: snapshots, reports: reports}, nil
}

func (j *Journal) findSnapshots(ctx context.Context) (jetstream.ObjectStore, error) {
	store, err := j.js.ObjectStore(ctx, snapshotBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return j.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: snapshotBucket, Description: "The newest states of a Bourse exchange.",
			Storage: jetstream.FileStorage, Replicas: j.replicas,
		})
	}
	return store, err
}

func (j *Journal) findReports(ctx context.Context) (jetstream.KeyValue, error) {
	store, err := j.js.KeyValue(ctx, reportBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return j.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: reportBucket, Description: "Hashes of the states of nodes, by batch and node.",
			Storage: jetstream.MemoryStorage, Replicas: j.replicas, TTL: reportsLive,
		})
	}
	return store, err
}

// SaveSnapshot offers a snapshot to other nodes, unless there is one that is as new, and removes
// the oldest ones.
func (s *Shared) SaveSnapshot(ctx context.Context, snapshot *Snapshot) error {
	all, err := s.Snapshots(ctx)
	if err != nil {
		return err
	}
	if n := len(all); n > 0 && all[n-1] >= snapshot.Mark.Seq {
		return nil
	}
	if _, err := s.snapshots.PutBytes(ctx, snapshotName(snapshot.Mark.Seq), EncodeSnapshot(snapshot)); err != nil {
		return fmt.Errorf("sharing the snapshot of batch %d: %w", snapshot.Mark.Seq, err)
	}
	all = append(all, snapshot.Mark.Seq)
	for ; len(all) > snapshotsKept; all = all[1:] {
		if err := s.remove(ctx, all[0]); err != nil {
			return err
		}
	}
	return nil
}

// LoadSnapshot reads the shared snapshot of a place.
func (s *Shared) LoadSnapshot(ctx context.Context, seq uint64) (Snapshot, error) {
	data, err := s.snapshots.GetBytes(ctx, snapshotName(seq))
	if err != nil {
		return Snapshot{}, fmt.Errorf("reading the shared snapshot of batch %d: %w", seq, err)
	}
	snapshot, err := DecodeSnapshot(data)
	if err == nil && snapshot.Mark.Seq != seq {
		err = fmt.Errorf("%w: it is of batch %d", ErrSnapshot, snapshot.Mark.Seq)
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("shared snapshot of batch %d: %w", seq, err)
	}
	return snapshot, nil
}

// Snapshots are the places that there are shared snapshots of, oldest first.
func (s *Shared) Snapshots(ctx context.Context) ([]uint64, error) {
	infos, err := s.snapshots.List(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, fmt.Errorf("listing the shared snapshots: %w", err)
	}
	var all []uint64
	for _, info := range infos {
		name, ok := strings.CutSuffix(info.Name, ".state")
		if seq, err := strconv.ParseUint(name, 10, 64); ok && err == nil {
			all = append(all, seq)
		}
	}
	slices.Sort(all)
	return all, nil
}

// RemoveSnapshots takes back the shared snapshots after a place.
func (s *Shared) RemoveSnapshots(ctx context.Context, after uint64) error {
	all, err := s.Snapshots(ctx)
	for _, seq := range all {
		if seq > after {
			err = errors.Join(err, s.remove(ctx, seq))
		}
	}
	return err
}

// remove deletes a snapshot. Another node may have been faster.
func (s *Shared) remove(ctx context.Context, seq uint64) error {
	err := s.snapshots.Delete(ctx, snapshotName(seq))
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("removing the shared snapshot of batch %d: %w", seq, err)
	}
	return nil
}

func snapshotName(seq uint64) string { return fmt.Sprintf("%020d.state", seq) }

// Report is the hash of the state that a node had after a batch.
type Report struct {
	Seq  uint64
	Node ID     // differs for each start of a node
	Name string // for people
	Hash Hash
}

// SaveReport publishes a hash for other nodes.
func (s *Shared) SaveReport(ctx context.Context, r *Report) error {
	key := strconv.FormatUint(r.Seq, 10) + "." + hex.EncodeToString(r.Node[:])
	if _, err := s.reports.Put(ctx, key, append(r.Hash[:], r.Name...)); err != nil {
		return fmt.Errorf("telling other nodes the hash of batch %d: %w", r.Seq, err)
	}
	return nil
}

// FollowReports calls each with the reports of all nodes, old ones first, until the context ends
// or each returns an error.
func (s *Shared) FollowReports(ctx context.Context, each func(*Report) error) error {
	watcher, err := s.reports.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("following the hashes of other nodes: %w", err)
	}
	defer func() { _ = watcher.Stop() }()
	for {
		select {
		case entry, open := <-watcher.Updates():
			if !open {
				return errors.New("following the hashes of other nodes: the server ended it")
			}
			if entry == nil { // the old ones are through
				continue
			}
			if r, ok := readReport(entry); ok {
				if err := each(&r); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func readReport(entry jetstream.KeyValueEntry) (Report, bool) {
	var r Report
	place, id, _ := strings.Cut(entry.Key(), ".")
	seq, err := strconv.ParseUint(place, 10, 64)
	if err != nil || len(id) != hex.EncodedLen(len(r.Node)) || len(entry.Value()) < len(r.Hash) {
		return r, false
	}
	if _, err := hex.Decode(r.Node[:], []byte(id)); err != nil {
		return r, false
	}
	r.Seq, r.Hash = seq, Hash(entry.Value()[:len(r.Hash)])
	r.Name = string(entry.Value()[len(r.Hash):])
	return r, true
}
