package bench

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

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
// Go map of a million (bitcoin.Bare). The exchange believes nothing: it hashes every transaction with its witness and without it, both merkle roots and the
// header, looks every output up among the addresses of a link and every input among the coins of the log, and writes the receipts out.
// Both take turns, a block each; of each the least disturbed counts. Neither fetches the block, and what a link asks the log for before a
// block is not in it.
//
// Nearly half of the exchange's time is hashes (70,000 blocks of SHA-256, of which 30,000 are the two trees), a sixth the coins. One after
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

func (w *scanWorld) bare() (receipts int, err error) { return bitcoin.Bare(w.raw, w.scripts) }

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
	w.mine()
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
func (w *scanWorld) mine() {
	ids, full := make([]hash256, 1), make([]hash256, 1) // the coinbase is first
	var rest []byte
	for i := range scanTransactions {
		receiver := "others"
		if i%scanOurs == 0 {
			receiver = "ours"
		}
		coin := sha256.Sum256(scanScript("coin", i))
		base := slices.Concat([]byte{1}, coin[:], make([]byte, 4+1), lastInput[:], []byte{2},
			paid(100_000, scanScript("strangers", i)), paid(100_000, scanScript(receiver, i)))
		witness := slices.Concat([]byte{2, 72}, make([]byte, 72), []byte{33}, make([]byte, 33))
		plain, whole := transactionOf(base, witness)
		ids, full = append(ids, double(plain)), append(full, double(whole))
		rest = append(rest, whole...)
	}
	reserved := make([]byte, 32)
	witnesses := root(full)
	commitment := double(append(witnesses[:], reserved...))
	coinbase := slices.Concat([]byte{1}, make([]byte, 32), lastInput[:], []byte{2, 0x51, 0x51}, lastInput[:], []byte{2},
		paid(5_000_000_000, scanScript("miner", 0)), paid(0, append([]byte{0x6a, 36, 0xaa, 0x21, 0xa9, 0xed}, commitment[:]...)))
	plain, whole := transactionOf(coinbase, append([]byte{1, 32}, reserved...))
	ids[0] = double(plain)
	transactions := root(ids)
	header := slices.Concat([]byte{4, 0, 0, 0}, make([]byte, 32), transactions[:], make([]byte, 4), []byte{0xff, 0xff, 0x7f, 0x20}, make([]byte, 4))
	for double(header)[sha256.Size-1] >= 0x7f {
		header[79]++
	}
	w.at = driver.Point{Height: 1, Hash: schema.Digest(double(header))}
	slices.Reverse(w.at.Hash[:])
	w.raw = slices.Concat(header, binary.LittleEndian.AppendUint16([]byte{0xfd}, scanTransactions+1), whole, rest)
}

type hash256 = [sha256.Size]byte

// double is the hash of blocks and transactions.
func double(message []byte) hash256 {
	first := sha256.Sum256(message)
	return sha256.Sum256(first[:])
}

// lastInput is a sequence that means nothing, and the number of the output that a coinbase spends.
var lastInput = [4]byte{0xff, 0xff, 0xff, 0xff}

// paid is an output.
func paid(satoshi uint64, script []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, satoshi), byte(len(script))), script...)
}

// transactionOf inputs and outputs, without its witness and with it.
func transactionOf(base, witness []byte) (plain, whole []byte) {
	version, lockTime := []byte{2, 0, 0, 0}, make([]byte, 4)
	return slices.Concat(version, base, lockTime), slices.Concat(version, []byte{0, 1}, base, witness, lockTime)
}

// root of the merkle tree over hashes.
func root(level []hash256) hash256 {
	if len(level) == 1 {
		return level[0]
	}
	var above []hash256
	for i := 0; i < len(level); i += 2 {
		right := level[min(i+1, len(level)-1)]
		above = append(above, double(append(level[i][:], right[:]...)))
	}
	return root(above)
}

// depositOf is the transaction that made a coin.
func depositOf(i int) hash256 { return sha256.Sum256(scanScript("deposit", i)) }

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
