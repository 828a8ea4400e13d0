package docs

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFilesBecomePages(t *testing.T) {
	all := pages(fstest.MapFS{
		".gitignore":  {Data: []byte("*")},
		"index.html":  {Data: []byte("<!doctype html>")},
		"docs.js":     {Data: []byte("start()")},
		"docs.css":    {Data: []byte("body {}")},
		"icon.svg":    {Data: []byte("<svg/>")},
		"words.txt":   {Data: []byte("words")},
		"docs.js.map": {Data: []byte("{}")},
	}, nil)
	for at, want := range map[string][2]string{
		"/docs":           {"text/html; charset=utf-8", "<!doctype html>"},
		"/docs/docs.js":   {"text/javascript; charset=utf-8", "start()"},
		"/docs/docs.css":  {"text/css; charset=utf-8", "body {}"},
		"/docs/icon.svg":  {"image/svg+xml", "<svg/>"},
		"/docs/words.txt": {"text/plain; charset=utf-8", "words"},
	} {
		if got := all[at]; got.Type != want[0] || string(got.Body()) != want[1] || got.To != "" {
			t.Errorf("%s: %s %q", at, got.Type, got.Body())
		}
	}
	for from, to := range map[string]string{"/": "/docs", "/docs/": "/docs"} {
		if got := path.Join(from, all[from].To); got != to {
			t.Errorf("%s leads to %s", from, got)
		}
	}
	if len(all) != 8 {
		t.Errorf("%d pages: %v", len(all), all)
	}
}

func TestABinaryWithoutThePageSaysSo(t *testing.T) {
	all := pages(fstest.MapFS{".gitignore": {}}, nil)
	if page := all["/docs"]; page.Type != "text/html; charset=utf-8" || !strings.Contains(string(page.Body()), "make build") {
		t.Errorf("%s %s", page.Type, page.Body())
	}
	if len(all) != 4 {
		t.Errorf("%d pages: %v", len(all), all)
	}
}

// Guests are for browsers on this machine; everybody else finds that there are none.
func TestGuests(t *testing.T) {
	for _, guests := range [][]byte{nil, []byte(`[{"name":"alice","apiKey":"k","secret":"s"}]`)} {
		page := pages(fstest.MapFS{}, guests)["/docs/guests.json"]
		if page.Type != "application/json" || string(page.Body()) != "[]" || string(page.Local) != string(guests) {
			t.Errorf("%s %s, here %s", page.Type, page.Body(), page.Local)
		}
	}
}

// reference is where a page says that something else is.
var reference = regexp.MustCompile(`(?:href|src|action)="([^"]*)"`)

// What the page loads and links to is in the binary too. Its policy (rest) forbids all else.
func TestThePageNeedsNothingFromOutside(t *testing.T) {
	all := Pages(nil)
	found := reference.FindAllStringSubmatch(string(all[At].Body()), -1)
	if len(found) == 0 {
		t.Fatal("the page refers to nothing")
	}
	for _, match := range found {
		if id, within := strings.CutPrefix(match[1], "#"); within && strings.Contains(string(all[At].Body()), `id="`+id+`"`) {
			continue
		}
		at := path.Join(path.Dir(At), match[1])
		if _, there := all[at]; !there && at != "/openapi.json" && at != "/asyncapi.json" {
			t.Errorf("the page refers to %q", match[1])
		}
	}
	for at, page := range all {
		if !strings.HasSuffix(at, ".css") {
			continue
		}
		for _, word := range []string{"@import", "url(http", "url(//", `url("http`, `url("//`, "url('http", "url('//"} {
			if strings.Contains(string(page.Body()), word) {
				t.Errorf("%s has %s", at, word)
			}
		}
	}
}
