// Package asyncapi writes down what can be asked over the WebSocket and what it pushes, as an AsyncAPI
// 3.0 document. It knows nothing of its own: methods, parameters, results, errors and examples are
// those of the table in ws. The files: this one for the outline, operation.go for the methods, params.go
// for the schemas of parameters.
//
// What must hold: the document is the same bytes every time; every frame that a conformance test sees
// follows it.
package asyncapi

import (
	"bytes"
	"encoding/json"

	"bourse/internal/openapi"
	"bourse/internal/ws"
)

// Address is where the socket is opened.
const Address = "/ws"

// document is an AsyncAPI document, with its members in the order in which people read them.
type document struct {
	AsyncAPI    string             `json:"asyncapi"`
	Info        info               `json:"info"`
	ContentType string             `json:"defaultContentType"`
	Servers     ordered[server]    `json:"servers"`
	Channels    ordered[channel]   `json:"channels"`
	Operations  ordered[operation] `json:"operations"`
	Components  components         `json:"components"`
}

type info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
	Tags        []tag  `json:"tags"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type server struct {
	Host        string            `json:"host"`
	Protocol    string            `json:"protocol"`
	Description string            `json:"description"`
	Variables   ordered[variable] `json:"variables"`
}

type variable struct {
	Default     string `json:"default"`
	Description string `json:"description"`
}

type channel struct {
	Address     string             `json:"address"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Messages    ordered[reference] `json:"messages"`
}

type components struct {
	Schemas         any              `json:"schemas"`
	Messages        ordered[message] `json:"messages"`
	CorrelationIDs  ordered[place]   `json:"correlationIds"`
	SecuritySchemes ordered[scheme]  `json:"securitySchemes"`
}

type place struct {
	Description string `json:"description"`
	Location    string `json:"location"`
}

type scheme struct {
	Type        string `json:"type"`
	In          string `json:"in"`
	Description string `json:"description"`
}

// reference is a reference to another part of the document.
type reference struct {
	To string `json:"$ref"`
}

func to(parts ...string) reference {
	place := "#"
	for _, p := range parts {
		place += "/" + p
	}
	return reference{place}
}

// Document is the AsyncAPI document of a version of the program. It does not change while the program
// runs: make it once.
func Document(version string) []byte {
	d := document{
		AsyncAPI: "3.0.0", ContentType: "application/json",
		Info: info{Title: "Bourse", Version: version, Description: introduction},
		Servers: ordered[server]{{"exchange", server{
			Host: "{host}", Protocol: "ws", Description: "The exchange that serves this document. With TLS the protocol is wss.",
			Variables: ordered[variable]{{"host", variable{"127.0.0.1:8080", "Host and port of the exchange."}}},
		}}},
	}
	schemas := openapi.Draft07()
	methods := ws.Methods()
	for i := range methods {
		m := &methods[i]
		g := m.Group
		at := d.Channels.find(g.Name)
		if at == nil {
			d.Info.Tags = append(d.Info.Tags, tag{g.Title, g.Text})
			d.Channels = append(d.Channels, member[channel]{g.Name, channel{Address: Address, Title: g.Title, Description: g.Text}})
			at = d.Channels.find(g.Name)
		}
		for _, sent := range messages(m, schemas) {
			d.Components.Messages = append(d.Components.Messages, sent)
			at.Messages = append(at.Messages, member[reference]{sent.name, to("components", "messages", sent.name)})
		}
		d.Operations = append(d.Operations, member[operation]{m.Name, describe(m)})
	}
	d.Components.Schemas = schemas.Named()
	d.Components.CorrelationIDs = ordered[place]{{"id", place{"The id of a request, which its reply has too.", "$message.payload#/id"}}}
	d.Components.SecuritySchemes = ordered[scheme]{{"token", scheme{
		"apiKey", "user", "The connection is authorized with the method authorize and a token of /api/v4/profile/websocket_token.",
	}}}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		panic("asyncapi: the document cannot be written: " + err.Error())
	}
	return bytes.TrimSpace(text.Bytes())
}

// ordered is a JSON object whose members keep their order.
type ordered[V any] []member[V]

type member[V any] struct {
	name  string
	value V
}

// find is the value of a name, nil if there is none.
func (o ordered[V]) find(name string) *V {
	for i := range o {
		if o[i].name == name {
			return &o[i].value
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (o ordered[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

const introduction = `Requests, replies and pushes are JSON objects, one in each text frame. Prices, amounts and fees are decimal strings.

**Requests** have an ` + "`id`" + `, which the reply has too, a ` + "`method`" + ` and ` + "`params`" + `. The reply has a ` + "`result`" + `, or an ` + "`error`" + ` with a
code and a message. Branch on the code: messages are for people, and those that speak of a value are examples here. Error codes are not those of REST. A request
that was refused changed nothing. A method that does not exist answers error 4.

**Pushes** have a ` + "`method`" + ` that ends with ` + "`_update`" + `, ` + "`params`" + `, and null as ` + "`id`" + `. The reply to a request comes before any push that it causes;
pushes of a channel keep the order of the exchange. A connection has one subscription for each channel, and a new one replaces it; only depth adds markets. There is no
replay after a reconnect: subscribe again.

**Private** methods and channels need ` + "`authorize`" + ` first, with a token of ` + "`/api/v4/profile/websocket_token`" + `. The connection has the permissions that the
API key has at the time, never more than over REST.

**Limits.** A connection may place 10,000 orders and send 12,000 other requests in ten seconds; an address may open 1,000 connections a minute. A message has at
most 64 KiB. A connection on which the client sends nothing for a minute is closed, and so is one whose client does not read (code 1013).`
