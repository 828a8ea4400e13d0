package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/network"
	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/network/places"
	"bourse/internal/node"
	"bourse/internal/schema"
)

const (
	scanTransactions = 5000 // of a block, with two outputs each
	scanOurs         = 50   // every how many transactions pay to us
	scanCoins        = 100  // thousands that the exchange has
	scanRounds       = 300
)

// scan reads a block of 10,000 outputs that the node gave, with a million addresses of ours, on one core. The bare scan, which is what
// it is held against, believes the node: it reads the block with the library of the field (btcd's wire) and looks every script up in a
// Go map of a million. The exchange believes nothing: it hashes every transaction with its witness and without it, both merkle roots and the
// header, looks every output up among the addresses of a link and every input among the coins of the log, and writes the receipts out.
// Both take turns, a block each; of each the least disturbed counts. Neither fetches the block, and what a link asks the log for before a
// block is not in it.
//
// Nearly half of the exchange's time is hashes (70,000 blocks of SHA-256, of which 30,000 are the two trees), a fifth the coins. One after
// the other, by crypto/sha256 on a processor without instructions for it, the hashes alone take more than three times as long as the whole bare scan.
func scan(r *report) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	w, err := openScan(million)
	if err != nil {
		return err
	}
	defer w.close()
	bare, whole := time.Duration(1<<62), time.Duration(1<<62)
	for range scanRounds {
		took, err := scanOnce(w.bare)
		if err != nil {
			return err
		}
		bare = min(bare, took)
		if took, err = scanOnce(w.whole); err != nil {
			return err
		}
		whole = min(whole, took)
	}
	rate := func(took time.Duration) float64 { return 1 / took.Seconds() }
	r.add(Result{Name: "wallet.scan", Value: rate(whole), Unit: "blocks/s", Ratio: rate(whole) / rate(bare), RatioTo: "wallet.scan.bare"})
	r.add(Result{Name: "wallet.scan.bare", Value: rate(bare), Unit: "blocks/s"})
	r.add(Result{Name: "wallet.scan.memory", Value: float64(w.indexBytes) / 1e6, Unit: "MB"})
	return nil
}

func scanOnce(scan func() (receipts int, err error)) (time.Duration, error) {
	began := time.Now()
	receipts, err := scan()
	took := time.Since(began)
	if want := scanTransactions / scanOurs; err == nil && receipts != want {
		err = fmt.Errorf("%d receipts, want %d", receipts, want)
	}
	return took, err
}

// scanWorld is a block, and what is ours.
type scanWorld struct {
	raw        []byte
	at         driver.Point
	chain      *bitcoin.Chain
	scripts    map[string]schema.AddressIndex
	ours       scanLookup
	indexBytes uint64
	dir        string
}

// scanLookup is what a link looks things up in.
type scanLookup struct {
	*places.Map
	network.Coins
}

func (scanLookup) Contract([]byte) bool { return false }

func (w *scanWorld) bare() (receipts int, err error) {
	var b wire.MsgBlock
	if err := b.Deserialize(bytes.NewReader(w.raw)); err != nil {
		return 0, err
	}
	for _, tx := range b.Transactions {
		for _, out := range tx.TxOut {
			if _, ours := w.scripts[string(out.PkScript)]; ours {
				receipts++
			}
		}
	}
	return receipts, nil
}

func (w *scanWorld) whole() (receipts int, err error) {
	b, err := w.chain.Scan(w.at, w.raw, w.ours)
	if err != nil {
		return 0, err
	}
	return len(b.Receipts), nil
}

func (w *scanWorld) close() {
	w.ours.Node.Close()
	os.RemoveAll(w.dir)
}

// scanScript is one of many scripts that pay to the hash of a key.
func scanScript(of string, i int) []byte {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(of), uint64(i)))
	return append([]byte{0, 20}, sum[:20]...)
}

// openScan makes a world with so many addresses, to some of which the block pays.
func openScan(addresses int) (*scanWorld, error) {
	chain := schema.Chain{ID: 1, Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}
	w := &scanWorld{scripts: map[string]schema.AddressIndex{}}
	var err error
	if w.chain, err = bitcoin.Dial("http://127.0.0.1:1", chain); err != nil {
		return nil, err
	}
	before := heap()
	w.ours.Map = places.New()
	for i := range addresses {
		if err := w.ours.Add(scanScript("ours", i), driver.Place{Index: schema.AddressIndex(i + 1), Type: schema.Bech32}); err != nil {
			return nil, err
		}
	}
	w.indexBytes = heap() - before
	for i := range addresses {
		w.scripts[string(scanScript("ours", i))] = schema.AddressIndex(i + 1)
	}
	if err := w.mine(); err != nil {
		return nil, err
	}
	if w.dir, err = os.MkdirTemp("", "bourse-bench-scan-*"); err != nil {
		return nil, err
	}
	if w.ours.Coins, err = openCoins(w.dir, chain); err != nil {
		os.RemoveAll(w.dir)
		return nil, err
	}
	return w, nil
}

// mine makes the block, which says that its height is 1: transactions as most are, of one input with a signature and a key as its witness.
func (w *scanWorld) mine() error {
	first := wire.NewMsgTx(2)
	first.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: wire.MaxPrevOutIndex}, []byte{0x51, 0x51}, [][]byte{make([]byte, 32)}))
	first.AddTxOut(wire.NewTxOut(5_000_000_000, scanScript("miner", 0)))
	b := wire.MsgBlock{Header: wire.BlockHeader{Version: 4, Bits: 0x207fffff}, Transactions: []*wire.MsgTx{first}}
	ids, full := make([]chainhash.Hash, 1), make([]chainhash.Hash, 1)
	for i := range scanTransactions {
		tx := wire.NewMsgTx(2)
		tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Hash: sha256.Sum256(scanScript("coin", i))}, nil, [][]byte{make([]byte, 72), make([]byte, 33)}))
		receiver := "others"
		if i%scanOurs == 0 {
			receiver = "ours"
		}
		tx.AddTxOut(wire.NewTxOut(100_000, scanScript("strangers", i)))
		tx.AddTxOut(wire.NewTxOut(100_000, scanScript(receiver, i)))
		b.Transactions = append(b.Transactions, tx)
		ids, full = append(ids, tx.TxHash()), append(full, tx.WitnessHash())
	}
	committed := root(full)
	commitment := chainhash.DoubleHashB(append(committed[:], make([]byte, 32)...))
	first.AddTxOut(wire.NewTxOut(0, append([]byte{0x6a, 36, 0xaa, 0x21, 0xa9, 0xed}, commitment...)))
	ids[0] = first.TxHash()
	b.Header.MerkleRoot = root(ids)
	for b.BlockHash()[chainhash.HashSize-1] >= 0x7f {
		b.Header.Nonce++
	}
	hash := b.BlockHash()
	w.at.Height = 1
	for i := range hash {
		w.at.Hash[i] = hash[len(hash)-1-i]
	}
	var raw bytes.Buffer
	err := b.Serialize(&raw)
	w.raw = raw.Bytes()
	return err
}

// root of the merkle tree over hashes.
func root(level []chainhash.Hash) chainhash.Hash {
	if len(level) == 1 {
		return level[0]
	}
	var above []chainhash.Hash
	for i := 0; i < len(level); i += 2 {
		pair := append(level[i][:], level[min(i+1, len(level)-1)][:]...)
		above = append(above, chainhash.DoubleHashH(pair))
	}
	return root(above)
}

// depositOf is the transaction that made a coin.
func depositOf(i int) [sha256.Size]byte { return sha256.Sum256(scanScript("deposit", i)) }

// openCoins is an exchange that has coins, all at one address.
func openCoins(dir string, chain schema.Chain) (network.Coins, error) {
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		return network.Coins{}, err
	}
	commands := []schema.Command{
		&schema.SetChain{Chain: chain},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 8, Precision: 8,
			Networks: []schema.Network{{Name: "BTC", Chain: 1, CanDeposit: true, Confirmations: 1, ConfirmationsForTrading: 1, Decimals: 8}},
		}},
		&schema.SetAccount{Account: schema.Account{Name: "saver", Region: schema.Global}},
		&schema.OpenAddress{Account: schema.FirstCustomer, Chain: 1},
	}
	var parent schema.Digest
	for i := range uint64(scanCoins) {
		block := &schema.ChainBlock{Chain: 1, Height: i + 1, Parent: parent, Hash: schema.SandboxBlock("BTC", i+1, 1)}
		parent = block.Hash
		for k := range schema.MaxReceipts {
			block.Receipts = append(block.Receipts, schema.Receipt{
				ID: fmt.Sprintf("%x:0", depositOf(int(i)*schema.MaxReceipts+k)), Asset: 1, Amount: fixed.FromInt(1), Index: 1, Text: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
			})
		}
		commands = append(commands, block)
	}
	for _, c := range commands {
		if err = submitScan(n, c); err != nil {
			n.Close()
			return network.Coins{}, err
		}
	}
	return network.Coins{Node: n, Chain: 1}, nil
}

// submitScan gives a command to the log. A block of many deposits leaves work to ticks, which must be done before the next.
func submitScan(n *node.Node, c schema.Command) error {
	for {
		var result schema.Result
		err := n.Submit(context.Background(), c, &result)
		switch {
		case err != nil:
			return err
		case !result.Rejection.Refused():
			return nil
		case result.Rejection.Reason != schema.ChainBusy:
			return fmt.Errorf("%T: %s", c, result.Rejection.Text())
		}
		if err := n.Submit(context.Background(), &schema.Tick{}, &result); err != nil {
			return err
		}
	}
}
