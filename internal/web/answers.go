package web

import (
	"container/list"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// answersLife is how long an answer is kept, as long as the log knows that its request was done; answersKept is how many are, and answersOfOne
// how many of a session.
const (
	answersLife  = 10 * time.Minute
	answersKept  = 10_000
	answersOfOne = 1000
)

// answers keeps what requests of sessions were answered with, so that one that is sent again gets the same answer. Only what is in the log
// is kept: what was refused before may be tried again.
//
// What must hold: only answers that stay are counted and forgotten, so that requests which fail push none out, and a request on its way is
// known until it is answered.
type answers struct {
	now func() time.Time

	mu    sync.Mutex
	known map[place]*kept
	all   *list.List                  // of those that stay, *kept, the oldest first
	own   map[schema.KeyID]*list.List // the same of each session
}

// place is where an answer is kept.
type place struct {
	session schema.KeyID
	once    schema.Digest
}

// kept is an answer, or one that is on its way.
type kept struct {
	at      place
	request schema.Digest
	ready   chan struct{} // closed when it is there
	body    json.RawMessage
	err     error

	// Of one that stays: until when, and where it is in the lists.
	until      time.Time
	inAll, own *list.Element
}

func newAnswers(now func() time.Time) *answers {
	return &answers{now: now, known: map[place]*kept{}, all: list.New(), own: map[schema.KeyID]*list.List{}}
}

// once does a request, or gives the answer that it was given before.
func (a *answers) once(session schema.KeyID, once, request schema.Digest, do func() (json.RawMessage, bool, error)) (any, error) {
	at := place{session, once}
	a.mu.Lock()
	a.expire()
	if k := a.known[at]; k != nil {
		a.mu.Unlock()
		if k.request != request {
			return nil, errOnceOther
		}
		<-k.ready
		if k.err != nil {
			return nil, k.err
		}
		return k.body, nil
	}
	k := &kept{at: at, request: request, ready: make(chan struct{})}
	a.known[at] = k
	a.mu.Unlock()
	stays := false
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if stays {
			a.keep(k)
		} else {
			delete(a.known, at)
		}
		close(k.ready)
	}()
	k.err = api.Unavailable() // if it panics
	var journaled bool
	k.body, journaled, k.err = do()
	stays = journaled && certain(k.err)
	if k.err != nil {
		return nil, k.err
	}
	return k.body, nil
}

// certain reports whether an error says what became of a request for good.
func certain(err error) bool {
	var e *api.Error
	return err == nil || errors.As(err, &e) && e.Status < http.StatusInternalServerError && e.Status != http.StatusConflict && e.Status != http.StatusTooManyRequests
}

// keep lets an answer stay. The oldest of the session makes room for it, or the oldest of all.
func (a *answers) keep(k *kept) {
	own := a.own[k.at.session]
	if own == nil {
		own = list.New()
		a.own[k.at.session] = own
	}
	k.until = a.now().Add(answersLife)
	k.inAll, k.own = a.all.PushBack(k), own.PushBack(k)
	switch {
	case own.Len() > answersOfOne:
		a.forget(own.Front().Value.(*kept))
	case a.all.Len() > answersKept:
		a.forget(a.all.Front().Value.(*kept))
	}
}

// forget forgets an answer that stayed.
func (a *answers) forget(k *kept) {
	delete(a.known, k.at)
	a.all.Remove(k.inAll)
	own := a.own[k.at.session]
	if own.Remove(k.own); own.Len() == 0 {
		delete(a.own, k.at.session)
	}
}

// expire forgets what is over.
func (a *answers) expire() {
	now := a.now()
	for first := a.all.Front(); first != nil; first = a.all.Front() {
		k := first.Value.(*kept)
		if now.Before(k.until) {
			return
		}
		a.forget(k)
	}
}
