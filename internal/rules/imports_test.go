package rules

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowed says which packages of the house a package may know. Only what is listed here is
// bound; what stands above the core may know what it needs.
var allowed = map[string][]string{
	"bourse/internal/fixed":  {},
	"bourse/internal/wire":   {"bourse/internal/fixed"},
	"bourse/internal/schema": {"bourse/internal/fixed", "bourse/internal/wire"},

	// Slab, tree and book know no money: numbers, queues and places only. No part of the core but
	// the core itself knows trading.
	"bourse/internal/core/slab":       {},
	"bourse/internal/core/tree":       {},
	"bourse/internal/core/book":       {"bourse/internal/core/slab", "bourse/internal/core/tree"},
	"bourse/internal/core/ledger":     below("slab"),
	"bourse/internal/core/product":    below(),
	"bourse/internal/core/position":   {"bourse/internal/fixed"},
	"bourse/internal/core/listing":    below("product", "position"),
	"bourse/internal/core/accounts":   below("product", "listing", "position"),
	"bourse/internal/core/identity":   below("product", "accounts", "slab"),
	"bourse/internal/core/oauth":      below("product", "accounts", "identity"),
	"bourse/internal/core/price":      below("product", "listing"),
	"bourse/internal/core/wallet":     below("product", "ledger", "listing", "accounts"),
	"bourse/internal/core/hours":      below(),
	"bourse/internal/core/tier":       below("product", "ledger", "accounts", "wallet", "hours"),
	"bourse/internal/core/collateral": below("product", "ledger", "listing", "accounts", "book", "slab", "position", "price", "trading", "wallet"),
	"bourse/internal/core/faucet":     below("product", "ledger", "listing", "accounts", "wallet", "chain"),
	"bourse/internal/core/code":       below("product", "ledger", "listing", "accounts", "wallet", "tier", "slab"),
	"bourse/internal/core/unique":     below("product", "slab"),
	"bourse/internal/core/chain":      below("product", "ledger", "listing", "accounts", "wallet", "tier", "hours", "slab", "tree", "unique"),
	"bourse/internal/core/credit":     below("product", "ledger", "listing", "accounts", "wallet"),
	"bourse/internal/core/check":      below("product", "ledger", "listing", "accounts", "wallet"),
	"bourse/internal/core/express":    below("product", "ledger", "listing", "accounts", "wallet", "tier", "slab", "unique"),
	"bourse/internal/core/earn":       below("product", "ledger", "listing", "accounts", "wallet", "slab", "tree"),
	"bourse/internal/core/mining":     below("product", "ledger", "listing", "accounts", "wallet", "chain", "slab", "tree"),
	"bourse/internal/core/webhook":    below("product", "listing", "accounts", "slab"),
	"bourse/internal/core/convert":    below("product", "ledger", "listing", "accounts", "hours", "price", "slab", "trading"),
	"bourse/internal/core/proposal":   below("product", "listing", "wallet", "tier", "chain"),
	"bourse/internal/core/trading":    below("product", "ledger", "listing", "accounts", "book", "slab", "price", "position"),
	"bourse/internal/core":            below("product", "ledger", "listing", "accounts", "book", "trading", "wallet", "tier", "faucet", "code", "chain", "credit", "check", "express", "price", "collateral", "identity", "webhook", "oauth", "convert", "earn", "mining", "proposal"),

	// The naive exchange shares no code with what it is an oracle of.
	"bourse/internal/core/naive": {"bourse/internal/fixed", "bourse/internal/schema"},
}

// below is what everything in the core may know, and some of its parts.
func below(parts ...string) []string {
	list := []string{"bourse/internal/fixed", "bourse/internal/schema", "bourse/internal/wire"}
	for _, part := range parts {
		list = append(list, "bourse/internal/core/"+part)
	}
	return list
}

// foreign is what the core may use of the world: the parts of the standard library that only
// compute. Every other package, ours or not, is a decision to be made here.
var foreign = []string{
	"bytes", "cmp", "container/heap", "crypto/sha256", "encoding/base64", "encoding/binary", "encoding/hex", "errors", "fmt", "hash/maphash", "iter", "math", "math/big",
	"math/bits", "net/netip", "reflect", "slices", "strconv", "strings", "time", "unicode", "unicode/utf16", "unicode/utf8",
}

// forbidden is what would let a clock, the disk, the net, chance or another goroutine in.
var forbidden = []string{
	"time", "os", "net", "io/fs", "math/rand", "math/rand/v2", "crypto/rand", "sync", "syscall", "log", "context", "runtime",
}

func bound(at string) bool {
	return allowed[at] != nil || within(at, "bourse/internal/core")
}

func TestPackagesOfTheCoreKnowOnlyWhatTheyMay(t *testing.T) {
	s := loaded(t)
	for at, p := range s.pkgs {
		if !bound(at) {
			continue
		}
		if allowed[at] == nil {
			t.Errorf("%s is not in the table: say what it may know", at)
			continue
		}
		for _, imported := range p.imports() {
			switch {
			case within(imported, module) && !slices.Contains(allowed[at], imported):
				t.Errorf("%s must not know %s", at, imported)
			case imported == "unsafe" && at == "bourse/internal/core/slab": // to name memory that is asked for ahead; it reads none
			case !within(imported, module) && !slices.Contains(foreign, imported):
				t.Errorf("%s imports %s, which is not one of the packages that only compute", at, imported)
			}
		}
	}
	for at := range allowed {
		if s.pkgs[at] == nil {
			t.Errorf("%s is in the table and not in the module", at)
		}
	}
}

func TestCoreAndFixedTouchNothingOutside(t *testing.T) {
	for at, p := range loaded(t).pkgs {
		if !within(at, "bourse/internal/core") && at != "bourse/internal/fixed" {
			continue
		}
		for _, imported := range p.imports() {
			for _, no := range forbidden {
				if within(imported, no) && imported != "net/netip" { // which computes
					t.Errorf("%s imports %s", at, imported)
				}
			}
		}
	}
}

func TestNoPackageIsARoomForEverything(t *testing.T) {
	for at, p := range loaded(t).pkgs {
		last := at[strings.LastIndexByte(at, '/')+1:]
		for _, no := range []string{"utils", "util", "common", "helpers", "helper", "types", "misc"} {
			if p.name == no || last == no {
				t.Errorf("%s is named for nothing in particular", at)
			}
		}
	}
}

// apart says what the packages above the core must not know, themselves: readers know the node
// and not each other, operations know no transport, groups of operations not each other, the doors know
// operations only and not each other, what describes a door does not know how it is served, and a page
// knows only the door.
var apart = map[string][]string{
	"bourse/internal/journal":    {"bourse/internal/core", "bourse/internal/node"},
	"bourse/internal/node":       {"bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/directory", "bourse/internal/api", "bourse/internal/rest"},
	"bourse/internal/marketdata": {"bourse/internal/history", "bourse/internal/api", "bourse/internal/rest"},
	"bourse/internal/history":    {"bourse/internal/marketdata", "bourse/internal/api", "bourse/internal/rest"},
	"bourse/internal/auth":       {"bourse/internal/node", "bourse/internal/api", "bourse/internal/rest"},
	"bourse/internal/limit":      {module},
	"bourse/internal/attempt":    {module},
	"bourse/internal/console":    {module},
	"bourse/internal/directory":  {"bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/api", "bourse/internal/rest", "bourse/internal/ws"},
	"bourse/internal/network":    {"bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/directory", "bourse/internal/api", "bourse/internal/rest", "bourse/internal/ws"},
	"bourse/internal/ranking":    {"bourse/internal/node", "bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/directory", "bourse/internal/api", "bourse/internal/rest", "bourse/internal/ws"},
	"bourse/internal/api":        append(slices.Clone(doors), groups...),
	"bourse/internal/api/market": others("market"), "bourse/internal/api/spot": others("spot"),
	"bourse/internal/api/wallet": others("wallet"), "bourse/internal/api/account": others("account"),
	"bourse/internal/api/sandbox": others("sandbox"), "bourse/internal/api/collateral": others("collateral"),
	"bourse/internal/api/ticket": others("ticket"),
	"bourse/internal/api/table":  doors,
	"bourse/internal/webhook":    {"bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/directory", "bourse/internal/api", "bourse/internal/rest", "bourse/internal/ws"},
	"bourse/internal/rest":       {"bourse/internal/ws", "bourse/internal/web", "bourse/internal/node", "bourse/internal/core", "bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/docs", "bourse/internal/asyncapi"},
	"bourse/internal/ws":         {"bourse/internal/rest", "bourse/internal/web", "bourse/internal/docs", "bourse/internal/openapi", "bourse/internal/asyncapi"},
	"bourse/internal/openapi":    {"bourse/internal/rest", "bourse/internal/ws"},
	"bourse/internal/asyncapi":   {"bourse/internal/rest", "bourse/internal/docs"},
	"bourse/internal/docs":       {"bourse/internal/node", "bourse/internal/core", "bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/api"},
	"bourse/internal/web":        {"bourse/internal/rest", "bourse/internal/ws", "bourse/internal/node", "bourse/internal/core", "bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/docs", "bourse/internal/pages"},
	"bourse/internal/oauth":      {"bourse/internal/rest", "bourse/internal/ws", "bourse/internal/web", "bourse/internal/node", "bourse/internal/webhook", "bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/docs"},
	"bourse/internal/pages":      {"bourse/internal/web", "bourse/internal/node", "bourse/internal/core", "bourse/internal/marketdata", "bourse/internal/history", "bourse/internal/api"},
	"bourse/internal/login":      {"bourse/internal/core", "bourse/internal/node", "bourse/internal/directory", "bourse/internal/api", "bourse/internal/rest", "bourse/internal/web"},
	// Forms of addresses are a matter of texts alone.
	"bourse/internal/network/address": append([]string{"bourse/internal/core", "bourse/internal/node"}, forbidden...),
	// Drivers know nothing of the exchange but the seam.
	"bourse/internal/network/evm":     {"bourse/internal/core", "bourse/internal/node", "bourse/internal/network/sandbox", "bourse/internal/journal"},
	"bourse/internal/network/quorum":  {"bourse/internal/core", "bourse/internal/node", "bourse/internal/network/sandbox", "bourse/internal/network/bitcoin", "bourse/internal/network/evm", "bourse/internal/journal"},
	"bourse/internal/network/sandbox": append([]string{"bourse/internal/core", "bourse/internal/node"}, forbidden...),
	// A signer runs on a machine without an exchange, and knows none.
	"bourse/internal/custody": {"bourse/internal/core", "bourse/internal/node", "bourse/internal/journal", "bourse/internal/directory", "bourse/internal/api", "bourse/internal/rest", "bourse/internal/ws"},
	// The bots of the demo come through the door like anyone.
	"bourse/internal/demo": {"bourse/internal/exchange", "bourse/internal/rest", "bourse/internal/marketdata", "bourse/internal/history"},
}

// doors are the transports, which no operation knows.
var doors = []string{"bourse/internal/rest", "bourse/internal/ws", "bourse/internal/web", "bourse/internal/oauth", "bourse/internal/limit", "github.com/valyala/fasthttp"}

// groups are the packages of operations.
var groups = []string{"bourse/internal/api/market", "bourse/internal/api/spot", "bourse/internal/api/wallet", "bourse/internal/api/account", "bourse/internal/api/sandbox", "bourse/internal/api/collateral", "bourse/internal/api/table"}

// others is what a group must not know: the other groups, the doors, and the node, which would let it
// send commands past api.WriteCall.
func others(group string) []string {
	rest := slices.DeleteFunc(slices.Clone(groups), func(at string) bool { return at == "bourse/internal/api/"+group })
	return append(append(rest, doors...), "bourse/internal/node")
}

func TestPackagesAboveTheCoreStayApart(t *testing.T) {
	s := loaded(t)
	for at, never := range apart {
		p := s.pkgs[at]
		if p == nil {
			t.Errorf("%s is in the table and not in the module", at)
			continue
		}
		for _, imported := range p.imports() {
			for _, no := range never {
				if within(imported, no) {
					t.Errorf("%s must not know %s", at, imported)
				}
			}
		}
	}
}

// homes says which packages alone may know a library, directly: the rest of the house speaks of chains in its
// own words.
var homes = map[string][]string{
	"github.com/btcsuite": {"bourse/internal/network/address", "bourse/internal/network/bitcoin", "bourse/internal/network/evm", "bourse/internal/custody"},
	"github.com/ethereum": {}, // only its tests, as an oracle
}

func TestLibrariesStayInTheirPackages(t *testing.T) {
	s := loaded(t)
	for library, list := range homes {
		for at, p := range s.pkgs {
			for _, imported := range p.imports() {
				if within(imported, library) && !slices.Contains(list, at) {
					t.Errorf("%s must not know %s", at, imported)
				}
			}
		}
		for _, at := range list {
			if s.pkgs[at] == nil {
				t.Errorf("%s is in the table and not in the module", at)
			}
		}
	}
}

// TestOracleOfTransactionsStaysInItsTests: go-ethereum is what transactions are held against, by the tests of one package.
func TestOracleOfTransactionsStaysInItsTests(t *testing.T) {
	root := filepath.Join("..", "..")
	home, seen := filepath.Join(root, "internal", "network", "evm"), 0
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return skip(root, file, entry.Name())
		case !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			if !strings.HasPrefix(spec.Path.Value, `"github.com/ethereum/`) {
				continue
			}
			if seen++; filepath.Dir(file) != home {
				t.Errorf("%s must not know %s", file, spec.Path.Value)
			}
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d imports seen, %v", seen, err)
	}
}
