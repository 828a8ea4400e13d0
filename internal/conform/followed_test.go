package conform_test

import (
	"testing"

	"bourse/internal/custody"
	"bourse/internal/schema"
)

// TestAddressesComeWithTheFirstBlock: what is paid on a chain that others live on before the exchange stands there would not be seen.
func TestAddressesComeWithTheFirstBlock(t *testing.T) {
	t.Parallel()
	w := newDepositWorld(t, "", "alice")
	alice, closed := w.trader(t, "alice"), inner(422, 1, "ticker", "Currency is not depositable")
	key := w.Exchange.Node.Key()
	seed, err := custody.Create(t.TempDir(), key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := seed.Public(schema.Space{Family: schema.Bitcoin, Net: schema.Signet})
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, alice.ask("main-account/address", obj{"ticker": "SIG"}), closed)
	w.Do(&schema.SetKeys{Keys: public.Seal(key)})
	refuses(t, alice.ask("main-account/address", obj{"ticker": "SIG"}), closed)
	w.Do(&schema.ChainBlock{Chain: w.real, Height: 7, Hash: schema.Digest{7}})
	if err := pattern(`"tb1q[0-9a-z]{38}"`)(alice.at("SIG", nil).address); err != nil {
		t.Error(err)
	}
}
