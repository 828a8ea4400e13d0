package checkout

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"bourse/internal/plain"
	"bourse/internal/schema"
)

func shown(status schema.InvoiceStatus) *Page {
	return &Page{
		Status: status, Amount: "25.5", Ticker: "EUR", Provider: "SEPA", Reference: "order 7", Expires: time.Date(2026, 9, 21, 14, 0, 0, 0, time.UTC),
		Success: "https://shop.example/done", Failure: "https://shop.example/sorry", Return: "https://shop.example/cart", Play: true,
	}
}

func TestAPageShowsHowAnInvoiceStands(t *testing.T) {
	const pay, fail = `<button name="outcome" value="paid">Pay 25.5 EUR</button>`, `<button name="outcome" value="failed">`
	for status, want := range map[schema.InvoiceStatus]struct {
		has, lacks []string
	}{
		schema.InvoiceOpen:      {[]string{"<title>Payment</title>", "25.5 EUR", "SEPA", "order 7", "2026-09-21 14:00:00 UTC", pay, fail, "/cart"}, []string{"/done", "/sorry"}},
		schema.InvoicePaid:      {[]string{"Payment received", "25.5 EUR", "/done", "/cart"}, []string{"/sorry", "<button", "Open until"}},
		schema.InvoiceSuspended: {[]string{"Payment received", "is being looked at", "/done"}, []string{"/sorry", "<button"}},
		schema.InvoiceFailed:    {[]string{"Payment failed", "/sorry"}, []string{"/done", "<button"}},
		schema.InvoiceExpired:   {[]string{"Invoice expired", "/sorry"}, []string{"/done", "<button"}},
	} {
		text := string(shown(status).HTML())
		for _, part := range want.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", status, part)
			}
		}
		for _, part := range want.lacks {
			if strings.Contains(text, part) {
				t.Errorf("%s has %q", status, part)
			}
		}
	}
	quiet := shown(schema.InvoiceOpen)
	quiet.Play = false
	if text := string(quiet.HTML()); strings.Contains(text, "<button") || strings.Contains(text, "<form") {
		t.Error("a real exchange lets customers say that they paid")
	}
	if text := string((&Page{Play: true}).HTML()); !strings.Contains(text, "Invoice not found") || strings.Contains(text, "<button") || strings.Contains(text, "<dl>") {
		t.Errorf("of no invoice the page says %s", text)
	}
}

func TestWhatClientsSayIsText(t *testing.T) {
	p := shown(schema.InvoicePaid)
	p.Reference = `"><script>alert(1)</script>`
	p.Success, p.Return = "javascript:alert(1)", `https://x.example/" onclick="alert(1)`
	text := string(p.HTML())
	if strings.Contains(text, "<script") || strings.Contains(text, "javascript:") || strings.Contains(text, `" onclick="`) {
		t.Errorf("a client got markup onto the page: %s", text)
	}
}

func TestThePolicyLetsNothingIn(t *testing.T) {
	text := string(shown(schema.InvoiceOpen).HTML())
	_, rest, _ := strings.Cut(text, "<style>")
	css, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(css))
	if !strings.Contains(plain.Policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Error("the style of the page is not that of the policy")
	}
	if strings.Contains(plain.Policy, "unsafe") || strings.Contains(plain.Policy, "script-src") || strings.Contains(text, "src=") || strings.Contains(text, "<script") {
		t.Error("something is loaded or run")
	}
}

func TestSecretsInPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/pay/abc": "abc", "/pay/": "", "/pay": "", "/pays/abc": "", "/pay/a/b": "", "/pay/" + strings.Repeat("a", 64): strings.Repeat("a", 64), "/pay/" + strings.Repeat("a", 65): "",
	} {
		if got := Secret(path); got != want {
			t.Errorf("%s has %q", path, got)
		}
	}
}
