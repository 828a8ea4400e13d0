package conform

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// LogServer is the URL of a NATS server that nodes share their log on. It ends with the test.
func LogServer(t testing.TB) string {
	t.Helper()
	nats, err := server.NewServer(&server.Options{
		ServerName: "log", Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	t.Cleanup(func() { nats.Shutdown(); nats.WaitForShutdown() })
	if !nats.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server is not ready")
	}
	return nats.ClientURL()
}
