// Command bourse is a whole cryptocurrency exchange in one program.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	operations "bourse/internal/api/table"
	"bourse/internal/fixed"
)

// cli is every command that there is; kong makes the help texts from it, and we the manual and the
// completion for shells.
type cli struct {
	ShowVersion kong.VersionFlag `name:"version" help:"Print the version and how it was built."`

	Serve    serveCmd    `cmd:"" group:"run" help:"Run an exchange and serve its API."`
	Operator operatorCmd `cmd:"" group:"run" help:"Run an exchange that is served: accounts, keys, assets, markets, fees, money, prices, plans."`
	Config   configCmd   `cmd:"" group:"run" help:"Print the settings of 'bourse serve' and where they come from."`
	Keygen   keygenCmd   `cmd:"" group:"run" help:"Make a new API key and its secret."`
	Backup   backupCmd   `cmd:"" group:"run" help:"Copy an exchange into one file, also while it runs."`
	Custody  custodyCmd  `cmd:"" group:"run" help:"Make the keys of the exchange on chains of others, and sign with them where there is no network."`
	Signer   signerCmd   `cmd:"" group:"run" help:"Sign for an exchange on a machine of its own, within limits of its own."`
	Health   healthCmd   `cmd:"" group:"run" help:"Ask a running exchange whether it is well."`
	NATS     natsCmd     `cmd:"" name:"nats" group:"run" help:"Run a server of the cluster that keeps the log."`

	Replay   replayCmd   `cmd:"" group:"look" help:"Rebuild the past from the log and print a statement, an order's life, a book or trades."`
	Verify   verifyCmd   `cmd:"" group:"look" help:"Check the log, the snapshots and every invariant of a data directory."`
	Snapshot snapshotCmd `cmd:"" group:"look" help:"Write a snapshot of the end of the log."`
	Pass     passCmd     `cmd:"" group:"look" help:"Let the exchange go on without a command of the log that the core panics at."`
	Export   exportCmd   `cmd:"" group:"look" help:"Print the log as JSON lines."`
	Restore  restoreCmd  `cmd:"" group:"look" help:"Make a data directory from a backup."`
	Import   importCmd   `cmd:"" group:"look" help:"Make a data directory from the JSON lines of an export."`

	Sign       signCmd       `cmd:"" group:"tool" help:"Sign a request, or find out what is wrong with one that a client signed."`
	Webhook    webhookCmd    `cmd:"" group:"tool" help:"Be the server of a webhook, and show what arrives."`
	Mine       mineCmd       `cmd:"" group:"tool" help:"Mine for a mining pool, to try it."`
	Play       playCmd       `cmd:"" group:"tool" help:"Play a trading session and print books, trades and balances."`
	Drill      drillCmd      `cmd:"" group:"tool" help:"Put a load on an exchange in a directory and print what was acknowledged."`
	Bench      benchCmd      `cmd:"" group:"tool" help:"Measure Bourse on this machine."`
	Completion completionCmd `cmd:"" group:"tool" help:"Print a script that completes commands and flags in a shell."`
	Man        manCmd        `cmd:"" group:"tool" help:"Print the manual page."`
	Version    versionCmd    `cmd:"" group:"tool" help:"Print the version and how it was built."`

	HashPasswords hashPasswordsCmd `cmd:"" group:"tool" hidden:"" help:"Hash passwords; only 'bourse serve' knows how to ask."`
	BenchLoad     benchLoadCmd     `cmd:"" group:"tool" hidden:"" help:"Send the load of a benchmark; only 'bourse bench' knows how to ask."`
	BenchFill     benchFillCmd     `cmd:"" group:"tool" hidden:"" help:"Fill an exchange for a benchmark that kills it."`

	BenchFlood benchFloodCmd `cmd:"" group:"tool" hidden:"" help:"Try passwords, for a benchmark."`
}

// groups of commands, in the order of the help.
var groups = []kong.Group{
	{Key: "run", Title: "Run an exchange:"},
	{Key: "look", Title: "Look into one that does not run:"},
	{Key: "tool", Title: "Tools:"},
}

// groupSubcommands gives subcommands a plain heading of their own; they would have that of their
// command's group.
func groupSubcommands(root *kong.Node) {
	for _, command := range root.Children {
		for _, sub := range command.Children {
			sub.Group = &kong.Group{Key: "commands", Title: "Commands:"}
		}
	}
}

func newParser(c *cli) *kong.Kong {
	s := &settings{origins: map[string]origin{}}
	return kong.Must(c,
		kong.Name("bourse"),
		kong.Description("A whole cryptocurrency exchange in one program."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(groups),
		kong.Vars{"benchmarks": benchmarkNames(), "groups": strings.Join(operations.GroupNames(), ", "), "version": versionText()},
		kong.PostBuild(func(k *kong.Kong) error {
			addExamples(k.Model.Node)
			groupSubcommands(k.Model.Node)
			return nil
		}),
		kong.WithBeforeResolve(s.load),
		kong.Resolvers(s),
		kong.Bind(s),
		kong.BindTo(os.Stdout, (*stdout)(nil)),
		kong.BindTo(os.Stderr, (*stderr)(nil)))
}

func main() {
	// What the program writes is for its user alone, also what the libraries below it write.
	syscall.Umask(0o077)
	var c cli
	parser := newParser(&c)
	ctx, err := parser.Parse(os.Args[1:])
	if err != nil {
		fmt.Fprint(os.Stderr, usage(parser, err))
		os.Exit(exitUsage)
	}
	if err := ctx.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "bourse: %v\n", err)
		os.Exit(exitCode(err))
	}
}

// usage says what was wrong with a command line, and where to read on.
func usage(parser *kong.Kong, err error) string {
	at := parser.Model.Node
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context.Selected() != nil {
		at = parse.Context.Selected()
	}
	var names []string
	for _, command := range at.Children {
		if !command.Hidden {
			names = append(names, command.Name)
		}
	}
	if parse != nil {
		err = cmp.Or(negative(parse.Context), err)
	}
	path := strings.TrimSpace("bourse " + at.Path())
	if len(names) == 0 {
		return fmt.Sprintf("bourse: %v\nSee '%s --help'.\n", err, path)
	}
	if parse != nil && len(parse.Context.Args) == 0 {
		err = errors.New("say what to do")
	}
	return fmt.Sprintf("bourse: %v\nThe commands are %s; see '%s --help' and '%s COMMAND --help'.\n",
		err, strings.Join(names, ", "), path, path)
}

// negative says that a number below zero stands where an amount or a price is expected. Without it such
// a number would be a flag that nobody knows.
func negative(c *kong.Context) error {
	given := 0
	for _, p := range c.Path {
		if p.Positional != nil {
			given++
		}
	}
	at := c.Selected()
	if at == nil || given >= len(at.Positional) {
		return nil
	}
	name := at.Positional[given].Name
	if name != "amount" && name != "price" {
		return nil
	}
	for _, arg := range c.Args {
		if number, err := fixed.Parse(arg); err == nil && number.Sign() < 0 {
			return fmt.Errorf("the %s must be positive, and %s is not", name, arg)
		}
	}
	return nil
}
