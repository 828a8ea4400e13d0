package naive

import (
	"testing"

	"bourse/internal/schema"
	"pgregory.net/rapid"
)

// premiums are samples, of which an empty text was missed.
func premiums(texts ...string) []sample {
	var samples []sample
	for _, text := range texts {
		if text == "" {
			samples = append(samples, sample{})
			continue
		}
		samples = append(samples, sample{seen: true, premium: n(text)})
	}
	return samples
}

func TestFundingRate(t *testing.T) {
	wide := fundingRules{480, n("-0.01"), n("0.01")}
	for _, c := range []struct {
		name    string
		samples []sample
		rules   fundingRules
		want    string
	}{
		{"a small premium is pulled to the base rate", premiums("0.0002"), wide, "0.0001"},
		{"a large one as far as allowed", premiums("0.0024", ""), wide, "0.0007"},
		{"the cap", premiums("0.0024", ""), fundingRules{480, n("-0.0003"), n("0.0003")}, "0.0003"},
		{"a discount", premiums("-0.0024", ""), wide, "-0.0007"},
		{"the floor", premiums("-0.0024", ""), fundingRules{480, n("-0.0003"), n("0.0003")}, "-0.0003"},
		{"no sample", premiums("", ""), wide, "0"},
		{"no slot", nil, wide, "0"},
		{"an even book", premiums("0"), wide, "0.0001"},
		{"five minutes", premiums("0.0002"), fundingRules{5, n("-0.01"), n("0.01")}, "0.0000010416666666"},
		{"cut toward zero", premiums("-0.0024", ""), fundingRules{5, n("-0.01"), n("0.01")}, "-0.0000072916666666"},
	} {
		same(t, c.name, fundingRate(c.samples, c.rules), c.want)
	}
}

func TestFundingIsDueOncePerInterval(t *testing.T) {
	rules := fundingRules{intervalMinutes: 300}
	for _, c := range []struct {
		last, now schema.Time
		want      bool
	}{
		{5 * hour, 10*hour - 1, false},
		{5 * hour, 10 * hour, true},
		{5*hour + 1, 10 * hour, true},
		{10 * hour, 10*hour + 1, false},
		{5 * hour, 26 * hour, true},
	} {
		if got := fundingDue(c.last, c.now, rules); got != c.want {
			t.Errorf("from %d to %d: due is %t", c.last, c.now, got)
		}
	}
}

func TestFundingIsSplit(t *testing.T) {
	price := n("50012.34")
	same(t, "a long pays", funding(n("0.5"), price, n("0.0003"), 6), "-7.501851")
	same(t, "a short receives", funding(n("-0.5"), price, n("0.0003"), 6), "7.501851")
	amounts, rest := settleFunding([]num{n("0.003"), n("-0.001"), n("-0.002")}, price, n("0.0000333333333333"), 6)
	for i, want := range []string{"-0.005002", "0.001667", "0.003334"} {
		same(t, "position "+want, amounts[i], want)
	}
	same(t, "rest", rest, "0.000001")
}

// TestFundingIsConserved: what is paid is what is received and the rest, which the fund never pays, and
// less than a unit for each position; nobody pays less or receives more than the exact amount.
func TestFundingIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stockPrec := rapid.IntRange(0, 18).Draw(t, "stockPrec")
		price := positives(rapid.IntRange(0, 18).Draw(t, "places")).Draw(t, "price")
		rate := whole(rapid.Int64Range(-1e15, 1e15).Draw(t, "rate")).times(unit(16))
		feePrec := uint8(rapid.IntRange(0, 18).Draw(t, "feePrec"))
		var sizes []num
		net := num{}
		for range rapid.IntRange(1, 8).Draw(t, "positions") {
			size := positives(stockPrec).Draw(t, "size")
			if rapid.Bool().Draw(t, "short") {
				size = size.neg()
			}
			sizes = append(sizes, size)
			net = net.plus(size)
		}
		sizes = append(sizes, net.neg())
		amounts, rest := settleFunding(sizes, price, rate, feePrec)
		sum := rest
		for i, amount := range amounts {
			sum = sum.plus(amount)
			exact := sizes[i].times(price).times(rate).neg()
			if amount.more(exact) || !amount.plus(unit(feePrec)).more(exact) {
				t.Fatalf("%v instead of %v", amount.rat(), exact.rat())
			}
		}
		if sum.sign() != 0 || rest.sign() < 0 || !rest.less(unit(feePrec).times(whole(int64(len(sizes))))) {
			t.Fatalf("the rest is %v, the sum %v", rest.rat(), sum.rat())
		}
	})
}
