// Package peer makes the workload that Bourse and its peers are compared on:
// the command stream of exchange-core's public single-pair throughput test,
// rebuilt from its rules. Measuring with the same commands, byte for byte, is
// what makes the ratio between two engines mean something.
//
// A stream depends on what its own commands trade, so the package carries a
// plain order book to play them on while it draws them. The totals of that
// book tell a benchmark whether the engine it measured did the same work.
package peer

// Kind is what a command does.
type Kind uint8

// The kinds have the values of the workload's record format.
const (
	Place  Kind = 1
	Cancel Kind = 2
	Move   Kind = 3
	Reduce Kind = 4
)

// Type is how long a placed order lives and what its price field means.
type Type uint8

// The types have the values of the workload's record format.
const (
	// GTC rests until it is filled or cancelled.
	GTC Type = 0
	// IOC trades what it can within its price and drops the rest.
	IOC Type = 1
	// Budget is filled whole or not at all; its price field is the money a bid
	// may spend, or an ask must earn, on the whole size.
	Budget Type = 4
)

// Command is one step of the stream. Move carries the new price in Price and
// keeps the order's id; Reduce carries in Size how much to take off. Bid is
// the side of the order also where the command only names it.
type Command struct {
	Kind  Kind
	Type  Type
	Bid   bool
	User  int32
	Order int64
	Price int64
	Size  int64
}

// Totals is what an engine must arrive at after playing the whole stream.
type Totals struct {
	// Trading counts the commands that traded at least once.
	Trading  int
	Trades   int
	Volume   int64
	Notional int64
	Asks     Side
	Bids     Side
}

// Side is one side of the book after the last command. Best is zero when no
// order rests there.
type Side struct {
	Orders int
	Levels int
	Volume int64
	Best   int64
}
