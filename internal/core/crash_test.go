package core

import (
	"fmt"
	"testing"

	"bourse/internal/core/collateral"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// slump is a market that falls with very many positions in it. It checks what must hold while the exchange cleans up: no
// command does more than a bounded amount of work, and every change of the insurance fund is explained where it happens.
type slump struct {
	testing.TB
	m    *Machine
	done int // commands

	fund       fixed.Decimal // what the fund has, by its changes
	brought    fixed.Decimal // by the operator
	fees       fixed.Decimal // of liquidation
	shortfalls fixed.Decimal
	fallen     map[schema.AccountID]bool // who was in liquidation
	closed     fixed.Decimal             // that deleveraging closed
	dealt      int                       // deals of liquidation in the book
}

// The work of a command is bounded by the looks and the units of a run. A look leaves at most two events, of an account that falls
// and recovers; a unit at most these, with each movement of money as one.
const eventsPerUnit = 16

// crowdOf is how many positions fall in one step.
const crowdOf = 10_000

// newSlump is a venue where longs are about to fall.
func newSlump(t testing.TB, edit func(*schema.MarketInfo)) *slump {
	s := &slump{TB: t, m: newVenue(t, edit).m, fallen: map[schema.AccountID]bool{}}
	s.m.Itemize()
	return s
}

// do applies a command that must be accepted, a millisecond after the one before.
func (s *slump) do(c schema.Command) *schema.Outcome {
	s.Helper()
	return s.after(schema.Second/1000, c)
}

func (s *slump) after(pause schema.Time, c schema.Command) *schema.Outcome {
	s.Helper()
	out := s.m.Apply(s.m.Time()+pause, c)
	if r := out.Result.Rejection; r.Refused() {
		s.Fatalf("%T was refused: %s", c, r.Text())
	}
	s.account(out)
	// Going through the whole state after each command would take longer than all else.
	if s.done++; s.done%5000 == 0 {
		s.verify()
	}
	return out
}

func (s *slump) verify() {
	s.Helper()
	if err := s.m.Verify(); err != nil {
		s.Fatalf("after %d commands: %v", s.done, err)
	}
}

// account follows the fund through the events of a command.
func (s *slump) account(out *schema.Outcome) {
	s.Helper()
	if most := 2*collateral.DefaultBounds.Looks + eventsPerUnit*collateral.DefaultBounds.Units; out.Events.Len() > most {
		s.Fatalf("a command left %d events", out.Events.Len())
	}
	deals := map[schema.DealID]*schema.Deal{}
	unexplained := fixed.Zero // paid by the fund for somebody who is not named yet
	for event := range out.Events.All() {
		switch e := event.(type) {
		case *schema.Deal:
			deals[e.ID] = e
			switch {
			case e.OffBook:
				s.closed = s.closed.Add(e.Amount)
			case s.fallen[e.Taker.Account]:
				s.dealt++
			}
		case *schema.RiskChanged:
			if e.State == schema.Liquidation {
				s.fallen[e.Account] = true
			}
		case *schema.PositionChanged:
			if deal := deals[e.Deal]; deal != nil && deal.OffBook && deal.Maker.Account == e.Position.Account && e.Realized.Sign() < 0 {
				s.Fatalf("deleveraging made account %d lose %s", e.Position.Account, e.Realized)
			}
		case *schema.Shortfall:
			if e.Amount != unexplained || e.Fund != s.fund {
				s.Fatalf("the fund paid %s and has %s; the event says %+v", unexplained, s.fund, e)
			}
			s.shortfalls, unexplained = s.shortfalls.Add(e.Amount), fixed.Zero
		case *schema.BalanceChanged:
			if e.Account != schema.Insurance || e.Wallet != schema.Main {
				continue
			}
			change := e.Available.Sub(s.fund)
			s.fund = e.Available
			switch e.Cause {
			case schema.ByTransfer:
				s.brought = s.brought.Add(change)
			case schema.ByShortfall:
				unexplained = unexplained.Sub(change)
			case schema.ByLiquidation:
				deal := deals[schema.DealID(e.Ref)]
				if deal == nil || deal.OffBook {
					s.Fatalf("a fee of %s is of deal %d, which is %+v", change, e.Ref, deal)
				}
				if most, _ := fixed.Mul(deal.Money, d("0.002"), 6, fixed.Down); change.Sign() <= 0 || change.Cmp(most) > 0 {
					s.Fatalf("the fee of a deal of %s is %s", deal.Money, change)
				}
				s.fees = s.fees.Add(change)
			default:
				s.Fatalf("the fund changed by %s because of %s", change, e.Cause)
			}
		}
	}
	if !unexplained.IsZero() {
		s.Fatalf("the fund paid %s for nobody", unexplained)
	}
}

// trader opens an account with collateral in USDT.
func (s *slump) trader(usdt fixed.Decimal, leverage uint8) schema.AccountID {
	s.Helper()
	s.do(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprint("trader", s.done), Region: schema.Global}})
	all := s.m.Accounts().All()
	id := all[len(all)-1].ID
	s.do(&schema.Deposit{Account: id, Asset: venueUSDT, Amount: usdt})
	s.do(&schema.Transfer{Account: id, Asset: venueUSDT, Amount: usdt, From: schema.Main, To: schema.Collateral})
	s.do(&schema.SetLeverage{Account: id, Leverage: leverage})
	return id
}

// shorts are traders with an order to sell each.
func (s *slump) shorts(count int, usdt func(i int) fixed.Decimal, amount, price string) (list []schema.AccountID) {
	s.Helper()
	for i := range count {
		id := s.trader(usdt(i), 10)
		s.do(bet(id, schema.Sell, amount, price))
		list = append(list, id)
	}
	return list
}

// longs are traders at a leverage of 100 who buy 0.1 at 50000, for which 25 is the maintenance margin. Each has so many USDT more than the one before, up
// to a number of steps, and then 80 again.
func (s *slump) longs(count, steps int) (list []schema.AccountID) {
	s.Helper()
	for i := range count {
		id := s.trader(fixed.FromInt(int64(80+i%steps)), 100)
		if o := s.do(bet(id, schema.Buy, "0.1", "50000")).Result.Order; o.Status != schema.Filled {
			s.Fatalf("long %d: %+v", i, o)
		}
		list = append(list, id)
	}
	return list
}

// cleanUp lets time pass as long as the exchange asks for it at once, and returns how many ticks that took. In the middle of it the
// machine is replaced by one that was restored.
func (s *slump) cleanUp(most int) (ticks int) {
	s.Helper()
	for {
		next, running := s.m.NextTimer()
		if !running || next > s.m.Trading().Counters().Tick+1 {
			return ticks
		}
		if ticks++; ticks > most {
			s.Fatalf("not done after %d ticks; %d accounts are in liquidation", most, s.m.Collateral().Liquidating())
		}
		s.do(&schema.Tick{})
		if ticks%25 == 0 {
			s.verify()
		}
		if ticks == 10 {
			restored, err := Restore(s.m.Snapshot())
			if err != nil {
				s.Fatal(err)
			}
			s.m = restored
			s.m.Itemize()
		}
	}
}

// priced sets the index.
func (s *slump) priced(price string) {
	s.Helper()
	s.do(&schema.SetIndex{Market: perp, Price: d(price)})
}

func (s *slump) mark() fixed.Decimal {
	mark, _ := s.m.Prices().Mark(perp)
	return mark
}

// over checks what must hold when all is done.
func (s *slump) over() {
	s.Helper()
	s.verify()
	for _, a := range s.m.Accounts().All() {
		if a.ID < schema.FirstCustomer {
			continue
		}
		for w := schema.Main; schema.Valid(w); w++ {
			if available, _, _ := s.m.Balance(a.ID, w, venueUSDT); available.Sign() < 0 {
				s.Fatalf("account %d has %s in its %s wallet", a.ID, available, w)
			}
		}
	}
	fund, _, _ := s.m.Balance(schema.Insurance, schema.Main, venueUSDT)
	if explained := s.brought.Add(s.fees).Sub(s.shortfalls); fund != s.fund || fund != explained {
		s.Errorf("the fund has %s; brought %s, fees %s, shortfalls %s", fund, s.brought, s.fees, s.shortfalls)
	}
}

// gone checks that accounts have neither a position nor a debt.
func (s *slump) gone(list []schema.AccountID) {
	s.Helper()
	for _, id := range list {
		debt, _, _ := s.m.Balance(id, schema.Debt, venueUSDT)
		if left := s.m.Collateral().Positions(id); len(left) != 0 || !debt.IsZero() || s.m.Collateral().Risk(id) != schema.RiskNone {
			s.Fatalf("account %d has %+v and owes %s", id, left, debt)
		}
	}
}

// open is the size of what accounts have open.
func (s *slump) open(list []schema.AccountID) (sum fixed.Decimal) {
	for _, id := range list {
		for _, p := range s.m.Collateral().Positions(id) {
			sum = sum.Add(p.Amount)
		}
	}
	return sum
}

func same(usdt string) func(int) fixed.Decimal { return func(int) fixed.Decimal { return d(usdt) } }

// TestACrowdFallsIntoADeepBook: the book takes all of it, the fund earns fees and pays nothing.
func TestACrowdFallsIntoADeepBook(t *testing.T) {
	s := newSlump(t, nil)
	s.shorts(2, same("10000000"), "500", "50000")
	longs := s.longs(crowdOf, 8)
	buyer := s.trader(d("100000000"), 10)
	for range 400 {
		s.do(bet(buyer, schema.Buy, "2.5", "49390"))
	}
	s.priced("49400")
	s.cleanUp(150)
	if n := s.m.Collateral().Liquidating(); n != 0 || s.open(longs).Cmp(d("750")) > 0 {
		t.Errorf("%d are in liquidation, %s is open", n, s.open(longs))
	}
	if len(s.fallen) != crowdOf || s.dealt < crowdOf || !s.closed.IsZero() || !s.shortfalls.IsZero() || s.fees.Sign() <= 0 {
		t.Errorf("%d fell, %d deals, %s was deleveraged, fees %s, shortfalls %s", len(s.fallen), s.dealt, s.closed, s.fees, s.shortfalls)
	}
	s.over()
}

// TestACrowdFallsThroughAnEmptyBook: half of the price is gone in one step, and nobody buys. Winners give what the losers lack, down to
// their entries; with shorts that were entered lower, the fund pays the rest, with money or without.
func TestACrowdFallsThroughAnEmptyBook(t *testing.T) {
	for _, tt := range []struct{ name, entry, brought string }{
		{"winners pay", "50000", "1"},
		{"a fund pays", "45000", "10000000"},
		{"the operator owes", "45000", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSlump(t, nil)
			winners := s.shorts(4, same("100000000"), "250", "50000")
			longs := s.longs(crowdOf, 40)
			if tt.entry != "50000" { // the shorts become others'
				first := winners
				winners = s.shorts(4, same("100000000"), "250", tt.entry)
				for _, id := range first {
					s.do(bet(id, schema.Buy, "250", tt.entry))
				}
			}
			for _, id := range winners { // one side of the book, which deleveraging cancels
				s.do(bet(id, schema.Sell, "1", "51000"))
			}
			s.do(&schema.FundSystem{Account: schema.Insurance, Asset: venueUSDT, Amount: d(tt.brought)})
			s.priced("25000")
			s.cleanUp(100)
			s.gone(longs)
			s.gone(winners)
			if len(s.fallen) != crowdOf || s.closed != d("1000") || s.dealt != 0 || s.shortfalls.IsZero() != (tt.entry == "50000") {
				t.Errorf("%d fell, %s was deleveraged, %d deals, shortfalls %s", len(s.fallen), s.closed, s.dealt, s.shortfalls)
			}
			if n := s.m.Trading().Count(perp); n != 0 {
				t.Errorf("%d orders are open", n)
			}
			s.over()
		})
	}
}

// TestTheLastWinnerIsClosedInPart: half of a crowd falls, and a hundred shorts of all sizes of equity give for it what was lost, the last
// one not all it has. No winner falls by that.
func TestTheLastWinnerIsClosedInPart(t *testing.T) {
	s := newSlump(t, nil)
	shorts := s.shorts(100, func(i int) fixed.Decimal { return fixed.FromInt(int64(60_000 + 1000*i)) }, "10", "50000")
	longs := s.longs(crowdOf, 40)
	for _, id := range longs[crowdOf/2+5:] {
		s.do(&schema.Deposit{Account: id, Asset: venueUSDT, Amount: d("10000")})
		s.do(&schema.Transfer{Account: id, Asset: venueUSDT, Amount: d("10000"), From: schema.Main, To: schema.Collateral})
	}
	s.priced("25000")
	s.cleanUp(100)
	s.gone(longs[:crowdOf/2+5])
	parts := 0
	for _, id := range shorts {
		list := s.m.Collateral().Positions(id)
		if len(list) == 1 && list[0].Amount.Abs().Less(d("10")) {
			parts++
		}
		if got := s.m.Collateral().Risk(id); got != schema.RiskNone {
			t.Errorf("winner %d is in state %s", id, got)
		}
	}
	if open := s.open(shorts); s.closed != d("500.5") || open != d("-499.5") || parts == 0 || len(s.fallen) != crowdOf/2+5 {
		t.Errorf("%d fell, %s was deleveraged, %s is open, %d in part", len(s.fallen), s.closed, open, parts)
	}
	s.over()
}

// TestACrowdWaitsForAWinner: all that are short lose too, so that nobody can be closed. To wait costs nothing, and when the other
// side wins all is done.
func TestACrowdWaitsForAWinner(t *testing.T) {
	s := newSlump(t, nil)
	first := s.shorts(2, same("100000000"), "500", "50000")
	longs := s.longs(crowdOf, 40)
	s.shorts(2, same("100000000"), "500", "45000")
	for _, id := range first {
		s.do(bet(id, schema.Buy, "500", "45000"))
	}
	s.priced("48000")
	s.cleanUp(100)
	if n := s.m.Collateral().Liquidating(); n != crowdOf || !s.closed.IsZero() || s.dealt != 0 {
		t.Fatalf("%d are in liquidation, %s was deleveraged, %d deals", n, s.closed, s.dealt)
	}
	orders := s.m.Trading().Counters().Order
	for range 20 {
		if out := s.do(&schema.Tick{}); out.Events.Len() != 0 {
			t.Fatalf("waiting leaves %d events", out.Events.Len())
		}
	}
	if got := s.m.Trading().Counters().Order; got != orders {
		t.Errorf("waiting made %d orders", got-orders)
	}
	s.priced("44000")
	s.cleanUp(100)
	s.gone(longs)
	if s.closed != d("1000") || s.shortfalls.Sign() <= 0 {
		t.Errorf("%s was deleveraged, shortfalls %s", s.closed, s.shortfalls)
	}
	s.over()
}

// TestLiquidationsMakeOthersFall: the index stands still after a first step. Those who fall sell into a thin book, the book moves the
// mark, and the mark makes others fall, until the band of the mark ends it. Stops that the sales wake up are let in.
func TestLiquidationsMakeOthersFall(t *testing.T) {
	s := newSlump(t, nil)
	s.shorts(2, same("10000000"), "500", "50000")
	s.longs(crowdOf-10, 40)
	careful := s.longs(10, 40)
	buyer := s.trader(d("100000000"), 10)
	for i := range 260 {
		s.do(bet(buyer, schema.Buy, "0.1", fmt.Sprint(49469-i)))
	}
	s.do(bet(buyer, schema.Buy, "1", "49000"))
	s.do(bet(buyer, schema.Sell, "100", "49471"))
	for _, id := range careful {
		stop := reduceOnly(bet(id, schema.Sell, "0.1", ""))
		stop.Order.Type, stop.Order.ActivationPrice = schema.StopStockMarket, d("49465")
		s.do(stop)
	}
	s.priced("49470")
	s.cleanUp(150)
	first, mark := len(s.fallen), s.mark()
	for range 120 {
		s.after(5*schema.Second, &schema.Tick{})
		s.cleanUp(150)
	}
	if first == 0 || len(s.fallen) <= first || len(s.fallen) == crowdOf || s.mark().Cmp(mark) >= 0 || s.mark().Less(d("49222.65")) {
		t.Errorf("%d fell at a mark of %s, then %d at %s", first, mark, len(s.fallen), s.mark())
	}
	s.gone(careful)
	if !s.shortfalls.IsZero() {
		t.Errorf("the fund paid %s", s.shortfalls)
	}
	s.over()
}
