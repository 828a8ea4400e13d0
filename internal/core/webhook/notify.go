package webhook

import (
	"bourse/internal/schema"
)

const (
	usualSteps  = 500
	mostCounted = 1000 // deposits of one account whose confirmations are announced
	// requiredWithout is how many confirmations a deposit needs whose asset is on the chain no more.
	requiredWithout = 6
)

// next is an event to be announced to an account, nil if its webhook does not want it now.
func (h *Webhooks) next(account schema.AccountID, event schema.WebhookEvent) *schema.Notified {
	w := h.at(account)
	if w == nil || !w.Active() || !w.Events.Has(event) {
		return nil
	}
	w.Count++
	e := &schema.Notified{Account: account, N: w.Count, Type: event}
	h.out.Events.Add(e)
	return e
}

// describe says what an asset is called.
func (h *Webhooks) describe(e *schema.Notified, id schema.AssetID, chain schema.ChainID) {
	asset := h.listing.Asset(id)
	e.Ticker, e.Name, e.Several = asset.Ticker, asset.Name, len(asset.Networks) > 1
	e.Required = requiredWithout
	if n := asset.NetworkOn(chain); n != nil {
		e.Network, e.Required = n.Name, n.Confirmations
	}
}

// Applied announces a code that somebody applied to who created it.
func (h *Webhooks) Applied(c *schema.Code) {
	if e := h.next(c.Account, schema.CodeApply); e != nil {
		e.Code = *c
		asset := h.listing.Asset(c.Asset)
		e.Ticker, e.Name = asset.Ticker, asset.Name
	}
}

// Checked announces how a check of an address ended.
func (h *Webhooks) Checked(c *schema.Check) {
	event := schema.AddressCheckFailed
	if c.Status == schema.CheckSucceeded {
		event = schema.AddressCheckCompleted
	}
	if e := h.next(c.Account, event); e != nil {
		e.Check = *c
		asset := h.listing.Asset(c.Asset)
		e.Ticker, e.Name, e.Network = asset.Ticker, asset.Name, c.Network
	}
}

// Withdrew announces a withdrawal that came to another status, or is new (was 0). Every one is announced as created and then as pending; which
// of the many states of waiting it is in after that is in no event. A refund is announced when it ends, and when what should have paid it was
// given up: then operators look at it, and it may still succeed.
func (h *Webhooks) Withdrew(w *schema.Withdrawal, was schema.WithdrawalStatus) {
	if w.Refund != 0 {
		h.refunded(w, was)
		return
	}
	switch {
	case was == 0:
		h.withdraw(w, schema.WithdrawUnconfirmed)
		if w.Status != schema.WithdrawalUnconfirmed { // else it is pending when the master confirms it
			h.withdraw(w, schema.WithdrawPending)
		}
	case was == schema.WithdrawalUnconfirmed && w.Status != schema.WithdrawalCanceled:
		h.withdraw(w, schema.WithdrawPending)
	case w.Status == schema.WithdrawalDone:
		h.withdraw(w, schema.WithdrawSuccessful)
	case w.Status == schema.WithdrawalCanceled:
		h.withdraw(w, schema.WithdrawCancel)
	case w.Status == schema.WithdrawalPartial:
		h.withdraw(w, schema.WithdrawPartial)
	}
}

func (h *Webhooks) refunded(w *schema.Withdrawal, was schema.WithdrawalStatus) {
	givenUp := w.Status == schema.WithdrawalReview && (was == schema.WithdrawalPlanned || was == schema.WithdrawalSent)
	switch {
	case w.Status == schema.WithdrawalDone:
		h.withdraw(w, schema.RefundSuccessful)
	case w.Status == schema.WithdrawalCanceled || givenUp:
		h.withdraw(w, schema.RefundFailed)
	}
}

func (h *Webhooks) withdraw(w *schema.Withdrawal, event schema.WebhookEvent) {
	if e := h.next(w.Account, event); e != nil {
		e.Withdrawal = *w
		h.describe(e, w.Asset, w.Chain)
		e.Required = 0
	}
}

// Deposited announces a deposit that came to another status, or is new (was 0). One that is new is in a block, so that it has one
// confirmation. What came from another customer or by a provider is in no block and has none.
func (h *Webhooks) Deposited(d *schema.ChainDeposit, was schema.DepositStatus) {
	switch {
	case waits(d.Status):
		if was == 0 {
			h.deposit(d, schema.DepositAccepted, 1)
			h.count(d)
		}
		return
	case d.Status == schema.DepositCredited:
		h.deposit(d, schema.DepositProcessed, h.confirmations(d))
	case d.Status == schema.DepositCanceled || d.Status == schema.DepositLost:
		h.deposit(d, schema.DepositCancel, h.confirmations(d))
	}
	h.uncount(d.ID)
}

// waits reports whether a deposit waits for confirmations.
func waits(s schema.DepositStatus) bool {
	return s == schema.DepositConfirming || s == schema.DepositHeld
}

func (h *Webhooks) deposit(d *schema.ChainDeposit, event schema.WebhookEvent, actual uint64) {
	e := h.next(d.Account, event)
	if e == nil {
		return
	}
	e.Deposit = *d
	h.describe(e, d.Asset, d.Chain)
	if event == schema.DepositCancel || event == schema.DepositProcessed && d.Height == 0 {
		e.Required = 0
		return
	}
	e.Actual = actual
}

// confirmations of a deposit: none while its block is gone, or not complete.
func (h *Webhooks) confirmations(d *schema.ChainDeposit) uint64 {
	if height, _ := h.chains.Cursor(d.Chain); d.Height != 0 && d.Height <= height {
		return height - d.Height + 1
	}
	return 0
}

// Moved says that a chain stands elsewhere: confirmations have changed.
func (h *Webhooks) Moved() {
	if h.counts.size > 0 {
		h.counts.moved = true
	}
}

// count looks after the confirmations of a deposit from now on, if its account has a webhook at all.
func (h *Webhooks) count(d *schema.ChainDeposit) {
	c := &h.counts
	if w := h.at(d.Account); w == nil || !w.Exists() || c.of[d.Account] >= mostCounted {
		return
	}
	h.addCount(counted{deposit: d.ID, account: d.Account, actual: 1})
}

func (h *Webhooks) addCount(entry counted) {
	c := &h.counts
	place, at := c.shelf.Take()
	*at = entry
	c.shelf.Push(&c.order, place)
	c.places[entry.deposit] = place
	c.of[entry.account]++
	c.size++
}

// uncount looks after the confirmations of a deposit no more.
func (h *Webhooks) uncount(id schema.DepositID) {
	c := &h.counts
	place, known := c.places[id]
	if !known {
		return
	}
	entry := c.shelf.At(place)
	if c.next == place {
		c.next = entry.After
	}
	if c.of[entry.account]--; c.of[entry.account] == 0 {
		delete(c.of, entry.account)
	}
	delete(c.places, id)
	c.shelf.Pull(place)
	c.shelf.Give(place)
	c.size--
	if c.rest = min(c.rest, c.size); c.rest == 0 {
		c.next = 0
	}
}

// Follow announces confirmations that the command changed, when all else of it is done: some, and the others with the next ticks.
func (h *Webhooks) Follow() {
	c := &h.counts
	if !c.moved {
		return
	}
	c.moved = false
	if c.rest = c.size; c.rest > 0 {
		h.pass()
	}
}

// Tick goes on with what is left over, unless a chain moved: then Follow does.
func (h *Webhooks) Tick() {
	if h.counts.rest > 0 && !h.counts.moved {
		h.pass()
	}
}

// NextTimer is when something was left over.
func (h *Webhooks) NextTimer() (schema.Time, bool) { return h.counts.since, h.counts.rest > 0 }

// pass looks at the next deposits.
func (h *Webhooks) pass() {
	c := &h.counts
	for range min(h.Steps, c.rest) {
		if c.next == 0 {
			c.next = c.order.First
		}
		entry := c.shelf.At(c.next)
		c.next = entry.After
		c.rest--
		d, _ := h.chains.Deposit(entry.deposit)
		if actual := h.confirmations(&d); actual != entry.actual {
			entry.actual = actual
			h.deposit(&d, schema.DepositUpdated, actual)
		}
	}
	if c.rest == 0 {
		c.next = 0
	}
	c.since = h.out.Time
}
