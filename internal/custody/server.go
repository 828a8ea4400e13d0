package custody

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"bourse/internal/disk"
	"bourse/internal/network/driver"
	"bourse/internal/seal"
	"bourse/internal/wire"
)

// What a signer is asked, over HTTPS: POST /sign with a request as JSON gives the signed transaction, GET /public the public half of the keys of a
// space, POST /unapproved with a request that has no transaction yet which of its withdrawals lack signatures of operators. Refusals are 403 with
// the reason.
const (
	signPath       = "/sign"
	publicPath     = "/public"
	unapprovedPath = "/unapproved"

	requestBytesMax = 1 << 20
)

// Init makes the directory of a signer: a master key, if there is none in the file that is named, the seed (that which is given, or a new one),
// limits that let nothing through, an empty journal, and what signer and exchange know each other by. It is there when it is whole.
func Init(dir, masterKey string, from *Seed) error {
	if names, err := os.ReadDir(dir); err == nil && len(names) > 0 {
		return fmt.Errorf("%s is not empty: a signer gets a directory of its own", dir)
	}
	aside, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), filepath.Base(dir)+".*")
	if err != nil {
		return fmt.Errorf("making the directory of the signer: %w", err)
	}
	defer os.RemoveAll(aside)
	key, err := seal.Load(aside, masterKey)
	if err != nil {
		return err
	}
	if from != nil {
		err = from.save(aside, key)
	} else {
		_, err = Create(aside, key)
	}
	if err != nil {
		return err
	}
	server, client, err := newIdentities()
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{ServerFile: server, ClientFile: client, LimitsFile: []byte(emptyLimits), JournalFile: nil} {
		if err := disk.Create(filepath.Join(aside, name), text); err != nil {
			return err
		}
	}
	if err := os.Rename(aside, dir); err != nil {
		return fmt.Errorf("making the directory of the signer: %w", err)
	}
	return nil
}

// Serve answers an exchange until the context ends. Dir has what both know each other by; nobody else gets as far as a question.
func Serve(ctx context.Context, at net.Listener, dir string, s *Guard, log *slog.Logger) error {
	id, err := readIdentity(filepath.Join(dir, ServerFile))
	if err != nil {
		return errors.Join(err, at.Close())
	}
	server := &http.Server{
		Handler: handler(s, log), TLSConfig: id.config(), ReadTimeout: 10 * time.Second, WriteTimeout: remoteTimeout, IdleTimeout: 5 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { // what is being signed is answered
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), remoteTimeout)
		defer cancel()
		ended <- server.Shutdown(wait)
	})
	defer stop()
	if err := server.ServeTLS(at, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

func handler(s *Guard, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+signPath, func(w http.ResponseWriter, q *http.Request) {
		r, err := readRequest(w, q)
		if err != nil {
			http.Error(w, "the request cannot be read: "+err.Error(), http.StatusBadRequest)
			return
		}
		raw, err := s.Sign(q.Context(), r)
		about := log.With("chain", r.Chain.Name, "payout", r.Payout, "variant", r.Variant, "withdrawals", len(r.Withdrawals), "fee", r.Fee)
		if err != nil {
			about.Warn("not signed", "error", err)
		} else {
			about.Info("signed")
		}
		answer(w, raw, err)
	})
	mux.HandleFunc("POST "+unapprovedPath, func(w http.ResponseWriter, q *http.Request) {
		r, err := readRequest(w, q)
		if err != nil {
			http.Error(w, "the request cannot be read: "+err.Error(), http.StatusBadRequest)
			return
		}
		list, err := s.Unapproved(q.Context(), r)
		answer(w, wire.AppendJSON(nil, &unapproved{list}), err)
	})
	mux.HandleFunc("GET "+publicPath, func(w http.ResponseWriter, q *http.Request) {
		space, err := ParseSpace(q.FormValue("family"), q.FormValue("net"))
		var p Public
		if err == nil {
			p, err = s.Public(q.Context(), space)
		}
		if err != nil {
			answer(w, nil, err)
			return
		}
		log.Info("public keys were asked for", "family", space.Family, "net", space.Net)
		answer(w, p.Marshal(), nil)
	})
	return mux
}

// readRequest reads a request out of the body of a question.
func readRequest(w http.ResponseWriter, q *http.Request) (*driver.Request, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, requestBytesMax))
	if err != nil {
		return nil, err
	}
	var r driver.Request
	return &r, wire.DecodeJSON(body, &r)
}

// unapproved is the answer to the question which withdrawals lack signatures.
type unapproved struct{ list []driver.Unapproved }

func (m *unapproved) Fields(c *wire.Coder) { wire.List(c, 1, "withdrawals", &m.list) }

func answer(w http.ResponseWriter, data []byte, err error) {
	switch {
	case errors.Is(err, ErrRefused):
		http.Error(w, err.Error(), http.StatusForbidden)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(data) // who went away asks again
	}
}
