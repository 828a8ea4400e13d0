package bitcoin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// A transaction should be in one of the next blocks. What is not is replaced after as many.
const blocksSoon = 3

// FeeRate is what the node expects the next blocks to cost, in whole satoshi per virtual byte, rounded up. A node that has seen too little
// to know says nothing; then it is 1, which nodes ask for to pass a transaction on.
func (c *Chain) FeeRate(ctx context.Context) (uint64, error) {
	var smart struct {
		FeeRate json.Number `json:"feerate"`
	}
	err := c.call(ctx, &smart, "estimatesmartfee", blocksSoon)
	var no *refusal
	switch {
	case err == nil && smart.FeeRate == "":
		return 1, nil
	case err == nil:
		return rate(smart.FeeRate)
	case !errors.As(err, &no) || no.Code != codeNoMethod:
		return 0, err
	}
	// btcd has another question for it, and refuses to answer while it does not know.
	var plain json.Number
	err = c.call(ctx, &plain, "estimatefee", blocksSoon)
	switch {
	case err == nil:
		return rate(plain)
	case errors.As(err, &no):
		return 1, nil
	}
	return 0, err
}

// rate turns coins per thousand virtual bytes into satoshi per virtual byte.
func rate(n json.Number) (uint64, error) {
	r, err := rational(n)
	if err != nil {
		return 0, err
	}
	r.Mul(r, big.NewRat(1e8, 1000))
	whole, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	switch {
	case whole.Sign() <= 0:
		return 1, nil
	case !whole.IsUint64():
		return 0, fmt.Errorf("%s is no rate of fees", n)
	}
	return whole.Uint64(), nil
}

// rational is a number of JSON, exactly. Nodes write coins with a point, and btcd the smallest with an exponent.
func rational(n json.Number) (*big.Rat, error) {
	_, exponent, _ := strings.Cut(strings.ToLower(n.String()), "e")
	power, err := strconv.Atoi(exponent)
	if exponent != "" && (err != nil || power < -20 || power > 20) || len(n) > 40 {
		return nil, fmt.Errorf("%.40q is no amount", n)
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return nil, fmt.Errorf("%q is no amount", n)
	}
	return r, nil
}
