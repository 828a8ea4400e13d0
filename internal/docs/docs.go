// Package docs holds the page on which people read what the API offers and try it: Swagger UI with a
// signer and code for the operations of REST, the methods of the WebSocket with frames to try, and a search
// over both, made from web/docs by `make web`. It is in the binary whole and loads nothing from any other
// place but the descriptions of the API, which the same server has at /openapi.json and /asyncapi.json.
//
// A binary that was built without `make` has no such page and says so instead.
package docs

import (
	"embed"
	"io/fs"
	"path"

	"bourse/internal/rest"
)

//go:embed all:dist
var made embed.FS

// At is where the page is.
const At = "/docs"

// guestsAt is where the page finds accounts that it may be tried with.
const guestsAt = At + "/guests.json"

// Pages are the page and its files, by their paths, and the ways to it: who opens the bare address
// in a browser comes here. Guests are the accounts that a demo hands out, as JSON; nil: none. Only a
// browser on this machine gets them, as only who started the demo sees them printed.
func Pages(guests []byte) map[string]rest.Page {
	files, err := fs.Sub(made, "dist")
	if err != nil {
		panic(err) // the name is a good one
	}
	return pages(files, guests)
}

// kinds of files, by how their names end. What ends otherwise is not served.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

func pages(files fs.FS, guests []byte) map[string]rest.Page {
	all := map[string]rest.Page{
		guestsAt: {Type: "application/json", Body: func() []byte { return []byte("[]") }, Local: guests},
		"/":      {To: "docs"},
		At + "/": {To: "../docs"},
		At:       {Type: kinds[".html"], Body: func() []byte { return []byte(unmade) }},
	}
	names, err := fs.Glob(files, "*")
	if err != nil {
		panic(err) // the pattern is a good one
	}
	for _, name := range names {
		kind, served := kinds[path.Ext(name)]
		if !served {
			continue
		}
		at := At + "/" + name
		if name == "index.html" {
			at = At
		}
		all[at] = rest.Page{Type: kind, Body: func() []byte {
			body, err := fs.ReadFile(files, name)
			if err != nil {
				panic(err) // it is in the binary
			}
			return body
		}}
	}
	return all
}

// unmade stands where the page would be.
const unmade = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bourse API</title>
<h1>Bourse API</h1>
<p>This program was built without its docs page. <code>make build</code> builds it with the page.</p>
<p>What the page is made from is at <a href="openapi.json">openapi.json</a> and <a href="asyncapi.json">asyncapi.json</a>.</p>
</html>
`
