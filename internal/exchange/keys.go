package exchange

import (
	"fmt"
	"slices"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/schema"
)

// keys say where the keys of the chains that others live on are, and who signs with them.
type keys struct {
	dir       string // the data directory, which may have a seed
	masterKey string // the file that opens it; "": it is in the data directory
	signer    string
	cold      string // directory of who signs for cold storage; "": nobody here
}

// hot is the signer that has the seed of the data directory in this process.
const hot = "hot"

// admit refuses a chain whose coins are worth something if this process signs with a seed that lies beside the master key. For other signers the
// seed is elsewhere.
func (k *keys) admit(chain *schema.Chain) error {
	if k.signer != hot || !custody.Worth(chain) {
		return nil
	}
	return custody.Apart(k.dir, k.masterKey)
}

// Apart refuses an exchange that would sign for coins that are worth something with a seed that lies beside the master key. Whether it follows
// their chain does not matter: a copy of the directory opens the seed all the same. A seed that another signer left behind is only warned of.
func (x *Exchange) Apart() error {
	var chains []schema.Chain
	x.Node.Read(func(m core.View) { chains = m.Chains().All() })
	at := slices.IndexFunc(chains, func(c schema.Chain) bool { return custody.Worth(&c) })
	if at < 0 {
		return nil
	}
	err := custody.Apart(x.keys.dir, x.keys.masterKey)
	switch {
	case err == nil:
		return nil
	case x.keys.signer == hot:
		return fmt.Errorf("chain %s: %w", chains[at].Name, err)
	}
	x.log.Warn("a seed is left that nobody signs with here", "chain", chains[at].Name, "error", err)
	return nil
}
