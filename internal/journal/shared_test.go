package journal

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
)

// shared opens what nodes share, on an embedded server: it is the same there.
func shared(t *testing.T) *Shared {
	t.Helper()
	j, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.Close)
	s, err := j.Shared(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSharedSnapshotsKeepTheNewest(t *testing.T) {
	s := shared(t)
	if all, err := s.Snapshots(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%d at the beginning, %v", len(all), err)
	}
	state := bytes.Repeat([]byte("state "), 100_000) // more than one chunk of the store
	for _, seq := range []uint64{10, 30, 20, 40, 50} {
		if err := s.SaveSnapshot(t.Context(), &Snapshot{Mark: Mark{Seq: seq, Hash: Hash{1}}, State: state}); err != nil {
			t.Fatal(err)
		}
	}
	// 20 came when there was a newer one, 10 is one too many.
	if all, err := s.Snapshots(t.Context()); err != nil || !slices.Equal(all, []uint64{30, 40, 50}) {
		t.Errorf("%v are left, %v", all, err)
	}
	got, err := s.LoadSnapshot(t.Context(), 50)
	if err != nil || got.Mark != (Mark{Seq: 50, Hash: Hash{1}}) || !bytes.Equal(got.State, state) {
		t.Errorf("got mark %v, %d bytes, %v", got.Mark, len(got.State), err)
	}
	if err := s.RemoveSnapshots(t.Context(), 30); err != nil {
		t.Error(err)
	}
	if all, err := s.Snapshots(t.Context()); err != nil || !slices.Equal(all, []uint64{30}) {
		t.Errorf("%v are left, %v", all, err)
	}
}

func TestDamagedSharedSnapshotIsAnError(t *testing.T) {
	s := shared(t)
	good := EncodeSnapshot(&Snapshot{Mark: Mark{Seq: 7}, State: []byte("a state")})
	bad := slices.Clone(good)
	bad[snapshotHead]++
	for what, c := range map[string]struct {
		seq  uint64
		data []byte
	}{"one byte is another": {7, bad}, "of another batch": {8, good}, "cut off": {9, good[:20]}} {
		if _, err := s.snapshots.PutBytes(t.Context(), snapshotName(c.seq), c.data); err != nil {
			t.Fatal(err)
		}
		if _, err := s.LoadSnapshot(t.Context(), c.seq); !errors.Is(err, ErrSnapshot) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestReportsReachEveryone(t *testing.T) {
	s := shared(t)
	want := []Report{
		{Seq: 100, Node: ID{1}, Name: "a", Hash: Hash{7}},
		{Seq: 100, Node: ID{2}, Name: "", Hash: Hash{8}},
		{Seq: 200, Node: ID{1}, Name: "a", Hash: Hash{9}},
	}
	for i := range want[:2] {
		if err := s.SaveReport(t.Context(), &want[i]); err != nil {
			t.Fatal(err)
		}
	}
	// What is no report does not get in the way.
	if _, err := s.reports.PutString(t.Context(), "nonsense", "x"); err != nil {
		t.Fatal(err)
	}
	var got []Report
	err := s.FollowReports(t.Context(), func(r *Report) error {
		got = append(got, *r)
		if len(got) == 2 {
			return s.SaveReport(t.Context(), &want[2])
		}
		if len(got) == 3 {
			return errEnd
		}
		return nil
	})
	if !errors.Is(err, errEnd) || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.FollowReports(ctx, func(*Report) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
