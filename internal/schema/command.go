package schema

import (
	"fmt"

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

// makers makes an empty command of each kind. It is the one list of all commands; what else there is to
// say about one are its methods: Kind, the number; Fields, the codec; Subject, what the audit says it is
// about (Audited); Redact, what is secret in it (Redacted); Owner, on whose account customers give it (Owned).
var makers = register(
	command[Continue],
	command[Tick],
	command[PlaceOrder],
	command[PlaceBulk],
	command[CancelOrder],
	command[CancelBulk],
	command[CancelAll],
	command[ModifyOrder],
	command[SetKillSwitch],
	command[PlaceOCO],
	command[CancelGroup],
	command[ClosePosition],
	command[SetLeverage],
	command[SetHedgeMode],
	command[PlaceTPSL],
	command[Deposit],
	command[ConfirmDeposit],
	command[Withdraw],
	command[Transfer],
	command[FundSystem],
	command[TakeFaucet],
	command[CreateCode],
	command[ApplyCode],
	command[OpenAddress],
	command[ChainBlock],
	command[ChainRewind],
	command[DecideDeposit],
	command[ForgiveOwed],
	command[MineSandbox],
	command[ReorgSandbox],
	command[PaySandbox],
	command[SetAsset],
	command[SetMarket],
	command[PlanMaintenance],
	command[PlanDelisting],
	command[SetFeature],
	command[SetIndex],
	command[SetCollateral],
	command[SetAccount],
	command[SetKey],
	command[DeleteKey],
	command[SetFee],
	command[RequestWithdrawal],
	command[DecideWithdrawal],
	command[SetFaucet],
	command[SetChain],
	command[SetKeys],
	command[RefillHot],
	command[ResumeChain],
	command[SetTier],
	command[RefundDeposit],
	command[OpenCredit],
	command[ChargeCredit],
	command[RepayCredit],
	command[CheckAddress],
	command[SetVerdict],
	command[RequestExpress],
	command[PayExpress],
	command[SetVASP],
	command[SubmitTravel],
	command[PlanPayout],
	command[SignPayout],
	command[AbandonPayout],
	command[RequestInvoice],
	command[SettleInvoice],
	command[SettleWithdrawal],
	command[PayFaucet],
	command[ConfirmWithdrawal],
	command[SetSub],
	command[DeleteSub],
	command[BlockSub],
	command[MoveSub],
	command[OpenKey],
	command[EditKey],
	command[SetKeyAddress],
	command[CloseKey],
	command[ResetKey],
	command[TouchKeys],

	// Users and their sessions.
	command[Invite],
	command[Enrol],
	command[SignIn],
	command[StepUp],
	command[SignOut],
	command[SetFactor],
	command[TouchSession],

	command[SetWebhook],
	command[VerifyWebhook],
	command[ClaimShards],
	command[SettleWebhooks],
	command[ResendWebhook],
	command[PauseWebhook],

	// Clients of OAuth.
	command[SetPartner],
	command[AuthorizePartner],
	command[RedeemGrant],
	command[RefreshGrant],
	command[TakeSecret],
	command[RevokePartner],

	command[VerifySub],

	command[SetConversion],
	command[QuoteConversion],
	command[ConfirmConversion],
	command[AutoConvert],

	command[SetPlan],
	command[AssignPlan],
	command[Invest],
	command[Divest],
	command[SetReinvest],

	command[SetPool],
	command[SetPoolRate],
	command[OpenMining],
	command[BarMining],
	command[SetMiningPayout],
	command[WatchMining],
	command[LeasePool],
	command[ReportShares],
	command[FoundBlock],

	command[AdoptSpend],
	command[BookSurplus],

	command[DecideProposal],
)

// command makes an empty command of a type.
func command[T any, P interface {
	*T
	Command
}]() Command {
	return P(new(T))
}

// register puts the makers in the places of their kinds.
func register(list ...func() Command) []func() Command {
	all := make([]func() Command, 1<<8)
	for _, make := range list {
		kind := make().Kind()
		if all[kind] != nil {
			panic(fmt.Sprintf("schema: %T and %T have the same number", all[kind](), make()))
		}
		all[kind] = make
	}
	return all
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
	// Op is the operation that was called, which the key must be allowed; 0: it is not known, as in logs of earlier versions.
	Op Op
	// Authorized says that the request came by a connection which a token of the key authorized: it has no nonce.
	Authorized bool
	// Once is the digest of what makes a request of a session unique, as Nonce does with those of other keys.
	Once Digest
}

// Clone is a command with memory of its own.
func Clone(c Command) Command {
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
	wire.Uint(c, 7, "op", &e.Origin.Op)
	c.Array(9, "once", e.Origin.Once[:])
	c.Bool(10, "authorized", &e.Origin.Authorized)
	wire.OneOf(c, "command", makers, &e.Command)
}
