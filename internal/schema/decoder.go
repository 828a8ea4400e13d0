package schema

import (
	"encoding/binary"
	"fmt"

	"bourse/internal/wire"
)

// Decoder reads commands that stand in a row. It may be kept for its memory; it is not safe for
// concurrent use.
type Decoder struct{ coder wire.Coder }

// Next reads the first command of data into e and returns what follows it. The command that e held
// before is overwritten if it is one of the frequent ones, which own no memory beyond themselves,
// and the next one is of its kind: nobody may use it any more.
func (d *Decoder) Next(data []byte, e *Envelope) (rest []byte, err error) {
	spare := blank(e.Command)
	*e = Envelope{}
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return nil, fmt.Errorf("%w: a command is cut off", wire.ErrMalformed)
	}
	body, rest := data[n:n+int(size)], data[n+int(size):]
	if err := d.coder.DecodeWith(body, e, spare); err != nil {
		return nil, err
	}
	if e.Command == nil {
		return nil, fmt.Errorf("%w: an envelope without a command", wire.ErrMalformed)
	}
	return rest, nil
}

// blank empties a frequent command; it is nil for any other.
func blank(c Command) wire.Message {
	switch c := c.(type) {
	case *PlaceOrder:
		*c = PlaceOrder{}
		return c
	case *CancelOrder:
		*c = CancelOrder{}
		return c
	case *ModifyOrder:
		*c = ModifyOrder{}
		return c
	}
	return nil
}
