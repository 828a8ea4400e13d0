// Package schema says what can be asked of the exchange and what can happen in it: commands,
// events, results, the reasons for refusing, and the words and numbers they are made of.
//
// Commands are what the journal keeps, so their encoding is for ever: a field number is never
// reused, and a field never changes its meaning. What changes behaviour is switched by a
// command (SetFeature), so that an old log replays as it ran. bourse.proto beside this file
// describes the bytes for programs that are not ours; a test keeps it true.
//
// The package knows nobody but fixed and wire and holds no rule of the exchange.
package schema
