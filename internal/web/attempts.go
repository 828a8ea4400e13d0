package web

import (
	"net/http"
	"net/netip"
	"time"

	"bourse/internal/api"
	"bourse/internal/attempt"
	"bourse/internal/schema"
)

// How many wrong passwords there may be within a time.
var (
	byNameAndAddress = attempt.Rule{Name: "name and address", Most: 5, Within: 15 * time.Minute}
	byAddress        = attempt.Rule{Name: "address", Most: 10, Within: time.Minute}
	byName           = attempt.Rule{Name: "name", Most: 50, Within: time.Hour} // then only devices that signed in before go on
	byDevice         = attempt.Rule{Name: "device", Most: 5, Within: 15 * time.Minute}
	bySession        = attempt.Rule{Name: "session", Most: 5, Within: 15 * time.Minute}
	byInvitations    = attempt.Rule{Name: "invitations", Most: 30, Within: time.Minute} // of an address
	byMasters        = attempt.Rule{Name: "masters", Most: 10, Within: time.Hour}       // logins that somebody has, of who invites
)

var errTooMany = &api.Error{Status: http.StatusTooManyRequests, Message: "Too many wrong attempts. Please try again later."}

// guess is of whom, from where and with what somebody tried.
type guess struct {
	name    schema.Digest
	address netip.Prefix
	device  string
}
