//go:build !linux

package priority

// Lowered calls a function: only on Linux a thread has a priority of its own.
func Lowered(f func()) { f() }
