// Package travel is what the travel rule asks for about the people behind a payment: who receives a withdrawal, who sent a deposit, and
// who keeps their wallet. Commands, the log and snapshots hold it sealed alone; operators open it.
package travel

import (
	"encoding/json"
	"fmt"

	"bourse/internal/seal"
)

// Data is what is said with one payment.
type Data struct {
	WalletType  string `json:"walletType"` // hosted or unhosted
	Beneficiary *Party `json:"beneficiary,omitempty"`
	Originator  *Party `json:"originator,omitempty"`
	VASP        *VASP  `json:"vasp,omitempty"` // of a hosted wallet
}

// Party is who receives a withdrawal, or sent a deposit.
type Party struct {
	Type             string   `json:"type"` // individual or entity
	FirstName        string   `json:"firstName,omitempty"`
	LastName         string   `json:"lastName,omitempty"`
	FullName         string   `json:"fullName,omitempty"`
	ResidenceCountry string   `json:"residenceCountry,omitempty"`
	WalletAddress    string   `json:"walletAddress,omitempty"`
	Address          *Address `json:"address,omitempty"`
}

// Address is where a party lives, or has its seat.
type Address struct {
	Country  string `json:"country,omitempty"`
	City     string `json:"city,omitempty"`
	Line     string `json:"addressLine1"`
	PostCode string `json:"postCode,omitempty"`
}

// VASP is the keeper of a hosted wallet, by its id in the list of VASPs or by its name.
type VASP struct {
	ID   string `json:"vaspId,omitempty"`
	Name string `json:"vaspName,omitempty"`
}

const purpose = "travel rule"

// Seal hides what is said.
func Seal(key *seal.Key, d *Data) []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic("travel: " + err.Error()) // texts alone are in it
	}
	return key.Seal(text, purpose)
}

// Open is what Seal hid.
func Open(key *seal.Key, sealed []byte) (*Data, error) {
	text, err := key.Open(sealed, purpose)
	if err != nil {
		return nil, fmt.Errorf("opening what the travel rule asked for: %w", err)
	}
	var d Data
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("reading what the travel rule asked for: %w", err)
	}
	return &d, nil
}
