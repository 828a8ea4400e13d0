package core

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bourse/internal/core/naive"
	"bourse/internal/schema"
)

// TestConvertWorldsReachTheirRules: a comparison is worth what its worlds come to. These are the answers and outcomes that a few hundred worlds of conversions
// must see.
func TestConvertWorldsReachTheirRules(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range uint64(300) {
		known := &knownQuotes{pairs: map[schema.ConversionID][2]schema.AssetID{}, owners: map[schema.ConversionID]schema.AccountID{}, keys: map[schema.Digest]schema.ConversionID{}}
		r := &dice{rand.New(rand.NewPCG(seed, 0))}
		w := &convertWorld{now: start, oracle: naive.New()}
		w.oracle.ConversionSteps = w.steps(r)
		w.birth(r, func(c schema.Command) { w.oracle.Apply(w.now, schema.Origin{}, c) })
		for range 200 {
			m := w.next(r)
			out := w.oracle.Apply(m.at, m.from, m.cmd)
			w.see(seen, m, &out)
			known.see(seen, m, &out)
			w.learn(r, m, out.Result)
		}
	}
	var want []string
	for command, reasons := range map[schema.Command][]schema.Reason{
		&schema.SetConversion{}: {schema.OK, schema.ConversionInvalid},
		&schema.QuoteConversion{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.ConversionsOff, schema.ConversionUnavailable, schema.ConversionTooSmall,
			schema.ConversionTooLarge, schema.ConversionNotCovered,
		},
		&schema.ConfirmConversion{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.ConversionsOff, schema.QuoteUnknown, schema.QuoteUsed, schema.QuoteExpired,
			schema.ConversionNotCovered,
		},
		&schema.AutoConvert{}: {
			schema.OK, schema.AccountUnknown, schema.AccountBlocked, schema.ConversionsOff, schema.ConversionUnavailable, schema.ConversionTooSmall,
			schema.ConversionTooLarge, schema.ConversionNotCovered, schema.ConversionKeyUsed,
		},
		&schema.DeleteSub{}:  {schema.OK, schema.SubNotEmpty},
		&schema.FundSystem{}: {schema.OK, schema.MoveNotCovered, schema.SystemAccountInvalid},
	} {
		for _, reason := range reasons {
			want = append(want, fmt.Sprintf("%T %s", command, reason))
		}
	}
	want = append(want, "losses switch off", "1 hops", "2 hops", "3 hops", "an answer again", "a newer quote ends one", "a tick ends quotes", "an amount to receive", "a confirmation a moment before the end",
		"the oldest of five ends", "a key is used for something else", "an hour lets a quote be forgotten", "newer quotes let one be forgotten")
	slices.Sort(want)
	for what, n := range seen {
		t.Logf("%s: %d times", what, n)
	}
	for _, what := range want {
		if seen[what] < 3 {
			t.Errorf("the worlds came %d times to: %s", seen[what], what)
		}
	}
}

// steps is how many orders a quote may look at in a world.
func (w *convertWorld) steps(t *dice) int { return pick(t, 2000, 2000, 2000, 20, 6, 2) }

// see notes what became of a command.
func (w *convertWorld) see(seen map[string]int, m moment, out *naive.Outcome) {
	seen[fmt.Sprintf("%T %s", m.cmd, out.Result.Rejection.Reason)]++
	made := out.Result.Conversion
	if made != nil {
		seen[fmt.Sprintf("%d hops", len(made.Path))]++
	}
	freed := 0
	for _, e := range out.Events {
		switch e := e.(type) {
		case *schema.ConversionChanged:
			if _, by := m.cmd.(*schema.SetConversion); !by {
				seen["losses switch off"]++
			}
		case *schema.BalanceChanged:
			if e.Account == schema.Convert {
				freed++
			}
		}
	}
	switch c := m.cmd.(type) {
	case *schema.AutoConvert:
		if made != nil && freed == 0 {
			seen["an answer again"]++
		}
	case *schema.QuoteConversion:
		if made != nil && freed == 2 {
			seen["a newer quote ends one"]++
		}
		if made != nil && c.Exchange.InTo {
			seen["an amount to receive"]++
		}
	case *schema.Tick:
		if freed > 0 {
			seen["a tick ends quotes"]++
		}
	case *schema.ConfirmConversion:
		if made != nil && made.Done == made.Expires-1 {
			seen["a confirmation a moment before the end"]++
		}
	}
}

// knownQuotes is what there was to see of quotes.
type knownQuotes struct {
	pairs  map[schema.ConversionID][2]schema.AssetID
	owners map[schema.ConversionID]schema.AccountID
	keys   map[schema.Digest]schema.ConversionID
}

// see notes which quotes end, and what is forgotten.
func (k *knownQuotes) see(seen map[string]int, m moment, out *naive.Outcome) {
	made := out.Result.Conversion
	switch c := m.cmd.(type) {
	case *schema.QuoteConversion:
		if made == nil {
			return
		}
		for _, e := range out.Events {
			if e, is := e.(*schema.BalanceChanged); is && e.Ref != uint64(made.ID) && k.pairs[schema.ConversionID(e.Ref)] != [2]schema.AssetID{made.From, made.To} {
				seen["the oldest of five ends"]++
			}
		}
		k.pairs[made.ID], k.owners[made.ID] = [2]schema.AssetID{made.From, made.To}, made.Account
	case *schema.AutoConvert:
		if made == nil || c.Key == (schema.Digest{}) {
			return
		}
		if before := k.keys[c.Key]; before != 0 && before != made.ID {
			seen["a key is used for something else"]++
		}
		k.keys[c.Key] = made.ID
	case *schema.ConfirmConversion:
		if out.Result.Rejection.Reason != schema.QuoteUnknown || k.owners[c.Quote] != c.Account || c.Account == 0 {
			return
		}
		newer := 0
		for id, owner := range k.owners {
			if owner == c.Account && id > c.Quote {
				newer++
			}
		}
		if newer < 20 {
			seen["an hour lets a quote be forgotten"]++
		} else {
			seen["newer quotes let one be forgotten"]++
		}
	}
}
