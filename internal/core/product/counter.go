package product

import (
	"errors"

	"bourse/internal/wire"
)

// counter is the last number that was given to things of a kind, most of which may be forgotten.
type counter struct{ last uint64 }

func (r *counter) Fields(c *wire.Coder) { wire.Uint(c, 1, "last", &r.last) }

// Counter is the section of the last number that was given to things of a kind. It comes behind the sections of the things themselves,
// of which none may have a higher number.
func Counter[N ~uint64](tag uint64, name string, last *N) Section {
	return Section{
		Tag: tag, Name: name, Version: 1,
		Write: func(w *Writer) {
			if *last != 0 {
				w.Message(&counter{uint64(*last)})
			}
		},
		Read: func(r *Reader) error {
			known := false
			for m, err := range Messages[counter](r) {
				if err != nil {
					return err
				}
				if known || m.last < uint64(*last) {
					return errors.New("it is less than a number that was given, or stands there twice")
				}
				known, *last = true, N(m.last)
			}
			return nil
		},
	}
}
