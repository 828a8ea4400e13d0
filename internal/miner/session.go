package miner

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"time"

	"bourse/internal/pool/work"
)

const (
	answerTime = 10 * time.Second // until the pool has to have answered
	silence    = 5 * time.Minute  // a pool that says nothing for so long is gone
	mostLine   = 1 << 20          // bytes of a message
)

// Numbers of what is asked first; shares have those above.
const (
	askConfigure = iota + 1
	askSubscribe
	askSuggest
	askAuthorize
	askShare
)

// session is a connection to a pool. Messages are read by one goroutine and written by another.
type session struct {
	m          *Miner
	nc         net.Conn
	extra1     []byte
	size       int // of what the miner chooses
	mask       uint32
	difficulty float64 // of jobs to come, as the pool wrote it
	ready      bool
	next       int // number of the next message
}

// message is what a pool writes: an answer, or news.
type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// session connects and mines until the connection or the context ends.
func (m *Miner) session(ctx context.Context, found <-chan result) error {
	nc, err := m.dial(ctx)
	if err != nil {
		return err
	}
	over, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(over, func() { _ = nc.Close() })()
	defer nc.Close()
	s := &session{m: m, nc: nc, difficulty: 1, next: askShare}
	for _, ask := range []struct {
		id     int
		method string
		params any
	}{
		{askConfigure, "mining.configure", []any{[]string{"version-rolling"}, map[string]any{"version-rolling.mask": fmt.Sprintf("%08x", work.VersionMask), "version-rolling.min-bit-count": 2}}},
		{askSubscribe, "mining.subscribe", []any{"bourse-mine/1"}},
		{askSuggest, "mining.suggest_difficulty", []any{m.wish()}},
		{askAuthorize, "mining.authorize", []any{m.o.User, m.o.Password}},
	} {
		if err := s.write(ask.id, ask.method, ask.params); err != nil {
			return err
		}
	}
	heard := make(chan error, 1)
	go func() { heard <- s.read() }()
	for {
		select {
		case r := <-found:
			if r.task.session != s {
				continue
			}
			if err := s.submit(&r); err != nil {
				end()
				return errors.Join(err, <-heard)
			}
		case err := <-heard:
			return err
		case <-ctx.Done():
			end()
			return <-heard
		}
	}
}

func (s *session) write(id int, method string, params any) error {
	line, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := s.nc.SetWriteDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	_, err = s.nc.Write(append(line, '\n'))
	return err
}

// read hears the pool until the connection ends.
func (s *session) read() error {
	lines := bufio.NewScanner(s.nc)
	lines.Buffer(nil, mostLine)
	for {
		patience := silence
		if !s.ready {
			patience = answerTime
		}
		if err := s.nc.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		if !lines.Scan() {
			if err := lines.Err(); err != nil {
				return err
			}
			return errors.New("the pool hung up")
		}
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("the pool says what is no JSON: %w", err)
		}
		if err := s.hear(&m); err != nil {
			return err
		}
	}
}

func (s *session) hear(m *message) error {
	switch m.Method {
	case "mining.set_difficulty":
		var p []float64
		if err := json.Unmarshal(m.Params, &p); err != nil || len(p) != 1 || !(p[0] > 0) || math.IsInf(p[0], 0) {
			return fmt.Errorf("the pool sets the difficulty %s", m.Params)
		}
		s.difficulty = p[0]
		return nil
	case "mining.notify":
		t, err := s.task(m.Params)
		if err != nil {
			return err
		}
		s.m.work(t)
		return nil
	}
	if m.ID == nil {
		return nil
	}
	refused := len(m.Error) > 0 && string(m.Error) != "null" || string(m.Result) == "false"
	switch *m.ID {
	case askConfigure:
		var said struct {
			Rolls bool   `json:"version-rolling"`
			Mask  string `json:"version-rolling.mask"`
		}
		if !refused && json.Unmarshal(m.Result, &said) == nil && said.Rolls {
			mask, err := strconv.ParseUint(said.Mask, 16, 32)
			if err != nil {
				return fmt.Errorf("the pool gives the mask %q", said.Mask)
			}
			s.mask = uint32(mask)
		}
	case askSubscribe:
		return s.subscribed(m, refused)
	case askSuggest: // a pool need not listen
	case askAuthorize:
		if refused {
			return fmt.Errorf("the pool refuses %s: %s", s.m.o.User, m.Error)
		}
		s.ready = true
	default:
		if refused {
			s.m.denied.Add(1)
			s.m.o.Log.Debug("a share was rejected", "why", string(m.Error))
		} else {
			s.m.accepted.Add(1)
		}
	}
	return nil
}

func (s *session) subscribed(m *message, refused bool) error {
	var p []json.RawMessage
	var extra string
	if refused || json.Unmarshal(m.Result, &p) != nil || len(p) != 3 || json.Unmarshal(p[1], &extra) != nil || json.Unmarshal(p[2], &s.size) != nil {
		return fmt.Errorf("the pool does not subscribe: %s %s", m.Result, m.Error)
	}
	var err error
	if s.extra1, err = hex.DecodeString(extra); err != nil || s.size < 2 || s.size > 16 {
		return fmt.Errorf("the pool subscribes with %s", m.Result)
	}
	return nil
}

// task reads a notification.
func (s *session) task(params json.RawMessage) (*task, error) {
	var p []json.RawMessage
	bad := json.Unmarshal(params, &p) != nil || len(p) != 9
	text := func(i int) (out string) {
		bad = bad || json.Unmarshal(p[i], &out) != nil
		return out
	}
	bytes := func(i int) []byte {
		if bad {
			return nil
		}
		out, err := hex.DecodeString(text(i))
		bad = bad || err != nil
		return out
	}
	number := func(i int) uint32 {
		if bad {
			return 0
		}
		n, err := strconv.ParseUint(text(i), 16, 32)
		bad = bad || err != nil
		return uint32(n)
	}
	t := &task{session: s, size: s.size, extra1: s.extra1, mask: s.mask}
	parent := bytes(1)
	t.begin, t.end = bytes(2), bytes(3)
	var branch []string
	if bad || len(parent) != len(t.parent) || json.Unmarshal(p[4], &branch) != nil {
		return nil, errors.New("the pool gives a job that cannot be read")
	}
	t.id = text(0)
	for _, text := range branch {
		hash, err := hex.DecodeString(text)
		if bad = bad || err != nil || len(hash) != 32; !bad {
			t.branch = append(t.branch, [32]byte(hash))
		}
	}
	t.version, t.bits, t.time = number(5), number(6), number(7)
	exponent, _ := work.Exponent(s.difficulty)
	if math.Ldexp(1, exponent) < s.difficulty { // no power of two: the next one is
		exponent++
	}
	if bad || exponent < work.LeastExponent || exponent > mostExponent {
		return nil, errors.New("the pool gives a job that cannot be read")
	}
	t.target = work.OfExponent(exponent)
	for i := 0; i < len(parent); i += 4 {
		slices.Reverse(parent[i : i+4])
	}
	t.parent = [32]byte(parent)
	return t, nil
}

// mostExponent is the highest difficulty that a pool may ask for.
const mostExponent = 200

// submit sends a share.
func (s *session) submit(r *result) error {
	s.next++
	params := []string{s.m.o.User, r.task.id, hex.EncodeToString(r.extra2), fmt.Sprintf("%08x", r.task.time), fmt.Sprintf("%08x", r.nonce)}
	if r.task.mask != 0 {
		params = append(params, fmt.Sprintf("%08x", r.bits))
	}
	return s.write(s.next, "mining.submit", params)
}
