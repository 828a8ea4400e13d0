package chain

import (
	"slices"

	"bourse/internal/schema"
)

// proposal is what an operator wants done about money that the log does not know: a spend adopted, or a surplus booked. It is done when
// another operator says the same. A chain keeps one; without an operator it is none.
type proposal struct {
	operator string
	adopt    schema.AdoptSpend
	surplus  schema.BookSurplus
}

// seconds reports whether a proposal is what another operator asked for already. If it is not it is kept, in place of what was asked for
// before.
func (ch *chain) seconds(r proposal) (bool, schema.Rejection) {
	same := r
	same.operator = ch.asked.operator
	switch {
	case ch.asked == r:
		return false, schema.Refuse(schema.ApprovedBefore)
	case ch.asked.operator != "" && ch.asked == same:
		ch.asked = proposal{}
		return true, schema.Rejection{}
	}
	ch.asked = r
	return false, schema.Rejection{}
}

// adopt lets the block be taken that a halted chain stopped at, when a second operator says so. The chain goes on where it stands, without
// the half of a block that it may have.
func (c *Chains) adopt(m *schema.AdoptSpend) schema.Rejection {
	ch := c.find(m.Chain)
	switch {
	case c.out.Operator == "":
		return schema.Refuse(schema.OperatorMissing)
	case ch == nil:
		return schema.Refuse(schema.ChainUnknown)
	case !ch.real():
		return schema.Refuse(schema.ChainOwnBlocks)
	case !ch.halted:
		return schema.Refuse(schema.ChainNotHalted)
	case !ch.adoptable(m.Tx):
		return schema.Refuse(schema.AdoptionInvalid)
	}
	if both, r := ch.seconds(proposal{operator: c.out.Operator, adopt: *m}); !both {
		return r
	}
	ch.adopted = append(ch.adopted, m.Tx)
	ch.halted, ch.resuming = false, word{}
	budget := c.Steps
	c.back(ch, len(ch.points)-1)
	c.work(ch, &budget)
	return schema.Rejection{}
}

// adoptable reports whether a transaction may be adopted: it is none of our own, and not adopted.
func (ch *chain) adoptable(tx string) bool {
	_, planned := ch.txs[tx]
	return tx != "" && len(tx) <= schema.MaxTx && !planned && len(ch.adopted) < schema.MaxAdopted && !slices.Contains(ch.adopted, tx)
}
