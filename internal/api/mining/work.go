package mining

import (
	"math/big"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// tera is how many hashes are a terahash, in digits.
const tera = 12

// hashrate is how many hashes a second some work takes that was done within so many seconds: a share of difficulty 1 takes 2^48 / 65535. What is
// less than a hash does not count.
func hashrate(work *big.Int, unit uint8, seconds int64) *big.Int {
	if seconds <= 0 {
		return new(big.Int)
	}
	hashes := new(big.Int).Lsh(work, 48-uint(unit))
	return hashes.Quo(hashes, big.NewInt(65535*seconds))
}

// places writes a number of so many decimals, without zeros at its end.
func places(n *big.Int, decimals int) string {
	text := n.String()
	for len(text) <= decimals {
		text = "0" + text
	}
	whole, rest := text[:len(text)-decimals], text[len(text)-decimals:]
	end := len(rest)
	for end > 0 && rest[end-1] == '0' {
		end--
	}
	if end == 0 {
		return whole
	}
	return whole + "." + rest[:end]
}

// perTerahash is what a sum is for each terahash a second of some work that was done within a day, rounded down.
func perTerahash(sum fixed.Decimal, work uint64, unit uint8) string {
	if work == 0 {
		return "0"
	}
	// sum / (work x 2^(48-unit) / 65535 / 86400 / 10^12), at 10^-18, of which sum has as many decimals.
	hi, lo := sum.Bits()
	n := new(big.Int).Lsh(big.NewInt(hi), 64)
	n.Add(n, new(big.Int).SetUint64(lo))
	n.Mul(n, new(big.Int).Mul(big.NewInt(65535*daySeconds), new(big.Int).Exp(big.NewInt(10), big.NewInt(tera), nil)))
	n.Quo(n, new(big.Int).Lsh(new(big.Int).SetUint64(work), 48-uint(unit)))
	return places(n, fixed.Places)
}

// Times.
const (
	second     = schema.Second
	bucket     = schema.WorkBucket
	day        = 86_400 * second
	daySeconds = 86_400
)

// interval is how long each point of a graph is.
type interval schema.Time

// intervals are those that can be asked for, and their words.
var (
	intervalWords = []string{"5m", "1h", "24h"}
	intervals     = map[string]interval{"5m": interval(bucket), "1h": interval(3600 * second), "24h": interval(day)}
)

// Bounds of a graph: how far back it goes unless a begin is asked for, and at most; and how many buckets that may be with whole intervals at both
// ends.
const (
	usualSpan   = day
	longestSpan = 30 * day
	mostBuckets = int((longestSpan + 2*day) / bucket)
)

// span is a range of time that is asked for, in seconds.
type span struct {
	from, to           int64
	fromThere, toThere bool
	earliest, latest   schema.Time // what it comes to
}

// errTime answers for a range that cannot be: before 1970, turned round, or of the future.
var errTime = &api.Error{Status: 422, Code: 422, Message: "Incorrect timestamp"}

func (s *span) read(f *api.Form) {
	one := func(name string) (int64, bool) {
		f.Schema().AtLeast(name, 0)
		n, state := f.Int(name)
		if state == api.Malformed {
			f.Fail(400, 0, name, "The "+name+" must be an integer.")
		}
		return n, state == api.Good
	}
	s.from, s.fromThere = one("from")
	s.to, s.toThere = one("to")
}

// check finds out whether the range can be at a moment.
func (s *span) check(now schema.Time) error {
	latest := int64(now / second)
	if s.from < 0 || s.to < 0 || s.from > latest || s.to > latest || s.fromThere && s.toThere && s.from > s.to {
		return errTime
	}
	s.earliest, s.latest = schema.Time(s.from)*second, now
	if s.toThere {
		s.latest = schema.Time(s.to)*second + second - 1
	}
	return nil
}

// graph is the range in which the points of a graph begin: whole intervals, not too many.
func (s *span) graph(of interval) (from, to schema.Time) {
	length := schema.Time(of)
	to = s.latest/length*length + length - 1
	switch {
	case s.fromThere:
		from = max(s.earliest, s.latest-longestSpan)
	case length == day:
		from = s.latest - longestSpan
	default:
		from = s.latest - usualSpan
	}
	return max(from, 0) / length * length, to
}

// readInterval reads how long the points of a graph are.
func readInterval(f *api.Form) interval {
	word, s := f.Choice("interval", intervalWords)
	switch s {
	case api.Malformed:
		f.Fail(400, 0, "interval", "The selected interval is invalid.")
	case api.Missing:
		word = "1h"
	}
	return intervals[word]
}

// point is what was brought within an interval.
type point struct {
	begin              schema.Time
	work               big.Int
	accepted, rejected uint64
}

// add adds what was brought in five minutes of the interval.
func (p *point) add(work, accepted, rejected uint64) {
	p.work.Add(&p.work, new(big.Int).SetUint64(work))
	p.accepted, p.rejected = p.accepted+accepted, p.rejected+rejected
}

// points sums up what was brought by intervals, the oldest first. What is given comes newest first. Intervals without shares have no point.
func points(of interval, each func(yield func(at schema.Time, work, accepted, rejected uint64))) []*point {
	var list []*point
	each(func(at schema.Time, work, accepted, rejected uint64) {
		begin := at / schema.Time(of) * schema.Time(of)
		if len(list) == 0 || list[len(list)-1].begin != begin {
			list = append(list, &point{begin: begin})
		}
		list[len(list)-1].add(work, accepted, rejected)
	})
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// hashes is the hash rate of a point. One whose interval is under way is that of the buckets that are over.
func (p *point) hashes(of interval, unit uint8, now schema.Time) *big.Int {
	end := min(p.begin+schema.Time(of), now/bucket*bucket)
	return hashrate(&p.work, unit, int64(max(end-p.begin, bucket)/second))
}
