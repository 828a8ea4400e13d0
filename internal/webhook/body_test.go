package webhook

import (
	"encoding/json"
	"regexp"
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// TestParamsAreThoseOfTheSpec holds what is sent against the events, their params and the memo rule of the spec.
func TestParamsAreThoseOfTheSpec(t *testing.T) {
	key, err := seal.Load(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	d := fixed.MustParse
	at := schema.Time(1_700_000_000) * schema.Second
	deposit := schema.ChainDeposit{
		ID: 7, Account: 101, Amount: d("2.5"), Fee: d("0.1"), Status: schema.DepositConfirming, Height: 9, Created: at, Receipt: "abc:1", Address: "bc1q",
	}
	withdrawal := schema.Withdrawal{ID: 8, Account: 101, Amount: d("99"), Fee: d("1"), Status: schema.WithdrawalQueued, Created: at, Changed: at + 5*schema.Second, Address: "0xaa", Unique: "u-1"}
	refund := withdrawal
	refund.Refund, refund.Deposited, refund.Status, refund.Tx = 7, at, schema.WithdrawalDone, "0xhash"
	status := func(s schema.WithdrawalStatus) schema.Withdrawal { w := withdrawal; w.Status = s; return w }
	asset := schema.Notified{Account: 101, N: 1, Ticker: "USDT", Name: "Tether US", Network: "ETH", Several: true}
	about := func(e schema.WebhookEvent, fill func(*schema.Notified)) *schema.Notified {
		n := asset
		n.Type = e
		fill(&n)
		return &n
	}
	const uuid7 = "018bcfe5-6800-8002-8000-000000000007"
	for _, c := range []struct {
		event *schema.Notified
		want  string
	}{
		{about(schema.CodeApply, func(n *schema.Notified) { n.Code.Sealed = key.Seal([]byte("WBcode"), codePurpose) }), `{"code":"WBcode","nonce":9}`},
		{
			about(schema.DepositAccepted, func(n *schema.Notified) { n.Deposit, n.Actual, n.Required = deposit, 1, 12 }),
			`{"address":"bc1q","amount":"2.5","createdAt":1700000000,"currency":"Tether US","description":"","fee":"0.1","memo":"","method":1,"network":"ETH","status":15,
				"ticker":"USDT_ETH","transactionHash":"abc","uniqueId":"` + uuid7 + `","confirmations":{"actual":1,"required":12},"nonce":9}`,
		},
		{
			about(schema.DepositUpdated, func(n *schema.Notified) {
				n.Deposit, n.Actual, n.Required, n.Several = deposit, 2, 12, false
				n.Deposit.Memo = "77"
			}),
			`{"address":"bc1q","amount":"2.5","createdAt":1700000000,"currency":"Tether US","description":"","fee":"0.1","memo":"77","method":1,"network":null,"status":15,
				"ticker":"USDT","transactionHash":"abc","uniqueId":"` + uuid7 + `","confirmations":{"actual":2,"required":12},"nonce":9}`,
		},
		{
			about(schema.DepositProcessed, func(n *schema.Notified) {
				n.Deposit = deposit
				n.Deposit.Status, n.Deposit.From, n.Deposit.Receipt = schema.DepositCredited, 102, ""
			}),
			`{"address":"bc1q","amount":"2.5","createdAt":1700000000,"currency":"Tether US","description":"","fee":"0.1","memo":"","method":1,"network":"ETH","status":7,
				"ticker":"USDT_ETH","transactionHash":"","uniqueId":"` + uuid7 + `","nonce":9}`,
		},
		{
			about(schema.DepositCancel, func(n *schema.Notified) { n.Deposit = deposit; n.Deposit.Status = schema.DepositLost }),
			`{"address":"bc1q","amount":"2.5","createdAt":1700000000,"currency":"Tether US","description":"","fee":"0.1","memo":"","method":1,"network":"ETH","status":4,
				"ticker":"USDT_ETH","transactionHash":"abc","uniqueId":"` + uuid7 + `","nonce":9}`,
		},
		{
			about(schema.WithdrawUnconfirmed, func(n *schema.Notified) { n.Withdrawal = status(schema.WithdrawalReview) }),
			`{"address":"0xaa","amount":"99","createdAt":1700000000,"currency":"Tether US","description":null,"fee":"1","memo":"","method":2,"network":"ETH","status":10,
				"ticker":"USDT","transactionHash":"","uniqueId":"u-1","nonce":9}`,
		},
		{
			about(schema.WithdrawUnconfirmed, func(n *schema.Notified) { n.Withdrawal = status(schema.WithdrawalUnconfirmed) }),
			`{"address":"0xaa","amount":"99","createdAt":1700000000,"currency":"Tether US","description":null,"fee":"1","memo":"","method":2,"network":"ETH","status":5,
				"ticker":"USDT","transactionHash":"","uniqueId":"u-1","nonce":9}`,
		},
		{
			about(schema.WithdrawSuccessful, func(n *schema.Notified) { n.Withdrawal = status(schema.WithdrawalDone); n.Withdrawal.To = 5 }),
			`{"address":"0xaa","amount":"99","createdAt":1700000000,"currency":"Tether US","description":null,"fee":"1","memo":"","method":2,"network":"ETH","status":7,
				"ticker":"USDT","transactionHash":"","uniqueId":"u-1","nonce":9}`,
		},
		{
			about(schema.WithdrawPartial, func(n *schema.Notified) { n.Withdrawal = status(schema.WithdrawalPartial) }),
			`{"address":"0xaa","amount":"99","createdAt":1700000000,"currency":"Tether US","description":null,"fee":"1","memo":"","method":2,"network":"ETH","status":18,
				"ticker":"USDT","transactionHash":"","uniqueId":"u-1","nonce":9}`,
		},
		{
			about(schema.RefundSuccessful, func(n *schema.Notified) { n.Withdrawal = refund }),
			`{"transactionId":"` + uuid7 + `","status":"completed","refundAddress":"0xaa","depositAmount":"100","currency":"Tether US","ticker":"USDT","network":"ETH",
				"createdAt":1700000000,"processedAt":1700000005,"refundNetworkFee":"1","refundAmount":"99","refundHash":"0xhash","memo":null,"nonce":9}`,
		},
		{
			about(schema.RefundFailed, func(n *schema.Notified) {
				n.Withdrawal = refund
				n.Withdrawal.Status, n.Withdrawal.Memo = schema.WithdrawalCanceled, "m"
			}),
			`{"transactionId":"` + uuid7 + `","status":"failed","refundAddress":"0xaa","depositAmount":"100","currency":"Tether US","ticker":"USDT","network":"ETH",
				"createdAt":1700000000,"processedAt":1700000005,"memo":"m","nonce":9}`,
		},
		{
			about(schema.AddressCheckCompleted, func(n *schema.Notified) {
				n.Check = schema.Check{ID: 3, Network: "ETH", Address: "0xbb", Checked: at, Risk: schema.HighRisk, Description: "Bad."}
			}),
			`{"id":"00000000-0000-8004-8000-000000000003","status":"completed","address":"0xbb","asset":"USDT","network":"ETH","checkedAt":1700000000,"riskLevel":"high","riskDescription":"Bad.","nonce":9}`,
		},
		{
			about(schema.AddressCheckFailed, func(n *schema.Notified) { n.Check = schema.Check{ID: 3, Address: "0xbb", Checked: at} }),
			`{"id":"00000000-0000-8004-8000-000000000003","status":"failed","address":"0xbb","asset":"USDT","network":null,"checkedAt":1700000000,"reason":"` + checkApology + `","nonce":9}`,
		},
	} {
		text, err := body(key, c.event, 9)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Method string          `json:"method"`
			ID     string          `json:"id"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if got.Method != c.event.Type.String() || !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(got.ID) {
			t.Errorf("%s has the id %q", got.Method, got.ID)
		}
		if a, b := sorted(t, got.Params), sorted(t, []byte(c.want)); a != b {
			t.Errorf("%s:\n got %s\nwant %s", got.Method, a, b)
		}
	}
}

// sorted is a JSON text with its members in order.
func sorted(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(v)
	return string(again)
}

func TestTheSignatureIsThatOfTheSpec(t *testing.T) {
	payload, signature := Sign("secret", []byte(`{"a":1}`))
	// printf %s '{"a":1}' | base64 | tr -d '\n' | openssl dgst -sha512 -hmac secret
	if payload != "eyJhIjoxfQ==" || signature != "14d847956e8cc173be5b3f23c29255210f76bab7fb130fdee645b8790b3965c8026878c5820289ce52c113314d5bfe554019fecfaa456b980eb45154397c49d4" {
		t.Errorf("%s %s", payload, signature)
	}
}
