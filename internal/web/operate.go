package web

import (
	"encoding/json"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// operate does an operation of the table for the user of a session.
func (s *Server) operate(r *request, path string) (any, error) {
	o := s.api.Operation(path)
	switch {
	case o == nil || o.Auth != api.AuthSigned:
		return nil, errNotFound
	case !r.IsPost():
		return nil, errMethod
	case r.session == nil:
		return nil, errSession
	case !o.Open && s.api.Directory().Closed():
		return nil, api.Maintenance()
	}
	s.touch(r)
	body := r.PostBody()
	if len(body) == 0 {
		body = []byte("{}")
	}
	if !o.Writes() {
		answer, _, err := s.call(r, o, body, schema.Digest{})
		return answer, err
	}
	return s.once(r, func(once schema.Digest) (json.RawMessage, bool, error) { return s.call(r, o, body, once) })
}

// call runs an operation. It reports whether the log has it.
func (s *Server) call(r *request, o *api.Operation, body []byte, once schema.Digest) (answer json.RawMessage, journaled bool, err error) {
	caller := s.api.Caller(r.session, r.address)
	if err := api.Allow(&caller, o); err != nil {
		return nil, false, o.Error(err)
	}
	c := api.Call{API: s.api, Context: r.context, Operation: o, Account: caller.Account}
	c.Origin = schema.Origin{Key: r.session.ID, Op: s.api.Directory().Judged(o.Op()), Region: s.api.Region(), Once: once}
	if c.Form.ReadJSON(body) != nil {
		return nil, false, errBody
	}
	if e := c.Do(); e != nil {
		return nil, c.Journaled, e
	}
	return c.Body, c.Journaled, nil
}
