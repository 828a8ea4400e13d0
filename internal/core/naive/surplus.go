package naive

import (
	"fmt"

	"bourse/internal/schema"
)

// bookSurplus makes a deposit of money that is ours and came without a block, when two operators, one after the other, say the same.
func (s *chains) bookSurplus(b *schema.BookSurplus) schema.Result {
	if s.call.operator == "" {
		return reject(because(schema.OperatorMissing))
	}
	c, r := s.heard(b.Chain)
	if refused(r) {
		return reject(r)
	}
	receipt := s.receiptOf(c, b)
	if len(c.points) == 0 || c.incomplete != nil || (b.Coin != "") != c.hasCoins() || s.isKnown(c, receipt.ID) || !s.validReceipts(c, []schema.Receipt{receipt}) {
		return reject(because(schema.SurplusInvalid))
	}
	twice, r := c.say(claim{operator: s.call.operator, surplus: *b})
	if !twice {
		return reject(r)
	}
	s.comeBySurplus(c, receipt)
	return schema.Result{ID: uint64(s.lastDeposit)}
}

// receiptOf is the receipt as which a surplus is booked.
func (s *chains) receiptOf(c *chain, b *schema.BookSurplus) schema.Receipt {
	id := b.Coin
	if !c.hasCoins() {
		id = fmt.Sprintf("surplus:%d", s.lastDeposit+1)
	}
	return schema.Receipt{ID: id, Asset: b.Asset, Amount: b.Amount, Index: b.Index, Own: b.Own, Text: b.Text}
}

// isKnown reports whether a receipt is that of a deposit, or where there are coins one of them, wherever its block is.
func (s *chains) isKnown(c *chain, id string) bool {
	if s.withReceipt(c, id) != nil {
		return true
	}
	for _, asset := range s.listing.assets {
		if s.coin(c, asset.ID, id) != nil {
			return true
		}
	}
	return false
}

// comeBySurplus puts a surplus into the last block. Operators decide about it.
func (s *chains) comeBySurplus(c *chain, r schema.Receipt) {
	s.lastDeposit++
	made := &chainDeposit{own: r.Own, ChainDeposit: schema.ChainDeposit{
		ID: s.lastDeposit, Account: s.owner(c, r.Index), Chain: c.ID, Asset: r.Asset, Amount: r.Amount,
		Status: schema.DepositUncredited, Created: s.call.at, Changed: s.call.at,
		Index: r.Index, Receipt: r.ID, Address: r.Text,
	}}
	s.deposits = append(s.deposits, made)
	s.seat(made, c.height())
	s.work(c)
}
