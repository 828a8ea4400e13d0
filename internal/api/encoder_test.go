package api_test

import (
	"testing"

	"bourse/internal/api"
	"bourse/internal/api/agree"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// sample has a field of every kind.
type sample struct {
	amount  fixed.Decimal
	premium schema.Optional
	count   int64
	flag    bool
	name    string
	client  []byte
	words   []string
	at      schema.Time
	parts   []part
	by      []api.Named[part]
}

type part struct{ price fixed.Decimal }

var (
	partEncoder = api.Encode("Part", "A part.",
		api.DecimalField("price", "Price.", func(p *part) fixed.Decimal { return p.price }))
	sampleEncoder = api.Encode("Sample", "All kinds of fields.",
		api.DecimalField("amount", "Amount.", func(s *sample) fixed.Decimal { return s.amount }),
		api.OptionalField("premium", "Premium.", func(s *sample) schema.Optional { return s.premium }),
		api.IntegerField("count", "Count.", func(s *sample) int64 { return s.count }).If(func(s *sample) bool { return s.count != 0 }),
		api.BooleanField("flag", "Flag.", func(s *sample) bool { return s.flag }),
		api.StringField("name", "Name.", func(s *sample) string { return s.name }),
		api.TextField("client", "Client.", func(s *sample) []byte { return s.client }),
		api.StringsField("words", "Words.", func(s *sample) []string { return s.words }),
		api.EnumField("kind", []string{"a", "b"}, "Kind.", func(*sample) string { return "b" }),
		api.RatioField("share", "Share.", func(s *sample) (part, of uint64) { return uint64(s.count), 1000 }),
		api.SecondsField("second", "Second.", func(s *sample) schema.Time { return s.at }),
		api.TimestampField("moment", "Moment.", func(s *sample) schema.Time { return s.at }),
		api.ConstantField[sample]("always", api.Null, "Always null.", "null"),
		api.ObjectField("first", partEncoder, "First part.", func(s *sample) *part { return &s.parts[0] }).If(func(s *sample) bool { return len(s.parts) > 0 }),
		api.ArrayField("parts", partEncoder, "Parts.", func(s *sample) []part { return s.parts }),
		api.MapField("by", partEncoder, "Parts by name.", func(s *sample) []api.Named[part] { return s.by }))
)

func TestEncoder(t *testing.T) {
	full := &sample{
		amount: fixed.FromUnits(-25, 1), premium: schema.Some(fixed.One), count: 7, flag: true, name: `a "name"`, client: []byte("a-1"),
		words: []string{"x", "y"}, at: 1_790_000_000_250_000, parts: []part{{fixed.One}, {fixed.FromInt(2)}},
		by: []api.Named[part]{{Name: "z", Value: part{fixed.One}}, {Name: "a", Value: part{fixed.Zero}}},
	}
	c := agree.New(sampleEncoder.Schema())
	for want, s := range map[string]*sample{
		`{"amount":"-2.5","premium":"1","count":7,"flag":true,"name":"a \"name\"","client":"a-1","words":["x","y"],"kind":"b","share":0.007,"second":1790000000,` +
			`"moment":1790000000.250000,"always":null,"first":{"price":"1"},"parts":[{"price":"1"},{"price":"2"}],"by":{"z":{"price":"1"},"a":{"price":"0"}}}`: full,
		`{"amount":"0","premium":null,"flag":false,"name":"","client":"","words":[],"kind":"b","share":0,"second":0,"moment":0.000000,"always":null,"parts":[],"by":{}}`: {},
	} {
		got := sampleEncoder.Append(nil, s)
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if err := c.Check(got); err != nil {
			t.Error(err)
		}
	}
	if unseen := c.Unseen(); len(unseen) > 0 {
		t.Errorf("not both there and left out: %v", unseen)
	}
	if got := string(partEncoder.Map(full.by).AppendTo(nil)); got != `{"z":{"price":"1"},"a":{"price":"0"}}` {
		t.Errorf("a map: %s", got)
	}
}

// TestFieldsAllocateNothing: lists of trades are long.
func TestFieldsAllocateNothing(t *testing.T) {
	s := &sample{amount: fixed.One, count: 1, name: "name", client: []byte("a-1"), at: 1_790_000_000_250_000}
	dst := make([]byte, 0, 1024)
	plain := api.Encode("Plain", "No lists.",
		api.DecimalField("amount", "Amount.", func(s *sample) fixed.Decimal { return s.amount }),
		api.OptionalField("premium", "Premium.", func(s *sample) schema.Optional { return s.premium }),
		api.IntegerField("count", "Count.", func(s *sample) int64 { return s.count }),
		api.BooleanField("flag", "Flag.", func(s *sample) bool { return s.flag }),
		api.StringField("name", "Name.", func(s *sample) string { return s.name }),
		api.TextField("client", "Client.", func(s *sample) []byte { return s.client }),
		api.SecondsField("second", "Second.", func(s *sample) schema.Time { return s.at }),
		api.TimestampField("moment", "Moment.", func(s *sample) schema.Time { return s.at }))
	if n := testing.AllocsPerRun(100, func() { dst = plain.Append(dst[:0], s) }); n != 0 {
		t.Errorf("an object allocates %v times", n)
	}
}

// TestRatios: four decimals, rounded down, without zeros that say nothing.
func TestRatios(t *testing.T) {
	const most = 1<<64 - 1
	for _, c := range []struct {
		part, of uint64
		want     string
	}{
		{0, 0, "0"},
		{0, 5, "0"},
		{5, 5, "1"},
		{1, 2, "0.5"},
		{1, 3, "0.3333"},
		{2, 3, "0.6666"},
		{1, 100, "0.01"},
		{1, 10_000, "0.0001"},
		{1, 10_001, "0"},
		{9_999, 10_000, "0.9999"},
		{most, most, "1"},
		{most - 1, most, "0.9999"},
	} {
		if got := string(api.AppendRatio(nil, c.part, c.of)); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.part, c.of, got, c.want)
		}
	}
}
