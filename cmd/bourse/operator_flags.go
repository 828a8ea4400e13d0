package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Settings are structs of flags that become JSON as they are: a flag that was not given is not in
// it. Numbers are texts there and pass through as they were typed.

// maybe is a number that a setting may also be without: "none" takes it away.
type maybe struct {
	text  string
	given bool
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *maybe) UnmarshalText(text []byte) error {
	*m = maybe{string(text), true}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (m maybe) MarshalJSON() ([]byte, error) {
	if m.text == "none" {
		return []byte("null"), nil
	}
	return json.Marshal(m.text)
}

// IsZero is for "omitzero".
func (m maybe) IsZero() bool { return !m.given }

// moment is a time in Unix seconds.
type moment int64

// UnmarshalText implements encoding.TextUnmarshaler. Moments from now are rounded up: what is
// planned for them lies ahead.
func (m *moment) UnmarshalText(b []byte) error {
	text := string(b)
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
		if d, err := time.ParseDuration(text); err == nil {
			*m = moment(time.Now().Add(d + time.Second - 1).Unix())
			return nil
		}
	} else if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		*m = moment(seconds)
		return nil
	} else if at, err := time.Parse(time.RFC3339, text); err == nil {
		*m = moment(at.Unix())
		return nil
	}
	return fmt.Errorf("%q is not a time: write it like 2026-10-01T12:00:00Z, in Unix seconds, or from now like +10m or +2h", text)
}

// until is a moment up to which something holds; 'none' is never.
type until struct {
	at    moment
	given bool
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (u *until) UnmarshalText(text []byte) error {
	*u = until{given: true}
	if string(text) == "none" {
		return nil
	}
	return u.at.UnmarshalText(text)
}

// MarshalJSON implements json.Marshaler.
func (u until) MarshalJSON() ([]byte, error) {
	if u.at == 0 {
		return []byte("null"), nil
	}
	// Not as a time.Time: it cannot be written beyond the year 9999, which the exchange refuses with better words.
	return json.Marshal(time.Unix(int64(u.at), 0).UTC().Format(time.RFC3339))
}

// IsZero is for "omitzero".
func (u until) IsZero() bool { return !u.given }

// sheetFlag takes settings from a file.
type sheetFlag struct {
	File string `placeholder:"FILE" type:"path" help:"Take settings from a JSON file, written as in that of 'bourse serve --setup'; '-' is standard input. Other flags win over it."`
}

// body is the settings of the file with those of the flags over them.
func (f *sheetFlag) body(flags any) (map[string]json.RawMessage, error) {
	settings := map[string]json.RawMessage{}
	if f.File != "" {
		text, err := readInput(f.File)
		if err != nil {
			return nil, fmt.Errorf("reading the settings: %w", err)
		}
		if err := json.Unmarshal(text, &settings); err != nil {
			return nil, fmt.Errorf("reading the settings in %s: %w", f.File, err)
		}
	}
	for name, value := range members(flags) {
		settings[name] = value
	}
	return settings, nil
}

// check refuses to change nothing at all.
func (f *sheetFlag) check(flags any) error {
	if f.File == "" {
		return checkChange(flags)
	}
	return nil
}

// checkChange refuses flags of which none was given.
func checkChange(flags any) error {
	if len(members(flags)) == 0 {
		return errors.New("there is nothing to change: give at least one setting")
	}
	return nil
}

// members are the flags that were given, by their names in JSON.
func members(flags any) map[string]json.RawMessage {
	text, err := json.Marshal(flags)
	var m map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		panic(err) // flags are texts, numbers and lists of texts
	}
	return m
}

// readInput reads a file, or standard input for "-".
func readInput(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(file)
}
