package bitcoin

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// Key of an address is the script of outputs that pay to it.
func (c *Chain) Key(text string) ([]byte, error) {
	canonical, err := address.Parse(c.space, text)
	if err != nil {
		return nil, err
	}
	decoded, err := btc.DecodeAddress(canonical, c.params)
	if err != nil {
		return nil, err
	}
	return txscript.PayToAddrScript(decoded)
}

// outpoint reads txid:vout.
func outpoint(id string) (out wire.OutPoint, err error) {
	tx, n, _ := strings.Cut(id, ":")
	index, err := strconv.ParseUint(n, 10, 32)
	if err != nil {
		return out, fmt.Errorf("%.100q is no output of a transaction", id)
	}
	out.Index = uint32(index)
	if out.Hash, err = readHash(tx); err != nil {
		return out, fmt.Errorf("%.100q is no output of a transaction", id)
	}
	return out, nil
}

const keyBytes = chainhash.HashSize + 4

func appendKey(dst []byte, out *wire.OutPoint) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, out.Hash[:]...), out.Index)
}

// find finds what is ours in a block. It writes no text for anything that is not.
func (c *Chain) find(at driver.Point, b *block, ours driver.Lookup) *driver.Block {
	found := &driver.Block{Point: at, Parent: digest(b.header.PrevBlock)}
	here := map[string]bool{} // coins that this block made
	for i := range b.txs {
		if i > 0 && b.spends(i, here, ours) {
			found.Spends = append(found.Spends, driver.Spend{Tx: b.ids[i].String()})
		}
		for n, out := range b.outputsOf(i) {
			script := b.script(&out)
			if out.value < dust {
				continue
			}
			place, ok := ours.Place(script)
			if !ok {
				continue
			}
			id := b.ids[i].String()
			here[string(appendKey(nil, &wire.OutPoint{Hash: b.ids[i], Index: uint32(n)}))] = true
			found.Receipts = append(found.Receipts, driver.Receipt{
				ID: schema.OutputID(id, n), Tx: id, Place: place, Text: c.text(script),
				Units: big.NewInt(out.value), Coinbase: i == 0,
			})
		}
	}
	return found
}

// spends reports whether a transaction spends a coin of ours, be it one that its own block made. The lookup is asked for every coin, also behind
// the first of ours: it may note which ones are spent.
func (b *block) spends(i int, here map[string]bool, ours driver.Lookup) (is bool) {
	for _, input := range b.inputsOf(i) {
		coin := b.coin(input)
		if ours.Coin(coin) || len(here) > 0 && here[string(coin)] {
			is = true
		}
	}
	return is
}

// text is the address that a script pays to, in its canonical form.
func (c *Chain) text(script []byte) string {
	_, list, _, err := txscript.ExtractPkScriptAddrs(script, c.params)
	if err != nil || len(list) != 1 { // no key of an address
		panic(fmt.Sprintf("script %x is no address", script))
	}
	return list[0].EncodeAddress()
}
