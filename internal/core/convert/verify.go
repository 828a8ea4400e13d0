package convert

import (
	"errors"
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify holds the inventory against the open quotes, and all that is found by something against what it is found by.
func (c *Conversions) Verify() error {
	for _, check := range []func() error{c.verifyQuotes, c.verifyInventory, c.verifyRecords, c.verifySums} {
		if err := check(); err != nil {
			return fmt.Errorf("conversions: %w", err)
		}
	}
	return nil
}

func (c *Conversions) verifyQuotes() error {
	open, ended := 0, 0
	for place := c.open.First; place != 0; place = c.quotes.At(place).After {
		open++
		if q := c.quotes.At(place); q.ended != 0 || q.id > c.last || c.find(q.account, q.id) != place {
			return fmt.Errorf("quote %d is not open, or not found by its account", q.id)
		}
	}
	for place := c.ended.First; place != 0; place = c.quotes.At(place).After {
		ended++
		if q := c.quotes.At(place); q.ended == 0 || q.id > c.last || c.find(q.account, q.id) != place {
			return fmt.Errorf("quote %d did not end, or is not found by its account", q.id)
		}
	}
	for _, account := range c.accounts.All() {
		known, pairs := c.known[account.ID], map[[2]schema.AssetID]bool{}
		for i, place := range known {
			q := c.quotes.At(place)
			if i > 0 && q.id <= c.quotes.At(known[i-1]).id {
				return fmt.Errorf("quote %d of account %d stands in the wrong place", q.id, account.ID)
			}
			switch pair := [2]schema.AssetID{q.from, q.to}; {
			case q.ended != 0:
				if ended--; i < len(known)-mostKnown {
					return fmt.Errorf("quote %d of account %d should be forgotten", q.id, account.ID)
				}
				continue
			case pairs[pair]:
				return fmt.Errorf("account %d has two quotes of a pair", account.ID)
			default:
				pairs[pair] = true
			}
		}
		if open -= len(pairs); len(pairs) > mostOpen {
			return fmt.Errorf("account %d has %d quotes", account.ID, len(pairs))
		}
	}
	if open != 0 || ended != 0 {
		return errors.New("quotes have no account, or are found twice")
	}
	return nil
}

func (c *Conversions) verifyInventory() error {
	sums := make([]fixed.Decimal, len(c.listing.Assets())+1)
	inFamilies := 0
	for _, account := range c.accounts.All() {
		for _, place := range c.families[account.ID] {
			inFamilies++
			if q := c.quotes.At(place); q.ended != 0 || c.accounts.Root(q.account).ID != account.ID {
				return fmt.Errorf("quote %d is not an open one of family %d", q.id, account.ID)
			}
		}
	}
	for place := c.open.First; place != 0; place = c.quotes.At(place).After {
		q := c.quotes.At(place)
		sums[q.to] = sums[q.to].Add(q.receive)
		inFamilies--
	}
	if inFamilies != 0 {
		return errors.New("open quotes are in no family, or in several")
	}
	for _, asset := range c.listing.Assets() {
		available, frozen, _ := c.ledger.Balance(c.ledger.Find(schema.Convert, schema.Main, asset.ID))
		if frozen != sums[asset.ID] || available.Sign() < 0 {
			return fmt.Errorf("there is %s of %s available and %s frozen, and open quotes pay %s", available, asset.Ticker, frozen, sums[asset.ID])
		}
	}
	return nil
}

func (c *Conversions) verifyRecords() error {
	count := 0
	for place := c.order.First; place != 0; place = c.records.At(place).After {
		count++
		r := c.records.At(place)
		if c.places[r.key] != place || r.done == 0 || r.id > c.last {
			return fmt.Errorf("the record of conversion %d cannot be, or is not found by its key", r.id)
		}
	}
	sum := 0
	for _, account := range c.accounts.All() {
		of := c.counts[account.ID]
		if sum += of; of < 0 || of > mostKeysOf {
			return fmt.Errorf("account %d has %d records", account.ID, of)
		}
	}
	if count != c.kept || count != sum || count != len(c.places) || count > c.MostKeys {
		return fmt.Errorf("there are %d records, and %d are counted", count, c.kept)
	}
	return nil
}

func (c *Conversions) verifySums() error {
	for _, account := range c.accounts.All() {
		for i, list := 0, c.converted[account.ID]; i < len(list); i++ {
			if list[i].Sum.Sign() <= 0 || i > 0 && list[i].Hour <= list[i-1].Hour || account.IsSub() {
				return fmt.Errorf("%s of account %d in hour %d is no sum, or stands in the wrong place", list[i].Sum, account.ID, list[i].Hour)
			}
		}
	}
	for i := 1; i < len(c.results); i++ {
		if c.results[i].Hour <= c.results[i-1].Hour {
			return fmt.Errorf("the result of hour %d stands in the wrong place", c.results[i].Hour)
		}
	}
	if !c.everSet() && (c.last != 0 || len(c.moves) != 0 || len(c.results) != 0) {
		return errors.New("there is something from before they were set")
	}
	return nil
}
