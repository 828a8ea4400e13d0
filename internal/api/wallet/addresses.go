package wallet

import (
	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// addressRequest asks for an address at which deposits of an asset arrive.
type addressRequest struct{ ticker, network string }

func (q *addressRequest) Read(f *api.Form) {
	f.Demand("ticker")
	q.ticker, q.network = f.String("ticker"), f.String("network")
}

// freshRequest asks for one that nobody had.
type freshRequest struct {
	addressRequest
	of schema.AddressType
}

// addressTypes are the forms of addresses where a chain has several.
var addressTypes = []string{schema.P2SHSegwit.String(), schema.Bech32.String()}

func (q *freshRequest) Read(f *api.Form) {
	q.addressRequest.Read(f)
	word, s := f.Choice("type", addressTypes)
	switch {
	case s == api.Malformed:
		f.Fail(400, 0, "type", wrongType.Fields[0].Texts[0])
	case word == schema.P2SHSegwit.String():
		q.of = schema.P2SHSegwit
	case word == schema.Bech32.String():
		q.of = schema.Bech32
	}
}

// What is wrong with a request for an address. The two operations have words of their own.
var (
	wrongType = api.NewError(400, 0, api.ValidationFailed, "type", "The selected type is invalid.")

	fiatAddress       = api.NewError(400, 0, api.ValidationFailed, "ticker", "Fiat deposits are available only on the website")
	unknownNetwork    = api.NewError(400, 0, api.ValidationFailed, "network", "The selected network is invalid.")
	networkNeeded     = api.NewError(400, 0, api.ValidationFailed, "network", "The network field is required.")
	elsewhere         = api.Refusal(schema.Refuse(schema.AssetNotOffered))
	addressNotOffered = api.NewError(422, 1, api.InnerValidationFailed, "ticker", "Currency is not depositable")

	fiatFresh       = api.NewError(422, 0, api.InnerValidationFailed, "ticker", "Fiat currencies are unavailable for this action")
	noSuchNetwork   = api.NewError(400, 0, api.ValidationFailed, "network", "Unsupported network")
	otherNetwork    = api.NewError(400, 0, api.ValidationFailed, "network", "Cannot find currency for specified network")
	noDefault       = api.NewError(400, 0, api.ValidationFailed, "network", "Cannot extract default network")
	freshElsewhere  = api.NewError(422, 0, api.InnerValidationFailed, "message", "Currency is not available")
	freshNotOffered = api.NewError(422, 0, api.InnerValidationFailed, "ticker", "Currency is not depositable")
	addressLimit    = api.NewError(422, 0, api.InnerValidationFailed, "message", "Address limit reached")
)

// place is where an asset arrives, or leaves. The chain is nil if the network has none.
type place struct {
	asset   *schema.Asset
	network *schema.Network
	chain   *schema.Chain
}

// wording is how an operation says why there is no place.
type wording struct{ fiat, unknown, mismatch, needed, notOffered, elsewhere *api.Error }

var (
	addressWording = wording{fiatAddress, unknownNetwork, unknownNetwork, networkNeeded, addressNotOffered, elsewhere}
	freshWording   = wording{fiatFresh, noSuchNetwork, otherNetwork, noDefault, freshNotOffered, freshElsewhere}
)

// place is the one that is asked for, or what is wrong with the request.
func (w *wording) place(a *api.API, ticker, network string) (place, error) {
	d := a.Directory()
	p := place{asset: d.Asset(ticker)}
	switch {
	case p.asset == nil:
		return p, unknownTicker
	case p.asset.Class != schema.Crypto:
		return p, w.fiat
	}
	if network == "" {
		if p.network = p.asset.StandardNetwork(); p.network == nil {
			if len(p.asset.Networks) == 0 {
				return p, w.notOffered
			}
			return p, w.needed
		}
	} else if p.network = p.asset.NetworkNamed(network); p.network == nil {
		all, _, _ := d.Listing()
		for _, other := range all {
			if other.Class == schema.Crypto && other.NetworkNamed(network) != nil {
				return p, w.mismatch
			}
		}
		return p, w.unknown
	}
	p.chain = d.Chain(p.network.Chain)
	return p, nil
}

// find is the place where deposits arrive.
func (w *wording) find(c api.WriteCall, q *addressRequest) (place, error) {
	a := c.API
	p, err := w.place(a, q.ticker, q.network)
	switch {
	case err != nil:
		return p, err
	case !p.asset.Offered(c.Region()): // the core is not asked about an address that the account has
		return p, w.elsewhere
	}
	// A network without a chain has no addresses, and on some chains they cannot be written yet.
	if !p.asset.CanDeposit || !p.network.CanDeposit || p.chain == nil || !a.Book().Derives(p.chain.Space()) || !followed(a, p.chain) {
		return p, w.notOffered
	}
	return p, nil
}

// followed reports whether the exchange stands somewhere on a chain: what is paid on one that others live on before that is not seen.
func followed(a *api.API, c *schema.Chain) (yes bool) {
	if c.Driver == schema.Sandbox {
		return true
	}
	a.Read(func(m core.View) {
		height, _ := m.Chains().Cursor(c.ID)
		yes = height != 0
	})
	return yes
}

// opened is an address as a client gets it, with what holds for deposits there.
type opened struct {
	place
	text, memo string
}

var addressEncoder = func() *api.Encoder[opened] {
	account := api.Encode("DepositAccount", "An address.",
		api.StringField("address", "The address.", func(o *opened) string { return o.text }),
		api.StringField("memo", "Memo or destination tag that a deposit must carry. Absent where the network has none.", func(o *opened) string { return o.memo }).
			If(func(o *opened) bool { return o.memo != "" }))
	flex := api.Encode("", "",
		api.DecimalField("maxFee", "Most that the percentage comes to, 0: unlimited.", func(n *schema.Network) fixed.Decimal { return n.DepositMaxFee }),
		api.DecimalField("minFee", "Least that the percentage comes to.", func(n *schema.Network) fixed.Decimal { return n.DepositMinFee }),
		api.DecimalField("percent", "Percentage of the deposit.", func(n *schema.Network) fixed.Decimal { return n.DepositPercent }))
	required := api.Encode("DepositTerms", "Fees and limits of deposits at an address. What is outside the limits is not credited.",
		api.DecimalField("fixedFee", "Fixed fee.", func(p *place) fixed.Decimal { return p.network.DepositFixed }),
		api.ObjectField("flexFee", flex, "Percentage fee, in addition to the fixed one.", func(p *place) *schema.Network { return p.network }),
		api.DecimalField("maxAmount", "Maximum amount, 0: unlimited.", func(p *place) fixed.Decimal { _, high := p.asset.DepositBounds(p.network); return high }),
		api.DecimalField("minAmount", "Minimum amount, 0: none.", func(p *place) fixed.Decimal { low, _ := p.asset.DepositBounds(p.network); return low }))
	return api.Encode("DepositAddress", "An address for deposits, and what holds for them.",
		api.ObjectField("account", account, "Where to send the deposit.", func(o *opened) *opened { return o }),
		api.ObjectField("required", required, "Fees and limits.", func(o *opened) *place { return &o.place }))
}()

const aboutNetworks = "Network, as /api/v4/public/assets lists it. Default: the default network of the asset, or its only one."

var aboutAddress = &api.About{
	Summary:    "Get a deposit address",
	Text:       "Returns the same address on every call. It is the same for all assets and networks that share their addresses.",
	Parameters: map[string]string{"ticker": "Ticker of a crypto asset.", "network": aboutNetworks},
	Response:   addressEncoder.Schema(),
	Faults:     []*api.Error{unknownTicker, fiatAddress, unknownNetwork, networkNeeded, addressNotOffered, elsewhere},
}

func depositAddress(c api.WriteCall, q *addressRequest) (api.Answer, error) {
	p, err := addressWording.find(c, q)
	if err != nil {
		return nil, err
	}
	var first schema.Address
	var have bool
	c.API.Read(func(m core.View) { first, have = m.Chains().First(c.Account.ID, p.chain.Space(), 0) })
	if have {
		return answerAddress(c, p, &first)
	}
	return openAddress(c, &addressWording, p, &schema.OpenAddress{Account: c.Account.ID, Chain: p.chain.ID})
}

var aboutFresh = &api.About{
	Summary: "Create a deposit address",
	Text: "On demand: the operator of the exchange enables it for an account. Returns a new address on every call. All addresses of an account stay valid. An account can have 1000 addresses of a type per family of networks; " +
		"networks that share their addresses count as one.",
	Parameters: map[string]string{
		"ticker":  "Ticker of a crypto asset.",
		"network": aboutNetworks,
		"type":    "Type of address, for Bitcoin and networks like it. Default: bech32.",
	},
	Response: addressEncoder.Schema(),
	Faults:   []*api.Error{unknownTicker, fiatFresh, noSuchNetwork, otherNetwork, noDefault, wrongType, freshNotOffered, freshElsewhere, addressLimit},
}

func freshAddress(c api.WriteCall, q *freshRequest) (api.Answer, error) {
	p, err := freshWording.find(c, &q.addressRequest)
	if err != nil {
		return nil, err
	}
	if q.of != 0 && p.chain.Family != schema.Bitcoin {
		return nil, wrongType
	}
	return openAddress(c, &freshWording, p, &schema.OpenAddress{Account: c.Account.ID, Chain: p.chain.ID, Type: q.of, Fresh: true})
}

func openAddress(c api.WriteCall, w *wording, p place, command *schema.OpenAddress) (api.Answer, error) {
	if p.asset.NotInEU { // otherwise it is not said: a node of the version before could not read it
		command.Asset = p.asset.ID
	}
	var result schema.Result
	if err := c.Submit(command, &result); err != nil {
		switch result.Rejection.Reason {
		case schema.AddressesTooMany:
			return nil, addressLimit
		case schema.AssetNotOffered:
			return nil, w.elsewhere
		}
		return nil, err
	}
	return answerAddress(c, p, result.Address)
}

func answerAddress(c api.WriteCall, p place, a *schema.Address) (api.Answer, error) {
	text, memo, ok := c.API.Book().Text(a)
	if !ok { // a chain joined meanwhile on which it cannot be written
		return nil, api.Unavailable()
	}
	return addressEncoder.Answer(&opened{p, text, memo}), nil
}
