//go:build !linux

package node

import (
	"time"

	"bourse/internal/schema"
)

var began = time.Now()

func elapsed() schema.Time { return schema.Time(time.Since(began).Microseconds()) }
