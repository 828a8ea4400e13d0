// Package schema says what can be asked of the exchange and what can happen in it: commands,
// events, results, the reasons for refusing, and the words and numbers they are made of.
//
// Commands are what the journal keeps, so their encoding is for ever: a field number is never
// reused, and a field never changes its meaning. What changes behaviour is switched by a
// command (SetFeature), so that an old log replays as it ran. bourse.proto beside this file
// describes the bytes for programs that are not ours; a test keeps it true.
//
// The package knows nobody but fixed and wire. What a command does is the core's: here are only
// rules that follow from a value alone, such as which words there are, what a client order id looks
// like, and which of two regions is the stricter one.
package schema
