package core

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
)

// Two ways to the same end must come to the same end. These tests need no oracle: they hold the
// machine against itself.

// pair is two machines that were given the same commands.
func pair(r *dice, w *world, commands int) (a, b *Machine) {
	a, b = New(), New()
	both := func(at schema.Time, c schema.Command) {
		a.Apply(at, c)
		b.Apply(at, c)
	}
	for _, c := range genesis() {
		both(w.now, c)
	}
	for range 1 + chance(r, commands) {
		at, c := w.next(r)
		switch c.(type) {
		case *schema.SetAccount, *schema.SetMarket:
			continue // regions and listing windows treat orders in a bulk differently on purpose
		}
		both(at, c)
		w.orders = a.Trading().Counters().Order
	}
	return a, b
}

func sameHash(t *rapid.T, a, b *Machine) {
	if a.Hash() != b.Hash() {
		t.Fatal("the two ways end in different states")
	}
}

func TestBulkIsItsOrdersOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		w := &world{now: start}
		a, b := pair(r, w, 40)
		bulk := &schema.PlaceBulk{Account: w.account(r), StopOnFail: coin(r)}
		for range 1 + chance(r, 8) {
			request := w.request(r)
			request.Type = schema.Limit
			bulk.Orders = append(bulk.Orders, request)
		}
		at := w.now + 1
		whole := a.Apply(at, bulk)
		for i := range bulk.Orders {
			single := b.Apply(at, &schema.PlaceOrder{Account: bulk.Account, Order: bulk.Orders[i]}).Result
			if whole.Result.Rejection.Refused() { // the account: each of its orders is refused for that
				if single.Rejection != whole.Result.Rejection {
					t.Fatalf("order %d: %v, the bulk: %v", i, single.Rejection, whole.Result.Rejection)
				}
				continue
			}
			if item := (schema.Item{Rejection: single.Rejection, Order: single.Order}); item != whole.Result.Items[i] {
				t.Fatalf("order %d alone: %+v\nin the bulk: %+v", i, item, whole.Result.Items[i])
			}
			if single.Rejection.Refused() && bulk.StopOnFail {
				if len(whole.Result.Items) != i+1 {
					t.Fatalf("the bulk went on after order %d was refused", i)
				}
				break
			}
		}
		// A bulk moves the clock even if all its orders are refused; a tick makes that equal.
		a.Apply(at+1, &schema.Tick{})
		b.Apply(at+1, &schema.Tick{})
		sameHash(t, a, b)
	})
}

func TestBulkCancelIsItsCancelsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		w := &world{now: start}
		a, b := pair(r, w, 60)
		bulk := &schema.CancelBulk{Account: schema.FirstCustomer + schema.AccountID(chance(r, worldAccounts))}
		for range 1 + chance(r, 12) {
			bulk.Orders = append(bulk.Orders, w.ref(r))
		}
		items := a.Apply(w.now+1, bulk).Result.Items
		if len(items) != len(bulk.Orders) {
			t.Fatalf("%d answers to %d cancels", len(items), len(bulk.Orders))
		}
		for i := range bulk.Orders {
			single := b.Apply(w.now+1, &schema.CancelOrder{Account: bulk.Account, Order: bulk.Orders[i]}).Result
			if item := (schema.Item{Rejection: single.Rejection, Order: single.Order}); item != items[i] {
				t.Fatalf("cancel %d alone: %+v\nin the bulk: %+v", i, item, items[i])
			}
		}
		a.Apply(w.now+2, &schema.Tick{})
		b.Apply(w.now+2, &schema.Tick{})
		sameHash(t, a, b)
	})
}

// TestModifyIsCancelAndNew: the replacement takes the next id either way, so the whole states
// are equal, not only books and balances.
func TestModifyIsCancelAndNew(t *testing.T) {
	modified := 0
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		w := &world{now: start}
		a, b := pair(r, w, 60)
		var open []schema.Order
		for market := schema.MarketID(1); market <= worldMarkets; market++ {
			for _, o := range a.Trading().All(market) {
				if o.ActivatedAt == 0 { // those are replaced by activated ones, which nobody can place
					open = append(open, o)
				}
			}
		}
		if len(open) == 0 {
			return
		}
		old := open[chance(r, len(open))]
		modify, replacement := w.replace(r, &old)
		if bbo := roleOf(a, old.Market, old.ID); !modify.Price.Set() {
			replacement.BBO = bbo
		}
		before := a.Hash()
		got := a.Apply(w.now+1, modify).Result
		canceled := b.Apply(w.now+1, &schema.CancelOrder{Account: old.Account, Order: modify.Order}).Result
		if canceled.Rejection.Refused() {
			t.Fatalf("an open order cannot be canceled: %s", canceled.Rejection.Text())
		}
		want := b.Apply(w.now+1, &schema.PlaceOrder{Account: old.Account, Order: replacement}).Result
		if want.Rejection.Reason == schema.ActivationEqualsLast {
			want.Rejection.Reason = schema.ModifyActivationEqualsLast
		}
		if got.Rejection != want.Rejection || got.Order != want.Order {
			t.Fatalf("modified: %s %+v\nplaced: %s %+v", got.Rejection.Text(), got.Order, want.Rejection.Text(), want.Order)
		}
		if got.Rejection.Refused() {
			if a.Hash() != before {
				t.Fatal("the replacement was refused and the original did not stay as it was")
			}
			return
		}
		modified++
		sameHash(t, a, b)
	})
	if modified == 0 {
		t.Error("no modification was ever accepted")
	}
}

// replace draws a modification of an order and the new order that must be the same.
func (w *world) replace(t *dice, old *schema.Order) (*schema.ModifyOrder, schema.OrderRequest) {
	m := &schema.ModifyOrder{
		Account: old.Account, Order: schema.OrderRef{Market: old.Market, ID: old.ID},
		STP: pick(t, schema.STPNo, schema.STPCancelOld, schema.STPCancelBoth, schema.STPCancelNew),
	}
	if old.Type.InQuote(old.Side) {
		m.Total = schema.Some(pick(t, d("50"), d("120.5"), w.amount(t)))
	} else if coin(t) || !old.Type.HasPrice() {
		m.Amount = schema.Some(w.amount(t))
	}
	if old.Type.HasPrice() && (coin(t) || !m.Amount.Set()) {
		m.Price = schema.Some(w.price(t))
	}
	if old.Type.IsStop() && coin(t) {
		m.ActivationPrice = schema.Some(w.price(t))
	}
	r := schema.OrderRequest{
		Market: old.Market, Type: old.Type, Side: old.Side, STP: m.STP, PostOnly: old.PostOnly, RPI: old.RPI, Retail: old.Retail,
		Amount: m.Amount.Or(m.Total.Or(old.Left)), Price: m.Price.Or(old.Price), ActivationPrice: m.ActivationPrice.Or(old.ActivationPrice),
		ClientID: old.ClientID,
	}
	return m, r
}

// roleOf is how an order that waits will take its price from the book; no view shows it.
func roleOf(m *Machine, market schema.MarketID, id schema.OrderID) schema.BBORole {
	for r := range m.trading.Orders(market) {
		if r.Order.ID == id {
			return r.BBO
		}
	}
	return schema.BBONone
}

// swapped is a command for the exchange on which the first and the third market changed places.
func swapped(t *rapid.T, c schema.Command) schema.Command {
	e, _, err := schema.NextEnvelope(schema.AppendEnvelope(nil, &schema.Envelope{Command: c}))
	if err != nil {
		t.Fatal(err)
	}
	swapIDs(reflect.ValueOf(e.Command).Elem())
	return e.Command
}

// swapIDs exchanges the ids of the first and the third market wherever they are named.
func swapIDs(v reflect.Value) {
	if id, ok := v.Addr().Interface().(*schema.MarketID); ok {
		if *id == 1 || *id == worldMarkets {
			*id = 1 + worldMarkets - *id
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				swapIDs(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			swapIDs(v.Index(i))
		}
	}
}

// TestMarketsDoNotKnowTheirNumber lists the markets in another order. Orders are numbered over
// all markets, so everything but the number of the market must be the same.
func TestMarketsDoNotKnowTheirNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		w := &world{now: start}
		a, b := New(), New()
		list := genesis()
		for i, c := range list {
			a.Apply(w.now, c)
			switch i - worldAssets {
			case 0:
				c = list[worldAssets+worldMarkets-1]
			case worldMarkets - 1:
				c = list[worldAssets]
			}
			b.Apply(w.now, c)
		}
		for range 1 + chance(r, 80) {
			at, c := w.next(r)
			got, want := a.Apply(at, c).Result, b.Apply(at, swapped(t, c)).Result
			w.orders = a.Trading().Counters().Order
			if _, ok := c.(*schema.SetMarket); ok && want.ID != 0 {
				want.ID = uint64(swapID(schema.MarketID(want.ID)))
			}
			swapIDs(reflect.ValueOf(&want).Elem())
			if err := sameResult(&got, &want); err != nil {
				t.Fatalf("%T %+v: %v", c, c, err)
			}
		}
		compareSwapped(t, a, b)
	})
}

func swapID(id schema.MarketID) schema.MarketID {
	swapIDs(reflect.ValueOf(&id).Elem())
	return id
}

func compareSwapped(t *rapid.T, a, b *Machine) {
	for _, account := range a.Accounts().All() {
		for wallet := schema.Main; wallet <= schema.Earn; wallet++ {
			for asset := schema.AssetID(1); asset <= worldAssets; asset++ {
				a1, f1, h1 := a.Balance(account.ID, wallet, asset)
				a2, f2, h2 := b.Balance(account.ID, wallet, asset)
				if a1 != a2 || f1 != f2 || h1 != h2 {
					t.Fatalf("account %d has %s %s %s and %s %s %s of asset %d", account.ID, a1, f1, h1, a2, f2, h2, asset)
				}
			}
		}
	}
	for market := schema.MarketID(1); market <= worldMarkets; market++ {
		open := b.Trading().All(swapID(market))
		for i := range open {
			open[i].Market = market
		}
		if got := a.Trading().All(market); !reflect.DeepEqual(got, open) {
			t.Fatalf("market %d has %+v and %+v", market, got, open)
		}
		if a.Trading().Market(market).Last != b.Trading().Market(swapID(market)).Last {
			t.Fatalf("market %d has another last price", market)
		}
	}
}
