package chain

import (
	"fmt"

	"bourse/internal/schema"
)

// bookSurplus books what is ours on a chain and that blocks did not show, when a second operator says so. It is a receipt of the last block,
// and a deposit that is credited by nobody but operators.
func (c *Chains) bookSurplus(m *schema.BookSurplus) schema.Rejection {
	if c.out.Operator == "" {
		return schema.Refuse(schema.OperatorMissing)
	}
	ch, r := c.watched(m.Chain)
	if r.Refused() {
		return r
	}
	receipt := schema.Receipt{ID: m.Coin, Asset: m.Asset, Amount: m.Amount, Index: m.Index, Own: m.Own, Text: m.Text}
	coins := ch.Driver == schema.BitcoinNode
	if !coins {
		receipt.ID = fmt.Sprintf("surplus:%d", c.last+1)
	}
	_, paid := ch.receipts[receipt.ID]
	_, coin := ch.holdings[holdingKey{m.Asset, receipt.ID}] // perhaps in no block: what brings it back is the chain, and nobody's word
	if paid || coin || coins != (m.Coin != "") || !ch.begun || ch.block.parts != 0 || !c.validReceipts(ch, []schema.Receipt{receipt}) {
		return schema.Refuse(schema.SurplusInvalid)
	}
	if both, r := ch.seconds(proposal{operator: c.out.Operator, surplus: *m}); !both {
		return r
	}
	l := ch.lane(m.Asset)
	l.coins = l.coins.Add(m.Amount)
	c.receive(ch, l, &receipt, ch.cursor.height)
	c.arrive(ch, l, &receipt, deposit{ChainDeposit: schema.ChainDeposit{Status: schema.DepositUncredited, Height: ch.cursor.height}})
	c.out.Result.ID = uint64(c.last)
	budget := c.Steps
	c.work(ch, &budget)
	return schema.Rejection{}
}
