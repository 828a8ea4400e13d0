package openapi

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bourse/internal/api"
)

// DoorStatuses are those of the door for what is not a request of any operation, or not one
// that can be read.
var DoorStatuses = []int{
	http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
	http.StatusRequestHeaderFieldsTooLarge, http.StatusHTTPVersionNotSupported,
}

// statuses says what a status means.
var statuses = map[int]string{
	400: "The exchange could not do it: nothing was changed.",
	401: "It is not known who calls, or the caller may not.",
	403: "The account has no permission for this operation.",
	409: "Another request has what this one needs: nothing was changed.",
	422: "Something is wrong with the request: nothing was changed.",
	429: "The address sent too many requests. Nothing was done and no nonce was used.",
	451: "Not available in the region of this deployment.",
	453: "Not available in the region of the account, or on a market that has not opened.",
	500: "Something went wrong inside. Look whether the request was done before trying again.",
	502: "It is not known whether the request was done. Send it again with the same key to find out.",
	503: "The exchange cannot take the request now. Nothing was done.",
}

// refusals are the responses of an operation with other statuses than success.
func (c *components) refusals(o *api.Operation, examples []Example) object {
	byStatus := errorsOf(o)
	delete(byStatus, http.StatusOK)
	var all object
	for _, status := range keys(byStatus) {
		errors := byStatus[status]
		named := o.ErrorFormat.SchemaOf(status)
		form := c.schema(named, "")
		schema := form
		if o.ErrorFormat.HasCodes(status) {
			schema = object{{"allOf", []object{form, {{"properties", object{{"code", object{{"enum", codesOf(errors)}}}}}}}}}
		}
		response := object{{"description", statuses[status] + errorTable(o.ErrorFormat.HasCodes(status), errors)}}
		if status >= 500 {
			response = response.with("headers", object{{"X-Request-Id", object{{"$ref", "#/components/headers/RequestId"}}}})
		}
		response = response.with("content", content(schema, answersOf(examples, status)))
		if status == http.StatusUnauthorized || status == http.StatusTooManyRequests || status >= 500 {
			response = c.shared(named.Name+strconv.Itoa(status), response)
		}
		all = all.with(strconv.Itoa(status), response)
	}
	return all.with("default", c.shared(o.ErrorFormat.Schema().Name, object{
		{"description", "What cannot be read as a request: broken HTTP, too large, too slow."},
		{"content", content(c.schema(o.ErrorFormat.Schema(), ""), nil)},
	}))
}

// errorsOf is what an operation is known to refuse, by HTTP status. Every one may be limited, and
// may fail.
func errorsOf(o *api.Operation) map[int][]*api.Error {
	byStatus := map[int][]*api.Error{http.StatusTooManyRequests: nil, http.StatusInternalServerError: nil}
	for _, e := range o.Errors() {
		_, status := api.AppendError(nil, o.ErrorFormat, e)
		byStatus[status] = append(byStatus[status], e)
	}
	for _, errors := range byStatus {
		slices.SortStableFunc(errors, func(a, b *api.Error) int { return cmp.Compare(a.Code, b.Code) })
	}
	return byStatus
}

// shared is a response that many operations have, by reference; one that differs from that stands
// where it is.
func (c *components) shared(name string, response object) object {
	i := slices.IndexFunc(c.responses, func(m member) bool { return m.name == name })
	switch {
	case i < 0:
		c.responses = append(c.responses, member{name, response})
	case !reflect.DeepEqual(c.responses[i].value, any(response)):
		return response
	}
	return object{{"$ref", "#/components/responses/" + name}}
}

func content(schema, examples object) object {
	return object{{"application/json", object{{"schema", schema}}.with("examples", examples)}}
}

// codesOf is the codes of some errors; 0 is that of the door.
func codesOf(errors []*api.Error) []int {
	codes := []int{}
	for _, e := range errors {
		codes = append(codes, e.Code)
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// errorTable lists errors for people.
func errorTable(codes bool, errors []*api.Error) string {
	var rows []string
	for _, e := range errors {
		var what []string
		for _, f := range e.Fields {
			what = append(what, fmt.Sprintf("`%s`: %s", f.Field, strings.Join(f.Texts, " ")))
		}
		if len(what) == 0 {
			what = []string{e.Message}
		}
		row := "| "
		if codes {
			row += strconv.Itoa(e.Code) + " | "
		}
		row += strings.ReplaceAll(strings.Join(what, ", "), "|", "\\|") + " |"
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	if codes {
		return "\n\n| code | message |\n|---|---|\n" + strings.Join(rows, "\n")
	}
	return "\n\n| message |\n|---|\n" + strings.Join(rows, "\n")
}

func keys[K cmp.Ordered, V any](m map[K]V) []K {
	var all []K
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
