package conform

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDataIsForItsOwner: nothing that the program writes can be read by others, however the library
// that writes it was made.
func TestDataIsForItsOwner(t *testing.T) {
	v := Start(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), "--no-limits")
	v.gateClient("alice").Post(pathOrder, Fields{"market": "BTC_USDT", "side": "buy", "amount": "1", "price": "50"}).ok(t)
	v.gateClient("alice").Post("/api/v4/trade-account/order/history", nil).ok(t)
	v.Stop()
	data, files := v.Data(), 0
	err := filepath.WalkDir(data, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %04o", path, info.Mode().Perm())
		}
		if strings.HasPrefix(path, filepath.Join(data, "history")+"/") {
			files++
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files of the history, error %v", files, err)
	}
	// One that others may write to is refused.
	if err := os.Chmod(data, 0o777); err != nil {
		t.Fatal(err)
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(path, "serve", "--data", data, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0").CombinedOutput()
	out := string(text)
	if err == nil || !strings.Contains(out, "chmod go-w "+data) {
		t.Errorf("started on a directory that others may write to: %v %s", err, out)
	}
}
