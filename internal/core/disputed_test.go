package core

import "bourse/internal/schema"

// disputed changes what the naive exchange says where the machine says something else and the
// documents are on the side of the naive exchange.
func disputed(e schema.Event) schema.Event {
	if e, is := e.(*schema.OrderChanged); is && e.Change == schema.Opened && e.Cause == schema.ByTrigger {
		// A triggered stop that comes to rest is opened "by request", although nobody asked.
		c := *e
		c.Cause = schema.ByRequest
		return &c
	}
	return e
}
