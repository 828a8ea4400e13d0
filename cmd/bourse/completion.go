package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints scripts for shells. They are made from the commands and flags that there
// are, so that they cannot fall behind.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (completionCmd) Help() string {
	return `For bash put 'source <(bourse completion bash)' into ~/.bashrc. For zsh write the script to a file _bourse
in a directory of $fpath. For fish write it to ~/.config/fish/completions/bourse.fish.`
}

func (c *completionCmd) Run(k *kong.Kong, out stdout) error {
	scripts := map[string]func(io.Writer, []place){"bash": bashScript, "zsh": zshScript, "fish": fishScript}
	scripts[c.Shell](out, places(k.Model.Node))
	return nil
}

// place is a command, or the program itself, seen by somebody who types what comes next.
type place struct {
	path     string // the words up to here, with the program's name
	commands []*kong.Node
	flags    []*kong.Flag
	args     offer
}

// offer is what can be said at a place: some words, or files, or directories.
type offer struct {
	words              []string
	files, directories bool
}

// places are those of a node and everything below it.
func places(node *kong.Node) (all []place) {
	at := place{path: strings.TrimSpace("bourse " + node.Path())}
	for _, flags := range node.AllFlags(true) {
		at.flags = append(at.flags, flags...)
	}
	for _, arg := range node.Positional {
		o := offerOf(arg, arg.Name)
		at.args.words = append(at.args.words, o.words...)
		at.args.files = at.args.files || o.files
	}
	for _, c := range node.Children {
		if !c.Hidden {
			at.commands = append(at.commands, c)
		}
	}
	all = append(all, at)
	for _, c := range at.commands {
		all = append(all, places(c)...)
	}
	return all
}

// offerOf is what a flag or an argument can be set to. A placeholder says what is a file.
func offerOf(v *kong.Value, placeholder string) (o offer) {
	if v.Enum != "" {
		o.words = v.EnumSlice()
	}
	o.files = strings.EqualFold(placeholder, "FILE")
	o.directories = strings.EqualFold(placeholder, "DIR")
	return o
}

// takesValue reports whether a word follows the flag.
func takesValue(flag *kong.Flag) bool { return !flag.IsBool() && !flag.IsCounter() }

// patterns are the cases of a walk along the words, for bash and zsh: flags that take the next
// word, and commands.
func patterns(all []place) (valued, commands string) {
	var flags, words []string
	for _, at := range all {
		for _, flag := range at.flags {
			if takesValue(flag) {
				flags = append(flags, quoted(at.path+" --"+flag.Name))
			}
		}
		for _, c := range at.commands {
			words = append(words, quoted(at.path+" "+c.Name))
		}
	}
	return strings.Join(flags, "|"), strings.Join(words, "|")
}

func bashScript(out io.Writer, all []place) {
	valued, commands := patterns(all)
	// Bash takes '=' for a word of its own, so that --flag=value is three words.
	fmt.Fprintf(out, `# Completion of bourse in bash, printed by 'bourse completion bash'.
_bourse_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_bourse_files() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen "$1" -- "$cur"))
}
_bourse() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at=bourse i
    COMPREPLY=()
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${COMP_WORDS[i]}" in
        %s)
            ((i++))
            if [[ ${COMP_WORDS[i]} == = ]]; then ((i++)); fi ;;
        %s)
            at="$at ${COMP_WORDS[i]}" ;;
        esac
    done
    case "$at $prev" in
`, valued, commands)
	for _, at := range all {
		for _, flag := range at.flags {
			if takesValue(flag) {
				fmt.Fprintf(out, "    %s) %s; return ;;\n", quoted(at.path+" --"+flag.Name), bashOffer(offerOf(flag.Value, flag.PlaceHolder)))
			}
		}
	}
	fmt.Fprint(out, "    esac\n    case \"$at\" in\n")
	for _, at := range all {
		var flags, words []string
		for _, flag := range at.flags {
			flags = append(flags, "--"+flag.Name)
		}
		for _, c := range at.commands {
			words = append(words, c.Name)
		}
		o := at.args
		o.words = append(words, o.words...)
		if len(o.words) == 0 && !o.files {
			o.words = flags
		}
		fmt.Fprintf(out, "    %s) if [[ $cur == -* ]]; then _bourse_words %s; else %s; fi ;;\n",
			quoted(at.path), quoted(strings.Join(flags, " ")), bashOffer(o))
	}
	fmt.Fprint(out, "    esac\n}\ncomplete -F _bourse bourse\n")
}

func bashOffer(o offer) string {
	switch {
	case len(o.words) > 0:
		return "_bourse_words " + quoted(strings.Join(o.words, " "))
	case o.files:
		return "_bourse_files -f"
	case o.directories:
		return "_bourse_files -d"
	}
	return ":"
}

func zshScript(out io.Writer, all []place) {
	valued, commands := patterns(all)
	fmt.Fprintf(out, `#compdef bourse
# Completion of bourse in zsh, printed by 'bourse completion zsh'.
_bourse() {
    local at=bourse flag=${words[CURRENT-1]} i
    local -a subcommands flags
    for ((i = 2; i < CURRENT; i++)); do
        case "$at ${words[i]}" in
        (%s) ((i++)) ;;
        (%s) at="$at ${words[i]}" ;;
        esac
    done
    if compset -P '--*='; then flag=${IPREFIX%%=}; fi
    case "$at $flag" in
`, valued, commands)
	for _, at := range all {
		for _, flag := range at.flags {
			if takesValue(flag) {
				fmt.Fprintf(out, "    (%s) %s; return ;;\n", quoted(at.path+" --"+flag.Name), zshOffer(offerOf(flag.Value, flag.PlaceHolder)))
			}
		}
	}
	fmt.Fprint(out, "    esac\n    case \"$at\" in\n")
	for _, at := range all {
		var flags, commands []string
		for _, flag := range at.flags {
			flags = append(flags, quoted("--"+flag.Name+":"+flag.Help))
		}
		for _, c := range at.commands {
			commands = append(commands, quoted(c.Name+":"+c.Help))
		}
		fmt.Fprintf(out, "    (%s)\n        flags=(%s)\n        subcommands=(%s)\n        %s ;;\n",
			quoted(at.path), strings.Join(flags, " "), strings.Join(commands, " "), zshOffer(at.args))
	}
	fmt.Fprint(out, `    esac
    if ((${#subcommands})); then _describe -t commands command subcommands; fi
    _describe -o -t flags flag flags
}
if [[ ${funcstack[1]} == _bourse ]]; then _bourse "$@"; else compdef _bourse bourse; fi
`)
}

func zshOffer(o offer) string {
	switch {
	case len(o.words) > 0:
		return "compadd -- " + strings.Join(o.words, " ")
	case o.files:
		return "_files"
	case o.directories:
		return "_files -/"
	}
	return ":"
}

func fishScript(out io.Writer, all []place) {
	valued, commands := patterns(all)
	words := func(list string) string { return strings.ReplaceAll(list, "|", " ") }
	fmt.Fprintf(out, `# Completion of bourse in fish, printed by 'bourse completion fish'.
function __bourse_at
    set -l at bourse
    set -l skip 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $skip = 1
            set skip 0
        else if contains -- "$at $word" %s
            set skip 1
        else if contains -- "$at $word" %s
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c bourse -f
`, words(valued), words(commands))
	for _, at := range all {
		here := "complete -c bourse -n " + fishQuoted("__bourse_at "+fishQuoted(at.path))
		for _, c := range at.commands {
			fmt.Fprintf(out, "%s -a %s -d %s\n", here, c.Name, fishQuoted(c.Help))
		}
		if given := fishOffer(at.args); given != "" {
			fmt.Fprintf(out, "%s%s\n", here, given)
		}
		for _, flag := range at.flags {
			line := here + " -l " + flag.Name
			if takesValue(flag) {
				o, needs := offerOf(flag.Value, flag.PlaceHolder), " -x"
				if o.files {
					needs = " -r" // -x forbids files
				}
				line += needs + fishOffer(o)
			}
			fmt.Fprintf(out, "%s -d %s\n", line, fishQuoted(flag.Help))
		}
	}
}

func fishOffer(o offer) string {
	switch {
	case len(o.words) > 0:
		return " -a " + fishQuoted(strings.Join(o.words, " "))
	case o.files:
		return " -F"
	case o.directories:
		return " -a '(__fish_complete_directories)'"
	}
	return ""
}

// fishQuoted is a text that fish leaves as it is.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
