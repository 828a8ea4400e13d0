// Package kyc is the page on which the person behind a sub-account is verified. Its address has a sealed token that names the
// sub-account and ends. Nothing is kept of links that nobody uses.
package kyc

import (
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"bourse/internal/plain"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Path is where pages are; the token follows.
const Path = "/verify/"

// Life is how long a link is good for.
const Life = 3600 * schema.Second

// purpose that tokens are sealed for.
const purpose = "link to verification"

// maxToken is the longest token, in bytes.
const maxToken = 128

// Link is the path of the page of a sub-account until a moment.
func Link(key *seal.Key, sub schema.AccountID, until schema.Time) string {
	plain := binary.BigEndian.AppendUint32(nil, uint32(sub))
	plain = binary.BigEndian.AppendUint64(plain, uint64(until))
	return Path + base64.RawURLEncoding.EncodeToString(key.Seal(plain, purpose))
}

// Token is the token in the path of a page, "" if it is none.
func Token(path string) string {
	token, is := strings.CutPrefix(path, Path)
	if !is || len(token) > maxToken || strings.ContainsRune(token, '/') {
		return ""
	}
	return token
}

// Open is the sub-account that a token is for; 0: it is none, or over.
func Open(key *seal.Key, token string, now schema.Time) schema.AccountID {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0
	}
	plain, err := key.Open(sealed, purpose)
	if err != nil || len(plain) != 12 || now >= schema.Time(binary.BigEndian.Uint64(plain[4:])) {
		return 0
	}
	return schema.AccountID(binary.BigEndian.Uint32(plain))
}

// Status is how a verification stands.
type Status int

// Statuses of a verification. None is that of a link that is over, and of a sub-account that cannot be verified any more.
const (
	None Status = iota
	Waiting
	Passed
	Failed
)

var texts = [...]struct{ title, text string }{
	None:    {"Link not found", "This link has expired, or the sub-account cannot be verified. The main account can request another."},
	Waiting: {"Verification", "The exchange verifies the person who uses this sub-account."},
	Passed:  {"Verified", "The verification is complete. You can close this page."},
	Failed:  {"Not verified", "The verification did not succeed. You can try again as long as this link is good."},
}

//go:embed page.html
var source string

var page = plain.New(source)

// Page is what is shown of a verification.
type Page struct {
	Status Status
	Alias  string // of the sub-account
	// Play lets the person say what a provider would find.
	Play bool
}

// Title of the page.
func (p *Page) Title() string { return texts[p.Status].title }

// Text says how things stand.
func (p *Page) Text() string { return texts[p.Status].text }

// Open reports whether the verification can be passed.
func (p *Page) Open() bool { return p.Status == Waiting || p.Status == Failed }

// HTML is the page as it is sent.
func (p *Page) HTML() []byte { return page.HTML(p) }
