package operator_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/operator"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestANewExchangeHasOneOperator(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "operators")
	tokens, err := operator.OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "operator.token")
	if mode(t, dir) != 0o700 || mode(t, file) != 0o600 {
		t.Errorf("the directory is %o, the file %o", mode(t, dir), mode(t, file))
	}
	token, err := tokens.Read(operator.First)
	if err != nil || len(token) != 64 || strings.Trim(token, "0123456789abcdef") != "" {
		t.Errorf("the token is %q, %v", token, err)
	}
	if again, err := operator.OpenTokens(dir); err != nil {
		t.Error(err)
	} else if kept, err := again.Read(operator.First); err != nil || kept != token {
		t.Errorf("a second start made %q of %q, %v", kept, token, err)
	}

	// With another operator that one is not needed.
	if _, err := tokens.Make("olga"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := operator.OpenTokens(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the first operator came back: %v", err)
	}
}

func TestTokensAreMadeOnce(t *testing.T) {
	dir := t.TempDir()
	tokens, err := operator.OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	first, err := tokens.Make("olga")
	if err != nil {
		t.Fatal(err)
	}
	other, err := tokens.Make("otto")
	if err != nil || first == other {
		t.Errorf("two operators have %q and %q, %v", first, other, err)
	}
	if _, err := tokens.Make("olga"); err == nil || err.Error() != "olga has a token already; remove "+filepath.Join(dir, "olga.token")+" first" {
		t.Errorf("made twice: %v", err)
	}
	if kept, err := tokens.Read("olga"); err != nil || kept != first {
		t.Errorf("it became %q, %v", kept, err)
	}
	for name, good := range map[string]bool{
		"olga-2": true, "o.l_g-A9": true, strings.Repeat("x", 64): true,
		"": false, ".": false, "..": false, ".hidden": false, "a/b": false, "../x": false, "a b": false, "ö": false, "a\n": false, strings.Repeat("x", 65): false,
	} {
		if operator.ValidName(name) != good {
			t.Errorf("%q is a name: %v", name, !good)
		}
		if _, err := tokens.Make(name); (err == nil) != good {
			t.Errorf("making %q: %v", name, err)
		}
	}
}

// Who may do something is looked up with every request.
func TestTokensCountAtOnce(t *testing.T) {
	s := found(t)
	olga := s.hire("olga")
	s.send("GET", "/v1/platform", "", bearer(olga)).is(200)
	s.must("GET", "/v1/platform", "")
	if err := os.Remove(s.tokenFile("olga")); err != nil {
		t.Fatal(err)
	}
	s.send("GET", "/v1/platform", "", bearer(olga)).is(401)
	again := s.hire("olga")
	s.send("GET", "/v1/platform", "", bearer(olga)).is(401)
	s.send("GET", "/v1/platform", "", bearer(again)).is(200)

	// The last one is gone: nobody gets in, and an exchange that runs makes none.
	for _, name := range []string{"olga", operator.First} {
		if err := os.Remove(s.tokenFile(name)); err != nil {
			t.Fatal(err)
		}
	}
	s.ask("GET", "/v1/platform", "").is(401)
	if err := os.RemoveAll(filepath.Join(s.dir, "operators")); err != nil {
		t.Fatal(err)
	}
	s.ask("GET", "/v1/platform", "").is(401)
	s.send("GET", "/v1/platform", "", bearer("")).is(401)
	s.send("GET", "/healthz", "", nil).is(200)
}

// A token that others could have read, or that is none, opens nothing.
func TestBrokenTokens(t *testing.T) {
	s := found(t)
	olga := s.hire("olga")
	file := s.tokenFile("olga")
	as := func(token string, status int) {
		t.Helper()
		s.send("GET", "/v1/platform", "", bearer(token)).is(status)
	}
	for _, bits := range []fs.FileMode{0o640, 0o604, 0o620, 0o601, 0o644} {
		if err := os.Chmod(file, bits); err != nil {
			t.Fatal(err)
		}
		as(olga, 401)
		if _, err := s.x.Tokens.Read("olga"); err == nil || !strings.Contains(err.Error(), "can be read by others; make a new one, or run 'chmod 600 "+file+"' if nobody has read it") {
			t.Errorf("%o: %v", bits, err)
		}
	}
	for _, bits := range []fs.FileMode{0o400, 0o600} {
		if err := os.Chmod(file, bits); err != nil {
			t.Fatal(err)
		}
		as(olga, 200)
	}
	for _, text := range []string{"", "\n", olga[:63], olga[:63] + "\n", olga + "0", strings.Repeat(" ", 64)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, token := range []string{olga, text, strings.TrimSpace(text), ""} {
			if !strings.ContainsRune(token, '\n') {
				as(token, 401)
			}
		}
		if _, err := s.x.Tokens.Read("olga"); err == nil || !strings.Contains(err.Error(), "does not hold a token of 64 digits; make a new one") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{olga, olga + "\n", olga + "\r\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		as(olga, 200)
	}
	// Others go in and out as before, whatever else lies in the directory.
	for name, text := range map[string]string{".hidden.token": olga, "readme.txt": "x", "a b.token": strings.Repeat("0", 64)} {
		if err := os.WriteFile(filepath.Join(s.dir, "operators", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(s.tokenFile("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	as(strings.Repeat("0", 64), 401)
	s.must("GET", "/v1/platform", "")
	s.close()
	s.open(nil)
	s.must("GET", "/v1/platform", "")
	as(olga, 200)
}
