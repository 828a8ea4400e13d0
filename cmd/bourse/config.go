package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// configCmd prints what `serve` would do with the same flags, variables and file.
type configCmd struct {
	JSON    bool `name:"json" xor:"form" help:"Print JSON, one object a line, instead of a table."`
	Example bool `xor:"form" help:"Print a file for --config with every setting, its default and what it means."`

	Settings serveCmd `embed:""`
}

func (configCmd) Help() string {
	return `Takes the flags of 'bourse serve' and prints every setting: its value and where that comes from. It starts
nothing. A setting that is wrong is an error here as it is there, with the exit code 2. Passwords and
other secrets are shown as ` + mask + `.`
}

func (c *configCmd) Run(ctx *kong.Context, s *settings, out stdout) error {
	var flags []*kong.Flag
	names := settingNames(ctx.Model)
	for _, flag := range ctx.Selected().Flags {
		if slices.Contains(names, flag.Name) {
			flags = append(flags, flag)
		}
	}
	if c.Example {
		return example(out, flags)
	}
	r := &rows{out: out, json: c.JSON}
	for _, flag := range flags {
		from := origin{kind: "default"}
		if o, ok := s.origins[flag.Name]; ok {
			from = o
		} else if given(ctx, flag) {
			from.kind = "flag"
		}
		var at any
		if from.at != "" {
			at = from.at
		}
		if err := r.add(cell{"setting", flag.Name}, cell{"value", c.value(flag)}, cell{"origin", from.kind}, cell{"at", at}); err != nil {
			return err
		}
	}
	return r.flush()
}

// value is what is printed of a setting: for people a text, or nothing, and for programs the value.
func (c *configCmd) value(flag *kong.Flag) any {
	value := shown(flag.Target)
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	texts := make([]string, len(list))
	for i, element := range list {
		if text, ok := element.(string); ok {
			list[i] = masked(flag, text)
		}
		texts[i] = fmt.Sprint(list[i])
	}
	switch text := strings.Join(texts, ","); {
	case c.JSON && isList:
		return list
	case c.JSON:
		return list[0]
	case text == "":
		return nil
	default:
		return text
	}
}

// exampleWidth is where the comments of an example are broken.
const exampleWidth = 100

// example prints a file that says what is so anyway. What has no default is there as a comment.
func example(out io.Writer, flags []*kong.Flag) error {
	fmt.Fprint(out, `# Settings of 'bourse serve', which reads them with --config FILE or BOURSE_CONFIG=FILE.
# A flag comes before a variable, a variable before this file: --listen, BOURSE_LISTEN, listen.
`)
	for _, flag := range flags {
		if flag.Name == fileFlag {
			continue
		}
		fmt.Fprintln(out)
		for _, line := range wrapped(flag.Help, exampleWidth) {
			fmt.Fprintln(out, "#", line)
		}
		value := reflect.New(flag.Target.Type()).Elem()
		if flag.HasDefault {
			var err error
			if value, err = decode(flag, flag.Default); err != nil {
				return fmt.Errorf("the default of %s is not %w", flag.Name, err)
			}
		}
		switch {
		case flag.IsSlice() && value.Len() == 0:
			fmt.Fprintf(out, "#%s: [%s]\n", flag.Name, flag.PlaceHolder)
			continue
		case value.Kind() == reflect.String && value.Len() == 0:
			fmt.Fprintf(out, "#%s: %s\n", flag.Name, flag.PlaceHolder)
			continue
		}
		line, err := yaml.Marshal(map[string]any{flag.Name: shown(value)})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s", line)
	}
	return nil
}

// wrapped breaks a text into lines.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
