// Package tree is a sorted set of keys, each with a number that belongs to it. The greatest key
// is in front: that is where the users of this package do most of their work.
//
// It is a B+tree. Every operation is O(log n) in the worst case: at most one node per height is
// split, filled up or merged, and never more than a node's entries move at once. Nodes hold no
// pointers, so all that the garbage collector has to look at is one pointer per node, and nodes
// that are not needed any more are used again: trees that change without growing allocate nothing.
//
// What must hold: all leaves are equally deep; every node but the root has between least and most
// entries, the root at least two unless it is a leaf; keys rise from left to right; the key of an
// entry above the leaves is not greater than any key below it and greater than every key below
// the entry to its left, save that nobody looks at the key of an outermost left entry.
package tree

import "iter"

// A node has room for so many entries that the front of most books is one leaf, and that a leaf is
// searched in six steps; with keys of eight bytes it fills 1024. It is filled up only when it is three
// quarters empty, so that keys that come and go at one place do not split and merge a node again and
// again.
const (
	most  = 63
	least = most / 4
	half  = most / 2
	// mergeable is how many entries two nodes may have to become one, which then has room.
	mergeable = most * 3 / 4
)

// Key is what can be sorted.
type Key[K any] interface {
	comparable
	Less(other K) bool
}

// Entry is a key and the number that belongs to it. Above the leaves that is the number of a node.
type Entry[K Key[K]] struct {
	Key  K
	Item uint32
}

type node[K Key[K]] struct {
	count   uint32
	left    uint32 // of a leaf: the leaf to its left, or 0
	entries [most]Entry[K]
}

// Store is where trees keep their nodes. Several trees may share one.
type Store[K Key[K]] struct {
	nodes []*node[K] // number i+1
	free  []uint32
}

func (s *Store[K]) at(i uint32) *node[K] { return s.nodes[i-1] }

func (s *Store[K]) take() (uint32, *node[K]) {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i, s.at(i)
	}
	n := new(node[K])
	s.nodes = append(s.nodes, n)
	return uint32(len(s.nodes)), n
}

func (s *Store[K]) give(i uint32) {
	*s.at(i) = node[K]{}
	s.free = append(s.free, i)
}

// Tree is one sorted set. The zero value is empty. All its methods must be given the same store.
type Tree[K Key[K]] struct {
	root   uint32
	height int // of the root above the leaves
	// front is the leaf with the greatest keys. Splits leave the greater half where it is and
	// merges keep the right node, so it is the same leaf for ever.
	front *node[K]
}

// Spot is where a key stands. It is good until a key is put into the tree or removed.
type Spot[K Key[K]] struct {
	leaf *node[K]
	at   uint
}

// Found reports whether there is such a key.
func (p Spot[K]) Found() bool { return p.leaf != nil }

// Item is the number that belongs to the key.
func (p Spot[K]) Item() uint32 { return p.leaf.entries[p.at].Item }

// Set makes another number belong to the key.
func (p Spot[K]) Set(item uint32) { p.leaf.entries[p.at].Item = item }

// Front is the entries with the greatest keys, the greatest last: all from the first of them on. It
// is empty only if the tree is.
func (t *Tree[K]) Front() []Entry[K] {
	if t.front == nil {
		return nil
	}
	return t.front.entries[:t.front.count]
}

// InFront is the spot of an entry of Front.
func (t *Tree[K]) InFront(i int) Spot[K] { return Spot[K]{t.front, uint(i)} }

// Last is the spot of the greatest key.
func (t *Tree[K]) Last() Spot[K] {
	if t.front == nil || t.front.count == 0 {
		return Spot[K]{}
	}
	return Spot[K]{t.front, uint(t.front.count - 1)}
}

// Find is the spot of a key.
func (t *Tree[K]) Find(s *Store[K], key K) Spot[K] {
	if t.front == nil {
		return Spot[K]{}
	}
	n := t.front
	if t.height > 0 && key.Less(n.entries[0].Key) {
		n = s.at(t.root)
		for range t.height {
			n = s.at(n.entries[n.branch(key)].Item)
		}
	}
	if i := n.upTo(key); i > 0 && n.entries[i-1].Key == key {
		return Spot[K]{n, uint(i - 1)}
	}
	return Spot[K]{}
}

// Lower is the spot of the next lower key.
func (s *Store[K]) Lower(p Spot[K]) Spot[K] {
	switch {
	case p.at > 0:
		return Spot[K]{p.leaf, p.at - 1}
	case p.leaf.left == 0:
		return Spot[K]{}
	}
	n := s.at(p.leaf.left)
	return Spot[K]{n, uint(n.count - 1)}
}

// Down goes through the keys and their numbers, the greatest key first. The tree must not change
// meanwhile.
func (t *Tree[K]) Down(s *Store[K]) iter.Seq2[K, uint32] {
	return func(yield func(K, uint32) bool) {
		for p := t.Last(); p.Found(); p = s.Lower(p) {
			if !yield(p.leaf.entries[p.at].Key, p.leaf.entries[p.at].Item) {
				return
			}
		}
	}
}

// Put takes in a key that is not there.
func (t *Tree[K]) Put(s *Store[K], key K, item uint32) {
	if t.front == nil {
		t.root, t.front = s.take()
	}
	n := t.front
	if n.count == most || t.height > 0 && key.Less(n.entries[0].Key) {
		n = t.roomFor(s, key)
	}
	at := n.upTo(key)
	if at > 0 && n.entries[at-1].Key == key {
		panic("tree: a key is put where it already stands")
	}
	n.insert(at, key, item)
}

// roomFor is the leaf that a key belongs into. Full nodes on the way to it are split, so that each
// has room for what comes from below.
func (t *Tree[K]) roomFor(s *Store[K], key K) *node[K] {
	n := s.at(t.root)
	if n.count == most {
		i, above := s.take()
		above.insert(0, n.entries[0].Key, t.root)
		t.root, n = i, above
		t.height++
	}
	for h := t.height; h > 0; h-- {
		at := n.branch(key)
		if s.at(n.entries[at].Item).count == most {
			s.split(n, at, h == 1)
			at = n.branch(key)
		}
		n = s.at(n.entries[at].Item)
	}
	return n
}

// split makes a new node of the lower half of a full one, to its left.
func (s *Store[K]) split(above *node[K], at int, leaf bool) {
	i, left := s.take()
	right := s.at(above.entries[at].Item)
	right.giveTo(left, half)
	if leaf {
		left.left, right.left = right.left, i
	}
	above.insert(at, above.entries[at].Key, i)
	above.entries[at+1].Key = right.entries[0].Key
}

// Remove takes out a key that is there.
func (t *Tree[K]) Remove(s *Store[K], key K) {
	n := t.front
	if t.height > 0 && (n.count == least || key.Less(n.entries[0].Key)) {
		n = t.spareFor(s, key)
	}
	at := n.upTo(key) - 1
	if at < 0 || n.entries[at].Key != key {
		panic("tree: a key is removed that is not there")
	}
	n.remove(at)
}

// spareFor is the leaf that holds a key. Nodes on the way to it are filled up, so that each can
// lose an entry.
func (t *Tree[K]) spareFor(s *Store[K], key K) *node[K] {
	n := s.at(t.root)
	for h := t.height; h > 0; h-- {
		at := n.branch(key)
		if s.at(n.entries[at].Item).count == least {
			s.fill(n, max(at, 1), h == 1)
			at = n.branch(key)
		}
		below := n.entries[at].Item
		if n.count == 1 { // the root, whose two nodes became one
			s.give(t.root)
			t.root = below
			t.height--
		}
		n = s.at(below)
	}
	return n
}

// fill makes one node of two neighbours, or two that have as much.
func (s *Store[K]) fill(above *node[K], at int, leaf bool) {
	i := above.entries[at-1].Item
	left, right := s.at(i), s.at(above.entries[at].Item)
	sum := left.count + right.count
	switch {
	case sum <= mergeable:
		right.takeFrom(left, left.count)
		if leaf {
			right.left = left.left
		}
		above.entries[at].Key = above.entries[at-1].Key
		above.remove(at - 1)
		s.give(i)
		return
	case left.count > right.count:
		right.takeFrom(left, left.count-sum/2)
	default:
		right.giveTo(left, right.count-sum/2)
	}
	above.entries[at].Key = right.entries[0].Key
}

// upTo is how many keys are not greater than a key.
func (n *node[K]) upTo(key K) int {
	low, high := 0, int(n.count)
	for low < high {
		if mid := int(uint(low+high) / 2); key.Less(n.entries[mid].Key) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// branch is the entry below which a key belongs.
func (n *node[K]) branch(key K) int { return max(n.upTo(key)-1, 0) }

func (n *node[K]) insert(at int, key K, item uint32) {
	copy(n.entries[at+1:n.count+1], n.entries[at:n.count])
	n.entries[at] = Entry[K]{key, item}
	n.count++
}

func (n *node[K]) remove(at int) {
	copy(n.entries[at:n.count-1], n.entries[at+1:n.count])
	n.count--
}

// takeFrom moves the last entries of the left neighbour.
func (n *node[K]) takeFrom(left *node[K], entries uint32) {
	copy(n.entries[entries:], n.entries[:n.count])
	copy(n.entries[:entries], left.entries[left.count-entries:left.count])
	left.count -= entries
	n.count += entries
}

// giveTo moves the first entries to the left neighbour.
func (n *node[K]) giveTo(left *node[K], entries uint32) {
	copy(left.entries[left.count:], n.entries[:entries])
	copy(n.entries[:], n.entries[entries:n.count])
	left.count += entries
	n.count -= entries
}
