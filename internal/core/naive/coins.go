package naive

import (
	"cmp"
	"slices"
	"strings"

	"bourse/internal/schema"
)

// foreign reports whether a chain is one of others, with coins or with accounts, where payouts are planned and signed.
func (c *chain) foreign() bool { return c.hasCoins() || c.hasAccounts() }

func (c *chain) hasCoins() bool { return c.Driver == schema.BitcoinNode }

func (c *chain) hasAccounts() bool { return c.Driver == schema.EVMNode }

// place is an address of ours: of a customer, or of the exchange itself.
type place struct {
	index schema.AddressIndex
	own   schema.OwnAddress
}

// exists reports whether a place is an address of a customer that was opened, or the hot one, or the cold one.
func (s *chains) exists(c *chain, p place) bool {
	if p.own != 0 {
		return p.index == 0 && (p.own == schema.Hot || p.own == coldFirst && s.stores(c))
	}
	return p.index >= 1 && p.index <= s.lastIndex(c)
}

// native is the asset in which the fees of a chain are paid, or nil.
func (s *chains) native(c *chain) *schema.Asset {
	for i := range s.listing.assets {
		n := s.network(c.ID, s.listing.assets[i].ID)
		if c.foreign() && n != nil && n.Contract == "" {
			return &s.listing.assets[i]
		}
	}
	return nil
}

// window is how many blocks after its anchor left the chain a payout can be dead.
func (s *chains) window(c *chain) uint64 {
	if native := s.native(c); native != nil {
		return max(rememberedBlocks, 2*uint64(s.network(c.ID, native.ID).Confirmations))
	}
	return rememberedBlocks
}

// mined is the payouts of a chain that are in blocks, those that were forgotten there too.
func (s *chains) mined(c *chain) (list []*payout) {
	for _, p := range s.payouts {
		if p.Chain == c.ID && p.Height != 0 {
			list = append(list, p)
		}
	}
	return list
}

// kept is the payouts of a chain that can be asked for, by number.
func (s *chains) kept(c *chain) (list []*payout) {
	for _, p := range s.payouts {
		if p.Chain == c.ID && !p.over {
			list = append(list, p)
		}
	}
	return list
}

// variant is the one that is in a block.
func (p *payout) variant() *schema.Variant { return &p.Variants[p.Mined] }

// pays reports whether the block that a payout is in paid what it was for.
func (p *payout) pays() bool { return p.Status == schema.PayoutMined && !p.variant().GiveUp }

// sum is what the withdrawals of a payout get.
func (s *chains) sum(p *payout) num { return s.sumOf(p.Withdrawals) }

func (s *chains) sumOf(list []schema.WithdrawalID) num {
	sum := num{}
	for _, id := range list {
		sum = sum.plus(of(s.withdrawals[id-1].Amount))
	}
	return sum
}

// taken is what of an asset a payout in a block took from the exchange.
func (s *chains) taken(p *payout, asset schema.AssetID) num {
	sum := num{}
	if p.Height != 0 && p.Asset == asset && p.pays() {
		sum = s.sum(p)
	}
	if p.Height != 0 && p.native == asset {
		sum = sum.plus(of(p.Paid))
	}
	return sum
}

// changes are the coins that a variant of a payout makes: its outputs come after those for the withdrawals.
func changes(p *payout, v *schema.Variant, height uint64) (list []schema.Coin) {
	before := len(p.Withdrawals)
	if v.GiveUp {
		before = 0
	}
	for i, o := range v.Outputs {
		if of(o.Amount).sign() > 0 {
			list = append(list, schema.Coin{ID: schema.OutputID(v.Tx, before+i), Amount: o.Amount, Height: height, Index: o.Index, Own: o.Own})
		}
	}
	return list
}

// seatedCoins are the coins of an asset in blocks of a chain with coins: what they received and what came back as change, without what a
// payout in a block spent, or a transaction that no plan made. An id that such a one took can come again once that is forgotten.
func (s *chains) seatedCoins(c *chain, asset schema.AssetID) (list []schema.Coin) {
	for _, d := range s.deposits {
		if d.Chain == c.ID && d.Asset == asset && d.Height != 0 {
			list = append(list, schema.Coin{ID: d.Receipt, Amount: d.Amount, Height: d.Height, Index: d.Index, Own: d.own})
		}
	}
	for _, p := range s.mined(c) {
		if p.Asset == asset {
			list = append(list, changes(p, p.variant(), p.Height)...)
		}
	}
	spent := s.spent(c, asset)
	list = slices.DeleteFunc(list, func(k schema.Coin) bool { return spent[k.ID] })
	gone := map[string]int{}
	for _, f := range s.spendsOn(c) {
		for _, id := range f.Inputs {
			if f.Asset == asset {
				gone[id]++
			}
		}
	}
	return slices.DeleteFunc(list, func(k schema.Coin) bool {
		gone[k.ID]--
		return gone[k.ID] >= 0
	})
}

// spent is the coins that payouts in blocks spend.
func (s *chains) spent(c *chain, asset schema.AssetID) map[string]bool {
	spent := map[string]bool{}
	for _, p := range s.mined(c) {
		for _, id := range p.variant().Inputs {
			spent[id] = spent[id] || p.Asset == asset
		}
	}
	return spent
}

// isCoin reports whether there is a coin with an id in a block of a chain already, or was before something that can be rewound spent it, or
// is there of another asset.
func (s *chains) isCoin(c *chain, of schema.AssetID, id string) bool {
	if !c.hasCoins() {
		return false
	}
	for _, asset := range s.listing.assets {
		list := s.seatedCoins(c, asset.ID)
		if asset.ID != of {
			list = s.coinsOf(c, asset.ID)
		}
		if slices.ContainsFunc(list, func(k schema.Coin) bool { return k.ID == id }) {
			return true
		}
	}
	return slices.ContainsFunc(s.kept(c), func(p *payout) bool { return p.Height != 0 && slices.Contains(p.variant().Inputs, id) }) ||
		slices.ContainsFunc(s.keptSpends(c), func(f *spend) bool { return slices.Contains(f.Inputs, id) })
}

// makes reports whether a variant of a payout that can be asked for is the transaction of a receipt, whose id begins with its name.
func (s *chains) makes(c *chain, id string) bool {
	if i := strings.LastIndexByte(id, ':'); i >= 0 {
		id = id[:i]
	}
	return id != "" && s.namesTx(c, id)
}

// reserves finds the payout that may spend a coin, or nil.
func (s *chains) reserves(c *chain, id string) *payout {
	for _, p := range s.kept(c) {
		if slices.ContainsFunc(p.Variants, func(v schema.Variant) bool { return slices.Contains(v.Inputs, id) }) {
			return p
		}
	}
	return nil
}

// coinsOf are all coins of an asset: those in blocks of a chain, and those that left their blocks while a payout may spend them. Of a
// chain with accounts they are what is at the addresses. They are in the order of their ids.
func (s *chains) coinsOf(c *chain, asset schema.AssetID) (list []schema.Coin) {
	switch {
	case c.hasCoins():
		list = s.seatedCoins(c, asset)
		known := s.spent(c, asset)
		for _, k := range list {
			known[k.ID] = true
		}
		for _, f := range s.keptSpends(c) {
			for _, id := range f.Inputs {
				known[id] = known[id] || f.Asset == asset
			}
		}
		for _, p := range s.kept(c) {
			for _, id := range p.inputs() {
				if p.Asset == asset && !known[id] {
					list, known[id] = append(list, s.unseatedCoin(c, asset, id)), true
				}
			}
		}
	case c.hasAccounts():
		for _, p := range s.places(c) {
			if there := s.at(c, asset, p); there.sign() != 0 {
				list = append(list, schema.Coin{ID: schema.BalanceID(p.index, p.own), Amount: there.decimal(), Index: p.index, Own: p.own})
			}
		}
	}
	slices.SortFunc(list, func(a, b schema.Coin) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// unseatedCoin is a coin as it was when it left its block.
func (s *chains) unseatedCoin(c *chain, asset schema.AssetID, id string) (k schema.Coin) {
	for _, d := range s.deposits {
		if d.Chain == c.ID && d.Asset == asset && d.Receipt == id {
			k = schema.Coin{ID: id, Amount: d.Amount, Index: d.Index, Own: d.own}
		}
	}
	for _, p := range s.payouts {
		for i := range p.Variants {
			for _, made := range changes(p, &p.Variants[i], 0) {
				if p.Chain == c.ID && made.ID == id {
					k = made
				}
			}
		}
	}
	return k
}

// inputs are the coins of all variants of a payout, each once.
func (p *payout) inputs() (list []string) {
	known := map[string]bool{}
	for _, v := range p.Variants {
		for _, id := range v.Inputs {
			if !known[id] {
				list, known[id] = append(list, id), true
			}
		}
	}
	return list
}

// coin finds a coin, or nil.
func (s *chains) coin(c *chain, asset schema.AssetID, id string) *schema.Coin {
	for _, k := range s.coinsOf(c, asset) {
		if k.ID == id {
			return &k
		}
	}
	return nil
}

// spendable reports whether a new payout may spend a coin of the native asset.
func (s *chains) spendable(c *chain, k *schema.Coin) bool {
	confirmations := int64(s.network(c.ID, s.native(c).ID).Confirmations)
	return s.unreserved(c, k) && int64(c.height())-int64(k.Height)+1 >= confirmations
}

// unreserved reports whether a coin can be spent once it has all confirmations: it is in a block, no payout reserves it, and its deposit is not
// frozen.
func (s *chains) unreserved(c *chain, k *schema.Coin) bool {
	frozen := slices.ContainsFunc(s.deposits, func(d *chainDeposit) bool {
		return d.Chain == c.ID && d.Receipt == k.ID && d.Status == schema.DepositFrozen
	})
	return k.Height != 0 && s.reserves(c, k.ID) == nil && !frozen
}

// places are the addresses of a chain with accounts.
func (s *chains) places(c *chain) []place {
	list := []place{{own: schema.Hot}}
	if s.stores(c) {
		list = append(list, place{own: coldFirst})
	}
	for _, a := range s.addresses {
		if a.Family == c.Family && a.Net == c.Net {
			list = append(list, place{index: a.Index})
		}
	}
	return list
}

// from is the address that pays where there are accounts.
func (p *payout) from() place { return place{p.Index, p.Own} }

// at is what of an asset is at an address of a chain with accounts.
func (s *chains) at(c *chain, asset schema.AssetID, a place) num {
	sum := num{}
	for _, d := range s.deposits {
		if d.Chain == c.ID && d.Asset == asset && d.Height != 0 && a == (place{d.Index, d.own}) {
			sum = sum.plus(of(d.Amount))
		}
	}
	for _, p := range s.mined(c) {
		if p.from() == a {
			sum = sum.minus(s.taken(p, asset))
		}
		if p.Asset != asset || !p.pays() {
			continue
		}
		for _, o := range p.variant().Outputs {
			if p.from() == a {
				sum = sum.minus(of(o.Amount))
			}
			if a == (place{o.Index, o.Own}) {
				sum = sum.plus(of(o.Amount))
			}
		}
	}
	for _, f := range s.spendsOn(c) {
		for _, l := range f.losses {
			if l.Asset == asset && a == (place{l.Index, l.Own}) {
				sum = sum.minus(of(l.Amount))
			}
		}
	}
	return sum
}

// available is what of an asset is at an address and not what payouts under way may take. It is below zero when that was taken by others.
func (s *chains) available(c *chain, asset schema.AssetID, a place) num {
	sum := s.at(c, asset, a)
	for _, p := range s.kept(c) {
		if p.Height != 0 || p.from() != a {
			continue
		}
		if p.Asset == asset {
			sum = sum.minus(s.sum(p)).minus(outputs(p.Variants[0].Outputs))
		}
		if p.native == asset {
			sum = sum.minus(p.dearest())
		}
	}
	return sum
}

// outputs is what goes to ourselves.
func outputs(list []schema.OwnOutput) num {
	sum := num{}
	for _, o := range list {
		sum = sum.plus(of(o.Amount))
	}
	return sum
}

// dearest is the highest fee of all variants.
func (p *payout) dearest() num {
	most := num{}
	for _, v := range p.Variants {
		most = greatest(most, of(v.Fee))
	}
	return most
}

// nextNonce is the number of the next transaction from an address of a chain with accounts: behind those of all payouts, and of all
// transactions in blocks that no plan made.
func (s *chains) nextNonce(c *chain, a place) (n uint64) {
	for _, p := range s.payouts {
		if p.Chain == c.ID && p.from() == a {
			n = max(n, p.Nonce+1)
		}
	}
	for _, f := range s.spendsOn(c) {
		if sender(&f.ForeignSpend) == a {
			n = max(n, f.Nonce+1)
		}
	}
	return n
}
