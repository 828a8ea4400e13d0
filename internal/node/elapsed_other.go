//go:build !linux

package node

import (
	"time"

	"bourse/internal/schema"
)

var began = time.Now()

// Elapsed counts the time of the process.
func Elapsed() schema.Time { return schema.Time(time.Since(began).Microseconds()) }
