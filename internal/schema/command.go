package schema

import (
	"bourse/internal/wire"
)

// Command is something that can be asked of the exchange.
type Command interface {
	wire.Message
	Kind() Kind
}

// Kind numbers the commands. It is the field under which the body stands in an envelope, so
// the numbers are for ever.
type Kind uint8

const (
	KindContinue        Kind = 14
	KindTick            Kind = 15
	KindPlaceOrder      Kind = 16
	KindPlaceBulk       Kind = 17
	KindCancelOrder     Kind = 18
	KindCancelBulk      Kind = 19
	KindCancelAll       Kind = 20
	KindModifyOrder     Kind = 21
	KindSetKillSwitch   Kind = 22
	KindDeposit         Kind = 32
	KindConfirmDeposit  Kind = 33
	KindWithdraw        Kind = 34
	KindTransfer        Kind = 35
	KindSetAsset        Kind = 48
	KindSetMarket       Kind = 49
	KindPlanMaintenance Kind = 50
	KindPlanDelisting   Kind = 51
	KindSetFeature      Kind = 52
	KindSetIndex        Kind = 53
	KindSetAccount      Kind = 64
	KindSetKey          Kind = 65
	KindDeleteKey       Kind = 66
	KindSetFee          Kind = 67
)

func (*Continue) Kind() Kind        { return KindContinue }
func (*Tick) Kind() Kind            { return KindTick }
func (*PlaceOrder) Kind() Kind      { return KindPlaceOrder }
func (*PlaceBulk) Kind() Kind       { return KindPlaceBulk }
func (*CancelOrder) Kind() Kind     { return KindCancelOrder }
func (*CancelBulk) Kind() Kind      { return KindCancelBulk }
func (*CancelAll) Kind() Kind       { return KindCancelAll }
func (*ModifyOrder) Kind() Kind     { return KindModifyOrder }
func (*SetKillSwitch) Kind() Kind   { return KindSetKillSwitch }
func (*Deposit) Kind() Kind         { return KindDeposit }
func (*ConfirmDeposit) Kind() Kind  { return KindConfirmDeposit }
func (*Withdraw) Kind() Kind        { return KindWithdraw }
func (*Transfer) Kind() Kind        { return KindTransfer }
func (*SetAsset) Kind() Kind        { return KindSetAsset }
func (*SetMarket) Kind() Kind       { return KindSetMarket }
func (*PlanMaintenance) Kind() Kind { return KindPlanMaintenance }
func (*PlanDelisting) Kind() Kind   { return KindPlanDelisting }
func (*SetFeature) Kind() Kind      { return KindSetFeature }
func (*SetIndex) Kind() Kind        { return KindSetIndex }
func (*SetAccount) Kind() Kind      { return KindSetAccount }
func (*SetKey) Kind() Kind          { return KindSetKey }
func (*DeleteKey) Kind() Kind       { return KindDeleteKey }
func (*SetFee) Kind() Kind          { return KindSetFee }

// makers makes an empty command of each kind; it is the one list of all commands.
var makers = [...]func() Command{
	KindContinue:        func() Command { return new(Continue) },
	KindTick:            func() Command { return new(Tick) },
	KindPlaceOrder:      func() Command { return new(PlaceOrder) },
	KindPlaceBulk:       func() Command { return new(PlaceBulk) },
	KindCancelOrder:     func() Command { return new(CancelOrder) },
	KindCancelBulk:      func() Command { return new(CancelBulk) },
	KindCancelAll:       func() Command { return new(CancelAll) },
	KindModifyOrder:     func() Command { return new(ModifyOrder) },
	KindSetKillSwitch:   func() Command { return new(SetKillSwitch) },
	KindDeposit:         func() Command { return new(Deposit) },
	KindConfirmDeposit:  func() Command { return new(ConfirmDeposit) },
	KindWithdraw:        func() Command { return new(Withdraw) },
	KindTransfer:        func() Command { return new(Transfer) },
	KindSetAsset:        func() Command { return new(SetAsset) },
	KindSetMarket:       func() Command { return new(SetMarket) },
	KindPlanMaintenance: func() Command { return new(PlanMaintenance) },
	KindPlanDelisting:   func() Command { return new(PlanDelisting) },
	KindSetFeature:      func() Command { return new(SetFeature) },
	KindSetIndex:        func() Command { return new(SetIndex) },
	KindSetAccount:      func() Command { return new(SetAccount) },
	KindSetKey:          func() Command { return new(SetKey) },
	KindDeleteKey:       func() Command { return new(DeleteKey) },
	KindSetFee:          func() Command { return new(SetFee) },
}

// Commands makes an empty command of every kind, in the order of their numbers.
func Commands() []Command {
	var all []Command
	for _, make := range makers {
		if make != nil {
			all = append(all, make())
		}
	}
	return all
}

// Envelope is what the journal keeps of a command: the command, by which door it came, and the
// moment at which it happened for the whole exchange.
type Envelope struct {
	Time    Time
	Origin  Origin
	Command Command
}

// Origin is how a command came to the exchange. Its zero value is a command of the exchange
// itself.
type Origin struct {
	// Key signed the request, and Nonce is the number that makes the request unique. Key 0: there
	// was no signature.
	Key   KeyID
	Nonce uint64
	// Window means that nonces may come in any order within five seconds of the time of day.
	Window bool
	// Region of the deployment that took the request; 0: that of the account alone counts.
	Region Region
	// Operator is who of those that run the exchange gave the command; "": none of them. What they
	// do is recorded with their name (AuditRecord).
	Operator string
}

// clone is a command with memory of its own.
func clone(c Command) Command {
	copied := makers[c.Kind()]()
	if err := wire.Decode(wire.Append(nil, c), copied); err != nil {
		panic("schema: a command cannot be read as it was written: " + err.Error())
	}
	return copied
}

// AppendEnvelope writes one command behind dst, after its length, so that many can stand in a
// row.
func AppendEnvelope(dst []byte, e *Envelope) []byte { return new(wire.Coder).AppendSized(dst, e) }

// NextEnvelope reads the first command of data and returns what follows it.
func NextEnvelope(data []byte) (Envelope, []byte, error) {
	var e Envelope
	rest, err := new(Decoder).Next(data, &e)
	return e, rest, err
}

// Fields walks over the time, the origin and the one command that is there.
func (e *Envelope) Fields(c *wire.Coder) {
	wire.Int(c, 1, "time_us", &e.Time)
	wire.Uint(c, 2, "key", &e.Origin.Key)
	wire.Uint(c, 3, "nonce", &e.Origin.Nonce)
	c.Bool(4, "nonce_window", &e.Origin.Window)
	wire.Uint(c, 5, "region", &e.Origin.Region)
	wire.Text(c, 6, "operator", &e.Origin.Operator)
	wire.OneOf(c, "command", makers[:], &e.Command)
}
