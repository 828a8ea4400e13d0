package mining

import (
	"bourse/internal/api"
	"bourse/internal/network/address"
	"bourse/internal/schema"
)

// payoutQuery asks where a mining account is paid.
type payoutQuery struct{ name string }

func (q *payoutQuery) Read(f *api.Form) {
	q.name = byName(f, "accountName")
}

// Where a mining account is paid.
const (
	mainBalance = "main_balance"
	external    = "external_address"
)

var destinations = []string{mainBalance, external}

// destinationOf is where a mining account is paid.
func destinationOf(isExternal bool) string {
	if isExternal {
		return external
	}
	return mainBalance
}

// textOrNull is a text, or null where there is none.
func textOrNull[T any](name, description string, get func(*T) string) api.Field[T] {
	return api.NewField(name, api.Nullable(api.String), description, func(dst []byte, v *T) []byte {
		if text := get(v); text != "" {
			return api.AppendText(dst, text)
		}
		return append(dst, `null`...)
	})
}

var payoutEncoder = api.Encode("PayoutDestination", "Where a mining account is paid.",
	api.EnumField("payoutDestination", destinations, "To the main balance, or to an address.", func(m *schema.MiningAccount) string { return destinationOf(m.External) }),
	textOrNull("externalAddress", "The address; null for the main balance.", func(m *schema.MiningAccount) string { return m.Address }))

var aboutPayout = &api.About{
	Summary:    "Get the payout destination of a mining account",
	Parameters: map[string]string{"accountName": "Name of the mining account."},
	Response:   payoutEncoder.Schema(),
	Faults:     []*api.Error{errUser},
}

func payout(c *api.Call, q *payoutQuery) (api.Answer, error) {
	m, known := owned(c.API, c.Account.ID, q.name)
	if !known {
		return nil, errUser
	}
	return payoutEncoder.Answer(&m), nil
}

// payoutEdit says where a mining account is to be paid.
type payoutEdit struct{ name, destination, address string }

func (q *payoutEdit) Read(f *api.Form) {
	f.Demand("destination")
	q.name = byName(f, "accountName")
	var s api.State
	if q.destination, s = f.Choice("destination", destinations); s == api.Malformed {
		f.Fail(400, 0, "destination", "The selected destination is invalid.")
	}
	q.address = f.String("address")
}

// maxAddress is how many bytes the address of a payout may have that a client sends.
const maxAddress = 100

func errPayout(field, text string) *api.Error {
	return api.NewError(400, 0, api.ValidationFailed, field, "miningPool.validation.payoutDestination."+text)
}

var (
	errNoAddress = errPayout("address", "btcAddressRequired")
	errAddress   = errPayout("address", "invalidBtcAddress")
	errNoChain   = errPayout("destination", "customCurrencyConflict")
)

var aboutEditPayout = &api.About{
	Summary: "Set the payout destination of a mining account",
	Text: "A new address counts 24 hours later; until then rewards wait. What waits goes to the main balance when that becomes the destination. Payouts to an address are withdrawals without a fee: " +
		"what keeps others from leaving keeps them too, and the money is in the main balance then. Keys need the URL in the group Withdraw.",
	Parameters: map[string]string{
		"accountName": "Name of the mining account.",
		"destination": "main_balance or external_address.",
		"address":     "Address of the network of Bitcoin, required for external_address.",
	},
	Response: payoutEncoder.Schema(),
	Faults:   []*api.Error{errUser, errNoAddress, errAddress, errNoChain},
}

func editPayout(c api.WriteCall, q *payoutEdit) (api.Answer, error) {
	m, known := owned(c.API, c.Account.ID, q.name)
	if !known {
		return nil, errUser
	}
	command := &schema.SetMiningPayout{Account: c.Account.ID, Mining: m.ID, External: q.destination == external}
	if command.External {
		if err := q.place(c.API, command); err != nil {
			return nil, err
		}
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		switch result.Rejection.Reason {
		case schema.MiningUnknown:
			err = errUser
		case schema.PoolPayoutOff:
			err = errNoChain
		case schema.WithdrawAddressInvalid:
			err = errAddress
		}
		return nil, err
	}
	m.External, m.Address = command.External, command.Address
	return payoutEncoder.Answer(&m), nil
}

// place puts the canonical form of the address into a command, and whose it is if it is one of ours.
func (q *payoutEdit) place(a *api.API, command *schema.SetMiningPayout) error {
	chain := a.Directory().Chain(terms(a).Chain)
	switch {
	case chain == nil:
		return errNoChain
	case q.address == "":
		return errNoAddress
	case len(q.address) > maxAddress:
		return errAddress
	}
	var err error
	if command.Address, err = address.Parse(chain.Space(), q.address); err != nil || address.HasMemo(chain.Family) {
		return errAddress
	}
	if ours, ok := a.Book().Find(chain.Space(), command.Address, ""); ok {
		command.Index = ours.Index
	}
	return nil
}
