package argon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"bourse/internal/priority"
)

// Worker is the other process. It is started when there is something to hash, and again after it died; it ends with the program,
// because then nobody writes to it any more. The zero Worker is not used: NewWorker makes one.
type Worker struct {
	command []string

	// life ends with Close, and with it what is being hashed.
	life context.Context
	stop context.CancelFunc

	mu      sync.Mutex // held while the process hashes: one input at a time
	process *exec.Cmd  // nil if there is none
	in      io.WriteCloser
	inputs  *json.Encoder
	hashes  *json.Decoder
}

// Self is the command by which this program runs Serve. On Linux it is the very program that runs, also when another has been installed in
// its place.
func Self() []string {
	program, err := os.Executable()
	if runtime.GOOS == "linux" {
		program = "/proc/self/exe"
	} else if err != nil {
		program = os.Args[0]
	}
	return []string{program, Command}
}

// NewWorker makes a worker whose process is the one of a command: it answers as Serve does.
func NewWorker(command ...string) *Worker {
	w := &Worker{command: command}
	w.life, w.stop = context.WithCancel(context.Background())
	return w
}

// mostTime is how long a password may take, a hundred times what it should.
const mostTime = 10 * time.Second

// Hash has an input hashed. If the context ends before, or it takes too long, the process is killed: what is late for one must not be late for
// all.
func (w *Worker) Hash(ctx context.Context, i *Input) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	defer context.AfterFunc(w.life, cancel)()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("hashing a password in another process: %w", err)
	}
	if err := w.start(); err != nil {
		return nil, fmt.Errorf("starting the process that hashes passwords: %w", err)
	}
	process := w.process.Process
	defer context.AfterFunc(ctx, func() { _ = process.Kill() })()
	var hash []byte
	err := w.inputs.Encode(i)
	if err == nil {
		err = w.hashes.Decode(&hash)
	}
	if err == nil && ctx.Err() == nil {
		return hash, nil
	}
	return nil, fmt.Errorf("hashing a password in another process: %w", errors.Join(ctx.Err(), err, w.end()))
}

// Close ends the process, whatever it does. It is not started again.
func (w *Worker) Close() error {
	w.stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end()
}

// start starts the process if there is none. It knows nothing of the environment, where there may be secrets.
func (w *Worker) start() error {
	if w.process != nil {
		return nil
	}
	c := exec.Command(w.command[0], w.command[1:]...)
	c.Env = []string{}
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	priority.Lowered(func() { err = c.Start() })
	if err != nil {
		return err
	}
	w.process, w.in, w.inputs, w.hashes = c, in, json.NewEncoder(in), json.NewDecoder(out)
	return nil
}

// end ends the process, if there is one. It holds nothing that would have to be saved.
func (w *Worker) end() error {
	if w.process == nil {
		return nil
	}
	err := w.in.Close()
	_ = w.process.Process.Kill()
	_ = w.process.Wait() // it was killed
	w.process = nil
	return err
}
