package pages

import (
	"strings"
	"testing"
	"testing/fstest"

	"bourse/internal/rest"
)

func TestPagesAreOneFile(t *testing.T) {
	all := map[string]rest.Page{}
	add(all, fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}, "account.js": {Data: []byte("start()")}})
	for _, at := range []string{"/signin", "/welcome", "/account", "/consent", "/express"} {
		if page := all[at]; !page.App || page.Type != "text/html; charset=utf-8" || string(page.Body()) != "<!doctype html>" {
			t.Errorf("%s is %+v", at, page)
		}
	}
	if page := all["/account/account.js"]; !page.App || string(page.Body()) != "start()" || len(all) != 9 {
		t.Errorf("%d pages, the script is %+v", len(all), page)
	}
}

func TestABinaryWithoutPagesSaysSo(t *testing.T) {
	all := map[string]rest.Page{}
	add(all, fstest.MapFS{})
	if text := string(all["/signin"].Body()); !strings.Contains(text, "make build") {
		t.Error(text)
	}
}
