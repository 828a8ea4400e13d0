package main

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"testing"
)

// transcript is what a program writes, for those who wait for a text in it.
type transcript struct {
	mu    sync.Mutex
	more  sync.Cond
	text  strings.Builder
	ended bool
}

func transcribe(r io.Reader) *transcript {
	s := &transcript{}
	s.more.L = &s.mu
	go func() {
		lines := bufio.NewReader(r)
		for {
			line, err := lines.ReadString('\n')
			s.mu.Lock()
			s.text.WriteString(line)
			s.ended = err != nil
			s.mu.Unlock()
			s.more.Broadcast()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// await waits until a text was written.
func (s *transcript) await(t *testing.T, text string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !strings.Contains(s.text.String(), text) {
		if s.ended {
			t.Fatalf("%q is not said:\n%s", text, s.text.String())
		}
		s.more.Wait()
	}
}

func (s *transcript) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// whole waits until the program writes no more.
func (s *transcript) whole() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended {
		s.more.Wait()
	}
}
