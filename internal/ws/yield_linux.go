package ws

import "syscall"

// yield lets another thread have the core, if one waits for it.
func yield() { _, _, _ = syscall.Syscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
