package core

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// seal puts a snapshot around a body: the frame is right whatever the body says.
func seal(body []byte) []byte {
	data := append([]byte(magic), version)
	data = append(data, body...)
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// unseal is the body of a snapshot.
func unseal(snapshot []byte) []byte {
	return snapshot[len(magic)+1 : len(snapshot)-sha256.Size]
}

// sound checks what must hold of anything that Restore takes: the invariants, and that it is
// the one snapshot of the state it gives.
func sound(data []byte) error {
	m, err := Restore(data)
	if err != nil {
		if m != nil || !errors.Is(err, ErrSnapshot) {
			return fmt.Errorf("a refusal that is not ErrSnapshot: %w", err)
		}
		return nil
	}
	if err := m.Verify(); err != nil {
		return fmt.Errorf("restored, and then: %w", err)
	}
	if !bytes.Equal(m.Snapshot(), data) {
		return errors.New("restored to a state with another snapshot")
	}
	return nil
}

func TestSnapshotComesBackAsTheSameMachine(t *testing.T) {
	m := lively(t)
	data := m.Snapshot()
	back, err := Restore(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back.Snapshot(), data) || back.Hash() != m.Hash() || back.Time() != m.Time() {
		t.Error("a restored machine has another snapshot, hash or time")
	}
	empty := New().Snapshot()
	if back, err := Restore(empty); err != nil || !bytes.Equal(back.Snapshot(), empty) {
		t.Errorf("an empty machine does not come back: %v", err)
	}
}

func TestSnapshotKeepsNothingOfTheBytes(t *testing.T) {
	data := lively(t).Snapshot()
	m, err := Restore(data)
	if err != nil {
		t.Fatal(err)
	}
	before := m.Hash()
	clear(data)
	if m.Hash() != before {
		t.Error("a restored machine changes with the bytes that it came from")
	}
}

func TestEveryFlippedByteIsRefused(t *testing.T) {
	data := lively(t).Snapshot()
	for i := range data {
		for _, mask := range []byte{0x01, 0x80} {
			data[i] ^= mask
			if _, err := Restore(data); !errors.Is(err, ErrSnapshot) {
				t.Fatalf("byte %d of %d flipped by %#x: %v", i, len(data), mask, err)
			}
			data[i] ^= mask
		}
	}
}

func TestEveryTruncationIsRefused(t *testing.T) {
	data := lively(t).Snapshot()
	for n := range data {
		if _, err := Restore(data[:n]); !errors.Is(err, ErrSnapshot) {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(data), err)
		}
	}
	if _, err := Restore(append(bytes.Clone(data), 0)); !errors.Is(err, ErrSnapshot) {
		t.Errorf("with a byte too many: %v", err)
	}
}

func TestRefusalsSayWhatIsWrong(t *testing.T) {
	data := lively(t).Snapshot()
	newer := bytes.Clone(data)
	newer[len(magic)] = version + 1
	damaged := bytes.Clone(data)
	damaged[len(data)/2] ^= 1
	for name, tt := range map[string]struct {
		data []byte
		says string
	}{
		"newer version": {newer, "it has version 3, this program reads version 2"},
		"damaged":       {damaged, "damaged or cut off"},
		"another file":  {[]byte(strings.Repeat("something else ", 10)), "does not begin like one"},
		"nothing":       {nil, "does not begin like one"},
	} {
		if _, err := Restore(tt.data); !errors.Is(err, ErrSnapshot) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want it to say %q", name, err, tt.says)
		}
	}
}

// TestWrongContentUnderARightChecksum changes every byte of the content and puts the checksum
// right: nothing may panic, and nothing may be taken that is not sound.
func TestWrongContentUnderARightChecksum(t *testing.T) {
	body := unseal(lively(t).Snapshot())
	for i := range body {
		old := body[i]
		for _, value := range []byte{old ^ 0x01, old ^ 0x80} {
			body[i] = value
			if err := sound(seal(body)); err != nil {
				t.Fatalf("byte %d of %d from %#x to %#x: %v", i, len(body), old, value, err)
			}
		}
		body[i] = old
	}
	for n := range body {
		if _, err := Restore(seal(body[:n])); !errors.Is(err, ErrSnapshot) {
			t.Fatalf("content cut to %d of %d bytes: %v", n, len(body), err)
		}
	}
}

// FuzzRestore gives arbitrary content a right checksum.
func FuzzRestore(f *testing.F) {
	f.Add(unseal(New().Snapshot()))
	f.Add(unseal(lively(f).Snapshot()))
	m := New()
	apply(f, m, start, genesis()...)
	f.Add(unseal(m.Snapshot()))
	f.Add(unseal(troubled(f).Snapshot()))
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := sound(seal(body)); err != nil {
			t.Fatal(err)
		}
	})
}
