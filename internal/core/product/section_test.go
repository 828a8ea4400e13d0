package product

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// keep is a section that keeps assets, and the version that it was read with.
type keep struct {
	assets  []schema.Asset
	version uint64
}

func (k *keep) section(tag, version uint64) Section {
	return Section{
		Tag: tag, Name: fmt.Sprint("section ", tag), Version: version,
		Write: func(w *Writer) {
			for i := range k.assets {
				w.Message(&k.assets[i])
			}
		},
		Read: func(r *Reader) error {
			k.version = r.Version
			for a, err := range Messages[schema.Asset](r) {
				if err != nil {
					return err
				}
				k.assets = append(k.assets, *a)
			}
			return nil
		},
	}
}

func assets(tickers ...string) (list []schema.Asset) {
	for _, ticker := range tickers {
		list = append(list, schema.Asset{Ticker: ticker})
	}
	return list
}

func write(sections ...Section) []byte {
	var w Writer
	for i := range sections {
		w.Section(&sections[i])
	}
	return w.Bytes
}

func TestSectionsComeBack(t *testing.T) {
	one, empty, three := &keep{assets: assets("BTC", "")}, &keep{}, &keep{assets: assets("USDT")}
	data := write(one.section(1, 1), empty.section(2, 1), three.section(300, 2))
	if without := write(one.section(1, 1), three.section(300, 2)); !slices.Equal(data, without) {
		t.Error("an empty section is not left out")
	}
	var got [3]keep
	r := &Reader{Rest: data}
	if err := r.Sections([]Section{got[0].section(1, 1), got[1].section(2, 7), got[2].section(300, 5)}); err != nil || len(r.Rest) != 0 {
		t.Fatalf("%v with %d bytes left", err, len(r.Rest))
	}
	for i, want := range []*keep{{one.assets, 1}, {nil, 0}, {three.assets, 2}} {
		if fmt.Sprint(got[i]) != fmt.Sprint(*want) {
			t.Errorf("section %d: %v, want %v", i, got[i], *want)
		}
	}
}

func TestSectionsThatCannotBeRead(t *testing.T) {
	one, two := &keep{assets: assets("BTC")}, &keep{assets: assets("USDT")}
	both := write(one.section(1, 1), two.section(2, 3))
	for _, tt := range []struct {
		name string
		data []byte
		know []uint64
		says string
	}{
		{"an unknown one", both, []uint64{1}, "begin like section 2"},
		{"another order", both, []uint64{2, 1}, "begin like section 2"},
		{"twice", slices.Concat(write(one.section(1, 1)), write(one.section(1, 1))), []uint64{1, 2}, "begin like section 1"},
		{"a newer version", write(one.section(1, 4)), []uint64{1}, "section 1 of version 4, and this program reads versions up to 3"},
		{"no version", []byte{1, 0, 0}, []uint64{1}, "version 0"},
		{"cut off after its tag", both[:1], []uint64{1}, "cut off"},
		{"cut off in a message", both[:5], []uint64{1}, "section 1: a message is cut off"},
		{"cut off before its end", write(one.section(1, 1))[:len(write(one.section(1, 1)))-1], []uint64{1}, "section 1: a message is cut off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var list []Section
			for _, tag := range tt.know {
				list = append(list, new(keep).section(tag, 3))
			}
			err := (&Reader{Rest: tt.data}).Sections(list)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}
