package operator

import (
	"fmt"
	"regexp"

	"bourse/internal/core"
	chains "bourse/internal/core/chain"
	"bourse/internal/network/address"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// adoption names a transaction that the exchange should bear, surplus money at an address of ours that blocks did not show.
type (
	adoption struct {
		Tx string `json:"tx"`
	}
	surplus struct {
		Asset   string       `json:"asset"`
		Amount  sheet.Number `json:"amount"`
		Address string       `json:"address"`
		Coin    string       `json:"coin"` // the output that it is, as TXID:NUMBER, where there are coins
	}
	// booked is what became of a surplus.
	booked struct {
		surplus
		Deposit uint64 `json:"deposit"` // its number; 0: a second operator has to say the same
	}
)

// output is how drivers name a coin: in another form it would not be recognized when it is spent.
var output = regexp.MustCompile("^[0-9a-f]{64}:(0|[1-9][0-9]{0,9})$")

// proposal is what an operator wants done about money that the log does not know.
func proposal(m core.View, s *chains.Standing) string {
	switch of := &s.Surplus; {
	case s.Asked == "":
		return ""
	case s.Adopt.Tx != "":
		return "adopt " + s.Adopt.Tx
	case of.Coin != "":
		return fmt.Sprintf("book %s %s at %s, output %s", of.Amount, m.Listing().Asset(of.Asset).Ticker, of.Text, of.Coin)
	default:
		return fmt.Sprintf("book %s %s at %s", of.Amount, m.Listing().Asset(of.Asset).Ticker, of.Text)
	}
}

// adopt lets the exchange bear a transaction that the log has no plan of, once a second operator asks for the same.
func (s *Server) adopt(c *call) (any, error) {
	of, err := s.chain(c)
	var asked adoption
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	return s.onChain(c, &schema.AdoptSpend{Chain: of.ID, Tx: asked.Tx})
}

// bookSurplus books what blocks did not show, once a second operator asks for the same.
func (s *Server) bookSurplus(c *call) (any, error) {
	of, err := s.chain(c)
	var asked surplus
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	asset, err := s.assetByTicker(asked.Asset)
	if err != nil {
		return nil, err
	}
	command := &schema.BookSurplus{Chain: of.ID, Asset: asset.ID, Amount: asked.Amount.Decimal, Coin: asked.Coin}
	if command.Text, err = address.Parse(of.Space(), asked.Address); err != nil {
		return nil, &Error{Status: 422, Field: "address", Message: err.Error()}
	}
	if coins := of.Family == schema.Bitcoin; coins && !output.MatchString(asked.Coin) || !coins && asked.Coin != "" {
		return nil, &Error{Status: 422, Field: "coin", Message: "an output is TXID:NUMBER, with 64 lower-case hexadecimal digits, on Bitcoin; elsewhere there is none"}
	}
	if a, theirs := s.options.Book.Find(of.Space(), command.Text, ""); theirs {
		command.Index = a.Index
	} else if own, ours := s.options.Book.Own(s.look, of.Space(), command.Text); ours {
		command.Own = own
	} else {
		return nil, &Error{Status: 422, Field: "address", Message: "it is no address of the exchange, or of one of its accounts, on this chain"}
	}
	n, err := s.do(c, command)
	if err != nil {
		return nil, err
	}
	asked.Address = command.Text
	return booked{asked, n}, nil
}
