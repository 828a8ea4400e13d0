package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"bourse/internal/journal"
	"bourse/internal/port"
)

func TestWrongConfigurationOfALogServer(t *testing.T) {
	const store = "store_dir: /nowhere"
	for _, c := range []struct{ text, says string }{
		{"max_payload: 8MB", "JetStream is off; write jetstream { store_dir: /data, sync_interval: always }"},
		{"max_payload: 8MB, jetstream { " + store + " }", "write sync_interval: always"},
		{"max_payload: 8MB, jetstream { " + store + ", sync_interval: 10s }", "write sync_interval: always"},
		{"jetstream { " + store + ", sync_interval: always }", "write max_payload: 8MB, or more"},
		{"max_payload: 8MB, jetstream { " + store + ", sync_interval: always }, log_file: /tmp/x", "leave out log_file"},
		{"max_payload: 8MB, jetstream { " + store + ", sync_interval: always }, cluster { name: c, port: -1 }", "server_name"},
		{"max_paylod: 8MB", "max_paylod"},
		{"port: [", "Parse error on line 1"},
	} {
		file := written(t, "nats.conf", c.text)
		out, errs, code := run(t, "", "nats", "--config", file)
		if code != exitUsage || out != "" || !strings.HasPrefix(errs, "bourse: --config: ") || !strings.Contains(errs, c.says) || !strings.Contains(errs, file) {
			t.Errorf("%s: %d %q %q, want %q", c.text, code, out, errs, c.says)
		}
	}
	if _, errs, code := run(t, "", "nats", "--config", "no-such-file"); code != exitUsage || !strings.Contains(errs, "no-such-file") {
		t.Errorf("%d %q", code, errs)
	}
	// A name may stand on the command line alone.
	file := written(t, "nats.conf", "max_payload: 8MB, jetstream { "+store+", sync_interval: always }, cluster { name: c, port: -1 }")
	good(t, "", "nats", "--config", file, "--name", "one", "--check")
}

func TestLogServerRunsAndEnds(t *testing.T) {
	ports := freePorts(t, 2)
	file := written(t, "nats.conf", fmt.Sprintf("listen: 127.0.0.1:%s, http: 127.0.0.1:%s, max_payload: 8MB, jetstream { store_dir: %q, sync_interval: always }",
		ports[0], ports[1], t.TempDir()))
	s := startLogServer(t, "one", ports[0], "nats", "--config", file, "--name", "one", "--log-json")
	await(t, "the server is well", func() bool {
		said, _, code := run(t, "", "health", "--url", "http://127.0.0.1:"+ports[1])
		return code == 0 && said == "ok\n"
	})
	conn, err := nats.Connect("nats://" + s.clients)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if conn.ConnectedServerName() != "one" || conn.MaxPayload() != 8<<20 {
		t.Errorf("%s takes messages of %d bytes", conn.ConnectedServerName(), conn.MaxPayload())
	}
	// Its ports are taken: that is no mistake of the configuration.
	_, errs, code := run(t, "", "nats", "--config", file, "--name", "two", "--log-level", "error")
	if code != exitFailed || !strings.HasPrefix(errs, "bourse: ") || !strings.Contains(errs, "address already in use") {
		t.Errorf("%d %q", code, errs)
	}
	s.stop(t)
	if log := s.errs.String(); !strings.Contains(log, `"level":"INFO","msg":"journal server","text":"Server is ready"`) {
		t.Error(log)
	}
}

// logServer is a server of the cluster that keeps the log.
type logServer struct {
	name, clients string // clients is an address
	process       *exec.Cmd
	errs          bytes.Buffer
}

func startLogServer(t *testing.T, name, port string, flags ...string) *logServer {
	t.Helper()
	s := &logServer{name: name, clients: "127.0.0.1:" + port, process: exec.Command(binary, flags...)}
	s.process.Stderr = &s.errs
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.process.ProcessState == nil {
			s.stop(t)
		}
	})
	return s
}

// stop ends the server as a container is ended.
func (s *logServer) stop(t *testing.T) {
	t.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := s.process.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", s.name, err, s.errs.String())
	}
}

// logServers is the cluster of the composition, with its flags and deploy/nats.conf, on free ports.
func logServers(t *testing.T, c *composition) []*logServer {
	t.Helper()
	text, err := os.ReadFile("../../deploy/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	ports := freePorts(t, 9)
	var all []*logServer
	var checks [][]string
	for i := range 3 {
		name := fmt.Sprint("nats-", i+1)
		client, peer, monitor := ports[3*i], ports[3*i+1], ports[3*i+2]
		places := strings.NewReplacer("port: 4222", "listen: 127.0.0.1:"+client, "port: 6222", "listen: 127.0.0.1:"+peer,
			"http: 8222", "http: 127.0.0.1:"+monitor, "store_dir: /data", "store_dir: "+strconv.Quote(t.TempDir()),
			"nats-1:6222", "127.0.0.1:"+ports[1], "nats-2:6222", "127.0.0.1:"+ports[4], "nats-3:6222", "127.0.0.1:"+ports[7])
		file := written(t, "nats.conf", places.Replace(string(text)))
		s := c.Services[name]
		var flags []string
		for _, f := range s.Command {
			flags = append(flags, strings.ReplaceAll(f, s.Configs[0].Target, file))
		}
		all = append(all, startLogServer(t, name, client, flags...))
		check := strings.ReplaceAll(strings.Join(s.Healthcheck.Test[2:], " "), ":8222", ":"+monitor)
		checks = append(checks, strings.Fields(check))
	}
	await(t, "the servers of the log are well", func() bool {
		return !slices.ContainsFunc(checks, func(check []string) bool {
			said, _, code := run(t, "", check...)
			return code != 0 || said != "ok\n"
		})
	})
	return all
}

// leaderOfLog is the name of the server that leads the log.
func leaderOfLog(t *testing.T, address string) (name string) {
	t.Helper()
	conn, err := nats.Connect("nats://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the log has a leader", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		stream, err := js.Stream(ctx, journal.StreamName)
		if err == nil && stream.CachedInfo().Cluster != nil {
			name = stream.CachedInfo().Cluster.Leader
		}
		return name != ""
	})
	return name
}

func freePorts(t *testing.T, count int) (ports []string) {
	t.Helper()
	for range count {
		p, err := port.Free()
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, strconv.Itoa(p))
	}
	return ports
}
