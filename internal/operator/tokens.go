package operator

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bourse/internal/auth"
	"bourse/internal/setup"
)

// Tokens are who may run the exchange. Each operator has a name and a token, in a file NAME.token
// that only its owner can read. The files are looked at with every request: a new one counts at
// once, and so does one that is gone.
type Tokens struct{ dir string }

const (
	suffix = ".token"
	// First is the operator that a new exchange has.
	First = "operator"
	// maxName is the longest name of an operator.
	maxName = 64
	// tokenBytes is how much chance is in a token.
	tokenBytes = 32
)

// OpenTokens opens the tokens of an exchange, and makes one for the first operator if there is
// none at all.
func OpenTokens(dir string) (*Tokens, error) {
	t := &Tokens{dir}
	names, err := t.names()
	if err == nil && len(names) == 0 {
		_, err = t.Make(First)
	}
	if err != nil {
		return nil, fmt.Errorf("the operators' tokens: %w", err)
	}
	return t, nil
}

// names are the operators that have a file.
func (t *Tokens) names() ([]string, error) {
	files, err := os.ReadDir(t.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if name, is := strings.CutSuffix(f.Name(), suffix); is && ValidName(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// ValidName reports whether an operator may have a name: letters, digits, dots, dashes and
// underscores, for it is the name of a file and stands in the log.
func ValidName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && (c != '.' || i == 0) {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// Make makes the token of an operator who has none.
func (t *Tokens) Make(name string) (token string, err error) {
	if !ValidName(name) || name == setup.Operator { // under which files act
		return "", fmt.Errorf("%q cannot be the name of an operator: use up to %d letters, digits, dots, dashes and underscores", name, maxName)
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return "", err
	}
	token = auth.Random(tokenBytes)
	f, err := os.OpenFile(t.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s has a token already; remove %s first", name, t.path(name))
	}
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(f, token)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(t.path(name)))
	}
	return token, nil
}

func (t *Tokens) path(name string) string { return filepath.Join(t.dir, name+suffix) }

// Read is the token of an operator. One that others could have read is none.
func (t *Tokens) Read(name string) (string, error) {
	f, err := os.Open(t.path(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others; make a new one, or run 'chmod 600 %s' if nobody has read it", f.Name(), f.Name())
	}
	text := make([]byte, 2*tokenBytes+1)
	n, _ := f.Read(text)
	token := strings.TrimSpace(string(text[:n]))
	if len(token) != 2*tokenBytes {
		return "", fmt.Errorf("%s does not hold a token of %d digits; make a new one", f.Name(), 2*tokenBytes)
	}
	return token, nil
}

// who is the operator with a token, and false if there is none. It takes the same time whatever
// the token is: all are compared, as hashes.
func (t *Tokens) who(token string) (string, bool, error) {
	names, err := t.names()
	if err != nil {
		return "", false, err
	}
	given, who, found := sha256.Sum256([]byte(token)), "", false
	for _, name := range names {
		own, err := t.Read(name)
		if err != nil {
			continue
		}
		if hash := sha256.Sum256([]byte(own)); subtle.ConstantTimeCompare(hash[:], given[:]) == 1 {
			who, found = name, true
		}
	}
	return who, found, nil
}
