// Package argon computes argon2id, the hash of passwords, in a process of its own that has what others leave of the cores.
//
// A password takes a core for a tenth of a second, and leaves 19 MiB for the garbage collector. In the process of the exchange, orders
// would wait for both: a goroutine that computes keeps its core for 10 ms at a time, and every collection makes all goroutines help. The
// kernel takes a core from the other process as soon as there is something better to do.
package argon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/argon2"
)

// Command is the hidden command by which the program runs Serve as a process of its own.
const Command = "hash-passwords"

// Input is what a hash is made of.
type Input struct {
	Password  []byte
	Salt      []byte
	Passes    uint32
	MemoryKiB uint32
	Threads   uint8
	Bytes     uint32
}

// Hasher computes hashes: Here, or a Worker.
type Hasher func(context.Context, *Input) ([]byte, error)

// Here computes a hash in this process.
func Here(_ context.Context, i *Input) ([]byte, error) { return i.hash(), nil }

func (i *Input) hash() []byte {
	return argon2.IDKey(i.Password, i.Salt, i.Passes, i.MemoryKiB, i.Threads, i.Bytes)
}

// Serve answers inputs, one JSON text each, with their hashes, until there are no more.
func Serve(r io.Reader, w io.Writer) error {
	inputs, hashes := json.NewDecoder(r), json.NewEncoder(w)
	for {
		var i Input
		if err := inputs.Decode(&i); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading what to hash: %w", err)
		}
		if err := hashes.Encode(i.hash()); err != nil {
			return fmt.Errorf("writing a hash: %w", err)
		}
	}
}
