package custody

import (
	"fmt"
	"math/big"

	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/schema"
)

// readEVM reads what is signed of a transaction (EIP-1559). Its anchor is the account that pays and the number of its transaction.
func readEVM(p Public, r *driver.Request) (*content, error) {
	tx, err := evm.ReadUnsigned(r.Unsigned)
	if err != nil {
		return nil, refuse("the transaction cannot be read: %w", err)
	}
	if len(r.Places) != 1 {
		return nil, refuse("a transaction has one account that pays, and the request has %d", len(r.Places))
	}
	from, _, err := p.Address(r.Places[0])
	if err != nil {
		return nil, refuse("the account that pays: %w", err)
	}
	to, contract, units, ok := tx.Payment()
	if !ok {
		return nil, refuse("the transaction does something else than to pay")
	}
	cost := new(big.Int).Mul(new(big.Int).SetUint64(tx.Gas), new(big.Int).SetUint64(tx.Cap))
	fee, ok := driver.Amount(cost, nativeDecimals[schema.EVM])
	if !ok {
		return nil, refuse("the transaction may cost %s wei, which is more than can be", cost)
	}
	return &content{number: tx.Chain, anchor: fmt.Sprintf("%s %d", from, tx.Nonce), contract: contract, pays: []pay{{to, units}}, fee: fee}, nil
}
