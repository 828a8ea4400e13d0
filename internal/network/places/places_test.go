package places

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"sync"
	"testing"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

func TestEveryPlaceComesBack(t *testing.T) {
	m := New()
	list := []driver.Place{
		{},
		{Index: 1, Type: schema.Bech32},
		{Index: 1, Type: schema.P2SHSegwit},
		{Index: math.MaxUint32, Type: math.MaxUint8},
		{Own: schema.Hot, Type: schema.Bech32},
		{Own: 1<<numberBits - 1, Type: math.MaxUint8},
	}
	for i, p := range list {
		if err := m.Add([]byte{byte(i)}, p); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range list {
		if p, ours := m.Place([]byte{byte(i)}); !ours || p != want {
			t.Errorf("%+v %v, want %+v", p, ours, want)
		}
	}
	if p, ours := m.Place([]byte{byte(len(list))}); ours {
		t.Errorf("a stranger's address is %+v", p)
	}
	for _, p := range []driver.Place{{Own: 1 << numberBits}, {Index: 1, Own: 1}} {
		if err := m.Add([]byte("key"), p); err == nil {
			t.Errorf("%+v is remembered", p)
		}
	}
}

// TestKeysOfEveryLength: a key is another one than the same with zeros behind it, and than what it begins with.
func TestKeysOfEveryLength(t *testing.T) {
	m := New()
	for size := range keyBytesMax + 1 {
		for fill := range byte(2) {
			if err := m.Add(bytes.Repeat([]byte{fill}, size), driver.Place{Index: schema.AddressIndex(2*size + int(fill))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for size := range keyBytesMax + 1 {
		for fill := range byte(2) {
			want := driver.Place{Index: schema.AddressIndex(2*size + int(fill))}
			if size == 0 {
				want.Index = 1 // both are the same key
			}
			if p, ours := m.Place(bytes.Repeat([]byte{fill}, size)); !ours || p != want {
				t.Errorf("%d bytes of %d: %+v %v, want %+v", size, fill, p, ours, want)
			}
		}
	}
	long := make([]byte, keyBytesMax+1)
	if err := m.Add(long, driver.Place{Index: 1}); err == nil {
		t.Error("a key is remembered that is too long")
	}
	if p, ours := m.Place(long); ours {
		t.Errorf("a key that is too long is that of %+v", p)
	}
}

// TestManyAddresses holds the map against one of Go, while it grows and while places change.
func TestManyAddresses(t *testing.T) {
	m, want := New(), map[string]driver.Place{}
	for i := range 20_000 {
		key := binary.LittleEndian.AppendUint32(nil, uint32(i*7919%15_000)) // a quarter of them twice
		p := driver.Place{Index: schema.AddressIndex(i + 1), Type: schema.Bech32}
		if err := m.Add(key, p); err != nil {
			t.Fatal(err)
		}
		want[string(key)] = p
		stranger := binary.LittleEndian.AppendUint32(nil, uint32(i+15_000))
		if p, ours := m.Place(stranger); ours {
			t.Fatalf("a stranger's address is %+v", p)
		}
	}
	if set, most := bitsOf(m), 3*len(want); set > most || set < most/2 {
		t.Errorf("%d bits of the filter are set by %d addresses, want at most %d", set, len(want), most)
	}
	if len(m.entries) != len(want) || len(m.slots) < 2*len(want) {
		t.Errorf("%d entries and %d slots of %d addresses", len(m.entries), len(m.slots), len(want))
	}
	for key, want := range want {
		if p, ours := m.Place([]byte(key)); !ours || p != want {
			t.Errorf("%x: %+v %v, want %+v", key, p, ours, want)
		}
	}
}

func bitsOf(m *Map) (set int) {
	for _, word := range m.filter {
		set += bits.OnesCount64(word)
	}
	return set
}

// TestTheFilterDecidesNothing: whatever it lets through, also if that is everything, the slots have the last word.
func TestTheFilterDecidesNothing(t *testing.T) {
	m := New()
	const count = 5000
	for i := range count {
		if err := m.Add(binary.LittleEndian.AppendUint32(nil, uint32(i)), driver.Place{Index: schema.AddressIndex(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range m.filter {
		m.filter[i] = math.MaxUint64
	}
	for i := range 2 * count {
		p, ours := m.Place(binary.LittleEndian.AppendUint32(nil, uint32(i)))
		if want := schema.AddressIndex(i + 1); ours != (i < count) || ours && p.Index != want {
			t.Fatalf("%d: %+v %v", i, p, ours)
		}
	}
}

// TestMostStrangersStopAtTheFilter, also when the map is as full as it gets: that is what makes a block cheap to search.
func TestMostStrangersStopAtTheFilter(t *testing.T) {
	m := New()
	const count = 1 << 16
	for i := range count {
		if err := m.Add(binary.LittleEndian.AppendUint32(nil, uint32(i)), driver.Place{Index: schema.AddressIndex(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.slots) != 2*count {
		t.Fatalf("%d slots, and the map is not full", len(m.slots))
	}
	through := 0
	for i := range count {
		hash := maphash.Bytes(m.seed, binary.LittleEndian.AppendUint32(nil, uint32(count+i)))
		if word, wanted := m.filtered(hash); m.filter[word]&wanted == wanted {
			through++
		}
	}
	if through > count/50 {
		t.Errorf("%d of %d strangers are looked for", through, count)
	}
	clear(m.filter)
	if p, ours := m.Place(binary.LittleEndian.AppendUint32(nil, 0)); ours {
		t.Errorf("the filter is not asked: %+v", p)
	}
}

// TestManyMayAskAtOnce: links of several chains have maps of their own, but nothing of one may change when it is asked.
func TestManyMayAskAtOnce(t *testing.T) {
	m := New()
	const count = 2000
	for i := range count {
		if err := m.Add(binary.LittleEndian.AppendUint32(nil, uint32(i)), driver.Place{Index: schema.AddressIndex(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for i := range 2 * count {
				if _, ours := m.Place(binary.LittleEndian.AppendUint32(nil, uint32(i))); ours != (i < count) {
					t.Errorf("%d is ours: %v", i, ours)
				}
			}
		})
	}
	readers.Wait()
}

// TestLookingUpMakesNoGarbage: it is done for every output of every block.
func TestLookingUpMakesNoGarbage(t *testing.T) {
	m := New()
	known := []byte("a key of an address")
	if err := m.Add(known, driver.Place{Index: 1}); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { m.Place(known) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
