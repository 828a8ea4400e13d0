package core

import (
	"bytes"
	"fmt"
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	expressLasts    = 90 * schema.Second
	worldReferences = 8 // that payments may have; so few that some are used twice
)

// expressPayment asks for a payment, or makes one.
func (w *world) expressPayment(t *dice, account schema.AccountID) schema.Command {
	if len(w.leaving.tokens) == 0 || coin(t) {
		return w.requestExpress(t, account)
	}
	// The last ones may still be paid.
	last := w.leaving.tokens[max(0, len(w.leaving.tokens)-6):]
	c := &schema.PayExpress{Account: account, Digest: last[chance(t, len(last))].Digest}
	if rarely(t) {
		c.Digest = codeDigest(chance(t, worldTexts+2))
	}
	return c
}

func (w *world) requestExpress(t *dice, account schema.AccountID) *schema.RequestExpress {
	asset := schema.AssetID(1 + chance(t, 2))
	c := &schema.RequestExpress{
		Account: account, Asset: asset, Amount: w.leavingAmount(t, account, asset), External: fmt.Sprintf("x%d", chance(t, worldReferences)),
		Digest: codeDigest(1 + chance(t, worldTexts)), Sealed: []byte(usualSealed),
	}
	if chance(t, 3) == 0 { // one that nothing had
		c.External = fmt.Sprintf("y%d", len(w.leaving.tokens))
	}
	if chance(t, 12) == 0 {
		switch chance(t, 4) {
		case 0:
			c.External = strings.Repeat("x", pick(t, 0, schema.MaxExternal, schema.MaxExternal+1))
		case 1:
			c.Digest = pick(t, schema.Digest{}, schema.Digest(bytes.Repeat([]byte{255}, 32)))
		case 2:
			c.Sealed = bytes.Repeat([]byte{7}, pick(t, 0, 1, schema.MaxSealedCode, schema.MaxSealedCode+1))
		case 3:
			c.Asset = pick(t, schema.AssetID(0), 3, 4)
		}
	}
	w.leaving.tokens = append(w.leaving.tokens, c)
	return c
}

// learnExpress lets a payment that was asked for be made, at once or when its time is nearly over; or somebody asks for the same again, or
// for something else by its reference or its token; one that was worth too much is asked for with what would just do.
func (w *world) learnExpress(t *dice, c *schema.RequestExpress, answer schema.Result) {
	switch answer.Rejection.Reason {
	case schema.OK:
	case schema.ExpressAboveCap:
		if chance(t, 3) == 0 {
			return
		}
		again := *c
		again.Amount = w.worthJust(t, c.Asset, answer.Rejection.Value)
		w.leaving.tokens = append(w.leaving.tokens, &again)
		w.retry = &again
		return
	default:
		return
	}
	expires := answer.Express.Expires
	w.mark(expires)
	again := *c
	again.Digest = codeDigest(1 + chance(t, worldTexts))
	pay := &schema.PayExpress{Account: schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts)), Digest: c.Digest}
	if coin(t) { // as people do, who were shown this, or rarely something else
		pay.Partner, pay.Asset, pay.Amount = c.Account, c.Asset, c.Amount
		switch chance(t, 12) {
		case 0:
			pay.Partner = pay.Account
		case 1:
			pay.Asset = 3 - pay.Asset%3
		case 2:
			pay.Amount = pay.Amount.Add(fixed.One)
		}
	}
	switch chance(t, 10) {
	case 0, 1, 2, 3:
		w.retry = pay
	case 4:
		w.retry, w.due = pay, expires-pick[schema.Time](t, 0, 1)
	case 5:
		w.retry = &again
	case 6:
		again.Amount = again.Amount.Add(pick(t, fixed.Zero, fixed.One))
		again.Asset = pick(t, again.Asset, 3-again.Asset%3)
		w.retry = &again
	case 7: // nobody ticks before the token is used again
		again.Digest = c.Digest
		w.retry, w.due = &again, expires-pick[schema.Time](t, 0, 0, 1)
	case 8:
		w.retry = &schema.SetIndex{Market: w.market(t), Price: w.rateDrawn(t)}
		w.plan = append([]schema.Command{pay}, w.plan...)
	}
}
