package naive

import (
	"fmt"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Verify holds the money that chains and providers have against what was booked: of every asset Custody owes the sum of what was booked
// of each, and the coins of each are what its blocks brought less what they took.
func (x *Exchange) Verify() error {
	s := x.chains
	for _, asset := range x.listing.assets {
		booked := num{}
		for _, c := range s.all {
			booked = booked.plus(s.bookedOn(c, asset.ID))
			if err := s.verifyCoins(c, asset.ID); err != nil {
				return err
			}
		}
		if owed := x.ledger.balance(custody, schema.Main, asset.ID).available.neg(); owed.cmp(booked) != 0 {
			return fmt.Errorf("naive: custody owes %v of asset %d, and %v was booked", owed.rat(), asset.ID, booked.rat())
		}
	}
	if err := x.convert.verify(); err != nil {
		return err
	}
	if err := x.earn.verify(); err != nil {
		return err
	}
	return x.mining.verify()
}

// bookedOn is what was posted of an asset because of a chain or a provider.
func (s *chains) bookedOn(c *chain, asset schema.AssetID) num {
	sum := num{}
	for _, d := range s.deposits {
		credited := d.Status == schema.DepositHeld || d.Status == schema.DepositCredited && !d.Reversed
		if d.Chain == c.ID && d.Asset == asset && (credited || d.posted) {
			sum = sum.plus(of(d.Amount))
		}
	}
	for _, v := range s.invoices {
		if v.Chain == c.ID && v.Asset == asset && v.came() {
			sum = sum.plus(of(v.Amount))
		}
	}
	for _, w := range s.withdrawals {
		if w.Chain == c.ID && w.Asset == asset && w.left() && w.To == 0 {
			sum = sum.minus(of(w.Amount))
		}
	}
	for _, p := range s.payouts {
		if p.Chain == c.ID && p.native == asset {
			sum = sum.minus(p.cost)
		}
	}
	for _, f := range s.spendsOn(c) {
		sum = sum.minus(f.lost(asset)).plus(f.unbooked(asset))
	}
	return sum
}

// verifyCoins adds up the coins of a chain of others one by one.
func (s *chains) verifyCoins(c *chain, asset schema.AssetID) error {
	if !c.foreign() {
		return nil
	}
	sum := num{}
	for _, k := range s.coinsOf(c, asset) {
		if of(k.Amount).sign() < 0 {
			return fmt.Errorf("naive: coin %+v of asset %d", k, asset)
		}
		if k.Height != 0 || c.hasAccounts() {
			sum = sum.plus(of(k.Amount))
		}
	}
	if total := s.coins(c, asset); total.cmp(sum) != 0 {
		return fmt.Errorf("naive: coins of asset %d on %s are %v, and %v by what came and went", asset, c.Name, sum.rat(), total.rat())
	}
	return nil
}

// SpaceKeys are the keys of a family and a net that are not those of cold storage, if they were set.
func (x *Exchange) SpaceKeys(space schema.Space) (schema.Keys, bool) {
	return x.keysOf(space, false)
}

// ColdKeys are those of its cold storage, if they were set.
func (x *Exchange) ColdKeys(space schema.Space) (schema.Keys, bool) { return x.keysOf(space, true) }

func (x *Exchange) keysOf(space schema.Space, cold bool) (schema.Keys, bool) {
	if i := x.chains.keysAt(space.Family, space.Net, cold); i >= 0 {
		return x.chains.keys[i], true
	}
	return schema.Keys{}, false
}

// Native is the asset in which the fees of a chain are paid; 0: none.
func (x *Exchange) Native(id schema.ChainID) schema.AssetID {
	if native := x.chains.native(x.chains.chain(id)); native != nil {
		return native.ID
	}
	return 0
}

// Window is how many blocks after its anchor left a chain a payout can be dead.
func (x *Exchange) Window(id schema.ChainID) uint64 { return x.chains.window(x.chains.chain(id)) }

// Half reports whether parts of a block are missing.
func (x *Exchange) Half(id schema.ChainID) bool { return x.chains.chain(id).incomplete != nil }

// Payouts are those of a chain that can be asked for, by number.
func (x *Exchange) Payouts(id schema.ChainID) (list []schema.Payout) {
	for _, p := range x.chains.kept(x.chains.chain(id)) {
		list = append(list, p.Payout)
	}
	return list
}

// Parent is the payout of which one that can be asked for is a child; 0: it is none.
func (x *Exchange) Parent(id schema.PayoutID) schema.PayoutID {
	if p := x.chains.payout(id); p != nil {
		return p.parent
	}
	return 0
}

// NextPayout is the number of the next.
func (x *Exchange) NextPayout() schema.PayoutID { return schema.PayoutID(len(x.chains.payouts) + 1) }

// NextNonce is the number of the next transaction from an address.
func (x *Exchange) NextNonce(id schema.ChainID, index schema.AddressIndex, own schema.OwnAddress) uint64 {
	return x.chains.nextNonce(x.chains.chain(id), place{index, own})
}

// CoinsOf are the coins of an asset on a chain, by id, with those that left their blocks while a payout may spend them.
func (x *Exchange) CoinsOf(id schema.ChainID, asset schema.AssetID) []schema.Coin {
	return x.chains.coinsOf(x.chains.chain(id), asset)
}

// Spendable are the coins that a new payout may spend, by id.
func (x *Exchange) Spendable(id schema.ChainID) []schema.Coin {
	return x.chains.nativeCoins(id, x.chains.spendable)
}

// Free are those with the coins that wait for confirmations.
func (x *Exchange) Free(id schema.ChainID) []schema.Coin {
	return x.chains.nativeCoins(id, x.chains.unreserved)
}

// nativeCoins are the coins that are meant, by id, where there are coins.
func (s *chains) nativeCoins(id schema.ChainID, are func(*chain, *schema.Coin) bool) (list []schema.Coin) {
	c := s.chain(id)
	if native := s.native(c); native != nil && c.hasCoins() {
		for _, k := range s.coinsOf(c, native.ID) {
			if are(c, &k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// Available is what of an asset a new payout may take from an address.
func (x *Exchange) Available(id schema.ChainID, asset schema.AssetID, index schema.AddressIndex, own schema.OwnAddress) fixed.Decimal {
	return x.chains.available(x.chains.chain(id), asset, place{index, own}).decimal()
}

// Waiting are the queued withdrawals of an asset by a chain whose accounts are not blocked, in the order in which they were queued.
func (x *Exchange) Waiting(id schema.ChainID, asset schema.AssetID) (list []schema.Withdrawal) {
	for _, w := range x.chains.picked(x.chains.chain(id), asset, func(w *withdrawal) int { return w.queue }) {
		if !x.accounts.barred(w.Account) {
			list = append(list, w.Withdrawal)
		}
	}
	return list
}

// LastIndex is the highest number of an address that a chain knows.
func (x *Exchange) LastIndex(id schema.ChainID) schema.AddressIndex {
	return x.chains.lastIndex(x.chains.chain(id))
}

// Invoices are those that are open or suspended, by number.
func (x *Exchange) Invoices() (list []schema.Invoice) {
	for _, v := range x.chains.invoices {
		if !v.forgotten {
			list = append(list, v.Invoice)
		}
	}
	return list
}

// Booked is what was posted of an asset because of a chain or a provider.
func (x *Exchange) Booked(id schema.ChainID, asset schema.AssetID) fixed.Decimal {
	return x.chains.bookedOn(x.chains.chain(id), asset).decimal()
}
