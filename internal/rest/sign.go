package rest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// The headers of a signed request.
const (
	keyHeader       = "X-TXC-APIKEY"
	payloadHeader   = "X-TXC-PAYLOAD"
	signatureHeader = "X-TXC-SIGNATURE"
)

// authenticate finds out who signed a request and fills in the call from the signed payload. It
// reports whether the nonce was used up, which it is from the moment the signature is known to
// be good, whatever is wrong after that.
func (s *Server) authenticate(ctx *fasthttp.RequestCtx, c *call) (nonceUsed bool, err error) {
	header := &ctx.Request.Header
	payload := header.Peek(payloadHeader)
	if len(payload) == 0 {
		return false, api.ErrNoPayload
	}
	key := s.api.Directory().Key(header.Peek(keyHeader))
	caller := s.api.Caller(key, c.address)
	if err := api.Admit(&caller); err != nil {
		return false, err
	}
	// The signature comes first: everything below costs more the more was sent, and is done only for
	// those who have the secret.
	if key.Secret == nil || !key.Secret.Check(payload, header.Peek(signatureHeader)) {
		return false, api.ErrSignature
	}
	if c.payload, err = base64.StdEncoding.AppendDecode(c.payload, payload); err != nil || c.Form.ReadJSON(c.payload) != nil || !same(c.payload, ctx.PostBody()) {
		return false, api.ErrPayload
	}
	if c.Origin, err = c.Form.Origin(ctx.URI().PathOriginal()); err != nil {
		return false, err
	}
	c.Account = caller.Account
	c.Origin.Key, c.Origin.Op, c.Origin.Region = key.ID, s.api.Directory().Judged(c.Operation.Op()), s.api.Region()
	if err := api.Nonce(s.register.Use(key.ID, c.Origin.Nonce, c.Origin.Window)); err != nil {
		return false, err
	}
	if err := api.Allow(&caller, c.Operation); err != nil {
		return true, err
	}
	if !c.Operation.Writes() {
		s.api.Touch(key)
	}
	return true, nil
}

// same reports whether a body says what the payload says: the same bytes or, because some
// clients write the two with different spaces, the same JSON. It takes time and memory in proportion
// to the two, whatever is in them.
func same(payload, body []byte) bool {
	if bytes.Equal(payload, body) {
		return true
	}
	if api.TooDeep(payload) || api.TooDeep(body) {
		return false
	}
	a, okA := parsed(payload)
	b, okB := parsed(body)
	return okA && okB && equal(a, b)
}

// equal compares what parsed returned. Numbers are the same if their digits are.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, is := b.(map[string]any)
		return is && maps.EqualFunc(a, b, equal)
	case []any:
		b, is := b.([]any)
		return is && slices.EqualFunc(a, b, equal)
	default:
		switch b.(type) {
		case map[string]any, []any: // which cannot be compared by ==
			return false
		}
		return a == b
	}
}

func parsed(data []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}
