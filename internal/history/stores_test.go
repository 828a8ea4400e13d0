package history

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"bourse/internal/history/postgrestest"
)

// The server that tests share is started by the first that needs it and ended by TestMain.
var server struct {
	sync.Once
	url       string
	dir       string
	stop      func()
	err       error
	databases int
	mu        sync.Mutex
}

func TestMain(m *testing.M) {
	code := m.Run()
	if server.stop != nil {
		server.stop()
	}
	if server.dir != "" {
		os.RemoveAll(server.dir)
	}
	os.Exit(code)
}

// database is the connection string of a new database.
func database(t testing.TB) string {
	t.Helper()
	server.Do(func() {
		if server.dir, server.err = os.MkdirTemp("", "history-postgres-"); server.err == nil {
			server.url, server.stop, server.err = postgrestest.Start(server.dir)
		}
	})
	if server.err != nil {
		t.Fatal(server.err)
	}
	server.mu.Lock()
	server.databases++
	name := fmt.Sprintf("test%d", server.databases)
	server.mu.Unlock()
	execute(t, server.url, "CREATE DATABASE "+name)
	config, err := pgx.ParseConfig(server.url)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", config.User, config.Port, name)
}

// connect opens a connection beside those of a store.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func execute(t testing.TB, url, sql string, args ...any) {
	t.Helper()
	if _, err := connect(t, url).Exec(context.Background(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// eachStore runs a test against every kind of store; open opens the same one again after Close.
func eachStore(t *testing.T, test func(t *testing.T, open func() Store)) {
	t.Run("pebble", func(t *testing.T) {
		dir := t.TempDir()
		test(t, func() Store { return openPebble(t, dir) })
	})
	t.Run("postgres", func(t *testing.T) {
		url := database(t)
		test(t, func() Store { return openPostgres(t, url) })
	})
}

func openPebble(t testing.TB, dir string) Store {
	t.Helper()
	s, err := OpenPebble(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openPostgres(t testing.TB, url string) Store {
	t.Helper()
	s, err := OpenPostgres(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t testing.TB, s interface{ Close() error }) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
