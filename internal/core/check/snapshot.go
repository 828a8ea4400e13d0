package check

import (
	"errors"
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/schema"
)

// Sections are the checks that run, and what is said about addresses.
func (c *Checks) Sections() []product.Section {
	return []product.Section{
		{Tag: product.TagChecks, Name: "checks of addresses", Version: 1, Write: c.writeRunning, Read: c.readRunning},
		{Tag: product.TagVerdicts, Name: "verdicts about addresses", Version: 1, Write: c.writeVerdicts, Read: c.readVerdicts},
		product.Counter(product.TagCheckCounter, "the number of checks", &c.last),
	}
}

func (c *Checks) writeRunning(w *product.Writer) {
	for i := range c.running {
		w.Message(&c.running[i])
	}
}

func (c *Checks) readRunning(r *product.Reader) error {
	for m, err := range product.Messages[schema.Check](r) {
		if err != nil {
			return err
		}
		if n := len(c.running); m.ID <= c.last || n > 0 && m.Created < c.running[n-1].Created {
			return fmt.Errorf("check %d: it stands in the wrong place", m.ID)
		}
		if err := c.valid(m); err != nil {
			return fmt.Errorf("check %d: %w", m.ID, err)
		}
		c.add(m)
		c.last = m.ID
	}
	return nil
}

// valid refuses a running check that no command could have left. Its network may be gone.
func (c *Checks) valid(m *schema.Check) error {
	asset := c.listing.Asset(m.Asset)
	switch {
	case c.accounts.Get(m.Account) == nil || asset == nil || asset.Class != schema.Crypto || !validAddress(m.Address):
		return errors.New("its account, its asset or its address cannot be")
	case m.Status != schema.CheckRunning || m.Checked != 0 || m.Risk != 0 || m.Description != "" || c.counts[m.Account] >= mostRunning:
		return errors.New("it should have ended, or not have begun")
	}
	return nil
}

func (c *Checks) writeVerdicts(w *product.Writer) {
	for i := range c.verdicts {
		w.Message(&c.verdicts[i])
	}
}

func (c *Checks) readVerdicts(r *product.Reader) error {
	for v, err := range product.Messages[schema.AddressVerdict](r) {
		if err != nil {
			return err
		}
		if at, said := c.find(v.Address); said || at != len(c.verdicts) || at == mostVerdicts || !validVerdict(v) {
			return fmt.Errorf("address %q: it cannot be said, stands in the wrong place or twice, or there are too many", v.Address)
		}
		c.verdicts = append(c.verdicts, *v)
	}
	return nil
}

// Verify holds the running checks against their order and their counts, and the verdicts against theirs.
func (c *Checks) Verify() error {
	counts := map[schema.AccountID]int{} // only ever asked
	for i := range c.running {
		check := &c.running[i]
		counts[check.Account]++
		switch {
		case check.ID == 0 || check.ID > c.last || check.Status != schema.CheckRunning:
			return fmt.Errorf("checks: check %d does not run", check.ID)
		case i > 0 && (check.ID <= c.running[i-1].ID || check.Created < c.running[i-1].Created):
			return fmt.Errorf("checks: check %d stands in the wrong place", check.ID)
		}
	}
	if len(counts) != len(c.counts) {
		return fmt.Errorf("checks: %d accounts have some, and %d are counted", len(counts), len(c.counts))
	}
	for i := range c.running {
		account := c.running[i].Account
		if n := counts[account]; n != c.counts[account] || n > mostRunning {
			return fmt.Errorf("checks: account %d has %d, and %d are counted", account, n, c.counts[account])
		}
	}
	for i := range c.verdicts {
		if v := &c.verdicts[i]; !validVerdict(v) || i > 0 && v.Address <= c.verdicts[i-1].Address {
			return fmt.Errorf("checks: the verdict about %q cannot be, or not in this place", v.Address)
		}
	}
	if len(c.verdicts) > mostVerdicts {
		return fmt.Errorf("checks: there are %d verdicts", len(c.verdicts))
	}
	return nil
}
