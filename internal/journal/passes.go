package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bourse/internal/disk"
	"bourse/internal/schema"
)

// ErrStuck means that the core panics at a command that is in the log for good.
var ErrStuck = errors.New("a command of the log cannot be applied")

// StuckError names the command that the core panics at.
type StuckError struct {
	Batch   uint64
	Command int // within the batch, from 1
	Kind    string
	Problem any // what the core said
}

// Stuck is the error of a panic at a command of a batch, counted from 1.
func Stuck(batch uint64, command int, c schema.Command, problem any) *StuckError {
	return &StuckError{batch, command, kindName(c), problem}
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("%v: the core panics at command %d of batch %d (%s): %v. Nothing after it can happen. If no other version of Bourse "+
		"can apply it, 'bourse pass --batch %d --command %d' lets the exchange go on without it",
		ErrStuck, e.Command, e.Batch, e.Kind, e.Problem, e.Batch, e.Command)
}

func (e *StuckError) Unwrap() error { return ErrStuck }

func kindName(c schema.Command) string { return strings.TrimPrefix(fmt.Sprintf("%T", c), "*schema.") }

// Pass is an operator's decision that a command of the log, at which the core panics, does not
// happen: it changes nothing at all. It stands beside the log, which is never changed, so that every
// data directory of an exchange needs the same decisions.
type Pass struct {
	Batch   uint64    `json:"batch"`
	Command int       `json:"command"` // within the batch, from 1
	Kind    string    `json:"kind"`    // of the command, for people
	Hash    string    `json:"hash"`    // of the batch: the decision is about no other
	Reason  string    `json:"reason"`
	Time    time.Time `json:"time"` // of the decision
}

// NewPass is the decision about a command of a batch.
func NewPass(m Mark, command int, c schema.Command, reason string, at time.Time) Pass {
	return Pass{Batch: m.Seq, Command: command, Kind: kindName(c), Hash: hex.EncodeToString(m.Hash[:]), Reason: reason, Time: at.UTC()}
}

// Passes are the decisions of a data directory, oldest first.
type Passes []Pass

// PassesFile is where a data directory keeps its decisions.
const PassesFile = "passes"

// Passes reads the decisions: JSON objects, one a line.
func (d *Dir) Passes() (Passes, error) {
	path := filepath.Join(d.path, PassesFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading which commands are passed over: %w", err)
	}
	var all Passes
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var p Pass
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("line %d of %s, which says which commands are passed over, cannot be read: %w", i+1, path, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// AddPass makes a decision durable.
func (d *Dir) AddPass(p Pass) error {
	all, err := d.Passes()
	if err != nil {
		return err
	}
	var text []byte
	for _, p := range append(all, p) {
		line, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("writing which commands are passed over: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	return disk.Replace(filepath.Join(d.path, PassesFile), text)
}

// Of are the commands of a batch that are passed over, from 1. A decision that was made about another
// batch at the same place is an error: it belongs to another log.
func (all Passes) Of(m Mark) ([]int, error) {
	var commands []int
	for _, p := range all {
		if p.Batch != m.Seq {
			continue
		}
		if p.Hash != hex.EncodeToString(m.Hash[:]) {
			return nil, fmt.Errorf("the decision to pass over command %d of batch %d is about another log: batch %d has the hash %x and not %s; "+
				"remove the line from the file %q", p.Command, p.Batch, m.Seq, m.Hash, p.Hash, PassesFile)
		}
		commands = append(commands, p.Command)
	}
	slices.Sort(commands)
	return commands, nil
}
