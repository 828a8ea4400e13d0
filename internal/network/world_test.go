package network_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/disk"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/network"
	"bourse/internal/network/driver"
	"bourse/internal/node"
	"bourse/internal/schema"
)

// house is an exchange with a link to a chain, whose log is on disk: it can be killed and started again.
type house struct {
	t      testing.TB
	dir    string
	node   *node.Node
	book   *network.Book
	seed   *custody.Seed
	link   *network.Link
	open   func(schema.Chain) (driver.Chain, error)
	signer driver.Signer // instead of the seed's
	vault  *vault        // cold storage
	chain  schema.Chain
	native schema.AssetID
	alice  schema.AccountID
	names  int
}

// found makes an exchange with one chain, the asset of that, and alice.
func found(t testing.TB, c schema.Chain, a schema.Asset, open func(schema.Chain) (driver.Chain, error)) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), open: open}
	h.start()
	t.Cleanup(h.stop)
	var err error
	if h.seed, err = custody.Create(h.dir, h.node.Key()); err != nil {
		t.Fatal(err)
	}
	h.chain = c
	h.chain.ID = schema.ChainID(h.do(&schema.SetChain{Chain: c}).ID)
	public, err := h.seed.Public(c.Space())
	if err != nil {
		t.Fatal(err)
	}
	h.do(&schema.SetKeys{Keys: public.Seal(h.node.Key())})
	h.native = h.list(a)
	h.alice = schema.AccountID(h.do(&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.Global, Verified: true}}).ID)
	h.join()
	return h
}

// list lists an asset whose networks are on the chain.
func (h *house) list(a schema.Asset) schema.AssetID {
	h.t.Helper()
	for i := range a.Networks {
		a.Networks[i].Chain = h.chain.ID
	}
	return schema.AssetID(h.do(&schema.SetAsset{Asset: a}).ID)
}

func (h *house) start() {
	h.t.Helper()
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: h.dir}})
	if err != nil {
		h.t.Fatal(err)
	}
	h.node, h.book = n, network.Follow(n)
}

func (h *house) stop() {
	h.t.Helper()
	if err := h.node.Close(); err != nil {
		h.t.Error(err)
	}
}

// join opens the link.
func (h *house) join() {
	h.t.Helper()
	d, err := h.open(h.chain)
	if err != nil {
		h.t.Fatal(err)
	}
	h.joinBy(d)
}

func (h *house) joinBy(d driver.Chain) {
	h.t.Helper()
	signer := h.signer
	if signer == nil {
		signer = custody.NewHot(h.seed)
	}
	o := network.LinkOptions{Node: h.node, Chain: h.chain.Name, Driver: d, Signer: signer, Poll: time.Millisecond, Batch: time.Nanosecond, Audit: time.Nanosecond}
	if h.vault != nil {
		o.Cold = h.vault.files
	}
	link, err := network.OpenLink(o)
	if err != nil {
		h.t.Fatal(err)
	}
	h.link = link
}

// restart is what a kill leaves: the log.
func (h *house) restart() {
	h.t.Helper()
	h.stop()
	h.start()
	h.join()
}

// do gives a command that must be accepted.
func (h *house) do(c schema.Command) (r schema.Result) {
	h.t.Helper()
	by := ""
	switch c.(type) {
	case *schema.AbandonPayout, *schema.DecideWithdrawal, *schema.DecideDeposit:
		by = "olga"
	}
	return h.by(by, c)
}

// agree gives a command of two operators.
func (h *house) agree(c schema.Command) (r schema.Result) {
	h.t.Helper()
	h.by("olga", c)
	return h.by("otto", c)
}

func (h *house) by(operator string, c schema.Command) (r schema.Result) {
	h.t.Helper()
	if err := h.node.SubmitFrom(context.Background(), schema.Origin{Operator: operator}, c, &r); err != nil || r.Rejection.Refused() {
		h.t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
	}
	return r
}

// step lets the link do all there is to do, and checks every invariant.
func (h *house) step() {
	h.t.Helper()
	if err := h.try(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) try() error {
	h.t.Helper()
	err := h.link.Step(context.Background())
	h.verify()
	return err
}

func (h *house) verify() {
	h.t.Helper()
	h.node.Read(func(m core.View) {
		if err := m.Verify(); err != nil {
			h.t.Fatal(err)
		}
	})
}

// address of alice, a new one.
func (h *house) address() string {
	h.t.Helper()
	a := h.do(&schema.OpenAddress{Account: h.alice, Chain: h.chain.ID, Fresh: true}).Address
	text, _, ok := h.book.Text(a)
	if !ok {
		h.t.Fatal("the address cannot be written")
	}
	return text
}

// withdraw asks for a withdrawal of alice.
func (h *house) withdraw(asset schema.AssetID, to, amount string) schema.WithdrawalID {
	h.t.Helper()
	h.names++
	return h.do(&schema.RequestWithdrawal{
		Account: h.alice, Chain: h.chain.ID, Asset: asset, Amount: fixed.MustParse(amount), Pay: true, Address: to, Unique: string(rune('a' + h.names)),
	}).Withdrawal.ID
}

// wants holds the balance of alice's main wallet against texts: available, frozen, held.
func (h *house) wants(asset schema.AssetID, available, frozen, held string) {
	h.t.Helper()
	h.node.Read(func(m core.View) {
		a, f, u := m.Balance(h.alice, schema.Main, asset)
		if got := [3]string{a.String(), f.String(), u.String()}; got != [3]string{available, frozen, held} {
			h.t.Fatalf("alice has %v, want %s %s %s", got, available, frozen, held)
		}
	})
}

func (h *house) withdrawal(id schema.WithdrawalID) (w schema.Withdrawal) {
	h.t.Helper()
	h.node.Read(func(m core.View) { w, _ = m.Chains().Withdrawal(id) })
	return w
}

// is holds the status of withdrawals against one.
func (h *house) is(status schema.WithdrawalStatus, ids ...schema.WithdrawalID) {
	h.t.Helper()
	for _, id := range ids {
		if w := h.withdrawal(id); w.Status != status {
			h.t.Fatalf("withdrawal %d is %s, want %s", id, w.Status, status)
		}
	}
}

func (h *house) payouts() (list []schema.Payout) {
	h.node.Read(func(m core.View) {
		for p := range m.Chains().Payouts(h.chain.ID) {
			list = append(list, *p)
		}
	})
	return list
}

// total is what the chain has of an asset, by the books.
func (h *house) total(asset schema.AssetID) (sum fixed.Decimal) {
	h.node.Read(func(m core.View) {
		for _, b := range m.Chains().Bookings(h.chain.ID) {
			if b.Asset == asset {
				sum = b.Coins
			}
		}
	})
	return sum
}

func (h *house) system(account schema.AccountID, asset schema.AssetID) (has string) {
	h.node.Read(func(m core.View) {
		a, _, _ := m.Balance(account, schema.Main, asset)
		has = a.String()
	})
	return has
}

// audit wants the books and the chain to agree.
func (h *house) audit() {
	h.t.Helper()
	for _, a := range h.link.Audited().Assets {
		if a.Books != a.Chain || a.Less.Sign() != 0 {
			h.t.Fatalf("%s: the books have %s, the chain %s", a.Ticker, a.Books, a.Chain)
		}
	}
}

// held holds the books against the chain as for an exchange that does not run.
func (h *house) held() *network.Verification {
	h.t.Helper()
	d, err := h.open(h.chain)
	if err != nil {
		h.t.Fatal(err)
	}
	v, err := h.heldBy(d)
	if err != nil {
		h.t.Fatal(err)
	}
	return v
}

func (h *house) heldBy(d driver.Chain) (v *network.Verification, err error) {
	h.node.Read(func(m core.View) {
		v, err = network.Verify(context.Background(), network.Books{View: m, Key: h.node.Key(), Chain: h.chain, Progress: func(uint64, uint64) {}}, d)
	})
	return v, err
}

// outside is the rest of the world on a chain of coins: it has a seed of its own, and what its blocks pay.
type outside struct {
	t      testing.TB
	driver driver.Chain
	chain  schema.Chain
	seed   *custody.Seed
	public custody.Public
	height uint64
	coins  []driver.Input
	mature []uint64 // height at which each may be spent
}

func newOutside(t testing.TB, net schema.Net) *outside {
	t.Helper()
	dir := t.TempDir()
	o := &outside{t: t, chain: schema.Chain{ID: 1, Name: "BTC", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: net}}
	n, err := node.Open(context.Background(), node.Options{Journal: journal.Options{Dir: dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if o.seed, err = custody.Create(dir, n.Key()); err != nil {
		t.Fatal(err)
	}
	if o.public, err = o.seed.Public(o.chain.Space()); err != nil {
		t.Fatal(err)
	}
	return o
}

var outsidePlace = driver.Place{Index: 1, Type: schema.Bech32}

func (o *outside) address() string {
	o.t.Helper()
	text, _, err := o.public.Address(outsidePlace)
	if err != nil {
		o.t.Fatal(err)
	}
	return text
}

// other is an address of the world, which it is not looked up by.
func (o *outside) other(n int) string {
	o.t.Helper()
	text, _, err := o.public.Address(driver.Place{Index: schema.AddressIndex(100 + n), Type: schema.Bech32})
	if err != nil {
		o.t.Fatal(err)
	}
	return text
}

// Place, Coin and Contract make it the lookup of its own blocks.
func (o *outside) Place(key []byte) (driver.Place, bool) {
	ours, err := o.driver.Key(o.address())
	return outsidePlace, err == nil && string(ours) == string(key)
}

func (o *outside) Coin(key []byte) bool {
	id, _ := driver.CoinID(key)
	at := slices.IndexFunc(o.coins, func(c driver.Input) bool { return c.ID == id })
	if at >= 0 {
		o.coins, o.mature = slices.Delete(o.coins, at, at+1), slices.Delete(o.mature, at, at+1)
	}
	return at >= 0
}

func (o *outside) Contract([]byte) bool { return false }

// look reads the blocks that are new.
func (o *outside) look() {
	o.t.Helper()
	ctx := context.Background()
	tip, err := o.driver.Tip(ctx)
	for o.height < tip.Height && err == nil {
		var at driver.Point
		if at, _, err = o.driver.At(ctx, o.height+1); err != nil {
			break
		}
		var b *driver.Block
		if b, err = o.driver.Block(ctx, at, o); err != nil {
			break
		}
		o.height++
		_, public, _ := o.public.Address(outsidePlace)
		for _, r := range b.Receipts {
			amount, _ := driver.Amount(r.Units, 8)
			o.coins = append(o.coins, driver.Input{ID: r.ID, Amount: amount, Address: r.Text, Place: r.Place, Public: public})
			ripe := o.height
			if r.Coinbase {
				ripe += 100
			}
			o.mature = append(o.mature, ripe)
		}
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// pay sends money to an address, and returns the transaction and what it spends.
func (o *outside) pay(to, amount string) (raw []byte, spent driver.Input) {
	o.t.Helper()
	o.look()
	for i, c := range o.coins {
		if o.mature[i] <= o.height {
			spent = c
			o.coins, o.mature = slices.Delete(o.coins, i, i+1), slices.Delete(o.mature, i, i+1)
			return o.payWith(spent, to, amount), spent
		}
	}
	o.t.Fatal("the world has nothing to pay with")
	return nil, spent
}

func (o *outside) payWith(spent driver.Input, to, amount string) []byte {
	o.t.Helper()
	raw := o.sign(spent, to, amount)
	o.send(o.driver, raw)
	return raw
}

// sign makes a transaction that spends one coin.
func (o *outside) sign(spent driver.Input, to, amount string) []byte {
	o.t.Helper()
	ctx := context.Background()
	draft, err := o.driver.Compose(ctx, &driver.Order{
		Chain: &o.chain, Rate: 5, Pays: []driver.Payment{{Address: to, Amount: fixed.MustParse(amount)}}, Coins: []driver.Input{spent}, Must: 1, Change: o.other(0),
	})
	if err != nil {
		o.t.Fatal(err)
	}
	raw, err := custody.NewHot(o.seed).Sign(ctx, &driver.Request{Chain: o.chain, Unsigned: draft.Unsigned, Places: []driver.Place{outsidePlace}})
	if err != nil {
		o.t.Fatal(err)
	}
	return raw
}

func (o *outside) send(by driver.Chain, raw []byte) {
	o.t.Helper()
	if fate, err := by.Send(context.Background(), raw); err != nil || fate != driver.Accepted {
		o.t.Fatal(fate, err)
	}
}

func hot(h *house) driver.Signer { return custody.NewHot(h.seed) }

// copyTree copies a directory.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := disk.CopyTree(to, from); err != nil {
		t.Fatal(err)
	}
}
