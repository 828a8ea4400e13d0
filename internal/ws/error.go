package ws

import "errors"

// Error is why a request was not done. Its numbering is the socket's own.
type Error struct {
	Code    int
	Message string
}

func (e *Error) Error() string { return e.Message }

// The errors that any method may answer with.
var (
	errArgument    = &Error{1, "invalid argument"}
	errInternal    = &Error{2, "internal error"}
	errUnavailable = &Error{3, "service unavailable"}
	errMethod      = &Error{4, "method not found"}
	errTimeout     = &Error{5, "service timeout"}
	errAnonymous   = &Error{6, "require authentication"}
	errTooMany     = &Error{7, "too many requests"}
	errAsset       = &Error{8, "unknown asset"}
	errToken       = &Error{11, "invalid token"}
)

// noMarket is the error of channels about a market that is not there.
func noMarket(name string) *Error { return &Error{9, "market " + name + " does not exist"} }

// argument is an error about a parameter.
func argument(text string) *Error { return &Error{1, text} }

var errMany = errors.New("too many parameters")
