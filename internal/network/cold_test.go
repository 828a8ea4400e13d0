package network_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// vault is cold storage: a seed that is online nowhere, and the directory by which the exchange asks for signatures.
type vault struct {
	t     testing.TB
	dir   string // of the seed
	seed  *custody.Seed
	asked string
	files *custody.Manual
}

// build makes cold storage for an exchange, and joins it.
func (h *house) build() *vault {
	h.t.Helper()
	v := &vault{t: h.t, dir: h.t.TempDir(), asked: h.t.TempDir()}
	key, err := seal.Load(v.dir, "")
	if err != nil {
		h.t.Fatal(err)
	}
	if v.seed, err = custody.Create(v.dir, key); err != nil {
		h.t.Fatal(err)
	}
	if v.files, err = custody.NewManual(v.asked); err != nil {
		h.t.Fatal(err)
	}
	public, err := v.seed.Public(h.chain.Space())
	if err != nil {
		h.t.Fatal(err)
	}
	keys := public.Seal(h.node.Key())
	keys.Cold = true
	h.do(&schema.SetKeys{Keys: keys})
	h.vault = v
	h.join()
	return v
}

// trusts brings the public keys of the exchange to the seed.
func (v *vault) trusts(h *house) {
	v.t.Helper()
	public, err := h.seed.Public(h.chain.Space())
	if err == nil {
		err = custody.WritePublic(filepath.Join(v.dir, custody.HotFile), []custody.Public{public})
	}
	if err != nil {
		v.t.Fatal(err)
	}
}

// sign signs what the exchange asked for.
func (v *vault) sign(payout, variant int) error {
	_, err := v.seed.SignFile(v.dir, filepath.Join(v.asked, fmt.Sprintf("payout-%d-%d.json", payout, variant)))
	return err
}

// caps bounds what is hot of an asset.
func (h *house) caps(asset schema.AssetID, amount string) {
	h.t.Helper()
	var a schema.Asset
	h.node.Read(func(m core.View) { a = *m.Listing().Asset(asset) })
	a.Networks = append([]schema.Network{}, a.Networks...)
	a.Networks[0].HotCap = fixed.MustParse(amount)
	h.do(&schema.SetAsset{Asset: a})
}

// cold is what is in cold storage of the chain's own asset.
func (h *house) cold() (sum fixed.Decimal) {
	h.node.Read(func(m core.View) { sum = m.Chains().Bookings(h.chain.ID)[0].Cold })
	return sum
}

// stores holds what is in cold storage, and what should come back, against texts.
func (h *house) stores(asset schema.AssetID, cold, wanted string) {
	h.t.Helper()
	h.node.Read(func(m core.View) {
		for _, b := range m.Chains().Bookings(h.chain.ID) {
			if b.Asset == asset && (b.Cold.String() != cold || b.Wanted.String() != wanted) {
				h.t.Errorf("%s is cold and %s wanted, want %s and %s", b.Cold, b.Wanted, cold, wanted)
			}
		}
	})
}

func TestBitcoinColdStorage(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	v := p.build()
	p.deposit("3")
	p.deposit("2")
	if len(p.payouts()) != 0 {
		t.Fatal("without a cap something is stored")
	}

	// What is above the cap goes, and a quarter of the cap with it; withdrawals come first.
	p.caps(p.native, "2")
	id := p.withdraw(p.native, p.world.other(1), "1")
	p.step()
	p.mine(1)
	p.is(schema.WithdrawalMined, id)
	p.stores(p.native, "0", "0")
	p.mine(3)
	list := p.payouts()
	if len(list) != 2 || len(list[1].Withdrawals) != 0 || list[1].Variants[0].Outputs[0].Own != schema.ColdOf(2) {
		t.Fatalf("payouts %+v", list)
	}
	// The first spent one of two coins, the second the other one and two of seven parts.
	if list[0].Variants[0].Inputs[0] == list[1].Variants[0].Inputs[0] || len(list[0].Variants[0].Outputs) != 7 || len(list[1].Variants[0].Inputs) != 3 || len(list[1].Variants[0].Outputs) != 1+3 {
		t.Fatalf("payouts %+v", list)
	}
	spent := list[0].Paid.Add(fixed.FromInt(1))
	stored := fixed.FromInt(5).Sub(spent).Sub(fixed.MustParse("1.5"))
	p.mine(3)
	p.stores(p.native, stored.String(), "0")
	p.audit()
	if has := p.link.Audited().Assets[0]; has.Books != p.total(p.native) {
		t.Errorf("the audit looked at %s of %s", has.Books, p.total(p.native))
	}

	// It comes back when it is asked for, signed by people who know where it goes; nothing else waits for them.
	p.restart()
	p.do(&schema.RefillHot{Chain: p.chain.ID, Asset: p.native, Amount: fixed.MustParse("1")})
	p.mine(1)
	if err := v.sign(3, 0); err == nil || !strings.Contains(err.Error(), custody.HotFile) {
		t.Errorf("signed without knowing whose address it is: %v", err)
	}
	other := p.withdraw(p.native, p.world.other(2), "1.2")
	p.step()
	p.mine(1)
	p.is(schema.WithdrawalMined, other)
	p.restart()
	v.trusts(p.house)
	if err := v.sign(3, 0); err != nil {
		t.Fatal(err)
	}
	p.step()
	p.mine(1)
	p.stores(p.native, "0", "0")
	p.audit()
	p.is(schema.WithdrawalMined, other)
	p.mine(3)
	p.stores(p.native, "0", "0") // what came back is above the cap, and stays for a while
	p.mine(100)
	p.mine(1)
	p.mine(1)
	var fees fixed.Decimal
	for _, q := range p.payouts() {
		fees = fees.Add(q.Paid)
	}
	if hot := p.total(p.native).Sub(p.cold()); p.cold().Sign() <= 0 || hot.Cmp(fixed.MustParse("1.5")) > 0 || hot.Add(fees).Less(fixed.MustParse("1.5")) {
		t.Errorf("%s is cold and %s hot", p.cold(), hot)
	}
	if !p.link.Audited().Assets[0].Less.IsZero() {
		t.Error("the chain has less than the books")
	}
}

// TestWhatIsColdIsNoCoinForOthers: change is divided as if there were none, be it in a block or under way.
func TestWhatIsColdIsNoCoinForOthers(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	p.build()
	p.deposit("3")
	p.deposit("1")
	divides := func(payout, inputs, parts int) {
		t.Helper()
		list := p.payouts()
		if len(list) != payout {
			t.Fatalf("payouts %+v", list)
		}
		if v := list[payout-1].Variants[0]; len(v.Inputs) != inputs || len(v.Outputs) != parts {
			t.Errorf("it spends %v, and comes back as %v", v.Inputs, v.Outputs)
		}
	}
	p.caps(p.native, "1.336") // of which 1.002 stay: the coin of 1, and 0.002 of the other one
	p.mineEmpty(1)
	divides(1, 1, 1+3) // of a useful size
	p.withdraw(p.native, p.world.other(1), "0.1")
	p.step()
	divides(2, 1, 5)
	p.share()
	p.mine(3)
	p.withdraw(p.native, p.world.other(2), "0.2")
	p.step()
	divides(3, 5, 5)
}

// TestARefillPaysWhatWaits: a withdrawal of more than is hot waits for it, and nothing is stored meanwhile.
func TestARefillPaysWhatWaits(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	v := p.build()
	v.trusts(p.house)
	p.deposit("3")
	p.caps(p.native, "1")
	p.mine(1)
	p.mine(4)
	p.stores(p.native, "2.25", "0")
	id := p.withdraw(p.native, p.world.other(1), "2.5")
	waits := func(blocks int) {
		t.Helper()
		if blocks > 0 {
			p.node.Mine(blocks)
		}
		if err := p.try(); err == nil || !strings.Contains(err.Error(), "withdrawals wait for coins") {
			t.Errorf("it does not wait: %v", err)
		}
	}
	waits(1)
	p.caps(p.native, "0.5")
	p.do(&schema.RefillHot{Chain: p.chain.ID, Asset: p.native, Amount: fixed.MustParse("2")})
	waits(1)
	if list := p.payouts(); len(list) != 2 || len(list[1].Withdrawals) != 0 || stored(list[1].Variants[0].Outputs) {
		t.Fatalf("payouts %+v", list)
	}
	if err := v.sign(2, 0); err != nil {
		t.Fatal(err)
	}
	waits(0) // sends it
	waits(1)
	p.node.Mine(2)
	p.step()
	p.mine(3)
	p.is(schema.WithdrawalDone, id)
	p.stores(p.native, "0", "0")
	p.audit()
}

// stored reports whether outputs pay to cold storage.
func stored(outputs []schema.OwnOutput) bool { return outputs[0].Own.IsCold() }

// TestColdCoinsBidMore: without a coin of another kind, and to the same address.
func TestColdCoinsBidMore(t *testing.T) {
	t.Parallel()
	p := newPair(t, schema.Simnet, nodetest.Btcd)
	v := p.build()
	v.trusts(p.house)
	p.deposit("3")
	p.caps(p.native, "1")
	p.mineEmpty(1) // plans payout 1
	p.mineEmpty(3) // and bids more for it
	list := p.payouts()
	if len(list) != 1 || len(list[0].Variants) != 2 || list[0].Variants[1].Outputs[0] != list[0].Variants[0].Outputs[0] || list[0].Variants[0].Outputs[0].Amount.String() != "2.25" {
		t.Fatalf("payouts %+v", list)
	}
	p.share()
	p.mine(4)
	p.stores(p.native, "2.25", "0")
	p.caps(p.native, "0")
	p.deposit("1")
	p.do(&schema.RefillHot{Chain: p.chain.ID, Asset: p.native, Amount: fixed.MustParse("0.1")})
	p.mineEmpty(1)
	last := func() schema.Payout { return p.payouts()[len(p.payouts())-1] }
	id := last().ID
	if err := v.sign(int(id), 0); err != nil {
		t.Fatal(err)
	}
	p.step()
	p.mineEmpty(3)
	if err := v.sign(int(id), 1); err != nil {
		t.Fatal(err)
	}
	p.step()
	if now := last(); len(now.Variants) != 2 || len(now.Variants[1].Raw) == 0 || len(now.Variants[1].Inputs) != 1 {
		t.Fatalf("%+v", now)
	}
	p.share()
	p.mine(3)
	p.stores(p.native, "0", "0")
	p.audit()
}

func TestEVMColdStorage(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	v := h.build()
	v.trusts(h.house)
	h.caps(h.native, "2")
	h.caps(h.token, "100")
	at := h.address()
	h.ether(at, "5")
	h.tokens(at, "500")
	h.mine(3)
	h.settle()
	h.settle()
	h.stores(h.token, "425", "0")
	h.audit()
	public, err := v.seed.Public(h.chain.Space())
	if err != nil {
		t.Fatal(err)
	}
	cold, _, err := public.Address(driver.Place{Own: schema.Cold})
	if err != nil {
		t.Fatal(err)
	}
	if has := h.has(cold, h.contract, 6); has != "425" {
		t.Errorf("cold storage has %s tokens", has)
	}
	h.restart()
	before := len(h.payouts())
	h.caps(h.token, "0")
	h.do(&schema.RefillHot{Chain: h.chain.ID, Asset: h.token, Amount: fixed.MustParse("300")})
	h.mine(1)
	id := h.withdraw(h.token, bob, "50")
	h.mine(1)
	h.is(schema.WithdrawalSent, id)
	list := h.payouts()
	if len(list) <= before {
		t.Fatal("nothing is asked for")
	}
	asked := 0
	for _, p := range list {
		if p.Own == schema.Cold {
			asked = int(p.ID)
		}
	}
	if err := v.sign(asked, 0); err != nil {
		t.Fatal(err)
	}
	h.settle()
	h.stores(h.token, "125", "0")
	h.is(schema.WithdrawalDone, id)
	h.audit()
}

// TestNobodyElsesSignature: a signature of another key than that of the account that pays is not kept.
func TestNobodyElsesSignature(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	h.ether(h.address(), "3")
	h.mine(3)
	h.settle()
	stranger := newOutside(t, schema.Mainnet)
	h.signer = custody.NewHot(stranger.seed)
	h.join()
	id := h.withdraw(h.native, bob, "0.5")
	if err := h.try(); err == nil || !strings.Contains(err.Error(), "signed it, and not") {
		t.Errorf("a stranger's signature: %v", err)
	}
	h.is(schema.WithdrawalPlanned, id)
	h.signer = nil
	h.join()
	h.step()
	h.is(schema.WithdrawalSent, id)
}
