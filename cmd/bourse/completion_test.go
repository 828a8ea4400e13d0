package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// complete lets bash complete the last of some words with a script, in a directory with a few
// files.
func complete(t *testing.T, script string, words ...string) []string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"venue.json", "venue two.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "vault"), 0o700); err != nil {
		t.Fatal(err)
	}
	var line []string
	for _, word := range words {
		line = append(line, quoted(word))
	}
	shell := exec.Command("bash", "--norc", "-c", `set -u; source /dev/stdin; COMP_WORDS=(`+strings.Join(line, " ")+
		`); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _bourse; ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"; complete -p bourse >&2`)
	var errs bytes.Buffer
	shell.Dir, shell.Stdin, shell.Stderr = dir, strings.NewReader(script), &errs
	out, err := shell.Output()
	if err != nil || errs.String() != "complete -F _bourse bourse\n" {
		t.Fatalf("%q: %v %s", words, err, errs.String())
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(got)
	return got
}

func TestBashCompletes(t *testing.T) {
	script := good(t, "", "completion", "bash")
	for _, c := range []struct{ line, want string }{
		{"bourse|ver", "verify version"},
		{"bourse|benchl", ""},
		{"bourse|--v", "--version"},
		{"bourse|serve|--li", "--limit-factor --listen"},
		{"bourse|serve|--region|", "eu global"},
		{"bourse|serve|--region|=", "eu global"},
		{"bourse|serve|--region|=|e", "eu"},
		{"bourse|serve|--sync|i", "interval"},
		{"bourse|serve|--listen|", ""},
		{"bourse|serve|--setup|ven", "venue two.json/venue.json"},
		{"bourse|serve|--data|v", "vault"},
		{"bourse|serve|--log-json|--tic", "--tick"},
		{"bourse|config|--exa", "--example"},
		{"bourse|replay|", "account book order risk summary trades"},
		{"bourse|replay|--data|verify|a", "account"},
		{"bourse|replay|--data|=|verify|a", "account"},
		{"bourse|replay|--json|account|--t", "--to"},
		{"bourse|play|ven", "venue two.json/venue.json"},
		{"bourse|completion|", "bash fish zsh"},
		{"bourse|keygen|", "--help --json --version"},
		{"bourse|--version|key", "keygen"},
	} {
		sep := " "
		if strings.Contains(c.want, "/") {
			sep = "/"
		}
		want := strings.Split(c.want, sep)
		if got := complete(t, script, strings.Split(c.line, "|")...); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.line, got, want)
		}
	}
	// Nothing is left out, whatever commands and flags there are.
	everyCommand(model().Node, func(c *kong.Node) {
		words := append([]string{"bourse"}, strings.Fields(c.Path())...)
		if got := complete(t, script, words...); !slices.Contains(got, c.Name) {
			t.Errorf("%q is not completed: %q", c.Path(), got)
		}
		got := complete(t, script, append(words, "--")...)
		for _, flag := range c.Flags {
			if !flag.Hidden && !slices.Contains(got, "--"+flag.Name) {
				t.Errorf("--%s of %q is not completed: %q", flag.Name, c.Path(), got)
			}
		}
	})
}

// deep has commands at the third level.
type deep struct {
	Operator struct {
		Token    string `help:"Who."`
		Accounts struct {
			List struct {
				State string `enum:"open,closed" default:"open" help:"Which ones: those that are 'open', or not."`
			} `cmd:"" help:"List them."`
			Lock struct{} `cmd:"" help:"Lock one."`
		} `cmd:"" help:"Accounts."`
	} `cmd:"" help:"The operator's."`
}

func deepPlaces(t *testing.T) []place {
	var d deep
	parser, err := kong.New(&d, kong.Name("bourse"))
	if err != nil {
		t.Fatal(err)
	}
	return places(parser.Model.Node)
}

func TestBashCompletesAtAnyDepth(t *testing.T) {
	var script bytes.Buffer
	bashScript(&script, deepPlaces(t))
	for line, want := range map[string]string{
		"bourse|op":                                             "operator",
		"bourse|operator|":                                      "accounts",
		"bourse|operator|--token|x|accounts|li":                 "list",
		"bourse|operator|accounts|lo":                           "lock",
		"bourse|operator|accounts|list|--to":                    "--token",
		"bourse|operator|accounts|list|--state|cl":              "closed",
		"bourse|operator|accounts|--token|lock|list|--state|op": "open",
	} {
		if got := complete(t, script.String(), strings.Split(line, "|")...); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// The scripts for zsh and fish are held against texts, and read by those shells where they are.
func TestZshAndFishScripts(t *testing.T) {
	for shell, write := range map[string]func(*bytes.Buffer, []place){
		"zsh":  func(b *bytes.Buffer, all []place) { zshScript(b, all) },
		"fish": func(b *bytes.Buffer, all []place) { fishScript(b, all) },
	} {
		var script bytes.Buffer
		write(&script, deepPlaces(t))
		golden := filepath.Join("testdata", "completion."+shell)
		want, err := os.ReadFile(golden)
		if err != nil || script.String() != string(want) {
			t.Errorf("%v; if it is meant, %s must become\n%s", err, golden, script.String())
		}
		if path, err := exec.LookPath(shell); err == nil {
			file := written(t, "script", good(t, "", "completion", shell))
			if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v %s", shell, err, out)
			}
		}
		real := good(t, "", "completion", shell)
		everyCommand(model().Node, func(c *kong.Node) {
			if !strings.Contains(real, "bourse "+c.Path()+"'") {
				t.Errorf("%s does not know %q", shell, c.Path())
			}
		})
	}
}
