package collateral

import (
	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	"bourse/internal/schema"
)

// leverage is the request to change the leverage of an account.
type leverage struct{ value int64 }

func (q *leverage) Read(f *api.Form) {
	f.Required("leverage")
	f.Schema().Bound("leverage", 1, 100)
	n, s := f.Int("leverage")
	if s == api.Malformed {
		f.Fail(422, 30, "leverage", "Leverage field should be an integer.")
	}
	q.value = n
}

var leverageEncoder = api.Encode("Leverage", "The leverage of the account.",
	api.IntegerField("leverage", "Leverage.", func(q *leverage) int64 { return q.value }))

var aboutSetLeverage = &api.About{
	Summary: "Set the leverage",
	Text: "Holds for the whole account: all positions and orders, open ones too. A lower leverage binds more margin; it is refused where " +
		"the account has not enough.",
	Parameters: map[string]string{"leverage": "1, 2, 3, 5, 10, 20, 50 or 100, and no more than the account and its futures allow."},
	Response:   leverageEncoder.Schema(),
	Refusals:   []schema.Reason{schema.LeverageInvalid, schema.LeverageNotCovered},
}

func setLeverage(c api.WriteCall, q *leverage) (api.Answer, error) {
	command := &schema.SetLeverage{Account: c.Account.ID}
	if q.value > 0 && q.value <= 100 { // what is not is no leverage, and refused as such
		command.Leverage = uint8(q.value)
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	return leverageEncoder.Answer(q), nil
}

// hedgeMode is the request to change the mode of an account, and the answer that has it.
type hedgeMode struct{ on bool }

func (q *hedgeMode) Read(f *api.Form) {
	f.Required("hedgeMode")
	q.on = ticket.Flag(f, "hedgeMode")
}

var hedgeModeEncoder = api.Encode("HedgeMode", "The mode of the account.",
	api.BooleanField("hedgeMode", "true: long and short positions on one market stand side by side; false: one-way mode.", func(m *hedgeMode) bool { return m.on }))

var aboutHedgeMode = &api.About{
	Summary:  "Get the hedge mode",
	Text:     "One-way mode is the default.",
	Response: hedgeModeEncoder.Schema(),
}

func getHedgeMode(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	var mode hedgeMode
	c.API.Read(func(m core.View) { mode.on = m.Collateral().Summary(c.Account.ID).Hedge })
	return hedgeModeEncoder.Answer(&mode), nil
}

var aboutSetHedgeMode = &api.About{
	Summary:    "Set the hedge mode",
	Text:       "Only without futures positions and futures orders.",
	Parameters: map[string]string{"hedgeMode": "Whether long and short positions on one market stand side by side."},
	Response:   hedgeModeEncoder.Schema(),
	Refusals:   []schema.Reason{schema.HedgeModeInUse},
}

func setHedgeMode(c api.WriteCall, q *hedgeMode) (api.Answer, error) {
	var result schema.Result
	if err := c.Submit(&schema.SetHedgeMode{Account: c.Account.ID, On: q.on}, &result); err != nil {
		return nil, err
	}
	return hedgeModeEncoder.Answer(q), nil
}
