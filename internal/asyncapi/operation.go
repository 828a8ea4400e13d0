package asyncapi

import (
	"encoding/json"
	"slices"
	"time"

	"bourse/internal/openapi"
	"bourse/internal/ws"
)

// operation is a method: what the exchange receives and replies to, or sends by itself.
type operation struct {
	Action      string      `json:"action"`
	Channel     reference   `json:"channel"`
	Title       string      `json:"title"`
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
	Security    []reference `json:"security,omitempty"`
	Tags        []tag       `json:"tags"`
	Messages    []reference `json:"messages"`
	Reply       *reply      `json:"reply,omitempty"`
	Kind        string      `json:"x-bourse-kind"`
	Right       string      `json:"x-bourse-right,omitempty"`
	Limit       *limit      `json:"x-bourse-limit,omitempty"`
	Maintenance bool        `json:"x-bourse-maintenance,omitempty"`
	Errors      []fault     `json:"x-bourse-errors,omitempty"`
}

type reply struct {
	Channel  reference   `json:"channel"`
	Messages []reference `json:"messages"`
}

// limit is how many requests a connection may send in some seconds, together with those that count
// against the same budget.
type limit struct {
	Requests int `json:"requests"`
	Seconds  int `json:"seconds"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// message is what is sent in one frame.
type message struct {
	Name        string     `json:"name"`
	Title       string     `json:"title"`
	Summary     string     `json:"summary"`
	Correlation *reference `json:"correlationId,omitempty"`
	Payload     schema     `json:"payload"`
	Examples    []example  `json:"examples,omitempty"`
}

type example struct {
	Name    string          `json:"name"`
	Payload json.RawMessage `json:"payload"`
}

// Names of the messages of a method.
const (
	replySuffix = "_reply"
	errorSuffix = "_error"
)

// describe is the operation of a method.
func describe(m *ws.Method) operation {
	here := func(suffix string) reference { return to("channels", m.Group.Name, "messages", m.Name+suffix) }
	o := operation{
		Action: "receive", Channel: to("channels", m.Group.Name), Title: m.Name, Summary: m.Summary, Description: m.Text,
		Tags: []tag{{Name: m.Group.Title}}, Messages: []reference{here("")}, Kind: m.Kind.String(), Right: m.Right, Maintenance: m.Open,
	}
	if m.Private {
		o.Security = []reference{to("components", "securitySchemes", "token")}
	}
	if m.Kind == ws.Push {
		o.Action = "send"
		return o
	}
	count, window := m.Budget.PerWindow()
	o.Limit = &limit{count, int(window / time.Second)}
	o.Reply = &reply{to("channels", m.Group.Name), []reference{here(replySuffix), here(errorSuffix)}}
	for _, e := range m.Errors() {
		o.Errors = append(o.Errors, fault{e.Code, e.Message})
	}
	return o
}

// messages are what a method sends and gets.
func messages(m *ws.Method, schemas *openapi.Schemas) []member[message] {
	if m.Kind == ws.Push {
		return []member[message]{{m.Name, message{
			Name: m.Name, Title: m.Summary, Summary: m.Text,
			Payload: frame(ordered[schema]{
				{"method", schema{Const: m.Name, Description: "Name of the push."}},
				{"params", schema{shape: schemas.Of(m.Result)}},
				{"id", schema{Type: "null", Description: "Always null."}},
			}),
			Examples: framed(m.Name, "", `{"method":"`+m.Name+`","params":`, m.Example.Params, `,"id":null}`),
		}}}
	}
	correlation := to("components", "correlationIds", "id")
	request := frame(ordered[schema]{
		{"id", schema{Description: "Any value. The reply has the same."}},
		{"method", schema{Const: m.Name, Description: "Name of the method."}},
		{"params", list(m.Params())},
	})
	request.Open, request.Required = true, []string{"method"}
	if m.Params().Fewest > 0 {
		request.Required = append(request.Required, "params")
	}
	var codes []any
	for _, e := range m.Errors() {
		if !slices.Contains(codes, any(e.Code)) {
			codes = append(codes, e.Code)
		}
	}
	id := schema{Description: "The id of the request."}
	return []member[message]{
		{m.Name, message{
			Name: m.Name, Title: m.Summary, Summary: m.Text, Correlation: &correlation, Payload: request,
			Examples: framed(m.Name, "", `{"id":1,"method":"`+m.Name+`","params":`, m.Example.Params, `}`),
		}},
		{m.Name + replySuffix, message{
			Name: m.Name + replySuffix, Title: m.Summary + ": reply", Summary: "What a request that was done is answered with.", Correlation: &correlation,
			Payload: frame(ordered[schema]{
				{"error", schema{Type: "null", Description: "Always null."}}, {"result", schema{shape: schemas.Of(m.Result)}}, {"id", id},
			}),
			Examples: framed(m.Name, replySuffix, `{"error":null,"result":`, m.Example.Result, `,"id":1}`),
		}},
		{m.Name + errorSuffix, message{
			Name: m.Name + errorSuffix, Title: m.Summary + ": error", Summary: "What a request that was refused is answered with.", Correlation: &correlation,
			Payload: frame(ordered[schema]{
				{"error", frame(ordered[schema]{
					{"code", schema{Enum: codes, Description: "What is wrong."}}, {"message", schema{Type: "string", Description: "The same for people."}},
				})},
				{"result", schema{Type: "null", Description: "Always null."}},
				{"id", id},
			}),
		}},
	}
}

// framed is an example in its frame; none where there is none.
func framed(method, suffix, before, text, behind string) []example {
	if text == "" {
		return nil
	}
	return []example{{method + suffix, json.RawMessage(before + text + behind)}}
}
