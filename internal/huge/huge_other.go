//go:build !linux

package huge

func ask(pages) {}
