package operator

import (
	"fmt"

	"bourse/internal/core"
	"bourse/internal/core/wallet"
	"bourse/internal/fixed"
	"bourse/internal/network/address"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// askedPayment is money to be sent on a sandbox: to an address, or to that of an account.
type askedPayment struct {
	Asset   string       `json:"asset"`
	Amount  sheet.Number `json:"amount"`
	Address string       `json:"address"`
	Memo    string       `json:"memo"`
	Account string       `json:"account"`
}

// payment is money that was sent and waits for a block.
type payment struct {
	Chain   string       `json:"chain"`
	Receipt string       `json:"receipt"` // its id on the chain
	Asset   string       `json:"asset"`
	Amount  sheet.Number `json:"amount"`
	Address string       `json:"address"`
	Memo    string       `json:"memo"`
	Account string       `json:"account"` // whose address it is; "": nobody's
}

// receiver is an address as it is written. Its number is 0 where nobody has it.
type receiver struct {
	schema.Address
	text, memo string
}

// send sends money out of nowhere on the sandbox in the path.
func (s *Server) send(c *call) (any, error) {
	on, err := s.chain(c)
	var asked askedPayment
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	asset, err := s.assetByTicker(asked.Asset)
	if err == nil {
		err = payable(&on, &asset, asked.Amount.Decimal)
	}
	var to receiver
	switch {
	case err != nil:
	case (asked.Address == "") == (asked.Account == ""):
		err = &Error{Status: 422, Field: "address", Message: "money is sent to an address, or to an account: name one of them"}
	case asked.Account != "" && asked.Memo != "":
		err = &Error{Status: 422, Field: "memo", Message: "the memo of an account is known: leave it out"}
	case asked.Account != "":
		to, err = s.addressOf(c, &on, asked.Account)
	default:
		to, err = s.written(&on, asked.Address, asked.Memo)
	}
	if err != nil {
		return nil, err
	}
	return s.pay(c, &on, &asset, asked.Amount, to)
}

// faucet sends money to the account in the path, by the sandbox by which the asset usually comes.
func (s *Server) faucet(c *call) (any, error) {
	account, asset, m, err := s.movement(c)
	if err == nil {
		err = m.plain()
	}
	if err != nil {
		return nil, err
	}
	var on schema.Chain
	s.look(func(v core.View) {
		if n := v.Chains().SandboxOf(&asset); n != nil {
			on = *v.Chains().Get(n.Chain)
		}
	})
	if on.ID == 0 {
		return nil, &Error{Status: 422, Field: "asset", Message: fmt.Sprintf("%s comes by no sandbox; a deposit brings it without one", asset.Ticker)}
	}
	if err := payable(&on, &asset, m.Amount.Decimal); err != nil {
		return nil, err
	}
	to, err := s.addressOf(c, &on, account.Name)
	if err != nil {
		return nil, err
	}
	return s.pay(c, &on, &asset, m.Amount, to)
}

// payable refuses what the core would refuse as a block that cannot be.
func payable(on *schema.Chain, asset *schema.Asset, amount fixed.Decimal) error {
	switch r := wallet.CheckAmount(amount, asset.Scale); {
	case r.Refused():
		return refusal(r)
	case asset.Class != schema.Crypto:
		return &Error{Status: 422, Field: "asset", Message: asset.Ticker + " is no crypto asset: it comes by no chain"}
	case on.Driver != schema.Sandbox: // before an address is opened for it
		return refusal(schema.Refuse(schema.ChainNotSandbox))
	}
	return nil
}

// addressOf is the address of an account, which gets one if it has none.
func (s *Server) addressOf(c *call, on *schema.Chain, name string) (to receiver, err error) {
	account, err := s.accountByName(name)
	if err != nil {
		return to, &Error{Status: 422, Field: "account", Message: err.Error()}
	}
	var has bool
	s.look(func(m core.View) { to.Address, has = m.Chains().First(account.ID, on.Space(), 0) })
	if !has {
		result, err := s.submit(c, &schema.OpenAddress{Account: account.ID, Chain: on.ID})
		if err != nil {
			return to, err
		}
		to.Address = *result.Address
	}
	var is bool
	if to.text, to.memo, is = s.options.Book.Text(&to.Address); !is {
		return to, &Error{Status: 422, Field: "chain", Message: "its addresses cannot be written: a chain that is no sandbox shares them"}
	}
	return to, nil
}

// written is where an address and a memo lead. One that nobody has can be paid to all the same, as it happens on every chain.
func (s *Server) written(on *schema.Chain, text, memo string) (to receiver, err error) {
	if to.text, err = address.Parse(on.Space(), text); err != nil {
		return to, &Error{Status: 422, Field: "address", Message: err.Error()}
	}
	if to.memo, err = address.ParseMemo(on.Family, memo); err != nil {
		return to, &Error{Status: 422, Field: "memo", Message: err.Error()}
	}
	to.Address, _ = s.options.Book.Find(on.Space(), to.text, to.memo)
	return to, nil
}

// pay lets a payment wait for a block of a sandbox.
func (s *Server) pay(c *call, on *schema.Chain, asset *schema.Asset, amount sheet.Number, to receiver) (any, error) {
	n, err := s.do(c, &schema.PaySandbox{Chain: on.ID, Receipt: schema.Receipt{
		Asset: asset.ID, Amount: amount.Decimal, Index: to.Index, Text: to.text, Memo: to.memo,
	}})
	if err != nil {
		return nil, err
	}
	sent := payment{Chain: on.Name, Receipt: schema.SandboxReceipt(on.Name, n), Asset: asset.Ticker, Amount: amount, Address: to.text, Memo: to.memo}
	s.look(func(m core.View) { sent.Account = nameOf(m, to.Account) })
	return sent, nil
}

// nameOf is the name of an account, also of one of the exchange itself, "" if it is none.
func nameOf(m core.View, id schema.AccountID) string {
	if a := m.Accounts().Get(id); a != nil {
		return a.Name
	}
	return id.SystemName()
}
