package main

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// settings finds out what a flag of `serve` is set to when it does not stand on the command line:
// by a variable, by a line of the file of --config, or not at all. Kong asks it for every flag of a
// command.
//
// What must hold: a flag comes before a variable, a variable before the file, the file before the
// default. A name that is not known, wherever it stands, is an error: a misspelled limit that is
// silently not set is worse than an exchange that does not start.
type settings struct {
	file    settingsFile
	origins map[string]origin // of what does not stand on the command line and is not the default
}

// origin is where the value of a setting comes from.
type origin struct {
	kind string // flag, variable, file or default
	at   string // the name of the variable, or the line of the file
}

func (o origin) String() string { return strings.TrimSpace(o.kind + " " + o.at) }

// fileFlag is the flag that names the file.
const fileFlag = "config"

// takesSettings reports whether a part of the command line is a command with the flags of `serve`.
// `nats` is none: its file is one of NATS. `signer serve` is none: nothing but its directory says what it signs.
func takesSettings(part *kong.Path) bool {
	return part.Command != nil && (part.Command.Path() == "serve" || part.Command.Path() == "config")
}

// prefix of the variables.
const prefix = "BOURSE_"

// variable is the name of the variable of a setting.
func variable(name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// others are variables with our prefix that are no settings, beside those that the model lists
// because a flag of another command reads them.
var others = map[string]string{
	"BOURSE_URL":            "The exchange that the examples call.",
	"BOURSE_OPERATOR_TOKEN": "What the operator shows there.",
	"BOURSE_ROWS":           "Size of the history in 'bourse bench'.",
	"BOURSE_KILLS":          "Length of the marathon of crashes, a test.",
	"BOURSE_SEED":           "What the marathon of crashes does.",
	"BOURSE_SOAK":           "Length of long tests.",
	"BOURSE_CHECKS":         "Number of random tests.",
	"BOURSE_SIEGE":          "Where the report of the siege goes, a test.",
}

// injected are variables that Kubernetes sets in every container when a service is called bourse.
var injected = regexp.MustCompile(`^BOURSE_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// settingNames are the names of all settings in their order.
func settingNames(model *kong.Application) (names []string) {
	for _, command := range model.Children {
		if command.Name == "serve" {
			for _, flag := range command.Flags {
				names = append(names, flag.Name)
			}
		}
	}
	return names
}

// otherVariables are the variables with our prefix that are no settings.
func otherVariables(node *kong.Node) map[string]string {
	known := maps.Clone(others)
	_ = kong.Visit(node, func(n kong.Visitable, next kong.Next) error {
		if flag, ok := n.(*kong.Flag); ok {
			for _, name := range flag.Tag.Envs {
				known[name] = flag.Help
			}
		}
		return next(nil)
	})
	return known
}

// findFlag is the flag of a name; nil if there is none.
func findFlag(flags []*kong.Flag, name string) *kong.Flag {
	for _, flag := range flags {
		if flag.Name == name {
			return flag
		}
	}
	return nil
}

// given reports whether a flag stands on the command line.
func given(ctx *kong.Context, flag *kong.Flag) bool {
	return slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool { return p.Flag == flag && !p.Resolved })
}

// load looks for misspelled variables and reads the file. Kong calls it for every part of the
// command line, before it asks for values.
func (s *settings) load(ctx *kong.Context, part *kong.Path) error {
	if !takesSettings(part) {
		return nil
	}
	file, names := findFlag(part.Flags, fileFlag), settingNames(ctx.Model)
	if err := checkVariables(os.Environ(), names, otherVariables(ctx.Model.Node)); err != nil {
		return err
	}
	name := ctx.FlagValue(file).(string)
	if !given(ctx, file) {
		name = os.Getenv(variable(fileFlag))
	}
	if name == "" {
		return nil
	}
	return s.file.read(name, slices.DeleteFunc(names, func(n string) bool { return n == fileFlag }))
}

// checkVariables refuses a variable with our prefix that nobody reads.
func checkVariables(environ, names []string, other map[string]string) error {
	var words []string // the names of variables without the prefix, in which all are alike
	for _, name := range names {
		words = append(words, strings.TrimPrefix(variable(name), prefix))
	}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		word, ours := strings.CutPrefix(name, prefix)
		_, known := other[name]
		if !ours || known || slices.Contains(words, word) || injected.MatchString(name) {
			continue
		}
		err := fmt.Errorf("variable %s: there is no setting of this name", name)
		if meant := nearest(word, words); meant != "" {
			err = fmt.Errorf("%w; did you mean %s%s?", err, prefix, meant)
		}
		return err
	}
	return nil
}

// Resolve is called by kong for every flag that does not stand on the command line.
func (s *settings) Resolve(ctx *kong.Context, part *kong.Path, flag *kong.Flag) (any, error) {
	if !takesSettings(part) || !slices.Contains(settingNames(ctx.Model), flag.Name) {
		return nil, nil
	}
	text, from, err := s.find(flag)
	if err != nil || from.kind == "" {
		return nil, err
	}
	if _, err := decode(flag, text); err != nil {
		return nil, fmt.Errorf("%s says %q, which is not %w", from, masked(flag, text), err)
	}
	s.origins[flag.Name] = from
	return text, nil
}

// find is the text of a setting in variables and file. A variable that is empty is not set: there
// are tools that can only empty one.
func (s *settings) find(flag *kong.Flag) (text string, from origin, err error) {
	name := variable(flag.Name)
	if text = os.Getenv(name); text != "" {
		return text, origin{"variable", name}, nil
	}
	return s.file.find(flag)
}

// Validate is called by kong. There is nothing left to do.
func (s *settings) Validate(*kong.Application) error { return nil }

// decode reads a text as kong will. The error ends the sentence "this is not …".
func decode(flag *kong.Flag, text string) (reflect.Value, error) {
	value := reflect.New(flag.Target.Type()).Elem()
	scan := kong.Scan().PushTyped(text, kong.FlagValueToken)
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, value); err != nil {
		if known := wanted(flag); known != "" {
			return value, errors.New(known)
		}
		return value, fmt.Errorf("what it takes: %w", err)
	}
	if flag.Enum != "" && !slices.Contains(flag.EnumSlice(), fmt.Sprint(value)) {
		return value, fmt.Errorf("one of %s", strings.Join(flag.EnumSlice(), ", "))
	}
	return value, nil
}

// wanted says what the text of a setting must be, if its type says.
func wanted(flag *kong.Flag) string {
	typ, list := flag.Target.Type(), ""
	if flag.IsSlice() {
		typ, list = typ.Elem(), ", or several with commas between them"
	}
	switch {
	case typ == reflect.TypeFor[time.Duration]():
		return "a duration such as 90s or 1h30m" + list
	case typ == reflect.TypeFor[netip.Prefix]():
		return "a range of addresses such as 10.0.0.0/8" + list
	case typ.Kind() == reflect.Bool:
		return "true or false" + list
	case typ.Kind() >= reflect.Int && typ.Kind() <= reflect.Uint64:
		return "a whole number" + list
	}
	return ""
}

// mask is what is shown of a secret.
const mask = "***"

// masked hides what must not be seen of a value: all of it when the flag has the tag `secret:""`,
// and what is secret in a URL when it has `secret:"url"`.
func masked(flag *kong.Flag, text string) string {
	switch {
	case text == "" || !flag.Tag.Has("secret"):
		return text
	case flag.Tag.Get("secret") != "url":
		return mask
	}
	urls := strings.Split(text, ",")
	for i, text := range urls {
		urls[i] = maskedURL(text)
	}
	return strings.Join(urls, ",")
}

// maskedURL hides the passwords of a URL. A name alone is a token, except in a database's URL. What
// cannot be understood is hidden wholly.
func maskedURL(text string) string {
	if name, at, named := strings.Cut(text, "="); named && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" { // of a chain
		return name + "=" + maskedURL(at)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return mask
	}
	user := ""
	if u.User != nil {
		_, password := u.User.Password()
		switch name := url.PathEscape(u.User.Username()); {
		case password:
			user = name + ":" + mask + "@"
		case strings.HasPrefix(u.Scheme, "postgres"):
			user = name + "@"
		default:
			user = mask + "@"
		}
	}
	query := u.RawQuery
	if query != "" {
		pairs := strings.Split(query, "&")
		for i, pair := range pairs {
			if name, _, _ := strings.Cut(pair, "="); strings.Contains(strings.ToLower(name), "pass") {
				pairs[i] = name + "=" + mask
			}
		}
		query = "?" + strings.Join(pairs, "&")
	}
	return u.Scheme + "://" + user + u.Host + u.EscapedPath() + query
}

// shown is a value in the form that JSON and YAML print: durations and addresses as texts.
func shown(value reflect.Value) any {
	switch kind := value.Kind(); {
	case kind == reflect.Slice:
		list := make([]any, value.Len())
		for i := range list {
			list[i] = shown(value.Index(i))
		}
		return list
	case value.Type() != reflect.TypeFor[time.Duration]() && (kind == reflect.Bool || kind >= reflect.Int && kind <= reflect.Uint64):
		return value.Interface()
	}
	return fmt.Sprint(value.Interface())
}
