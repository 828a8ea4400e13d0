package web

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// onceHeader makes a request that changes something unique within its session, as a nonce does elsewhere.
const onceHeader = "Idempotency-Key"

// onceMost is the longest of them, in bytes.
const onceMost = 128

var (
	errOnce      = &api.Error{Status: http.StatusBadRequest, Message: "The header Idempotency-Key is needed, of 1 to 128 bytes: a new one for each request that is to be done."}
	errOnceOther = &api.Error{Status: http.StatusUnprocessableEntity, Message: "Another request was sent with this Idempotency-Key."}
)

// once does a request of a session that changes something, or gives the answer that it was given before. What is done says whether the log
// has it.
func (s *Server) once(r *request, do func(schema.Digest) (json.RawMessage, bool, error)) (any, error) {
	key := r.Request.Header.Peek(onceHeader)
	if len(key) == 0 || len(key) > onceMost {
		return nil, errOnce
	}
	once := schema.Digest(sha256.Sum256(key))
	sum := sha256.New()
	sum.Write([]byte(string(r.Method()) + " " + string(r.URI().PathOriginal()) + "\x00"))
	sum.Write(r.PostBody())
	return s.answers.once(r.session.ID, once, schema.Digest(sum.Sum(nil)), func() (json.RawMessage, bool, error) { return do(once) })
}

// act is something that the user of a session asks for beside the operations, and that is done once, by one command.
type act struct {
	*Server
	*request
	once      schema.Digest
	journaled bool
}

// acts makes the handler of an act.
func acts(do func(*act) (any, error)) handler {
	return handler{signedIn: true, do: func(s *Server, r *request) (any, error) {
		if err := s.admit(r); err != nil {
			return nil, err
		}
		if s.api.Directory().Closed() {
			return nil, api.Maintenance()
		}
		return s.once(r, func(once schema.Digest) (json.RawMessage, bool, error) {
			a := &act{Server: s, request: r, once: once}
			answer, err := do(a)
			if err != nil {
				return nil, a.journaled, err
			}
			body, err := json.Marshal(answer)
			return body, a.journaled, err
		})
	}}
}

// admit refuses those who may do nothing at all.
func (s *Server) admit(r *request) error {
	caller := s.api.Caller(r.session, r.address)
	if err := api.Admit(&caller); err != nil {
		return err
	}
	return nil
}

// origin is how a command comes that is sent for the act.
func (a *act) origin() schema.Origin {
	a.journaled = true
	return schema.Origin{Key: a.session.ID, Once: a.once, Region: a.api.Region()}
}

// submit sends the command of the act, if a factor was given not long ago.
func (a *act) submit(c schema.Command) error {
	if err := a.fresh(a.request); err != nil {
		return err
	}
	a.journaled = true
	_, err := a.api.IdentifyBy(a.context, a.session.ID, a.once, c)
	return err
}

// factor is what the user of a session proves once more by that it is him.
type factor struct {
	Code     string          `json:"code"`
	Password string          `json:"password"`
	Passkey  json.RawMessage `json:"passkey"`
}

func (f *factor) given() bool { return f.Code != "" || f.Password != "" || len(f.Passkey) > 0 }

// proven refuses an act that needs a factor in the very request, if it has none or a wrong one. It is what lets money out or a program in: a
// session that somebody left open for five minutes is not enough.
func (a *act) proven(f *factor) error {
	if a.user(a.request) == nil { // of a demo: nothing is asked for there
		return nil
	}
	if !f.given() {
		return api.ErrStepUp
	}
	return a.proveAgain(a.request, f)
}

var errNoSub = wrong("account", "There is no such sub-account.")

// whose is the account that a request is about: that of the session, or the sub-account of it with an id.
func (s *Server) whose(r *request, id string) (*schema.Account, error) {
	own := s.account(r)
	if id == "" {
		return own, nil
	}
	for _, sub := range s.api.Directory().Subs(own.ID) {
		if sub.External == id {
			return sub, nil
		}
	}
	return nil, errNoSub
}

// shownAccount is an account that who is signed in looks after.
type shownAccount struct {
	ID   string `json:"id"` // "": the one of the session
	Name string `json:"name"`
}

// lookedAfter are the account of a session and its sub-accounts.
func (s *Server) lookedAfter(r *request) []shownAccount {
	own := s.account(r)
	list := []shownAccount{{"", nameOf(own)}}
	for _, sub := range s.api.Directory().Subs(own.ID) {
		list = append(list, shownAccount{sub.External, nameOf(sub)})
	}
	return list
}

// askedAccount is the account that a request without a body is about.
func (s *Server) askedAccount(r *request) (*schema.Account, error) {
	if err := s.admit(r); err != nil {
		return nil, err
	}
	return s.whose(r, string(r.QueryArgs().Peek("account")))
}

// bodyAccount is the account that a request names alone.
func (a *act) bodyAccount() (*schema.Account, error) {
	var q struct {
		Account string `json:"account"`
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	return a.whose(a.request, q.Account)
}
