package core

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/product"
	"bourse/internal/core/trading"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// A snapshot is the whole state of a machine in a form that does not depend on how it came to
// be: equal states have equal snapshots. It is a magic text and a version, then the lists that every
// exchange has, then the sections of products (product.Section), then the SHA-256 of all that.
// The same SHA-256 is the hash of the state.
//
// What must hold: a state that an earlier version could be in has the snapshot that the earlier
// version wrote. Nodes of two versions compare their hashes while one of them is upgraded, and old
// snapshots are opened for ever. So the lists never change, and whatever is added later is a section,
// which is left out while it is empty.
const (
	magic   = "bourse snapshot\n"
	version = 2
)

// ErrSnapshot is wrapped by every error of Restore.
var ErrSnapshot = errors.New("bad snapshot")

// head is what a machine knows beside its lists.
type head struct {
	Clock    schema.Time
	Features trading.Features
	Closed   bool // for maintenance of the platform
	Counters trading.Counters
	LastKey  schema.KeyID
	LastMove schema.TransferID
}

func (h *head) Fields(c *wire.Coder) {
	wire.Int(c, 1, "clock", &h.Clock)
	wire.Int(c, 2, "last_tick", &h.Counters.Tick)
	c.Bool(3, "step_rule", &h.Features.StepRule)
	wire.Uint(c, 4, "last_order", &h.Counters.Order)
	wire.Uint(c, 5, "last_deal", &h.Counters.Deal)
	wire.Uint(c, 6, "last_key", &h.LastKey)
	wire.Uint(c, 7, "last_transfer", &h.LastMove)
	c.Bool(8, "maintenance", &h.Closed)
	c.Bool(9, "bounded_work", &h.Features.BoundedWork)
	c.Bool(10, "exact_money", &h.Features.ExactMoney)
	wire.Uint(c, 11, "last_work", &h.Counters.Work)
	c.Bool(12, "exact_nonces", &h.Features.ExactNonces)
	c.Bool(13, "judged_keys", &h.Features.JudgedKeys)
	c.Bool(14, "two_operators", &h.Features.TwoOperators)
}

// Hash is the SHA-256 of the state.
func (m *Machine) Hash() [sha256.Size]byte {
	s := m.Snapshot()
	return [sha256.Size]byte(s[len(s)-sha256.Size:])
}

// Snapshot is the whole state.
func (m *Machine) Snapshot() []byte {
	w := &product.Writer{Bytes: append([]byte(magic), version)}
	w.Message(&head{m.clock, m.features, m.maintenance, m.trading.Counters(), m.accounts.LastKey(), m.wallets.LastTransfer})

	w.End()
	for _, a := range m.listing.Assets() {
		w.Message(a)
	}
	w.End()
	for _, info := range m.listing.Markets() {
		record := m.trading.Record(info.ID)
		w.Message(info)
		w.Message(&record)
	}
	w.End()
	for _, a := range m.accounts.All() {
		w.Message(a)
	}
	w.End()
	for _, k := range m.accounts.Keys() {
		w.Message(k)
	}
	w.End()
	for record := range m.ledger.Records() {
		w.Message(&record)
	}
	w.End()
	for record := range m.trading.Desks() {
		w.Message(&record)
	}
	w.End()
	for _, info := range m.listing.Markets() {
		for record := range m.trading.Orders(info.ID) {
			w.Message(record)
		}
		w.End()
	}
	for _, p := range m.products {
		for _, section := range p.Sections() {
			w.Section(&section)
		}
	}
	sum := sha256.Sum256(w.Bytes)
	return append(w.Bytes, sum[:]...)
}

// Restore makes a machine from a snapshot.
func Restore(data []byte) (*Machine, error) {
	body := len(data) - sha256.Size
	if body < len(magic)+1 || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it does not begin like one", ErrSnapshot)
	}
	if v := data[len(magic)]; v != version {
		return nil, fmt.Errorf("%w: it has version %d, this program reads version %d", ErrSnapshot, v, version)
	}
	if sum := sha256.Sum256(data[:body]); string(sum[:]) != string(data[body:]) {
		return nil, fmt.Errorf("%w: its SHA-256 does not fit; it was damaged or cut off", ErrSnapshot)
	}
	m := New()
	r := &product.Reader{Rest: data[len(magic)+1 : body]}
	if err := m.restore(r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	// Equal states have equal snapshots: whatever was lost or made up on the way shows here.
	if sum := m.Hash(); string(sum[:]) != string(data[body:]) {
		return nil, fmt.Errorf("%w: the state it gives has another snapshot", ErrSnapshot)
	}
	return m, nil
}

// restore reads the parts in the order in which they lean on each other: markets name assets, balances
// name accounts, desks name balances, orders name desks, and products come last. Each part goes through the
// checks that the commands which made it went through, so that a snapshot cannot bring about a state that no
// command could; then every invariant is checked, as a sum over all parts may be wrong while each of them looks right.
func (m *Machine) restore(r *product.Reader) error {
	for _, part := range []func(*product.Reader) error{
		m.restoreHead, m.restoreAssets, m.restoreMarkets, m.restoreAccounts, m.restoreKeys, m.restoreBalances, m.restoreDesks,
	} {
		if err := part(r); err != nil {
			return err
		}
	}
	for _, info := range m.listing.Markets() {
		if err := m.trading.RestoreOrders(info.ID, product.Messages[trading.OrderRecord](r)); err != nil {
			return fmt.Errorf("market %s: %w", info.Name, err)
		}
	}
	var sections []product.Section
	for _, p := range m.products {
		sections = append(sections, p.Sections()...)
	}
	if err := r.Sections(sections); err != nil {
		return err
	}
	m.trading.EnlistOrders()
	return m.Verify()
}

func (m *Machine) restoreHead(r *product.Reader) error {
	heads := 0
	for h, err := range product.Messages[head](r) {
		if err != nil {
			return err
		}
		heads++
		h.Features.Slice = m.features.Slice
		m.clock, m.features, m.maintenance = h.Clock, h.Features, h.Closed
		m.trading.SetCounters(h.Counters)
		m.accounts.SetLastKey(h.LastKey)
		m.wallets.LastTransfer = h.LastMove
	}
	if heads != 1 {
		return fmt.Errorf("it has %d heads", heads)
	}
	return nil
}

func (m *Machine) restoreAssets(r *product.Reader) error {
	for a, err := range product.Messages[schema.Asset](r) {
		if err != nil {
			return err
		}
		if refused := m.listing.RestoreAsset(*a); refused.Refused() {
			return fmt.Errorf("asset %d (%q): %s", a.ID, a.Ticker, refused.Text())
		}
	}
	return nil
}

func (m *Machine) restoreMarkets(r *product.Reader) error {
	for info, err := range product.Messages[schema.MarketInfo](r) {
		if err != nil {
			return err
		}
		if refused := m.listing.RestoreMarket(*info); refused.Refused() {
			return fmt.Errorf("market %d (%q): %s", info.ID, info.Name, refused.Text())
		}
		var record trading.MarketRecord
		if more, err := r.Next(&record); err != nil {
			return err
		} else if !more {
			return fmt.Errorf("market %s has no record", info.Name)
		}
		if err := m.trading.RestoreMarket(info.ID, &record); err != nil {
			return err
		}
		m.prices.Listed(info.ID)
		m.collateral.Listed(info.ID)
	}
	return nil
}

func (m *Machine) restoreAccounts(r *product.Reader) error {
	for a, err := range product.Messages[schema.Account](r) {
		if err != nil {
			return err
		}
		if refused := m.accounts.Restore(*a); refused.Refused() {
			return fmt.Errorf("account %d (%q): %s", a.ID, a.Name, refused.Text())
		}
	}
	return nil
}

func (m *Machine) restoreKeys(r *product.Reader) error {
	for k, err := range product.Messages[accounts.KeyRecord](r) {
		if err != nil {
			return err
		}
		if refused := m.accounts.RestoreKey(*k); refused.Refused() {
			return fmt.Errorf("key %q: %s", k.Key.Key, refused.Text())
		}
	}
	return nil
}

func (m *Machine) restoreBalances(r *product.Reader) error {
	for b, err := range product.Messages[ledger.Record](r) {
		if err != nil {
			return err
		}
		if m.accounts.Get(b.Account) == nil && b.Account.SystemName() == "" {
			return fmt.Errorf("a balance of account %d, which does not exist", b.Account)
		}
		if err := m.ledger.Restore(b); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) restoreDesks(r *product.Reader) error {
	for d, err := range product.Messages[trading.DeskRecord](r) {
		if err != nil {
			return err
		}
		if err := m.trading.RestoreDesk(d); err != nil {
			return err
		}
	}
	return nil
}
