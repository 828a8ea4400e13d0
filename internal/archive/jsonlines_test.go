package archive_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/archive"
)

func export(t *testing.T, dir string) string {
	t.Helper()
	var out bytes.Buffer
	with(t, dir, func(ctx context.Context, a *archive.Archive) {
		if _, err := a.Export(ctx, &out); err != nil {
			t.Fatal(err)
		}
	})
	return out.String()
}

func importLines(t *testing.T, dir, lines string) (*archive.Past, error) {
	t.Helper()
	return archive.Import(t.Context(), dir, strings.NewReader(lines), func(uint64, uint64) {})
}

func TestExportIsReadable(t *testing.T) {
	dir, hash := makeWorld(t)
	lines := strings.Split(export(t, dir), "\n")
	for n, want := range map[int]string{
		0:  `{"format":"bourse log","version":1}`,
		6:  `{"batch":6,"time_us":1790812806000000,"deposit":{"account":101,"asset":1,"amount":"2"}}`,
		10: `{"batch":10,"time_us":1790812810000000,"place_order":{"account":101,"order":{"market":1,"type":1,"side":2,"amount":"1","price":"100"}}}`,
		16: `{"batch":16,"time_us":1790812816000000,"set_key":{"key":{"key":{"base64":"a/8="},"account":101,"title":"zoë \"1\"","sealed":"AP8=","enabled":true,"urls":["","/a"]}}}`,
		17: fmt.Sprintf(`{"end":true,"batches":16,"commands":16,"hash":"%x"}`, hash),
		18: "",
	} {
		if len(lines) != 19 || lines[n] != want {
			t.Errorf("of %d lines, %d is\n%s\nwant\n%s", len(lines), n, lines[n], want)
		}
	}
}

func TestImportMakesTheSameExchange(t *testing.T) {
	dir, hash := makeWorld(t)
	lines := export(t, dir)
	copied := filepath.Join(t.TempDir(), "copy")
	p, err := importLines(t, copied, lines)
	if err != nil || p.Machine.Hash() != hash || p.Mark.Seq != 16 || p.Commands != 16 {
		t.Fatalf("%+v %v", p, err)
	}
	if again := export(t, copied); again != lines {
		t.Error("the export of the import is another one")
	}
	if r := verify(t, copied); r.Err() != nil || r.Hash != hash {
		t.Errorf("%+v", r)
	}
	if again := run(t, copied, 16, nil); again != hash {
		t.Error("a node that starts from the import has another state")
	}
	second := filepath.Join(t.TempDir(), "second")
	if q, err := importLines(t, second, lines); err != nil || q.Mark != p.Mark {
		t.Errorf("the same lines gave another log: %v", err)
	}
}

func TestImportKeepsBatchesOfSeveralCommands(t *testing.T) {
	dir, _ := makeWorld(t)
	lines := strings.Replace(export(t, dir), `"batch":16,`, `"batch":15,`, 1)
	lines = strings.Replace(lines, `"batches":16,`, `"batches":15,`, 1)
	copied := filepath.Join(t.TempDir(), "copy")
	p, err := importLines(t, copied, lines)
	if err != nil || p.Mark.Seq != 15 || p.Commands != 16 {
		t.Fatalf("%+v %v", p, err)
	}
	if again := export(t, copied); again != lines {
		t.Error("the export of the import is another one")
	}
}

func TestImportNeedsAFreshPlace(t *testing.T) {
	dir, _ := makeWorld(t)
	lines := export(t, dir)
	if _, err := importLines(t, dir, lines); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v", err)
	}
	empty := t.TempDir()
	if _, err := importLines(t, empty, lines); err != nil {
		t.Errorf("an empty directory is refused: %v", err)
	}
	if err := os.Mkdir(filepath.Join(empty, "x.new"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := importLines(t, filepath.Join(empty, "x"), lines); err == nil || !strings.Contains(err.Error(), "x.new") {
		t.Errorf("got %v", err)
	}
}

func TestBadLinesAreNamedAndNothingIsLeft(t *testing.T) {
	dir, _ := makeWorld(t)
	lines := export(t, dir)
	for name, bad := range map[string]struct{ lines, says string }{
		"nothing":         {"", "end after line 0"},
		"another file":    {"hello\n", "line 1: the first line must be"},
		"another format":  {strings.Replace(lines, "bourse log", "cookbook", 1), "line 1: the first line must be"},
		"another version": {strings.Replace(lines, `"version":1`, `"version":2`, 1), "version 2"},
		"not JSON":        {strings.Replace(lines, `{"batch":5,`, `{"batch":5;`, 1), "line 6: malformed message: JSON at byte 11"},
		"unknown command": {strings.Replace(lines, `"deposit":`, `"gift":`, 1), `line 7: malformed message: "gift"`},
		"unknown field":   {strings.Replace(lines, `"asset":1`, `"asset":1,"colour":2`, 1), "colour"},
		"a gap":           {strings.Replace(lines, `"batch":9,`, `"batch":10,`, 1), "line 10: batch 10 comes where batch 9 should be"},
		"no command":      {strings.Replace(lines, `"set_account"`, `"end":true,"set_account"`, 1), "line 5"},
		"a missing line":  {lines[:strings.LastIndex(lines, `{"batch":16`)] + lines[strings.LastIndex(lines, `{"end"`):], "line 17: it says 16 batches"},
		"cut off":         {lines[:strings.LastIndex(lines, `{"end"`)], "cut off"},
		"another amount":  {strings.Replace(lines, `"amount":"2"`, `"amount":"2.5"`, 1), "line 18: the state has the hash"},
		"too much":        {lines + "{}\n", "line 19: it stands behind the last one"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			_, err := importLines(t, filepath.Join(parent, "data"), bad.lines)
			if err == nil || !strings.Contains(err.Error(), bad.says) {
				t.Errorf("got %v, want %q", err, bad.says)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

func TestLinesThatWereChangedOnPurpose(t *testing.T) {
	dir, hash := makeWorld(t)
	lines := strings.Replace(export(t, dir), `"amount":"2"`, `"amount":"2.5"`, 1)
	lines = lines[:strings.LastIndex(lines, `,"hash"`)] + "}\n"
	p, err := importLines(t, filepath.Join(t.TempDir(), "data"), lines)
	if err != nil || p.Machine.Hash() == hash {
		t.Errorf("%v", err)
	}
}
