package node

import (
	"fmt"
	"testing"

	"bourse/internal/core"
	"bourse/internal/journal"
	"bourse/internal/schema"
)

// TestANodeThatIsFarBehindCatchesUp by itself, where nobody brings it the batches of others. They write as fast as it would read if it sent
// its own after each: one for every two of its moves. When it loses its place they wait for some moves, and write then what they kept back.
func TestANodeThatIsFarBehindCatchesUp(t *testing.T) {
	const behind = 1000
	fresh := func() *sequencer {
		return &sequencer{machine: core.New(), applied: func(*schema.Outcome) {}, stepped: func(uint64) {}}
	}
	depart := func(s *sequencer, id uint16) {
		s.depart([]*ticket{{command: account(fmt.Sprint(id)), done: make(chan error, 1)}}, journal.ID{byte(id), byte(id >> 8)}, 1, journal.MaxBatch)
	}
	var log []journal.Batch
	others := fresh()
	write := func() {
		depart(others, uint16(len(log)+1))
		b := others.batch()
		b.Commands = append([]byte(nil), b.Commands...)
		log = append(log, b)
		if _, err := others.answered(nil); err != nil {
			t.Fatal(err)
		}
	}
	for range behind {
		write()
	}
	late := fresh()
	depart(late, 1<<15)
	moves := map[move]int{}
	next, count, kept, wait := send, 0, 0, 0
	for ; next != landed; count++ {
		if count > 4*behind {
			t.Fatalf("after %d moves it is at %d of %d", count, late.mark.Seq, len(log))
		}
		moves[next]++
		kept += count % 2
		for wait--; wait < 0 && kept > 0; kept-- {
			write()
		}
		var err error
		switch end := uint64(len(log)); {
		case next == send && late.mark.Seq < end:
			next, err = late.answered(journal.ErrConflict)
			wait = 6
		case next == send:
			next, err = late.answered(nil)
		case next == measure:
			next, err = late.measured(end, nil)
		case late.mark.Seq < end:
			next, err = late.looked(&log[late.mark.Seq], true, nil)
		default:
			next, err = late.looked(nil, false, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if late.mark.Seq < behind || moves[look] < behind || moves[send] > 20 || moves[measure] != moves[send]-2 {
		t.Errorf("it is at %d after %v", late.mark.Seq, moves)
	}
}
