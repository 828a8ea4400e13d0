// Command bourse is a whole cryptocurrency exchange in one program.
package main

import (
	"os"

	"github.com/alecthomas/kong"
)

// cli is every command that there is; kong makes the help texts from it.
type cli struct {
	Bench   benchCmd   `cmd:"" help:"Measure Bourse on this machine."`
	Version versionCmd `cmd:"" help:"Print the version and how it was built."`
}

func main() {
	var c cli
	ctx := kong.Parse(&c,
		kong.Name("bourse"),
		kong.Description("A whole cryptocurrency exchange in one program."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Vars{"benchmarks": benchmarkNames()},
		kong.BindTo(os.Stdout, (*stdout)(nil)),
		kong.BindTo(os.Stderr, (*stderr)(nil)))
	ctx.FatalIfErrorf(ctx.Run())
}
