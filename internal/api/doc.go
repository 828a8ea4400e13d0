// Package api is what a client may ask of the exchange. One table lists every operation
// (operations.go); an operation is a row there, a request type that reads itself from a Form,
// and a handler from typed request to answer. Handlers know no transport: the doors (rest, and
// later ws) find the operation, say who calls, and carry the answer or the Error away.
//
// What must hold: nothing here changes state but by a command to the node; an answer that says
// something happened is given only after the node said so; an error is a value with a code,
// and its body is written in one place (error.go).
package api
