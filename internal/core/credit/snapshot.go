package credit

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// Sections are the credits.
func (c *Credits) Sections() []product.Section {
	return []product.Section{{Tag: product.TagCredits, Name: "credits", Version: 1, Write: c.write, Read: c.read}}
}

func (c *Credits) write(w *product.Writer) {
	for _, credit := range c.All() {
		w.Message(&credit)
	}
}

func (c *Credits) read(r *product.Reader) error {
	last := schema.AccountID(0)
	for m, err := range product.Messages[schema.Credit](r) {
		if err != nil {
			return err
		}
		if m.Account <= last {
			return fmt.Errorf("account %d: it stands there twice, or in the wrong place", m.Account)
		}
		if err := c.check(m); err != nil {
			return fmt.Errorf("account %d: %w", m.Account, err)
		}
		credit := *m
		c.active[m.Account], last = &credit, m.Account
	}
	return nil
}

// check refuses a credit that no command could have left.
func (c *Credits) check(m *schema.Credit) error {
	asset := c.listing.Asset(m.Asset)
	switch {
	case c.accounts.Get(m.Account) == nil || asset == nil:
		return errors.New("the account or the asset of its credit is not there")
	case m.Amount.Sign() <= 0 || m.Amount.Decimals() > int(asset.Scale):
		return errors.New("the amount of its credit cannot be")
	case m.Funding.Sign() < 0 || m.Funding.Decimals() > int(asset.Scale):
		return errors.New("the interest of its credit cannot be")
	case !percents(m.Initial, m.MarginCall, m.Liquidation):
		return errors.New("the percents of its credit cannot be")
	}
	return nil
}

// Verify checks each credit.
func (c *Credits) Verify() error {
	count := 0
	for _, account := range c.accounts.All() {
		credit := c.active[account.ID]
		if credit == nil {
			continue
		}
		count++
		if credit.Account != account.ID {
			return fmt.Errorf("credits: that of account %d is found by %d", credit.Account, account.ID)
		}
		if err := c.check(credit); err != nil {
			return fmt.Errorf("credits: account %d: %w", account.ID, err)
		}
	}
	if count != len(c.active) {
		return fmt.Errorf("credits: %d of %d have an account", count, len(c.active))
	}
	return nil
}
