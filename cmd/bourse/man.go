package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// manCmd prints the help of all commands as a manual page.
type manCmd struct{}

func (manCmd) Help() string {
	return `The page is in the language of man(1): read it with 'bourse man | man -l -', or put it where man finds it.`
}

func (manCmd) Run(k *kong.Kong, out stdout) error {
	root := k.Model.Node
	fmt.Fprintf(out, ".TH BOURSE 1 \"\" \"%s\" \"Bourse\"\n", roff(versionText()))
	fmt.Fprintf(out, ".SH NAME\nbourse \\- %s\n", roff(strings.TrimSuffix(root.Help, ".")))
	fmt.Fprint(out, ".SH SYNOPSIS\n\\fBbourse\\fR \\fICOMMAND\\fR [\\fIFLAGS\\fR]\n")
	fmt.Fprintf(out, ".SH DESCRIPTION\n%s", roffText(root.Detail))
	for _, group := range groups {
		fmt.Fprintf(out, ".SH %s\n", strings.ToUpper(roff(strings.TrimSuffix(group.Title, ":"))))
		for _, command := range root.Children {
			if command.Group != nil && command.Group.Key == group.Key {
				manCommand(out, command)
			}
		}
	}
	fmt.Fprint(out, ".SH ENVIRONMENT\n")
	for _, name := range settingNames(k.Model) {
		fmt.Fprintf(out, ".TP\n\\fB%s\\fR\nThe setting \\fB%s\\fR of \\fBbourse serve\\fR.\n", variable(name), roff("--"+name))
	}
	other := otherVariables(root)
	for _, name := range slices.Sorted(maps.Keys(other)) {
		fmt.Fprintf(out, ".TP\n\\fB%s\\fR\n%s\n", name, roff(other[name]))
	}
	fmt.Fprint(out, ".SH EXIT STATUS\n")
	for _, e := range exits {
		fmt.Fprintf(out, ".TP\n%d\n%s\n", e.code, roff(e.meaning))
	}
	return nil
}

// manCommand prints a command and what is below it.
func manCommand(out io.Writer, node *kong.Node) {
	if node.Hidden {
		return
	}
	fmt.Fprintf(out, ".SS %s\n%s\n", roff("bourse "+node.Summary()), roff(node.Help))
	if node.Detail != "" {
		fmt.Fprintf(out, ".PP\n%s", roffText(node.Detail))
	}
	for _, arg := range node.Positional {
		manItem(out, arg.Summary(), arg)
	}
	for _, flag := range node.Flags {
		if !flag.Hidden {
			manItem(out, flag.String(), flag.Value)
		}
	}
	for _, c := range node.Children {
		manCommand(out, c)
	}
}

func manItem(out io.Writer, name string, v *kong.Value) {
	fmt.Fprintf(out, ".TP\n\\fB%s\\fR\n%s\n", roff(name), roff(kong.DefaultHelpValueFormatter(v)))
}

// roffText turns the paragraphs of a help text into roff; what is indented stays as it is.
func roffText(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, "  ") {
			fmt.Fprintf(&b, ".nf\n.RS 4\n%s\n.RE\n.fi\n", roff(strings.ReplaceAll(paragraph[2:], "\n  ", "\n")))
		} else {
			fmt.Fprintln(&b, roff(paragraph))
		}
	}
	return b.String()
}

// roff escapes what roff would take for an order, and the letters that it does not know.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	var b strings.Builder
	for _, c := range strings.Join(lines, "\n") {
		if c < utf8.RuneSelf {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		}
	}
	return b.String()
}
