//go:build !linux

package conform

import "syscall"

// apart gives a process nothing of its own: only Linux can, and tests with a disk are for Linux.
func apart() *syscall.SysProcAttr { return nil }
