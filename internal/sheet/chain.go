package sheet

import (
	"errors"
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Chain is a network of blocks; see schema.Chain.
type Chain struct {
	Name     string `json:"name"`
	Driver   string `json:"driver"`   // sandbox, provider, or of a chain that others live on: bitcoin, evm
	Family   string `json:"family"`   // bitcoin, evm, tron, xrp, solana, ton
	Net      string `json:"net"`      // mainnet, testnet, signet, regtest, simnet
	Interval Number `json:"interval"` // seconds between blocks that come by themselves; 0: none do
	Paused   bool   `json:"paused"`
	Stuck    bool   `json:"stuck"` // blocks of a sandbox pay nothing out
	// Number is the chain id of an evm chain, FeeRateMax the most that is bid for a virtual byte (satoshi) or gas (wei); 0: no bound.
	Number     uint64 `json:"number"`
	FeeRateMax uint64 `json:"fee_rate_max"`
}

// ChainOf is the sheet of a chain.
func ChainOf(c *schema.Chain) Chain {
	s := Chain{
		Name: c.Name, Driver: c.Driver.String(), Family: c.Family.String(), Net: c.Net.String(),
		Interval: Number{fixed.FromUnits(int64(c.Interval), microseconds)}, Paused: c.Paused, Stuck: c.Stuck,
		Number: c.Number, FeeRateMax: c.FeeRateMax,
	}
	if c.Driver == schema.Provider { // which has no addresses
		s.Family, s.Net = "", ""
	}
	return s
}

// microseconds are the decimals of a second that a time knows.
const microseconds = 6

// Command names the chain or changes it.
func (s *Chain) Command() (*schema.SetChain, error) {
	driver, err := choice("a driver", s.Driver, schema.Sandbox, schema.BitcoinNode, schema.EVMNode, schema.Provider)
	switch {
	case err == nil && driver == schema.Provider:
		return s.provider()
	case err == nil && driver == schema.EVMNode && s.Number == 0:
		err = errors.New("an evm chain has a number, its chain id, such as 1")
	}
	c := schema.Chain{Name: s.Name, Driver: driver, Paused: s.Paused, Stuck: s.Stuck, Number: s.Number, FeeRateMax: s.FeeRateMax}
	if err == nil {
		c.Family, err = choice("a family", s.Family, schema.Bitcoin, schema.EVM, schema.TRON, schema.XRP, schema.Solana, schema.TON)
	}
	if err == nil {
		c.Net, err = choice("a net", s.Net, schema.Mainnet, schema.Testnet, schema.Signet, schema.Regtest, schema.Simnet)
	}
	if interval, exact := s.Interval.Units(microseconds); exact {
		c.Interval = schema.Time(interval)
	} else if err == nil {
		err = fmt.Errorf("the interval is in seconds, with at most %d decimals, not %s", microseconds, s.Interval)
	}
	if err != nil {
		return nil, fmt.Errorf("chain %s: %w", s.Name, err)
	}
	return &schema.SetChain{Chain: c}, nil
}

// provider names a payment provider or changes it. What only chains of blocks have it must not have.
func (s *Chain) provider() (*schema.SetChain, error) {
	if s.Family != "" || s.Net != "" || s.Interval.Sign() != 0 || s.Stuck {
		return nil, fmt.Errorf("chain %s: a provider has no family, no net and no blocks", s.Name)
	}
	return &schema.SetChain{Chain: schema.Chain{Name: s.Name, Driver: schema.Provider, Paused: s.Paused}}, nil
}

// Chains is where chains are looked up.
type Chains interface {
	Get(schema.ChainID) *schema.Chain
	ByName(string) *schema.Chain
}

// ParseDepositStatus reads the name of a status of deposits that come by chains.
func ParseDepositStatus(word string) (schema.DepositStatus, error) {
	return choice("a status", word, schema.DepositConfirming, schema.DepositHeld, schema.DepositCredited, schema.DepositUncredited,
		schema.DepositFrozen, schema.DepositCanceled, schema.DepositLost, schema.DepositTravel, schema.DepositReview)
}

// ParseDecision reads the name of a decision about such a deposit.
func ParseDecision(word string) (schema.Decision, error) {
	return choice("a decision", word, schema.CreditDeposit, schema.CancelDeposit, schema.FreezeDeposit)
}

// ParseWithdrawalStatus reads the name of a status of withdrawals by chains.
func ParseWithdrawalStatus(word string) (schema.WithdrawalStatus, error) {
	return choice("a status", word, schema.WithdrawalReview, schema.WithdrawalFrozen, schema.WithdrawalQueued, schema.WithdrawalSent,
		schema.WithdrawalMined, schema.WithdrawalDone, schema.WithdrawalCanceled, schema.WithdrawalPlanned, schema.WithdrawalPartial,
		schema.WithdrawalUnconfirmed)
}

// ParseInvoiceStatus reads the name of a status of invoices that are kept.
func ParseInvoiceStatus(word string) (schema.InvoiceStatus, error) {
	return choice("a status", word, schema.InvoiceOpen, schema.InvoiceSuspended)
}

// ParseVerdict reads the name of a decision about such a withdrawal.
func ParseVerdict(word string) (schema.Verdict, error) {
	return choice("a decision", word, schema.ApproveWithdrawal, schema.CancelWithdrawal, schema.FreezeWithdrawal, schema.ReleaseWithdrawal, schema.SignWithdrawal)
}

// ParseRisk reads the name of a risk of an address.
func ParseRisk(word string) (schema.Risk, error) {
	return choice("a risk", word, schema.LowRisk, schema.MediumRisk, schema.HighRisk)
}
