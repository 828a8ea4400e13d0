package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

func (cli) Help() string {
	return `Start with 'bourse serve --demo', or with 'bourse play', which needs nothing at all.

The exit code is 0 when all went well, 1 when something failed or a check found something, and 2 when the
command line or a setting is wrong; 'bourse serve' has more, which its help lists. Results go to standard
output, everything else to standard error.

'bourse man' prints all of this help as one page.`
}

func (serveCmd) Help() string {
	return `Serves until SIGTERM or Ctrl-C: then every request under way is answered, a snapshot is written, and the
exit code is 0. A second signal ends it at once. After a crash of any kind it goes on from the log when it
is started again.

When it stops by itself the exit code says to a service manager what to do: 3 means that a disk is full or
broken (nothing that was acknowledged is lost, start again when the disk works), 4 that the log is damaged
(do not start again, restore it), 5 that the machine's clock is too far from the log's or the journal's, 6
that the core panics at a command of the log (do not start again; see 'bourse pass'), 2 that a setting is
wrong, 1 anything else.

Every flag is a setting. It can also be given by a variable, whose name is BOURSE_ and the name of the flag
in capitals with underscores (BOURSE_LIMIT_FACTOR for --limit-factor, lists with commas), or by a line of
the YAML file of --config, whose keys are the names of the flags:

  listen: 127.0.0.1:9000
  limit-factor: 10
  trusted: [127.0.0.0/8, 10.0.0.0/8]

A flag comes before a variable, a variable before the file, the file before the default. A variable that is
empty is not set. Names that are not known and values that are wrong are errors. Files are looked for
from where the program was started. 'bourse config' with the same flags prints what comes of all that.

The data directory holds everything, also the master key that seals secrets, unless --master-key names a file
elsewhere: keep copies of it as you would of the money. An exchange that signs for real coins with a seed of its
own (--signer hot, a chain on a mainnet) does not start with both in one place: stop it, 'mv DIR/master.key'
somewhere else, and say where with --master-key.`
}

// examples of commands by their path. A test runs each of them.
var examples = []struct {
	command string
	lines   []string
}{
	{"serve", []string{
		"bourse serve --demo",
		"bourse serve --setup examples/venue.json",
		"bourse serve --config bourse.yaml",
		"BOURSE_LISTEN=127.0.0.1:9000 bourse serve --data data --log-json",
	}},
	{"webhook", []string{
		"bourse webhook listen --key KEY --secret SECRET",
		"bourse webhook listen --key KEY --secret SECRET --listen 127.0.0.1:9001 --fail 3",
	}},
	{"operator", []string{
		"bourse operator accounts create dora --retail",
		"bourse operator keys create dora --title bot --path /api/v4/order/new --address 127.0.0.1",
		"bourse operator deposit dora USDT 1000 --wallet trade",
		"bourse operator chain faucet dora BTC 0.5",
		"bourse operator withdrawals --status review",
		"bourse operator markets set BTC_USDT --maker-fee 0.05 --taker-band 3",
		"bourse operator markets maintenance BTC_USDT --from +1h --to +2h",
		"bourse operator statement dora --json",
		"bourse operator audit --limit 5",
	}},
	{"config", []string{
		"bourse config --example > bourse.yaml",
		"bourse config --config bourse.yaml --listen 127.0.0.1:9000",
		"bourse config --json",
	}},
	{"keygen", []string{"bourse keygen", "bourse keygen --json"}},
	{"backup", []string{
		"bourse backup --data data --out exchange.tar",
		"bourse backup --data data --out exchange-and-keys.tar --with-keys",
	}},
	{"custody", []string{
		"bourse custody create --data vault",
		"bourse custody public --data vault",
		"bourse custody public --data vault --out custody.public --json",
	}},
	{"signer", []string{
		"bourse signer init signer",
		"bourse signer init moved --from vault",
		"bourse signer serve signer --listen 127.0.0.1:8455",
	}},
	{"restore", []string{"bourse restore --data restored --in exchange.tar && bourse verify --data restored"}},
	{"health", []string{"bourse health --ready || echo 'send the customers elsewhere'"}},
	{"nats", []string{"bourse nats --config nats.conf --name nats-1", "bourse nats --config nats.conf --name nats-1 --check"}},
	{"replay", []string{"bourse replay --data data", "bourse replay --data data --until 2026-10-01T12:00:00Z book BTC_USDT"}},
	{"replay summary", []string{"bourse replay --data data --json summary"}},
	{"replay account", []string{"bourse replay --data data account alice"}},
	{"replay order", []string{"bourse replay --data data order 1"}},
	{"replay book", []string{"bourse replay --data data book BTC_USDT"}},
	{"replay trades", []string{"bourse replay --data data --json trades BTC_USDT"}},
	{"verify", []string{"bourse verify --data data"}},
	{"snapshot", []string{"bourse snapshot --data data"}},
	{"pass", []string{"bourse pass --data data --batch 1 --command 1 --reason 'as agreed with the authors' || true"}},
	{"export", []string{"bourse export --data data --out log.jsonl", "bourse export --data data | head -3"}},
	{"import", []string{"bourse import --data copy --in log.jsonl"}},
	{"sign", []string{
		"bourse sign /api/v4/trade-account/balance --key alice-key --secret alice-secret",
		`bourse sign /api/v4/order/new '{"market":"BTC_USDT","side":"buy","amount":"0.1","price":"59000"}' --key alice-key --secret alice-secret --curl`,
		`bourse sign /api/v4/trade-account/balance --secret-file secret.txt --check --payload "$PAYLOAD" --signature "$SIGNATURE"`,
	}},
	{"mine", []string{
		"bourse mine stratum+tcp://127.0.0.1:3333 --user anna.rig --time 1m",
		"bourse mine stratum+tls://pool.example.com:3334 --user anna.rig --threads 2",
	}},
	{"play", []string{"bourse play", "bourse play story.txt"}},
	{"drill", []string{"bourse drill --data load --commands 1000"}},
	{"bench", []string{"bourse bench --only core.allocs"}},
	{"completion", []string{
		"source <(bourse completion bash)",
		"bourse completion zsh > _bourse",
		"bourse completion fish > bourse.fish",
	}},
	{"man", []string{"bourse man > bourse.1"}},
	{"version", []string{"bourse version"}},
}

// addExamples puts the examples of commands below their texts.
func addExamples(root *kong.Node) {
	for _, e := range examples {
		node := root
		for name := range strings.FieldsSeq(e.command) {
			node = child(node, name)
		}
		node.Detail = strings.TrimSpace(node.Detail + "\n\nExamples:\n\n  " + strings.Join(e.lines, "\n  "))
	}
}

// child is a subcommand, which must be there.
func child(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name {
			return c
		}
	}
	panic("bourse: there are examples of " + node.Path() + " " + name + ", which is no command")
}
