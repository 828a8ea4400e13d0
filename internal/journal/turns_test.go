package journal

import (
	"context"
	"errors"
	"testing"
)

// What was asked of a leader that lost its office is asked again at once.
func TestElectionEndsQuestions(t *testing.T) {
	var j Journal // of a server elsewhere
	before, end := j.ask(t.Context())
	defer end()
	j.newTerm()
	during, end := j.ask(t.Context())
	defer end()
	j.newTerm()
	<-during.Done()
	if err := during.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("a question to the old leader ends with %v", err)
	}
	after, end := j.ask(t.Context())
	defer end()
	if before.Err() != nil || after.Err() != nil {
		t.Errorf("other questions end with %v and %v", before.Err(), after.Err())
	}
}

func TestTurnsReachEveryone(t *testing.T) {
	j, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	heard := make(chan ID, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- j.HearTurns(ctx, func(id ID) { heard <- id }) }()
	for {
		if err := j.AskTurn(ID{7}); err != nil { // until the other listens
			t.Fatal(err)
		}
		if err := j.conn.Flush(); err != nil {
			t.Fatal(err)
		}
		if len(heard) > 0 {
			break
		}
	}
	if id := <-heard; id != (ID{7}) {
		t.Errorf("heard %v", id)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
