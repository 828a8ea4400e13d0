// Package watch is the page on which others see mining accounts by a link that their owner made. The address has the number of the link and a
// digest of it, which nobody makes without the master key: nothing that is secret is in the log.
//
// What must hold: nothing that a client said is anything but text on the page.
package watch

import (
	"crypto/subtle"
	_ "embed"
	"encoding/hex"
	"strconv"
	"strings"

	"bourse/internal/plain"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Prefix is what paths of pages begin with. With the suffix they are the same as JSON.
const (
	Prefix = "/watch/"
	suffix = ".json"
)

// purpose of the digest, of which so many bytes are in the path.
const (
	purpose = "watch"
	size    = 16
)

// Path is where the page of a link is.
func Path(key *seal.Key, id schema.WatchID) string {
	number := strconv.FormatUint(uint64(id), 10)
	mac := key.Digest(purpose, number)
	return Prefix + number + "-" + hex.EncodeToString(mac[:size])
}

// Read is the link whose page is at a path, and whether it is asked for as JSON. It is 0 for all other paths.
func Read(key *seal.Key, path string) (id schema.WatchID, asJSON bool) {
	path, asJSON = strings.CutSuffix(path, suffix)
	number, _, _ := strings.Cut(strings.TrimPrefix(path, Prefix), "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || subtle.ConstantTimeCompare([]byte(path), []byte(Path(key, schema.WatchID(n)))) != 1 {
		return 0, asJSON
	}
	return schema.WatchID(n), asJSON
}

//go:embed page.html
var source string

var page = plain.New(source)

// Page is what is shown by a link.
type Page struct {
	Name     string    `json:"name"`
	Until    int64     `json:"liveUntil"` // in seconds; 0: for ever
	Accounts []Account `json:"accounts"`
}

// Account is what is shown of a mining account; what the link does not show is nil.
type Account struct {
	Name      string     `json:"name"`
	Dashboard *Dashboard `json:"dashboard,omitempty"`
	Rewards   []Reward   `json:"rewards,omitempty"`
	Workers   []Worker   `json:"workers,omitempty"`
}

// Dashboard is how a mining account does.
type Dashboard struct {
	Hashrate string  `json:"hashrate"` // of the last hour, in hashes per second
	Online   int64   `json:"online"`
	Offline  int64   `json:"offline"`
	Low      int64   `json:"low"`
	Points   []Point `json:"points"` // of the last 24 hours
}

// Point of a graph.
type Point struct {
	Time     int64  `json:"timestamp"`
	Text     string `json:"-"`
	Hashrate string `json:"hashrate"`
}

// Reward is what a mining account earned in a day.
type Reward struct {
	Date     int64  `json:"date"`
	Text     string `json:"-"`
	Amount   string `json:"reward"`
	Currency string `json:"rewardCurrency"`
	Status   string `json:"status"`
}

// Worker is one that was seen in the last hour.
type Worker struct {
	Name     string `json:"name"`
	Status   string `json:"status"`   // online, low or offline
	Hashrate string `json:"hashrate"` // of the last hour, in terahashes per second
}

// HTML is the page as it is sent. Nil is that there is no such link.
func (p *Page) HTML() []byte { return page.HTML(p) }
