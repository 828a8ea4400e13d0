package address

import (
	"testing"

	"bourse/internal/schema"
)

func FuzzBitcoin(f *testing.F) { fuzz(f, schema.Bitcoin) }
func FuzzEVM(f *testing.F)     { fuzz(f, schema.EVM) }
func FuzzTRON(f *testing.F)    { fuzz(f, schema.TRON) }
func FuzzXRP(f *testing.F)     { fuzz(f, schema.XRP) }
func FuzzSolana(f *testing.F)  { fuzz(f, schema.Solana) }
func FuzzTON(f *testing.F)     { fuzz(f, schema.TON) }

// fuzz: a text is refused with a reason, or its canonical form is its own canonical form and has only
// characters that can be printed. The same for memos, which stay as they are.
func fuzz(f *testing.F, family schema.Family) {
	for _, v := range taken {
		f.Add(v.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for net := schema.Mainnet; net <= schema.Simnet; net++ {
			canonical, err := Parse(at(family, net), text)
			if err != nil {
				if canonical != "" {
					t.Fatalf("%v %v %q: %q and %v", family, net, text, canonical, err)
				}
				continue
			}
			if again, err := Parse(at(family, net), canonical); err != nil || again != canonical {
				t.Fatalf("%v %v %q: %q, then %q, %v", family, net, text, canonical, again, err)
			}
			for _, c := range []byte(canonical) {
				if c <= ' ' || c > '~' {
					t.Fatalf("%v %v %q: %q", family, net, text, canonical)
				}
			}
		}
		if memo, err := ParseMemo(family, text); err == nil && memo != text || err != nil && memo != "" {
			t.Fatalf("%v: memo %q is %q, %v", family, text, memo, err)
		}
	})
}
