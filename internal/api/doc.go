// Package api is the frame of what a client may ask of the exchange. An operation is a row of a table
// (operation.go), a request type that reads itself from a Form, and a handler from typed request to
// answer (call.go). The operations are in the packages below, one for each group; table puts them
// together. Handlers know no transport: rest finds the operation, says who calls, and carries the answer
// or the Error away. The socket has methods of its own, and shares errors, numbers and rights with this
// package.
//
// What must hold: nothing here changes state but by a command to the node, and only a Writer can send
// one; who may call what is decided by Allow alone; an answer that says something happened is given only
// after the node said so; an error is a value with a code, and its body is written in one place
// (error.go).
package api
