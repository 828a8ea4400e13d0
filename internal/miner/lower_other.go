//go:build !linux

package miner

// lower does nothing: here a thread has no priority of its own.
func lower() {}
