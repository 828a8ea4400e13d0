package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// portable are the programs that the examples in shell may use, with the flags that both GNU's and
// macOS's know, as patterns of the shell.
var portable = map[string]string{
	"bash": "", "env": "", "curl": "-*", "perl": "-*",
	"grep": "-o|-q|-E|-F", "sed": "-n|-e|-E", "head": "-n", "cut": "-d*|-f*",
	"openssl": "-A|-sha512|-hmac",
}

// strange is what a shell of GNU's world knows and bash 3.2, which macOS has, does not.
var strange = map[string]*regexp.Regexp{
	"a map or a list from lines": regexp.MustCompile(`\b(declare|local|typeset) +-[a-zA-Z]*[An]|\b(mapfile|readarray)\b`),
	"another case":               regexp.MustCompile(`\$\{[A-Za-z0-9_]+(,,?|\^\^?|@[A-Za-z])`),
	"both outputs":               regexp.MustCompile(`&>>|\|&`),
	"a time by itself":           regexp.MustCompile(`EPOCH(REALTIME|SECONDS)|printf +['"]?%\(`),
	"the end of a list":          regexp.MustCompile(`\$\{[A-Za-z0-9_]+\[-|\$\{[A-Za-z0-9_]+:[^}]*: +-`),
	"a test of variables":        regexp.MustCompile(`\[\[ +-[vR] `),
	"a job that ended":           regexp.MustCompile(`\bwait +-n\b|\bcoproc\b`),
}

// tools makes a directory with the portable programs alone. They refuse other flags, and openssl writes
// signatures as LibreSSL does.
func tools(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, flags := range portable {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\n"
		if flags != "" {
			script += fmt.Sprintf(`for a in "$@"; do case "$a" in %s) ;; -*) echo "%s $a is not known everywhere" >&2; exit 64 ;; esac; done`+"\n", flags, name)
		}
		if name == "openssl" {
			script += fmt.Sprintf("%s \"$@\" | /bin/sed 's/^[A-Z0-9-]*(stdin)= /(stdin)= /'\n", path)
		} else {
			script += fmt.Sprintf("exec %s \"$@\"\n", path)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExamplesNeedNoGNU runs the examples in shell where only portable programs are, in the manner of an old
// bash.
func TestExamplesNeedNoGNU(t *testing.T) {
	url := serveVenue(t)
	variables := []string{
		"PATH=" + tools(t), "BASH_COMPAT=3.2", "POSIXLY_CORRECT=1",
		"BOURSE_URL=" + url, "BOURSE_API_KEY=alice-key", "BOURSE_API_SECRET=alice-secret",
	}
	for _, line := range []string{"order.sh BTC_USDT buy 0.5 59000", "order.sh BTC_USDT sell 0.5 60000 bob-key bob-secret"} {
		program, args, _ := strings.Cut(line, " ")
		said, errs, code := try(t, "", variables, "../../examples/"+program, strings.Fields(args)...)
		if code != 0 || errs != "" || !strings.Contains(said, `"status":"OPEN"`) {
			t.Fatalf("%s: %d %s %s", line, code, said, errs)
		}
	}
	said, errs, code := try(t, "", variables, "../../examples/trade.sh")
	if code != 0 || errs != "" || !strings.Contains(said, ": buy 0.005 BTC at 59000.5 USDT\n") || !strings.Contains(said, "\nCanceled order ") {
		t.Errorf("%d %s %s", code, said, errs)
	}
}

// TestExamplesSpeakOldBash looks for what cannot be run here as macOS would.
func TestExamplesSpeakOldBash(t *testing.T) {
	scripts, err := filepath.Glob("../../examples/*.sh")
	if err != nil || len(scripts) < 2 {
		t.Fatal(scripts, err)
	}
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "#!/usr/bin/env bash\n") {
			t.Errorf("%s names another shell", name)
		}
		for n, line := range strings.Split(string(text), "\n") {
			for what, form := range strange {
				if form.MatchString(line) {
					t.Errorf("%s:%d: %s: %s", name, n+1, what, line)
				}
			}
		}
	}
	for line, what := range map[string]string{
		"declare -A seen": "a map or a list from lines", `echo "${name,,}"`: "another case", "make |& cat": "both outputs",
		"printf '%(%s)T' -1": "a time by itself", "[[ -v name ]]": "a test of variables", "wait -n": "a job that ended",
	} {
		if !strange[what].MatchString(line) {
			t.Errorf("%s is not seen", line)
		}
	}
}
