package market

import (
	"cmp"
	"slices"

	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// minute is how long lists of assets are kept: the spec has them made again about once a minute,
// shared by all callers.
const minute = 60 * schema.Second

// assetStamp changes with every minute, and not with what is listed in between.
func assetStamp(c *api.Call) listingStamp { return listingStamp{period: c.API.Now() / minute} }

// assetStatus is an asset as /assets shows it. Crypto and payment methods have networks and limits, crypto
// has confirmations, fiat has providers.
type assetStatus struct {
	*schema.Asset
	maker, taker  fixed.Decimal
	networks      *networks
	limits        *limits
	confirmations *confirmations
	providers     *providers
}

// networks of an asset; nil is absent, which is not the same as none.
type networks struct {
	deposits, withdraws []string
	standard            string
}

type limits struct{ deposit, withdraw []api.Named[bounds] }

// bounds of an amount; a high one of 0 does not bind.
type bounds struct{ low, high fixed.Decimal }

type confirmations struct{ all, forTrading []api.Named[uint32] }

type providers struct{ deposits, withdraws []string }

var (
	memoEncoder = api.Encode("", "",
		api.BooleanField("deposit", "Deposits.", func(a *schema.Asset) bool { return a.DepositMemo }),
		api.BooleanField("withdraw", "Withdrawals.", func(a *schema.Asset) bool { return a.PayoutMemo }))

	networksEncoder = api.Encode("", "",
		api.StringsField("deposits", "Deposits. Absent if there are none.", func(n *networks) []string { return n.deposits }).
			If(func(n *networks) bool { return n.deposits != nil }),
		api.StringsField("withdraws", "Withdrawals. Absent if there are none.", func(n *networks) []string { return n.withdraws }).
			If(func(n *networks) bool { return n.withdraws != nil }),
		api.StringField("default", "Network that is used if a request names none.", func(n *networks) string { return n.standard }).
			If(func(n *networks) bool { return n.standard != "" }))

	boundsEncoder = api.Encode("Bounds", "Minimum and maximum amount.",
		api.DecimalField("min", "Minimum, 0: none.", func(b *bounds) fixed.Decimal { return b.low }),
		api.DecimalField("max", "Maximum. Absent: unlimited.", func(b *bounds) fixed.Decimal { return b.high }).
			If(func(b *bounds) bool { return !b.high.IsZero() }))

	limitsEncoder = api.Encode("", "",
		api.MapField("deposit", boundsEncoder, "Deposits.", func(l *limits) []api.Named[bounds] { return l.deposit }),
		api.MapField("withdraw", boundsEncoder, "Withdrawals.", func(l *limits) []api.Named[bounds] { return l.withdraw }))

	providersEncoder = api.Encode("", "",
		api.StringsField("deposits", "Deposits.", func(p *providers) []string { return p.deposits }),
		api.StringsField("withdraws", "Withdrawals.", func(p *providers) []string { return p.withdraws }))

	assetEncoder = api.Encode("Asset", "An asset.",
		api.StringField("name", "Display name.", func(s *assetStatus) string { return s.Name }),
		api.IntegerField("unified_cryptoasset_id", "Id of the asset at market data aggregators, 0 if it has none.", func(s *assetStatus) int64 { return int64(s.UnifiedID) }),
		api.BooleanField("can_withdraw", "Whether withdrawals are enabled.", func(s *assetStatus) bool { return s.CanWithdraw }),
		api.BooleanField("can_deposit", "Whether deposits are enabled.", func(s *assetStatus) bool { return s.CanDeposit }),
		api.DecimalField("min_withdraw", "Minimum withdrawal, 0: none.", func(s *assetStatus) fixed.Decimal { return s.MinWithdraw }),
		api.DecimalField("max_withdraw", "Maximum withdrawal, 0: unlimited.", func(s *assetStatus) fixed.Decimal { return s.MaxWithdraw }),
		api.DecimalField("maker_fee", "Highest maker fee among the markets of the asset, in percent.", func(s *assetStatus) fixed.Decimal { return s.maker }),
		api.DecimalField("taker_fee", "Highest taker fee among the markets of the asset, in percent.", func(s *assetStatus) fixed.Decimal { return s.taker }),
		api.DecimalField("min_deposit", "Minimum deposit, 0: none.", func(s *assetStatus) fixed.Decimal { return s.MinDeposit }),
		api.DecimalField("max_deposit", "Maximum deposit, 0: unlimited.", func(s *assetStatus) fixed.Decimal { return s.MaxDeposit }),
		api.IntegerField("currency_precision", "Decimal places of amounts in the main wallet.", func(s *assetStatus) int64 { return int64(s.Precision) }),
		api.BooleanField("is_memo", "Whether deposits or withdrawals need a memo.", func(s *assetStatus) bool { return s.DepositMemo || s.PayoutMemo }),
		api.ObjectField("memo", memoEncoder, "What a memo is needed for.", func(s *assetStatus) *schema.Asset { return s.Asset }),
		api.ObjectField("networks", networksEncoder, "Networks. Fiat has none.", func(s *assetStatus) *networks { return s.networks }).
			If(func(s *assetStatus) bool { return s.networks != nil }),
		api.ObjectField("limits", limitsEncoder, "Limits by network.", func(s *assetStatus) *limits { return s.limits }).
			If(func(s *assetStatus) bool { return s.limits != nil }),
		confirmationsField("confirmations", "Confirmations until a deposit can be withdrawn, by network. Crypto assets only.",
			func(c *confirmations) []api.Named[uint32] { return c.all }),
		confirmationsField("confirmations_for_trading", "Confirmations until a deposit can be traded, by network. Crypto assets only.",
			func(c *confirmations) []api.Named[uint32] { return c.forTrading }),
		api.ObjectField("providers", providersEncoder, "Payment providers. Fiat only.", func(s *assetStatus) *providers { return s.providers }).
			If(func(s *assetStatus) bool { return s.providers != nil }))
)

// confirmationsField is numbers of confirmations by network.
func confirmationsField(name, description string, get func(c *confirmations) []api.Named[uint32]) api.Field[assetStatus] {
	return api.NewField(name, api.MapOf(api.Integer), description, func(dst []byte, s *assetStatus) []byte {
		dst = append(dst, '{')
		for i, n := range get(s.confirmations) {
			dst = append(api.AppendText(api.AppendComma(dst, i), n.Name), ':')
			dst = api.AppendInt(dst, int64(n.Value))
		}
		return append(dst, '}')
	}).If(func(s *assetStatus) bool { return s.confirmations != nil })
}

var aboutAssets = &api.About{
	Summary:  "Get the status of assets",
	Text:     "Keyed by ticker. What is not available in the region of this deployment can be neither deposited nor withdrawn. Refreshed once a minute.",
	Response: api.MapOf(assetEncoder.Schema()),
}

func (g *group) assets(c *api.Call, _ *api.Nothing) (api.Answer, error) {
	return g.caches.assets.get(assetStamp(c), written(func(dst []byte) []byte {
		all, _, _ := c.Directory().Listing()
		list := visible(c)
		var named []api.Named[assetStatus]
		for _, a := range all {
			named = append(named, api.Named[assetStatus]{Name: a.Ticker, Value: statusOf(a.For(c.API.Region()), list)})
		}
		return assetEncoder.Map(byName(named)).AppendTo(dst)
	})), nil
}

// byName sorts what is listed by name.
func byName[T any](list []api.Named[T]) []api.Named[T] {
	slices.SortFunc(list, func(a, b api.Named[T]) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// statusOf describes an asset. Its fees are the highest of the markets where it trades.
func statusOf(a *schema.Asset, list []*schema.MarketInfo) assetStatus {
	s := assetStatus{Asset: a}
	for _, m := range list {
		if m.Base == a.ID || m.Quote == a.ID {
			s.maker, s.taker = fixed.MaxOf(s.maker, m.MakerFee), fixed.MaxOf(s.taker, m.TakerFee)
		}
	}
	if a.Class == schema.Fiat {
		s.providers = providersOf(a)
		return s
	}
	ways := a.Networks
	if a.Class == schema.PaymentMethod {
		// A payment method is its own network, whatever was set for it.
		ways = []schema.Network{{
			Name: a.Ticker, Default: true, CanDeposit: true, CanWithdraw: true,
			MinDeposit: a.MinDeposit, MaxDeposit: a.MaxDeposit, MinWithdraw: a.MinWithdraw, MaxWithdraw: a.MaxWithdraw,
		}}
	}
	s.describe(a, ways)
	return s
}

// onProvider reports whether a network of a fiat asset is a payment provider's.
func onProvider(n *schema.Network) bool { return n != nil && n.Chain != 0 }

// providersOf are those of the networks of a fiat asset, or, where it has none, those that operators name and book for.
func providersOf(a *schema.Asset) *providers {
	p, named := &providers{}, true
	for i := range a.Networks {
		n := &a.Networks[i]
		if !onProvider(n) {
			continue
		}
		named = false
		if a.CanDeposit && n.CanDeposit {
			p.deposits = append(p.deposits, n.Name)
		}
		if a.CanWithdraw && n.CanWithdraw {
			p.withdraws = append(p.withdraws, n.Name)
		}
	}
	if named && a.CanDeposit {
		p.deposits = a.Providers
	}
	if named && a.CanWithdraw {
		p.withdraws = a.Providers
	}
	return p
}

// describe lists the networks of an asset, with what holds for each by name.
func (s *assetStatus) describe(a *schema.Asset, ways []schema.Network) {
	s.networks, s.limits = &networks{}, &limits{}
	if a.CanDeposit {
		s.networks.deposits = []string{}
	}
	if a.CanWithdraw {
		s.networks.withdraws = []string{}
	}
	for i := range ways {
		n := &ways[i]
		if n.Default || len(ways) == 1 {
			s.networks.standard = n.Name
		}
		if a.CanDeposit && n.CanDeposit {
			s.networks.deposits = append(s.networks.deposits, n.Name)
			s.limits.deposit = append(s.limits.deposit, api.Named[bounds]{Name: n.Name, Value: bounds{n.MinDeposit, n.MaxDeposit}})
		}
		if a.CanWithdraw && n.CanWithdraw {
			s.networks.withdraws = append(s.networks.withdraws, n.Name)
			s.limits.withdraw = append(s.limits.withdraw, api.Named[bounds]{Name: n.Name, Value: bounds{n.MinWithdraw, n.MaxWithdraw}})
		}
	}
	byName(s.limits.deposit)
	byName(s.limits.withdraw)
	if a.Class == schema.Crypto {
		s.confirmations = confirmationsOf(ways)
	}
}

func confirmationsOf(ways []schema.Network) *confirmations {
	c := &confirmations{}
	for i := range ways {
		n := &ways[i]
		c.all = append(c.all, api.Named[uint32]{Name: n.Name, Value: n.Confirmations})
		c.forTrading = append(c.forTrading, api.Named[uint32]{Name: n.Name, Value: n.ConfirmationsForTrading})
	}
	byName(c.all)
	byName(c.forTrading)
	return c
}
