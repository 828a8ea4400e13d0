// Package plain is what pages without scripts have in common: how they look, and what a browser may do with them.
package plain

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
)

//go:embed style.css
var style string

// Policy has a browser load and run nothing, show the page in no frame, and send its form only back here.
var Policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}()

// Page makes pages of a template. What it shows is text, or an address behind a link: html/template sees to that.
type Page struct{ template *template.Template }

// New is a page whose template has a style.
func New(source string) Page {
	return Page{template.Must(template.New("page").Funcs(template.FuncMap{"style": func() template.CSS { return template.CSS(style) }}).Parse(source))}
}

// HTML is the page as it is sent.
func (p Page) HTML(data any) []byte {
	var out bytes.Buffer
	if err := p.template.Execute(&out, data); err != nil {
		panic(err) // the template and its data are ours, and a buffer takes everything
	}
	return out.Bytes()
}
