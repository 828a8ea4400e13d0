package naive

import "bourse/internal/schema"

// The words of the API and what they mean. The schema answers the same questions for the core; these
// answers are the oracle's own.

func validSide(s schema.Side) bool { return s == schema.Buy || s == schema.Sell }

func opposite(s schema.Side) schema.Side {
	if s == schema.Buy {
		return schema.Sell
	}
	return schema.Buy
}

func validType(k schema.OrderType) bool {
	switch k {
	case schema.Limit, schema.Market, schema.StockMarket, schema.StopLimit, schema.StopMarket, schema.StopStockMarket:
		return true
	}
	return false
}

// isStop reports whether orders of the type wait for a trigger.
func isStop(k schema.OrderType) bool {
	return k == schema.StopLimit || k == schema.StopMarket || k == schema.StopStockMarket
}

// hasPrice reports whether orders of the type have a limit price.
func hasPrice(k schema.OrderType) bool { return k == schema.Limit || k == schema.StopLimit }

// inQuote reports whether the amount of an order counts the quote asset.
func inQuote(k schema.OrderType, s schema.Side) bool {
	return s == schema.Buy && (k == schema.Market || k == schema.StopMarket)
}

func validSTP(s schema.STP) bool {
	switch s {
	case schema.STPNo, schema.STPCancelBoth, schema.STPCancelNew, schema.STPCancelOld:
		return true
	}
	return false
}

func validClass(c schema.AssetClass) bool {
	return c == schema.Crypto || c == schema.Fiat || c == schema.PaymentMethod
}

func validDriver(d schema.Driver) bool {
	return d == schema.Sandbox || d == schema.BitcoinNode || d == schema.EVMNode || d == schema.Provider
}

func validFamily(f schema.Family) bool {
	switch f {
	case schema.Bitcoin, schema.EVM, schema.TRON, schema.XRP, schema.Solana, schema.TON:
		return true
	}
	return false
}

func validNet(n schema.Net) bool {
	switch n {
	case schema.Mainnet, schema.Testnet, schema.Signet, schema.Regtest, schema.Simnet:
		return true
	}
	return false
}

func validRegion(r schema.Region) bool { return r == schema.Global || r == schema.EU }

// validRegions reports whether a set of regions holds nothing else: region r is bit r.
func validRegions(s schema.Regions) bool { return s == 0 || s == 2 || s == 4 || s == 6 }

// offeredIn reports whether a market with a set of regions is there for one of them. The empty set
// is all of them.
func offeredIn(s schema.Regions, r schema.Region) bool {
	switch r {
	case schema.Global:
		return s == 0 || s == 2 || s == 6
	case schema.EU:
		return s == 0 || s == 4 || s == 6
	}
	return false
}

// validProducts reports whether the set holds nothing unknown: spot, margin and futures are its bits.
func validProducts(p schema.Products) bool { return p <= 7 }

// meansSpot reports whether spot orders are meant. The empty set is all orders.
func meansSpot(p schema.Products) bool { return p == 0 || p%2 == 1 }

// meansMargin reports the same of orders on spot markets that are paid from collateral.
func meansMargin(p schema.Products) bool { return p == 0 || p/2%2 == 1 }

// meansFutures reports the same of orders on futures.
func meansFutures(p schema.Products) bool { return p == 0 || p >= 4 }

func validGroupKind(k schema.GroupKind) bool {
	return k == schema.AnyGroup || k == schema.OCO || k == schema.OTO
}

// isLeg reports whether a role is that of one of the two orders of an OCO.
func isLeg(r schema.Role) bool { return r == schema.LimitLeg || r == schema.StopLeg }

// protects reports whether orders of a role close a position for a profit or against a loss.
func protects(r schema.Role) bool { return r == schema.TakeProfit || r == schema.StopLoss }

// groupKind is the kind of group that orders of a role are part of, if they have one.
func groupKind(r schema.Role) schema.GroupKind {
	switch {
	case isLeg(r):
		return schema.OCO
	case r == schema.Primary, protects(r):
		return schema.OTO
	}
	return schema.AnyGroup
}

// System accounts besides the world outside and the fees.
const (
	insurance  schema.AccountID = 3
	house      schema.AccountID = 4 // the operator's own money
	lending    schema.AccountID = 5
	clearer    schema.AccountID = 6  // stands between longs and shorts
	codeKeeper schema.AccountID = 7  // has what is in active codes
	custody    schema.AccountID = 8  // owes what came by chains
	suspense   schema.AccountID = 9  // has what came by chains and is nobody's yet
	inventory  schema.AccountID = 10 // is the other side of conversions
	interests  schema.AccountID = 11 // pays what investments earn
	miners     schema.AccountID = 12 // pays those who work for the pool
)

// The positions that an order can belong to.
const (
	bothSides schema.PositionSide = iota
	longSide
	shortSide
)

// How near an account is to the end of its margin.
const (
	riskNone schema.RiskState = iota
	marginCall
	inLiquidation
)
