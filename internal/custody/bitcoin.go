package custody

import (
	"math/big"
	"slices"

	"bourse/internal/network/bitcoin"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// readBitcoin reads a PSBT (BIP174). Its anchor is a coin. What coins are worth is only said there; but the signature of each input covers its
// amount, so a transaction with a wrong one is worth nothing.
func readBitcoin(p Public, r *driver.Request) (*content, error) {
	tx, err := bitcoin.ReadUnsigned(r.Chain.Net, r.Unsigned)
	if err != nil {
		return nil, refuse("the PSBT cannot be read: %w", err)
	}
	if len(tx.Inputs) != len(r.Places) {
		return nil, refuse("the transaction has %d inputs, and the request %d", len(tx.Inputs), len(r.Places))
	}
	is := &content{anchor: r.Anchor}
	cost := new(big.Int)
	for i, in := range tx.Inputs {
		if ours, _, err := p.Address(r.Places[i]); err != nil || ours != in.Address {
			return nil, refuse("input %s is at %s, which is not our address of the request", in.ID, in.Address)
		}
		amount, ok := driver.Amount(in.Units, nativeDecimals[schema.Bitcoin])
		if !ok {
			return nil, refuse("input %s cannot be worth %s satoshi", in.ID, in.Units)
		}
		is.coins = append(is.coins, coin{in.ID, amount})
		cost.Add(cost, in.Units)
	}
	if !slices.ContainsFunc(is.coins, func(c coin) bool { return c.id == r.Anchor }) {
		return nil, refuse("the transaction does not spend %q", r.Anchor)
	}
	for _, out := range tx.Outputs {
		is.pays = append(is.pays, pay{out.Address, out.Units})
		cost.Sub(cost, out.Units)
	}
	var ok bool
	if is.fee, ok = driver.Amount(cost, nativeDecimals[schema.Bitcoin]); cost.Sign() < 0 || !ok {
		return nil, refuse("the transaction pays more than it spends")
	}
	return is, nil
}
