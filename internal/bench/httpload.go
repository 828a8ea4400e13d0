package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// LoadCommand is the hidden command by which the program runs Load as a process of its own.
const LoadCommand = "bench-load"

// The generator of load is a child process, so that its scheduler and its garbage collector are
// not those of the server that is measured. It knows nothing of exchanges: it is sent a plan and
// the bytes of all requests, says that it is ready, waits for the start and sends a tally.
type loadPlan struct {
	Address     string
	Connections int
	Seconds     float64
	// Cycle lets a connection begin again when it has sent all its requests; otherwise the first
	// that has none left ends the round for all.
	Cycle bool
	// Rate, if not zero, is how many requests a second are sent whatever the answers do.
	Rate float64
	// Forbidden is what no answer may contain.
	Forbidden string
	// Socket, if not empty, is the path of the WebSocket over which requests go as frames, of which
	// InFlight wait for an answer at a time; none: the generator only listens to trades.
	Socket   string
	InFlight int
}

// stream is the requests of one connection.
type stream struct {
	// First is sent and answered before the round begins.
	First []byte
	Bytes []byte
	Ends  []int
}

// end marks that a request is complete.
func (s *stream) end() { s.Ends = append(s.Ends, len(s.Bytes)) }

func (s *stream) request(i int) []byte {
	if i == 0 {
		return s.Bytes[:s.Ends[0]]
	}
	return s.Bytes[s.Ends[i-1]:s.Ends[i]]
}

// tally is what became of a round.
type tally struct {
	Counts  []int
	Frames  int // that were heard, of those who only listen
	Max     time.Duration
	Seconds float64
	CPU     time.Duration
	Problem string
}

// round is a tally, what the server spent on it, and what other programs took away meanwhile.
type round struct {
	times       Latency
	frames      int
	seconds     float64
	cpu, others time.Duration // of this process, and of all but it and the generator
	generator   time.Duration
}

// count is how much was done: answers, or frames of those who only listen.
func (r *round) count() float64 { return float64(cmp.Or(r.frames, r.times.total)) }

func (r *round) rate() float64 { return r.count() / r.seconds }

// String says what a reader needs to judge a round: other programs on the same cores spoil it.
func (r *round) String() string {
	return fmt.Sprintf("%.0f/s (CPU %.1f µs and %.1f µs of the generator, others %.1f cores)",
		r.rate(), float64(r.cpu.Microseconds())/r.count(), float64(r.generator.Microseconds())/r.count(), r.others.Seconds()/r.seconds)
}

// drive lets a generator send requests to a server of this process.
func drive(p loadPlan, requests func(connection int) *stream) (round, error) {
	g, err := launch(p, requests)
	if err != nil {
		return round{}, err
	}
	return g.run()
}

// generator is a child process that has all its requests and its connections, and waits for the start.
type generator struct {
	child *exec.Cmd
	in    io.Closer
	to    *gob.Encoder
	from  *gob.Decoder
}

// launch starts a generator. The streams are made and sent one by one: held, they would be a heap that
// makes the server's garbage collector lazy.
func launch(p loadPlan, requests func(connection int) *stream) (*generator, error) {
	child, in, out, err := spawn(LoadCommand)
	if err != nil {
		return nil, err
	}
	g := &generator{child, in, gob.NewEncoder(in), gob.NewDecoder(out)}
	if err := g.fill(&p, requests); err != nil {
		return nil, errors.Join(err, g.end())
	}
	runtime.GC()
	return g, nil
}

// spawn starts this program once more, with one of its hidden commands, which end when nobody talks to them any more.
func spawn(arguments ...string) (child *exec.Cmd, in io.WriteCloser, out io.ReadCloser, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	child = exec.Command(program, arguments...)
	child.Stderr = os.Stderr
	if in, err = child.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	if out, err = child.StdoutPipe(); err != nil {
		return nil, nil, nil, err
	}
	return child, in, out, child.Start()
}

func (g *generator) fill(p *loadPlan, requests func(connection int) *stream) error {
	if err := g.to.Encode(p); err != nil {
		return err
	}
	for c := range p.Connections {
		if err := g.to.Encode(requests(c)); err != nil {
			return err
		}
	}
	var ready bool
	return g.from.Decode(&ready)
}

// end ends the process: it does so when nobody talks to it any more.
func (g *generator) end() error {
	_ = g.in.Close()
	if err := g.child.Wait(); err != nil {
		return fmt.Errorf("the generator of load: %w", err)
	}
	return nil
}

// run starts the round, waits for its end and ends the generator.
func (g *generator) run() (result round, err error) {
	defer func() {
		if ended := g.end(); err == nil {
			err = ended
		}
	}()
	before, all := cpuTime(), machineTime()
	if err := g.to.Encode(true); err != nil {
		return round{}, err
	}
	var t tally
	if err := g.from.Decode(&t); err != nil {
		return round{}, err
	}
	result = round{seconds: t.Seconds, cpu: cpuTime() - before, generator: t.CPU, frames: t.Frames}
	result.others = max(0, machineTime()-all-result.cpu-t.CPU)
	if t.Problem != "" {
		return round{}, errors.New(t.Problem)
	}
	copy(result.times.counts[:], t.Counts)
	result.times.max = t.Max
	for _, n := range t.Counts {
		result.times.total += n
	}
	return result, nil
}

// quiet waits, but not longer than timeout, until this process has next to nothing to do: what was
// done between two rounds, such as rows of history that a store still sorts in, is part of neither.
func quiet(timeout time.Duration) {
	const look = 50 * time.Millisecond
	for end := time.Now().Add(timeout); time.Now().Before(end); {
		before := cpuTime()
		time.Sleep(look)
		if cpuTime()-before < look/10 {
			return
		}
	}
}

// cpuTime is how much time of all cores this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// machineTime is how much time of all cores all programs have used, and the machine below this one
// has kept for itself; nothing where the kernel does not tell.
func machineTime() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var ticks [8]int64 // of 10 ms: user, nice, system, idle, waiting for disks, interrupts (2), stolen
	line := bufio.NewReader(bytes.NewReader(text))
	if _, err := fmt.Fscanf(line, "cpu %d %d %d %d %d %d %d %d", &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]); err != nil {
		return 0
	}
	const tick = 10 * time.Millisecond
	return tick * time.Duration(ticks[0]+ticks[1]+ticks[2]+ticks[5]+ticks[6]+ticks[7])
}

// Load is the generator: it does the round that comes over in and writes the outcome to out.
func Load(in io.Reader, out io.Writer) error {
	from, to := gob.NewDecoder(in), gob.NewEncoder(out)
	var p loadPlan
	if err := from.Decode(&p); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	clients := make([]*client, p.Connections)
	for i := range clients {
		c := &client{buffer: make([]byte, maxAnswer), forbidden: []byte(p.Forbidden)}
		if err := from.Decode(&c.requests); err != nil {
			return fmt.Errorf("reading the requests: %w", err)
		}
		clients[i] = c
	}
	for _, c := range clients {
		var err error
		if c.conn, err = net.Dial("tcp", p.Address); err != nil {
			return err
		}
		defer c.conn.Close()
		if p.Socket != "" {
			if err := c.upgrade(p.Socket); err != nil {
				return err
			}
		}
	}
	run, err := p.loop(clients)
	if err != nil {
		return err
	}
	runtime.GC()
	if err := to.Encode(true); err != nil {
		return err
	}
	var start bool
	if err := from.Decode(&start); err != nil {
		return fmt.Errorf("waiting for the start: %w", err)
	}
	began, before := time.Now(), cpuTime()
	problem := run(&p, clients)
	t := tally{Seconds: time.Since(began).Seconds(), CPU: cpuTime() - before, Problem: problem}
	var times Latency
	for _, c := range clients {
		times.merge(&c.times)
		t.Frames += c.frames
	}
	t.Counts, t.Max = times.counts[:], times.max
	return to.Encode(&t)
}

// loop is how the plan wants the round to be.
func (p *loadPlan) loop(clients []*client) (func(*loadPlan, []*client) (problem string), error) {
	switch {
	case p.Rate > 0:
		return openLoop, nil
	case p.Socket != "" && p.InFlight > 0:
		return socketLoop, nil
	case p.Socket != "":
		w, err := newWatch(clients)
		if err != nil {
			return nil, err
		}
		return w.run, nil
	}
	return closedLoop, nil
}

// closedLoop lets every connection ask again as soon as it was answered.
func closedLoop(p *loadPlan, clients []*client) (problem string) {
	var wait sync.WaitGroup
	var over atomic.Bool
	var first failure
	end := time.Now().Add(time.Duration(p.Seconds * float64(time.Second)))
	for _, c := range clients {
		wait.Go(func() {
			defer over.Store(true) // nobody measures while some are idle
			asked := time.Now()
			for i := 0; asked.Before(end) && !over.Load(); i++ {
				if i == len(c.requests.Ends) {
					if !p.Cycle {
						return
					}
					i = 0
				}
				if err := c.ask(c.requests.request(i)); err != nil {
					first.set(err)
					return
				}
				now := time.Now()
				c.times.Add(now.Sub(asked))
				asked = now
			}
		})
	}
	wait.Wait()
	return first.text()
}

// openLoop sends requests at planned times, over the connections in turn, and counts from the
// planned time to the answer: a server that falls behind is not waited for.
func openLoop(p *loadPlan, clients []*client) (problem string) {
	var wait sync.WaitGroup
	var first failure
	total := len(clients) * len(clients[0].requests.Ends)
	start := time.Now().Add(10 * time.Millisecond)
	plan := func(i int) time.Time { return start.Add(time.Duration(float64(i) / p.Rate * float64(time.Second))) }
	for at, c := range clients {
		wait.Go(func() {
			for i := range c.requests.Ends {
				if err := c.answer(); err != nil {
					first.set(err)
					return
				}
				c.times.Add(time.Since(plan(i*len(clients) + at)))
			}
		})
	}
	runtime.LockOSThread() // for pause
	defer runtime.UnlockOSThread()
	for i := 0; i < total && first.text() == ""; i++ {
		// A signal ends a pause early; a request before its time would seem to be answered before it was sent.
		for early := time.Until(plan(i)); early > 0; early = time.Until(plan(i)) {
			pause(early)
		}
		c := clients[i%len(clients)]
		if _, err := c.conn.Write(c.requests.request(i / len(clients))); err != nil {
			first.set(err)
		}
	}
	if first.text() != "" {
		for _, c := range clients {
			c.conn.Close() // those who wait for an answer get none
		}
	}
	wait.Wait()
	return first.text()
}

// failure is the first that was set.
type failure struct{ err atomic.Pointer[error] }

func (f *failure) set(err error) { f.err.CompareAndSwap(nil, &err) }

func (f *failure) text() string {
	if err := f.err.Load(); err != nil {
		return (*err).Error()
	}
	return ""
}

// maxAnswer is the largest answer that a client reads.
const maxAnswer = 64 << 10

// client is a connection that reads answers with as little work as possible.
type client struct {
	conn       net.Conn
	requests   stream
	forbidden  []byte
	buffer     []byte
	start, end int // of what was read and not looked at
	times      Latency
	frames     int
}

func (c *client) ask(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	return c.answer()
}

// answer reads one answer and is content with a good one only.
func (c *client) answer() error {
	body, err := c.read()
	if err == nil && len(c.forbidden) > 0 && bytes.Contains(body, c.forbidden) {
		err = fmt.Errorf("an answer has %q: %.400s", c.forbidden, body)
	}
	return err
}

var (
	goodStatus  = []byte("HTTP/1.1 200 ")
	headEnd     = []byte("\r\n\r\n")
	sizeHeader  = []byte("\r\nContent-Length: ")
	errTooLarge = errors.New("an answer is too large")
)

// read is the body of the next answer; it is valid until the next call.
func (c *client) read() ([]byte, error) {
	if c.start == c.end {
		c.start, c.end = 0, 0
	}
	for {
		text := c.buffer[c.start:c.end]
		if head := bytes.Index(text, headEnd); head >= 0 {
			_, after, _ := bytes.Cut(text[:head+2], sizeHeader)
			digits, _, _ := bytes.Cut(after, headEnd[:2])
			size, err := strconv.Atoi(string(digits))
			if err != nil || !bytes.HasPrefix(text, goodStatus) {
				return nil, fmt.Errorf("an answer is not a good one: %.400s", text)
			}
			if whole := head + len(headEnd) + size; len(text) >= whole {
				c.start += whole
				return text[whole-size : whole], nil
			}
		}
		if c.end == len(c.buffer) {
			if c.start == 0 {
				return nil, errTooLarge
			}
			c.end = copy(c.buffer, text)
			c.start = 0
		}
		n, err := c.conn.Read(c.buffer[c.end:])
		if err != nil {
			return nil, err
		}
		c.end += n
	}
}
