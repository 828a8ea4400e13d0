package main

import (
	"strings"
	"testing"
	"time"
)

// TestOperatorSaysWhatAccountsMay: every setting of an account by itself, and the others stay.
func TestOperatorSaysWhatAccountsMay(t *testing.T) {
	d := openDesk(t)
	d.do("accounts", "create", "dave", "--verified", "--tier", "2", "--restricted-until", "2100-01-01T01:00:00+01:00", "--new-addresses", "--checker", "--credit-line", "--invoices", "--deposits", "--approvals", "--kyc-links")
	all := d.get("accounts/dave").(map[string]any)
	d.has(all, `{"verified":true,"tier":2,"restricted_until":"2100-01-01T00:00:00Z","new_addresses":true,"checker":true,"credit_line":true,"invoices":true,"deposits":true,"approvals":true,"kyc_links":true,"retail":false}`)
	until := time.Unix(4102444800, 0).Local().Format(time.RFC3339)
	if shown := d.do("accounts", "show", "dave"); !strings.Contains(shown, "\nrestricted until  "+until+"\n") || !strings.Contains(shown, "\ntier              2\n") {
		t.Errorf("got\n%s", shown)
	}
	for _, c := range []struct{ flag, value, member, want string }{
		{"--no-verified", "", "verified", "false"},
		{"--verified", "", "verified", "true"},
		{"--tier", "9", "tier", "9"},
		{"--no-new-addresses", "", "new_addresses", "false"},
		{"--no-checker", "", "checker", "false"},
		{"--no-credit-line", "", "credit_line", "false"},
		{"--no-invoices", "", "invoices", "false"},
		{"--no-deposits", "", "deposits", "false"},
		{"--no-approvals", "", "approvals", "false"},
		{"--no-kyc-links", "", "kyc_links", "false"},
		{"--restricted-until", "4102448400", "restricted_until", `"2100-01-01T01:00:00Z"`},
		{"--restricted-until", "none", "restricted_until", "null"},
	} {
		args := []string{"accounts", "set", "dave", c.flag}
		if c.value != "" {
			args = append(args, c.value)
		}
		d.do(args...)
		all[c.member] = parsed(t, c.want)
		d.same(d.get("accounts/dave"), any(all))
	}

	before := time.Now().Add(72 * time.Hour)
	restricted, err := time.Parse(time.RFC3339, d.json("accounts", "set", "dave", "--restricted-until", "+72h").(map[string]any)["restricted_until"].(string))
	if err != nil || restricted.Before(before.Truncate(time.Second)) || restricted.After(time.Now().Add(72*time.Hour+time.Second)) {
		t.Errorf("restricted until %s, %v, want 72 hours after %s", restricted, err, before)
	}
	d.prints(field(d.do("accounts", "set", "dave", "--restricted-until", "none"), "restricted until"), "-")

	d.refuses(1, "Tiers are numbered from 0 to 9, their limits are zero (none) or positive with at most 8 decimals, and a month's is not below a day's. (tier)", "accounts", "set", "dave", "--tier", "10")
	d.refuses(2, `--restricted-until: "never" is not a time: write it like 2026-10-01T12:00:00Z, in Unix seconds, or from now like +10m or +2h`, "accounts", "set", "dave", "--restricted-until", "never")
	d.refuses(1, `the request cannot be read: "33658-09-27T01:46:40Z" is not a time after 1970 and before the year 10000, such as "2026-12-24T12:00:00Z"`,
		"accounts", "set", "dave", "--restricted-until", "1000000000000")
}

// field is what a command prints of a thing under a name.
func field(printed, name string) string {
	for line := range strings.Lines(printed) {
		if value, is := strings.CutPrefix(line, name+"  "); is {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func TestOperatorTiers(t *testing.T) {
	d := openDesk(t)
	wantLines(t, d.do("tiers", "set", "2", "--day", "1000.5", "--month", "20000"), "tier 2", "day 1000.5", "month 20000")
	d.do("tiers", "set", "0", "--day", "100")
	d.prints(d.do("tiers", "list"), `
tier     day  month
   0     100      0
   1       0      0
   2  1000.5  20000
   3       0      0
   4       0      0
   5       0      0
   6       0      0
   7       0      0
   8       0      0
   9       0      0
`)
	d.same(d.json("tiers", "list"), d.get("tiers"))
	d.same(d.json("tiers", "set", "2", "--month", "5"), parsed(t, `{"tier":2,"day":"0","month":"5"}`))
	d.has(d.get("tiers").([]any)[2], `{"day":"0","month":"5"}`)
	d.refuses(1, `there is no tier "10"`, "tiers", "set", "10", "--day", "1")
	d.refuses(1, "Tiers are numbered from 0 to 9, their limits are zero (none) or positive with at most 8 decimals, and a month's is not below a day's. (tier)",
		"tiers", "set", "1", "--day", "2", "--month", "1")
	acts := d.json("audit", "--limit", "2").([]any)
	d.has(acts[0], `{"subject":"tier 1","command":{"set_tier":{"tier":{"number":1,"day":"2","month":"1"}}}}`)
	d.has(acts[1], `{"subject":"tier 2","refusal":"","command":{"set_tier":{"tier":{"number":2,"month":"5"}}}}`)
}
