package operator

import (
	"encoding/hex"
	"fmt"
	"iter"
	"net/http"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
	"bourse/internal/sheet"
)

// departure is a withdrawal by a chain, as operators see it.
type departure struct {
	ID            schema.WithdrawalID `json:"id"`
	Chain         string              `json:"chain"`
	Account       string              `json:"account"`
	Asset         string              `json:"asset"`
	Amount        sheet.Number        `json:"amount"` // what the receiver gets
	Fee           sheet.Number        `json:"fee"`
	Status        string              `json:"status"`
	Needed        uint8               `json:"needed"`        // how many operators must still approve it
	Approver      string              `json:"approver"`      // the operator who did already, where two are needed
	Signed        []string            `json:"signed"`        // the operators whose signatures are kept for the signer, the oldest first
	Lacks         string              `json:"lacks"`         // which signatures the signer of this node wants before it is paid; "": it did not say so
	Height        uint64              `json:"height"`        // of its block; 0: it is in none
	Confirmations uint64              `json:"confirmations"` // 1 in the last block
	Created       time.Time           `json:"created"`
	Changed       time.Time           `json:"changed"`
	To            string              `json:"to"` // the account that gets it; "": it leaves the exchange
	Address       string              `json:"address"`
	Memo          string              `json:"memo"`
	Unique        string              `json:"unique"` // what the client calls it
	Tx            string              `json:"tx"`
	Payout        schema.PayoutID     `json:"payout"` // that pays it; 0: none, or it needs none
	Refund        schema.DepositID    `json:"refund"` // the deposit that it gives back; 0: it is the account's money
}

func departureOf(m core.View, w *schema.Withdrawal) departure {
	signed := []string{}
	for _, s := range m.Chains().Signatures(w.ID) {
		signed = append(signed, s.Operator)
	}
	return departure{
		ID: w.ID, Chain: m.Chains().Get(w.Chain).Name, Account: nameOf(m, w.Account), Asset: m.Listing().Asset(w.Asset).Ticker,
		Amount: sheet.Number{Decimal: w.Amount}, Fee: sheet.Number{Decimal: w.Fee}, Status: w.Status.String(), Needed: w.Needed, Approver: w.Approver, Signed: signed,
		Height: w.Height, Confirmations: depth(m, w.Chain, w.Height), Created: moment(w.Created), Changed: moment(w.Changed),
		To: nameOf(m, w.To), Address: w.Address, Memo: w.Memo, Unique: w.Unique, Tx: w.Tx, Payout: w.Payout, Refund: w.Refund,
	}
}

// departures are the withdrawals by chains that are not forgotten: they are under way, or their block may still be rewound.
var departures = traffic[schema.Withdrawal, schema.WithdrawalStatus, departure]{
	status: sheet.ParseWithdrawalStatus,
	all:    func(m core.View, on schema.ChainID) iter.Seq[*schema.Withdrawal] { return m.Chains().Withdrawals(on) },
	about: func(w *schema.Withdrawal) (uint64, schema.AccountID, schema.WithdrawalStatus) {
		return uint64(w.ID), w.Account, w.Status
	},
	show: departureOf,
}

func (s *Server) listDepartures(c *call) (any, error) {
	list, err := departures.list(s, c)
	for i := range list {
		if list[i].Status == schema.WithdrawalQueued.String() {
			list[i].Lacks = s.options.Lacks(list[i].ID)
		}
	}
	return list, err
}

// departure is the withdrawal in the path.
func (s *Server) departure(c *call) (schema.Withdrawal, error) {
	return numbered(s, c, "withdrawal", func(m core.View, id uint64) (schema.Withdrawal, bool) {
		return m.Chains().Withdrawal(schema.WithdrawalID(id))
	})
}

// showApproval answers with what an operator's key signs about the withdrawal in the path.
func (s *Server) showApproval(c *call) (any, error) {
	w, err := s.departure(c)
	if err != nil {
		return nil, err
	}
	var chain schema.Chain
	var keys schema.Keys
	var known bool
	var asset, contract string
	s.look(func(m core.View) {
		chain = *m.Chains().Get(w.Chain)
		keys, known = m.Chains().Keys(chain.Space(), false)
		a := m.Listing().Asset(w.Asset)
		asset = a.Ticker
		if n := a.NetworkOn(w.Chain); n != nil {
			contract = n.Contract
		}
	})
	if !known {
		return nil, &Error{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("chain %s has no keys: what leaves by it is not signed", chain.Name)}
	}
	return custody.NewApproval(&chain, keys.Print, asset, contract, &driver.Paid{ID: w.ID, Address: w.Address, Memo: w.Memo, Amount: w.Amount}), nil
}

// verdict is what is to become of a withdrawal.
type verdict struct {
	Decision  string `json:"decision"`  // approve, cancel, freeze, release or sign
	Signature string `json:"signature"` // by the operator's key, in hexadecimal digits; sign must have one, approve may
}

// judged is what became of a withdrawal.
type judged struct {
	decided
	Needed uint8 `json:"needed"` // how many operators must still approve it
}

// judge decides about the withdrawal in the path.
func (s *Server) judge(c *call) (any, error) {
	w, err := s.departure(c)
	var asked verdict
	if err == nil {
		err = c.read(&asked)
	}
	if err != nil {
		return nil, err
	}
	command := schema.DecideWithdrawal{Withdrawal: w.ID}
	if command.Decision, err = sheet.ParseVerdict(asked.Decision); err != nil {
		return nil, &Error{Status: 422, Field: "decision", Message: err.Error()}
	}
	if command.Signature, err = hex.DecodeString(asked.Signature); err != nil {
		return nil, &Error{Status: http.StatusUnprocessableEntity, Field: "signature", Message: "a signature is written in hexadecimal digits"}
	}
	if _, err := s.do(c, &command); err != nil {
		return nil, err
	}
	now := judged{decided: s.decided(uint64(w.ID), asked.Decision, w.Account, w.Asset, w.Amount)}
	s.look(func(m core.View) {
		left, _ := m.Chains().Withdrawal(w.ID)
		now.Needed = left.Needed
	})
	return now, nil
}
