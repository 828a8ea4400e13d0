package core

// SetSlice sets how much one command may do, so that tests see work that goes on for long without
// doing much.
func (m *Machine) SetSlice(n int) { m.features.Slice = n }
