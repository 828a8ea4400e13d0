package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// profile records where time goes until the function it returns is called. No name, no profile.
func profile(name string) (stop func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("writing the profile: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, fmt.Errorf("profiling: %w", err)
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}
