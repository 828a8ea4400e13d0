package custody

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bourse/internal/schema"
	"bourse/internal/seal"
)

// ErrTogether means that a seed whose coins are worth something and the master key that opens it are in one place.
var ErrTogether = errors.New("the seed and the master key that opens it are in one place")

// etherNumber is what the chain of Ether calls itself.
const etherNumber = 1

// Worth reports whether the coins of a chain are worth something: it is one that others live on, and not for tests. Of Bitcoin that is what its
// net says, which a node proves by its first block. The net of an EVM chain is a word of operators, which no node knows: it is for tests if they say
// so, but not if it has the number of Ether, which a node has to have too.
func Worth(c *schema.Chain) bool {
	switch c.Driver {
	case schema.BitcoinNode:
		return c.Net == schema.Mainnet
	case schema.EVMNode:
		return c.Net == schema.Mainnet || c.Number == etherNumber
	}
	return false
}

// Apart refuses a directory that has a seed and, after all links, the master key as well, which is where seal.KeyPath says: who copies it, or
// gets hold of a copy, has the coins. Copies of the key that were left where it is usually count, whatever is appended to their names.
func Apart(dir, masterKey string) error {
	seed, err := filepath.EvalSymlinks(filepath.Join(dir, SeedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the seed: %w", err)
	}
	key := seal.KeyPath(dir, masterKey)
	files := []string{key}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("looking for copies of the master key: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), seal.KeyFile) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	for _, file := range files {
		for _, place := range []string{dir, filepath.Dir(seed)} {
			switch is, err := below(place, file); {
			case err != nil:
				return fmt.Errorf("looking where the master key is: %w", err)
			case is && file == key:
				return fmt.Errorf("%w: who copies %s has the coins; stop, run 'mv %s /another/place/%s', and start with --master-key /another/place/%s",
					ErrTogether, place, file, seal.KeyFile, seal.KeyFile)
			case is:
				return fmt.Errorf("%w: who copies %s has the coins; the key is %s, and what is left in %s must be moved away as well", ErrTogether, place, key, file)
			}
		}
	}
	return nil
}

// below reports whether a file is in a directory or further down there. A file that is gone counts as being where it was: a process that runs
// has to be started again to know that its key was moved.
func below(dir, file string) (bool, error) {
	at, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		if at, err = filepath.EvalSymlinks(filepath.Dir(file)); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		at = filepath.Join(at, filepath.Base(file))
	}
	if err == nil {
		at, err = filepath.Abs(at)
	}
	if err != nil {
		return false, err
	}
	top, err := os.Stat(dir)
	if err != nil {
		return false, err
	}
	for at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, err := os.Stat(at)
		if err != nil {
			return false, err
		}
		if os.SameFile(info, top) { // also where it is mounted a second time
			return true, nil
		}
	}
	return false, nil
}

// apart refuses what Apart does for a signer, if its limits let coins leave that are worth something.
func (l *Limits) apart(dir, masterKey string) error {
	for _, name := range slices.Sorted(maps.Keys(l.Chains)) {
		if !l.Chains[name].worth() {
			continue
		}
		if err := Apart(dir, masterKey); err != nil {
			return fmt.Errorf("chain %s of %s: %w", name, LimitsFile, err)
		}
		return nil
	}
	return nil
}

func (c *ChainLimits) worth() bool {
	driver := map[schema.Family]schema.Driver{schema.Bitcoin: schema.BitcoinNode, schema.EVM: schema.EVMNode}[c.space.Family]
	return Worth(&schema.Chain{Driver: driver, Family: c.space.Family, Net: c.space.Net, Number: c.Number})
}
