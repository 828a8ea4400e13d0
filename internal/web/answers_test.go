package web

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"bourse/internal/api"
	"bourse/internal/schema"
)

func TestAnAnswerIsGivenAgain(t *testing.T) {
	now := time.Unix(1000, 0)
	a := newAnswers(func() time.Time { return now })
	done := 0
	ask := func(session schema.KeyID, once, request byte, journaled bool, fails error) (string, error) {
		body, err := a.once(session, schema.Digest{once}, schema.Digest{request}, func() (json.RawMessage, bool, error) {
			done++
			return json.RawMessage{byte('0' + done)}, journaled, fails
		})
		text, _ := body.(json.RawMessage)
		return string(text), err
	}
	refused := &api.Error{Status: http.StatusUnprocessableEntity}
	for i, tt := range []struct {
		session       schema.KeyID
		once, request byte
		journaled     bool
		fails         error
		want          string
		err           error
	}{
		{1, 1, 1, true, nil, "1", nil},
		{1, 1, 1, true, nil, "1", nil},
		{1, 1, 2, true, nil, "", errOnceOther},
		{2, 1, 1, true, nil, "2", nil},                                        // of another session
		{1, 2, 1, false, refused, "", refused},                                // it never came to the log
		{1, 2, 1, true, refused, "", refused},                                 // now it did
		{1, 2, 1, true, nil, "", refused},                                     // and is answered so from now on
		{1, 3, 1, true, api.Unavailable(), "", api.Unavailable()},             // nobody knows
		{1, 3, 1, true, nil, "6", nil},                                        // the log says
		{1, 4, 1, true, &api.Error{Status: 409}, "", &api.Error{Status: 409}}, // the log has it from elsewhere
		{1, 4, 1, true, nil, "8", nil},
	} {
		got, err := ask(tt.session, tt.once, tt.request, tt.journaled, tt.fails)
		if got != tt.want || (err == nil) != (tt.err == nil) || err != nil && err.Error() != tt.err.Error() {
			t.Errorf("%d: %q, %v, want %q, %v", i, got, err, tt.want, tt.err)
		}
	}
	now = now.Add(answersLife)
	if got, _ := ask(1, 1, 1, true, nil); got != "9" {
		t.Errorf("after its time %q", got)
	}
}

// request sends a request of a session that the log has, or has not, and says whether it was done.
func (a *answers) request(session schema.KeyID, once int, journaled bool) (done bool) {
	_, _ = a.once(session, schema.Digest{byte(once), byte(once >> 8), byte(once >> 16)}, schema.Digest{}, func() (json.RawMessage, bool, error) {
		done = true
		return nil, journaled, nil
	})
	return done
}

// TestFailedRequestsPushNoAnswersOut: neither the answers of others, nor requests that are on their way.
func TestFailedRequestsPushNoAnswersOut(t *testing.T) {
	a := newAnswers(func() time.Time { return time.Unix(1000, 0) })
	a.request(1, 1, true)
	begun, goOn, answered := make(chan struct{}), make(chan struct{}), make(chan error)
	slow := schema.Digest{0xff}
	go func() {
		_, err := a.once(1, slow, schema.Digest{1}, func() (json.RawMessage, bool, error) {
			close(begun)
			<-goOn
			return json.RawMessage("1"), true, nil
		})
		answered <- err
	}()
	<-begun
	for i := range 2 * answersKept {
		if !a.request(2, i, false) {
			t.Fatalf("request %d was not done", i)
		}
	}
	if len(a.known) != 2 || a.all.Len() != 1 || len(a.own) != 1 {
		t.Errorf("%d answers are known, %d stay, of %d sessions", len(a.known), a.all.Len(), len(a.own))
	}
	if a.request(1, 1, true) {
		t.Error("the answer of another session was forgotten")
	}
	close(goOn)
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	body, err := a.once(1, slow, schema.Digest{1}, func() (json.RawMessage, bool, error) {
		t.Error("the request that was on its way is done again")
		return nil, true, nil
	})
	if text, _ := body.(json.RawMessage); err != nil || string(text) != "1" {
		t.Errorf("it was answered %q, %v", text, err)
	}
}

// TestARequestThatFailedIsKeptOnce: it is sent again and stays, and is forgotten when its own time is over.
func TestARequestThatFailedIsKeptOnce(t *testing.T) {
	now := time.Unix(1000, 0)
	a := newAnswers(func() time.Time { return now })
	a.request(1, 1, false)
	now = now.Add(answersLife - 1)
	a.request(1, 1, true)
	now = now.Add(answersLife - 1)
	if a.request(1, 1, true) {
		t.Error("it was forgotten before its time")
	}
	if now = now.Add(1); !a.request(1, 1, false) {
		t.Error("it is kept for longer than its time")
	}
	if len(a.known) != 0 || a.all.Len() != 0 || len(a.own) != 0 {
		t.Errorf("%d answers are known, %d stay, of %d sessions", len(a.known), a.all.Len(), len(a.own))
	}
}

// TestAnswersAreBounded: a session that has many pushes its own out, and all together the oldest.
func TestAnswersAreBounded(t *testing.T) {
	a := newAnswers(func() time.Time { return time.Unix(1000, 0) })
	a.request(1, 0, true)
	for i := range answersOfOne + 1 {
		a.request(2, i, true)
	}
	if a.all.Len() != answersOfOne+1 || len(a.known) != answersOfOne+1 {
		t.Errorf("%d answers stay", a.all.Len())
	}
	if a.request(1, 0, true) || a.request(2, 1, true) || !a.request(2, 0, false) {
		t.Error("the oldest of the session that has too many was to go")
	}
	for session := schema.KeyID(3); a.all.Len() < answersKept; session++ {
		for i := range answersOfOne {
			if a.all.Len() == answersKept {
				break
			}
			a.request(session, i, true)
		}
	}
	if a.request(1, 0, true) {
		t.Error("there is room for all of them")
	}
	a.request(100, 0, true)
	if a.all.Len() != answersKept || len(a.known) != answersKept || !a.request(1, 0, false) {
		t.Errorf("%d answers stay, and the oldest was to go", a.all.Len())
	}
}
