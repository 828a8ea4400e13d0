package tree

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type number int64

func (n number) Less(other number) bool { return n < other }

// sorted is the set as plainly as it can be said.
type sorted struct {
	keys  []number
	items map[number]uint32
}

func (s *sorted) put(key number, item uint32) {
	at, _ := slices.BinarySearch(s.keys, key)
	s.keys = slices.Insert(s.keys, at, key)
	s.items[key] = item
}

func (s *sorted) remove(key number) {
	at, _ := slices.BinarySearch(s.keys, key)
	s.keys = slices.Delete(s.keys, at, at+1)
	delete(s.items, key)
}

// pair is a tree and what it should be. Two trees share a store.
type pair struct {
	store Store[number]
	tree  [2]Tree[number]
	want  [2]sorted
	next  uint32
}

func newPair() *pair {
	p := &pair{}
	p.want[0].items, p.want[1].items = map[number]uint32{}, map[number]uint32{}
	return p
}

// toggle puts a key that is not there and removes one that is.
func (p *pair) toggle(which int, key number) {
	if p.want[which].items[key] != 0 {
		p.remove(which, key)
		return
	}
	p.put(which, key)
}

func (p *pair) put(which int, key number) {
	p.next++
	p.tree[which].Put(&p.store, key, p.next)
	p.want[which].put(key, p.next)
}

func (p *pair) remove(which int, key number) {
	p.tree[which].Remove(&p.store, key)
	p.want[which].remove(key)
}

// check compares all that can be seen of both trees and looks at their nodes.
func (p *pair) check() error {
	for i := range p.tree {
		if err := same(&p.tree[i], &p.store, &p.want[i]); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		if err := sound(&p.tree[i], &p.store, len(p.want[i].keys)); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
	}
	return nil
}

func same(t *Tree[number], s *Store[number], want *sorted) error {
	keys, items := want.all()
	n := len(keys)
	for key, item := range t.Down(s) {
		if n--; n < 0 || key != keys[n] || item != items[n] {
			return fmt.Errorf("%v with %d stands %d keys from the end of %v", key, item, n, keys)
		}
	}
	if n != 0 {
		return fmt.Errorf("%d of %d keys are missing", n, len(keys))
	}
	for i, key := range keys {
		p := t.Find(s, key)
		if !p.Found() || p.Item() != items[i] {
			return fmt.Errorf("%v is not found", key)
		}
		lower := s.Lower(p)
		if lower.Found() != (i > 0) || i > 0 && lower.Item() != items[i-1] {
			return fmt.Errorf("what is lower than %v is another key than %v", key, keys[:i])
		}
	}
	front := t.Front()
	if len(front) == 0 && len(keys) > 0 {
		return fmt.Errorf("nothing is in front of %v", keys)
	}
	for i, e := range front {
		if at := len(keys) - len(front) + i; e.Key != keys[at] || e.Item != items[at] || t.InFront(i).Item() != items[at] {
			return fmt.Errorf("in front are %v of %v", front, keys)
		}
	}
	if last := t.Last(); last.Found() != (len(keys) > 0) || last.Found() && last.Item() != items[len(keys)-1] {
		return fmt.Errorf("the last is %v", last)
	}
	return nil
}

func (s *sorted) all() ([]number, []uint32) {
	items := make([]uint32, len(s.keys))
	for i, key := range s.keys {
		items[i] = s.items[key]
	}
	return s.keys, items
}

// sound checks what must hold of the nodes of a tree with so many keys. A tree whose nodes are as
// full as they must be is no higher than the logarithm, and an operation touches at most three
// nodes per height.
func sound(t *Tree[number], s *Store[number], keys int) error {
	if t.front == nil {
		return nil
	}
	leaves, err := below(s, t.root, t.height, true)
	if err != nil {
		return err
	}
	sum, left := 0, uint32(0)
	for _, i := range leaves {
		n := s.at(i)
		if n.left != left {
			return fmt.Errorf("leaf %d has %d to its left, want %d", i, n.left, left)
		}
		sum += int(n.count)
		left = i
	}
	if s.at(left) != t.front {
		return fmt.Errorf("the last leaf is not the front")
	}
	if sum != keys {
		return fmt.Errorf("%d keys in leaves, want %d", sum, keys)
	}
	if t.height > 0 && keys < 2*power(least, t.height) {
		return fmt.Errorf("a height of %d for %d keys", t.height, keys)
	}
	return nil
}

func power(base, exponent int) int {
	p := 1
	for range exponent {
		p *= base
	}
	return p
}

// below checks a node and all below it, and returns the leaves from left to right.
func below(s *Store[number], i uint32, height int, root bool) ([]uint32, error) {
	n := s.at(i)
	low := uint32(least)
	if root {
		low = uint32(min(2*height, 2))
	}
	if n.count < low || n.count > most {
		return nil, fmt.Errorf("node %d at height %d has %d entries", i, height, n.count)
	}
	if height == 0 {
		for j := uint32(1); j < n.count; j++ {
			if !n.entries[j-1].Key.Less(n.entries[j].Key) {
				return nil, fmt.Errorf("leaf %d: %v", i, n.entries[:n.count])
			}
		}
		return []uint32{i}, nil
	}
	var all []uint32
	for j := range n.count {
		leaves, err := below(s, n.entries[j].Item, height-1, false)
		if err != nil {
			return nil, err
		}
		if j > 0 {
			first, before := s.at(leaves[0]), s.at(all[len(all)-1])
			if first.entries[0].Key.Less(n.entries[j].Key) || !before.entries[before.count-1].Key.Less(n.entries[j].Key) {
				return nil, fmt.Errorf("node %d: entry %v does not divide what is below", i, n.entries[j].Key)
			}
		}
		all = append(all, leaves...)
	}
	return all, nil
}

// TestAgainstASortedSlice runs random operations on two trees in one store. Runs of keys at one end
// or from a random place on make nodes fill and empty.
func TestAgainstASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPair()
		spread := rapid.SampledFrom([]number{1, 64, 65, math.MaxInt64 / 5000}).Draw(t, "spread")
		for range rapid.IntRange(1, 12).Draw(t, "runs") {
			which := rapid.IntRange(0, 1).Draw(t, "tree")
			key := number(rapid.IntRange(-2500, 2500).Draw(t, "from"))
			by := number(rapid.IntRange(-7, 7).Draw(t, "by"))
			for range rapid.IntRange(1, 400).Draw(t, "length") {
				if key < -5000 || key > 5000 {
					break
				}
				p.toggle(which, key*spread)
				key += by
			}
			if err := p.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAdversarialOrders fills and empties a tree in the orders that hurt arrays and unbalanced
// trees. The tree is looked at all along.
func TestAdversarialOrders(t *testing.T) {
	const n = 20_000
	orders := map[string]func(i int) number{
		"rising":           func(i int) number { return number(i) },
		"falling":          func(i int) number { return number(-i) },
		"from both ends":   func(i int) number { return number(min(i, n-1-i)*2 + i%2) },
		"to both ends":     func(i int) number { return number((i + 1) / 2 * (1 - i%2*2)) },
		"scattered":        func(i int) number { return number(uint64(i+1) * 0x9e3779b97f4a7c15) },
		"by bit reversal":  func(i int) number { return number(reversed(i)) },
		"at the very ends": func(i int) number { return []number{math.MinInt64 + number(i), math.MaxInt64 - number(i)}[i%2] },
	}
	for name, key := range orders {
		for emptied, place := range map[string]func(i int) int{
			"as filled":  func(i int) int { return i },
			"in reverse": func(i int) int { return n - 1 - i },
			"scattered":  func(i int) int { return i * 7919 % n },
		} {
			t.Run(name+", emptied "+emptied, func(t *testing.T) {
				var s Store[number]
				var tree Tree[number]
				look := func(i, keys int) {
					if i%997 == 0 || i == n-1 {
						if err := sound(&tree, &s, keys); err != nil {
							t.Fatalf("with %d keys: %v", keys, err)
						}
					}
				}
				for i := range n {
					tree.Put(&s, key(i), uint32(i+1))
					look(i, i+1)
				}
				for i := range n {
					if p := tree.Find(&s, key(place(i))); p.Item() != uint32(place(i)+1) {
						t.Fatalf("%d has number %d", key(place(i)), p.Item())
					}
					tree.Remove(&s, key(place(i)))
					look(i, n-1-i)
				}
				if tree.height != 0 || tree.Last().Found() {
					t.Errorf("the empty tree has a height of %d", tree.height)
				}
			})
		}
	}
}

func reversed(i int) (r int) {
	for range 15 {
		r = r<<1 | i&1
		i >>= 1
	}
	return r
}

// TestNodesAreGivenBack: a tree that fills and empties again and again takes no more room.
func TestNodesAreGivenBack(t *testing.T) {
	var s Store[number]
	var tree Tree[number]
	round := func() {
		for i := range number(5000) {
			tree.Put(&s, i, 1)
		}
		for i := range number(5000) {
			tree.Remove(&s, i)
		}
	}
	round()
	nodes := len(s.nodes)
	if n := testing.AllocsPerRun(3, round); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
	if len(s.nodes) != nodes {
		t.Errorf("%d nodes, then %d", nodes, len(s.nodes))
	}
}

// TestChangesAtOnePlaceDoNotSplitAndMergeAgainAndAgain: after a split or a merge many keys must come
// or go before the next one.
func TestChangesAtOnePlaceDoNotSplitAndMergeAgainAndAgain(t *testing.T) {
	for _, keys := range []number{most, most + 1, 4 * most, 1000} {
		var s Store[number]
		var tree Tree[number]
		for i := range keys {
			tree.Put(&s, 2*i, 1)
		}
		for i := range keys { // one more and one less at every place: the nodes stay as they are after the first time
			tree.Put(&s, 2*i+1, 1)
			tree.Remove(&s, 2*i+1)
			before := shape(&tree, &s)
			tree.Put(&s, 2*i+1, 1)
			tree.Remove(&s, 2*i+1)
			if after := shape(&tree, &s); !slices.Equal(before, after) {
				t.Fatalf("%d keys: leaves %v became %v", keys, before, after)
			}
		}
	}
}

// shape is how many entries each leaf has.
func shape(t *Tree[number], s *Store[number]) (counts []uint32) {
	leaves, _ := below(s, t.root, t.height, true)
	for _, i := range leaves {
		counts = append(counts, s.at(i).count)
	}
	return counts
}

func TestIterationStopsWhenTheReaderDoes(t *testing.T) {
	var s Store[number]
	var tree Tree[number]
	for range tree.Down(&s) {
		t.Error("an empty tree has a key")
	}
	for i := range number(200) {
		tree.Put(&s, i, uint32(i)+1)
	}
	var seen []number
	for key := range tree.Down(&s) {
		if seen = append(seen, key); len(seen) == 3 {
			break
		}
	}
	if len(seen) != 3 || seen[0] != 199 || seen[2] != 197 {
		t.Errorf("seen %v", seen)
	}
}

func TestBrokenInvariantsPanic(t *testing.T) {
	for name, broken := range map[string]func(s *Store[number], t *Tree[number]){
		"a key is put twice":                 func(s *Store[number], t *Tree[number]) { t.Put(s, 7, 1) },
		"a key that is not there is removed": func(s *Store[number], t *Tree[number]) { t.Remove(s, 1000) },
		"a key below all is removed":         func(s *Store[number], t *Tree[number]) { t.Remove(s, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			var s Store[number]
			var tree Tree[number]
			for i := range number(500) {
				tree.Put(&s, i, uint32(i)+1)
			}
			defer func() {
				if recover() == nil {
					t.Error("it went unnoticed")
				}
			}()
			broken(&s, &tree)
		})
	}
}
