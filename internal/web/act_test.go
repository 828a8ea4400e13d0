package web_test

import (
	"testing"

	"bourse/internal/schema"
)

// During maintenance of the platform people can look, and change nothing.
func TestNothingIsChangedDuringMaintenance(t *testing.T) {
	w, alice := open(t)
	p, token := alice.makes(obj{"type": 1}), w.token("rent")
	w.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance, On: true})
	for path, body := range map[string]obj{
		"keys": {"type": 1}, "keys/edit": {"id": p.id}, "keys/reset": {"id": p.id}, "webhook": {"url": "https://alice.example/"}, "webhook/verify": {},
		"express/pay": {"token": token, "partner": "shop", "ticker": "USDT", "amount": "12.5", "factor": obj{"code": "000000"}},
	} {
		alice.refused(503, 0, "error", "The platform is in maintenance. Please try again later.", "POST", path, body)
	}
	alice.gets(200, "GET", "keys", nil)
	alice.gets(200, "GET", "webhook", nil)
	w.Do(&schema.SetFeature{Feature: schema.PlatformMaintenance})
	alice.gets(200, "POST", "keys/edit", obj{"id": p.id, "enable": []string{balance}})
}
