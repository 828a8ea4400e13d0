package api

import (
	"encoding/base64"
	"strings"

	"bourse/internal/core"
	"bourse/internal/schema"
)

// What the operations about sub-accounts and the pages of their masters have in common.

// emailPurpose is what e-mail addresses of sub-accounts are sealed for.
const emailPurpose = "e-mail of a sub-account"

// SealEmail hides the e-mail address of a sub-account, and OpenEmail is what was hidden: false if there is none, or it is of another master key.
func (a *API) SealEmail(email string) string {
	return base64.StdEncoding.EncodeToString(a.Key().Seal([]byte(email), emailPurpose))
}

func (a *API) OpenEmail(sealed string) (string, bool) {
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || len(raw) == 0 {
		return "", false
	}
	plain, err := a.Key().Open(raw, emailPurpose)
	return string(plain), err == nil
}

// MaskedEmail is what is shown of a sealed e-mail address: the first letters of its parts and the last. It is empty if there is none.
func (a *API) MaskedEmail(sealed string) string {
	if sealed == "" {
		return ""
	}
	plain, opened := a.OpenEmail(sealed)
	at := strings.LastIndexByte(plain, '@')
	if !opened || at < 1 || at == len(plain)-1 {
		return "***"
	}
	local, domain := []rune(plain[:at]), []rune(plain[at+1:])
	return string(local[:1]) + "***@" + string(domain[:1]) + "***" + string(domain[len(domain)-1:])
}

// SubStatus is where a sub-account stands, as its master sees it.
func SubStatus(sub *schema.Account) string {
	if sub.Blocked { // by an operator
		return "locked"
	}
	return sub.Status.String()
}

// Invited is when the open invitation of an account ends; 0: there is none.
func (a *API) Invited(account schema.AccountID) (until schema.Time) {
	a.node.Read(func(m core.View) { until = m.Identity().Invited(account, a.Now()) })
	return until
}
