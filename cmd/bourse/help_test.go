package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// everyCommand calls a function for all commands at every depth that people see.
func everyCommand(node *kong.Node, do func(*kong.Node)) {
	for _, c := range node.Children {
		if !c.Hidden {
			do(c)
			everyCommand(c, do)
		}
	}
}

func TestEveryCommandExplainsItself(t *testing.T) {
	root := model().Node
	everyCommand(root, func(c *kong.Node) {
		if !strings.HasSuffix(c.Help, ".") {
			t.Errorf("the help of %q is %q", c.Path(), c.Help)
		}
		if c.Depth() == 0 && (c.Group == nil || !strings.Contains(c.Detail, "Examples:\n\n  ")) {
			t.Errorf("%q has no group or no examples: %v %s", c.Path(), c.Group, c.Detail)
		}
		for _, v := range c.Values() {
			if v.Help == "" {
				t.Errorf("%s of %q is not explained", v.Summary(), c.Path())
			}
		}
	})
	help := good(t, "", "--help")
	for _, want := range []string{"\nRun an exchange:\n  serve ", "\nLook into one that does not run:\n  replay ", "\nTools:\n  sign ", "The exit code is 0"} {
		if !strings.Contains(help, want) {
			t.Errorf("no %q in\n%s", want, help)
		}
	}
	if replay := good(t, "", "replay", "--help"); !strings.Contains(replay, "\nCommands:\n  replay summary ") {
		t.Error(replay)
	}
}

// TestEveryExampleRuns types the examples of the help, one after the other in one directory. What
// would go on serving is given to `bourse config` instead, which takes the same flags.
func TestEveryExampleRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.Rename(tradingDay(t), filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	venue, err := os.ReadFile("../../examples/venue.json")
	if err != nil {
		t.Fatal(err)
	}
	nats, err := os.ReadFile("../../deploy/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	r := clientRequest()
	for name, text := range map[string]string{
		"examples/venue.json": string(venue), "nats.conf": string(nats), "story.txt": "asset BTC\n", "secret.txt": r.secret + "\n", "bourse.yaml": "tick: 1s\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, operators, data := startVenue(t)
	token, err := os.ReadFile(filepath.Join(data, "operators", "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "PAYLOAD="+r.payload, "SIGNATURE="+r.signature,
		"BOURSE_OPERATOR_URL="+operators, "BOURSE_OPERATOR_TOKEN="+strings.TrimSpace(string(token)))
	// What would run on is only checked.
	once := strings.NewReplacer("bourse serve", "bourse config", "bourse nats", "bourse nats --check", "signer serve", "signer serve --check", "webhook listen", "webhook listen --help", "bourse mine", "bourse mine --help")
	for _, e := range examples {
		for _, line := range e.lines {
			if !strings.Contains(line, "bourse "+e.command) && !strings.HasPrefix(e.command, "replay ") {
				t.Errorf("%q is no example of %s", line, e.command)
			}
			shell := exec.Command("bash", "-c", once.Replace(line))
			var errs bytes.Buffer
			shell.Dir, shell.Env, shell.Stderr = dir, env, &errs
			if out, err := shell.Output(); err != nil {
				t.Errorf("%s: %v\n%s%s", line, err, out, errs.String())
			}
		}
	}
}

func TestAMisspelledWordIsAnsweredWithTheNearest(t *testing.T) {
	for _, c := range []struct{ args, says, more string }{
		{"", "bourse: say what to do\n", "The commands are serve, operator, config, keygen, "},
		{"srve", `unexpected argument srve, did you mean "serve"?`, "see 'bourse --help' and 'bourse COMMAND --help'.\n"},
		{"replay --data x bok", `unexpected argument bok, did you mean "book"?`, "The commands are summary, account, order, book, trades, risk; see 'bourse replay --help'"},
		{"serve --listne x", `unknown flag --listne, did you mean "--listen"?`, "\nSee 'bourse serve --help'.\n"},
		{"keygen --jsn", `unknown flag --jsn, did you mean "--json"?`, "\nSee 'bourse keygen --help'.\n"},
		{"operator deposit alice USDT -5", "bourse: the amount must be positive, and -5 is not\n", "See 'bourse operator deposit --help'.\n"},
		{"operator withdraw alice USDT -0.25", "bourse: the amount must be positive, and -0.25 is not\n", "See 'bourse operator withdraw --help'.\n"},
		{"operator index set BTC_USDT -5", "bourse: the price must be positive, and -5 is not\n", "See 'bourse operator index set --help'.\n"},
		{"operator deposit alice -5", "unknown flag -5", "See 'bourse operator deposit --help'.\n"},
		{"operator deposit alice USDT 5 -6", "unknown flag -6", "See 'bourse operator deposit --help'.\n"},
		{"completion tcsh", `must be one of "bash","zsh","fish" but got "tcsh"`, "See 'bourse completion --help'."},
	} {
		out, errs, code := run(t, "", strings.Fields(c.args)...)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "bourse: ") || !strings.Contains(errs, c.says) || !strings.Contains(errs, c.more) {
			t.Errorf("%s: %d %q %q, want %q and %q", c.args, code, out, errs, c.says, c.more)
		}
	}
}

func TestTheVersionIsAFlagToo(t *testing.T) {
	if flag, command := good(t, "", "--version"), good(t, "", "version"); flag != command {
		t.Errorf("%q %q", flag, command)
	}
}

func TestTheManualHasEverything(t *testing.T) {
	page := good(t, "", "man")
	for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "RUN AN EXCHANGE", "TOOLS", "ENVIRONMENT", "EXIT STATUS"} {
		if !strings.Contains(page, "\n.SH "+section+"\n") {
			t.Errorf("there is no section %s", section)
		}
	}
	everyCommand(model().Node, func(c *kong.Node) {
		if !strings.Contains(page, "\n.SS "+roff("bourse "+c.Summary())+"\n"+roff(c.Help)+"\n") {
			t.Errorf("%q is not in the manual", c.Path())
		}
		for _, flag := range c.Flags {
			if !strings.Contains(page, "\n\\fB"+roff(flag.String())+"\\fR\n") {
				t.Errorf("--%s of %q is not in the manual", flag.Name, c.Path())
			}
		}
	})
	for _, name := range settingNames(model()) {
		if !strings.Contains(page, "\n\\fB"+variable(name)+"\\fR\n") {
			t.Errorf("%s is not in the manual", variable(name))
		}
	}
	if got, want := roff(".a-b\\c\n'…"), `\&.a\-b\ec`+"\n"+`\&'\[u2026]`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		format := exec.Command(groff, "-man", "-ww", "-Tutf8")
		format.Stdin = strings.NewReader(page)
		var errs bytes.Buffer
		format.Stderr = &errs
		if out, err := format.Output(); err != nil || errs.Len() > 0 || len(out) < len(page)/2 {
			t.Errorf("%v %s", err, errs.String())
		}
	}
}
