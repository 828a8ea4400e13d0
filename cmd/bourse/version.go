package main

import (
	"fmt"
	"runtime/debug"
)

// version is set by the linker in releases.
var version = "development"

type versionCmd struct{}

func (versionCmd) Run(out stdout) error {
	fmt.Fprintf(out, "bourse %s", version)
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintf(out, " (%s)", info.GoVersion)
	}
	fmt.Fprintln(out)
	return nil
}
