package conform

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"bourse/internal/api/account"
	"bourse/internal/seal"
)

// keyFiles are the files of a data directory that hold keys, with their contents. A key that signs tokens takes
// longer to make than an exchange takes to open, so all exchanges of a test program have the same.
var keyFiles = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "bourse-keys")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	master, err := seal.Load(dir, "")
	if err != nil {
		return nil, err
	}
	const signer = "jwt.key"
	if _, err := account.LoadSigner(filepath.Join(dir, signer), master); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range []string{seal.KeyFile, seal.CheckFile, signer} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
})

// Keys puts keys into a data directory that has none yet, so that an exchange that opens there need not make them.
func Keys(t testing.TB, dir string) {
	t.Helper()
	files, err := keyFiles()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, seal.CheckFile)); err == nil {
		return
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
