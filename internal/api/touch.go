package api

import (
	"bourse/internal/directory"
	"bourse/internal/schema"
)

// Touch lets the log hear that a key is in use by requests that leave nothing else there. Nobody waits for it: what is lost when the
// queue is full or the program ends, a later request says.
func (a *API) Touch(k *directory.Key) {
	if k.External == "" || !a.directory.EndsIdle() || !k.Touch(a.Now()) {
		return
	}
	if _, err := a.node.Begin(schema.Origin{Region: a.options.Region}, &schema.TouchKeys{Keys: []schema.Touched{{Key: k.ID}}}); err != nil {
		a.options.Log.Debug("a key in use was not noted", "key", k.ID, "error", err)
	}
}

// Reachable reports whether the log can be written and heard, as far as the node knows.
func (a *API) Reachable() bool { return a.node.Trouble() == nil && !a.node.Deaf() }

// TouchSession is Touch for a session. Its door knows when that is due.
func (a *API) TouchSession(k *directory.Key) {
	if _, err := a.node.Begin(schema.Origin{Region: a.options.Region}, &schema.TouchSession{Key: k.ID}); err != nil {
		a.options.Log.Debug("a session in use was not noted", "session", k.ID, "error", err)
	}
}
