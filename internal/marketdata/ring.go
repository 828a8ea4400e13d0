package marketdata

// ring is a list that forgets its oldest items. Once it is full, adding moves nothing.
type ring[T any] struct {
	items []T
	first int // the oldest one
}

func (r *ring[T]) len() int { return len(r.items) }

// at is an item, the oldest being 0.
func (r *ring[T]) at(i int) *T {
	if i += r.first; i >= len(r.items) {
		i -= len(r.items)
	}
	return &r.items[i]
}

// push adds a copy of an item; at most keep of them stay.
func (r *ring[T]) push(item *T, keep int) {
	if len(r.items) < keep {
		r.items = append(r.items, *item)
		return
	}
	r.items[r.first] = *item
	if r.first++; r.first == len(r.items) {
		r.first = 0
	}
}

// appendTo copies the items behind dst, oldest first.
func (r *ring[T]) appendTo(dst []T) []T {
	return append(append(dst, r.items[r.first:]...), r.items[:r.first]...)
}
