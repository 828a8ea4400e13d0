package collateral

import (
	"fmt"

	"bourse/internal/core/product"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// RiskRecord is an account with a margin call, or one that is being liquidated, as snapshots keep it.
type RiskRecord struct {
	Account schema.AccountID
	State   schema.RiskState
}

func (r *RiskRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &r.Account)
	wire.Uint(c, 2, "state", &r.State)
}

// WatchRecord is the range of a price in which an account is safe as snapshots keep it.
type WatchRecord struct {
	Account schema.AccountID
	Market  schema.MarketID // whose mark it is, or
	Asset   schema.AssetID  // whose index
	Falls   bool            // it has a lower end
	Low     fixed.Decimal
	Rises   bool // it has an upper end
	High    fixed.Decimal
	Reserve fixed.Decimal // of the account, with its first range
}

func (r *WatchRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "account", &r.Account)
	wire.Uint(c, 2, "market", &r.Market)
	wire.Uint(c, 3, "asset", &r.Asset)
	c.Bool(4, "falls", &r.Falls)
	c.Decimal(5, "low", &r.Low)
	c.Bool(6, "rises", &r.Rises)
	c.Decimal(7, "high", &r.High)
	c.Decimal(8, "reserve", &r.Reserve)
}

// AccountRecord is an account on a list: of those that are to be looked at, or that were made to owe more than they may.
type AccountRecord struct{ Account schema.AccountID }

func (r *AccountRecord) Fields(c *wire.Coder) { wire.Uint(c, 1, "account", &r.Account) }

// AssessmentRecord is how far looking at accounts has come.
type AssessmentRecord struct {
	Sweeping   reach
	From       schema.AccountID
	Turn       schema.AccountID
	Unfinished bool
	RankFrom   schema.MarketID
	Overdraft  schema.AccountID
	Overdue    bool
}

func (r *AssessmentRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "sweeping", &r.Sweeping)
	wire.Uint(c, 2, "from", &r.From)
	wire.Uint(c, 3, "turn", &r.Turn)
	c.Bool(4, "unfinished", &r.Unfinished)
	wire.Uint(c, 5, "rank_from", &r.RankFrom)
	wire.Uint(c, 6, "overdraft", &r.Overdraft)
	c.Bool(7, "overdue", &r.Overdue)
}

// RankingRecord is from which position the next ranking of a market goes on.
type RankingRecord struct {
	Market   schema.MarketID
	Position schema.PositionID
}

func (r *RankingRecord) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "market", &r.Market)
	wire.Uint(c, 2, "position", &r.Position)
}

// riskSections are what snapshots keep of risk.
func (e *Engine) riskSections() []product.Section {
	return []product.Section{
		{Tag: product.TagRisks, Name: "margin calls", Version: 1, Write: e.writeRisks, Read: e.readRisks},
		{Tag: product.TagWatches, Name: "watched prices", Version: 1, Write: e.writeWatches, Read: e.readWatches},
		{Tag: product.TagTouched, Name: "accounts to be looked at", Version: 1, Write: e.writeTouched, Read: e.readTouched},
		{Tag: product.TagAssessment, Name: "assessment", Version: 1, Write: e.writeAssessment, Read: e.readAssessment},
		{Tag: product.TagRankings, Name: "rankings", Version: 1, Write: e.writeRankings, Read: e.readRankings},
		{Tag: product.TagOverdrafts, Name: "overdrafts", Version: 1, Write: e.writeOverdrafts, Read: e.readOverdrafts},
	}
}

func (e *Engine) writeRisks(w *product.Writer) {
	for i := range e.members {
		if m := &e.members[i]; m.state != schema.RiskNone {
			w.Message(&RiskRecord{schema.FirstCustomer + schema.AccountID(i), m.state})
		}
	}
}

func (e *Engine) readRisks(r *product.Reader) error {
	last := schema.AccountID(0)
	for record, err := range product.Messages[RiskRecord](r) {
		if err != nil {
			return err
		}
		if record.Account <= last || e.accounts.Get(record.Account) == nil || record.State != schema.MarginCall && record.State != schema.Liquidation {
			return fmt.Errorf("account %d cannot be in state %d", record.Account, record.State)
		}
		last = record.Account
		if e.member(record.Account).state = record.State; record.State == schema.Liquidation {
			e.queue = append(e.queue, record.Account)
		}
	}
	return nil
}

func (e *Engine) writeWatches(w *product.Writer) {
	for i := range e.members {
		for at := e.members[i].watches; at != 0; at = e.watches.At(at).next {
			k := e.watches.At(at)
			r := WatchRecord{Account: k.account, Falls: k.lowAt != 0, Rises: k.highAt != 0}
			if at == e.members[i].watches {
				r.Reserve = e.members[i].reserve
			}
			if k.price > 0 {
				r.Market = schema.MarketID(k.price)
			} else {
				r.Asset = schema.AssetID(-k.price)
			}
			if r.Falls {
				r.Low = k.low
			}
			if r.Rises {
				r.High = k.high
			}
			w.Message(&r)
		}
	}
}

// readWatches brings ranges back, each behind the one before.
func (e *Engine) readWatches(r *product.Reader) error {
	last := schema.AccountID(0)
	var link *uint32
	for record, err := range product.Messages[WatchRecord](r) {
		if err != nil {
			return err
		}
		price := markOf(record.Market)
		if record.Market == 0 {
			price = indexOf(record.Asset)
		}
		if record.Account < last || e.accounts.Get(record.Account) == nil || (record.Market == 0) == (record.Asset == 0) ||
			record.Market != 0 && e.listing.Market(record.Market) == nil || record.Asset != 0 && e.listing.Asset(record.Asset) == nil {
			return fmt.Errorf("account %d cannot depend on market %d or asset %d", record.Account, record.Market, record.Asset)
		}
		if record.Account != last {
			m := e.member(record.Account)
			m.reserve = record.Reserve
			last, link = record.Account, &m.watches
		} else if before := e.watches.At(*link); !before.price.before(price) {
			return fmt.Errorf("account %d depends on a price twice", record.Account)
		} else {
			link = &before.next
		}
		at, k := e.watches.Take()
		*link = at
		k.account, k.price, k.low, k.high = record.Account, price, record.Low, record.High
		heaps := e.watched(price)
		if record.Falls {
			heaps.lows.put(&e.watches, at)
		}
		if record.Rises {
			heaps.highs.put(&e.watches, at)
		}
	}
	return nil
}

func (e *Engine) writeTouched(w *product.Writer) {
	for _, account := range e.touched {
		w.Message(&AccountRecord{account})
	}
}

func (e *Engine) readTouched(r *product.Reader) error {
	for record, err := range product.Messages[AccountRecord](r) {
		if err != nil {
			return err
		}
		if e.accounts.Get(record.Account) == nil || e.member(record.Account).touched {
			return fmt.Errorf("account %d is not there, or stands there twice", record.Account)
		}
		e.touch(record.Account, e.member(record.Account))
	}
	return nil
}

func (e *Engine) writeAssessment(w *product.Writer) {
	if r := (AssessmentRecord{e.sweeping, e.from, e.turn, e.unfinished, e.rankFrom, e.overdraft, e.overdue}); r != (AssessmentRecord{}) {
		w.Message(&r)
	}
}

func (e *Engine) readAssessment(r *product.Reader) error {
	for record, err := range product.Messages[AssessmentRecord](r) {
		if err != nil {
			return err
		}
		if record.Sweeping > everybody|indebted|called || (record.Sweeping == 0) != (record.From == 0) {
			return fmt.Errorf("accounts %d are looked at from %d", record.Sweeping, record.From)
		}
		e.sweeping, e.from, e.turn = record.Sweeping, record.From, record.Turn
		e.unfinished, e.rankFrom = record.Unfinished, record.RankFrom
		e.overdraft, e.overdue = record.Overdraft, record.Overdue
	}
	return nil
}

func (e *Engine) writeRankings(w *product.Writer) {
	for i := range e.markets {
		if f := &e.markets[i]; f.ranked != 0 {
			w.Message(&RankingRecord{f.info.ID, f.ranked})
		}
	}
}

func (e *Engine) readRankings(r *product.Reader) error {
	for record, err := range product.Messages[RankingRecord](r) {
		if err != nil {
			return err
		}
		if e.listing.Market(record.Market) == nil || record.Position == 0 {
			return fmt.Errorf("market %d cannot be ranked from position %d", record.Market, record.Position)
		}
		e.market(record.Market).ranked = record.Position
	}
	return nil
}

func (e *Engine) writeOverdrafts(w *product.Writer) {
	for _, account := range e.overdrawn {
		w.Message(&AccountRecord{account})
	}
}

func (e *Engine) readOverdrafts(r *product.Reader) error {
	for record, err := range product.Messages[AccountRecord](r) {
		if err != nil {
			return err
		}
		if n := len(e.overdrawn); e.accounts.Get(record.Account) == nil || n != 0 && e.overdrawn[n-1] >= record.Account {
			return fmt.Errorf("account %d is not there, or stands in the wrong place", record.Account)
		}
		e.member(record.Account).overdrawn = true
		e.overdrawn = append(e.overdrawn, record.Account)
	}
	return nil
}
