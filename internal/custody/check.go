package custody

import (
	"errors"
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// ErrRefused is wrapped by what a signer says who has looked at a request and does not sign it. Asking again does not help.
var ErrRefused = errors.New("the signer refuses")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}

// content is what an unsigned transaction really does, whatever the request says about it.
type content struct {
	number   uint64 // of the chain, where transactions name it
	anchor   string // what every variant of the payout spends
	coins    []coin // that it spends
	contract string // of the token that it pays; "": the chain's own asset
	pays     []pay
	fee      fixed.Decimal // in the chain's own asset; where there are accounts, the most that it can be
}

// coin is something that is spent. Where a signature covers the amounts, one that is said to be another later may be a way to hide a fee.
type coin struct {
	id     string
	amount fixed.Decimal
}

type pay struct {
	address string
	units   driver.Units
}

// nativeDecimals are those of the asset that fees are paid in.
var nativeDecimals = map[schema.Family]uint8{schema.Bitcoin: 8, schema.EVM: 18}

// inspect reads the transaction of a request, and refuses it unless it does exactly what the request says: it spends what is at our
// addresses of the request, it pays the withdrawals and our own addresses and nobody else, and it costs no more.
func inspect(k known, r *driver.Request) (*content, error) {
	if r.Chain.Space() != k.own.Space() {
		return nil, refuse("these keys are of another net than %v %v", r.Chain.Family, r.Chain.Net)
	}
	for _, p := range r.Places {
		switch {
		case p.Own.IsCold() && !k.cold:
			return nil, refuse("it spends from cold storage: to the seed of that the public keys of the exchange are brought as %s", HotFile)
		case !p.Own.IsCold() && k.cold:
			return nil, refuse("it spends what is not in cold storage, and this is the seed of cold storage")
		}
	}
	var is *content
	var err error
	if r.Chain.Family == schema.Bitcoin {
		is, err = readBitcoin(k.own, r)
	} else {
		is, err = readEVM(k.own, r)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case is.number != r.Chain.Number:
		return nil, refuse("the transaction is for the chain with number %d, not %d", is.number, r.Chain.Number)
	case is.contract != contractOf(r):
		return nil, refuse("the transaction pays %s, not %s", token(is.contract), token(r.Contract))
	case r.Fee.Less(is.fee):
		return nil, refuse("the transaction costs %s, not %s", is.fee, r.Fee)
	}
	return is, paysExactly(k.Ring, r, is)
}

// contractOf is the contract of a request as it is written here: settings may have it in small letters.
func contractOf(r *driver.Request) string {
	if canonical, err := address.Parse(r.Chain.Space(), r.Contract); err == nil {
		return canonical
	}
	return r.Contract
}

func token(contract string) string {
	if contract == "" {
		return "the chain's own asset"
	}
	return "the token " + contract
}

// paysExactly holds what a transaction pays against what the request says: the withdrawals in their order, then what is ours.
func paysExactly(ours Ring, r *driver.Request, is *content) error {
	if want := len(r.Withdrawals) + len(r.Owns); len(is.pays) != want {
		return refuse("the transaction has %d outputs, and the request %d", len(is.pays), want)
	}
	for i, w := range r.Withdrawals {
		if w.Memo != "" {
			return refuse("withdrawal %d has a memo, which %v chains have not", w.ID, r.Chain.Family)
		}
		if err := is.pays[i].is(w.Address, w.Amount, r.Decimals); err != nil {
			return refuse("withdrawal %d: %w", w.ID, err)
		}
	}
	for i, o := range r.Owns {
		if r.Chain.Family == schema.Bitcoin && o.Index != 0 {
			return refuse("change goes to addresses of the exchange itself, not to those of customers")
		}
		text, _, err := ours.Address(driver.Place{Index: o.Index, Own: o.Own})
		if err != nil {
			return refuse("an own output: %w", err)
		}
		if err := is.pays[len(r.Withdrawals)+i].is(text, o.Amount, r.Decimals); err != nil {
			return refuse("an own output: %w", err)
		}
	}
	return nil
}

func (y *pay) is(address string, amount fixed.Decimal, decimals uint8) error {
	units, ok := driver.UnitsOf(amount, decimals)
	switch {
	case y.address != address:
		return fmt.Errorf("the transaction pays %s instead of %s", y.address, address)
	case !ok || units.Cmp(y.units) != 0:
		return fmt.Errorf("the transaction pays %s units to %s instead of %s", y.units, address, amount)
	}
	return nil
}
