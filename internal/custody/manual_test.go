package custody

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/psbt/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPeopleSign: what a manual signer wrote is carried to the seed, and the signature back.
func TestPeopleSign(t *testing.T) {
	dir, ctx := filepath.Join(t.TempDir(), "to-sign"), context.Background()
	m, err := NewManual(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r           *driver.Request
		base, plain string
	}{{aPayout(t), "payout-7-0", ".psbt"}, {transfer(t, 20, 0, true, nil), "payout-20-0", ".rawtx"}} {
		base := filepath.Join(dir, c.base)
		for range 2 {
			if raw, err := m.Sign(ctx, c.r); !errors.Is(err, driver.ErrWaiting) || raw != nil {
				t.Fatal(raw, err)
			}
		}
		unsigned := strings.TrimSpace(read(t, base+c.plain))
		if hex := "0x" + hex.EncodeToString(c.r.Unsigned); unsigned != hex && unsigned != base64.StdEncoding.EncodeToString(c.r.Unsigned) {
			t.Error(unsigned)
		}
		if text := read(t, base+".txt"); text != Describe(c.r) {
			t.Error(text)
		}
		for _, name := range []string{c.plain, ".txt", ".json"} {
			if info, err := os.Stat(base + name); err != nil || info.Mode().Perm() != 0o600 {
				t.Error(info, err)
			}
		}
		signed, err := testSeed(t).SignFile(t.TempDir(), base+".json")
		if err != nil || signed != base+".signed" {
			t.Fatal(signed, err)
		}
		want, err := NewHot(testSeed(t)).Sign(ctx, c.r)
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := m.Sign(ctx, c.r); err != nil || !bytes.Equal(raw, want) {
			t.Errorf("%x, %v", raw, err)
		}
	}
}

// TestOtherWalletsSign: they give the PSBT back with its signatures, or what they sent themselves.
func TestOtherWalletsSign(t *testing.T) {
	ctx, r := context.Background(), aPayout(t)
	want, err := NewHot(testSeed(t)).Sign(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewManual(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Sign(ctx, r); !errors.Is(err, driver.ErrWaiting) {
		t.Fatal(err)
	}
	var tx wire.MsgTx
	if err := tx.Deserialize(bytes.NewReader(want)); err != nil {
		t.Fatal(err)
	}
	packet, err := psbt.NewFromRawBytes(bytes.NewReader(r.Unsigned), false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range packet.Inputs {
		witness := tx.TxIn[i].Witness
		packet.Inputs[i].PartialSigs = []*psbt.PartialSig{{PubKey: witness[1], Signature: witness[0]}}
	}
	serialize := func() []byte {
		var b bytes.Buffer
		if err := packet.Serialize(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	partial := serialize()
	if err := psbt.MaybeFinalizeAll(packet); err != nil {
		t.Fatal(err)
	}
	final := serialize()
	path := filepath.Join(m.dir, "payout-7-0.signed")
	for name, text := range map[string][]byte{
		"hex": []byte(hex.EncodeToString(want) + "\n"), "hex with 0x": []byte("0x" + hex.EncodeToString(want)), "signatures": partial, "final": final,
		"signatures in base64": []byte(base64.StdEncoding.EncodeToString(partial)), "final in base64": []byte(base64.StdEncoding.EncodeToString(final) + "\r\n"),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if raw, err := m.Sign(ctx, r); err != nil || !bytes.Equal(raw, want) {
			t.Errorf("%s: %x, %v", name, raw, err)
		}
	}
	for name, text := range map[string][]byte{"nothing": nil, "nonsense": []byte("nonsense"), "no signatures": r.Unsigned} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if raw, err := m.Sign(ctx, r); err == nil || errors.Is(err, driver.ErrWaiting) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %x, %v", name, raw, err)
		}
	}
	// A restored exchange may have another payout with the same number: no signature of the old one is taken for it.
	if raw, err := m.Sign(ctx, order{payout: 7, coin: 5, rate: 10, pays: r.Withdrawals}.request(t)); err == nil || !strings.Contains(err.Error(), "asks for another transaction") {
		t.Errorf("%x, %v", raw, err)
	}
}

// TestWhatPeopleReadIsWhatTheySign: a request that says something else than its transaction is not signed.
func TestWhatPeopleReadIsWhatTheySign(t *testing.T) {
	m, err := NewManual(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rewritten(t, aPayout(t), func(p *psbt.Packet) { p.UnsignedTx.TxOut[0].PkScript = script(t, stranger) })
	if _, err := m.Sign(context.Background(), r); !errors.Is(err, driver.ErrWaiting) {
		t.Fatal(err)
	}
	if signed, err := testSeed(t).SignFile(t.TempDir(), filepath.Join(m.dir, "payout-7-0.json")); !errors.Is(err, ErrRefused) || signed != "" {
		t.Error(signed, err)
	}
	for path, says := range map[string]string{
		filepath.Join(m.dir, "payout-7-0.psbt"): "is not the .json file",
		filepath.Join(m.dir, "none.json"):       "no such file",
	} {
		if signed, err := testSeed(t).SignFile(t.TempDir(), path); err == nil || !strings.Contains(err.Error(), says) {
			t.Error(signed, err)
		}
	}
}

func TestDescriptionsSayWhatIsPaid(t *testing.T) {
	r := aPayout(t)
	r.Withdrawals[0].Approvals = []string{"ann", "ben"}
	want := `Payout 7, variant 0, on BTC (bitcoin regtest)

It spends: 0000000000000000000000000000000000000000000000000000000000000001:0
It costs:  ` + r.Fee.String() + ` BTC

Withdrawal 11: 0.5 BTC to bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080, approved by ann and ben
Withdrawal 12: 0.25 BTC to bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080
Back to us: ` + r.Owns[0].Amount.String() + ` BTC to address 8 of the exchange itself
`
	if got := Describe(r); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	r = transfer(t, 20, 5, true, nil)
	r.Withdrawals, r.Owns = nil, []schema.OwnOutput{{Index: 4, Amount: r.Fee}}
	want = `Payout 20, variant 0, on ETH (evm testnet, number 1337)

It spends: hot 5
Token:     USDT, contract 0xdAC17F958D2ee523a2206206994597C13D831ec7
It costs:  at most 0.003 of the chain's own asset

Back to us: 0.003 USDT to deposit address 4
`
	if got := Describe(r); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestPublicKeysAreCarriedInAFile(t *testing.T) {
	m, err := NewManual(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := m.Public(ctx, evmMain); err == nil || !strings.Contains(err.Error(), "bourse custody public --out") {
		t.Error(err)
	}
	want := publicOf(t, testSeed(t), evmMain)
	if err := WritePublic(filepath.Join(m.dir, PublicFile), []Public{publicOf(t, testSeed(t), bitcoinMain), want}); err != nil {
		t.Fatal(err)
	}
	if p, err := m.Public(ctx, evmMain); err != nil || p.Print() != want.Print() {
		t.Error(err)
	}
	if _, err := m.Public(ctx, bitcoinTest); err == nil || !strings.Contains(err.Error(), "no keys of bitcoin testnet") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(m.dir, PublicFile), []byte("01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Public(ctx, evmMain); !errors.Is(err, errPublic) {
		t.Error(err)
	}
}
