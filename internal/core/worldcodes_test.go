package core

import (
	"bytes"
	"encoding/binary"
	"strings"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const (
	aYear       = 365 * aDay // after which a code goes back
	worldTexts  = 16         // that codes may have; so few that some are chosen twice
	wrongTries  = 50         // that end a code
	worldLocks  = 3          // the first is none
	usualSealed = "sealed"
)

// codeDigest is the digest of a text or a passphrase; 0: there is none.
func codeDigest(n int) (d schema.Digest) {
	binary.BigEndian.PutUint16(d[:], uint16(n))
	return d
}

// wantCodes lets codes be made and tried often. Some assets have no codes or none that are small, and one code may have been tried
// often already.
func (w *world) wantCodes(t *dice) {
	w.coded = true
	for _, c := range w.listed[:worldAssets] {
		asset := &c.(*schema.SetAsset).Asset
		asset.Codes = chance(t, 8) != 0
		asset.MinCode = pick(t, fixed.Zero, fixed.FromUnits(1, int(asset.Precision)), fixed.FromInt(2), fixed.FromInt(100))
	}
	if coin(t) {
		w.tryOften(t)
	}
}

// code creates a code, or tries one. Sometimes money comes that no code may have yet.
func (w *world) code(t *dice, account schema.AccountID, asset schema.AssetID) schema.Command {
	switch n := chance(t, 16); {
	case n == 0:
		return &schema.Deposit{Account: account, Asset: asset, Amount: fixed.FromInt(int64(1 + chance(t, 900))), Held: true}
	case n < 7, len(w.codes) == 0:
		return w.createCode(t, account, asset)
	}
	return w.tryCode(t, account)
}

func (w *world) createCode(t *dice, account schema.AccountID, asset schema.AssetID) *schema.CreateCode {
	c := &schema.CreateCode{
		Account: account, Asset: asset, Amount: w.codeAmount(t, account, asset), Digest: codeDigest(1 + chance(t, worldTexts)),
		Sealed: []byte(usualSealed), Description: pick(t, "", "a gift"),
	}
	if coin(t) {
		c.Lock = codeDigest(chance(t, worldLocks))
	}
	if rarely(t) {
		c.Digest = pick(t, schema.Digest{}, schema.Digest(bytes.Repeat([]byte{255}, 32)))
	}
	if rarely(t) {
		c.Sealed = bytes.Repeat([]byte{7}, pick(t, 0, 1, schema.MaxSealedCode, schema.MaxSealedCode+1))
	}
	if rarely(t) {
		c.Description = strings.Repeat("x", pick(t, schema.MaxDescription, schema.MaxDescription+1))
	}
	w.codes = append(w.codes, c)
	if rarely(t) {
		w.mark(w.now + aYear)
	}
	return c
}

// codeAmount draws what is put into a code: something usual, all that is there, or something from the edges.
func (w *world) codeAmount(t *dice, account schema.AccountID, asset schema.AssetID) fixed.Decimal {
	amount := pick(t, fixed.FromInt(int64(1+chance(t, 900))), fixed.FromUnits(int64(1+chance(t, 90000)), 2), fixed.FromUnits(1, 2))
	if w.edges != nil {
		amount = w.edges.money(t, asset)
	}
	if available, _ := w.owned(account, schema.Main, asset); available.Sign() > 0 && chance(t, 4) == 0 {
		amount = cut(available, pick(t, 0, 2, fixed.Places))
	}
	if chance(t, 12) == 0 {
		amount = pick(t, fixed.Zero, fixed.FromInt(-1), smallest, fixed.One.Add(smallest), fixed.Max, ledger.Limit)
	}
	return amount
}

// tryCode tries one of the codes that were asked for, mostly by another account and with the right passphrase.
func (w *world) tryCode(t *dice, account schema.AccountID) *schema.ApplyCode {
	c := w.codes[chance(t, len(w.codes))]
	try := &schema.ApplyCode{Account: account, Digest: c.Digest, Lock: c.Lock}
	if chance(t, 3) == 0 {
		try.Lock = codeDigest(chance(t, worldLocks))
	}
	switch chance(t, 12) {
	case 0:
		try.Account = c.Account
	case 1:
		try.Digest = codeDigest(chance(t, worldTexts+2))
	}
	return try
}

// tryOften creates a code and tries it with the wrong passphrase, about as often as it can be.
func (w *world) tryOften(t *dice) {
	asset := &w.listed[0].(*schema.SetAsset).Asset
	asset.Codes, asset.CanWithdraw, asset.MinCode = true, true, fixed.Zero
	c := &schema.CreateCode{
		Account: schema.FirstCustomer, Asset: 1, Amount: fixed.FromUnits(1, int(asset.Precision)), Digest: codeDigest(1 + chance(t, worldTexts)),
		Lock: codeDigest(chance(t, worldLocks)), Sealed: []byte(usualSealed),
	}
	w.codes = append(w.codes, c)
	// There may be nothing in main.
	w.tried = append(w.tried, &schema.Transfer{Account: c.Account, Asset: c.Asset, Amount: c.Amount, From: schema.Trade, To: schema.Main}, c)
	for range wrongTries + pick(t, -3, -2, -1, 0, 1) {
		account := c.Account + 1 + schema.AccountID(chance(t, worldAccounts-1))
		w.tried = append(w.tried, &schema.ApplyCode{Account: account, Digest: c.Digest, Lock: codeDigest(worldLocks)})
	}
}

// learnCreated lets a code that was created be tried at once or when its time is nearly over, or nothing come of it, or something
// that keeps it from being applied or must not; one that was refused for its amount is asked for with an amount that would do, or just
// not.
func (w *world) learnCreated(t *dice, c *schema.CreateCode, answer schema.Result) {
	switch r := answer.Rejection; r.Reason {
	case schema.OK:
		w.ending(t, answer.Code)
		switch {
		case w.retry != nil:
		case chance(t, 8) == 0 && c.Asset <= worldAssets:
			w.retry = w.hinder(t, c)
		case coin(t):
			w.retry = w.tryAgain(t, c.Digest, c.Lock)
		}
	case schema.CodeBelowMin, schema.WithdrawNotCovered, schema.MoveHeld:
		amount, fits := r.Value.AddChecked(pick(t, fixed.Zero, fixed.Zero, smallest.Neg(), smallest, fixed.FromUnits(1, 2)))
		if r.Value.Sign() > 0 && fits {
			again := *c
			again.Amount = amount
			w.retry = &again
		}
	}
}

// hinder makes that nobody could create such a code any more, or some could not.
func (w *world) hinder(t *dice, c *schema.CreateCode) schema.Command {
	n := int(c.Account - schema.FirstCustomer)
	if chance(t, 4) == 0 && n < worldAccounts {
		a := w.listed[worldAssets+worldMarkets+n].(*schema.SetAccount).Account
		a.ID, a.Blocked = c.Account, true
		return &schema.SetAccount{Account: a}
	}
	set := *w.listed[c.Asset-1].(*schema.SetAsset)
	switch a := &set.Asset; chance(t, 4) {
	case 0:
		a.Codes = false
	case 1:
		a.CanWithdraw, a.CanDeposit = false, false
	case 2:
		a.NotInEU = !a.NotInEU
	default:
		a.MinCode = cut(fixed.Max, int(a.Precision))
	}
	return &set
}

// learnTried lets a code be tried again, by the same or another account, with the same or another passphrase; or somebody creates
// another with its text.
func (w *world) learnTried(t *dice, c *schema.ApplyCode, answer schema.Result) {
	if answer.Rejection.Refused() || chance(t, 3) == 0 {
		return
	}
	w.ending(t, answer.Code)
	switch {
	case w.retry != nil:
	case answer.Code.Status == schema.CodeActive && coin(t):
		again := *c
		w.retry = &again
	case answer.Code.Status != schema.CodeActive && chance(t, 4) == 0:
		again := w.createCode(t, c.Account, answer.Code.Asset)
		again.Digest = c.Digest
		w.retry = again
	default:
		w.retry = w.tryAgain(t, c.Digest, c.Lock)
	}
}

// tryAgain is one more try of a code, by anyone.
func (w *world) tryAgain(t *dice, text, lock schema.Digest) *schema.ApplyCode {
	return &schema.ApplyCode{Account: w.account(t), Digest: text, Lock: pick(t, lock, lock, codeDigest(chance(t, worldLocks)))}
}

// ending lets time pass, rarely, until a code is about to go back.
func (w *world) ending(t *dice, c *schema.Code) {
	if chance(t, 4) == 0 {
		w.mark(c.Created + aYear)
	}
	if chance(t, 12) == 0 {
		w.retry, w.due = &schema.Tick{}, c.Created+aYear+schema.Time(chance(t, 3)-1)
	}
}
