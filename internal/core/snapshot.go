package core

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"bourse/internal/core/accounts"
	"bourse/internal/core/ledger"
	"bourse/internal/core/trading"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// A snapshot is the whole state of a machine in a form that does not depend on how it came to
// be: equal states have equal snapshots. It is a magic text and a version, then lists of
// messages, each message after its size plus one and each list before a zero, then the SHA-256
// of all that. The same SHA-256 is the hash of the state.
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
}

// Hash is the SHA-256 of the state.
func (m *Machine) Hash() [sha256.Size]byte {
	s := m.Snapshot()
	return [sha256.Size]byte(s[len(s)-sha256.Size:])
}

// Snapshot is the whole state.
func (m *Machine) Snapshot() []byte {
	w := &writer{buf: append([]byte(magic), version)}
	w.message(&head{m.clock, m.features, m.maintenance, m.trading.Counters(), m.accounts.LastKey(), m.wallets.LastTransfer})

	w.end()
	for _, a := range m.listing.Assets() {
		w.message(a)
	}
	w.end()
	for _, info := range m.listing.Markets() {
		record := m.trading.Market(info.ID)
		w.message(info)
		w.message(&record)
	}
	w.end()
	for _, a := range m.accounts.All() {
		w.message(a)
	}
	w.end()
	for _, k := range m.accounts.Keys() {
		w.message(k)
	}
	w.end()
	for record := range m.ledger.Records() {
		w.message(&record)
	}
	w.end()
	for record := range m.trading.Desks() {
		w.message(&record)
	}
	w.end()
	for _, info := range m.listing.Markets() {
		for record := range m.trading.Orders(info.ID) {
			w.message(record)
		}
		w.end()
	}
	// The last list is left out when it is empty: most snapshots are taken between two pieces of work.
	works := 0
	for record := range m.trading.Works() {
		w.message(record)
		works++
	}
	if works > 0 {
		w.end()
	}
	sum := sha256.Sum256(w.buf)
	return append(w.buf, sum[:]...)
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
	r := &reader{rest: data[len(magic)+1 : body]}
	if err := m.restore(r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	// Equal states have equal snapshots: whatever was lost or made up on the way shows here.
	if sum := m.Hash(); string(sum[:]) != string(data[body:]) {
		return nil, fmt.Errorf("%w: the state it gives has another snapshot", ErrSnapshot)
	}
	return m, nil
}

func (m *Machine) restore(r *reader) error {
	for _, part := range []func(*reader) error{
		m.restoreHead, m.restoreAssets, m.restoreMarkets, m.restoreAccounts, m.restoreKeys, m.restoreBalances, m.restoreDesks,
	} {
		if err := part(r); err != nil {
			return err
		}
	}
	for _, info := range m.listing.Markets() {
		if err := m.trading.RestoreOrders(info.ID, messages[trading.OrderRecord](r)); err != nil {
			return fmt.Errorf("market %s: %w", info.Name, err)
		}
	}
	if len(r.rest) != 0 {
		if err := m.restoreWorks(r); err != nil {
			return err
		}
	}
	m.trading.EnlistOrders()
	if len(r.rest) != 0 {
		return fmt.Errorf("%d bytes are left over", len(r.rest))
	}
	return m.Verify()
}

func (m *Machine) restoreHead(r *reader) error {
	heads := 0
	for h, err := range messages[head](r) {
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

func (m *Machine) restoreAssets(r *reader) error {
	for a, err := range messages[schema.Asset](r) {
		if err != nil {
			return err
		}
		if refused := m.listing.RestoreAsset(*a); refused.Refused() {
			return fmt.Errorf("asset %d (%q): %s", a.ID, a.Ticker, refused.Text())
		}
	}
	return nil
}

func (m *Machine) restoreMarkets(r *reader) error {
	for info, err := range messages[schema.MarketInfo](r) {
		if err != nil {
			return err
		}
		if refused := m.listing.RestoreMarket(*info); refused.Refused() {
			return fmt.Errorf("market %d (%q): %s", info.ID, info.Name, refused.Text())
		}
		var record trading.MarketRecord
		if more, err := r.next(&record); err != nil {
			return err
		} else if !more {
			return fmt.Errorf("market %s has no record", info.Name)
		}
		if err := m.trading.RestoreMarket(info.ID, &record); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) restoreAccounts(r *reader) error {
	for a, err := range messages[schema.Account](r) {
		if err != nil {
			return err
		}
		if refused := m.accounts.Restore(*a); refused.Refused() {
			return fmt.Errorf("account %d (%q): %s", a.ID, a.Name, refused.Text())
		}
	}
	return nil
}

func (m *Machine) restoreKeys(r *reader) error {
	for k, err := range messages[accounts.KeyRecord](r) {
		if err != nil {
			return err
		}
		if refused := m.accounts.RestoreKey(*k); refused.Refused() {
			return fmt.Errorf("key %q: %s", k.Key.Key, refused.Text())
		}
	}
	return nil
}

func (m *Machine) restoreBalances(r *reader) error {
	for b, err := range messages[ledger.Record](r) {
		if err != nil {
			return err
		}
		if m.accounts.Get(b.Account) == nil && b.Account > schema.House {
			return fmt.Errorf("a balance of account %d, which does not exist", b.Account)
		}
		if err := m.ledger.Restore(b); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) restoreDesks(r *reader) error {
	for d, err := range messages[trading.DeskRecord](r) {
		if err != nil {
			return err
		}
		if err := m.trading.RestoreDesk(d); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) restoreWorks(r *reader) error {
	if r.rest[0] == 0 {
		return fmt.Errorf("%d bytes are left over", len(r.rest)) // an empty list of works is left out
	}
	for w, err := range messages[trading.WorkRecord](r) {
		if err != nil {
			return err
		}
		if err := m.trading.RestoreWork(w); err != nil {
			return fmt.Errorf("work %d: %w", w.ID, err)
		}
	}
	return nil
}

// writer puts a snapshot together.
type writer struct {
	buf   []byte
	coder wire.Coder
	body  []byte // of the message being written, kept for its memory
}

// message writes a message after its size plus one.
func (w *writer) message(m wire.Message) {
	w.body = w.coder.AppendTo(w.body[:0], m)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(w.body)+1))
	w.buf = append(w.buf, w.body...)
}

// end writes the zero that ends a list.
func (w *writer) end() { w.buf = append(w.buf, 0) }

// reader takes a snapshot apart.
type reader struct{ rest []byte }

// next reads a message; it is false at the end of the list.
func (r *reader) next(m wire.Message) (bool, error) {
	size, n := binary.Uvarint(r.rest)
	if n <= 0 || size > uint64(len(r.rest)-n)+1 {
		return false, errors.New("a message is cut off")
	}
	r.rest = r.rest[n:]
	if size == 0 {
		return false, nil
	}
	body := r.rest[:size-1]
	r.rest = r.rest[size-1:]
	return true, wire.Decode(body, m)
}

// messages goes through a list. The message is valid until the next one.
func messages[T any, M interface {
	*T
	wire.Message
}](r *reader) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var m, zero T
		for {
			m = zero
			more, err := r.next(M(&m))
			if err == nil && !more || !yield(&m, err) || err != nil {
				return
			}
		}
	}
}
