package seal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// elsewhere is a file for a key in a directory of its own.
func elsewhere(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "the.key")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func loadFrom(t *testing.T, dir, file string) *Key {
	t.Helper()
	k, err := Load(dir, file)
	must(t, err)
	return k
}

// opens reports whether a key opens what another one sealed.
func opens(k, other *Key) bool {
	got, err := k.Open(other.Seal([]byte("secret"), "x"), "x")
	return err == nil && string(got) == "secret"
}

func TestAKeyIsMadeApartFromTheData(t *testing.T) {
	dir, file := t.TempDir(), elsewhere(t)
	if err := Check(dir, file); err != nil {
		t.Error(err)
	}
	k := loadFrom(t, dir, file)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	for at, want := range map[string]int{dir: 1, filepath.Dir(file): 1} { // the check, and the key
		if left, err := os.ReadDir(at); err != nil || len(left) != want {
			t.Errorf("%v %v", left, err)
		}
	}
	if !opens(loadFrom(t, dir, file), k) {
		t.Error("another key after a restart")
	}
	if err := Check(dir, file); err != nil {
		t.Error(err)
	}
	// Without the setting the directory has none, and gets none.
	for _, open := range []func(string, string) (*Key, error){Load, Read} {
		if _, err := open(dir, ""); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "or name the file that has it with --master-key") {
			t.Error(err)
		}
	}
}

// TestTwoDirectoriesHaveOneKey: nodes of one log, also if both are new and begin at the same time.
func TestTwoDirectoriesHaveOneKey(t *testing.T) {
	file := elsewhere(t)
	var keys [8]*Key
	var errs [8]error
	var nodes sync.WaitGroup
	for i := range keys {
		dir := t.TempDir()
		nodes.Go(func() { keys[i], errs[i] = Load(dir, file) })
	}
	nodes.Wait()
	must(t, errors.Join(errs[:]...))
	for _, k := range keys {
		if !opens(k, keys[0]) {
			t.Error("two nodes have two keys")
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

// TestAKeyMovesWhileTheExchangeIsOff: it is not made a second time where it should be, and is taken when it is there.
func TestAKeyMovesWhileTheExchangeIsOff(t *testing.T) {
	dir, file := t.TempDir(), elsewhere(t)
	k := loadFrom(t, dir, "")
	beside := filepath.Join(dir, KeyFile)
	refused := func(want ...string) {
		t.Helper()
		_, loading := Load(dir, file)
		_, reading := Read(dir, file)
		for _, err := range []error{loading, reading, Check(dir, file)} {
			if !errors.Is(err, ErrMissing) {
				t.Fatal(err)
			}
			for _, part := range want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v does not say %q", err, part)
				}
			}
		}
		if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("there is a second key: %v", err)
		}
	}
	refused("mv " + beside + " " + file)
	must(t, os.Remove(filepath.Join(dir, CheckFile))) // also while nothing was checked yet
	refused("mv " + beside + " " + file)
	loadFrom(t, dir, "")
	must(t, os.Rename(beside, file))
	if !opens(loadFrom(t, dir, file), k) {
		t.Error("another key after it was moved")
	}
	must(t, os.Remove(file))
	refused("put the key that this exchange was started with into " + file)
}

func TestAKeyOfAnotherExchangeIsRefused(t *testing.T) {
	dir, file := t.TempDir(), elsewhere(t)
	loadFrom(t, dir, "")
	loadFrom(t, t.TempDir(), file)
	if _, err := Load(dir, file); !errors.Is(err, ErrWrong) || !strings.Contains(err.Error(), file) {
		t.Error(err)
	}
}

// TestWhatIsNoKeyIsRefused: each with a reason, and nothing is made.
func TestWhatIsNoKeyIsRefused(t *testing.T) {
	good := strings.Repeat("0f", 32) + "\n"
	for name, c := range map[string]struct {
		lay  func(file string) error
		says string
	}{
		"a directory":     {func(file string) error { return os.Mkdir(file, 0o700) }, "is a directory; the master key is a file"},
		"a pipe":          {func(file string) error { return syscall.Mkfifo(file, 0o600) }, "is no file that a master key can be read from"},
		"links in a ring": {func(file string) error { return os.Symlink(file, file) }, "reading the master key: "},
		"below a file": {func(file string) error {
			return errors.Join(os.Remove(filepath.Dir(file)), os.WriteFile(filepath.Dir(file), nil, 0o600))
		}, "reading the master key: "},
		"a link to nothing":     {func(file string) error { return os.Symlink(file+".gone", file) }, "the link"},
		"short":                 {func(file string) error { return os.WriteFile(file, []byte(good[2:]), 0o600) }, "does not hold a key of 64 hexadecimal digits"},
		"long":                  {func(file string) error { return os.WriteFile(file, []byte("00"+good), 0o600) }, "does not hold a key of 64 hexadecimal digits"},
		"empty":                 {func(file string) error { return os.WriteFile(file, nil, 0o600) }, "does not hold a key of 64 hexadecimal digits"},
		"readable by others":    {written(good, 0o604), "others can read or change the master key"},
		"writable by its group": {written(good, 0o620), "(mode 0620): run 'chmod 600 "},
		"in a directory that its group may write to": {func(file string) error {
			return errors.Join(written(good, 0o600)(file), os.Chmod(filepath.Dir(file), 0o770))
		}, "others may write to"},
		"nowhere, in a directory that others may write to": {func(file string) error { return os.Chmod(filepath.Dir(file), 0o702) }, "run 'chmod go-w "},
		"nowhere, and no directory":                        {func(file string) error { return os.Remove(filepath.Dir(file)) }, "looking at the directory of the master key: "},
	} {
		dir, file := t.TempDir(), filepath.Join(t.TempDir(), "keys", "the.key")
		must(t, os.Mkdir(filepath.Dir(file), 0o700))
		must(t, c.lay(file))
		_, err := Load(dir, file)
		for _, err := range []error{err, Check(dir, file)} {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %q", name, err, c.says)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: it left %v %v", name, left, err)
		}
	}
}

// written lays a text into a file with a mode.
func written(text string, mode os.FileMode) func(string) error {
	return func(file string) error {
		return errors.Join(os.WriteFile(file, []byte(text), mode), os.Chmod(file, mode))
	}
}

// TestAKeyIsHandedOutByALink: service managers and containers lay secrets down for the group to read, behind links.
func TestAKeyIsHandedOutByALink(t *testing.T) {
	dir, file, link := t.TempDir(), elsewhere(t), elsewhere(t)
	must(t, written(strings.Repeat("0F", 32), 0o440)(file))
	must(t, os.Symlink(file, link))
	if !opens(loadFrom(t, dir, link), loadFrom(t, t.TempDir(), file)) {
		t.Error("it is another key")
	}
	if _, err := Read(dir, link); err != nil {
		t.Error(err)
	}
	// What counts is the directory that has the file.
	must(t, os.Chmod(filepath.Dir(file), 0o720))
	if _, err := Read(dir, link); err == nil || !strings.Contains(err.Error(), "others may write to "+filepath.Dir(file)) {
		t.Error(err)
	}
}

func TestPutReplacesNoKey(t *testing.T) {
	file := elsewhere(t)
	one, two := []byte(strings.Repeat("01", 32)+"\n"), []byte(strings.Repeat("02", 32))
	if made, err := Put(file, []byte("noise")); made || err == nil || !strings.Contains(err.Error(), "64 hexadecimal digits") {
		t.Error(made, err)
	}
	for _, want := range []bool{true, false} {
		if made, err := Put(file, one); made != want || err != nil {
			t.Error(made, err)
		}
	}
	if made, err := Put(file, two); made || !errors.Is(err, ErrAnother) || !strings.Contains(err.Error(), file) {
		t.Error(made, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != string(one) {
		t.Errorf("%q %v", text, err)
	}
	must(t, os.Chmod(filepath.Dir(file), 0o777))
	if _, err := Put(file, one); err == nil || !strings.Contains(err.Error(), "others may write to") {
		t.Error(err)
	}
}
