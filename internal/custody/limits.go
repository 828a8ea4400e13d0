package custody

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/network/address"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// LimitsFile of a signer's directory says what it signs. People write it on the signer's machine; nothing that an exchange sends changes it.
const LimitsFile = "limits.json"

// Limits are what a signer signs: the chains that it knows by the names that the exchange gives them, and how much may leave.
type Limits struct {
	// Operators have the public keys of those whose signatures count, by the names by which the exchange knows them.
	Operators map[string]string       `json:"operators,omitempty"`
	Chains    map[string]*ChainLimits `json:"chains"`

	keys map[string]ed25519.PublicKey
}

// ChainLimits are what a signer signs on a chain.
type ChainLimits struct {
	Family string `json:"family"` // bitcoin or evm
	Net    string `json:"net"`    // mainnet, testnet, signet, regtest, simnet
	Number uint64 `json:"number,omitempty"`
	// Fee is the most that a transaction may cost, FeeDay all that are signed in 24 hours, in the chain's own asset.
	Fee    string                  `json:"fee"`
	FeeDay string                  `json:"feeDay"`
	Assets map[string]*AssetLimits `json:"assets"`

	space       schema.Space
	fee, feeDay fixed.Decimal
}

// AssetLimits bound what leaves of an asset by a chain: by one payout, in an hour of the clock, and in that and the 23 before it. A withdrawal
// above ApproveAbove must be signed by an operator, one above Approve2Above by two; "": by nobody.
type AssetLimits struct {
	Contract string `json:"contract,omitempty"` // of a token
	Decimals uint8  `json:"decimals"`
	Payout   string `json:"payout"`
	Hour     string `json:"hour"`
	Day      string `json:"day"`

	ApproveAbove  string `json:"approveAbove,omitempty"`
	Approve2Above string `json:"approve2Above,omitempty"`

	payout, hour, day           fixed.Decimal
	approveAbove, approve2Above *fixed.Decimal // nil: no bound
}

// emptyLimits is the file of a new signer, which signs nothing.
const emptyLimits = `{
  "chains": {}
}
`

// ReadLimits reads a file of limits. What it does not know is an error: a limit that is misspelled is none.
func ReadLimits(path string) (*Limits, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the limits: %w", err)
	}
	var l Limits
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&l); err == nil {
		err = l.settle()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &l, nil
}

func (l *Limits) settle() error {
	l.keys = map[string]ed25519.PublicKey{}
	by := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(l.Operators)) {
		key, err := parsePublicText(l.Operators[name])
		if err != nil {
			return fmt.Errorf("operator %s: %w", name, err)
		}
		if other, known := by[string(key)]; known {
			return fmt.Errorf("operators %s and %s have the same key: one could sign for both", other, name)
		}
		l.keys[name], by[string(key)] = key, name
	}
	for name, c := range l.Chains {
		if c == nil {
			return fmt.Errorf("chain %s: it says nothing", name)
		}
		if err := c.settle(len(l.keys)); err != nil {
			return fmt.Errorf("chain %s: %w", name, err)
		}
	}
	return nil
}

// settle reads the texts. So many operators can sign.
func (c *ChainLimits) settle(operators int) (err error) {
	if c.space, err = ParseSpace(c.Family, c.Net); err != nil {
		return err
	}
	if (c.Number != 0) != (c.space.Family == schema.EVM) {
		return fmt.Errorf("its number is %d; an evm chain has one, others none", c.Number)
	}
	if c.fee, err = positive("fee", c.Fee); err != nil {
		return err
	}
	if c.feeDay, err = positive("feeDay", c.FeeDay); err != nil {
		return err
	}
	for name, a := range c.Assets {
		if a == nil {
			return fmt.Errorf("asset %s: it says nothing", name)
		}
		if err := a.settle(c.space, operators); err != nil {
			return fmt.Errorf("asset %s: %w", name, err)
		}
	}
	return nil
}

func (a *AssetLimits) settle(space schema.Space, operators int) (err error) {
	switch {
	case a.Decimals < 1 || a.Decimals > fixed.Places:
		return fmt.Errorf("it has %d decimals; there must be 1 to %d", a.Decimals, fixed.Places)
	case a.Contract == "" && a.Decimals != nativeDecimals[space.Family]:
		return fmt.Errorf("it has %d decimals; the own asset of %v chains has %d", a.Decimals, space.Family, nativeDecimals[space.Family])
	case a.Contract != "" && space.Family != schema.EVM:
		return fmt.Errorf("%v chains have no tokens", space.Family)
	}
	if a.Contract != "" {
		if a.Contract, err = address.Parse(space, a.Contract); err != nil {
			return fmt.Errorf("contract: %w", err)
		}
	}
	if a.payout, err = positive("payout", a.Payout); err != nil {
		return err
	}
	if a.hour, err = positive("hour", a.Hour); err != nil {
		return err
	}
	if a.day, err = positive("day", a.Day); err != nil {
		return err
	}
	return a.settleApprovals(operators)
}

// settleApprovals reads from where on signatures are needed. What nobody could sign is an error now, and not when somebody waits for it.
func (a *AssetLimits) settleApprovals(operators int) (err error) {
	if a.approveAbove, err = bound("approveAbove", a.ApproveAbove); err != nil {
		return err
	}
	if a.approve2Above, err = bound("approve2Above", a.Approve2Above); err != nil {
		return err
	}
	switch {
	case a.approveAbove != nil && operators < 1:
		return errors.New("approveAbove needs the key of an operator in \"operators\"")
	case a.approve2Above != nil && operators < 2:
		return errors.New("approve2Above needs the keys of two operators in \"operators\"")
	case a.approveAbove != nil && a.approve2Above != nil && a.approve2Above.Less(*a.approveAbove):
		return fmt.Errorf("approve2Above is %s, which is below approveAbove, %s", a.Approve2Above, a.ApproveAbove)
	}
	return nil
}

// bound reads a bound that may be left out. Zero is one: everything is above it.
func bound(name, text string) (*fixed.Decimal, error) {
	if text == "" {
		return nil, nil
	}
	d, err := fixed.Parse(text)
	if err != nil || d.Sign() < 0 {
		return nil, fmt.Errorf("%s is %q; it must be a number from zero on, in quotation marks, or be left out", name, text)
	}
	return &d, nil
}

func positive(name, text string) (fixed.Decimal, error) {
	d, err := fixed.Parse(text)
	if err != nil || d.Sign() <= 0 {
		return d, fmt.Errorf("%s is %q; it must be a number above zero, in quotation marks", name, text)
	}
	return d, nil
}

// ParseSpace reads the names of a family that there are keys for, and of a net.
func ParseSpace(family, net string) (s schema.Space, err error) {
	for _, f := range []schema.Family{schema.Bitcoin, schema.EVM} {
		if f.String() == family {
			s.Family = f
		}
	}
	for n := schema.Mainnet; schema.Valid(n); n++ {
		if n.String() == net {
			s.Net = n
		}
	}
	if s.Family == 0 || s.Net == 0 {
		return s, fmt.Errorf("%q %q is none of bitcoin or evm with mainnet, testnet, signet, regtest or simnet", family, net)
	}
	return s, nil
}

// of are the limits for a request. Names, numbers, contracts and decimals must be those that people wrote down here.
func (l *Limits) of(r *driver.Request) (*ChainLimits, *AssetLimits, error) {
	c := l.Chains[r.Chain.Name]
	if c == nil {
		return nil, nil, refuse("there are no limits for chain %q in %s", r.Chain.Name, LimitsFile)
	}
	if r.Chain.Space() != c.space || r.Chain.Number != c.Number {
		return nil, nil, refuse("chain %s is %v with number %d here, not %v with number %d", r.Chain.Name, c.space, c.Number, r.Chain.Space(), r.Chain.Number)
	}
	a := c.Assets[r.Asset]
	if a == nil {
		return nil, nil, refuse("there are no limits for asset %q on chain %s in %s", r.Asset, r.Chain.Name, LimitsFile)
	}
	if contractOf(r) != a.Contract || r.Decimals != a.Decimals {
		return nil, nil, refuse("asset %s is %s with %d decimals here, not %s with %d", r.Asset, token(a.Contract), a.Decimals, token(r.Contract), r.Decimals)
	}
	return c, a, nil
}
