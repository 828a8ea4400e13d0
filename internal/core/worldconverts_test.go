package core

import (
	"math"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func (w *convertWorld) command(t *dice) schema.Command {
	switch n := chance(t, 100); {
	case n < 30:
		return &schema.QuoteConversion{Exchange: w.exchange(t)}
	case n < 40:
		return w.auto(t)
	case n < 44:
		return &schema.ConfirmConversion{Account: w.account(t), Quote: w.quoteID(t)}
	case n < 66:
		return w.order(t)
	case n < 76:
		return w.move(t)
	case n < 80:
		return &schema.Tick{}
	case n < 88:
		return w.money(t)
	case n < 91:
		return w.settings(t)
	}
	return w.operator(t)
}

// account is one of those that there are, rarely none.
func (w *convertWorld) account(t *dice) schema.AccountID {
	if chance(t, 60) == 0 {
		return pick(t, schema.AccountID(0), schema.Convert, 999)
	}
	if coin(t) { // the first family
		return schema.FirstCustomer + pick(t, schema.AccountID(0), 0, convertAccounts, convertAccounts+1)
	}
	return schema.FirstCustomer + schema.AccountID(chance(t, convertAccounts+convertSubs))
}

func (w *convertWorld) assetID(t *dice) schema.AssetID {
	if chance(t, 80) == 0 {
		return pick[schema.AssetID](t, 0, swapAssets+1)
	}
	return schema.AssetID(1 + chance(t, swapAssets))
}

func (w *convertWorld) quoteID(t *dice) schema.ConversionID {
	if rarely(t) {
		return pick(t, 0, w.lastID+1, math.MaxUint64)
	}
	return w.lastID - min(w.lastID, schema.ConversionID(chance(t, 25)))
}

// exchange is what an account wants to convert, mostly what it can.
func (w *convertWorld) exchange(t *dice) schema.Exchange {
	e := schema.Exchange{Account: w.account(t), From: w.assetID(t), To: w.assetID(t), InTo: coin(t)}
	if e.To == e.From && chance(t, 20) != 0 {
		e.To = e.From%swapAssets + 1
	}
	e.Amount = w.amount(t, &e)
	return e
}

func (w *convertWorld) amount(t *dice, e *schema.Exchange) fixed.Decimal {
	counts := e.From
	if e.InTo {
		counts = e.To
	}
	known := counts >= 1 && counts <= swapAssets
	available, _, _ := w.oracle.Balance(e.Account, schema.Trade, counts)
	switch n := chance(t, 40); {
	case n == 0 || !known:
		return pick(t, fixed.Zero, fixed.One.Neg(), fixed.Max, fixed.Min, smallest, d("0.00000001"), d("0.000000009"), d("1000000000000000"), d("0.01"))
	case n < 4:
		return fixed.FromUnits(int64(1+chance(t, 30)), min(8, w.precisionOf(counts)))
	case n < 7 && !e.InTo:
		return added(available, pick(t, fixed.Zero, fixed.Zero, smallest, d("0.00000001")))
	case n < 11: // about what is left of what may be open, or of a day, or a twentieth of the inventory
		free, frozen, _ := w.oracle.Balance(schema.Convert, schema.Main, counts)
		part, _ := fixed.Div(added(free, frozen), fixed.FromInt(20), 18, fixed.Down)
		most := w.amountFor(counts, pick(t, w.set.OpenMost, w.set.DayMost), 8)
		return added(pick(t, part, most, most, free), pick(t, fixed.Zero, d("0.00000001")))
	case n < 16: // just what stands in a book
		m := schema.MarketID(1 + chance(t, len(convertPairs)))
		amount := fixed.Zero
		for _, l := range w.oracle.Levels(m, pick(t, schema.Buy, schema.Sell)) {
			if amount = added(amount, l.Amount); coin(t) {
				break
			}
		}
		if amount.Sign() > 0 {
			return added(amount, pick(t, fixed.Zero, fixed.Zero, d("0.00000001")))
		}
	}
	value := fixed.FromInt(int64(1 + chance(t, pick(t, 100, 5000, 40_000))))
	places := 8
	if w.precise {
		places = 18
	}
	return w.amountFor(counts, value, places)
}

// added is a sum, or the greatest number.
func added(a, b fixed.Decimal) fixed.Decimal {
	if sum, fits := a.AddChecked(b); fits {
		return sum
	}
	return fixed.Max
}

// auto converts at once, mostly with a key, which may be one that was used.
func (w *convertWorld) auto(t *dice) schema.Command {
	c := &schema.AutoConvert{Exchange: w.exchange(t)}
	if chance(t, 3) == 0 {
		return c
	}
	c.Key = digest(int(c.Exchange.Account)*10 + chance(t, 6))
	if len(w.keys) > 0 && coin(t) {
		old := *w.keys[max(0, len(w.keys)-1-chance(t, 6))]
		switch chance(t, 12) {
		case 0:
			old.Exchange.Amount = added(old.Exchange.Amount, pick(t, d("0.00000001"), fixed.One))
		case 1:
			old.Exchange.InTo = !old.Exchange.InTo
		case 2:
			old.Exchange.From, old.Exchange.To = old.Exchange.To, old.Exchange.From
		case 3:
			old.Exchange = c.Exchange
			old.Exchange.Account = w.keys[0].Exchange.Account
		case 4, 5:
			old.Exchange.Amount = added(old.Exchange.Amount, smallest)
		}
		c = &old
	}
	if c.Exchange.Amount.Sign() > 0 {
		w.keys = append(w.keys, c)
	}
	return c
}

// order is one of those of which books are made, or one that takes from them.
func (w *convertWorld) order(t *dice) schema.Command {
	account := schema.FirstCustomer + schema.AccountID(2+chance(t, 2))
	if chance(t, 4) == 0 {
		account = w.account(t)
	}
	i := chance(t, len(convertPairs))
	if chance(t, 15) == 0 {
		return &schema.CancelAll{Account: account, Market: schema.MarketID(pick(t, 0, i+1))}
	}
	market := w.byName(w.listed[i].Market.Name)
	r := schema.OrderRequest{Market: market, Type: schema.Limit, Side: pick(t, schema.Buy, schema.Sell)}
	places, lots := int(w.listed[i].Market.MoneyPrec), int(w.listed[i].Market.StockPrec)
	percent := int64(1000 + pick(t, 0, 1, 2, 5, 10, 20, 21, 40))
	if r.Side == schema.Buy {
		percent = 2000 - percent
	}
	if chance(t, 12) == 0 {
		percent = pick[int64](t, 500, 900, 1000, 1100, 3000)
	}
	r.Price, _ = fixed.Mul(w.price(i), fixed.FromUnits(percent, 3), places, fixed.Up)
	value := fixed.FromInt(int64(1 + chance(t, pick(t, 100, 5000, 60_000))))
	r.Amount = w.amountFor(convertPairs[i][0], value, lots)
	switch chance(t, 12) {
	case 0:
		r.RPI = true
	case 1:
		r.Type, r.ActivationPrice = schema.StopLimit, r.Price
	case 2:
		r.IOC = true
	case 3:
		r.Amount = fixed.FromUnits(1, lots)
	}
	return &schema.PlaceOrder{Account: account, Order: r}
}

func (w *convertWorld) byName(name string) schema.MarketID {
	for _, m := range w.oracle.Markets() {
		if m.Name == name {
			return m.ID
		}
	}
	return schema.MarketID(len(convertPairs) + 1)
}

// move lets a price move, mostly a little, or go.
func (w *convertWorld) move(t *dice) schema.Command {
	asset := swapBTC + schema.AssetID(chance(t, swapAssets-1))
	c := &schema.SetIndex{Market: schema.MarketID(asset - 1), Source: uint8(pick(t, 0, 0, 0, 0, 1))}
	if chance(t, 20) == 0 {
		return c
	}
	permille := int64(1000 + pick(t, 0, 0, 0, 1, -1, 2, -3, 10, -10))
	if chance(t, 12) == 0 {
		permille = pick[int64](t, 2000, 500, 100, 1100, 900)
	}
	if price, fits := fixed.Mul(w.worth[asset], fixed.FromUnits(permille, 3), 18, fixed.Down); fits && price.Sign() > 0 && price.Less(d("10000000000")) {
		c.Price = price
		if permille >= 900 && permille <= 1100 {
			w.worth[asset] = price
		} else if coin(t) { // and back
			w.plan = append(w.plan, moment{cmd: &schema.SetIndex{Market: c.Market, Source: c.Source, Price: w.worth[asset]}})
		}
	}
	return c
}

// money comes, goes and moves, that of accounts and of the inventory.
func (w *convertWorld) money(t *dice) schema.Command {
	account, asset := w.account(t), 1+schema.AssetID(chance(t, swapAssets))
	amount := w.amountFor(asset, fixed.FromInt(int64(1+chance(t, 20_000))), w.precisionOf(asset))
	switch n := chance(t, 10); {
	case n < 3:
		c := &schema.Transfer{Account: account, Asset: asset, Amount: amount, From: schema.Trade, To: schema.Main}
		if coin(t) {
			available, _, _ := w.oracle.Balance(account, schema.Trade, asset)
			c.Amount = cut(available, w.precisionOf(asset))
		}
		if coin(t) {
			c.From, c.To = c.To, c.From
		}
		return c
	case n < 5:
		return &schema.Deposit{Account: account, Asset: asset, Amount: amount}
	}
	c := &schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: amount}
	available, _, _ := w.oracle.Balance(schema.Convert, schema.Main, asset)
	switch chance(t, 8) {
	case 0:
		c.Amount = available.Neg()
	case 1:
		c.Amount = added(available, smallest).Neg()
	case 2:
		c.Amount = amount.Neg()
	case 3:
		c.Account = pick(t, schema.Interest, schema.Fees, schema.Insurance)
	}
	if !w.frugal && c.Amount.Sign() < 0 { // it is filled again
		value := w.amountFor(asset, d("10000000"), 8)
		w.plan = append(w.plan, moment{cmd: &schema.QuoteConversion{Exchange: w.exchange(t)}}, moment{cmd: &schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: value}})
	}
	return c
}

// settings are those of conversions, mostly on.
func (w *convertWorld) settings(t *dice) schema.Command {
	w.set = schema.SetConversion{
		On: chance(t, 10) != 0, Spread: pick(t, d("0.002"), d("0.002"), fixed.Zero, d("0.000001"), d("0.01")),
		OpenMost: pick(t, d("100000"), d("100000"), d("3000"), d("0.00000001"), cut(fixed.Max, 8)), DayMost: pick(t, d("1000000"), d("1000000"), d("20000"), cut(fixed.Max, 8)),
		LossMost: pick(t, d("10000"), d("10"), d("10"), d("0.00000001"), cut(fixed.Max, 8)),
	}
	for _, hub := range t.Perm(swapAssets) {
		if chance(t, 4) != 0 {
			w.set.Hubs = append(w.set.Hubs, schema.AssetID(hub+1))
		}
	}
	c := w.set
	switch chance(t, 25) {
	case 0:
		c.Spread = pick(t, fixed.One, d("0.0000001"), smallest, d("-0.000001"), d("0.999999"), fixed.Max)
	case 1:
		c.Hubs = append(c.Hubs, pick(t, schema.AssetID(0), swapUSDT, swapAssets+1))
	case 2:
		*pick(t, &c.OpenMost, &c.DayMost, &c.LossMost) = pick(t, fixed.Zero, fixed.One.Neg(), d("0.000000001"), fixed.Max, fixed.Min)
	}
	return &c
}

// operator changes what is listed, and accounts; mostly it is undone soon.
func (w *convertWorld) operator(t *dice) schema.Command {
	i := chance(t, len(convertPairs))
	m := w.listed[i]
	undo := m
	switch chance(t, 8) {
	case 0:
		m.Market.Enabled = false
	case 1, 2:
		m.Market.Regions = pick(t, schema.In(schema.EU), schema.In(schema.Global), schema.In(schema.EU, schema.Global))
		if coin(t) {
			return &m
		}
	case 3:
		c := &schema.PlanMaintenance{Market: w.byName(m.Market.Name), From: w.now + schema.Time(chance(t, 3))*schema.Second}
		c.To = c.From + schema.Time(1+chance(t, 8))*schema.Second
		w.mark(c.To)
		w.plan = append(w.plan, moment{at: c.From, cmd: &schema.Tick{}}, moment{at: c.From, cmd: &schema.QuoteConversion{Exchange: w.exchange(t)}}, moment{at: c.To, cmd: &schema.Tick{}})
		return c
	case 4:
		if chance(t, 6) == 0 {
			return &schema.PlanDelisting{Market: w.byName(w.listed[3+chance(t, len(convertPairs)-3)].Market.Name), At: w.now}
		}
		return &m
	case 5:
		return w.asset(t, schema.AssetID(1+chance(t, swapAssets)))
	case 6:
		return w.setAccount(t)
	case 7:
		return w.family(t)
	}
	w.plan = append(w.plan, moment{cmd: &schema.QuoteConversion{Exchange: w.exchange(t)}}, moment{cmd: &undo})
	return &m
}

// setAccount blocks an account or moves it into another region, and mostly back.
func (w *convertWorld) setAccount(t *dice) schema.Command {
	all := w.oracle.Accounts()
	a := all[chance(t, min(len(all), convertAccounts))]
	undo := a
	if coin(t) {
		a.Blocked = !a.Blocked
		w.plan = append(w.plan, moment{cmd: &schema.ConfirmConversion{Account: a.ID, Quote: w.quoteID(t)}})
	} else {
		a.Region = pick(t, schema.Global, schema.EU)
	}
	w.plan = append(w.plan, moment{cmd: &schema.QuoteConversion{Exchange: w.exchange(t)}}, moment{cmd: &schema.SetAccount{Account: undo}})
	return &schema.SetAccount{Account: a}
}

// family lets a master block a sub-account, or delete it with all that it has withdrawn.
func (w *convertWorld) family(t *dice) schema.Command {
	all := w.oracle.Accounts()
	sub := all[convertAccounts+chance(t, len(all)-convertAccounts)]
	remove := &schema.DeleteSub{Master: sub.Parent, Sub: sub.ID}
	if chance(t, 4) != 0 {
		return &schema.BlockSub{Master: sub.Parent, Sub: sub.ID, Blocked: chance(t, 3) == 0}
	}
	if coin(t) {
		return remove
	}
	w.plan = append(w.plan, moment{cmd: &schema.CancelAll{Account: sub.ID}})
	for asset := swapUSDT; asset <= swapAssets; asset++ {
		trade, _, _ := w.oracle.Balance(sub.ID, schema.Trade, asset)
		main, _, _ := w.oracle.Balance(sub.ID, schema.Main, asset)
		trade = cut(trade, w.precisionOf(asset))
		w.plan = append(w.plan, moment{cmd: &schema.Transfer{Account: sub.ID, Asset: asset, Amount: trade, From: schema.Trade, To: schema.Main}},
			moment{cmd: &schema.Withdraw{Account: sub.ID, Asset: asset, Amount: cut(added(main, trade), w.precisionOf(asset))}})
	}
	w.plan = append(w.plan, moment{cmd: remove})
	return &schema.QuoteConversion{Exchange: schema.Exchange{Account: sub.ID, From: swapUSDT, To: swapBTC, Amount: fixed.One}}
}

// learn lets quotes be confirmed, at once or at their ends, once or twice, by another, and what was refused be asked for once more with less.
func (w *convertWorld) learn(t *dice, m moment, answer schema.Result) {
	switch c := m.cmd.(type) {
	case *schema.QuoteConversion:
		w.learnQuote(t, &c.Exchange, answer)
	case *schema.AutoConvert:
		if answer.Rejection.Refused() {
			return
		}
		w.lastID = max(w.lastID, answer.Conversion.ID)
		if c.Key != (schema.Digest{}) && chance(t, 4) == 0 {
			w.mark(answer.Conversion.Done + aDay)
			again := *c
			w.plan = append(w.plan, moment{cmd: &again})
			if chance(t, 4) == 0 { // just before or after the record ends, with or without a tick
				at := around(t, answer.Conversion.Done+aDay)
				for _, c := range w.indices() {
					w.plan = append(w.plan, moment{at: at - schema.Second, cmd: c})
				}
				if coin(t) {
					w.plan = append(w.plan, moment{at: at, cmd: &schema.Tick{}})
				}
				w.plan = append(w.plan, moment{at: at, cmd: &again}, moment{cmd: &again})
			}
		}
	case *schema.ConfirmConversion:
		if !answer.Rejection.Refused() && chance(t, 4) == 0 {
			again := *c
			w.mark(answer.Conversion.Done + anHour)
			w.plan = append(w.plan, moment{cmd: &again})
			if chance(t, 8) == 0 {
				w.plan = append(w.plan, moment{at: around(t, answer.Conversion.Done+anHour), cmd: &again})
			}
		}
	}
}

func (w *convertWorld) learnQuote(t *dice, e *schema.Exchange, answer schema.Result) {
	again := *e
	switch answer.Rejection.Reason {
	case schema.OK:
	case schema.ConversionTooLarge, schema.ConversionNotCovered:
		if chance(t, 3) == 0 {
			again.Amount, _ = fixed.Div(e.Amount, fixed.FromInt(pick[int64](t, 2, 10)), 8, fixed.Down)
			w.plan = append(w.plan, moment{cmd: &schema.QuoteConversion{Exchange: again}})
		}
		return
	default:
		return
	}
	q := answer.Conversion
	w.lastID = max(w.lastID, q.ID)
	confirm := &schema.ConfirmConversion{Account: q.Account, Quote: q.ID}
	switch n := chance(t, 24); {
	case n < 8:
		w.plan = append(w.plan, moment{cmd: confirm})
	case n < 11:
		at := around(t, q.Expires)
		if coin(t) {
			w.plan = append(w.plan, moment{at: at, cmd: &schema.Tick{}})
		}
		w.plan = append(w.plan, moment{at: at, cmd: confirm}, moment{cmd: &schema.QuoteConversion{Exchange: again}})
	case n == 11:
		w.plan = append(w.plan, moment{cmd: &schema.ConfirmConversion{Account: w.account(t), Quote: q.ID}}, moment{cmd: confirm}, moment{cmd: confirm})
	case n == 12: // what it would give is gone
		available, _, _ := w.oracle.Balance(q.Account, schema.Trade, q.From)
		w.plan = append(w.plan, moment{cmd: &schema.Transfer{Account: q.Account, Asset: q.From, Amount: cut(available, w.precisionOf(q.From)), From: schema.Trade, To: schema.Main}},
			moment{cmd: confirm}, moment{cmd: &schema.Deposit{Account: q.Account, Asset: q.From, Amount: q.Give}},
			moment{cmd: &schema.Transfer{Account: q.Account, Asset: q.From, Amount: q.Give, From: schema.Main, To: schema.Trade}}, moment{cmd: confirm})
	case n == 13 || n >= 18 && n < 21: // the price has moved
		moved := w.move(t)
		if q.To != swapUSDT && n > 13 { // against the inventory
			worth, _ := fixed.Mul(w.worth[q.To], fixed.FromUnits(pick[int64](t, 101, 110, 200), 2), 18, fixed.Down)
			moved = &schema.SetIndex{Market: schema.MarketID(q.To - 1), Price: worth}
		}
		w.plan = append([]moment{{cmd: moved}, {cmd: confirm}}, w.plan...)
	case n == 14: // as much as the bounds leave
		again.Amount, again.InTo = q.Receive, true
		w.plan = append(w.plan, moment{cmd: &schema.QuoteConversion{Exchange: again}})
	case n == 15: // and back
		w.plan = append(w.plan, moment{cmd: confirm}, moment{cmd: &schema.AutoConvert{Exchange: schema.Exchange{Account: q.Account, From: q.To, To: q.From, Amount: q.Receive}}})
	case n == 16: // as many as an account can have, and more
		for i := range swapAssets * (swapAssets - 1) / 2 {
			from := schema.AssetID(1 + i%swapAssets)
			some := schema.Exchange{Account: q.Account, From: from, To: schema.AssetID(1 + (int(from)+i/swapAssets)%swapAssets), Amount: w.amountFor(from, fixed.FromInt(int64(1+chance(t, 9))), 8)}
			w.plan = append(w.plan, moment{cmd: &schema.QuoteConversion{Exchange: some}})
		}
	case n == 17: // so many that the first are forgotten
		if chance(t, 4) == 0 {
			for range 20 {
				w.plan = append(w.plan, moment{cmd: &schema.QuoteConversion{Exchange: again}})
			}
			w.plan = append(w.plan, moment{cmd: confirm})
		}
	}
}
