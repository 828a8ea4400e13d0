package collateral

import (
	"cmp"
	"slices"

	"bourse/internal/api"
	"bourse/internal/api/ticket"
	"bourse/internal/core"
	"bourse/internal/directory"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// groupList is the request for a page of open groups.
type groupList struct {
	market        string
	limit, offset int
}

// maxGroupOffset is how far a page may begin: all open groups are looked at for any page, so that it costs nothing.
const maxGroupOffset = 1<<32 - 1

func (q *groupList) read(f *api.Form, limit int64) {
	q.market = f.MarketFilter()
	q.limit, q.offset = f.Page(limit, 100, maxGroupOffset, api.MustBe)
}

// conditionalList is the request for OCOs and OTOs, and ocoList that for OCOs.
type (
	conditionalList struct{ groupList }
	ocoList         struct{ groupList }
)

func (q *conditionalList) Read(f *api.Form) { q.read(f, 100) }

func (q *ocoList) Read(f *api.Form) { q.read(f, 50) }

var errNoSuchMarket = api.NewError(422, 31, api.ValidationFailed, "market", "Market is not available")

// find is the open groups of the account that were asked for, newest first. The exchange waits while the orders of a market are looked at,
// not of all of them.
func (q *groupList) find(c *api.Call) ([]group, error) {
	_, markets, _ := c.Directory().Listing()
	if q.market != "" {
		m := c.Directory().Market(q.market)
		if m == nil {
			return nil, errNoSuchMarket
		}
		markets = []*schema.MarketInfo{m}
	}
	all := []group{}
	for _, m := range markets {
		if !m.Future() && !m.Pair() {
			continue
		}
		var orders []schema.Order
		c.API.Read(func(v core.View) { orders = v.Trading().Grouped(c.Account.ID, m.ID) })
		all = append(all, groupsOf(c.Directory(), orders)...)
	}
	slices.SortFunc(all, func(a, b group) int { return cmp.Compare(b.id, a.id) })
	return all, nil
}

// groupsOf are the OCOs and the OTOs that some open orders belong to. Of an OTO whose primary is over only the take profit and the stop loss are
// left, which are orders by themselves.
func groupsOf(d *directory.Directory, orders []schema.Order) (all []group) {
	place := map[schema.OrderID]int{}
	for i := range orders {
		o := &orders[i]
		if o.Role != schema.Primary && o.Role != schema.LimitLeg && o.Role != schema.StopLeg {
			continue
		}
		at, known := place[o.Group]
		if !known {
			at = len(all)
			place[o.Group] = at
			all = append(all, group{id: o.Group})
		}
		switch g := &all[at]; o.Role {
		case schema.Primary:
			g.primary = o
		case schema.LimitLeg:
			g.limit = leg{Order: o, directory: d}
		default:
			g.stop = leg{Order: o, directory: d}
		}
	}
	return all
}

// page is the part of the groups that was asked for.
func (q *groupList) page(all []group) []group {
	all = all[min(q.offset, len(all)):]
	return all[:min(q.limit, len(all))]
}

// otoGroup is an OTO with what its primary is written with.
type otoGroup struct {
	*group
	directory *directory.Directory
}

var (
	conditionalOCO = api.Encode("ConditionalOCO", "An OCO: a limit order and a stop-limit order, of which the first fill ends the other.", slices.Concat(
		[]api.Field[group]{
			api.IntegerField("id", "Id of the OCO.", groupID),
			api.ConstantField[group]("type", api.Enum("oco"), "Always oco.", `"oco"`),
		}, legFields(conditionalLegEncoder, "stopLoss", "takeProfit"))...)
	conditionalOTO = api.Encode("ConditionalOTO", "An OTO: a primary order, and the prices of the take profit and the stop loss that follow it.",
		api.IntegerField("id", "Id of the OTO.", func(g *otoGroup) int64 { return groupID(g.group) }),
		api.ConstantField[otoGroup]("type", api.Enum("oto"), "Always oto.", `"oto"`),
		api.EnumField("conditionalOrderType", ticket.ConditionalWords, "What follows: both, a take profit or a stop loss.", func(g *otoGroup) string { return ticket.ConditionalWord(g.primary.TakeProfit, g.primary.StopLoss) }),
		api.DecimalField("stopLossPrice", "Price of the stop loss, if one follows.", func(g *otoGroup) fixed.Decimal { return g.primary.StopLoss }).If(func(g *otoGroup) bool { return !g.primary.StopLoss.IsZero() }),
		api.DecimalField("takeProfitPrice", "Price of the take profit, if one follows.", func(g *otoGroup) fixed.Decimal { return g.primary.TakeProfit }).If(func(g *otoGroup) bool { return !g.primary.TakeProfit.IsZero() }),
		api.NewField("conditionalOrder", ticket.Order, "The primary order.", func(dst []byte, g *otoGroup) []byte {
			return ticket.Append(dst, g.directory, g.primary, true)
		}))
)

// conditionals is a page of groups, and how many there are.
type conditionals struct {
	*groupList
	directory *directory.Directory
	total     int
	page      []group
}

var conditionalsEncoder = api.Encode("ConditionalOrders", "A page of conditional orders.",
	api.IntegerField("limit", "Maximum number of records, as requested.", func(p *conditionals) int64 { return int64(p.limit) }),
	api.IntegerField("offset", "Number of newest records that were skipped, as requested.", func(p *conditionals) int64 { return int64(p.offset) }),
	api.IntegerField("total", "Number of open OCOs and OTOs.", func(p *conditionals) int64 { return int64(p.total) }),
	api.NewField("records", api.ArrayOf(api.OneOf(conditionalOCO.Schema(), conditionalOTO.Schema())), "OCOs and OTOs, newest first.", func(dst []byte, p *conditionals) []byte {
		return api.Array(p.page, func(dst []byte, g *group) []byte {
			if g.primary == nil {
				return conditionalOCO.Append(dst, g)
			}
			return conditionalOTO.Append(dst, &otoGroup{g, p.directory})
		}).AppendTo(dst)
	}))

var aboutConditionals = &api.About{
	Summary: "List conditional orders",
	Text: "Open OCOs, and OTOs whose primary order is open, newest first. The take profit and the stop loss that an OTO has left behind are orders of /api/v4/orders, where their oto names " +
		"it; those of a whole position are there, too.",
	Parameters: map[string]string{
		"market": "Return only groups of this market.",
		"limit":  "Maximum number of groups to return.",
		"offset": "Number of newest groups to skip.",
	},
	Response: conditionalsEncoder.Schema(),
	Faults:   []*api.Error{errNoSuchMarket},
}

func listConditionals(c *api.Call, q *conditionalList) (api.Answer, error) {
	all, err := q.find(c)
	if err != nil {
		return nil, err
	}
	return conditionalsEncoder.Answer(&conditionals{&q.groupList, c.Directory(), len(all), q.page(all)}), nil
}

var aboutOCOs = &api.About{
	Summary:    "List OCOs",
	Text:       "Open OCOs, newest first. They are also in /api/v4/conditional-orders, in another shape.",
	Parameters: aboutConditionals.Parameters,
	Response:   api.ArrayOf(ocoEncoder.Schema()),
	Faults:     []*api.Error{errNoSuchMarket},
}

func listOCOs(c *api.Call, q *ocoList) (api.Answer, error) {
	all, err := q.find(c)
	if err != nil {
		return nil, err
	}
	return ocoEncoder.Array(q.page(slices.DeleteFunc(all, func(g group) bool { return g.primary != nil }))), nil
}

// groupRef is a group by its market and its id.
type groupRef struct {
	market string
	id     schema.OrderID
}

func (q *groupRef) read(f *api.Form, name string) {
	f.Required("market", name)
	q.market = ticket.MarketOf(f)
	q.id, _ = ticket.ID(f, name)
}

// cancelConditional and cancelOTO are the requests to cancel a group, by the names that its id has there.
type (
	cancelConditional struct{ groupRef }
	cancelOTO         struct{ groupRef }
)

func (q *cancelConditional) Read(f *api.Form) { q.read(f, "id") }

func (q *cancelOTO) Read(f *api.Form) { q.read(f, "otoId") }

var aboutCancelConditional = &api.About{
	Summary:    "Cancel a conditional order",
	Text:       "Cancels both orders of an OCO. Of an OTO it cancels the primary order; what that had traded is protected from then on. If the primary is over, it cancels the take profit and the stop loss. Returns an empty array.",
	Parameters: map[string]string{"id": "Id of the OCO or OTO."},
	Response:   api.Done,
	Refusals:   []schema.Reason{schema.MarketUnavailable, schema.OrderNotFound},
}

var aboutCancelOTO = &api.About{
	Summary:    "Cancel an OTO",
	Text:       "Cancels the primary order; what it had traded is protected from then on. If the primary is over, it cancels the take profit and the stop loss. Returns an empty array.",
	Parameters: map[string]string{"otoId": "Id of the OTO."},
	Response:   api.Done,
	Refusals:   []schema.Reason{schema.MarketUnavailable, schema.OrderNotFound},
}

func doCancelConditional(c api.WriteCall, q *cancelConditional) (api.Answer, error) {
	return q.cancel(c, schema.AnyGroup)
}

func doCancelOTO(c api.WriteCall, q *cancelOTO) (api.Answer, error) { return q.cancel(c, schema.OTO) }

func (q *groupRef) cancel(c api.WriteCall, kind schema.GroupKind) (api.Answer, error) {
	m := c.Directory().Market(q.market)
	switch {
	case m == nil:
		return nil, api.Refusal(schema.Refuse(schema.MarketUnavailable))
	case q.id == 0:
		return nil, api.Refusal(schema.Refuse(schema.OrderNotFound))
	}
	var result schema.Result
	if err := c.Submit(&schema.CancelGroup{Account: c.Account.ID, Market: m.ID, Group: q.id, GroupKind: kind}, &result); err != nil {
		return nil, err
	}
	return api.Empty, nil
}

// notFoundBy names an order that is not there by the field that the request has for it.
func notFoundBy(name string) func(*api.Error) *api.Error {
	return func(e *api.Error) *api.Error {
		if e.Code != api.Code(schema.OrderNotFound) || e.Status != api.Status(schema.OrderNotFound) {
			return e
		}
		changed := *e
		changed.Fields = []api.FieldError{{Field: name, Texts: e.Fields[0].Texts}}
		return &changed
	}
}
