package marketdata

import "bourse/internal/schema"

// Take lets an event in as a batch of its own. It is for figures, on models that follow no exchange.
func (d *Data) Take(seq uint64, at schema.Time, e schema.Event) {
	d.note(at, e)
	d.settle(seq)
}
