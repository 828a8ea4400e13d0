package main

import (
	"fmt"
	"runtime/debug"
)

// version is set by the linker in releases.
var version = "development"

type versionCmd struct{}

func (versionCmd) Run(out stdout) error {
	fmt.Fprintln(out, versionText())
	return nil
}

// versionText says what was built, and with what.
func versionText() string {
	text := "bourse " + version
	if info, ok := debug.ReadBuildInfo(); ok {
		text += " (" + info.GoVersion + ")"
	}
	return text
}
