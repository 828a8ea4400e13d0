package naive

import (
	"slices"

	"bourse/internal/schema"
)

// word is what an operator said about where a halted chain should go on.
type word struct {
	operator string
	at       point
}

// resume lets a halted chain go on from one of its points when two operators, one after the other, say the same.
func (s *chains) resume(r *schema.ResumeChain) schema.Rejection {
	if s.call.operator == "" {
		return because(schema.OperatorMissing)
	}
	c := s.chain(r.Chain)
	switch {
	case c == nil:
		return because(schema.ChainUnknown)
	case !c.foreign():
		return because(schema.ChainOwnBlocks)
	case !c.halted:
		return because(schema.ChainNotHalted)
	}
	said := word{s.call.operator, point{r.Height, r.Hash}}
	points := slices.Index(c.points, said.at) + 1
	isStart := len(c.points) == 0 && said.at == point{}
	switch {
	case points == 0 && !isStart:
		return because(schema.RewindUnknown)
	case c.word != nil && *c.word == said:
		return because(schema.ApprovedBefore)
	case c.word == nil || c.word.at != said.at:
		c.word = &said
		return accepted
	}
	s.goOn(c, points)
	return accepted
}

// goOn lets a halted chain go on where it stood when the first of its points were all. What was said about it counts for nothing then.
func (s *chains) goOn(c *chain, points int) {
	c.halted, c.word, c.claim = false, nil, nil
	s.back(c, points)
}

// Resuming is the operator whose word about a halted chain is kept, or "".
func (x *Exchange) Resuming(chain schema.ChainID) string {
	if w := x.chains.chain(chain).word; w != nil {
		return w.operator
	}
	return ""
}
