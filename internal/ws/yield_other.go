//go:build !linux

package ws

func yield() {}
