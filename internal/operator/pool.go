package operator

import (
	"fmt"
	"math"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// pool is the mining pool as operators see it.
type pool struct {
	sheet.Pool
	Rate    sheet.Number `json:"rate"`    // what a block is worth
	Fund    sheet.Number `json:"fund"`    // what miners can be paid from
	Rewards int          `json:"rewards"` // how many are not paid
	Pending sheet.Number `json:"pending"` // their sum
	// Day is the latest that was closed, Worth the sum of its rewards, and Short since when the fund is too small for a day like that.
	Day     *time.Time   `json:"day"`
	Worth   sheet.Number `json:"worth"`
	Short   *time.Time   `json:"short"`
	Unlucky int          `json:"unlucky"` // mining accounts
	Blocks  []block      `json:"blocks"`  // the last that were found, the newest first
}

// block is a block that the pool found.
type block struct {
	Height  uint64    `json:"height"`
	Hash    string    `json:"hash"`
	Account string    `json:"account"` // the mining account
	Worker  string    `json:"worker"`
	Found   time.Time `json:"found"`
}

func poolTerms(m core.View) sheet.Pool {
	t, _ := m.Mining().Terms()
	return sheet.PoolOf(t, func(id schema.AssetID) string { return m.Listing().Asset(id).Ticker }, m.Chains())
}

func (s *Server) showPool(*call) (any, error) {
	shown := pool{Blocks: []block{}}
	s.look(func(m core.View) {
		shown.Pool = poolTerms(m)
		t, rate := m.Mining().Terms()
		shown.Rate.Decimal = rate
		shown.Fund.Decimal, _, _ = m.Balance(schema.Pool, schema.Main, t.Asset)
		shown.Rewards, shown.Pending.Decimal = m.Mining().Pending()
		health := m.Mining().Health()
		shown.Day, shown.Worth.Decimal, shown.Short, shown.Unlucky = momentOrNull(health.Day), health.Worth, momentOrNull(health.Short), health.Unlucky
		for _, b := range m.Mining().Blocks() {
			a, _ := m.Mining().Account(b.Mining)
			shown.Blocks = append(shown.Blocks, block{b.Height, displayed(b.Hash), a.Name, b.Worker, moment(b.Time)})
		}
	})
	return shown, nil
}

// displayed is the hash of a block as people write it: the last byte first.
func displayed(hash schema.Digest) string {
	text := ""
	for _, b := range hash {
		text = fmt.Sprintf("%02x", b) + text
	}
	return text
}

// setPool changes the terms of the mining pool; what is not named stays.
func (s *Server) setPool(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	var terms sheet.Pool
	s.look(func(m core.View) { terms = poolTerms(m) })
	if err := c.read(&terms); err != nil {
		return nil, err
	}
	var command *schema.SetPool
	var err error
	s.look(func(m core.View) { command, err = terms.Command(m.Listing(), m.Chains()) })
	if err != nil {
		return nil, invalid(err)
	}
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showPool(c)
}

// poolRate is what a block is worth to the pool.
type poolRate struct {
	Rate sheet.Number `json:"rate"`
}

func (s *Server) setPoolRate(c *call) (any, error) {
	var asked poolRate
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	if _, err := s.do(c, &schema.SetPoolRate{Rate: asked.Rate.Decimal}); err != nil {
		return nil, err
	}
	return s.showPool(c)
}

// miningAccount is an account that miners work for, as operators see it.
type miningAccount struct {
	ID       schema.MiningID `json:"id"`
	Name     string          `json:"name"`
	Account  string          `json:"account"`
	Referral string          `json:"referral"`
	Barred   bool            `json:"barred"`
	Address  string          `json:"address"` // that it is paid to; empty: the main wallet
	Since    *time.Time      `json:"since"`   // from when on the address counts
	Created  time.Time       `json:"created"`
	// Expected is how many blocks its work should have found, on average, and Unlucky whether it found far fewer.
	Expected sheet.Number `json:"expected"`
	Found    uint32       `json:"found"`
	Unlucky  bool         `json:"unlucky"`
}

func miningOf(m core.View, a *schema.MiningAccount) miningAccount {
	luck := m.Mining().Luck(a.ID)
	expected := fixed.FromUnits(int64(min(luck.Expected, math.MaxInt64)), 6)
	return miningAccount{
		a.ID, a.Name, m.Accounts().Get(a.Account).Name, a.Referral, a.Barred, a.Address, momentOrNull(a.Since), moment(a.Created),
		sheet.Number{Decimal: expected},
		luck.Found, luck.Low(),
	}
}

// listMinings lists mining accounts, by number.
func (s *Server) listMinings(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []miningAccount{}
	s.look(func(m core.View) {
		for i := range limit {
			a, known := m.Mining().Account(schema.MiningID(offset + i + 1)) // numbers begin with 1, and none is ever gone
			if !known {
				break
			}
			list = append(list, miningOf(m, &a))
		}
	})
	return list, nil
}

// barMining stops a mining account from earning, unbarMining lets it go on.
func (s *Server) barMining(c *call) (any, error)   { return s.bar(c, true) }
func (s *Server) unbarMining(c *call) (any, error) { return s.bar(c, false) }

func (s *Server) bar(c *call, barred bool) (any, error) {
	name := c.PathValue("mining")
	var found schema.MiningAccount
	known := false
	s.look(func(m core.View) { found, known = m.Mining().Named(name) })
	if !known {
		return nil, missing("mining account", name)
	}
	if _, err := s.do(c, &schema.BarMining{Mining: found.ID, Barred: barred}); err != nil {
		return nil, err
	}
	var shown miningAccount
	s.look(func(m core.View) {
		found, _ = m.Mining().Account(found.ID)
		shown = miningOf(m, &found)
	})
	return shown, nil
}
