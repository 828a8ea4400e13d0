package ws

import (
	"log/slog"
	"strings"
	"sync"
)

// lockedText is a log that tests read.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lockedText) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
