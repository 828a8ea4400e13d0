package custody

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/schema"
)

func coldSeed(t testing.TB) *Seed {
	t.Helper()
	s, err := newSeed([]byte("a seed of 32 bytes, never online"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bring writes the public keys of a seed into a directory.
func bring(t testing.TB, dir, name string, s *Seed) {
	t.Helper()
	if err := WritePublic(filepath.Join(dir, name), []Public{publicOf(t, s, btc.Space()), publicOf(t, s, eth.Space())}); err != nil {
		t.Fatal(err)
	}
}

// move is 1.5 ETH from one of our addresses to another, at the text that the transaction has.
func move(t testing.TB, from, to schema.OwnAddress, text string) *driver.Request {
	t.Helper()
	r := transfer(t, 30, 0, false, func(tx *evm.Transaction) { copy(tx.To[:], unhex(t, text[2:])) })
	r.Withdrawals, r.Owns, r.Places = nil, []schema.OwnOutput{{Own: to, Amount: fixed.MustParse("1.5")}}, []driver.Place{{Own: from}}
	return r
}

func addressOf(t testing.TB, s *Seed, own schema.OwnAddress) string {
	t.Helper()
	text, _, err := publicOf(t, s, eth.Space()).Address(driver.Place{Own: own})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestASignerKnowsColdStorageByAFile: without it, or at another address, nothing goes there.
func TestASignerKnowsColdStorageByAFile(t *testing.T) {
	dir, now := aSigner(t), &clock{time.Unix(1_800_000_000, 0)}
	cold := addressOf(t, coldSeed(t), schema.Cold)
	g := openGuard(t, dir, now)
	g.refuses(t, "unknown", move(t, schema.Hot, schema.Cold, cold), "the keys of cold storage are not known here: they are brought as cold.public")
	g.Close()
	bring(t, dir, ColdFile, coldSeed(t))
	g = openGuard(t, dir, now)
	g.refuses(t, "a stranger's", move(t, schema.Hot, schema.Cold, payeeEVM), "instead of "+cold)
	g.refuses(t, "its own", move(t, schema.Hot, schema.Cold, addressOf(t, testSeed(t), schema.Cold)), "instead of "+cold)
	g.refuses(t, "from there", move(t, schema.Cold, schema.Hot, addressOf(t, testSeed(t), schema.Hot)), "it spends from cold storage")
	raw := g.signs(t, move(t, schema.Hot, schema.Cold, cold))
	if from, err := evm.Sender(raw); err != nil || from != addressOf(t, testSeed(t), schema.Hot) {
		t.Errorf("%s signed: %v", from, err)
	}
	g.Close()
	bring(t, dir, HotFile, coldSeed(t))
	g = openGuard(t, dir, now)
	if _, err := g.Sign(t.Context(), move(t, schema.Hot, schema.Cold, cold)); err == nil || !strings.Contains(err.Error(), "has both cold.public and hot.public") {
		t.Errorf("with both files: %v", err)
	}
}

// TestColdStoragePaysTheExchange: where it knows the addresses of that, and nobody else.
func TestColdStoragePaysTheExchange(t *testing.T) {
	dir, s := t.TempDir(), coldSeed(t)
	hot := addressOf(t, testSeed(t), schema.Hot)
	back := move(t, schema.Cold, schema.Hot, hot)
	if err := s.Check(dir, back); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "brought as hot.public") {
		t.Errorf("unknown: %v", err)
	}
	bring(t, dir, HotFile, testSeed(t))
	if err := s.Check(dir, back); err != nil {
		t.Error(err)
	}
	if raw, err := s.sign(back); err != nil {
		t.Error(err)
	} else if from, err := evm.Sender(raw); err != nil || from != addressOf(t, s, schema.Cold) {
		t.Errorf("%s signed: %v", from, err)
	}
	for name, c := range map[string]struct {
		r    *driver.Request
		says string
	}{
		"a thief":       {move(t, schema.Cold, schema.Hot, payeeEVM), "instead of " + hot},
		"not from cold": {move(t, schema.Hot, schema.Cold, addressOf(t, s, schema.Cold)), "this is the seed of cold storage"},
	} {
		if err := s.Check(dir, c.r); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	text, _, err := publicOf(t, s, bitcoinMain).Address(driver.Place{Own: schema.ColdOf(5), Type: schema.Bech32})
	same, _, _ := publicOf(t, s, bitcoinMain).Address(driver.Place{Own: schema.ChangeOf(5), Type: schema.Bech32})
	if err != nil || text != same { // m/84'/0'/0'/1/5 of another seed
		t.Errorf("the cold address of payout 5 is %s (%v), want %s", text, err, same)
	}
	if got, want := Describe(move(t, schema.Hot, schema.ColdOf(5), payeeEVM)), "Back to us: 1.5 ETH to address 5 of cold storage\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
