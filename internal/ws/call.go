package ws

import (
	"bytes"
	"strconv"

	"github.com/go-faster/jx"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// call is a request of a client: a method with parameters, and an id that its reply carries.
type call struct {
	conn   *conn
	id     []byte // as it was sent; "null" when there was none
	name   string
	method *served // nil when there is none of that name
	params []param
	// account is for whom a private method is asked.
	account *schema.Account
}

// param is a parameter as it was sent; texts without their quotes.
type param struct {
	kind  jx.Type
	value []byte
}

// maxParams bounds the parameters of a request: more markets than any exchange has.
const maxParams = 4096

// read reads a request. It reports whether the text is JSON at all; the error is about requests that
// are JSON and nothing that can be answered otherwise.
func (c *call) read(message []byte) (isJSON bool, err *Error) {
	c.id, c.name, c.params = null, "", c.params[:0]
	if api.TooDeep(message) {
		return true, errArgument
	}
	if !jx.Valid(message) {
		return false, nil
	}
	d := jx.DecodeBytes(message)
	if d.Next() != jx.Object {
		return true, errArgument
	}
	good := true
	_ = d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		kind := d.Next()
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		switch string(key) {
		case "id":
			c.id = bytes.TrimSpace(raw)
		case "method":
			p := makeParam(kind, raw)
			c.name, good = string(p.value), good && p.kind == jx.String
		case "params":
			c.params = c.params[:0]
			good = good && (kind == jx.Null || c.readParams(kind, raw))
		}
		return nil
	})
	if !good {
		return true, errArgument
	}
	return true, nil
}

var null = []byte("null")

func (c *call) readParams(kind jx.Type, raw []byte) bool {
	if kind != jx.Array {
		return false
	}
	err := jx.DecodeBytes(raw).Arr(func(d *jx.Decoder) error {
		kind := d.Next()
		raw, err := d.Raw()
		if err != nil || len(c.params) == maxParams {
			return errMany
		}
		c.params = append(c.params, makeParam(kind, raw))
		return nil
	})
	return err == nil
}

func makeParam(kind jx.Type, raw []byte) param {
	p := param{kind, bytes.TrimSpace(raw)}
	if kind == jx.String {
		inner := p.value[1 : len(p.value)-1]
		if bytes.IndexByte(inner, '\\') >= 0 {
			inner, _ = jx.DecodeBytes(p.value).StrAppend(nil) // it is valid: that was looked at
		}
		p.value = inner
	}
	return p
}

// reply is the frame of a good answer.
func reply(id, result []byte) []byte {
	b := make([]byte, headerRoom, headerRoom+len(result)+len(id)+32)
	b = append(b, `{"error":null,"result":`...)
	b = append(b, result...)
	b = append(b, `,"id":`...)
	b = append(b, id...)
	return framed(append(b, '}'))
}

// failed is the frame of an error.
func failed(id []byte, e *Error) []byte {
	b := make([]byte, headerRoom, headerRoom+len(e.Message)+len(id)+64)
	b = append(b, `{"error":{"code":`...)
	b = strconv.AppendInt(b, int64(e.Code), 10)
	b = append(b, `,"message":`...)
	b = api.AppendText(b, e.Message)
	b = append(b, `},"result":null,"id":`...)
	b = append(b, id...)
	return framed(append(b, '}'))
}

// push begins the frame of a push of a channel; pushed ends it.
func push(channel string) []byte {
	b := make([]byte, headerRoom, 256)
	b = append(b, `{"method":"`...)
	b = append(b, channel...)
	return append(b, update+`","params":`...)
}

// pushed ends the frame of a push.
func pushed(b []byte) []byte { return framed(append(b, `,"id":null}`...)) }
