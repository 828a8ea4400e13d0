//go:build amd64 || arm64

package slab

import "unsafe"

// prefetch asks for all lines of 64 bytes that hold some of so many bytes, one at least.
//
//go:noescape
func prefetch(p unsafe.Pointer, bytes uintptr)
