//go:build !linux

package bench

import (
	"os"
	"time"
)

func syncData(f *os.File) error { return f.Sync() }

func pause(d time.Duration) { time.Sleep(d) }
