package core

import (
	"fmt"
	"slices"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// What worlds of people do with accounts and keys, and by which of them.

// family is what masters do with sub-accounts, which may have users.
func (w *peopleWorld) family(t *dice) schema.Command {
	var sub schema.Account
	for _, a := range w.oracle.Accounts() {
		if a.IsSub() && (sub.ID == 0 || coin(t)) {
			sub = a
		}
	}
	switch chance(t, 6) {
	case 0:
		return &schema.DeleteSub{Master: sub.Parent, Sub: sub.ID}
	case 1, 2:
		return &schema.BlockSub{Master: sub.Parent, Sub: sub.ID, Blocked: sub.Status != schema.SubBlocked}
	case 3:
		return &schema.MoveSub{Master: sub.Parent, Sub: sub.ID, ToSub: coin(t), Asset: peopleAsset, Amount: fixed.One}
	}
	w.drawn++
	return &schema.SetSub{
		Master: schema.FirstCustomer + schema.AccountID(chance(t, 2)), Alias: fmt.Sprint("alias", w.drawn), External: fmt.Sprint("sub", w.drawn), Email: "e", ShareKYC: coin(t),
		Active: coin(t),
	}
}

// apiKey is what becomes of API keys, also of those that were issued for clients, and of sessions, which nobody sets.
func (w *peopleWorld) apiKey(t *dice) schema.Command {
	all := append(w.oracle.Keys(), schema.Key{Key: "none", Account: schema.FirstCustomer})
	k := all[chance(t, len(all))]
	for _, other := range all {
		if other.Partner != 0 && chance(t, 3) == 0 {
			k = other
		}
	}
	switch chance(t, 9) {
	case 0:
		return &schema.DeleteKey{Key: k.Key}
	case 1:
		set := k
		set.Enabled, set.Sealed = coin(t), []byte("s")
		return &schema.SetKey{Key: set}
	case 2:
		return &schema.SetKey{Key: schema.Key{Key: k.Key, Account: k.Account, Sealed: []byte("s"), Enabled: true}}
	case 3:
		return &schema.CloseKey{By: k.Account, External: k.External}
	case 4:
		return &schema.EditKey{By: k.Account, External: k.External, Enable: []string{"/api/v4/orders"}}
	case 5:
		return &schema.ResetKey{By: k.Account, External: k.External, Key: fmt.Sprint("reset", w.drawn), Sealed: []byte("s")}
	case 6:
		return &schema.SetKeyAddress{By: k.Account, External: k.External, Address: "10.0.0.9"}
	}
	w.drawn++
	a := w.account(t)
	c := &schema.OpenKey{By: a, Account: a, External: fmt.Sprint("e", w.drawn), Key: fmt.Sprint("p", w.drawn), Sealed: []byte("s"), Type: schema.KeyMoney, Title: "t"}
	if rarely(t) {
		c.Key = k.Key
	}
	if chance(t, 8) == 0 { // as many as an account can have, or nearly
		has := 0
		for _, other := range all {
			if other.Account == a && !other.Web {
				has++
			}
		}
		for range max(0, schema.MaxKeys-has-2) + pick(t, 0, 1, 2) {
			w.drawn++
			again := *c
			again.External, again.Key = fmt.Sprint("e", w.drawn), fmt.Sprint("p", w.drawn)
			w.plan = append(w.plan, moment{cmd: &again})
		}
	}
	return c
}

// operation is something that a session or a key does.
func (w *peopleWorld) operation(t *dice) schema.Command {
	a := w.session(t).Account
	if chance(t, 4) == 0 {
		a = w.account(t)
	}
	switch chance(t, 10) {
	case 0, 1:
		return &schema.CreateCode{Account: a, Asset: peopleAsset, Amount: fixed.One, Digest: w.fresh(), Sealed: []byte("s")}
	case 2, 3:
		return &schema.RequestWithdrawal{Account: a, Asset: peopleAsset, Amount: fixed.One, Unique: fmt.Sprint(w.drawn)}
	case 4:
		return &schema.RefundDeposit{Account: a, Deposit: 1}
	case 5:
		return &schema.RequestExpress{Account: a, Asset: peopleAsset, Amount: fixed.One, External: "x", Digest: w.fresh(), Sealed: []byte("s")}
	case 6:
		return &schema.Transfer{Account: a, Asset: peopleAsset, Amount: fixed.One, From: schema.Main, To: schema.Trade}
	case 7:
		return w.family(t)
	case 8:
		return &schema.PayExpress{Account: a, Digest: w.fresh()}
	}
	return &schema.SetHedgeMode{Account: a, On: coin(t)}
}

// origin draws how a command comes: what customers do by a session or a key, the rest mostly by none.
func (w *peopleWorld) origin(t *dice, cmd schema.Command) (from schema.Origin) {
	signed := chance(t, 12) == 0
	account := schema.AccountID(0)
	if c, owned := cmd.(schema.Owned); owned {
		account, _ = c.Owner()
	}
	switch c := cmd.(type) {
	case *schema.AuthorizePartner:
		signed = chance(t, 30) != 0
	case *schema.RevokePartner:
		signed = coin(t) && c.Token.IsZero()
	case *schema.CreateCode, *schema.RequestWithdrawal:
		signed = chance(t, 8) != 0
	case *schema.Invite:
		if a := w.known(c.Account); a != nil && a.IsSub() {
			signed, account = coin(t), a.Parent
		}
	case *schema.SignOut, *schema.RefundDeposit, *schema.RequestExpress, *schema.PayExpress, *schema.Transfer, *schema.SetHedgeMode, *schema.MoveSub, *schema.BlockSub, *schema.SetSub:
		signed = coin(t)
	}
	if !signed {
		if chance(t, 8) == 0 {
			from.Operator = "olga"
		}
		return from
	}
	k := w.session(t)
	if account != 0 && !rarely(t) {
		var own []schema.Key
		for _, other := range w.oracle.Keys() {
			if other.Account == account && other.Web {
				own = append(own, other)
			}
		}
		if len(own) > 0 {
			k = own[len(own)-1-chance(t, min(2, len(own)))]
		}
	}
	if chance(t, 4) == 0 {
		all := append(w.oracle.Keys(), schema.Key{ID: 1})
		if own := slices.DeleteFunc(slices.Clone(all), func(other schema.Key) bool { return other.Account != account }); len(own) > 0 && chance(t, 6) != 0 {
			all = own
		}
		k = all[chance(t, len(all))]
	}
	from.Key = k.ID
	switch {
	case !k.Web:
		w.nonce++
		from.Nonce = w.nonce
	case chance(t, 10) == 0:
		from.Authorized = true
	default:
		from.Once = w.some(t)
		w.mark(w.now + 10*aMinute)
		if chance(t, 8) == 0 && len(w.used) > 0 {
			from = w.used[max(0, len(w.used)-1-chance(t, 4))]
		}
		w.used = append(w.used, from)
	}
	if chance(t, 8) == 0 {
		from.Op = pick[schema.Op](t, 1, 13, 100, 150, schema.MaxOp, schema.MaxOp+1)
	}
	return from
}
