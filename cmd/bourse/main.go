// Command bourse is a whole cryptocurrency exchange in one program.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// cli is every command that there is; kong makes the help texts from it.
type cli struct {
	Serve    serveCmd    `cmd:"" help:"Run an exchange and serve its API."`
	Play     playCmd     `cmd:"" help:"Play a trading session and print books, trades and balances."`
	Bench    benchCmd    `cmd:"" help:"Measure Bourse on this machine."`
	Drill    drillCmd    `cmd:"" help:"Put a load on an exchange in a directory and tell what was acknowledged."`
	Replay   replayCmd   `cmd:"" help:"Rebuild the past from the log and print a statement, an order's life, a book or trades."`
	Verify   verifyCmd   `cmd:"" help:"Check the log, the snapshots and every invariant of a data directory."`
	Snapshot snapshotCmd `cmd:"" help:"Write a snapshot of the end of the log."`
	Export   exportCmd   `cmd:"" help:"Print the log as JSON lines."`
	Import   importCmd   `cmd:"" help:"Make a data directory from the JSON lines of an export."`
	Version  versionCmd  `cmd:"" help:"Print the version and how it was built."`

	BenchLoad benchLoadCmd `cmd:"" hidden:"" help:"Send the load of a benchmark; only 'bourse bench' knows how to ask."`
}

func main() {
	var c cli
	parser := kong.Must(&c,
		kong.Name("bourse"),
		kong.Description("A whole cryptocurrency exchange in one program."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{"benchmarks": benchmarkNames()},
		kong.BindTo(os.Stdout, (*stdout)(nil)),
		kong.BindTo(os.Stderr, (*stderr)(nil)))
	ctx, err := parser.Parse(os.Args[1:])
	if err != nil {
		var names []string
		for _, command := range parser.Model.Children {
			if !command.Hidden {
				names = append(names, command.Name)
			}
		}
		fmt.Fprintf(os.Stderr, "bourse: %v\nThe commands are %s; 'bourse --help' and 'bourse COMMAND --help' tell more.\n",
			err, strings.Join(names, ", "))
		os.Exit(2)
	}
	if err := ctx.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "bourse: %v\n", err)
		os.Exit(1)
	}
}
