package product

import (
	"testing"

	"bourse/internal/schema"
)

func TestHandlersDoWhatWasRegistered(t *testing.T) {
	var h Handlers
	var got *schema.Deposit
	On(&h, func(c *schema.Deposit) schema.Rejection {
		got = c
		return schema.Refuse(schema.MoveTooLarge)
	})
	c := &schema.Deposit{Account: 101}
	if r := h[c.Kind()](c); got != c || r.Reason != schema.MoveTooLarge {
		t.Errorf("%v was done and refused with %v", got, r.Reason)
	}
	if h[new(schema.Withdraw).Kind()] != nil {
		t.Error("a command that nobody registered has a handler")
	}
	defer func() {
		if got := recover(); got != "product: two products do *schema.Deposit" {
			t.Errorf("registered twice: %v", got)
		}
	}()
	On(&h, func(*schema.Deposit) schema.Rejection { return schema.Rejection{} })
}
