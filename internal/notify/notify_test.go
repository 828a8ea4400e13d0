package notify

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestStatesReachTheSocket(t *testing.T) {
	names := []string{filepath.Join(t.TempDir(), "notify")}
	if runtime.GOOS == "linux" {
		names = append(names, fmt.Sprintf("@bourse-notify-%d", os.Getpid()))
	}
	for _, name := range names {
		manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		defer manager.Close()
		t.Setenv("NOTIFY_SOCKET", name)
		for _, state := range []string{Ready, Stopping} {
			if err := Send(state); err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 100)
			if n, err := manager.Read(text); err != nil || string(text[:n]) != state {
				t.Errorf("%q %v, want %q", text[:n], err, state)
			}
		}
	}
}

func TestWithoutAManagerNothingHappens(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := Send(Ready); err != nil {
		t.Error(err)
	}
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	if err := Send(Ready); err == nil || !strings.Contains(err.Error(), "reaching the service manager") {
		t.Error(err)
	}
}
