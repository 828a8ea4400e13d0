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
		if i > 0 {
			if coins := b.spends(i, here, ours); len(coins) > 0 {
				found.Spends = append(found.Spends, driver.Spend{Tx: b.ids[i].String(), Coins: coins})
			}
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

// spends are the coins of ours that a transaction spends, those that its own block made among them.
func (b *block) spends(i int, here map[string]bool, ours driver.Lookup) (coins []string) {
	for _, input := range b.inputsOf(i) {
		key := b.coin(input)
		if ours.Coin(key) || len(here) > 0 && here[string(key)] {
			id, _ := driver.CoinID(key)
			coins = append(coins, id)
		}
	}
	return coins
}

// text is the address that a script pays to, in its canonical form.
func (c *Chain) text(script []byte) string {
	_, list, _, err := txscript.ExtractPkScriptAddrs(script, c.params)
	if err != nil || len(list) != 1 { // no key of an address
		panic(fmt.Sprintf("script %x is no address", script))
	}
	return list[0].EncodeAddress()
}
