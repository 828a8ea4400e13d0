// Package openapi writes down what the exchange can be asked, as an OpenAPI 3.1 document. It
// knows nothing of its own: operations, fields, bounds, answers and errors are those of the table
// in api, and the examples are requests that the conformance tests send, with what they got.
//
// What must hold: the document is the same bytes every time; every answer that a conformance test
// sees follows it.
package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// Document is the OpenAPI document of a version of the program, with the operations that the exchange
// has. It does not change while the program runs: make it once.
func Document(version string, operations []api.Operation) []byte {
	c := &components{examples: Examples()}
	c.ref("SignedRequest", func() object {
		return request(api.SignedRequest()).
			with("description", "What every signed request holds beside its own fields. Members that nobody reads are ignored.")
	})
	var paths object
	for i := range operations {
		o := &operations[i]
		paths = append(paths, member{o.Path, object{{strings.ToLower(o.Method), c.operation(o)}}})
	}
	document := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", "Bourse"},
			{"version", version},
			{"summary", "The HTTP API of an exchange"},
			{"description", introduction},
		}},
		{"servers", []object{{{"url", "/"}, {"description", "The exchange that serves this document."}}}},
		{"tags", tags(operations)},
		{"paths", paths},
		{"components", object{
			{"schemas", c.schemas},
			{"responses", c.responses},
			{"headers", object{{"RequestId", object{
				{"description", "The number of the request, under which the log of the exchange has what it knows."},
				{"schema", object{{"type", "string"}}},
			}}}},
			{"securitySchemes", securitySchemes},
		}},
	}
	text, err := plain(document)
	if err != nil {
		panic("openapi: the document cannot be written: " + err.Error())
	}
	return text
}

// operation describes a row of the table.
func (c *components) operation(o *api.Operation) object {
	all, fields := c.examplesOf(o), o.RequestSchema()
	d := object{
		{"operationId", identifier(o.Path)},
		{"tags", []string{tagOf(o)}},
		{"summary", o.About.Summary},
		{"description", strings.TrimSpace(o.About.Text + "\n\n" + conditions(o))},
	}
	if o.Deprecated {
		d = d.with("deprecated", true)
	}
	switch o.Auth {
	case api.AuthPublic:
		d = d.with("parameters", parameters(o, fields, all)).with("security", []object{})
	case api.AuthBearer:
		d = d.with("requestBody", object{{"content", content(request(fields), requestsOf(all, false))}}).with("security", []object{{{"token", []string{o.Scope}}}})
	default:
		d = d.with("requestBody", c.body(fields, all)).
			with("security", []object{{{"key", []string{}}, {"payload", []string{}}, {"signature", []string{}}}})
	}
	answer := c.schema(o.About.Response, "")
	if o.ErrorFormat == api.Kline {
		answer = object{{"oneOf", []object{answer, c.schema(api.KlineErrorSchema, "")}}}
	}
	success := object{
		{"description", "Done." + errorTable(false, errorsOf(o)[http.StatusOK])}, // candles are refused with 200 too
		{"content", content(answer, answersOf(all, http.StatusOK))},
	}
	d = d.with("responses", append(object{{"200", success}}, c.refusals(o, all)...))
	if o.Limit.Count > 0 {
		d = d.with("x-bourse-limit", object{{"requests", o.Limit.Count}, {"seconds", int(o.Limit.Window / time.Second)}})
	}
	if o.Gate != nil {
		d = d.with("x-bourse-gate", o.Gate.Status)
	}
	if o.Auth == api.AuthSigned {
		d = d.with("x-bourse-permission", object{
			{"group", string(o.Right.Group)}, {"title", api.GroupTitle(o.Right.Group)}, {"keyType", int(o.Right.Type())}, {"subAccounts", subAccounts[o.Right.Sub]},
		})
	}
	return d
}

// subAccounts says whether the key of a sub-account can have an operation.
var subAccounts = map[schema.SubRule]string{schema.SubAlways: "always", schema.SubNever: "never", schema.SubDeposited: "if enabled"}

// conditions says what an operation asks of its caller beside the fields.
func conditions(o *api.Operation) string {
	var all []string
	if o.Right != nil {
		all = append(all, fmt.Sprintf("The key needs the rights of *%s*.", api.GroupTitle(o.Right.Group)))
	}
	if o.Scope != "" {
		all = append(all, fmt.Sprintf("The access token needs the scope `%s`, and the call must come from an address of its client.", o.Scope))
	}
	if o.Gate != nil {
		all = append(all, "The account must be enabled for it.")
	}
	if o.Limit.Count > 0 {
		all = append(all, fmt.Sprintf("An address may ask %d times in %s.", o.Limit.Count, span(o.Limit.Window)))
	}
	for _, scope := range api.LimitScopes {
		if strings.HasPrefix(o.Path, scope.Prefix) {
			all = append(all, fmt.Sprintf("All of %s together: %d times in %s.", scope.Prefix, scope.Limit.Count, span(scope.Limit.Window)))
		}
	}
	return strings.Join(all, " ")
}

func span(d time.Duration) string { return fmt.Sprintf("%d seconds", d/time.Second) }

// body describes the body of a signed request.
func (c *components) body(s *api.RequestSchema, all []Example) object {
	schema := object{{"$ref", "#/components/schemas/SignedRequest"}}
	if len(s.Parameters) > 0 {
		schema = object{{"allOf", []object{schema, request(s)}}}
	}
	return object{{"required", true}, {"content", content(schema, requestsOf(all, true))}}
}

// parameters describes the fields of a query and a path.
func parameters(o *api.Operation, s *api.RequestSchema, all []Example) any {
	inPath := o.Parameters()
	var list []object
	for _, f := range s.Parameters {
		p := object{{"name", f.Name}, {"in", "query"}}
		if slices.Contains(inPath, f.Name) {
			p = object{{"name", f.Name}, {"in", "path"}, {"required", true}}
		} else if f.Required {
			p = p.with("required", true)
		}
		p = p.with("description", f.Description).with("schema", parameter(f))
		for _, e := range all {
			if v, there := e.Request[f.Name]; there && e.Status == http.StatusOK {
				p = p.with("example", v)
				break
			}
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// identifier is a path as one word: orderCancelAll of /api/v4/order/cancel/all.
func identifier(path string) string {
	path = strings.TrimPrefix(path, "/api/")
	path = strings.TrimPrefix(path, "v4/")
	var b strings.Builder
	for i, part := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("/-_{}", r) }) {
		if i > 0 {
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String()
}

// tagOf is the group of an operation, as readers find it.
func tagOf(o *api.Operation) string {
	switch {
	case o.Right != nil:
		return api.GroupTitle(o.Right.Group)
	case o.Auth == api.AuthBearer:
		return "OAuth"
	case strings.HasPrefix(o.Path, "/api/v1/"):
		return "Market data, version 1"
	default:
		return "Market data"
	}
}

// tags are the groups in the order of the table.
func tags(operations []api.Operation) []object {
	about := map[string]string{"Market data": "What everybody may ask.", "Market data, version 1": "The same in an older form.", "OAuth": "Data of accounts, for programs that their owners approved."}
	for _, g := range api.Groups() {
		about[api.GroupTitle(g)] = api.GroupText(g)
	}
	var list []object
	seen := map[string]bool{}
	for i := range operations {
		name := tagOf(&operations[i])
		if !seen[name] {
			seen[name] = true
			list = append(list, object{{"name", name}}.with("description", about[name]))
		}
	}
	return list
}

// securitySchemes are the headers of a signed request, all three of which are needed, and that of a call by access token.
var securitySchemes = object{
	{"key", header("X-TXC-APIKEY", "The public key.")},
	{"payload", header("X-TXC-PAYLOAD", "The body of the request, in base64.")},
	{"signature", header("X-TXC-SIGNATURE", "The HMAC-SHA512 of the payload header with the secret, in hexadecimal.")},
	{"token", object{{"type", "http"}, {"scheme", "bearer"}, {"description", "An access token of OAuth."}}},
}

func header(name, text string) object {
	return object{{"type", "apiKey"}, {"in", "header"}, {"name", name}, {"description", text}}
}

const introduction = `Every answer is JSON. Prices, amounts and fees are decimal texts; fees are percents.

**Signed requests** are POST requests whose body is a JSON object with ` + "`request`" + ` (the path), ` + "`nonce`" + ` and the fields of the operation.
They carry three headers: the public key, the body in base64, and the HMAC-SHA512 of the latter with the secret. The exchange acts on the
payload header; the body must say the same.

**Calls by access token** are for programs that the owner of an account approved (OAuth). Their body is a JSON object with the fields alone; neither a
signature nor a nonce is needed.

In requests numbers may be numbers or texts, null means absent unless a field says otherwise, and members that nobody reads are ignored.

**Errors.** Public operations answer ` + "`success: false`" + `, signed ones a code, a message and what is wrong with which field. Branch on
code and field: texts are for people. A request that was refused changed nothing. The texts in the tables below are examples where they speak of a value.

Unknown paths answer 404, other methods 405 with Allow. A request may have 28 KB of body and 40 KB of headers; larger ones answer 413 and 431.

**Streams**, and orders without a signature each, are a WebSocket at ` + "`/ws`" + ` of the same address, which ` + "`/asyncapi.json`" + ` describes. The token for what
is private comes from ` + "`/api/v4/profile/websocket_token`" + `.

The **examples** were answered by an exchange with two customers and a few orders; the conformance tests send every one of them.`
