// Package pages holds the pages on which people sign in (/signin), accept an invitation (/welcome), look after their
// accounts (/account), let programs of others act for them (/consent) and pay partners (/express), made from web/account by `make web`. They are static: what they show they ask the door for browsers (internal/web) for.
//
// A binary that was built without `make` has no such pages and says so instead.
package pages

import (
	"embed"
	"io/fs"

	"bourse/internal/rest"
)

//go:embed all:dist
var made embed.FS

// At are the addresses of the pages, which are one file.
var At = []string{"/signin", "/welcome", "/account", "/consent", "/express"}

// files are those that the page loads, by their names, with their types.
var files = map[string]string{
	"account.js":  "text/javascript; charset=utf-8",
	"theme.js":    "text/javascript; charset=utf-8",
	"account.css": "text/css; charset=utf-8",
	"favicon.svg": "image/svg+xml",
}

// Add puts the pages and their files among others.
func Add(all map[string]rest.Page) {
	dist, err := fs.Sub(made, "dist")
	if err != nil {
		panic(err) // the name is a good one
	}
	add(all, dist)
}

func add(all map[string]rest.Page, dist fs.FS) {
	for _, at := range At {
		all[at] = rest.Page{Type: "text/html; charset=utf-8", App: true, Body: func() []byte { return read(dist, "index.html", unmade) }}
	}
	for name, kind := range files {
		all["/account/"+name] = rest.Page{Type: kind, App: true, Body: func() []byte { return read(dist, name, "") }}
	}
}

// read is a file, or what stands in its place in a binary without it.
func read(dist fs.FS, name, otherwise string) []byte {
	body, err := fs.ReadFile(dist, name)
	if err != nil {
		return []byte(otherwise)
	}
	return body
}

// unmade stands where the pages would be.
const unmade = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bourse</title>
<h1>Bourse</h1>
<p>This program was built without its pages. <code>make build</code> builds it with them.</p>
</html>
`
