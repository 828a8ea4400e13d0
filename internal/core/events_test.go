package core

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// kept is an event that outlives its outcome: the frequent kinds are written over by the next command.
func kept(e schema.Event) schema.Event {
	switch e := e.(type) {
	case *schema.OrderChanged:
		c := *e
		return &c
	case *schema.Deal:
		c := *e
		return &c
	case *schema.BalanceChanged:
		c := *e
		return &c
	case *schema.LevelChanged:
		c := *e
		return &c
	case *schema.PositionChanged:
		c := *e
		return &c
	}
	return e
}

// stream is a sequence of events whose order the documents fix. Between two streams they fix none.
type stream struct {
	about  string
	market schema.MarketID
}

// streamOf says to which stream an event belongs; balances and levels are of none.
//
//   - Deals and changes of orders of a market: the rules of matching, stops and ticks say which comes
//     after which. The work of a tick goes on in all markets at once, so markets are apart.
//   - Changes of a market, and its kill switches, which fire by deadline and account. Whether a market
//     is closed before its orders end, or a kill switch fires before what it cancels, no document says.
//   - Changes of the positions on a market come in the order of its deals; those of what an account owes of an asset, in
//     the order in which it gains and loses. Which of the two assets of a deal on a spot market comes first, no document says.
//   - Codes: those that a tick drops come in the order of their numbers.
//   - Chains, addresses, deposits, withdrawals, payouts and what others spent by chains: receipt by receipt, payout by payout, spend by spend, and then phase
//     by phase.
//   - Proposals come before or after what their commands set or do on chains.
//   - Invoices: those that a tick ends come in the order of their ends.
//   - Checks of addresses: those that a tick ends come in the order of their numbers.
//   - Settings, credits, transfers and what is taken from the faucet: a command makes one of them, or some of families: an account before
//     its sub-accounts, and keys before the account that ends with them.
//   - Users, and what clients of OAuth were given: one after the other. Which of a user, an account, a key and a grant changes first, no document says.
//   - What mining accounts brought in five minutes, what they earned in a day, and what was reported: row by row, the report last; in a tick, phase by phase.
//   - Events of a webhook: in the order of their causes, and confirmations last.
//   - Audit records: whether one comes before or after what the operator did, no document says.
func streamOf(e schema.Event) (s stream, is bool) {
	switch e := e.(type) {
	case *schema.OrderChanged:
		return stream{"orders", e.Order.Market}, true
	case *schema.Deal:
		return stream{"orders", e.Market}, true
	case *schema.MarketChanged:
		return stream{"market", e.Market.ID}, true
	case *schema.KillSwitchChanged:
		return stream{"kill switches", e.Timer.Market}, true
	case *schema.PositionChanged:
		return stream{"positions", e.Position.Market}, true
	case *schema.FundingSettled:
		return stream{"funding", e.Market}, true
	case *schema.LoanChanged:
		return stream{"loans of asset " + strconv.Itoa(int(e.Asset)), schema.MarketID(e.Account)}, true
	case *schema.CodeChanged:
		return stream{"codes", 0}, true
	case *schema.CheckChanged:
		return stream{"checks", 0}, true
	case *schema.ChainChanged, *schema.AddressOpened, *schema.ChainMoved, *schema.ChainDepositChanged, *schema.WithdrawalChanged, *schema.PayoutChanged, *schema.SpendAdopted:
		return stream{"chains", 0}, true
	case *schema.InvoiceChanged:
		return stream{"invoices", 0}, true
	case *schema.AuditRecord:
		return stream{"audit", 0}, true
	case *schema.UserChanged:
		return stream{"users", 0}, true
	case *schema.GrantChanged:
		return stream{"grants", 0}, true
	case *schema.MiningMeasured, *schema.RewardChanged, *schema.SharesReported:
		return stream{"mining", 0}, true
	case *schema.Notified:
		return stream{"webhook", schema.MarketID(e.Account)}, true
	case *schema.BalanceChanged, *schema.LevelChanged:
		return stream{}, false
	}
	return stream{"settings", 0}, true
}

// sameEvents compares all that a command made happen. Balances and levels are compared by what they
// are at its end: the machine has one event for a balance in each slice, the naive exchange one for
// each movement.
func (tr *trial) sameEvents(got, want []schema.Event) error {
	if err := sameStreams(got, want); err != nil {
		return err
	}
	if err := tr.sameBalances(got, want); err != nil {
		return err
	}
	return tr.sameLevels(got, want)
}

func sameStreams(got, want []schema.Event) error {
	sorted := func(events []schema.Event) map[stream][]schema.Event {
		streams := map[stream][]schema.Event{}
		for _, e := range events {
			if s, is := streamOf(e); is {
				streams[s] = append(streams[s], e)
			}
			if _, is := e.(*schema.ProposalChanged); is { // it comes before or after what its command made happen to chains
				streams[stream{"chains", 0}] = append(streams[stream{"chains", 0}], e)
			}
		}
		return streams
	}
	g, w := sorted(got), sorted(want)
	for s := range w {
		if err := sameSequence(s, g[s], w[s]); err != nil {
			return err
		}
	}
	for s := range g {
		if err := sameSequence(s, g[s], w[s]); err != nil {
			return err
		}
	}
	return nil
}

func sameSequence(s stream, got, want []schema.Event) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(want):
			return fmt.Errorf("%s of market %d: event %d is too much: %T %+v", s.about, s.market, i, got[i], got[i])
		case i >= len(got):
			return fmt.Errorf("%s of market %d: event %d is missing: %T %+v", s.about, s.market, i, want[i], want[i])
		case reflect.TypeOf(got[i]) != reflect.TypeOf(want[i]), !bytes.Equal(wire.Append(nil, got[i]), wire.Append(nil, want[i])):
			return fmt.Errorf("%s of market %d: event %d:\n got %T %+v\nwant %T %+v", s.about, s.market, i, got[i], got[i], want[i], want[i])
		}
	}
	return nil
}

// movement is why a balance moved, and for which order or deal.
type movement struct {
	cause schema.Cause
	ref   uint64
}

// sameBalances compares what the last event of each balance says. A balance that is at the end what it
// was before need not have one. Cause and reference are those of a movement that took place, or of a
// change of an order of the account: which movement was the last no document says, and an order that
// wakes up or is replaced keeps its hold until it trades, so that only the difference moves.
func (tr *trial) sameBalances(got, want []schema.Event) error {
	moved := map[balanceKey]balanceState{}
	movements := map[balanceKey]map[movement]bool{}
	changes := map[schema.AccountID]map[movement]bool{}
	for _, e := range want {
		switch e := e.(type) {
		case *schema.BalanceChanged:
			key := balanceKey{e.Account, e.Wallet, e.Asset}
			moved[key] = balanceState{e.Available, e.Frozen, e.Held}
			note(movements, key, movement{e.Cause, e.Ref})
		case *schema.OrderChanged:
			note(changes, e.Order.Account, movement{e.Cause, uint64(e.Order.ID)})
		}
	}
	last := map[balanceKey]*schema.BalanceChanged{}
	for _, e := range got {
		if e, is := e.(*schema.BalanceChanged); is {
			last[balanceKey{e.Account, e.Wallet, e.Asset}] = e
		}
	}
	for key, state := range moved {
		if last[key] == nil && state != tr.ledger[key] {
			return fmt.Errorf("no event says that balance %+v became %+v", key, state)
		}
		tr.ledger[key] = state
	}
	for key, e := range last {
		if state := (balanceState{e.Available, e.Frozen, e.Held}); state != tr.ledger[key] {
			return fmt.Errorf("balance %+v:\n got %+v\nwant %+v", key, state, tr.ledger[key])
		}
		m := movement{e.Cause, e.Ref}
		if !movements[key][m] && (key.wallet != schema.Trade || !changes[key.account][m]) {
			return fmt.Errorf("balance %+v moved by %s for %d, want one of %v or of %v", key, e.Cause, e.Ref, movements[key], changes[key.account])
		}
	}
	return nil
}

func note[K comparable](in map[K]map[movement]bool, key K, m movement) {
	if in[key] == nil {
		in[key] = map[movement]bool{}
	}
	in[key][m] = true
}

// sameLevels compares what the last event of each level says. A level that is at the end what it was
// before need not have one.
func (tr *trial) sameLevels(got, want []schema.Event) error {
	last := func(events []schema.Event) map[levelKey]fixed.Decimal {
		levels := map[levelKey]fixed.Decimal{}
		for _, e := range events {
			if e, is := e.(*schema.LevelChanged); is {
				levels[levelKey{e.Market, e.Side, e.Price}] = e.Amount
			}
		}
		return levels
	}
	seen := last(got)
	for key, amount := range last(want) {
		if _, is := seen[key]; !is && amount != tr.levels[key] {
			return fmt.Errorf("no event says that level %+v became %s", key, amount)
		}
		tr.levels[key] = amount
	}
	for key, amount := range seen {
		if amount != tr.levels[key] {
			return fmt.Errorf("level %+v: got %s, want %s", key, amount, tr.levels[key])
		}
	}
	return nil
}
