package api

import (
	"crypto/rsa"
	"log/slog"
	"time"

	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/history"
	"bourse/internal/marketdata"
	"bourse/internal/network"
	"bourse/internal/node"
	"bourse/internal/ranking"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// Options of an API.
type Options struct {
	// Operations are the table: all that can be asked. Groups keep caches beside their rows, so rows are
	// for one API.
	Operations []Operation
	// Region of the deployment: its listings leave out what is not offered there, and European
	// rules hold for all who use a European one.
	Region schema.Region
	// Timeout is how long a command may be on its way; 0: as long as the node lives.
	Timeout time.Duration
	// Signer signs the tokens of /api/v4/jwt.
	Signer *rsa.PrivateKey
	// PublicURL is where the exchange is for people who are sent to it, without a slash at its end.
	PublicURL string
	// Stratum is where miners connect to the mining pool, and PoolLocation where that is, as they read it.
	Stratum      []string
	PoolLocation string
	// Retire says from when on older forms of requests are taken no more; those that it does not name are for good.
	Retire Retire
	// Now is the time of day; nil: the machine's clock.
	Now func() schema.Time
	// Forget, if it is set, is called with each API key that is deleted.
	Forget func(schema.KeyID)
	Log    *slog.Logger
}

// API answers what clients ask, from a node and what follows it.
type API struct {
	node      *node.Node
	data      *marketdata.Data
	history   *history.History
	directory *directory.Directory
	book      *network.Book
	rankings  *ranking.Rankings
	options   Options
	byPath    map[string]*Operation
}

// New makes an API.
func New(n *node.Node, data *marketdata.Data, past *history.History, o Options) *API {
	if o.Region == 0 {
		o.Region = schema.Global
	}
	if o.Now == nil {
		o.Now = func() schema.Time { return schema.Time(time.Now().UnixMicro()) }
	}
	if o.Forget == nil {
		o.Forget = func(schema.KeyID) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &API{node: n, data: data, history: past, directory: directory.Follow(n, o.Forget), book: network.Follow(n), options: o, byPath: map[string]*Operation{}}
	a.rankings = ranking.New(a.Read, a.Now)
	for i := range o.Operations {
		a.byPath[o.Operations[i].Path] = &o.Operations[i]
	}
	return a
}

// Operations is the table: all that can be asked.
func (a *API) Operations() []Operation { return a.options.Operations }

// Operation is the one with a path without parameters, or nil.
func (a *API) Operation(path string) *Operation { return a.byPath[path] }

// Directory is who and what there is.
func (a *API) Directory() *directory.Directory { return a.directory }

// Book is how addresses of accounts are written, and whose they are.
func (a *API) Book() *network.Book { return a.book }

// Data is the public market.
func (a *API) Data() *marketdata.Data { return a.data }

// Read looks at the state between two batches. The exchange waits meanwhile.
func (a *API) Read(look func(core.View)) { a.node.Read(look) }

// Quantiles are how soon the positions of an account would be closed by auto-deleveraging, by market.
func (a *API) Quantiles(account schema.AccountID) []ranking.Quantile {
	return a.rankings.Quantiles(account)
}

// Deaf reports whether the node shares its log with others and hears nothing of it.
func (a *API) Deaf() bool { return a.node.Deaf() }

// Applied is the last batch that readers can see.
func (a *API) Applied() uint64 { return a.node.Applied() }

// Region of the deployment.
func (a *API) Region() schema.Region { return a.options.Region }

// Now is the time of day.
func (a *API) Now() schema.Time { return a.options.Now() }

// Key seals secrets before they go into a command, and opens what is in records.
func (a *API) Key() *seal.Key { return a.node.Key() }

// PublicURL is where the exchange is for people who are sent to it.
func (a *API) PublicURL() string { return a.options.PublicURL }

// Stratum is where miners connect to the mining pool, and PoolLocation where that is.
func (a *API) Stratum() []string    { return a.options.Stratum }
func (a *API) PoolLocation() string { return a.options.PoolLocation }

// Signer signs tokens for other services.
func (a *API) Signer() *rsa.PrivateKey { return a.options.Signer }

// Log is where handlers say what went wrong inside.
func (a *API) Log() *slog.Logger { return a.options.Log }
