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
	Play    playCmd    `cmd:"" help:"Play a trading session and print books, trades and balances."`
	Bench   benchCmd   `cmd:"" help:"Measure Bourse on this machine."`
	Version versionCmd `cmd:"" help:"Print the version and how it was built."`
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
			names = append(names, command.Name)
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
