package journal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func sample() Batch {
	return Batch{Seq: 7, Prev: Hash{1, 2, 3}, ID: ID{4, 5, 6}, Commands: []byte("two commands in a row")}
}

func TestBatchComesBackAsItWas(t *testing.T) {
	want := sample()
	data := want.Append([]byte("before"))
	if !bytes.HasPrefix(data, []byte("before")) {
		t.Fatalf("what stood before is gone: %q", data)
	}
	got, err := DecodeBatch(7, data[len("before"):])
	if err != nil {
		t.Fatal(err)
	}
	if got.Seq != 7 || got.Prev != want.Prev || got.ID != want.ID || !bytes.Equal(got.Commands, want.Commands) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Hash() != want.Hash() {
		t.Error("the hash is another one")
	}
}

func TestBatchWithoutCommandsIsOne(t *testing.T) {
	b := Batch{Seq: 1}
	got, err := DecodeBatch(1, b.Append(nil))
	if err != nil || len(got.Commands) != 0 || got.Prev != (Hash{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEveryFlippedBitOfABatchIsFound(t *testing.T) {
	b := sample()
	data := b.Append(nil)
	for i := range data {
		for bit := range 8 {
			data[i] ^= 1 << bit
			_, err := DecodeBatch(7, data)
			// Another version is no damage: it may be a newer program's.
			if i == 1 && (err == nil || !strings.Contains(err.Error(), "newer program")) {
				t.Errorf("version, bit %d: %v", bit, err)
			}
			if i != 1 && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "batch 7")) {
				t.Errorf("byte %d, bit %d: %v", i, bit, err)
			}
			data[i] ^= 1 << bit
		}
	}
}

func TestEveryCutOfABatchIsFound(t *testing.T) {
	b := sample()
	data := b.Append(nil)
	for size := range data {
		if _, err := DecodeBatch(7, data[:size]); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", size, len(data), err)
		}
	}
}

func TestBatchesAreAChain(t *testing.T) {
	first := Batch{Seq: 1, ID: ID{1}, Commands: []byte("first")}
	second := Batch{Seq: 2, Prev: first.Hash(), ID: ID{2}, Commands: []byte("second")}
	third := Batch{Seq: 3, Prev: second.Hash(), ID: ID{3}, Commands: []byte("third")}
	if err := first.Follows(0, Hash{}); err != nil {
		t.Error(err)
	}
	if err := second.Follows(1, first.Hash()); err != nil {
		t.Error(err)
	}
	// One left out, one twice, and one after a past that was changed.
	for _, err := range []error{third.Follows(1, first.Hash()), second.Follows(2, second.Hash()), second.Follows(1, Hash{9})} {
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v", err)
		}
	}
	changed := first
	changed.ID = ID{9}
	if changed.Hash() == first.Hash() {
		t.Error("two batches with the same commands and other ids have one hash")
	}
	changed = first
	changed.Prev = Hash{9}
	if changed.Hash() == first.Hash() {
		t.Error("the hash does not reach back")
	}
}
