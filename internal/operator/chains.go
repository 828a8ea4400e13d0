package operator

import (
	"encoding/hex"
	"fmt"

	"bourse/internal/core"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// chain is a chain as operators see it: its settings, and where it stands.
type chain struct {
	sheet.Chain
	Height   uint64    `json:"height"` // of the last block that was taken
	Hash     string    `json:"hash"`
	Busy     bool      `json:"busy"`     // the last blocks are still worked on
	Halted   bool      `json:"halted"`   // it was rewound deeper than the exchange remembers, or something was spent that nobody planned
	Resuming string    `json:"resuming"` // the first operator who wants a halted chain to go on
	Asked    string    `json:"asked"`    // the first operator who wants a spend adopted or a surplus booked
	Proposal string    `json:"proposal"` // what that operator wants
	Adopted  []string  `json:"adopted"`  // transactions that were adopted, until they are too deep to be rewound
	Waiting  int       `json:"waiting"`  // payments that wait for a block of a sandbox
	Bookings []booking `json:"bookings"`
}

// booking is what the exchange has of an asset on a chain.
type booking struct {
	Asset      string       `json:"asset"`
	Coins      sheet.Number `json:"coins"`      // what blocks paid to addresses of the exchange, less what they paid out
	Cold       sheet.Number `json:"cold"`       // what of that is in cold storage
	Wanted     sheet.Number `json:"wanted"`     // what should come back from there
	Booked     sheet.Number `json:"booked"`     // what custody owes
	Difference sheet.Number `json:"difference"` // deposits that are not booked yet, less withdrawals that are in blocks and not booked, and deposits that are booked and in no block any more
}

func chainOf(m core.View, settings *schema.Chain) chain {
	height, hash := m.Chains().Cursor(settings.ID)
	standing := m.Chains().Standing(settings.ID)
	now := chain{
		Chain: sheet.ChainOf(settings), Height: height, Hash: hex.EncodeToString(hash[:]),
		Busy: standing.Busy, Halted: standing.Halted, Resuming: standing.Resuming, Waiting: standing.Queued, Bookings: []booking{},
		Asked: standing.Asked, Proposal: proposal(m, &standing), Adopted: append([]string{}, m.Chains().Adopted(settings.ID)...),
	}
	for _, b := range m.Chains().Bookings(settings.ID) {
		now.Bookings = append(now.Bookings, booking{
			m.Listing().Asset(b.Asset).Ticker,
			sheet.Number{Decimal: b.Coins},
			sheet.Number{Decimal: b.Cold},
			sheet.Number{Decimal: b.Wanted},
			sheet.Number{Decimal: b.Booked},
			sheet.Number{Decimal: b.Coins.Sub(b.Booked)},
		})
	}
	return now
}

// chain is the chain in the path.
func (s *Server) chain(c *call) (schema.Chain, error) { return s.chainByName(c.PathValue("chain")) }

func (s *Server) chainByName(name string) (found schema.Chain, err error) {
	s.look(func(m core.View) {
		if settings := m.Chains().ByName(name); settings != nil {
			found = *settings
		}
	})
	if found.ID == 0 {
		return found, missing("chain", name)
	}
	return found, nil
}

func (s *Server) listChains(*call) (any, error) {
	list := []chain{}
	s.look(func(m core.View) {
		for _, settings := range m.Chains().All() {
			list = append(list, chainOf(m, &settings))
		}
	})
	return list, nil
}

func (s *Server) showChain(c *call) (any, error) {
	settings, err := s.chain(c)
	if err != nil {
		return nil, err
	}
	var now chain
	s.look(func(m core.View) { now = chainOf(m, m.Chains().Get(settings.ID)) })
	return now, nil
}

// addChain names a chain, or replaces all settings of one that can change.
func (s *Server) addChain(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	settings := sheet.Chain{Name: c.PathValue("chain"), Driver: schema.Sandbox.String()}
	if _, err := s.chain(c); err == nil && c.onlyNew() {
		return nil, exists("chain", settings.Name)
	}
	return s.setChain(c, &settings)
}

func (s *Server) changeChain(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	of, err := s.chain(c)
	if err != nil {
		return nil, err
	}
	settings := sheet.ChainOf(&of)
	return s.setChain(c, &settings)
}

func (s *Server) setChain(c *call, settings *sheet.Chain) (any, error) {
	if err := c.read(settings); err != nil {
		return nil, err
	}
	if settings.Name != c.PathValue("chain") {
		return nil, &Error{Status: 422, Field: "name", Message: "the name in the path is another one"}
	}
	command, err := settings.Command()
	if err != nil {
		return nil, invalid(err)
	}
	if of, err := s.chain(c); err == nil && (of.Driver != command.Chain.Driver || of.Space() != command.Chain.Space()) {
		return nil, invalid(fmt.Errorf("chain %s: driver, family and net of a chain never change", of.Name))
	}
	return s.onChain(c, command)
}

// onChain does something to the chain in the path and shows it.
func (s *Server) onChain(c *call, command schema.Command) (any, error) {
	if _, err := s.do(c, command); err != nil {
		return nil, err
	}
	return s.showChain(c)
}

// mining and reorganisation are what the acts on blocks of a sandbox ask for.
type (
	mining struct {
		Blocks uint32 `json:"blocks"`
	}
	reorganisation struct {
		Depth   uint32 `json:"depth"`
		Drop    string `json:"drop"` // the receipt that does not come again
		DropAll bool   `json:"drop_all"`
	}
)

// mine makes blocks of a sandbox.
func (s *Server) mine(c *call) (any, error) {
	of, err := s.chain(c)
	asked := mining{Blocks: 1}
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	return s.onChain(c, &schema.MineSandbox{Chain: of.ID, Blocks: asked.Blocks})
}

// reorganise replaces the last blocks of a sandbox.
func (s *Server) reorganise(c *call) (any, error) {
	of, err := s.chain(c)
	var asked reorganisation
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	return s.onChain(c, &schema.ReorgSandbox{Chain: of.ID, Depth: asked.Depth, Drop: asked.Drop, DropAll: asked.DropAll})
}

// resumption is from where a halted chain should go on, and refill what should come back from cold storage.
type (
	resumption struct {
		Height uint64 `json:"height"`
		Hash   string `json:"hash"` // in hexadecimal digits
	}
	refill struct {
		Asset  string       `json:"asset"`
		Amount sheet.Number `json:"amount"`
	}
)

// resume lets a halted chain go on, once a second operator asks for the same.
func (s *Server) resume(c *call) (any, error) {
	of, err := s.chain(c)
	var asked resumption
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	command := &schema.ResumeChain{Chain: of.ID, Height: asked.Height}
	hash, err := hex.DecodeString(asked.Hash)
	if err != nil || len(hash) != len(command.Hash) {
		return nil, &Error{Status: 422, Field: "hash", Message: "the hash of a block has 64 hexadecimal digits"}
	}
	copy(command.Hash[:], hash)
	return s.onChain(c, command)
}

// refill asks for money from cold storage.
func (s *Server) refill(c *call) (any, error) {
	of, err := s.chain(c)
	var asked refill
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	command := &schema.RefillHot{Chain: of.ID, Amount: asked.Amount.Decimal}
	s.look(func(m core.View) {
		if a := m.Listing().AssetByTicker(asked.Asset); a != nil {
			command.Asset = a.ID
		}
	})
	return s.onChain(c, command)
}
