package core

import (
	"iter"

	"bourse/internal/core/trading"
	"bourse/internal/schema"
)

// InTurn goes through the commands of a batch by their number, for a caller that applies each of them before it asks for the next. The
// machine learns of them a little earlier than they happen, and has what they look at brought near meanwhile: commands that are applied in
// turn are a quarter faster than single ones where there are many orders and accounts. They do exactly the same. A command that is passed
// over does no harm.
func (m *Machine) InTurn(count int, command func(int) schema.Command) iter.Seq[int] {
	return func(yield func(int) bool) {
		announce := func(i int) {
			if i < count {
				m.trading.Announce(command(i))
			} else {
				m.trading.Announce(nil)
			}
		}
		if count > 1 {
			m.trading.Expect()
			for i := range trading.Ahead {
				announce(i)
			}
		}
		for i := range count {
			if count > 1 {
				announce(i + trading.Ahead)
			}
			if !yield(i) {
				return
			}
		}
	}
}
