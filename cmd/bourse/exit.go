package main

import (
	"errors"

	"bourse/internal/custody"
	"bourse/internal/disk"
	"bourse/internal/journal"
	"bourse/internal/node"
	"bourse/internal/setup"
)

// The exit codes, which stand in the help and the manual, and by which a service manager decides
// whether to start the program again.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitStorage = 3
	exitDamaged = 4
	exitClock   = 5
	exitStuck   = 6
)

// exits are the exit codes and what they mean.
var exits = []struct {
	code    int
	meaning string
}{
	{0, "All went well."},
	{exitFailed, "Something failed, or a check found something."},
	{exitUsage, "The command line or a setting is wrong."},
	{exitStorage, "A disk is full or broken. Nothing that was acknowledged is lost; starting works again once the disk does."},
	{exitDamaged, "The log is damaged, or the state is not the one that the log stands for. Starting again does not help."},
	{exitClock, "The machine's clock is too far behind the log, or away from the journal's."},
	{exitStuck, "A command of the log makes the core panic. Starting again does not help; 'bourse pass' does."},
}

// exitCode is the exit code for an error. Damage counts more than a disk: nobody must start again and
// again on it.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, journal.ErrDamaged), errors.Is(err, node.ErrDiffers):
		return exitDamaged
	case errors.Is(err, journal.ErrStuck):
		return exitStuck
	case errors.Is(err, node.ErrClock):
		return exitClock
	case disk.Failed(err):
		return exitStorage
	case errors.Is(err, setup.ErrRefused), errors.Is(err, custody.ErrTogether):
		return exitUsage
	default:
		return exitFailed
	}
}
