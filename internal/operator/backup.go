package operator

import (
	"net/http"
	"time"
)

// backup streams a backup of the exchange: the log up to the moment of asking, the newest
// snapshot, and no key. The master key stays on its machine whatever token somebody has. One is
// made at a time: each reads the whole log.
func (s *Server) backup(w http.ResponseWriter, c *call) error {
	if !s.copying.TryLock() {
		return &Error{Status: http.StatusServiceUnavailable, Message: "another backup is being made; try again when it is done"}
	}
	defer s.copying.Unlock()
	source, err := s.options.Node.Backup()
	if err != nil {
		return err
	}
	s.options.Log.Info("a backup begins", "operator", c.who, "batches", source.End.Seq)
	w.Header().Set("Content-Type", "application/x-tar")
	if err := source.Write(c.Context(), patient{w, http.NewResponseController(w)}); err != nil {
		// The status is out. A cut-off body is how a client learns of it.
		s.options.Log.Warn("a backup was cut off", "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// patient may take long, as long as it is read.
type patient struct {
	http.ResponseWriter
	connection *http.ResponseController
}

func (p patient) Write(data []byte) (int, error) {
	if err := p.connection.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(data)
}
