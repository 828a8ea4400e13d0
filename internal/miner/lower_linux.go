package miner

import "syscall"

// lower lets this thread have what others leave of the processor. One that may not is as others are.
func lower() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
