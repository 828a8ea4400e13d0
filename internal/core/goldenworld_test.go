package core

import (
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// goldenWorld draws the commands of the golden log with dice of its own, so that neither a
// library nor the language can change them.
type goldenWorld struct {
	dice    uint64
	now     schema.Time
	machine *Machine // which commands refer to
	log     []byte
	count   int
}

func (g *goldenWorld) send(c schema.Command) {
	g.log = schema.AppendEnvelope(g.log, &schema.Envelope{Time: g.now, Command: c})
	g.machine.Apply(g.now, c)
	g.count++
}

// roll is a linear congruential generator (Knuth's MMIX constants); its high bits are good.
func (g *goldenWorld) roll(n int) int {
	g.dice = g.dice*6364136223846793005 + 1442695040888963407
	return int(g.dice >> 33 % uint64(n))
}

func (g *goldenWorld) account() schema.AccountID {
	return schema.FirstCustomer + schema.AccountID(g.roll(worldAccounts))
}

func (g *goldenWorld) market() schema.MarketID { return schema.MarketID(1 + g.roll(worldMarkets)) }

func (g *goldenWorld) price() fixed.Decimal {
	return fixed.FromUnits(int64(200+g.roll(16)-g.roll(16)), 1)
}

func (g *goldenWorld) amount() fixed.Decimal { return fixed.FromInt(int64(2 + 2*g.roll(15))) }

func (g *goldenWorld) side() schema.Side { return schema.Side(1 + g.roll(2)) }

func (g *goldenWorld) request() schema.OrderRequest {
	r := schema.OrderRequest{
		Market: g.market(), Type: schema.Limit, Side: g.side(), Amount: g.amount(), Price: g.price(),
		STP: schema.STP(g.roll(4)),
	}
	switch g.roll(16) {
	case 0:
		r.Type = schema.Market
	case 1:
		r.Type = schema.StockMarket
	case 2, 3:
		r.Type, r.ActivationPrice = schema.StopLimit, g.price()
	case 4:
		r.Type, r.ActivationPrice = schema.StopMarket, g.price()
	case 5:
		r.PostOnly = true
	case 6:
		r.IOC = true
	case 7:
		r.RPI = true
	case 8:
		r.Retail = true
	case 9:
		r.BBO = schema.BBORole(1 + g.roll(2))
	case 10:
		r.Type, r.ActivationPrice, r.BBO = schema.StopLimit, g.price(), schema.BBOCounterparty
	}
	if r.Type.InQuote(r.Side) {
		r.Amount = fixed.FromInt(int64(20 + g.roll(800)))
	}
	if g.roll(6) == 0 {
		r.ClientID, _ = schema.ParseClientID([]byte{'a' + byte(g.roll(20)), '-', '0' + byte(g.roll(10))})
	}
	return r
}

// ref names one of the latest orders of a market, which is mostly alive.
func (g *goldenWorld) ref() (schema.AccountID, schema.OrderRef) {
	market := g.market()
	open := g.machine.Trading().All(market)
	if len(open) == 0 || g.roll(20) == 0 {
		return g.account(), schema.OrderRef{Market: market, ID: schema.OrderID(1 + g.roll(500))}
	}
	o := open[g.roll(len(open))]
	return o.Account, schema.OrderRef{Market: market, ID: o.ID}
}

func (g *goldenWorld) command() schema.Command {
	switch n := g.roll(100); {
	case n < 50:
		return &schema.PlaceOrder{Account: g.account(), Order: g.request()}
	case n < 55:
		c := &schema.PlaceBulk{Account: g.account(), StopOnFail: g.roll(2) == 0}
		for range 1 + g.roll(5) {
			r := g.request()
			r.Type, r.ActivationPrice = schema.Limit, fixed.Zero
			c.Orders = append(c.Orders, r)
		}
		return c
	case n < 68:
		account, ref := g.ref()
		return &schema.CancelOrder{Account: account, Order: ref}
	case n < 70:
		account, ref := g.ref()
		return &schema.CancelBulk{Account: account, Orders: []schema.OrderRef{ref, ref}}
	case n < 71:
		return &schema.CancelAll{Account: g.account(), Market: schema.MarketID(g.roll(worldMarkets + 1))}
	case n < 82:
		account, ref := g.ref()
		return &schema.ModifyOrder{Account: account, Order: ref, Price: schema.Some(g.price()), STP: schema.STP(g.roll(4))}
	case n < 84:
		return &schema.SetKillSwitch{Account: g.account(), Market: g.market(), Timeout: schema.Time(5+g.roll(100)) * schema.Second}
	case n < 90:
		return &schema.Tick{}
	case n < 97:
		return g.money()
	default:
		return g.operator()
	}
}

func (g *goldenWorld) money() schema.Command {
	account, asset := g.account(), schema.AssetID(1+g.roll(worldAssets))
	amount := fixed.FromUnits(int64(1+g.roll(100_000)), 2)
	switch g.roll(4) {
	case 0:
		return &schema.Deposit{Account: account, Asset: asset, Amount: amount, Held: g.roll(2) == 0}
	case 1:
		return &schema.ConfirmDeposit{Account: account, Asset: asset, Amount: amount}
	case 2:
		return &schema.Withdraw{Account: account, Asset: asset, Amount: amount}
	}
	ways := [][2]schema.Wallet{{schema.Main, schema.Trade}, {schema.Trade, schema.Main}, {schema.Main, schema.Collateral}, {schema.Collateral, schema.Main}}
	way := ways[g.roll(len(ways))]
	return &schema.Transfer{Account: account, Asset: asset, Amount: amount, From: way[0], To: way[1]}
}

func (g *goldenWorld) operator() schema.Command {
	switch g.roll(7) {
	case 0:
		return &schema.SetFee{Account: g.account(), Market: g.market(), Maker: schema.Some(fixed.FromUnits(int64(g.roll(20)-10), 3))}
	case 1:
		from := g.now + schema.Time(g.roll(60))*schema.Second
		return &schema.PlanMaintenance{Market: g.market(), From: from, To: from + 30*schema.Second}
	case 2:
		return &schema.SetKey{Key: schema.Key{Key: string('k' + rune(g.roll(5))), Account: g.account(), Sealed: []byte("sealed"), Enabled: true}}
	case 3:
		return &schema.DeleteKey{Key: string('k' + rune(g.roll(5)))}
	case 4:
		return &schema.SetFeature{Feature: schema.StepRule, On: g.roll(3) > 0}
	case 5:
		c := genesis()[worldAssets+g.roll(worldMarkets)].(*schema.SetMarket)
		c.Market.TakerBand = fixed.FromInt(int64(g.roll(6)))
		return c
	default:
		c := genesis()[worldAssets+worldMarkets+g.roll(worldAccounts)].(*schema.SetAccount)
		c.Account.ID = g.machine.Accounts().ByName(c.Account.Name).ID
		c.Account.RPI, c.Account.Retail = g.roll(2) == 0, g.roll(4) > 0
		return c
	}
}
