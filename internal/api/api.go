package api

import (
	"crypto/rsa"
	"log/slog"
	"time"

	"bourse/internal/history"
	"bourse/internal/marketdata"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// Options of an API.
type Options struct {
	// Region of the deployment: its listings leave out what is not offered there, and European
	// rules hold for all who use a European one.
	Region schema.Region
	// Timeout is how long a command may be on its way; 0: as long as the node lives.
	Timeout time.Duration
	// Signer signs the tokens of /api/v4/jwt.
	Signer *rsa.PrivateKey
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
	directory *Directory
	options   Options
	caches    caches
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
	return &API{node: n, data: data, history: past, directory: newDirectory(n, o.Forget), options: o}
}

// Directory is who and what there is.
func (a *API) Directory() *Directory { return a.directory }

// Region of the deployment.
func (a *API) Region() schema.Region { return a.options.Region }

// Now is the time of day.
func (a *API) Now() schema.Time { return a.options.Now() }
