package ws

import (
	"slices"
	"strconv"

	"github.com/go-faster/jx"

	"bourse/internal/schema"
)

// arguments are the parameters of a call as its method reads them. What is wrong with the first that is
// wrong stays in err, and what is read after it is empty. With a schema nothing is read: every call
// notes what it would take.
type arguments struct {
	*call
	schema *Params
	err    *Error
}

// request reads itself from arguments.
type request[Q any] interface {
	*Q
	read(*arguments)
}

// asks makes what a method does from a handler of typed requests.
func asks[Q any, P request[Q]](do func(*call, P) (result []byte, after func(), err *Error)) handling {
	return handling{
		read: func(a *arguments) { P(new(Q)).read(a) },
		do: func(q *call) ([]byte, func(), *Error) {
			p, a := P(new(Q)), arguments{call: q}
			if p.read(&a); a.err != nil {
				return nil, nil, a.err
			}
			return do(q, p)
		},
	}
}

// answers is asks for handlers that push nothing behind their answer.
func answers[Q any, P request[Q]](do func(*call, P) ([]byte, *Error)) handling {
	return asks(func(q *call, p P) ([]byte, func(), *Error) {
		result, err := do(q, p)
		return result, nil, err
	})
}

// submits is asks for handlers whose reply comes later, when a command has happened.
func submits[Q any, P request[Q]](do func(*call, P) *Error) handling {
	return asks(func(q *call, p P) ([]byte, func(), *Error) { return nil, nil, do(q, p) })
}

// anything is the request of methods that take whatever comes.
type anything struct{}

func (*anything) read(a *arguments) { a.ignored() }

// nothing is the request of methods that take no parameters.
type nothing struct{}

func (*nothing) read(a *arguments) { a.count(0, 0) }

// wrong notes what is wrong.
func (a *arguments) wrong(e *Error) {
	if a.err == nil {
		a.err = e
	}
}

// good reports whether a parameter can be read: nothing is wrong so far, and it is not merely noted.
func (a *arguments) good() bool { return a.schema == nil && a.err == nil }

// check holds parameters to a condition.
func (a *arguments) check(holds bool, e *Error) {
	switch {
	case a.schema != nil:
		a.schema.fault(e)
	case !holds:
		a.wrong(e)
	}
}

// count bounds how many parameters there are.
func (a *arguments) count(fewest, most int) {
	if a.schema != nil {
		a.schema.Fewest, a.schema.Most = fewest, most
		return
	}
	a.check(len(a.params) >= fewest && len(a.params) <= most, errArgument)
}

// ignored says that nobody looks at further parameters.
func (a *arguments) ignored() {
	if a.schema != nil {
		a.schema.Rest, a.schema.Most = &Param{}, -1
	}
}

// noted notes a parameter.
func (a *arguments) noted(i int, name string, k ParamKind) *Param {
	p := a.schema.at(i)
	p.Name, p.Kind = name, k
	return p
}

// at is a parameter as it was sent; none if it was not.
func (a *arguments) at(i int) param {
	if i >= len(a.params) {
		return param{}
	}
	return a.params[i]
}

// text reads a text.
func (a *arguments) text(i int, name string) string {
	if a.schema != nil {
		a.noted(i, name, TextParam)
	}
	if !a.good() {
		return ""
	}
	p := a.at(i)
	a.check(p.kind == jx.String, errArgument)
	return string(p.value)
}

// whole reads a whole number.
func (a *arguments) whole(i int, name string) int64 {
	if a.schema != nil {
		a.noted(i, name, WholeParam)
	}
	if !a.good() {
		return 0
	}
	n, err := a.at(i).whole()
	if err != nil {
		a.wrong(err)
	}
	return n
}

// between reads a whole number with bounds.
func (a *arguments) between(i int, name string, low, high int64) int64 {
	n := a.whole(i, name)
	if a.schema != nil {
		a.schema.at(i).bounds(low, high)
	}
	a.check(n >= low && n <= high, errArgument)
	return n
}

// flag reads a yes or no that may be absent.
func (a *arguments) flag(i int, name string) bool {
	if a.schema != nil {
		a.noted(i, name, FlagParam)
	}
	if !a.good() || i >= len(a.params) {
		return false
	}
	a.check(a.params[i].kind == jx.Bool, errArgument)
	return string(a.params[i].value) == "true"
}

// list reads an array of texts.
func (a *arguments) list(i int, name, of string) []string {
	if a.schema != nil {
		a.noted(i, name, ListParam).Items = &Param{Name: of, Kind: TextParam}
	}
	if !a.good() {
		return nil
	}
	var texts []string
	list, err := a.at(i).list()
	if err == nil {
		texts, err = textsOf(list)
	}
	if err != nil {
		a.wrong(err)
	}
	return texts
}

// texts reads parameters that are all texts of one kind, so many at least.
func (a *arguments) texts(name string, fewest int) []string {
	if a.schema != nil {
		a.schema.Rest, a.schema.Fewest, a.schema.Most = &Param{Name: name, Kind: TextParam}, fewest, -1
	}
	if !a.good() {
		return nil
	}
	list, err := textsOf(a.params)
	if err != nil {
		a.wrong(err)
	}
	a.check(len(list) >= fewest, errArgument)
	return list
}

// visible finds a market that the connection may see.
func (a *arguments) visible(name string) *schema.MarketInfo {
	if a.schema != nil {
		a.schema.fault(noMarket("BTC_XYZ"))
	}
	if !a.good() {
		return nil
	}
	m, err := a.conn.market(name)
	if err != nil {
		a.wrong(err)
	}
	return m
}

// market reads the name of a market that the connection may see.
func (a *arguments) market(i int) *schema.MarketInfo { return a.visible(a.text(i, "market")) }

// listed is a market as channels keep it: what is known of it otherwise may change.
type listed struct {
	id   schema.MarketID
	name string
}

// listed reads the name of a market that the connection may see.
func (a *arguments) listed(i int) listed { return a.kept(a.market(i)) }

func (a *arguments) kept(m *schema.MarketInfo) listed {
	if m == nil {
		return listed{}
	}
	return listed{m.ID, m.Name}
}

// allListed reads names of markets, at least one, each of them once.
func (a *arguments) allListed() []listed {
	names := a.texts("market", 1)
	if a.schema != nil {
		a.visible("")
	}
	all := make([]listed, 0, len(names))
	seen := make(map[listed]bool, len(names))
	for _, name := range names {
		if m := a.kept(a.visible(name)); !seen[m] {
			seen[m] = true
			all = append(all, m)
		}
	}
	return all
}

// selected reads names of markets, in any number; none means all.
func (a *arguments) selected() markets { return a.chosen(a.texts("market", 0)) }

// chosen finds markets by their names. What somebody has on a market stays visible when it is not
// offered any more.
func (a *arguments) chosen(names []string) markets {
	if a.schema != nil {
		a.schema.fault(noMarket("BTC_XYZ"))
	}
	if !a.good() {
		return nil
	}
	list := make(markets, 0, len(names))
	for _, name := range names {
		m := a.conn.server.options.API.Directory().Market(name)
		if m == nil {
			a.wrong(noMarket(name))
			return nil
		}
		list = append(list, m.ID)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// assets reads tickers, each of them once.
func (a *arguments) assets() (assets []*schema.Asset) {
	tickers := a.texts("ticker", 0)
	if a.schema != nil {
		a.schema.fault(errAsset)
	}
	for _, ticker := range tickers {
		asset := a.conn.server.options.API.Directory().Asset(ticker)
		if asset == nil {
			a.wrong(errAsset)
			return nil
		}
		if !slices.Contains(assets, asset) {
			assets = append(assets, asset)
		}
	}
	return assets
}

// page is a part of a list that a client asks for.
type page struct{ offset, limit int }

// maxLimit is the most records of a page, and maxOffset how far it may begin behind the newest record:
// what comes before it is walked through, and that of open orders while the exchange waits.
const (
	maxLimit  = 100
	maxOffset = 10_000
)

// page reads an offset and a limit: the second and the third of three parameters.
func (a *arguments) page() page {
	a.count(3, 3)
	return page{int(a.between(1, "offset", 0, maxOffset)), int(a.between(2, "limit", 1, maxLimit))}
}

// marketPage is the request for a page of a market.
type marketPage struct {
	market schema.MarketID
	page
}

func (p *marketPage) read(a *arguments) {
	p.page = a.page()
	p.market = a.one(0)
}

// one reads the name of a market that is there, whether it is offered or not.
func (a *arguments) one(i int) schema.MarketID {
	chosen := a.chosen([]string{a.text(i, "market")})
	if len(chosen) == 0 {
		return 0
	}
	return chosen[0]
}

// whole is a parameter that must be a whole number.
func (p param) whole() (int64, *Error) {
	if p.kind != jx.Number {
		return 0, errArgument
	}
	n, err := strconv.ParseInt(string(p.value), 10, 64)
	if err != nil {
		return 0, errArgument
	}
	return n, nil
}

// list is a parameter that must be an array, taken apart.
func (p param) list() ([]param, *Error) {
	var inner call
	if !inner.readParams(p.kind, p.value) {
		return nil, errArgument
	}
	return inner.params, nil
}

// textsOf are parameters that must all be texts.
func textsOf(params []param) ([]string, *Error) {
	list := make([]string, 0, len(params))
	for _, p := range params {
		if p.kind != jx.String {
			return nil, errArgument
		}
		list = append(list, string(p.value))
	}
	return list, nil
}
