package api

import (
	"bytes"
	"errors"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Number is a decimal field.
type Number struct {
	State State
	Value fixed.Decimal
}

// Number reads a decimal number.
func (f *Form) Number(name string) Number {
	return f.decimal(name, func(b []byte) []byte { return b })
}

// CutNumber reads a decimal number of which decimals beyond some places do not count.
func (f *Form) CutNumber(name string, places int) Number {
	return f.decimal(name, func(b []byte) []byte { return cut(b, places) })
}

// decimal reads a decimal number, of which a part may count.
func (f *Form) decimal(name string, counts func([]byte) []byte) Number {
	f.schema.Declare(name, DecimalParameter)
	e := f.find(name)
	switch e.kind {
	case absent, null:
		return Number{}
	case text, number:
		return parseNumber(counts(e.value))
	default:
		return Number{State: Malformed}
	}
}

// cut is a number without the digits beyond some places. What is no number stays none.
func cut(b []byte, places int) []byte {
	if bytes.ContainsAny(b, "eE") {
		if plain, ok := withoutExponent(b); ok {
			b = plain
		}
	}
	end := bytes.IndexByte(b, '.') + 1 + places
	if end <= places || end >= len(b) || bytes.ContainsFunc(b[end:], func(r rune) bool { return r < '0' || r > '9' }) {
		return b
	}
	return b[:end]
}

// ReadNumber reads a decimal number as forms do. It reports whether the text is one.
func ReadNumber(text []byte) (n Number, is bool) {
	n = parseNumber(text)
	return n, n.State != Malformed
}

func parseNumber(b []byte) Number {
	if bytes.ContainsAny(b, "eE") {
		var ok bool
		if b, ok = withoutExponent(b); !ok {
			return Number{State: Malformed}
		}
	}
	if dot := bytes.IndexByte(b, '.'); dot >= 0 && len(b)-dot > 1+fixed.Places {
		// Zeros at the end say nothing.
		for len(b)-dot > 1+fixed.Places && b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	d, err := fixed.ParseBytes(b)
	if err == nil {
		return Number{Good, d}
	}
	var why fixed.ParseError
	if errors.As(err, &why) {
		switch why.Code {
		case fixed.TooManyDecimals:
			return Number{State: TooFine}
		case fixed.Overflow:
			sign := fixed.FromInt(1)
			if b[0] == '-' {
				sign = sign.Neg()
			}
			return Number{TooLarge, sign}
		}
	}
	return Number{State: Malformed}
}

// withoutExponent writes a number like 1.5e-7, as languages print small numbers, as 0.00000015.
func withoutExponent(b []byte) ([]byte, bool) {
	at := bytes.IndexAny(b, "eE")
	mantissa, exponent := b[:at], bytes.TrimPrefix(b[at+1:], []byte("+"))
	shift, ok := parseInt(exponent)
	if !ok || shift < -60 || shift > 60 || len(mantissa) > 60 {
		return nil, false
	}
	sign := []byte(nil)
	if len(mantissa) > 0 && mantissa[0] == '-' {
		sign, mantissa = mantissa[:1], mantissa[1:]
	}
	whole, fraction, dotted := bytes.Cut(mantissa, []byte("."))
	if len(whole) == 0 || dotted && len(fraction) == 0 {
		return nil, false
	}
	digits := bytes.Join([][]byte{whole, fraction}, nil)
	point := len(whole) + int(shift)
	if point <= 0 {
		digits = append(bytes.Repeat([]byte("0"), 1-point), digits...)
		point = 1
	}
	if point >= len(digits) {
		digits = append(digits, bytes.Repeat([]byte("0"), point-len(digits))...)
		return append(sign[:len(sign):len(sign)], digits...), true
	}
	out := append(sign[:len(sign):len(sign)], digits[:point]...)
	return append(append(out, '.'), digits[point:]...), true
}

// OrderNumbers are the numbers that a request for an order may have.
type OrderNumbers struct{ Amount, Price, Activation, TakeProfit, StopLoss Number }

// FitOrder puts the numbers of a request into an order for a market, as far as they are there.
func FitOrder(o *schema.OrderRequest, m *schema.MarketInfo, n *OrderNumbers) schema.Rejection {
	fine, places := schema.AmountTooPrecise, m.StockPrec
	if o.Type.InQuote(o.Side) {
		fine, places = schema.MoneyTooPrecise, m.MoneyPrec
	}
	if r := FitAll(
		Fitting{n.Amount, &o.Amount, fine, places},
		Fitting{n.Price, &o.Price, schema.PriceTooPrecise, m.MoneyPrec},
		Fitting{n.Activation, &o.ActivationPrice, schema.ActivationTooPrecise, m.MoneyPrec},
	); r.Refused() {
		return r
	}
	return FitProtection(n.TakeProfit, n.StopLoss, &o.TakeProfit, &o.StopLoss, m)
}

// FitProtection puts the prices of a take profit and a stop loss where the core reads them, where zero means that there is
// none. One that was sent as zero is refused: what it was meant to protect must not stand without it.
func FitProtection(profit, loss Number, toProfit, toLoss *fixed.Decimal, m *schema.MarketInfo) schema.Rejection {
	r := FitAll(
		Fitting{profit, toProfit, schema.TakeProfitTooPrecise, m.MoneyPrec},
		Fitting{loss, toLoss, schema.StopLossTooPrecise, m.MoneyPrec},
	)
	switch {
	case r.Refused():
		return r
	case profit.State == Good && profit.Value.IsZero():
		return schema.Refuse(schema.TakeProfitNotPositive)
	case loss.State == Good && loss.Value.IsZero():
		return schema.Refuse(schema.StopLossNotPositive)
	}
	return schema.Rejection{}
}

// Fitting is a number of a request, where it goes, and why one is refused that is too fine for the places there are.
type Fitting struct {
	Number Number
	To     *fixed.Decimal
	Fine   schema.Reason
	Places uint8
}

// FitAll puts numbers where they go, up to the first that is refused.
func FitAll(all ...Fitting) schema.Rejection {
	for _, n := range all {
		value, r := n.Number.Fit(n.Fine, n.Places)
		if r.Refused() {
			return r
		}
		*n.To = value
	}
	return schema.Rejection{}
}

// Fit is the number as the core takes it. One that is finer than all money is refused here, for
// the reason that the core would have; one that is larger is made the largest whole number there
// is, which the core refuses as too large and not as too fine, and one below all money is made -1.
func (n Number) Fit(reason schema.Reason, places uint8) (fixed.Decimal, schema.Rejection) {
	switch n.State {
	case TooFine:
		return fixed.Zero, schema.Rejection{Reason: reason, Value: fixed.FromUnits(1, int(places))}
	case TooLarge:
		if n.Value.Sign() > 0 {
			return largest, schema.Rejection{}
		}
	}
	return n.Value, schema.Rejection{}
}

// largest is the largest whole number.
var largest, _ = fixed.Max.Round(0, fixed.Down)
