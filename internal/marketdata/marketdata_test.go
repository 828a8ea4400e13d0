package marketdata

import (
	"reflect"
	"slices"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// trade lets one deal happen on the first market, in a batch of its own.
func trade(d *Data, id uint64, at schema.Time, price, amount, money string) {
	deal := schema.Deal{ID: schema.DealID(id), Market: 1, TakerSide: schema.Sell, Price: number(price), Amount: number(amount), Money: number(money)}
	d.note(at, &deal)
	d.settle(id)
}

// levels lets levels of the first market be set, in one batch.
func levels(d *Data, at schema.Time, list ...schema.LevelChanged) {
	for i := range list {
		list[i].Market = 1
		d.note(at, &list[i])
	}
	d.settle(d.at.Load() + 1)
}

func bid(price, amount string) schema.LevelChanged {
	return schema.LevelChanged{Side: schema.Buy, Price: number(price), Amount: number(amount)}
}

func ask(price, amount string) schema.LevelChanged {
	return schema.LevelChanged{Side: schema.Sell, Price: number(price), Amount: number(amount)}
}

func TestMarketThatIsNotKnownIsEmpty(t *testing.T) {
	d := new(Data)
	trade(d, 1, start, "100", "1", "100") // on market 1
	for _, m := range []schema.MarketID{0, 2, 1 << 31} {
		asks, bids, version := d.Depth(m, 100)
		bid, ask := d.Best(m)
		if len(asks)+len(bids) != 0 || version != 0 || d.Version(m) != 0 || bid != (Level{}) || ask != (Level{}) {
			t.Errorf("market %d has a book: %v %v %d", m, asks, bids, version)
		}
		if len(d.Trades(m, 0, 10))+len(d.TradesAfter(m, 0, 10))+len(d.Candles(m, Day1, 0, ever, 10)) != 0 || !d.Last(m).IsZero() {
			t.Errorf("market %d has trades", m)
		}
		if d.Day(m, start) != (Summary{}) || d.Today(m, start) != (Summary{}) {
			t.Errorf("market %d has a day: %+v", m, d.Day(m, start))
		}
	}
}

func TestLimitsOfNothingGiveNothing(t *testing.T) {
	d := new(Data)
	trade(d, 1, start, "100", "1", "100")
	levels(d, start, bid("99", "1"), ask("101", "1"))
	for _, limit := range []int{0, -1} {
		asks, bids, _ := d.Depth(1, limit)
		if n := len(asks) + len(bids) + len(d.Trades(1, 0, limit)) + len(d.TradesAfter(1, 0, limit)) + len(d.Candles(1, Sec1, 0, ever, limit)); n != 0 {
			t.Errorf("limit %d gives %d items", limit, n)
		}
	}
	if got := d.Candles(1, 0, 0, ever, 10); got != nil {
		t.Errorf("what is no interval has candles: %v", got)
	}
	if got := d.Candles(1, Sec1, start, 1<<63-1, 10); len(got) != 1 {
		t.Errorf("up to the end of time there are %d candles", len(got))
	}
	if got := d.Candles(1, Sec1, start+1, start-1, 10); len(got) != 0 {
		t.Errorf("candles from later to earlier: %v", got)
	}
}

func TestBookHasANewVersionWhenItIsAnotherOne(t *testing.T) {
	d := new(Data)
	for i, c := range []struct {
		what    string
		batch   []schema.LevelChanged
		version uint64
	}{
		{"the first order", []schema.LevelChanged{bid("99", "1")}, 1},
		{"several levels at once", []schema.LevelChanged{bid("98", "5"), ask("101", "1"), ask("102", "2")}, 2},
		{"an order that came and went", []schema.LevelChanged{bid("97", "1"), bid("97", "0")}, 2},
		{"two of them, and a level that was taken and filled up", []schema.LevelChanged{
			bid("97", "1"), ask("105", "1"), ask("101", "0"), bid("97", "2"), ask("105", "0"), bid("97", "0"), ask("101", "1"),
		}, 2},
		{"the same amount again", []schema.LevelChanged{bid("99", "1")}, 2},
		{"a level that is gone already", []schema.LevelChanged{ask("103", "0")}, 2},
		{"nothing", nil, 2},
		{"what stays behind another that came and went", []schema.LevelChanged{bid("97", "1"), bid("97", "0"), ask("102", "3")}, 3},
		{"the same price on the other side", []schema.LevelChanged{bid("97", "1"), bid("97", "0"), ask("97", "1"), ask("97", "0"), ask("101", "0")}, 4},
	} {
		levels(d, start+schema.Time(i), c.batch...)
		if got := d.Version(1); got != c.version {
			t.Errorf("%s: version %d, want %d", c.what, got, c.version)
		}
	}
	asks, bids, _ := d.Depth(1, 10)
	wantAsks, wantBids := []Level{{number("102"), number("3")}}, []Level{{number("99"), number("1")}, {number("98"), number("5")}}
	if !slices.Equal(asks, wantAsks) || !slices.Equal(bids, wantBids) {
		t.Errorf("asks %v, bids %v", asks, bids)
	}
	if version, at := d.Changed(1); version != 4 || at != start+8 {
		t.Errorf("version %d came at %d", version, at-start)
	}
}

// TestOldestAreForgotten: more trades and candles than are kept, and a file of such a market.
func TestOldestAreForgotten(t *testing.T) {
	const all = CandlesKept + 1000
	d := new(Data)
	for i := uint64(1); i <= all; i++ {
		trade(d, i, start+schema.Time(i)*minute, "100", "1", "100")
	}
	check := func(d *Data) {
		t.Helper()
		trades := d.Trades(1, 0, all)
		if len(trades) != TradesKept || trades[0].ID != all || trades[TradesKept-1].ID != all-TradesKept+1 {
			t.Errorf("%d trades are kept", len(trades))
		}
		if got := d.TradesAfter(1, all-3, 100); len(got) != 3 || got[2].ID != all-2 {
			t.Errorf("after the third last trade there are %v", got)
		}
		for _, i := range []Interval{Sec1, Min1} {
			list := d.Candles(1, i, 0, ever, all)
			if len(list) != CandlesKept || list[0].Start != start+(all-CandlesKept+1)*minute || list[CandlesKept-1].Start != start+all*minute {
				t.Errorf("%d candles of %s are kept", len(list), i)
			}
		}
		hours := d.Candles(1, Hour1, 0, ever, all)
		if len(hours) != all/60+1 || hours[0].Volume != fixed.FromInt(59) || hours[1].Volume != fixed.FromInt(60) {
			t.Errorf("there are %d hours", len(hours))
		}
		if got := d.Day(1, start+all*minute).Volume; got != fixed.FromInt(1441) {
			t.Errorf("%s were traded in the last day", got)
		}
	}
	check(d)
	again := new(Data)
	if err := again.restore(d.encode(all), all); err != nil {
		t.Fatal(err)
	}
	check(again)
	for _, d := range []*Data{d, again} {
		trade(d, all+1, start+(all+1)*minute, "100", "1", "100")
	}
	if string(d.encode(0)) != string(again.encode(0)) {
		t.Error("restored models go on differently")
	}
	if got := again.Candles(1, Sec1, 0, ever, all); len(got) != CandlesKept {
		t.Errorf("%d candles are kept", len(got))
	}
}

func TestDayIsTheLast24Hours(t *testing.T) {
	d := new(Data)
	levels(d, start, bid("99.5", "1"), ask("100.5", "2"))
	at := moment(t, "2026-10-02 10:00:30")
	trade(d, 2, at, "100", "1", "100")
	trade(d, 3, at+10*schema.Second, "110", "2", "220")
	trade(d, 4, at+3*hour, "90", "3", "270")
	trade(d, 5, at+20*hour, "95.5", "4", "382") // on the next day
	n := number
	for _, c := range []struct {
		what string
		now  schema.Time
		want Summary
		of   func(*Data, schema.MarketID, schema.Time) Summary
	}{
		{
			"everything is in the last day", at + 20*hour,
			Summary{Open: n("100"), High: n("110"), Low: n("90"), Last: n("95.5"), Volume: n("10"), Money: n("972"), Change: n("-4.5")},
			(*Data).Day,
		},
		{
			"the minute of the first trade is the oldest one", moment(t, "2026-10-03 10:00:59.999999"),
			Summary{Open: n("100"), High: n("110"), Low: n("90"), Last: n("95.5"), Volume: n("10"), Money: n("972"), Change: n("-4.5")},
			(*Data).Day,
		},
		{
			"it is gone, and its price is what the day opened at", moment(t, "2026-10-03 10:01:00"),
			Summary{Open: n("110"), High: n("95.5"), Low: n("90"), Last: n("95.5"), Volume: n("7"), Money: n("652"), Change: n("-13.18")},
			(*Data).Day,
		},
		{
			"only the last trade", moment(t, "2026-10-04 00:00:00"),
			Summary{Open: n("90"), High: n("95.5"), Low: n("95.5"), Last: n("95.5"), Volume: n("4"), Money: n("382"), Change: n("6.11")},
			(*Data).Day,
		},
		{
			"no trade", moment(t, "2026-10-09 00:00:00"),
			Summary{Open: n("95.5"), High: n("95.5"), Low: n("95.5"), Last: n("95.5")},
			(*Data).Day,
		},
		{
			"since midnight", moment(t, "2026-10-03 23:59:59"),
			Summary{Open: n("90"), High: n("95.5"), Low: n("95.5"), Last: n("95.5"), Volume: n("4"), Money: n("382"), Change: n("6.11")},
			(*Data).Today,
		},
		{
			"just after midnight", moment(t, "2026-10-04 00:00:00"),
			Summary{Open: n("95.5"), High: n("95.5"), Low: n("95.5"), Last: n("95.5")},
			(*Data).Today,
		},
		{
			"a clock that is behind", moment(t, "2026-10-02 23:59:59"),
			Summary{Open: n("90"), High: n("95.5"), Low: n("95.5"), Last: n("95.5"), Volume: n("4"), Money: n("382"), Change: n("6.11")},
			(*Data).Today,
		},
	} {
		c.want.Bid, c.want.Ask = n("99.5"), n("100.5")
		if got := c.of(d, 1, c.now); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

func TestChangeIsRoundedTowardZero(t *testing.T) {
	for _, c := range []struct{ open, last, want string }{
		{"100", "100", "0"},
		{"3", "4", "33.33"},
		{"3", "5", "66.66"},
		{"3", "2", "-33.33"},
		{"3", "1", "-66.66"},
		{"30000", "30001", "0"},
		{"30000", "29999", "0"},
		{"1", "2.5", "150"},
		{"0", "5", "0"},
		{"0.000000000000000001", "1000", fixed.Max.String()},
		{"0.000000000000000001", "100", fixed.Max.String()}, // the share fits, the percents do not
		{fixed.Max.String(), "0.000000000000000001", "-99.99"},
	} {
		if got := percent(number(c.open), number(c.last)); got != number(c.want) {
			t.Errorf("from %s to %s it is %s percent, want %s", c.open, c.last, got, c.want)
		}
	}
}

func TestSumsThatDoNotFitStayAtTheLargestNumber(t *testing.T) {
	d := new(Data)
	huge := fixed.Max.String()
	trade(d, 1, start, "1", huge, huge)
	trade(d, 2, start, "1", huge, "1")
	trade(d, 3, start+2*hour, "1", "1", "1")
	for i := Sec1; i <= Month1; i++ {
		list := d.Candles(1, i, 0, ever, 10)
		if list[0].Volume != fixed.Max || list[0].Money != fixed.Max {
			t.Errorf("%s: volume %s, money %s", i, list[0].Volume, list[0].Money)
		}
	}
	if s := d.Day(1, start+2*hour); s.Volume != fixed.Max || s.Money != fixed.Max {
		t.Errorf("volume %s, money %s", s.Volume, s.Money)
	}
	// What is over leaves no trace: nothing is taken from a sum that stood still.
	if s := d.Day(1, start+25*hour); s.Volume != fixed.One || s.Money != fixed.One {
		t.Errorf("an hour of volume %s, money %s", s.Volume, s.Money)
	}
}

// TestEventsAreNotKept: what a batch brought belongs to the exchange.
func TestEventsAreNotKept(t *testing.T) {
	d := new(Data)
	deal := schema.Deal{ID: 1, Market: 1, Price: fixed.One, Amount: fixed.One, Money: fixed.One}
	level := schema.LevelChanged{Market: 1, Side: schema.Buy, Price: fixed.One, Amount: fixed.One}
	d.note(start, &deal)
	d.note(start, &level)
	d.note(start, &schema.OrderChanged{})
	d.settle(1)
	m := d.market(1)
	if m.pending || len(m.deals)+len(m.levels) != 0 || m.deals[:1][0].deal != nil || m.levels[:1][0].level != nil {
		t.Error("events of a batch that is done are kept")
	}
	before := d.encode(1)
	deal, level = schema.Deal{}, schema.LevelChanged{}
	if !reflect.DeepEqual(d.encode(1), before) {
		t.Error("the models changed with the event")
	}
}

func TestDealsOffTheBookAreNoTrades(t *testing.T) {
	d := new(Data)
	trade(d, 1, start, "100", "1", "100")
	before := d.encode(1)
	d.note(start, &schema.Deal{ID: 2, Market: 1, OffBook: true, Price: number("50"), Amount: fixed.One, Money: number("50")})
	d.settle(2)
	if d.Last(1) != number("100") || len(d.Trades(1, 0, 10)) != 1 || len(d.encode(1)) != len(before) {
		t.Errorf("the last price is %s after %d trades", d.Last(1), len(d.Trades(1, 0, 10)))
	}
}
