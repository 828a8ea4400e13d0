package operator_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"bourse/internal/archive"
	"bourse/internal/schema"
)

// fetch is the backup of the exchange.
func (s *site) fetch() []byte {
	s.t.Helper()
	request, err := http.NewRequest("GET", s.operators+"/v1/backup", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/x-tar" {
		s.t.Fatalf("%s %s %v", response.Status, body, err)
	}
	return body
}

// A backup holds everything up to the moment of asking, and nothing that opens a secret.
func TestABackupHasEverythingButKeys(t *testing.T) {
	s := found(t)
	s.trade("bob", "buy", "1", "10")
	backup, end := s.fetch(), s.x.Node.Mark()
	for _, name := range []string{"master.key", "operators/operator.token"} {
		secret, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil || bytes.Contains(backup, bytes.TrimSpace(secret)) {
			t.Errorf("%s is in it, or %v", name, err)
		}
	}
	to := filepath.Join(t.TempDir(), "restored")
	r, err := archive.Restore(t.Context(), to, "", bytes.NewReader(backup), func(uint64, uint64) {})
	if err != nil || r.Batches != end.Seq || !bytes.Equal(r.Hash, end.Hash[:]) || r.Keys {
		t.Errorf("%+v %v", r, err)
	}
	if said := s.log.String(); !strings.Contains(said, "a backup begins") || !strings.Contains(said, "operator=operator") {
		t.Error("the log does not say who has a copy now")
	}
	s.token = strings.Repeat("0", 64)
	s.ask("GET", "/v1/backup", "").is(http.StatusUnauthorized)
}

// One backup is made at a time; nobody else waits for a reader who does not read, and one that is
// gone makes room for the next.
func TestOneBackupAtATime(t *testing.T) {
	s, g := foundBehind(t)
	_, first := s.stall(g, "/v1/backup", 0)
	s.ask("GET", "/v1/backup", "").is(http.StatusServiceUnavailable).
		has(`{"message":"another backup is being made; try again when it is done"}`)
	s.must("PATCH", "/v1/accounts/alice", `{"retail":true}`)
	s.trade("bob", "buy", "1", "10")
	s.submit(&schema.Tick{})
	if n := len(s.rows("/v1/accounts/alice/statement")); n != 106 {
		t.Errorf("%d lines", n)
	}
	first.mu.Lock()
	write := first.write
	first.mu.Unlock()
	if write.IsZero() {
		t.Error("the answer may take for ever")
	}
	first.fail <- syscall.ECONNRESET
	<-first.closed
	for s.ask("GET", "/v1/backup", "").status == http.StatusServiceUnavailable {
		runtime.Gosched() // the server ends the connection before the work
	}
	if said := s.log.String(); !strings.Contains(said, "a backup was cut off") {
		t.Error("the log does not say so")
	}
}

// A backup that is cut off does not look whole, to HTTP nor to who keeps it.
func TestACutOffBackupLooksCutOff(t *testing.T) {
	s, g := foundBehind(t)
	client, at := s.stall(g, "/v1/backup", 1)
	at.fail <- syscall.EPIPE
	response, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	part, err := io.ReadAll(response.Body)
	if response.StatusCode != 200 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %d bytes, then %v", response.StatusCode, len(part), err)
	}
	if _, err := archive.Keep(io.Discard, bytes.NewReader(part), archive.Keys{}, func(uint64, uint64) {}); !errors.Is(err, archive.ErrBackup) {
		t.Error(err)
	}
}
