package webhook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"bourse/internal/auth"
	"bourse/internal/schema"
	"bourse/internal/seal"
	"bourse/internal/uuid"
)

// Methods of payments and statuses of records, as clients number them.
const (
	depositMethod  = 1
	withdrawMethod = 2
	insideStatus   = 7
)

var depositStatuses = map[schema.DepositStatus]int{
	schema.DepositConfirming: 15, schema.DepositHeld: 15, schema.DepositCredited: 3, schema.DepositCanceled: 4, schema.DepositLost: 4,
}

var withdrawalStatuses = map[schema.WithdrawalStatus]int{
	schema.WithdrawalReview: 10, schema.WithdrawalFrozen: 21, schema.WithdrawalQueued: 1, schema.WithdrawalPlanned: 2, schema.WithdrawalSent: 15,
	schema.WithdrawalMined: 15, schema.WithdrawalDone: 3, schema.WithdrawalCanceled: 4, schema.WithdrawalPartial: 18,
	schema.WithdrawalUnconfirmed: 5,
}

// request is the body of a request.
type request struct {
	Method string `json:"method"`
	ID     string `json:"id"`
	Params any    `json:"params"`
}

type codeParams struct {
	Code  string `json:"code"`
	Nonce uint64 `json:"nonce"`
}

type confirmations struct {
	Actual   uint64 `json:"actual"`
	Required uint32 `json:"required"`
}

// paymentParams are those of deposits and withdrawals.
type paymentParams struct {
	Address         string         `json:"address"`
	Amount          string         `json:"amount"`
	CreatedAt       int64          `json:"createdAt"`
	Currency        string         `json:"currency"`
	Description     *string        `json:"description"`
	Fee             string         `json:"fee"`
	Memo            string         `json:"memo"`
	Method          int            `json:"method"`
	Network         *string        `json:"network"`
	Status          int            `json:"status"`
	Ticker          string         `json:"ticker"`
	TransactionHash string         `json:"transactionHash"`
	UniqueID        string         `json:"uniqueId"`
	Confirmations   *confirmations `json:"confirmations,omitempty"`
	Nonce           uint64         `json:"nonce"`
}

type refundParams struct {
	TransactionID    string  `json:"transactionId"`
	Status           string  `json:"status"`
	RefundAddress    string  `json:"refundAddress"`
	DepositAmount    string  `json:"depositAmount"`
	Currency         string  `json:"currency"`
	Ticker           string  `json:"ticker"`
	Network          string  `json:"network"`
	CreatedAt        int64   `json:"createdAt"`
	ProcessedAt      int64   `json:"processedAt"`
	RefundNetworkFee *string `json:"refundNetworkFee,omitempty"`
	RefundAmount     *string `json:"refundAmount,omitempty"`
	RefundHash       *string `json:"refundHash,omitempty"`
	Memo             *string `json:"memo"`
	Nonce            uint64  `json:"nonce"`
}

type checkParams struct {
	ID              string  `json:"id"`
	Status          string  `json:"status"`
	Address         string  `json:"address"`
	Asset           string  `json:"asset"`
	Network         *string `json:"network"`
	CheckedAt       int64   `json:"checkedAt"`
	RiskLevel       *string `json:"riskLevel,omitempty"`
	RiskDescription *string `json:"riskDescription,omitempty"`
	Reason          *string `json:"reason,omitempty"`
	Nonce           uint64  `json:"nonce"`
}

// checkApology is why a check ended without a result.
const checkApology = "We are sorry, the address could not be checked. No charge was made."

// body is what a request about an event says.
func body(key *seal.Key, e *schema.Notified, nonce uint64) ([]byte, error) {
	params, err := paramsOf(key, e, nonce)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(request{e.Type.String(), uuid.Random(), params}); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func paramsOf(key *seal.Key, e *schema.Notified, nonce uint64) (any, error) {
	switch e.Type {
	case schema.CodeApply:
		text, err := key.Open(e.Code.Sealed, codePurpose)
		if err != nil {
			return nil, fmt.Errorf("the text of code %d: %w", e.Code.ID, err)
		}
		return &codeParams{string(text), nonce}, nil
	case schema.DepositAccepted, schema.DepositUpdated, schema.DepositProcessed, schema.DepositCancel:
		return depositParams(e, nonce), nil
	case schema.RefundSuccessful, schema.RefundFailed:
		return refundOf(e, nonce), nil
	case schema.AddressCheckCompleted, schema.AddressCheckFailed:
		return checkOf(e, nonce), nil
	default:
		return withdrawParams(e, nonce), nil
	}
}

func depositParams(e *schema.Notified, nonce uint64) *paymentParams {
	d, none := &e.Deposit, ""
	p := &paymentParams{
		Address: d.Address, Amount: d.Amount.String(), CreatedAt: int64(d.Created / schema.Second), Currency: e.Name, Description: &none, Fee: d.Fee.String(),
		Memo: d.Memo, Method: depositMethod, Network: network(e), Status: depositStatuses[d.Status], Ticker: e.Ticker, TransactionHash: schema.TxOf(d.Receipt),
		UniqueID: uuid.Text(d.Created, uuid.Deposit, uint64(d.ID)), Nonce: nonce,
	}
	if e.Several && e.Network != "" {
		p.Ticker += "_" + e.Network
	}
	if d.From != 0 {
		p.Status = insideStatus
	}
	if e.Required != 0 {
		p.Confirmations = &confirmations{e.Actual, e.Required}
	}
	return p
}

func withdrawParams(e *schema.Notified, nonce uint64) *paymentParams {
	w := &e.Withdrawal
	p := &paymentParams{
		Address: w.Address, Amount: w.Amount.String(), CreatedAt: int64(w.Created / schema.Second), Currency: e.Name, Fee: w.Fee.String(), Memo: w.Memo,
		Method: withdrawMethod, Network: network(e), Status: withdrawalStatuses[w.Status], Ticker: e.Ticker, TransactionHash: w.Tx, UniqueID: w.Unique, Nonce: nonce,
	}
	if w.Status == schema.WithdrawalDone && w.To != 0 {
		p.Status = insideStatus
	}
	return p
}

// network is null for an asset that has no more than one.
func network(e *schema.Notified) *string {
	if !e.Several || e.Network == "" {
		return nil
	}
	return &e.Network
}

func refundOf(e *schema.Notified, nonce uint64) *refundParams {
	w := &e.Withdrawal
	p := &refundParams{
		TransactionID: uuid.Text(w.Deposited, uuid.Deposit, uint64(w.Refund)), Status: "failed", RefundAddress: w.Address, DepositAmount: w.Amount.Add(w.Fee).String(),
		Currency: e.Name, Ticker: e.Ticker, Network: e.Network, CreatedAt: int64(w.Created / schema.Second), ProcessedAt: int64(w.Changed / schema.Second), Nonce: nonce,
	}
	if w.Memo != "" {
		p.Memo = &w.Memo
	}
	if e.Type == schema.RefundSuccessful {
		fee, amount := w.Fee.String(), w.Amount.String()
		p.Status, p.RefundNetworkFee, p.RefundAmount, p.RefundHash = "completed", &fee, &amount, &w.Tx
	}
	return p
}

func checkOf(e *schema.Notified, nonce uint64) *checkParams {
	c := &e.Check
	p := &checkParams{
		ID: uuid.Text(0, uuid.Check, uint64(c.ID)), Status: "failed", Address: c.Address, Asset: e.Ticker, CheckedAt: int64(c.Checked / schema.Second), Nonce: nonce,
	}
	if c.Network != "" {
		p.Network = &c.Network
	}
	if e.Type == schema.AddressCheckCompleted {
		risk := c.Risk.String()
		p.Status, p.RiskLevel, p.RiskDescription = "completed", &risk, &c.Description
	} else {
		reason := checkApology
		p.Reason = &reason
	}
	return p
}

// Sign is what the headers of a request say of its body: the base64 text, and the HMAC of that text.
func Sign(secret string, body []byte) (payload, signature string) {
	payload = base64.StdEncoding.EncodeToString(body)
	return payload, auth.NewSecret([]byte(secret)).Sign([]byte(payload))
}
