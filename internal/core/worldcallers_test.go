package core

import (
	"fmt"
	"math"

	"bourse/internal/schema"
)

func keyName(i int) string { return fmt.Sprintf("k%d", i+1) }

// keys make a key for each account of the world, with ids from 1.
func (w *world) keys() []schema.Command {
	var list []schema.Command
	for i := range worldAccounts {
		list = append(list, &schema.SetKey{Key: schema.Key{
			Key: keyName(i), Account: schema.FirstCustomer + schema.AccountID(i), Sealed: []byte("sealed"), Enabled: true,
		}})
	}
	return list
}

// signer is mostly the account whose key can sign a command, rarely none of those that there are: the command's, or of a sub-account its master.
// It is 0 for what customers do not do.
func (w *world) signer(t *dice, cmd schema.Command) schema.AccountID {
	if chance(t, 8) == 0 {
		return schema.FirstCustomer + schema.AccountID(chance(t, worldAccounts))
	}
	c, owned := cmd.(schema.Owned)
	if !owned {
		return 0
	}
	account, family := c.Owner()
	if family && w.oracle != nil && coin(t) {
		if a := w.known(account); a != nil && a.IsSub() {
			return a.Parent
		}
	}
	return account
}

// origin draws how a command comes. Most come in a way that is accepted.
func (w *world) origin(t *dice, cmd schema.Command) schema.Origin {
	var from schema.Origin
	switch chance(t, 8) {
	case 0:
		from.Operator = pick(t, "olga", "oscar")
	case 1, 2, 3:
		if signer := w.signer(t, cmd); signer >= schema.FirstCustomer && signer < schema.FirstCustomer+worldAccounts {
			w.sign(t, &from, int(signer-schema.FirstCustomer))
		}
	}
	if chance(t, 4) == 0 {
		from.Region = pick(t, schema.Global, schema.Global, schema.Global, schema.EU)
	}
	if rarely(t) {
		from.Operator = "olga"
	}
	return from
}

// sign draws a nonce for the nth key, rarely another key. Half of the keys count their nonces, which never meet the clock; the
// others send the time, in window mode mostly, as clients that send several requests at once do.
func (w *world) sign(t *dice, from *schema.Origin, n int) {
	from.Key = schema.KeyID(n + 1)
	if w.bank != nil && w.bank.Accounts().Key(keyName(n)) != nil {
		from.Key = w.bank.Accounts().Key(keyName(n)).ID
	}
	if rarely(t) {
		from.Key = schema.KeyID(chance(t, 2*worldAccounts))
	}
	if n < worldAccounts/2 {
		w.nonce++
		from.Nonce = w.nonce
	} else {
		const window = 5000 // milliseconds
		clock := w.now
		if w.bank != nil {
			clock = max(clock, w.bank.Time())
		}
		away := int64(chance(t, 200)) - 100
		if chance(t, 10) == 0 {
			away = pick[int64](t, 0, -window-1, -window, 1-window, window-1, window, window+1)
		}
		from.Nonce, from.Window = uint64(int64(clock)/1000+away), chance(t, 30) != 0
	}
	if rarely(t) {
		from.Nonce = pick(t, 0, 1, w.nonce, w.signed.Nonce, w.signed.Nonce-1, w.signed.Nonce+1, math.MaxUint64, math.MaxUint64/1000, math.MaxInt64)
		from.Window = coin(t)
	}
	if rarely(t) {
		*from = w.signed // a request that is sent again, in either mode
		from.Window = coin(t)
	}
	w.signed = *from
}

// again lets some requests be sent once more, with the time at which they came first: the clocks of
// two nodes differ.
func (w *world) again(t *dice, m moment) moment {
	if chance(t, 10) == 0 && len(w.requests) > 0 {
		old := w.requests[chance(t, len(w.requests))]
		return moment{old.at, m.cmd, old.from}
	}
	if m.from.Window {
		w.requests = append(w.requests, m)
	}
	return m
}
