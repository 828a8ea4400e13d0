// Package product is the seam between the machine and the products of an exchange. A product is
// one type with its commands, its timers, its invariants and its part of a snapshot. The machine
// has a list of them and goes through it in order; nothing else in the core names them all.
package product

import (
	"fmt"

	"bourse/internal/schema"
)

// Product is something that an exchange offers: trading, wallets, convert. All methods but Commands
// have an answer in Base for products that need none.
type Product interface {
	// Commands registers what the product does.
	Commands(*Handlers)
	// NextTimer is when the next Tick has something to do; it is false when no timer runs.
	NextTimer() (schema.Time, bool)
	// Tick does what is due at the moment of the command, in bounded slices where it may be much.
	Tick()
	// Holds reports whether the product keeps anything for an account: then it cannot be deleted.
	Holds(schema.AccountID) bool
	// Verify checks every invariant. It goes through the whole state.
	Verify() error
	// Sections are the product's part of a snapshot, in order.
	Sections() []Section
}

// Base is a product without timers, invariants and state of its own. Products embed it.
type Base struct{}

// NextTimer is never.
func (Base) NextTimer() (schema.Time, bool) { return 0, false }

// Tick does nothing.
func (Base) Tick() {}

// Holds is nothing.
func (Base) Holds(schema.AccountID) bool { return false }

// Verify has nothing to check.
func (Base) Verify() error { return nil }

// Sections are none.
func (Base) Sections() []Section { return nil }

// Handlers has what is done for each kind of command.
type Handlers [1 << 8]func(schema.Command) schema.Rejection

// On registers what is done for commands of a type. Two products cannot do the same.
func On[C schema.Command](h *Handlers, do func(C) schema.Rejection) {
	var c C
	kind := c.Kind()
	if h[kind] != nil {
		panic(fmt.Sprintf("product: two products do %T", c))
	}
	h[kind] = func(c schema.Command) schema.Rejection { return do(c.(C)) }
}
