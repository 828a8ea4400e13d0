package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/schema"
)

// shelf is a log in memory.
type shelf []journal.Batch

func (s shelf) Read(ctx context.Context, after, upTo uint64, each func(*journal.Batch) error) error {
	for i := after; i < upTo; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(&s[i]); err != nil {
			return err
		}
	}
	return nil
}

// fill makes a log of batches of different sizes and kinds of commands; the time of a command is its
// number.
func fill(batches int) (s shelf, commands int) {
	var prev journal.Hash
	for i := range batches {
		b := journal.Batch{Seq: uint64(i) + 1, Prev: prev, ID: journal.ID{byte(i), byte(i >> 8)}}
		for range (i*7)%300 + 1 {
			account := schema.AccountID(commands)
			var c schema.Command
			switch commands % 5 {
			case 0:
				c = &schema.CancelOrder{Account: account, Order: schema.OrderRef{Market: 1, ID: 7}}
			case 1:
				c = &schema.SetAccount{Account: schema.Account{ID: account, Name: fmt.Sprint(commands)}}
			case 2:
				c = &schema.PlaceOrder{Account: account}
			default:
				c = &schema.PlaceOrder{Account: account, Order: schema.OrderRequest{Market: 2, Amount: fixed.FromInt(int64(commands)), PostOnly: true}}
			}
			b.Commands = schema.AppendEnvelope(b.Commands, &schema.Envelope{Time: schema.Time(commands), Command: c})
			commands++
		}
		s, prev = append(s, b), b.Hash()
	}
	return s, commands
}

// TestEveryCommandComesOnceAsItWasWritten: memory that is used again holds nothing of what was there.
func TestEveryCommandComesOnceAsItWasWritten(t *testing.T) {
	log, total := fill(400)
	for _, pace := range []Pace{Fast, Beside} {
		seen, last := 0, uint64(0)
		err := Run(t.Context(), log, journal.Mark{}, 400, pace, func(b *Batch) error {
			if last++; b.Mark != (journal.Mark{Seq: last, Hash: log[last-1].Hash()}) {
				t.Fatalf("batch %d comes where %d should be", b.Mark.Seq, last)
			}
			var bytes []byte
			for i := range b.Commands {
				if b.Commands[i].Time != schema.Time(seen) {
					t.Fatalf("command %d is %+v", seen, b.Commands[i])
				}
				bytes = schema.AppendEnvelope(bytes, &b.Commands[i])
				seen++
			}
			if string(bytes) != string(log[last-1].Commands) {
				t.Fatalf("batch %d does not come back as it was", last)
			}
			return nil
		})
		if err != nil || seen != total || last != 400 {
			t.Errorf("%d of %d commands, %d batches: %v", seen, total, last, err)
		}
	}
}

func TestReplayEndsAtTheFirstErrorAfterAllBefore(t *testing.T) {
	stop := errors.New("enough")
	for what, c := range map[string]struct {
		change func(shelf)
		want   string
		last   uint64
	}{
		"a command that cannot be read": {func(s shelf) { s[299].Commands = []byte{3, 1} }, "command 1 of batch 300", 299},
		"a break in the chain":          {func(s shelf) { s[299].Prev[0]++ }, "batch 300 does not continue batch 299", 299},
		"the caller":                    {func(shelf) {}, "enough", 300},
	} {
		log, _ := fill(400)
		c.change(log)
		last := uint64(0)
		err := Run(t.Context(), log, journal.Mark{}, 400, Fast, func(b *Batch) error {
			if last = b.Mark.Seq; last == 300 {
				return stop
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || last != c.last {
			t.Errorf("%s: at batch %d: %v", what, last, err)
		}
	}
	log, _ := fill(400)
	ctx, cancel := context.WithCancel(t.Context())
	last := uint64(0)
	err := Run(ctx, log, journal.Mark{}, 400, Fast, func(b *Batch) error {
		cancel()
		last = b.Mark.Seq
		return nil
	})
	if !errors.Is(err, context.Canceled) || last == 400 {
		t.Errorf("at batch %d: %v", last, err)
	}
}
