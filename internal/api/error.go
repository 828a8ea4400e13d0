package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"bourse/internal/node"
)

// Error is why a request was not done, as a client sees it. It changed nothing.
type Error struct {
	Status  int // of HTTP
	Code    int // in the body of private endpoints
	Message string
	Fields  []FieldError
}

// ErrBody answers a body that is no JSON object.
var ErrBody = &Error{Status: http.StatusBadRequest, Message: "The request cannot be read."}

// FieldError is what is wrong with one field.
type FieldError struct {
	Field string
	Texts []string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d, code %d: %s %v", e.Status, e.Code, e.Message, e.Fields)
}

// Messages of errors that are about what was sent, and about what the exchange found.
const (
	ValidationFailed      = "Validation failed"
	InnerValidationFailed = "Inner validation failed"
)

// NewError is an error about one field.
func NewError(status, code int, message, field string, texts ...string) *Error {
	return &Error{status, code, message, []FieldError{{field, texts}}}
}

// problem is one thing that is wrong with a form.
type problem struct {
	status int
	code   int
	field  string
	text   string
	absent bool // a required field is not there
}

// Fail notes that a field is wrong.
func (f *Form) Fail(status, code int, field, text string) {
	f.problems = append(f.problems, problem{status, code, f.path + field, text, false})
}

// Lack notes that a required field is not there.
func (f *Form) Lack(status, code int, field, text string) {
	f.problems = append(f.problems, problem{status, code, f.path + field, text, true})
}

// Err is what is wrong with the form: all fields that are not there, or else all that are wrong
// in the way of the first.
func (f *Form) Err() error {
	if len(f.problems) == 0 {
		return nil
	}
	first := f.problems[0]
	if i := slices.IndexFunc(f.problems, func(p problem) bool { return p.absent }); i >= 0 {
		first = f.problems[i]
	}
	e := &Error{Status: first.status, Code: first.code, Message: ValidationFailed}
	for _, p := range f.problems {
		if p.absent != first.absent || p.code != first.code || p.status != first.status {
			continue
		}
		if i := slices.IndexFunc(e.Fields, func(x FieldError) bool { return x.Field == p.field }); i >= 0 {
			e.Fields[i].Texts = append(e.Fields[i].Texts, p.text)
		} else {
			e.Fields = append(e.Fields, FieldError{p.field, []string{p.text}})
		}
	}
	return e
}

// ErrorOf is what a client sees of an error of the node.
func ErrorOf(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, node.ErrUnknown):
		return NewError(http.StatusInternalServerError, 0, "It is not known whether the request was done; look before trying again", "error", "Please try again later.")
	case errors.Is(err, node.ErrTooLarge):
		return NewError(http.StatusUnprocessableEntity, 30, ValidationFailed, "request", "The request is too large.")
	default:
		return Unavailable()
	}
}

// Unavailable is the answer of an exchange that cannot take the request now. Nothing was done.
func Unavailable() *Error {
	return NewError(http.StatusServiceUnavailable, 0, "Service temporary unavailable", "error", "Please try again later.")
}

// Maintenance is the answer to whatever is asked during maintenance of the platform.
func Maintenance() *Error {
	return NewError(http.StatusServiceUnavailable, 0, "System maintenance", "error", "The platform is in maintenance. Please try again later.")
}

// ErrorFormat is which of the forms of errors an endpoint speaks.
type ErrorFormat uint8

const (
	Private          ErrorFormat = iota // code, message, errors by field
	Public                              // success false, message, errors as a list
	PublicWithFields                    // the same, with the fields beside it
	Funding                             // the same, but what is wrong with a number is a bare text
	V1                                  // version 1: success false, message, params
	Kline                               // version 1 candles: 200, and the fields in message
	Token                               // of calls by access token: as Private, but in the words of OAuth where the token is at fault
)

// Schema of the bodies that AppendError writes. Those of Kline are V1 ones where no field is at
// fault, and KlineErrorSchema where one is; those of Token are Private ones but for SchemaOf.
func (s ErrorFormat) Schema() *ResponseSchema { return errorSchemas[s] }

// SchemaOf is the schema of the bodies with an HTTP status.
func (s ErrorFormat) SchemaOf(status int) *ResponseSchema {
	if s == Token && status == http.StatusUnauthorized {
		return tokenSchema
	}
	return s.Schema()
}

// HasCodes reports whether bodies with an HTTP status have a code.
func (s ErrorFormat) HasCodes(status int) bool { return s.SchemaOf(status) == privateSchema }

var (
	faultSchema   = MapOf(ArrayOf(String))
	publicMembers = []Property{
		Required("success", False, "Always false."),
		Required("message", String, "First error message."),
		Required("errors", ArrayOf(String), "All error messages."),
	}
	firstSchema = Object("FirstError", "Error of a v1 request.",
		Required("success", False, "Always false."),
		Required("message", String, "First error message."),
		Required("params", TupleOf(), "Always empty."))
	privateSchema = Object("PrivateError", "Error of a signed request. Nothing was changed.",
		Required("code", Integer, "Error code."),
		Required("message", String, "Human-readable error message."),
		Required("errors", faultSchema, "Error messages by field."))
	tokenSchema = Object("TokenError", "The access token does not permit the call.",
		Required("data", Object("", "", Required("message", ArrayOf(String), "Error messages.")), "What is wrong."))
	errorSchemas = [...]*ResponseSchema{
		Private: privateSchema, Token: privateSchema,
		Public: Object("PublicError", "Error of a public request.", publicMembers...),
		PublicWithFields: Extensible(ArrayOf(String), Object("FlatError",
			"Error of a public request, with the messages of each field under its name as well.", publicMembers...)),
		Funding: Extensible(OneOf(String, ArrayOf(String)), Object("FundingError",
			"Error of a public request, with the messages of each field under its name as well.", publicMembers...)),
		V1: firstSchema, Kline: firstSchema,
	}
	// KlineErrorSchema is the body of an error about the fields of a question for candles.
	KlineErrorSchema = Object("KlineError", "Error about the fields of a candle request. The HTTP status is 200.",
		Required("success", False, "Always false."),
		Required("message", faultSchema, "Error messages by field."),
		Required("result", Null, "Always null."))
)

// AppendError writes the body of an error and returns the HTTP status that goes with it.
func AppendError(dst []byte, s ErrorFormat, e *Error) ([]byte, int) {
	switch s {
	case Token:
		if e.Status == http.StatusUnauthorized {
			dst = AppendStrings(append(dst, `{"data":{"message":`...), []string{e.Message})
			return append(dst, `}}`...), e.Status
		}
		fallthrough
	case Private:
		dst = append(dst, `{"code":`...)
		dst = AppendInt(dst, int64(e.Code))
		dst = append(dst, `,"message":`...)
		dst = AppendText(dst, e.Message)
		dst = append(dst, `,"errors":`...)
		dst = appendFieldErrors(dst, e.Fields)
	case Kline:
		if len(e.Fields) > 0 && e.Status < http.StatusInternalServerError { // what is wrong with the request
			dst = append(dst, `{"success":false,"message":`...)
			dst = appendFieldErrors(dst, e.Fields)
			return append(dst, `,"result":null}`...), http.StatusOK
		}
		fallthrough
	case V1:
		dst = append(dst, `{"success":false,"message":`...)
		dst = AppendText(dst, e.summary())
		dst = append(dst, `,"params":[]`...)
	default:
		dst = append(dst, `{"success":false,"message":`...)
		dst = AppendText(dst, e.summary())
		dst = append(dst, `,"errors":[`...)
		for i, t := range e.texts() {
			dst = AppendText(AppendComma(dst, i), t)
		}
		dst = append(dst, ']')
		if s == PublicWithFields || s == Funding {
			for _, f := range e.Fields {
				dst = AppendText(append(dst, ','), f.Field)
				dst = append(dst, ':')
				if s == Funding && f.Field != "market" && f.Field != "error" {
					dst = AppendText(dst, f.Texts[0])
				} else {
					dst = AppendStrings(dst, f.Texts)
				}
			}
		}
	}
	return append(dst, '}'), e.Status
}

// summary is the message of public errors, which have no fields: the first thing that is wrong.
func (e *Error) summary() string {
	if t := e.texts(); len(t) > 0 {
		return t[0]
	}
	return e.Message
}

func (e *Error) texts() []string {
	var all []string
	for _, f := range e.Fields {
		all = append(all, f.Texts...)
	}
	return all
}

func appendFieldErrors(dst []byte, faults []FieldError) []byte {
	dst = append(dst, '{')
	for i, f := range faults {
		dst = AppendText(AppendComma(dst, i), f.Field)
		dst = AppendStrings(append(dst, ':'), f.Texts)
	}
	return append(dst, '}')
}

// AppendStrings writes an array of strings.
func AppendStrings(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, t := range texts {
		dst = AppendText(AppendComma(dst, i), t)
	}
	return append(dst, ']')
}
