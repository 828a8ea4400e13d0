package custody

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/btcsuite/btcd/psbt/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/schema"
)

var (
	btc = schema.Chain{ID: 1, Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}
	eth = schema.Chain{ID: 2, Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Testnet, Number: 1337}
)

const (
	customer = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
	stranger = "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry"
	payeeEVM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	usdt     = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

	testLimits = `{"chains": {
  "BTC": {"family": "bitcoin", "net": "regtest", "fee": "0.001", "feeDay": "0.0015",
          "assets": {"BTC": {"decimals": 8, "payout": "2", "hour": "3", "day": "4"}}},
  "ETH": {"family": "evm", "net": "testnet", "number": 1337, "fee": "0.01", "feeDay": "1",
          "assets": {"ETH":  {"decimals": 18, "payout": "10", "hour": "20", "day": "30"},
                     "USDT": {"contract": "` + usdt + `", "decimals": 6, "payout": "1000", "hour": "2000", "day": "3000"}}}}}`
)

func testSeed(t testing.TB) *Seed {
	t.Helper()
	s, err := newSeed([]byte("a seed of 32 bytes for the tests"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// clock is the time of a guard.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

// aSigner is the directory of a signer with the seed of the tests.
func aSigner(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "signer")
	if err := Init(dir, "", testSeed(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, LimitsFile), []byte(testLimits), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func openGuard(t testing.TB, dir string, c *clock) *Guard {
	t.Helper()
	g, err := OpenGuard(dir, "", c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func aGuard(t testing.TB) *Guard {
	return openGuard(t, aSigner(t), &clock{time.Unix(1_800_000_000, 0)})
}

func bitcoinChain(t testing.TB) *bitcoin.Chain {
	t.Helper()
	c, err := bitcoin.Dial("http://user:password@127.0.0.1:1", btc)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func paid(id schema.WithdrawalID, amount string) driver.Paid {
	return driver.Paid{ID: id, Address: customer, Amount: fixed.MustParse(amount)}
}

// order is a request on Bitcoin while it is made.
type order struct {
	payout  schema.PayoutID
	variant uint32
	coin    int // the first that is spent
	rate    uint64
	pays    []driver.Paid
	divided bool // its change
}

// request composes a transaction that spends coins at addresses of all kinds.
func (o order) request(t testing.TB) *driver.Request {
	t.Helper()
	p := publicOf(t, testSeed(t), bitcoinRegtest)
	r := &driver.Request{Chain: btc, Payout: o.payout, Variant: o.variant, Withdrawals: o.pays, Asset: "BTC", Decimals: 8}
	order := &driver.Order{Chain: &btc, Rate: o.rate, Must: 3}
	if o.divided {
		order.Others = func(fixed.Decimal) int { return 0 }
	}
	for i, place := range []driver.Place{{Index: 3, Type: schema.P2SHSegwit}, {Index: 2, Type: schema.Bech32}, {Own: 1}} {
		text, public, err := p.Address(place)
		if err != nil {
			t.Fatal(err)
		}
		order.Coins = append(order.Coins, driver.Input{
			ID: schema.OutputID(fmt.Sprintf("%064x", o.coin+1), i), Amount: fixed.MustParse("1.5"), Address: text, Place: place, Public: public,
		})
		r.Places = append(r.Places, place)
	}
	for _, w := range o.pays {
		order.Pays = append(order.Pays, driver.Payment{Address: w.Address, Amount: w.Amount})
	}
	change := schema.OwnOutput{Own: schema.ChangeOf(o.payout)}
	var err error
	if order.Change, _, err = p.Address(driver.Place{Own: change.Own}); err != nil {
		t.Fatal(err)
	}
	draft, err := bitcoinChain(t).Compose(context.Background(), order)
	if err != nil {
		t.Fatal(err)
	}
	r.Unsigned, r.Fee, r.Anchor = draft.Unsigned, draft.Fee, draft.Inputs[0]
	for _, change.Amount = range draft.Change {
		r.Owns = append(r.Owns, change)
	}
	return r
}

// aPayout is the first request of most stories: withdrawals 11 and 12 by payout 7.
func aPayout(t testing.TB) *driver.Request {
	return order{payout: 7, rate: 10, pays: []driver.Paid{paid(11, "0.5"), paid(12, "0.25")}}.request(t)
}

// rewritten changes the PSBT of a request.
func rewritten(t testing.TB, r *driver.Request, change func(*psbt.Packet)) *driver.Request {
	t.Helper()
	packet, err := psbt.NewFromRawBytes(bytes.NewReader(r.Unsigned), false)
	if err != nil {
		t.Fatal(err)
	}
	change(packet)
	var b bytes.Buffer
	if err := packet.Serialize(&b); err != nil {
		t.Fatal(err)
	}
	r.Unsigned = b.Bytes()
	return r
}

// transfer is a request on an EVM chain: 1.5 ETH, or 250 USDT.
func transfer(t testing.TB, payout schema.PayoutID, nonce uint64, token bool, change func(*evm.Transaction)) *driver.Request {
	t.Helper()
	tx := &evm.Transaction{Chain: eth.Number, Nonce: nonce, Tip: 1e9, Cap: 50e9, Gas: 60_000, Value: new(big.Int)}
	r := &driver.Request{
		Chain: eth, Payout: payout, Places: []driver.Place{{Own: schema.Hot}}, Asset: "ETH", Decimals: 18, Fee: fixed.MustParse("0.003"), Anchor: fmt.Sprint("hot ", nonce),
		Withdrawals: []driver.Paid{{ID: schema.WithdrawalID(100 + payout), Address: payeeEVM, Amount: fixed.MustParse("1.5")}},
	}
	if token {
		r.Asset, r.Contract, r.Decimals, r.Withdrawals[0].Amount = "USDT", usdt, 6, fixed.MustParse("250")
		copy(tx.To[:], unhex(t, usdt[2:]))
		tx.Data = unhex(t, "a9059cbb000000000000000000000000"+payeeEVM[2:]+fmt.Sprintf("%064x", 250_000_000))
	} else {
		copy(tx.To[:], unhex(t, payeeEVM[2:]))
		tx.Value.SetString("1500000000000000000", 10)
	}
	if change != nil {
		change(tx)
	}
	r.Unsigned = tx.Unsigned()
	return r
}
