// Package ws is the door by which clients come over WebSocket: requests and replies, channels that
// push, and orders. It knows frames, connections and subscriptions; what happens to an order is the
// core's business, what a market looks like that of marketdata.
//
// What must hold: a reader that is slow slows nobody else: every connection has a bounded queue, what
// may be conflated is, and otherwise the connection is closed with a reason, never with a silent
// gap. A frame that many get is encoded once. The reply to a request is queued before any push that
// the request causes. Requests of one connection are begun in the order in which they were sent, and
// those that write are applied in that order. Private pushes reach their account alone, and none
// after its key or account lost its rights.
//
// # Where to read
//
// Everything that can be asked or is pushed is a row of one table (table.go); the rows of a channel stand
// with its code, those about orders in ordermethods.go. A method reads its parameters from arguments
// (arguments.go, orderfields.go), which can also note what they would take (params.go): so the AsyncAPI
// document describes what is read. Results have their schemas beside the code that writes them (shape.go).
//
//   - A connection: handshake.go, conn.go (frames in), call.go and method.go (from a message to a method),
//     pending.go (commands on their way and their replies), outbox.go and writers.go (frames out).
//   - Rights and errors: service.go (authorize), rights.go, error.go, refusal.go.
//   - Public channels: ticks.go with candles.go, lastprice.go, stats.go and premium.go push at a steady
//     pace; depth.go looks at books ten times a second; trades.go and booktop.go follow the log, for
//     followers (followers.go).
//   - Private channels: private.go with deals.go, pendingorders.go, executed.go, balances.go; of margin
//     lists.go and alerts.go with positions.go and borrows.go, and ranks.go.
//   - Orders: place.go, group.go (OCO, OTO, take profit and stop loss), modify.go, cancel.go, order.go.
//
// # Goroutines
//
// A connection costs one goroutine that reads. A few write for all (writers.go); one that waits for a
// client is there only while that client does not take what is sent. Replies to commands have one for
// each connection while commands are on their way. Each listener of the log and each ticker is one.
//
// # Locks
//
// They are taken in this order and in no other:
//
//  1. Server.mu (all connections), or the lock of one channel (groups, depth, followers, private). Neither
//     is taken under the other, and no two channels are locked at once.
//  2. conn.mu: the queue of one connection, its commands on their way, and its holder. Two connections are
//     never locked at once.
//  3. line.mu of the writers, and what is behind the package: the queue of the node (conn.begin), its
//     state (lists and alerts read it), the directory (conn.may, after conn.mu is free again). Nothing of this package is locked under these.
//
// A channel pushes under its own lock, so that nobody gets anything after it was taken out; therefore
// one that waits for room in the line of the writers (conn.push) holds its channel meanwhile, and writers
// must never need a channel. Handlers run without any lock.
package ws
