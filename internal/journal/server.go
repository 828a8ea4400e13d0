package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"bourse/internal/disk"
)

// storeDir is where the embedded server keeps its files, below the data directory.
const storeDir = "journal"

// serve starts a NATS server inside the process, without a network port.
func serve(o *Options) (*server.Server, error) {
	options := &server.Options{
		ServerName: "bourse", DontListen: true, NoSigs: true,
		JetStream: true, StoreDir: filepath.Join(o.Dir, storeDir), JetStreamMaxStore: math.MaxInt64,
		MaxPayload: 2 * MaxBatch, SyncAlways: o.SyncInterval == 0, SyncInterval: o.SyncInterval,
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	if o.Log != nil {
		s.SetLogger(logger{o.Log}, false, false)
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, errors.New("the embedded server does not become ready")
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("the embedded server cannot use its store: %w, or the directory is not writable", disk.ErrFailed)
	}
	return s, nil
}

// logger passes on what the server finds noteworthy.
type logger struct{ log *slog.Logger }

func (l logger) say(level slog.Level, format string, v []any) {
	l.log.Log(context.Background(), level, "journal server", "text", fmt.Sprintf(format, v...))
}

func (l logger) Noticef(format string, v ...any) { l.say(slog.LevelDebug, format, v) }

func (l logger) Warnf(format string, v ...any) { l.say(slog.LevelWarn, format, v) }

func (l logger) Fatalf(format string, v ...any) { l.say(slog.LevelError, format, v) }

func (l logger) Errorf(format string, v ...any) { l.say(slog.LevelError, format, v) }

func (l logger) Debugf(format string, v ...any) { l.say(slog.LevelDebug, format, v) }

func (l logger) Tracef(format string, v ...any) { l.say(slog.LevelDebug, format, v) }
