// Package demo is the living exchange of `bourse serve --demo`: assets and markets that look real,
// three visitors with money and keys, and bots that make the books, trades and candles move.
//
// Makers quote every market around a price that walks; noise traders take from them; a gambler bets on futures until it
// is liquidated, again and again; a depositor brings money in by the sandboxes and takes it out again; a converter converts now and
// then; an investor invests in flex plans; a miner works for the visitor who may use the mining pool. They are customers
// like any other: all they do is signed requests to the public API of the exchange. The index of the assets of the futures
// is set beside them, as an operator would. The month before the first start is made up (package past), and only market
// data show it.
//
// What must hold: a world that is there is never given money or listed again, so that a second start
// goes on where the first one stopped. The orders of all makers on a market keep 2 × gap ticks
// between bids and asks at every moment, so that they never meet each other and a visitor can trade
// in between. Nothing is done twice: a request that was not answered is never repeated, and a
// maker that does not know what it has in the book cancels it all first.
package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bourse/internal/auth"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/setup"
	"bourse/internal/sheet"
)

//go:embed venue.json
var venue []byte

// Accounts whose names begin like this are bots; the others are visitors.
const (
	makerPrefix     = "maker-"
	noisePrefix     = "noise-"
	gamblerPrefix   = "gambler-"
	depositorPrefix = "depositor-"
	converterPrefix = "converter-"
	investorPrefix  = "investor-"
)

// title marks the keys that are made here: others are nobody's business.
const title = "demo"

// World is a prepared demo.
type World struct {
	node     *node.Node
	dir      string
	scenes   []scene
	visitors []identity
	makers   []identity
	noise    []trader
	gamblers []trader

	depositors []identity
	converters []identity
	investors  []identity
	mines      bool // there is a pool, and a chain to be mined
}

// identity is an account with a key, as demo.json has it.
type identity struct {
	Name   string `json:"name"`
	Key    string `json:"apiKey"`
	Secret string `json:"secret"`
}

// trader is a noise trader or a gambler, with what it began with, to which noise tends to return, and its leverage: the
// highest that its account may have.
type trader struct {
	identity
	start    purse
	leverage uint8
}

// Prepare brings the demo to an exchange that may have it already. The visitors keep the keys
// that demo.json in the data directory has, if the exchange knows them, and get new ones if not; the
// bots get new ones at every start, which nobody else ever sees.
func Prepare(ctx context.Context, n *node.Node, dir string) (*World, error) {
	file, err := setup.Read(bytes.NewReader(venue))
	if err != nil {
		return nil, err
	}
	if !fits(n, file.Accounts) {
		return nil, fmt.Errorf("the exchange in %s is no demo, and a demo would give away its money; choose another directory with --data", dir)
	}
	w, saved := &World{node: n, dir: dir, scenes: settled(n, file)}, remembered(dir)
	valid := map[string]bool{}
	for i := range file.Accounts {
		a := &file.Accounts[i]
		maker, noise, gambler := strings.HasPrefix(a.Name, makerPrefix), strings.HasPrefix(a.Name, noisePrefix), strings.HasPrefix(a.Name, gamblerPrefix)
		depositor, converter := strings.HasPrefix(a.Name, depositorPrefix), strings.HasPrefix(a.Name, converterPrefix)
		investor := strings.HasPrefix(a.Name, investorPrefix)
		id, known := saved[a.Name]
		if maker || noise || gambler || depositor || converter || investor || !known || !recognized(n, id) {
			id = newIdentity(a.Name)
		}
		valid[id.Key] = true
		a.Keys = []setup.Key{{Key: sheet.Key{Key: id.Key, Title: title, Enabled: true}, Secret: id.Secret}}
		switch {
		case maker:
			w.makers = append(w.makers, id)
		case noise:
			start := purse{}
			for ticker, amount := range a.Trade {
				start[ticker] = amount.Decimal
			}
			w.noise = append(w.noise, trader{id, start, a.MaxLeverage})
		case gambler:
			w.gamblers = append(w.gamblers, trader{id, nil, a.MaxLeverage})
		case depositor:
			w.depositors = append(w.depositors, id)
		case converter:
			w.converters = append(w.converters, id)
		case investor:
			w.investors = append(w.investors, id)
		default:
			w.visitors = append(w.visitors, id)
		}
	}
	if err := file.Apply(ctx, n); err != nil {
		return nil, fmt.Errorf("preparing the demo: %w", err)
	}
	// The old keys go after the new ones came: an account without a key would be given money again.
	if err := retire(ctx, n, file.Accounts, valid); err != nil {
		return nil, fmt.Errorf("preparing the demo: %w", err)
	}
	if err := fillFaucets(ctx, n); err != nil {
		return nil, fmt.Errorf("preparing the demo: %w", err)
	}
	if w.mines, err = openPool(ctx, n, w.visitors); err != nil {
		return nil, fmt.Errorf("preparing the demo: %w", err)
	}
	if err := w.seed(n); err != nil {
		return nil, fmt.Errorf("making up the past of the demo: %w", err)
	}
	return w, nil
}

// settled leaves out what a demo of an older program did not begin with, and returns the scenes that
// are played: markets come before accounts, and a bot gets no money for one that came after it. Where there are no futures
// nobody needs collateral, and without collateral, or an inventory, there are no conversions.
func settled(n *node.Node, file *setup.File) (played []scene) {
	convert := true
	n.Read(func(m core.View) {
		if len(m.Accounts().All()) > 0 {
			convert = !m.Conversion().OpenMost.IsZero()
			file.Markets = slices.DeleteFunc(file.Markets, func(s sheet.Market) bool { return m.Listing().MarketByName(s.Name) == nil })
		}
	})
	for _, s := range scenes {
		if slices.ContainsFunc(file.Markets, func(m sheet.Market) bool { return m.Name == s.name }) {
			played = append(played, s)
		}
	}
	if !slices.ContainsFunc(played, func(s scene) bool { return s.future }) {
		file.Collateral, file.Funds, convert = nil, setup.Funds{}, false
		file.Accounts = slices.DeleteFunc(file.Accounts, func(a setup.Account) bool { return strings.HasPrefix(a.Name, gamblerPrefix) })
	}
	if !convert {
		file.Conversion = nil
		file.Accounts = slices.DeleteFunc(file.Accounts, func(a setup.Account) bool { return strings.HasPrefix(a.Name, converterPrefix) })
	}
	return played
}

// fits reports whether an exchange is a demo already, or empty.
func fits(n *node.Node, accounts []setup.Account) (yes bool) {
	n.Read(func(m core.View) {
		yes = len(m.Accounts().All()) == 0
		for i := range accounts {
			yes = yes || m.Accounts().ByName(accounts[i].Name) != nil
		}
	})
	return yes
}

// remembered are the visitors of the last start. A file that is not there or cannot be read is one
// that was lost: there will be new keys.
func remembered(dir string) map[string]identity {
	known := map[string]identity{}
	data, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		return known
	}
	var last record
	if err := json.Unmarshal(data, &last); err != nil {
		return known
	}
	for _, a := range last.Accounts {
		known[a.Name] = a
	}
	return known
}

// recognized reports whether the exchange has this key, for this account and with this secret.
func recognized(n *node.Node, id identity) (yes bool) {
	n.Read(func(m core.View) {
		account, key := m.Accounts().ByName(id.Name), m.Accounts().Key(id.Key)
		if account == nil || key == nil || key.Account != account.ID {
			return
		}
		secret, err := n.Key().Open(key.Sealed, directory.Purpose)
		yes = err == nil && string(secret) == id.Secret
	})
	return yes
}

func newIdentity(name string) identity {
	key, secret := auth.NewPair()
	return identity{name, key, secret}
}

// retire deletes the keys of earlier starts.
func retire(ctx context.Context, n *node.Node, accounts []setup.Account, valid map[string]bool) error {
	var old []string
	n.Read(func(m core.View) {
		ours := map[schema.AccountID]bool{}
		for i := range accounts {
			ours[m.Accounts().ByName(accounts[i].Name).ID] = true
		}
		for _, k := range m.Accounts().Keys() {
			if k.Key.Title == title && ours[k.Key.Account] && !valid[k.Key.Key] {
				old = append(old, k.Key.Key)
			}
		}
	})
	for _, key := range old {
		var result schema.Result
		if err := n.SubmitFrom(ctx, schema.Origin{Operator: setup.Operator}, &schema.DeleteKey{Key: key}, &result); err != nil {
			return err
		}
		if r := result.Rejection; r.Refused() {
			return fmt.Errorf("key %s: %s", key, r.Text())
		}
	}
	return nil
}
