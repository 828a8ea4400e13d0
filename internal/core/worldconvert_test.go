package core

import (
	"fmt"
	"slices"

	"bourse/internal/core/naive"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// convertWorld draws the commands of a small exchange where all convert: few assets with markets between most of them, books of two families and those who make
// them, prices that move and go stale, an inventory that runs out, and moments just before, at and after the ends of things.
type convertWorld struct {
	now     schema.Time
	oracle  *naive.Exchange // that the commands are for, too
	worth   [swapAssets + 1]fixed.Decimal
	listed  []schema.SetMarket
	set     schema.SetConversion
	maxAge  schema.Time
	keys    []*schema.AutoConvert // that were sent with one
	lastID  schema.ConversionID
	plan    []moment      // what comes next in most cases; without a time: now
	marks   []schema.Time // when something ends
	frugal  bool          // the inventory is small
	precise bool          // amounts have as many decimals as there are
}

const (
	swapUSDT schema.AssetID = iota + 1
	swapBTC
	swapETH
	swapDOG
	swapAssets = iota
)

// The first two accounts have sub-accounts, the last two make the books.
const (
	convertAccounts = 4
	convertSubs     = 3
)

var convertTickers = [...]string{swapUSDT: "USDT", swapBTC: "BTC", swapETH: "ETH", swapDOG: "DOG"}

// convertPairs are the markets. One has its prices the other way round, and is not the only one of its assets.
var convertPairs = [][2]schema.AssetID{
	{swapBTC, swapUSDT}, {swapETH, swapUSDT}, {swapDOG, swapUSDT}, {swapETH, swapBTC}, {swapDOG, swapETH}, {swapBTC, swapETH},
}

// birth sends the commands with which the world begins.
func (w *convertWorld) birth(t *dice, send func(schema.Command)) {
	for _, birth := range schema.BirthFeatures() {
		send(&schema.SetFeature{Feature: birth.Feature, On: true})
	}
	w.worth = [...]fixed.Decimal{
		swapUSDT: fixed.One,
		swapBTC:  pick(t, d("50000"), d("50000"), d("1000"), d("123456789.123456")),
		swapETH:  pick(t, d("2500"), d("50"), d("1.000000000000000001")),
		swapDOG:  pick(t, d("0.1"), d("3"), d("0.00000123")),
	}
	w.frugal, w.precise = chance(t, 4) == 0, chance(t, 4) == 0
	w.maxAge = pick(t, 30*schema.Second, schema.Time(anHour), anHour)
	for asset := swapUSDT; asset <= swapAssets; asset++ {
		send(w.asset(t, asset))
	}
	for i := range convertPairs {
		w.listed = append(w.listed, w.marketOf(i))
		if coin(t) || i < 3 {
			m := w.listed[i]
			send(&m)
		}
	}
	for asset := swapBTC; asset <= swapAssets; asset++ {
		send(&schema.SetCollateral{Asset: asset, Weight: d("0.9"), IndexMaxAge: w.maxAge})
	}
	for i := range convertAccounts {
		send(&schema.SetAccount{Account: schema.Account{Name: fmt.Sprintf("c%d", i), Region: schema.Global, RPI: true, Retail: true}})
	}
	for i, master := range []schema.AccountID{0, 0, 1} {
		send(&schema.SetSub{Master: schema.FirstCustomer + master, Alias: fmt.Sprint("a", i), External: fmt.Sprint("s", i), ShareKYC: true, Spot: true, Active: true})
	}
	for i := range schema.AccountID(convertAccounts + convertSubs) {
		for asset := swapUSDT; asset <= swapAssets; asset++ {
			value := int64(10_000_000)
			if i < 2 || i >= convertAccounts {
				value = pick[int64](t, 1_000_000, 200_000, 5000, 10)
			}
			amount := w.amountFor(asset, fixed.FromInt(value), 6)
			send(&schema.Deposit{Account: schema.FirstCustomer + i, Asset: asset, Amount: amount})
			send(&schema.Transfer{Account: schema.FirstCustomer + i, Asset: asset, Amount: cut(amount, w.precisionOf(asset)), From: schema.Main, To: schema.Trade})
		}
	}
	for _, c := range w.indices() {
		send(c)
	}
	if chance(t, 3) != 0 { // at once, or after prices have moved that nobody follows
		send(w.settings(t))
	}
	for asset := swapUSDT; asset <= swapAssets; asset++ {
		value := int64(10_000_000)
		if w.frugal {
			value = pick[int64](t, 1, 2000, 100_000)
		}
		send(&schema.FundSystem{Account: schema.Convert, Asset: asset, Amount: w.amountFor(asset, fixed.FromInt(value), 8)})
	}
	for range pick(t, 10, 30, 30) {
		send(w.order(t))
	}
	send(w.settings(t))
}

// indices say what assets are worth.
func (w *convertWorld) indices() (list []schema.Command) {
	for asset := swapBTC; asset <= swapAssets; asset++ {
		list = append(list, &schema.SetIndex{Market: schema.MarketID(asset - 1), Price: w.worth[asset]})
	}
	return list
}

func (w *convertWorld) asset(t *dice, asset schema.AssetID) schema.Command {
	a := schema.Asset{
		Ticker: convertTickers[asset], Scale: 18, Precision: pick[uint8](t, 8, 8, 8, 6, 18), Class: schema.Crypto, CanDeposit: true, CanWithdraw: true,
	}
	if asset == swapUSDT || asset == swapDOG {
		a.Precision = pick[uint8](t, 8, 8, 2, 18, 0)
	}
	return &schema.SetAsset{Asset: a}
}

// precisionOf is the precision of an asset, once it is listed.
func (w *convertWorld) precisionOf(asset schema.AssetID) int {
	for _, a := range w.oracle.Assets() {
		if a.ID == asset {
			return int(a.Precision)
		}
	}
	return 0
}

// finesse is how many places a number needs to have some digits.
func finesse(n fixed.Decimal, digits int) int {
	most := fixed.One
	for range digits {
		most, _ = fixed.Mul(most, fixed.FromInt(10), 0, fixed.Down)
	}
	for places := range 18 {
		least, _ := fixed.Div(most, power(places), 18, fixed.Down)
		if n.Cmp(least) >= 0 {
			return places
		}
	}
	return 18
}

// power is 10^places.
func power(places int) fixed.Decimal {
	n := fixed.One
	for range places {
		n, _ = fixed.Mul(n, fixed.FromInt(10), 0, fixed.Down)
	}
	return n
}

// marketOf lists a market where prices have about five digits and a lot is worth little.
func (w *convertWorld) marketOf(i int) schema.SetMarket {
	base, quote := convertPairs[i][0], convertPairs[i][1]
	m := schema.MarketInfo{Name: convertTickers[base] + "_" + convertTickers[quote], Base: base, Quote: quote, Type: schema.Spot, FeePrec: 6, Enabled: true}
	m.MoneyPrec = uint8(min(14, finesse(w.price(i), 5)))
	lots, _ := fixed.Div(fixed.One, w.worth[base], 18, fixed.Up)
	m.StockPrec = uint8(min(18-int(m.MoneyPrec), finesse(lots, 1)))
	return schema.SetMarket{Market: m}
}

// price is about that of a market.
func (w *convertWorld) price(i int) fixed.Decimal {
	price, _ := fixed.Div(w.worth[convertPairs[i][0]], w.worth[convertPairs[i][1]], 18, fixed.Up)
	return price
}

// amountFor is how much of an asset a value in USDT is.
func (w *convertWorld) amountFor(asset schema.AssetID, value fixed.Decimal, places int) fixed.Decimal {
	amount, fits := fixed.Div(value, w.worth[asset], places, fixed.Up)
	if !fits {
		return fixed.One
	}
	return amount
}

func (w *convertWorld) mark(at schema.Time) { w.marks = append(w.marks, at) }

// next draws a command, when it comes and how.
func (w *convertWorld) next(t *dice) moment {
	w.pass(t)
	if len(w.plan) > 0 && chance(t, 8) != 0 {
		m := w.plan[0]
		w.plan = w.plan[1:]
		if m.at != 0 {
			w.now = m.at
		}
		m.at = w.now
		return m
	}
	m := moment{at: w.now, cmd: w.command(t)}
	if chance(t, 12) == 0 {
		m.from.Region = pick(t, schema.Global, schema.EU)
	}
	if rarely(t) {
		m.from.Operator = "olga"
	}
	return m
}

// pass lets time pass: mostly little, sometimes until just before or after something ends.
func (w *convertWorld) pass(t *dice) {
	before := w.now
	far := 11 * schema.Second
	switch n := chance(t, 200); {
	case n < 2:
		w.now -= schema.Second // a clock that goes back
		return
	case n < 4:
		far = 25 * anHour
		w.mark((w.now/anHour + 24) * anHour)
	case n < 9:
		far = anHour + aMinute
		w.mark((w.now/anHour + 1) * anHour)
	case n < 15:
		far = 311 * schema.Second
		w.mark((w.now/(10*schema.Second) + schema.Time(30+chance(t, 2))) * 10 * schema.Second)
	case n < 40:
		w.mark((w.now/(10*schema.Second) + 1) * 10 * schema.Second)
	default:
		w.now += pick[schema.Time](t, 0, 1, 1000, schema.Second/2, schema.Second)
		return
	}
	for _, a := range w.oracle.Accounts() {
		for _, q := range w.oracle.Quotes(a.ID) {
			w.mark(q.Expires)
		}
	}
	w.marks = slices.DeleteFunc(w.marks, func(at schema.Time) bool { return at <= w.now || at > w.now+26*anHour })
	slices.Sort(w.marks)
	w.marks = slices.Compact(w.marks)
	if near, _ := slices.BinarySearch(w.marks, w.now+far); near > 0 {
		w.now = w.marks[max(0, near-1-chance(t, 3))] + schema.Time(chance(t, 3)-1)
	}
	if w.now-before > 15*schema.Second && chance(t, 5) != 0 { // somebody has prices again
		var fresh []moment
		for _, c := range w.indices() {
			fresh = append(fresh, moment{cmd: c})
		}
		w.plan = append(fresh, w.plan...)
	}
}
