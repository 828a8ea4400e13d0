package custody

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/btcsuite/btcd/chaincfg/v2"

	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

var (
	bitcoinMain    = schema.Space{Family: schema.Bitcoin, Net: schema.Mainnet}
	bitcoinTest    = schema.Space{Family: schema.Bitcoin, Net: schema.Testnet}
	bitcoinRegtest = schema.Space{Family: schema.Bitcoin, Net: schema.Regtest}
	evmMain        = schema.Space{Family: schema.EVM, Net: schema.Mainnet}
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// seedOf is a seed with an extended key as its root, as the vectors give it.
func seedOf(t testing.TB, root []byte) *Seed {
	t.Helper()
	master, err := hdkeychain.NewMaster(root, &chaincfg.MainNetParams)
	if err != nil {
		t.Fatal(err)
	}
	return &Seed{master: master, branches: map[branch]*hdkeychain.ExtendedKey{}}
}

// abandon is the seed of the words "abandon abandon ... about", by which BIP49, BIP84 and wallets of Ethereum give their vectors.
func abandon(t testing.TB) *Seed {
	return seedOf(t, unhex(t, "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4"))
}

func publicOf(t testing.TB, s *Seed, space schema.Space) Public {
	t.Helper()
	p, err := s.Public(space)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRootsAreThoseOfBIP32 holds the hardened path of the first two vectors of BIP32 against ours.
func TestRootsAreThoseOfBIP32(t *testing.T) {
	for _, v := range []struct{ seed, first, below string }{
		{
			"000102030405060708090a0b0c0d0e0f",
			"xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7",
			"xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs",
		},
		{ // leading zeros, of the third vector
			"4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be",
			"xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L", "",
		},
	} {
		master := seedOf(t, unhex(t, v.seed)).master
		first, err := master.Derive(hdkeychain.HardenedKeyStart)
		if err != nil || first.String() != v.first {
			t.Errorf("m/0' is %v, %v", first, err)
		}
		if v.below == "" {
			continue
		}
		if below, err := first.Derive(1); err != nil || below.String() != v.below {
			t.Errorf("m/0'/1 is %v, %v", below, err)
		}
	}
}

// TestAddressesAreThoseOfTheStandards: what others derive from the same seed by BIP84, BIP49 and BIP44.
func TestAddressesAreThoseOfTheStandards(t *testing.T) {
	s := abandon(t)
	for _, v := range []struct {
		space  schema.Space
		place  driver.Place
		text   string
		public string
	}{
		{bitcoinMain, driver.Place{Index: 1, Type: schema.Bech32}, "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g", "03e775fd51f0dfb8cd865d9ff1cca2a158cf651fe997fdc9fee9c1d3b5e995ea77"},
		{bitcoinMain, driver.Place{Own: 1}, "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el", "03025324888e429ab8e3dbaf1f7802648b9cd01e9b418485c5fa4c1b9b5700e1a6"},
		{bitcoinMain, driver.Place{Own: schema.PoolOwn}, "bc1qgypllrw8plmfj3tutsff7c0p9j9adukc4qagn6", "02a1b09f93073c63f205086440898141c0c3c6d24f69a18db608224bcf143fa011"}, // m/84'/0'/0'/2/0
		{evmMain, driver.Place{Index: 1}, "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0", ""},
	} {
		text, public, err := publicOf(t, s, v.space).Address(v.place)
		if err != nil || text != v.text || v.public != "" && hex.EncodeToString(public) != v.public {
			t.Errorf("%v %+v: %s %x, %v", v.space, v.place, text, public, err)
		}
		if canonical, err := address.Parse(v.space, text); err != nil || canonical != text {
			t.Errorf("%s is written %s, %v", text, canonical, err)
		}
	}
	// The vector of BIP49 is of index 0, which no customer has.
	nested := publicOf(t, s, bitcoinTest)
	point, err := nested.branches[1][outside].child(0)
	if err != nil {
		t.Fatal(err)
	}
	if text := address.Write(bitcoinTest, schema.P2SHSegwit, receiver(schema.Bitcoin, schema.P2SHSegwit, point)); text != "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2" {
		t.Errorf("BIP49: %s", text)
	}
	if point, err = publicOf(t, s, evmMain).branches[0][0].child(0); err != nil {
		t.Fatal(err)
	}
	if text := address.Write(evmMain, 0, receiver(schema.EVM, 0, point)); text != "0x9858EfFD232B4033E47d90003D41EC34EcaEda94" {
		t.Errorf("BIP44: %s", text)
	}
}

// TestAddressesStay: customers know them, so no version may derive others.
func TestAddressesStay(t *testing.T) {
	s := abandon(t)
	for _, v := range []struct {
		space schema.Space
		place driver.Place
		text  string
	}{
		{bitcoinRegtest, driver.Place{Index: 7, Type: schema.Bech32}, "bcrt1qfsryn6hh2yhpxpp7m9dh54x89wettyfkhat7dd"},
		{bitcoinRegtest, driver.Place{Index: 7, Type: schema.P2SHSegwit}, "2MsdaNvf3b8iGC9rC3ETr5nUvbRPeAMXNWM"},
		{bitcoinRegtest, driver.Place{Own: 1}, "bcrt1q9u62588spffmq4dzjxsr5l297znf3z6jkgnhsw"},
		{bitcoinRegtest, driver.Place{Own: 9}, "bcrt1qaj6xxrj2n2ddqxe3a0wncxvc0jrwd3qrtxsj3x"},
		{evmMain, driver.Place{Index: 7}, "0x593814d3309e2dF31D112824F0bb5aa7Cb0D7d47"},
		{evmMain, driver.Place{Own: schema.Hot}, "0x78839F6054d7ed13918bAe0473BA31b1Ca9D7265"},
	} {
		text, _, err := publicOf(t, s, v.space).Address(v.place)
		if err != nil || text != v.text {
			t.Errorf("%v %+v: %s, %v", v.space, v.place, text, err)
		}
	}
}

// places are of all kinds.
var places = map[schema.Space][]driver.Place{
	bitcoinRegtest: {{Index: 1, Type: schema.Bech32}, {Index: 1, Type: schema.P2SHSegwit}, {Own: 1}, {Own: 2}, {Index: 1<<31 - 1}, {Own: 1 << 31}},
	evmMain:        {{Index: 1}, {Index: 2}, {Own: schema.Hot}, {Index: 1<<31 - 1}},
}

// TestKeysFitTheirAddresses: the private key of a place is that of its address, and all differ.
func TestKeysFitTheirAddresses(t *testing.T) {
	s := abandon(t)
	for space, list := range places {
		p, seen := publicOf(t, s, space), map[string]bool{}
		for _, place := range list {
			text, public, err := p.Address(place)
			if err != nil || seen[text] {
				t.Errorf("%+v: %s, %v", place, text, err)
			}
			seen[text] = true
			key, err := s.key(space, place)
			if err != nil || !bytes.Equal(key.PubKey().SerializeCompressed(), public) {
				t.Errorf("%+v: another key, %v", place, err)
			}
		}
	}
}

func TestWhatIsNoPlaceIsRefused(t *testing.T) {
	s := abandon(t)
	for _, c := range []struct {
		space schema.Space
		place driver.Place
		says  string
	}{
		{bitcoinMain, driver.Place{}, "a customer's or the exchange's own"},
		{bitcoinMain, driver.Place{Index: 1, Own: 1}, "a customer's or the exchange's own"},
		{bitcoinMain, driver.Place{Own: 1, Type: schema.P2SHSegwit}, "of this type"},
		{bitcoinMain, driver.Place{Index: 1, Type: 3}, "of this type"},
		{bitcoinMain, driver.Place{Index: 1 << 31}, "so high a number"},
		{bitcoinMain, driver.Place{Own: 1<<31 + 2}, "so high a number"},
		{bitcoinMain, driver.Place{Own: schema.PoolOwn, Type: schema.P2SHSegwit}, "of this type"},
		{bitcoinMain, driver.Place{Index: 1, Own: schema.PoolOwn}, "a customer's or the exchange's own"},
		{evmMain, driver.Place{Own: schema.PoolOwn}, "one address of the exchange itself"},
		{bitcoinMain, driver.Place{Own: schema.Cold + 1<<31}, "so high a number"},
		{bitcoinMain, driver.Place{Own: 1<<63 + 1}, "so high a number"},
		{evmMain, driver.Place{Own: 2}, "one address of the exchange itself"},
		{evmMain, driver.Place{Own: schema.Cold + 1}, "one address of the exchange itself"},
		{evmMain, driver.Place{Index: 1 << 31}, "so high a number"},
	} {
		if text, _, err := publicOf(t, s, c.space).Address(c.place); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %s, %v", c.place, text, err)
		}
		if _, err := s.key(c.space, c.place); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.place, err)
		}
	}
	for _, space := range []schema.Space{{Family: schema.XRP, Net: schema.Mainnet}, {Family: schema.Bitcoin}, {Family: schema.EVM, Net: 9}, {}} {
		if _, err := s.Public(space); err == nil || !strings.Contains(err.Error(), "there are no keys") {
			t.Errorf("%v: %v", space, err)
		}
	}
}

func TestPublicKeysComeBack(t *testing.T) {
	key, err := seal.Load(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	for space, list := range places {
		p := publicOf(t, abandon(t), space)
		keys := p.Seal(key)
		if keys.Space() != space || keys.Print != p.Print() || bytes.Contains(keys.Sealed, p.Marshal()[3:36]) || len(keys.Sealed) > schema.MaxSealedKeys {
			t.Errorf("%+v", keys)
		}
		back, err := Unseal(&keys, key)
		if err != nil || back.Space() != space || back.Print() != p.Print() || !bytes.Equal(back.Marshal(), p.Marshal()) {
			t.Fatalf("%v: %v", space, err)
		}
		for _, place := range list {
			want, wantPublic, _ := p.Address(place)
			if text, public, err := back.Address(place); err != nil || text != want || !bytes.Equal(public, wantPublic) {
				t.Errorf("%+v: %s, want %s, %v", place, text, want, err)
			}
		}
		for name, broken := range map[string]schema.Keys{
			"print": {Family: keys.Family, Net: keys.Net, Print: schema.Digest{1}, Sealed: keys.Sealed},
			"net":   {Family: keys.Family, Net: schema.Signet, Print: keys.Print, Sealed: keys.Sealed},
			"bytes": {Family: keys.Family, Net: keys.Net, Print: keys.Print, Sealed: keys.Sealed[1:]},
		} {
			if _, err := Unseal(&broken, key); err == nil {
				t.Errorf("another %s was taken", name)
			}
		}
	}
	good := publicOf(t, abandon(t), evmMain).Marshal()
	for i := range good {
		if _, err := Parse(good[:i]); err == nil {
			t.Errorf("%d bytes were taken", i)
		}
	}
	for at, value := range map[int]byte{0: 2, 1: 9, 2: 0, 3: 4} {
		bad := bytes.Clone(good)
		bad[at] = value
		if _, err := Parse(bad); err == nil {
			t.Errorf("byte %d as %d was taken", at, value)
		}
	}
}

// TestSeveralGoroutinesDerive is for the race detector.
func TestSeveralGoroutinesDerive(t *testing.T) {
	s := abandon(t)
	p := publicOf(t, s, bitcoinRegtest)
	want, _, err := p.Address(driver.Place{Index: 5})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				text, public, err := p.Address(driver.Place{Index: 5})
				key, keyErr := s.key(bitcoinRegtest, driver.Place{Index: 5})
				if err != nil || keyErr != nil || text != want || !bytes.Equal(key.PubKey().SerializeCompressed(), public) {
					t.Error(text, err, keyErr)
				}
			}
		})
	}
	group.Wait()
}

func TestASeedIsNotPrinted(t *testing.T) {
	s := abandon(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if text := fmt.Sprintf(verb, s); text != "seed" {
			t.Errorf("%s: %s", verb, text)
		}
	}
}

func BenchmarkAddress(b *testing.B) {
	for space := range places {
		b.Run(space.Family.String(), func(b *testing.B) {
			p := publicOf(b, abandon(b), space)
			b.ReportAllocs()
			for i := range b.N {
				if _, _, err := p.Address(driver.Place{Index: schema.AddressIndex(i&0xfffff + 1)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkKey(b *testing.B) {
	s := abandon(b)
	var key *btcec.PrivateKey
	for i := range b.N {
		var err error
		if key, err = s.key(bitcoinMain, driver.Place{Index: schema.AddressIndex(i&0xfffff + 1)}); err != nil {
			b.Fatal(err)
		}
	}
	_ = key
}
