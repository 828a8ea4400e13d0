package evm

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"

	"bourse/internal/network/driver"
)

const (
	gasPlain = 21_000  // of a payment of the chain's own asset that executes nothing, on most chains
	gasMost  = 200_000 // a payment that needs more is none that we make
	// gasSpare is added to what the node says where something is executed: who is paid may have nothing left of a token when the
	// transaction is mined, and a balance that was zero costs so much more to write.
	gasSpare = 20_000
)

// Compose implements driver.Chain: one payment of one account.
func (c *Chain) Compose(ctx context.Context, o *driver.Order) (*driver.Draft, error) {
	p, err := c.plan(o)
	if err != nil {
		return nil, err
	}
	a, err := c.inquire(ctx, p, o.Least > 0)
	if err != nil {
		return nil, err
	}
	if err := p.bid(a.tip, o); err != nil {
		return nil, err
	}
	// Whether there is enough comes before whether it can be done: without enough it never can.
	p.Gas = max(a.gas, gasPlain)
	most := new(big.Int).Mul(new(big.Int).SetUint64(p.Gas), new(big.Int).SetUint64(p.Cap))
	needs := new(big.Int).Add(p.Value, most)
	switch {
	case a.native.Cmp(needs) < 0:
		return nil, fmt.Errorf("%s has %s wei, %s are needed: %w", o.From, a.native, needs, driver.ErrFunds)
	case p.token != nil && a.tokens.Cmp(p.units) < 0:
		return nil, fmt.Errorf("%s has %s units of %s, %s are needed: %w", o.From, a.tokens, o.Contract, p.units, driver.ErrFunds)
	case a.fault != nil:
		return nil, a.fault
	}
	fee, ok := driver.Amount(most, decimals)
	if !ok {
		return nil, fmt.Errorf("a fee of %s wei is more than can be counted", most)
	}
	return &driver.Draft{Fee: fee, Unsigned: p.Unsigned()}, nil
}

// Bid implements driver.Chain.
func (*Chain) Bid(unsigned []byte) (uint64, error) {
	t, err := ReadUnsigned(unsigned)
	if err != nil {
		return 0, err
	}
	return t.Cap, nil
}

// Size implements driver.Chain: the fee is for gas.
func (*Chain) Size([]byte) (uint64, error) { return 0, nil }

// plan is a transaction on its way to be one.
type plan struct {
	Transaction
	from  account
	token *account
	units driver.Units
}

func (c *Chain) plan(o *driver.Order) (*plan, error) {
	if len(o.Pays) != 1 {
		return nil, fmt.Errorf("a transaction pays one receiver, and not %d", len(o.Pays))
	}
	token, places, err := asset(o.Contract, o.Decimals)
	if err != nil {
		return nil, err
	}
	p := &plan{token: token}
	p.Chain, p.Nonce, p.Value = c.chain.Number, o.Nonce, new(big.Int)
	from, err := parsed(o.From)
	if err != nil {
		return nil, err
	}
	payee, err := parsed(o.Pays[0].Address)
	if err != nil {
		return nil, err
	}
	p.from = from
	units, ok := driver.UnitsOf(o.Pays[0].Amount, places)
	if !ok {
		return nil, fmt.Errorf("%s is not an amount with %d decimals", o.Pays[0].Amount, places)
	}
	p.units = units
	if token == nil {
		p.To, p.Value = payee, units
		return p, nil
	}
	p.To, p.Data = *token, transferData(payee, units)
	return p, nil
}

// answers are what the node says about a plan.
type answers struct {
	tip, gas       uint64
	native, tokens *big.Int
	fault          error // instead of gas: it cannot be done, or the node does not know
}

// inquire asks the node all that a plan depends on. One that replaces another is looked at in the last block: in the state with what
// waits taken as mined, the other has paid already.
func (c *Chain) inquire(ctx context.Context, p *plan, replaces bool) (*answers, error) {
	var native, tokens, proposed, gas quantity
	states := []string{pending, latest}
	if replaces {
		states = states[1:]
	}
	state, err := c.now(ctx, states, func(state string) []*call {
		questions := []*call{balance(p.from, nil, state, &native)}
		if p.token != nil {
			questions = append(questions, balance(p.from, p.token, state, &tokens))
		}
		return questions
	})
	if err != nil {
		return nil, err
	}
	var a answers
	if a.native, err = native.units(); err != nil {
		return nil, fmt.Errorf("balance of %s: %w", written(p.from), err)
	}
	if p.token != nil {
		if a.tokens, err = tokens.units(); err != nil {
			return nil, fmt.Errorf("balance of %s in %s: %w", written(p.from), written(*p.token), err)
		}
	}
	tip, estimate := askTip(&proposed), ask("eth_estimateGas", &gas, p.request(), state)
	if err := c.node.many(ctx, []*call{tip, estimate}); err != nil {
		return nil, err
	}
	if a.tip, err = tipOf(tip, proposed); err != nil {
		return nil, err
	}
	a.gas, a.fault = gasOf(estimate, gas)
	return &a, nil
}

// request is a plan as nodes are asked about it. No fee is named: whether the account can pay that is not what they are asked.
func (p *plan) request() map[string]string {
	request := map[string]string{"from": written(p.from), "to": written(p.To), "value": hexBig(p.Value), "gas": hexUint(gasMost)}
	if len(p.Data) > 0 {
		request["data"] = hexBytes(p.Data)
	}
	return request
}

// saysFails is what nodes say, in small letters, about what they tried to execute; the code for it is not everywhere the same.
var saysFails = []string{"revert", "gas required exceeds", "out of gas", "outofgas", "invalid opcode", "evm error", "stack underflow", "halt"}

// gasOf is how much gas may be used, from what the node thinks that it needs.
func gasOf(estimate *call, gas quantity) (uint64, error) {
	if f := estimate.fault; f != nil && (f.Code == codeReverted || says(f, saysFails)) {
		return 0, fmt.Errorf("%w: %w", driver.ErrCannot, estimate.err())
	}
	if err := estimate.err(); err != nil {
		return 0, err
	}
	n, err := gas.uint()
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", estimate.method, err)
	case n > gasMost:
		return 0, fmt.Errorf("%w: it needs %d gas, and may use %d", driver.ErrCannot, n, gasMost)
	case n == gasPlain:
		return n, nil
	}
	return min(n+gasSpare, gasMost), nil
}

// bid sets what is offered per gas. A node takes a transaction in place of another only if both the cap and the tip are higher by
// a tenth, which here is a quarter. The tip is what the node proposes, and an eighth of the cap at least. That of the transaction that
// is replaced is not known here, but it was not above its cap: so a replacement tips a quarter more than that cap. It costs no more than
// its own cap, like any other.
func (p *plan) bid(proposed uint64, o *driver.Order) error {
	raised, carry := bits.Add64(o.Least, o.Least/4, min(o.Least%4, 1)) // rounded up
	p.Cap = max(o.Rate, raised)
	if carry > 0 || (o.Chain.FeeRateMax > 0 && p.Cap > o.Chain.FeeRateMax) {
		return fmt.Errorf("a bid of %d wei for gas, in place of one of %d, is above the most: %d", p.Cap, o.Least, o.Chain.FeeRateMax)
	}
	p.Tip = min(p.Cap, max(proposed, p.Cap/8, raised))
	return nil
}
