package custody

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// keyOf is the key of an operator.
func keyOf(name string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(fmt.Sprintf("%-32s", "the key of "+name)))
}

func anApproval() *Approval {
	c := eth
	return NewApproval(&c, schema.Digest{1, 2, 31: 3}, "USDT", strings.ToLower(usdt), &driver.Paid{ID: 11, Address: payeeEVM, Memo: "7", Amount: fixed.MustParse("250.5")})
}

// TestApprovalsHaveTheirBytes: signatures are verified by programs of other versions.
func TestApprovalsHaveTheirBytes(t *testing.T) {
	want := "\x00\x00\x00\x1cbourse withdrawal approval 1" + "\x00\x00\x00\x0211" + "\x00\x00\x00\x03ETH" + "\x00\x00\x00\x03evm" + "\x00\x00\x00\x07testnet" +
		"\x00\x00\x00\x041337" + "\x00\x00\x00\x400102000000000000000000000000000000000000000000000000000000000003" + "\x00\x00\x00\x04USDT" +
		"\x00\x00\x00\x2a" + usdt + "\x00\x00\x00\x2a" + payeeEVM + "\x00\x00\x00\x017" + "\x00\x00\x00\x05250.5"
	a := anApproval()
	if got := string(a.Bytes()); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	const signature = "feab9813b38e6d98ae53c6af815da47bd2f0614a42e47a602b740f40c34c630e6e6e15a4f7dd03caca2ecc2f9a6988670c0b49ea45fe99035acdf0f8af5f6904"
	if got := hex.EncodeToString(a.Sign(keyOf("olga"))); got != signature {
		t.Errorf("the signature is %s", got)
	}
}

func TestAnApprovalIsOfOnePayment(t *testing.T) {
	public := keyOf("olga").Public().(ed25519.PublicKey)
	signature := anApproval().Sign(keyOf("olga"))
	if !anApproval().SignedBy(public, signature) {
		t.Fatal("the signature is wrong")
	}
	for name, change := range map[string]func(*Approval){
		"chain":      func(a *Approval) { a.Chain = "ETH2" },
		"family":     func(a *Approval) { a.Family = "bitcoin" },
		"net":        func(a *Approval) { a.Net = "mainnet" },
		"number":     func(a *Approval) { a.Number = 1 },
		"keys":       func(a *Approval) { a.Keys = strings.Repeat("0", 64) },
		"withdrawal": func(a *Approval) { a.Withdrawal = 12 },
		"asset":      func(a *Approval) { a.Asset = "USDC" },
		"contract":   func(a *Approval) { a.Contract = payeeEVM },
		"coin":       func(a *Approval) { a.Contract = "" },
		"address":    func(a *Approval) { a.Address = usdt },
		"memo":       func(a *Approval) { a.Memo = "" },
		"amount":     func(a *Approval) { a.Amount = "250.500001" },
		"moved":      func(a *Approval) { a.Chain, a.Family = "ETHe", "vm" },
	} {
		a := anApproval()
		change(a)
		if a.SignedBy(public, signature) {
			t.Errorf("%s: the signature is right", name)
		}
	}
	if anApproval().SignedBy(keyOf("otto").Public().(ed25519.PublicKey), signature) || anApproval().SignedBy(public, signature[:63]) {
		t.Error("the signature is right")
	}
}

func TestAnApprovalIsDescribed(t *testing.T) {
	want := `Withdrawal 11: 250.5 USDT to ` + payeeEVM + `, memo "7"
on ETH (evm testnet, number 1337), token of contract ` + usdt + `
by the exchange whose keys have the fingerprint 0102000000000000
`
	if got := anApproval().Describe(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c, three := btc, paid(3, "1")
	plain := NewApproval(&c, schema.Digest{}, "BTC", "", &three)
	if got := plain.Describe(); !strings.HasPrefix(got, "Withdrawal 3: 1 BTC to "+customer+"\non BTC (bitcoin regtest)\nby ") {
		t.Error(got)
	}
}

func TestOperatorsKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "olga.key")
	public, err := CreateOperatorKey(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	key, err := ReadOperatorKey(path)
	if err != nil || !bytes.Equal(key.Public().(ed25519.PublicKey), public) || len(PublicText(public)) != 64 {
		t.Error(err)
	}
	if back, err := parsePublicText(PublicText(public)); err != nil || !bytes.Equal(back, public) {
		t.Error(err)
	}
	if _, err := CreateOperatorKey(path); err == nil || !strings.Contains(err.Error(), "a key is never replaced") {
		t.Error(err)
	}
	if again, err := ReadOperatorKey(path); err != nil || !bytes.Equal(again, key) {
		t.Error("it was replaced", err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadOperatorKey(path); err == nil || !strings.Contains(err.Error(), "can be read by others") {
		t.Error(err)
	}
	// The key of a connection is one of another kind.
	other, _, err := newIdentities()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"empty": nil, "other": other, "text": []byte("key")} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadOperatorKey(path); err == nil || !strings.Contains(err.Error(), "holds no key of an operator") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadOperatorKey(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}

// approvalLimits are limits by which one operator must sign from 0.25 on and two from 1 on, and for 1 USDT already two.
func approvalLimits() string {
	operators := `{"operators": {"olga": "` + publicTextOf("olga") + `", "otto": "` + publicTextOf("otto") + `"}, "chains"`
	text := strings.Replace(testLimits, `{"chains"`, operators, 1)
	text = strings.Replace(text, `"day": "4"`, `"day": "4", "approveAbove": "0.25", "approve2Above": "1"`, 1)
	return strings.Replace(text, `"day": "3000"`, `"day": "3000", "approve2Above": "0"`, 1)
}

func publicTextOf(name string) string { return PublicText(keyOf(name).Public().(ed25519.PublicKey)) }

func asksForApprovals(t testing.TB) string {
	t.Helper()
	dir := aSigner(t)
	if err := os.WriteFile(filepath.Join(dir, LimitsFile), []byte(approvalLimits()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sign adds the signature of an operator to a withdrawal of a request, over what is paid but for a change.
func sign(t testing.TB, r *driver.Request, at int, operator, key string, change func(*Approval)) {
	t.Helper()
	w := &r.Withdrawals[at]
	a := NewApproval(&r.Chain, publicOf(t, testSeed(t), r.Chain.Space()).Print(), r.Asset, r.Contract, w)
	if change != nil {
		change(a)
	}
	w.Signatures = append(w.Signatures, schema.Signature{Operator: operator, Bytes: a.Sign(keyOf(key))})
}

func TestGuardWantsSignatures(t *testing.T) {
	g := openGuard(t, asksForApprovals(t), &clock{time.Unix(1_800_000_000, 0)})
	const one, two = "must be signed by 1 of the operators olga, otto", "must be signed by 2 of the operators olga, otto"
	r := aPayout(t) // 0.5 and 0.25
	g.refuses(t, "none", r, "withdrawal 11 of 0.5 BTC "+one+": 'bourse operator withdrawal 11 sign --key FILE'")
	sign(t, r, 0, "eve", "olga", nil)
	g.refuses(t, "unknown", r, one+"; eve is no operator of limits.json: 'bourse")
	sign(t, r, 0, "otto", "eve", nil)
	g.refuses(t, "another key", r, "eve is no operator of limits.json; the signature of otto is by another key, or of something else: 'bourse")
	r.Withdrawals[0].Signatures = nil
	for name, change := range map[string]func(*Approval){
		"another number": func(a *Approval) { a.Withdrawal = 12 }, "less": func(a *Approval) { a.Amount = "0.49" },
		"somebody else": func(a *Approval) { a.Address = stranger }, "another net": func(a *Approval) { a.Net = "mainnet" },
		"another exchange": func(a *Approval) { a.Keys = "" },
	} {
		r.Withdrawals[0].Signatures = nil
		sign(t, r, 0, "olga", "olga", change)
		g.refuses(t, name, r, one+"; the signature of olga is by another key, or of something else")
	}
	sign(t, r, 0, "otto", "otto", nil) // beside a wrong one
	g.signs(t, r)

	// Above the second bound two operators sign, each once.
	r = order{payout: 8, coin: 1, rate: 10, pays: []driver.Paid{paid(13, "1.5")}}.request(t)
	sign(t, r, 0, "olga", "olga", nil)
	g.refuses(t, "one of two", r, "withdrawal 13 of 1.5 BTC "+two+", and is by olga: 'bourse")
	sign(t, r, 0, "olga", "olga", nil)
	g.refuses(t, "one twice", r, two+", and is by olga: 'bourse")
	r.Withdrawals[0].Signatures[1].Operator = "otto"
	g.refuses(t, "one for two", r, two+", and is by olga; the signature of otto is by another key")
	r.Withdrawals[0].Signatures = r.Withdrawals[0].Signatures[:1]
	sign(t, r, 0, "otto", "otto", nil)
	g.signs(t, r)

	token := transfer(t, 20, 0, true, nil)
	token.Contract = strings.ToLower(token.Contract)
	g.refuses(t, "token", token, "withdrawal 120 of 250 USDT "+two)
	sign(t, token, 0, "olga", "olga", nil)
	sign(t, token, 0, "otto", "otto", nil)
	g.signs(t, token)
	g.signs(t, transfer(t, 21, 1, false, nil)) // whose asset has no bound
}

// TestSignaturesAreOfWhatIsPaid: a request that says something else than its transaction is refused, whatever is signed.
func TestSignaturesAreOfWhatIsPaid(t *testing.T) {
	g := openGuard(t, asksForApprovals(t), &clock{time.Unix(1_800_000_000, 0)})
	r := aPayout(t)
	r.Withdrawals[0].Amount = fixed.MustParse("0.4")
	sign(t, r, 0, "olga", "olga", nil)
	g.refuses(t, "less", r, "the transaction pays 50000000 units")
	r = aPayout(t)
	r.Withdrawals[0].Memo = "7"
	sign(t, r, 0, "olga", "olga", nil)
	g.refuses(t, "memo", r, "has a memo")
}

// TestVariantsNeedNoOtherSignatures: what was signed once may bid more, also after the limits became stricter and the signer was started again.
func TestVariantsNeedNoOtherSignatures(t *testing.T) {
	dir, c := aSigner(t), &clock{time.Unix(1_800_000_000, 0)}
	g := openGuard(t, dir, c)
	g.signs(t, aPayout(t))
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, LimitsFile), []byte(approvalLimits()), 0o600); err != nil {
		t.Fatal(err)
	}
	g = openGuard(t, dir, c)
	g.signs(t, order{payout: 7, variant: 1, rate: 20, pays: []driver.Paid{paid(11, "0.5"), paid(12, "0.25")}}.request(t))
	g.refuses(t, "another", order{payout: 8, coin: 1, rate: 10, pays: []driver.Paid{paid(13, "0.5")}}.request(t), "must be signed by 1")
}

// TestASignerSaysWhatLacksSignatures: before there is a transaction, over the same connection.
func TestASignerSaysWhatLacksSignatures(t *testing.T) {
	dir := asksForApprovals(t)
	url := serve(t, dir)
	c, ctx := remote(t, url, filepath.Join(dir, ClientFile)), context.Background()
	r := &driver.Request{Chain: btc, Asset: "BTC", Decimals: 8, Withdrawals: []driver.Paid{paid(1, "0.25"), paid(2, "0.5"), paid(3, "0.5"), paid(4, "1.5")}}
	sign(t, r, 2, "otto", "otto", nil)
	sign(t, r, 3, "otto", "otto", nil)
	list, err := c.Unapproved(ctx, r)
	if err != nil || len(list) != 2 || list[0].Withdrawal != 2 || list[1].Withdrawal != 4 ||
		list[1].Lacks != "withdrawal 4 of 1.5 BTC must be signed by 2 of the operators olga, otto, and is by otto: 'bourse operator withdrawal 4 sign --key FILE'" {
		t.Errorf("%+v %v", list, err)
	}
	sign(t, r, 3, "olga", "olga", nil)
	sign(t, r, 1, "olga", "olga", nil)
	if list, err = c.Unapproved(ctx, r); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
	r.Asset = "LTC"
	if _, err := c.Unapproved(ctx, r); err == nil || err.Error() != `the signer refuses: there are no limits for asset "LTC" on chain BTC in limits.json` {
		t.Error(err)
	}
	if _, err := c.call(ctx, "POST", unapprovedPath, []byte("nonsense")); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
}

// TestAnOlderSignerWantsNothing: it does not know the question.
func TestAnOlderSignerWantsNothing(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	c := &Remote{server.URL, server.Client()}
	if list, err := c.Unapproved(context.Background(), aPayout(t)); err != nil || list != nil {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := c.Sign(context.Background(), aPayout(t)); err == nil || !strings.Contains(err.Error(), "of another version") {
		t.Error(err)
	}
}

func TestApprovalsAreReadStrictly(t *testing.T) {
	path := filepath.Join(t.TempDir(), LimitsFile)
	olga := publicTextOf("olga")
	for change, says := range map[string]string{
		`"` + olga + `"|"` + olga[2:] + `"`:           `operator olga: "` + olga[2:] + `" is no public key of an operator; it has 64 hexadecimal digits`,
		`"` + olga + `"|"x` + olga[1:] + `"`:          "operator olga: ",
		publicTextOf("otto") + `|` + olga:             "operators olga and otto have the same key",
		`"olga": "` + olga + `", |`:                   `chain BTC: asset BTC: approve2Above needs the keys of two operators in "operators"`,
		`"approveAbove": "0.25"|"approveAbove": "x"`:  `chain BTC: asset BTC: approveAbove is "x"; it must be a number from zero on`,
		`"approve2Above": "1"|"approve2Above": "-1"`:  `chain BTC: asset BTC: approve2Above is "-1"`,
		`"approve2Above": "1"|"approve2Above": "0.2"`: "chain BTC: asset BTC: approve2Above is 0.2, which is below approveAbove, 0.25",
		`"approveAbove"|"approve_above"`:              `unknown field "approve_above"`,
	} {
		from, to, _ := strings.Cut(change, "|")
		text := strings.Replace(approvalLimits(), from, to, 1)
		if text == approvalLimits() {
			t.Fatal(change)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLimits(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change, err, says)
		}
	}
	text := strings.Replace(testLimits, `"day": "4"`, `"day": "4", "approveAbove": "0"`, 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLimits(path); err == nil || !strings.Contains(err.Error(), `approveAbove needs the key of an operator in "operators"`) {
		t.Error(err)
	}
}
