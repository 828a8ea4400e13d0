package ws

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"bourse/internal/api"
)

// script is a connection whose client said all that it will say.
type script struct {
	net.Conn
	said    io.Reader
	written bytes.Buffer
}

func (s *script) Read(p []byte) (int, error)         { return s.said.Read(p) }
func (s *script) Write(p []byte) (int, error)        { return s.written.Write(p) }
func (s *script) Close() error                       { return nil }
func (s *script) SetDeadline(time.Time) error        { return nil }
func (s *script) SetReadDeadline(t time.Time) error  { return nil }
func (s *script) SetWriteDeadline(t time.Time) error { return nil }

// play serves a client that says something, to the end, and returns what it gets: texts, and the
// code of the farewell, 0 if there was none.
func (s *Server) play(t *testing.T, said []byte) (texts []string, code ws.StatusCode) {
	t.Helper()
	p := &script{said: bytes.NewReader(said)}
	c := s.connect(p, netip.Addr{})
	s.running.Add(1)
	c.serve()
	s.running.Wait()
	if cap(c.message) > 2*maxMessage {
		t.Fatalf("%d bytes are kept for messages", cap(c.message))
	}
	for p.written.Len() > 0 {
		f, err := ws.ReadFrame(&p.written)
		if err != nil || !f.Header.Fin || f.Header.Masked || f.Header.Rsv != 0 || code != 0 {
			t.Fatalf("the server wrote %+v behind %d: %v", f.Header, code, err)
		}
		switch f.Header.OpCode {
		case ws.OpText:
			texts = append(texts, string(f.Payload))
		case ws.OpPong:
		case ws.OpClose:
			code, _ = ws.ParseCloseFrameData(f.Payload)
		default:
			t.Fatalf("the server wrote %+v", f.Header)
		}
	}
	return texts, code
}

// mute is a door that answers from what it is sent alone.
func mute() *Server {
	s := door(Options{Unlimited: true})
	s.register(does("texts", func(q *call) ([]byte, func(), *Error) {
		a := arguments{call: q}
		list := a.texts("text", 0)
		if a.err != nil {
			return nil, nil, a.err
		}
		result, _ := json.Marshal(list)
		return result, nil, nil
	}))
	s.register(does("list", func(q *call) ([]byte, func(), *Error) {
		a := arguments{call: q}
		_, a.err = a.at(0).list()
		a.whole(1, "number")
		return success, nil, a.err
	}))
	return s
}

// FuzzFrames: whatever bytes come, the server does not fall, keeps little, and speaks proper frames.
func FuzzFrames(f *testing.F) {
	s := mute()
	text := func(fin bool, op ws.OpCode, payload string) []byte {
		var b bytes.Buffer
		frame := ws.MaskFrame(ws.NewFrame(op, fin, []byte(payload)))
		_ = ws.WriteFrame(&b, frame)
		return b.Bytes()
	}
	join := func(frames ...[]byte) []byte { return bytes.Join(frames, nil) }
	f.Add(text(true, ws.OpText, `{"id":1,"method":"ping"}`))
	f.Add(join(text(false, ws.OpText, `{"id":1,`), text(true, ws.OpPing, "x"), text(false, ws.OpContinuation, ""), text(true, ws.OpContinuation, `"method":"ping"}`)))
	f.Add(join(text(true, ws.OpClose, "\x03\xe8bye"), text(true, ws.OpText, "{}")))
	f.Add(text(true, ws.OpClose, "\x03"))
	f.Add(text(true, ws.OpBinary, "x"))
	f.Add([]byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4})
	f.Add([]byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4})
	f.Add(text(true, ws.OpText, "\xff\xfe"))
	f.Fuzz(func(t *testing.T, said []byte) {
		texts, _ := s.play(t, said)
		for _, text := range texts {
			if !json.Valid([]byte(text)) {
				t.Fatalf("%q is not JSON", text)
			}
		}
	})
}

// FuzzRequest: every text is answered once, with the id that it has; or it is not JSON, and that is
// the end.
func FuzzRequest(f *testing.F) {
	s := mute()
	for _, text := range []string{
		`{"id":1,"method":"ping","params":[]}`, `{"id":"a\"b","method":"texts","params":["x","\u0041\ud83d\ude00","\ud800"]}`,
		`{"id":{"a":[1, 2]},"method":"list","params":[[1,"2",null],-9223372036854775808]}`, `{"method":"\u0070ing","id":1e400}`,
		`[]`, `null`, `"x"`, `{`, ``, `{"id":1}{"id":2}`, `{"id":1,"id":2,"params":{}}`, strings.Repeat("[", 70) + strings.Repeat("]", 70),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxMessage || !utf8.ValidString(text) {
			return
		}
		var b bytes.Buffer
		_ = ws.WriteFrame(&b, ws.MaskFrame(ws.NewTextFrame([]byte(text))))
		answers, code := s.play(t, b.Bytes())
		if code != 0 {
			t.Fatalf("closed with %d", code)
		}
		switch deep := api.TooDeep([]byte(text)); {
		case len(answers) == 0 && !json.Valid([]byte(text)):
			return
		case len(answers) != 1 || !json.Valid([]byte(text)) && !deep:
			t.Fatalf("%q: answered with %q", text, answers)
		case deep:
			return
		}
		var asked, answer map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &asked) != nil || asked["id"] == nil {
			asked = map[string]json.RawMessage{"id": json.RawMessage("null")}
		}
		if err := json.Unmarshal([]byte(answers[0]), &answer); err != nil || len(answer) != 3 {
			t.Fatalf("%q: answered with %q: %v", text, answers[0], err)
		}
		if string(answer["id"]) != string(asked["id"]) {
			t.Fatalf("%q: answered with the id %q", text, answer["id"])
		}
	})
}
