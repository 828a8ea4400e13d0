package history

import (
	"strconv"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// Records appends what a step of the log left behind for accounts. The payloads share the memory
// of the step; neither may be changed.
func Records(dst []Record, step *node.Step) []Record {
	before := len(dst)
	for i := range step.Commands {
		h := &step.Commands[i]
		first := len(dst)
		var last *schema.Deal           // to which the changes of positions after it belong
		var invoice schema.DepositID    // which the change of a deposit after it is about: it is nobody else's
		var invested *schema.Investment // which what is earned after it belongs to
		for id, event := range step.Events(h) {
			switch e := event.(type) {
			case *schema.OrderChanged:
				dst = appendOrder(dst, e)
			case *schema.Deal:
				last = e
				dst = append(dst, side(e, Maker, h.Time), side(e, Taker, h.Time))
			case *schema.Transferred:
				dst = append(dst, transfer(e, h.Time))
			case *schema.SubMoved:
				dst = append(dst, subMove(e, h.Time))
			case *schema.AuditRecord:
				dst = append(dst, act(e, h.Time, id))
			case *schema.FaucetTaken:
				dst = append(dst, taken(e, h.Time, id))
			case *schema.PositionChanged:
				dst = appendPosition(dst, e, last, h.Time, step.Seq<<24|uint64(len(dst)-before))
			case *schema.LoanChanged:
				dst = append(dst, loan(e))
			case *schema.CodeChanged:
				dst = appendCode(dst, &e.Code)
			case *schema.InvoiceChanged:
				invoice = e.Invoice.ID
			case *schema.ChainDepositChanged:
				if e.Deposit.ID == invoice {
					dst = append(dst, deposited(&e.Deposit))
				} else {
					dst = appendDeposit(dst, &e.Deposit)
				}
			case *schema.WithdrawalChanged:
				if e.Withdrawal.Refund != 0 {
					dst = append(dst, refunded(&e.Withdrawal))
				} else {
					dst = append(dst, withdrawn(&e.Withdrawal))
				}
			case *schema.InvestmentChanged:
				invested = &e.Investment
			case *schema.Earned:
				if invested != nil && invested.ID == e.Investment {
					dst, invested = append(dst, investment(invested, e.Asset)), nil
				}
				dst = append(dst, earned(e, h.Time))
			case *schema.RewardChanged:
				dst = append(dst, rewarded(&e.Reward))
			case *schema.MiningMeasured:
				dst = appendMeasured(dst, e, first, step.Seq<<24|uint64(len(dst)-before))
			case *schema.SharesReported:
				dst = appendWorkers(dst, e, h, step.Seq<<24|uint64(len(dst)-before))
			case *schema.BlockFound:
				dst = append(dst, found(&e.Block, step.Seq<<24|uint64(len(dst)-before)))
			case *schema.CheckChanged:
				dst = append(dst, checked(&e.Check))
			case *schema.KeyChanged:
				dst = appendKey(dst, e, h, id)
			case *schema.GrantChanged:
				if e.Ended {
					dst = append(dst, endedAccess(e, h, id))
				}
			case *schema.Converted:
				dst = append(dst, converted(&e.Conversion))
			case *schema.FundingSettled:
				dst = append(dst, Record{Kind: Settlements, Market: e.Market, Time: e.At, ID: uint64(e.Market), Payload: e})
			}
		}
		for j := range dst[first:] {
			dst[first+j].Seq = step.Seq
		}
	}
	return dst
}

// appendOrder records an order that is over, and once more if it was the platform that ended it.
func appendOrder(dst []Record, e *schema.OrderChanged) []Record {
	if e.Change != schema.Closed {
		return dst
	}
	o := &e.Order
	r := Record{
		Kind: Orders, Account: o.Account, Market: o.Market, Time: o.Updated, ID: uint64(o.ID), Class: outcome(o),
		Ref: uint64(o.ID), Tag: o.ClientID.String(), Payload: o,
	}
	dst = append(dst, r)
	switch e.Cause {
	case schema.ByMaintenance:
		r.Class = Maintained
	case schema.ByDelisting:
		r.Class = Delisted
	default:
		return dst
	}
	r.Kind, r.Payload = Ended, e
	return append(dst, r)
}

// outcome is the class of an order that is over.
func outcome(o *schema.Order) Class {
	switch {
	case o.Status == schema.Filled:
		return Filled
	case o.Status == schema.Maintenance:
		return Maintained
	case o.DealStock.IsZero():
		return Canceled
	default:
		return PartlyFilled
	}
}

// side is a deal as one of its parties sees it.
func side(e *schema.Deal, role Role, at schema.Time) Record {
	own, other, buyOrSell := &e.Maker, &e.Taker, e.TakerSide.Opposite()
	if role == Taker {
		own, other, buyOrSell = other, own, e.TakerSide
	}
	return Record{
		Kind: Deals, Account: own.Account, Market: e.Market, Time: at, ID: uint64(e.ID),
		Ref: uint64(own.Order), // by which the deals of a client order id are found too
		Payload: &Deal{
			ID: e.ID, Order: own.Order, Counter: other.Order, Market: e.Market, Side: buyOrSell, Role: role, RPI: e.RPI,
			Price: e.Price, Amount: e.Amount, Money: e.Money, Fee: own.Fee, ClientID: own.ClientID, Margin: own.Margin,
		},
	}
}

func transfer(e *schema.Transferred, at schema.Time) Record {
	t := &e.Transfer
	return Record{
		Kind: Transfers, Account: t.Account, Asset: t.Asset, Time: at, ID: uint64(e.ID), Class: Move(t.From, t.To), Payload: e,
	}
}

// subMove is money between a master and a sub-account. Masters ask for one of them at a time.
func subMove(e *schema.SubMoved, at schema.Time) Record {
	class := MovedToMain
	if e.Move.ToSub {
		class = MovedToSub
	}
	return Record{Kind: SubMoves, Account: e.Move.Sub, Asset: e.Move.Asset, Time: at, ID: uint64(e.ID), Class: class, Payload: e}
}

// taken is money from the faucet.
func taken(e *schema.FaucetTaken, at schema.Time, id schema.EventID) Record {
	t := &e.Taken
	return Record{Kind: Faucet, Account: t.Account, Asset: t.Asset, Time: at, ID: place(id), Payload: e}
}

// appendCode records the state of a code for the account that created it, and what somebody got by it. A code has two numbers: what is
// paid back may bear the time of its creation.
func appendCode(dst []Record, c *schema.Code) []Record {
	number := uint64(c.ID) << 1
	created := Record{Kind: Codes, Account: c.Account, Asset: c.Asset, Time: c.Created, ID: number, Ref: number, Payload: c}
	switch c.Status {
	case schema.CodeActive:
		created.Class = CodeActive
		return append(dst, created)
	case schema.CodeApplied:
		created.Class = CodeApplied
	default:
		created.Class = CodeReturned
	}
	paid := Record{Kind: Codes, Account: c.Account, Asset: c.Asset, Time: c.Ended, ID: number | 1, Ref: number | 1, Class: CodeMoney, Payload: c}
	if c.Redeemer != 0 {
		paid.Account = c.Redeemer
	}
	return append(dst, created, paid)
}

// converted is a conversion. Its moment is that of its quote, so that its records are in the order of their numbers.
func converted(c *schema.Conversion) Record {
	return Record{
		Kind: Conversions, Account: c.Account, Asset: c.From, Time: c.Expires - schema.QuoteLife, ID: uint64(c.ID), Ref: uint64(c.ID), Tag: Into(c.To), Payload: c,
	}
}

// Into is the tag of conversions into an asset.
func Into(asset schema.AssetID) string { return strconv.FormatUint(uint64(asset), 10) }

// place is the number of a record of which a command makes one at most: its place in the log. A batch
// has fewer than 2^20 commands.
func place(id schema.EventID) uint64 { return id.Batch<<20 | uint64(id.Command) }

func act(e *schema.AuditRecord, at schema.Time, id schema.EventID) Record {
	r := Record{Kind: Acts, Time: at, ID: place(id), Class: Done, Tag: e.Operator, Payload: e}
	if e.Refusal != "" {
		r.Class = Refused
	}
	return r
}
