package custody

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bourse/internal/schema"
	"bourse/internal/seal"
)

func TestWhichCoinsAreWorthSomething(t *testing.T) {
	for net := schema.Mainnet; schema.Valid(net); net++ {
		for _, c := range []struct {
			chain schema.Chain
			want  bool
		}{
			{schema.Chain{Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: net}, net == schema.Mainnet},
			{schema.Chain{Driver: schema.EVMNode, Family: schema.EVM, Net: net, Number: 1}, true},
			{schema.Chain{Driver: schema.EVMNode, Family: schema.EVM, Net: net, Number: 137}, net == schema.Mainnet},
			{schema.Chain{Driver: schema.Sandbox, Family: schema.Bitcoin, Net: net}, false},
			{schema.Chain{Driver: schema.Sandbox, Family: schema.EVM, Net: net}, false},
			{schema.Chain{Driver: schema.Provider}, false},
		} {
			if got := Worth(&c.chain); got != c.want {
				t.Errorf("%v %v %d: %v", c.chain.Driver, net, c.chain.Number, got)
			}
		}
	}
}

// vaultIn is a directory with a seed whose master key is in a file, or in the directory.
func vaultIn(t *testing.T, masterKey string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	key, err := seal.Load(dir, masterKey)
	if err == nil {
		_, err = Create(dir, key)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func lay(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestASeedIsApartFromItsMasterKey(t *testing.T) {
	for name, make := range map[string]func(dir, away string) (masterKey, says string){
		"the key in the directory": func(dir, _ string) (string, string) {
			return "", "run 'mv " + filepath.Join(dir, "master.key") + " /another/place/master.key', and start with --master-key /another/place/master.key"
		},
		"the same, by its name": func(dir, _ string) (string, string) { return filepath.Join(dir, "master.key"), "run 'mv " },
		"further down": func(dir, _ string) (string, string) {
			at := filepath.Join(dir, "deep", "er")
			lay(t, os.MkdirAll(at, 0o700), os.Rename(filepath.Join(dir, "master.key"), filepath.Join(at, "k")))
			return filepath.Join(at, "k"), "run 'mv " + filepath.Join(at, "k") + " "
		},
		"elsewhere": func(dir, away string) (string, string) {
			lay(t, os.Rename(filepath.Join(dir, "master.key"), filepath.Join(away, "k")))
			return filepath.Join(away, "k"), ""
		},
		"a link from the directory to elsewhere": func(dir, away string) (string, string) {
			lay(t, os.Rename(filepath.Join(dir, "master.key"), filepath.Join(away, "k")), os.Symlink(filepath.Join(away, "k"), filepath.Join(dir, "master.key")))
			return "", ""
		},
		"a link from elsewhere to the directory": func(dir, away string) (string, string) {
			lay(t, os.Rename(filepath.Join(dir, "master.key"), filepath.Join(dir, "k")), os.Symlink(filepath.Join(dir, "k"), filepath.Join(away, "k")))
			return filepath.Join(away, "k"), "are in one place: who copies " + dir
		},
		"by a directory that is a link": func(dir, away string) (string, string) {
			lay(t, os.Symlink(dir, filepath.Join(away, "data")))
			return filepath.Join(away, "data", "master.key"), "are in one place"
		},
		"a copy that was left": func(dir, away string) (string, string) {
			lay(t, os.Rename(filepath.Join(dir, "master.key"), filepath.Join(away, "k")), os.WriteFile(filepath.Join(dir, "master.key.old"), nil, 0o600))
			return filepath.Join(away, "k"), "what is left in " + filepath.Join(dir, "master.key.old") + " must be moved away as well"
		},
		"a seed that is a link to where the key is": func(dir, away string) (string, string) {
			lay(t, os.Rename(filepath.Join(dir, "master.key"), filepath.Join(away, "k")), os.Rename(filepath.Join(dir, SeedFile), filepath.Join(away, SeedFile)),
				os.Symlink(filepath.Join(away, SeedFile), filepath.Join(dir, SeedFile)))
			return filepath.Join(away, "k"), "who copies " + away
		},
		"a key that moved since the start": func(dir, away string) (string, string) {
			lay(t, os.Rename(filepath.Join(dir, "master.key"), filepath.Join(away, "k")))
			return "", "are in one place"
		},
		"no seed": func(dir, _ string) (string, string) {
			lay(t, os.Remove(filepath.Join(dir, SeedFile)))
			return "", ""
		},
		"a place that is gone": func(dir, away string) (string, string) {
			lay(t, os.Remove(filepath.Join(dir, "master.key")))
			return filepath.Join(away, "gone", "k"), ""
		},
		"a seed that nobody can look for": func(dir, _ string) (string, string) {
			at := filepath.Join(dir, SeedFile)
			lay(t, os.Remove(at), os.Symlink(at, at))
			return "", "looking for the seed: "
		},
	} {
		dir := vaultIn(t, "")
		masterKey, says := make(dir, t.TempDir())
		err := Apart(dir, masterKey)
		if (says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), says) || strings.Contains(says, "one place") && !errors.Is(err, ErrTogether) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
}

// TestASignerOfRealCoinsHasItsKeyApart: the limits say which coins it signs for.
func TestASignerOfRealCoinsHasItsKeyApart(t *testing.T) {
	real := map[string]string{
		"bitcoin":             strings.Replace(testLimits, `"net": "regtest"`, `"net": "mainnet"`, 1),
		"an evm chain":        strings.Replace(testLimits, `"net": "testnet"`, `"net": "mainnet"`, 1),
		"ether, said a trial": strings.Replace(testLimits, `"number": 1337`, `"number": 1`, 1),
	}
	c := &clock{time.Unix(1_800_000_000, 0)}
	for name, limits := range real {
		dir := aSigner(t)
		lay(t, os.WriteFile(filepath.Join(dir, LimitsFile), []byte(limits), 0o600))
		if _, err := OpenGuard(dir, "", c.now); !errors.Is(err, ErrTogether) || !strings.Contains(err.Error(), "of "+LimitsFile+": ") {
			t.Errorf("%s: %v", name, err)
		}
		away := filepath.Join(t.TempDir(), "k")
		lay(t, os.Rename(filepath.Join(dir, seal.KeyFile), away))
		g, err := OpenGuard(dir, away, c.now)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lay(t, g.Close())
	}
}

// TestASignerIsMadeWithItsKeyApart: nothing in its directory opens the seed.
func TestASignerIsMadeWithItsKeyApart(t *testing.T) {
	dir, away := filepath.Join(t.TempDir(), "signer"), filepath.Join(t.TempDir(), "k")
	lay(t, Init(dir, away, testSeed(t)))
	if _, err := os.Stat(filepath.Join(dir, seal.KeyFile)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := Apart(dir, away); err != nil {
		t.Error(err)
	}
	g, err := OpenGuard(dir, away, time.Now)
	lay(t, err)
	defer g.Close()
	if got := publicOf(t, g.seed, bitcoinMain).Print(); got != publicOf(t, testSeed(t), bitcoinMain).Print() {
		t.Errorf("another seed, %x", got)
	}
}
