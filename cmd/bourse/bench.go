package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"bourse/internal/bench"
)

// stdout and stderr tell the two writers apart that kong hands to commands.
type (
	stdout io.Writer
	stderr io.Writer
)

type benchCmd struct {
	Only       string `placeholder:"PREFIX" help:"Run only benchmarks whose names begin so. There are: ${benchmarks}."`
	JSON       string `name:"json" placeholder:"FILE" type:"path" help:"Also write the figures to a file, as a JSON list."`
	CPUProfile string `name:"cpuprofile" placeholder:"FILE" type:"path" help:"Write a CPU profile for 'go tool pprof'."`
}

func (benchCmd) Help() string {
	return `Workloads are made from fixed seeds. Values of one run on a shared machine vary; compare
ratios within one run. Latencies are of single commands, measured in a pass of their own.`
}

func (c *benchCmd) Run(out stdout, progress stderr) error {
	stop, err := profile(c.CPUProfile)
	if err != nil {
		return err
	}
	results, err := bench.Run(c.Only, progress)
	stop()
	if len(results) == 0 {
		return err
	}
	fmt.Fprintf(out, "%d cores, %s/%s, %s\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	bench.WriteTable(out, results)
	return errors.Join(err, c.writeJSON(results))
}

func (c *benchCmd) writeJSON(results []bench.Result) error {
	if c.JSON == "" {
		return nil
	}
	file, err := os.Create(c.JSON)
	if err != nil {
		return fmt.Errorf("writing the figures: %w", err)
	}
	if err := errors.Join(bench.WriteJSON(file, results), file.Close()); err != nil {
		return fmt.Errorf("writing the figures: %w", err)
	}
	return nil
}

func benchmarkNames() string { return strings.Join(bench.Names(), ", ") }

// benchLoadCmd is the process that sends requests while another one is measured.
type benchLoadCmd struct{}

func (benchLoadCmd) Run(out stdout) error { return bench.Load(os.Stdin, out) }

// benchFillCmd is the process that fills an exchange and is killed.
type benchFillCmd struct {
	Dir    string `arg:""`
	Orders int    `arg:""`
}

func (c benchFillCmd) Run(out stdout) error { return bench.Fill(c.Dir, c.Orders, os.Stdin, out) }

// benchFloodCmd is the process of strangers who try passwords.
type benchFloodCmd struct {
	Address string `arg:""`
	Used    uint32 `arg:""`
}

func (c benchFloodCmd) Run(out stdout) error { return bench.Flood(c.Address, c.Used, os.Stdin, out) }
