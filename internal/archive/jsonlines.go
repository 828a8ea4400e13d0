package archive

import (
	"encoding/hex"
	"errors"
	"fmt"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// An export is a text of JSON lines: a head that says what it is, one line for each command, and
// a foot that says where it ends, so that a file that was cut off is not taken for a whole one.
const (
	linesFormat  = "bourse log"
	linesVersion = 1
)

// head is the first line.
type head struct {
	Format  string
	Version uint32
}

func (h *head) Fields(c *wire.Coder) {
	wire.Text(c, 1, "format", &h.Format)
	wire.Uint(c, 2, "version", &h.Version)
}

func (h *head) check() error {
	if h.Format != linesFormat {
		return fmt.Errorf("the first line must be {\"format\":%q,\"version\":%d}: is this the output of 'bourse export'?", linesFormat, linesVersion)
	}
	if h.Version != linesVersion {
		return fmt.Errorf("the lines have version %d, this program reads version %d: use the Bourse that wrote them", h.Version, linesVersion)
	}
	return nil
}

// line is what follows the head: a command with its batch and its time, or the foot. Lines exist
// as JSON only, where fields have names and no numbers.
type line struct {
	Batch    uint64
	Command  schema.Envelope
	Decision decision
	Foot     foot
}

func (l *line) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "batch", &l.Batch)
	l.Command.Fields(c)
	l.Decision.Fields(c)
	l.Foot.Fields(c)
}

// decision says that a command is passed over, why, and since when: it is in the log and does not
// happen.
type decision struct {
	Passed  bool
	Reason  string
	Decided schema.Time
}

func (d *decision) Fields(c *wire.Coder) {
	c.Bool(1, "passed", &d.Passed)
	wire.Text(c, 2, "reason", &d.Reason)
	wire.Int(c, 3, "decided_us", &d.Decided)
}

// foot is the last line.
type foot struct {
	Batches  uint64
	Commands uint64
	Hash     string // of the state after the last command; absent: it is not checked
	End      bool
}

func (f *foot) Fields(c *wire.Coder) {
	c.Bool(1, "end", &f.End)
	wire.Uint(c, 2, "batches", &f.Batches)
	wire.Uint(c, 3, "commands", &f.Commands)
	wire.Text(c, 4, "hash", &f.Hash)
}

// check tells commands from the foot.
func (l *line) check() error {
	switch {
	case l.Foot.End && (l.Batch != 0 || l.Command.Time != 0 || l.Command.Command != nil || l.Decision != decision{}):
		return errors.New(`a line with "end" has no command`)
	case !l.Decision.Passed && l.Decision != decision{}:
		return errors.New(`"reason" and "decided_us" are for a command with "passed":true, which does not happen`)
	case !l.Foot.End && l.Foot != foot{}:
		return errors.New(`"batches", "commands" and "hash" are for the last line, which has "end":true`)
	case !l.Foot.End && l.Command.Command == nil:
		return errors.New(`there is no command in it, such as "place_order":{…}`)
	}
	return nil
}

// holds compares the foot with what was read before it.
func (f *foot) holds(p *Past) error {
	hash := p.Machine.Hash()
	switch {
	case f.Batches != p.Mark.Seq || f.Commands != p.Commands:
		return fmt.Errorf("it says %d batches and %d commands, before it were %d and %d: lines are missing or were added; export again",
			f.Batches, f.Commands, p.Mark.Seq, p.Commands)
	case f.Hash != "" && f.Hash != hex.EncodeToString(hash[:]):
		return fmt.Errorf(`the state has the hash %x, not %s: a line was changed, or another version of Bourse wrote it; `+
			`if it was changed on purpose, take "hash" out of the last line`, hash, f.Hash)
	}
	return nil
}
