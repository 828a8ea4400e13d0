package core

import (
	"strings"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

const checkLasts = 3 * schema.Second

// checkOrVerdict has an address checked, says what checks of it end with, or changes what there is to pay for them.
func (w *world) checkOrVerdict(t *dice, account schema.AccountID) schema.Command {
	switch n := chance(t, 12); {
	case n < 7:
		return w.checkAddress(t, account)
	case n < 10:
		return w.setVerdict(t)
	}
	main, _ := w.owned(account, schema.Main, tetherN)
	if main.Sign() > 0 && coin(t) {
		// Just enough for a check stays, or just not, or enough for one of two.
		left := pick(t, schema.PriceOfCheck, schema.PriceOfCheck, schema.PriceOfCheck.Sub(fixed.FromUnits(1, 2)), schema.PriceOfCheck.Add(fixed.One))
		return &schema.Withdraw{Account: account, Asset: tetherN, Amount: cut(fixed.MaxOf(main.Sub(left), fixed.Zero), 2)}
	}
	return &schema.Deposit{Account: account, Asset: tetherN, Amount: fixed.FromInt(int64(1 + chance(t, 5))), Held: chance(t, 4) == 0}
}

// addressDrawn is one of few, and rarely too short or too long.
func (w *world) addressDrawn(t *dice) string {
	if chance(t, 12) == 0 {
		return strings.Repeat("a", pick(t, 0, schema.MaxAddressText, schema.MaxAddressText+1))
	}
	return pick(t, "a", "b", "c", "one")
}

func (w *world) checkAddress(t *dice, account schema.AccountID) schema.Command {
	c := &schema.CheckAddress{Account: account, Asset: schema.AssetID(1 + chance(t, 2)), Address: w.addressDrawn(t)}
	if networks := w.listed[c.Asset-1].(*schema.SetAsset).Asset.Networks; len(networks) > 0 && coin(t) {
		c.Network = networks[chance(t, len(networks))].Name
	}
	if rarely(t) {
		c.Network = "elsewhere"
	}
	if rarely(t) {
		c.Asset = pick(t, schema.AssetID(0), 3, 4)
	}
	return c
}

func (w *world) setVerdict(t *dice) schema.Command {
	v := schema.AddressVerdict{Address: w.addressDrawn(t)}
	switch chance(t, 4) {
	case 0: // none
	case 1:
		v.Fails = true
	default:
		v.Risk, v.Description = schema.Risk(1+chance(t, 3)), pick(t, "", "stolen", "a mixer")
	}
	if chance(t, 12) == 0 {
		switch chance(t, 3) {
		case 0:
			v.Risk = pick(t, schema.Risk(0), schema.HighRisk, 4, 255)
		case 1:
			v.Description = strings.Repeat("d", pick(t, schema.MaxVerdict, schema.MaxVerdict+1))
		case 2:
			v.Fails = !v.Fails
		}
	}
	return &schema.SetVerdict{Verdict: v}
}

// learnCheck lets time pass until a check ends, or something come that decides how it does.
func (w *world) learnCheck(t *dice, c *schema.CheckAddress, answer schema.Result) {
	if answer.Rejection.Refused() {
		return
	}
	w.mark(w.now + checkLasts)
	switch chance(t, 6) {
	case 0, 1:
		w.retry, w.due = &schema.Tick{}, w.now+checkLasts-pick[schema.Time](t, 0, 0, 1)
	case 2:
		main, _ := w.owned(c.Account, schema.Main, tetherN)
		w.retry = &schema.Withdraw{Account: c.Account, Asset: tetherN, Amount: cut(main, 2)}
	case 3:
		if int(c.Account-schema.FirstCustomer) < worldAccounts {
			w.retry = w.block(c.Account, true)
			w.plan = append([]schema.Command{&schema.Tick{}, w.block(c.Account, false)}, w.plan...)
		}
	}
}
