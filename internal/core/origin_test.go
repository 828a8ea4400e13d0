package core

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// signed is a machine with a key of account 101 that may sign.
func signed(t *testing.T) *Machine {
	t.Helper()
	m := New()
	for _, c := range genesis() {
		apply(t, m, start, c)
	}
	apply(t, m, m.Time()+1, &schema.SetKey{Key: schema.Key{Key: "signer", Account: 101, Sealed: []byte("sealed"), Enabled: true}})
	return m
}

// done is what a command did that must be accepted.
func done(t *testing.T, m *Machine, c schema.Command) *schema.Outcome {
	t.Helper()
	out := m.Apply(m.Time()+1, c)
	if r := out.Result.Rejection; r.Refused() {
		t.Fatalf("%T: %s", c, r.Text())
	}
	return out
}

// tooDear is an order that is refused because nobody has that much.
func tooDear() *schema.PlaceOrder {
	return &schema.PlaceOrder{Account: 101, Order: schema.OrderRequest{
		Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(90_000_000), Price: fixed.FromInt(100),
	}}
}

func TestANonceIsUsedUpByWhateverItCameWith(t *testing.T) {
	m := signed(t)
	from := schema.Origin{Key: 1, Nonce: 7}
	if r := m.ApplyFrom(m.Time(), from, tooDear()).Result.Rejection; r.Reason != schema.NotEnoughBalance {
		t.Fatalf("got %q", r.Text())
	}
	if r := m.ApplyFrom(m.Time(), from, &schema.CancelAll{Account: 101}).Result.Rejection; r.Reason != schema.NonceUsed {
		t.Errorf("a nonce of a refused command was taken again: %q", r.Text())
	}
	from.Nonce = 8
	if r := m.ApplyFrom(m.Time(), from, &schema.CancelAll{Account: 101}).Result.Rejection; r.Refused() {
		t.Errorf("a new nonce was refused: %q", r.Text())
	}
}

// TestWindowNonceIsNeverTakenTwice: a refused command does not move the clock, so that a command
// after it may come from an earlier time. What was used is used then too.
func TestWindowNonceIsNeverTakenTwice(t *testing.T) {
	m := signed(t)
	done(t, m, &schema.SetFeature{Feature: schema.ExactNonces, On: true})
	now := m.Time()
	first := schema.Origin{Key: 1, Nonce: uint64(now / 1000), Window: true}
	cancel := &schema.CancelAll{Account: 101}
	if r := m.ApplyFrom(now, first, cancel).Result.Rejection; r.Refused() {
		t.Fatal(r.Text())
	}
	later := now + 6*schema.Second
	ahead := schema.Origin{Key: 1, Nonce: uint64(later / 1000), Window: true}
	if r := m.ApplyFrom(later, ahead, tooDear()).Result.Rejection; r.Reason != schema.NotEnoughBalance {
		t.Fatal(r.Text())
	}
	if r := m.ApplyFrom(now, first, cancel).Result.Rejection; r.Reason != schema.NonceUsed {
		t.Errorf("the nonce was taken twice: %q", r.Text())
	}
}

// TestRefusedNonceChangesNothing: a nonce that is refused is not used up.
func TestRefusedNonceChangesNothing(t *testing.T) {
	m := signed(t)
	done(t, m, &schema.SetFeature{Feature: schema.ExactNonces, On: true})
	now := m.Time()
	cancel := &schema.CancelAll{Account: 101}
	far := now + 3600*schema.Second
	for _, from := range []schema.Origin{{Key: 1, Nonce: uint64(now / 1000), Window: true}, {Key: 1, Nonce: uint64(far / 1000)}} {
		if r := m.ApplyFrom(now, from, cancel).Result.Rejection; r.Refused() {
			t.Fatal(r.Text())
		}
	}
	before := m.Hash()
	late := now + 60*schema.Second
	if r := m.ApplyFrom(late, schema.Origin{Key: 1, Nonce: uint64(late / 1000), Window: true}, cancel).Result.Rejection; r.Reason != schema.NonceUsed {
		t.Fatal(r.Text())
	}
	if m.Hash() != before {
		t.Error("a refused nonce changed the state")
	}
}

func TestNoncesAreInTheSnapshot(t *testing.T) {
	m := signed(t)
	window := schema.Origin{Key: 1, Nonce: uint64(m.Time() / 1000), Window: true}
	for _, from := range []schema.Origin{{Key: 1, Nonce: 5}, window} {
		if r := m.ApplyFrom(m.Time(), from, &schema.CancelAll{Account: 101}).Result.Rejection; r.Refused() {
			t.Fatal(r.Text())
		}
	}
	back, err := Restore(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []schema.Origin{{Key: 1, Nonce: 5}, window, {Key: 1, Nonce: window.Nonce}} {
		if r := back.ApplyFrom(m.Time(), from, &schema.CancelAll{Account: 101}).Result.Rejection; r.Reason != schema.NonceUsed {
			t.Errorf("%+v after a restore: %q", from, r.Text())
		}
	}
}

func TestOnlyAKeyThatMaySignIsTaken(t *testing.T) {
	m := signed(t)
	cancel := &schema.CancelAll{Account: 101}
	if r := m.ApplyFrom(m.Time(), schema.Origin{Key: 2, Nonce: 1}, cancel).Result.Rejection; r.Reason != schema.KeyRefused {
		t.Errorf("a key that does not exist: %q", r.Text())
	}
	apply(t, m, m.Time()+1, &schema.SetKey{Key: schema.Key{Key: "signer", Account: 101, Sealed: []byte("sealed")}})
	if r := m.ApplyFrom(m.Time(), schema.Origin{Key: 1, Nonce: 1}, cancel).Result.Rejection; r.Reason != schema.KeyRefused {
		t.Errorf("a key that is off: %q", r.Text())
	}
}

func TestAnIDOfAKeyIsNeverUsedAgain(t *testing.T) {
	m := signed(t)
	apply(t, m, m.Time()+1, &schema.DeleteKey{Key: "signer"})
	back, err := Restore(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	for _, machine := range []*Machine{m, back} {
		apply(t, machine, machine.Time()+1, &schema.SetKey{Key: schema.Key{Key: "signer", Account: 101, Sealed: []byte("other"), Enabled: true}})
		if id := machine.Accounts().Key("signer").ID; id != 2 {
			t.Errorf("the new key has id %d, want 2", id)
		}
	}
}

func TestEuropeanRulesHoldAtAEuropeanDeployment(t *testing.T) {
	m := signed(t)
	limit := &schema.PlaceOrder{Account: 101, Order: schema.OrderRequest{
		Market: 1, Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(1), Price: fixed.FromInt(10),
	}}
	if r := m.ApplyFrom(m.Time(), schema.Origin{Region: schema.EU}, limit).Result.Rejection; r.Reason != schema.OrderTypeUnavailable {
		t.Errorf("a global account at the European deployment: %q", r.Text())
	}
	if r := m.ApplyFrom(m.Time(), schema.Origin{Region: schema.Global}, limit).Result.Rejection; r.Refused() {
		t.Errorf("a global account at the global deployment: %q", r.Text())
	}
}

func TestAMarketIsOfferedInItsRegionsOnly(t *testing.T) {
	m := signed(t)
	info := *m.Listing().Market(1)
	info.Regions = schema.In(schema.EU)
	apply(t, m, m.Time()+1, &schema.SetMarket{Market: info})
	sell := &schema.PlaceOrder{Account: 101, Order: schema.OrderRequest{Market: 1, Type: schema.Market, Side: schema.Sell, Amount: fixed.FromInt(1)}}
	if r := m.ApplyFrom(m.Time(), schema.Origin{Region: schema.Global}, sell).Result.Rejection; r.Reason != schema.MarketUnavailable {
		t.Errorf("outside its regions: %q", r.Text())
	}
	if r := m.ApplyFrom(m.Time(), schema.Origin{Region: schema.EU}, sell).Result.Rejection; r.Reason == schema.MarketUnavailable {
		t.Errorf("in its region: %q", r.Text())
	}
	info.Regions = 1 << 7
	if r := m.Apply(m.Time(), &schema.SetMarket{Market: info}).Result.Rejection; r.Reason != schema.RegionInvalid {
		t.Errorf("a region that is none: %q", r.Text())
	}
}

func TestTransfersNeedTheirCurrencyOpen(t *testing.T) {
	m := signed(t)
	move := func(from, to schema.Wallet) schema.Rejection {
		return m.Apply(m.Time(), &schema.Transfer{Account: 101, Asset: 1, Amount: fixed.FromInt(1), From: from, To: to}).Result.Rejection
	}
	asset := *m.Listing().Asset(1)
	asset.CanDeposit = false
	apply(t, m, m.Time()+1, &schema.SetAsset{Asset: asset})
	if r := move(schema.Main, schema.Trade); r.Reason != schema.EnteringDisabled {
		t.Errorf("into trade without deposits: %q", r.Text())
	}
	if r := move(schema.Trade, schema.Main); r.Refused() {
		t.Errorf("out of trade without deposits: %q", r.Text())
	}
	asset.CanDeposit, asset.CanWithdraw = true, false
	apply(t, m, m.Time()+1, &schema.SetAsset{Asset: asset})
	if r := move(schema.Trade, schema.Main); r.Reason != schema.LeavingDisabled {
		t.Errorf("out of trade without withdrawals: %q", r.Text())
	}
	if r := move(schema.Main, schema.Trade); r.Refused() {
		t.Errorf("into trade without withdrawals: %q", r.Text())
	}
}

// transferIDs are the numbers of the transfers in an outcome.
func transferIDs(out *schema.Outcome) (ids []schema.TransferID) {
	for e := range out.Events.All() {
		if moved, is := e.(*schema.Transferred); is {
			ids = append(ids, moved.ID)
		}
	}
	return ids
}

func TestTransfersAreNumbered(t *testing.T) {
	m := signed(t)
	move := &schema.Transfer{Account: 102, Asset: 2, Amount: fixed.FromInt(3), From: schema.Trade, To: schema.Main}
	var ids []schema.TransferID
	for range 2 {
		ids = append(ids, transferIDs(done(t, m, move))...)
	}
	if len(ids) != 2 || ids[1] != ids[0]+1 {
		t.Errorf("the numbers are %v", ids)
	}
	if r := m.Apply(m.Time(), &schema.Transfer{Account: 102, Asset: 2, Amount: fixed.FromInt(1 << 40), From: schema.Trade, To: schema.Main}).Result.Rejection; !r.Refused() {
		t.Fatal("nobody has that much")
	}
	back, err := Restore(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if got := transferIDs(done(t, back, move)); len(got) != 1 || got[0] != ids[1]+1 {
		t.Errorf("after a refusal and a restore the next numbers are %v, want %d", got, ids[1]+1)
	}
}

func TestNewestOrdersComeFirstOverAllMarkets(t *testing.T) {
	m := signed(t)
	var placed []schema.OrderID
	for i := range 6 {
		o := schema.OrderRequest{Market: schema.MarketID(1 + i%2), Type: schema.Limit, Side: schema.Buy, Amount: fixed.FromInt(1), Price: fixed.FromInt(int64(10 + i))}
		placed = append(placed, done(t, m, &schema.PlaceOrder{Account: 101, Order: o}).Result.Order.ID)
	}
	ids := func(orders []schema.Order) (list []schema.OrderID) {
		for i := range orders {
			list = append(list, orders[i].ID)
		}
		return list
	}
	for _, tt := range []struct {
		market        schema.MarketID
		offset, limit int
		want          []schema.OrderID
	}{
		{0, 0, 10, []schema.OrderID{placed[5], placed[4], placed[3], placed[2], placed[1], placed[0]}},
		{0, 1, 3, []schema.OrderID{placed[4], placed[3], placed[2]}},
		{2, 0, 2, []schema.OrderID{placed[5], placed[3]}},
		{1, 2, 5, []schema.OrderID{placed[0]}},
		{1, 9, 5, nil},
		{3, 0, 5, nil},
	} {
		got := ids(m.Trading().Newest(101, tt.market, tt.offset, tt.limit))
		if len(got) != len(tt.want) {
			t.Fatalf("%+v: got %v", tt, got)
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%+v: got %v", tt, got)
			}
		}
	}
	if got := m.Trading().Newest(999, 0, 0, 5); got != nil {
		t.Errorf("nobody has orders: %v", got)
	}
}
