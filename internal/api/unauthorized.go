package api

import (
	"bytes"
	"strconv"

	"bourse/internal/schema"
)

// The errors about who calls. Those about the request and its proof are always 401.
var (
	ErrNoPayload    = unauthorized(0, "Payload not provided.")
	ErrUnknownKey   = unauthorized(0, "This action is unauthorized.")
	ErrKeyOff       = unauthorized(2, "This action is unauthorized. Enable your key in API settings")
	ErrPayload      = unauthorized(9, "Invalid payload.")
	ErrSignature    = unauthorized(10, "Unauthorized request.")
	ErrNoRequest    = unauthorized(0, "Request not provided.")
	ErrBlocked      = Refusal(schema.Refuse(schema.AccountBlocked))
	ErrNoNonce      = unauthorized(0, "Nonce not provided.")
	ErrNonceWindow  = unauthorized(0, "Invalid nonceWindow.")
	ErrNotAllowed   = unauthorized(4, "This API Key is not authorized to perform this action.")
	ErrNoPermission = &Error{Status: 403, Code: 0, Message: "You don't have permission to use this endpoint. Please contact support for more details"}
	ErrNoFactor     = Refusal(schema.Refuse(schema.FactorMissing))
	ErrStepUp       = Refusal(schema.Refuse(schema.StepUpNeeded))
	ErrToken        = unauthorized(0, "Unauthorized.") // about an access token, whatever is wrong with it
	ErrNotThere     = &Error{Status: 404, Code: 0, Message: "Not Found"}
)

func unauthorized(code int, message string) *Error {
	return &Error{Status: 401, Code: code, Message: message}
}

// Credentials is how endpoints that give out tokens and links speak of everything that is wrong with who calls.
func Credentials(e *Error) *Error {
	if e.Status != 401 || e.Code == 4 {
		return e
	}
	return unauthorized(0, "Invalid API key, signature, or nonce")
}

// unauthorizedErrors are all errors of a signed request about who calls.
var unauthorizedErrors = []*Error{
	ErrNoPayload, ErrUnknownKey, ErrKeyOff, ErrBlocked, ErrPayload, ErrSignature, ErrNoRequest, ErrNoNonce, ErrNonceWindow, ErrNotAllowed,
	Refusal(schema.Refuse(schema.NonceUsed)), Refusal(schema.Refuse(schema.NonceOutsideWindow)),
}

// Origin reads the members that every signed request carries. The request must be for the path
// that was called: a signature for one is none for another.
func (f *Form) Origin(path []byte) (o schema.Origin, err error) {
	f.schema.Declare("request", StringParameter)
	f.schema.Declare("nonce", IntegerParameter)
	f.schema.Require("request nonce")
	request := f.find("request")
	nonce := f.find("nonce")
	window, s := f.Bool("nonceWindow")
	switch {
	case request.kind != text || len(request.value) == 0:
		return o, ErrNoRequest
	case !bytes.Equal(request.value, path):
		return o, ErrSignature
	case nonce.kind != text && nonce.kind != number:
		return o, ErrNoNonce
	}
	n, err := strconv.ParseUint(string(nonce.value), 10, 64)
	switch {
	case err != nil:
		return o, ErrNoNonce
	case s == Malformed:
		return o, ErrNonceWindow
	}
	return schema.Origin{Nonce: n, Window: window}, nil
}

// Nonce is what a client sees of a nonce that cannot be used; nil if it can.
func Nonce(r schema.Reason) error {
	if r == schema.OK {
		return nil
	}
	return Refusal(schema.Refuse(r))
}
