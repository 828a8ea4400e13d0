package operator

import (
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// watch serves what monitors ask for, who have no token: whether the exchange lives, whether it
// can be sent clients, its figures, and what operators can ask for.
func (s *Server) watch(mux *http.ServeMux) {
	if s.options.Figures != nil {
		mux.Handle("GET /metrics", promhttp.HandlerFor(s.options.Figures, promhttp.HandlerOpts{}))
	}
	document := sync.OnceValue(func() []byte { return Document(s.options.Version) }) // a start does not wait for it
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document())
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		status, text := http.StatusOK, "well"
		if s.ended() {
			status, text = http.StatusServiceUnavailable, "stopped"
		}
		_ = writeJSON(w, status, map[string]string{"status": text})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		state := readiness{Status: "ready", Lags: s.options.Lags()}
		status := http.StatusOK
		switch {
		case s.ended():
			state.Status, status = "stopped", http.StatusServiceUnavailable
		case s.platform().Maintenance:
			state.Status, status = "maintenance", http.StatusServiceUnavailable
		}
		for _, p := range s.options.Problems() {
			state.Problems = append(state.Problems, p.Part+": "+p.Reason.Error())
			if p.Status != "" && status == http.StatusOK {
				state.Status, status = string(p.Status), http.StatusServiceUnavailable
			}
		}
		_ = writeJSON(w, status, state)
	})
}

// readiness says whether clients will be answered, how far behind the parts are, in batches, and
// what is wrong with them. A history that is behind and catches up keeps nobody from trading; one
// that is stuck does not answer those who ask for it.
type readiness struct {
	Status   string            `json:"status"`
	Lags     map[string]uint64 `json:"lags"`
	Problems []string          `json:"problems,omitempty"`
}

// ended reports whether the exchange takes no commands any more.
func (s *Server) ended() bool {
	select {
	case <-s.options.Node.Done():
		return true
	default:
		return false
	}
}

// profile serves Go's profiles.
func profile(w http.ResponseWriter, c *call) error {
	switch strings.TrimPrefix(c.URL.Path, "/debug/pprof/") {
	case "cmdline":
		pprof.Cmdline(w, c.Request)
	case "profile":
		pprof.Profile(w, c.Request)
	case "symbol":
		pprof.Symbol(w, c.Request)
	case "trace":
		pprof.Trace(w, c.Request)
	default:
		pprof.Index(w, c.Request)
	}
	return nil
}
