package earn

import (
	"bourse/internal/core/slab"
	"bourse/internal/core/tree"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// debts are what investments are owed, because the account of interest did not have it. They are paid to main wallets as soon as it has,
// of each asset the first by number, whole sums only. While anything of an asset is owed nobody can invest in flex plans of it.
type debts struct {
	all   slab.Slab[debt]
	nodes tree.Store[creditor]
	order []tree.Tree[creditor]    // of asset i+1
	count int                      // of all
	of    map[schema.AccountID]int // how many an account is owed; only ever asked
}

// debt is what one investment is owed. The investment may be closed.
type debt struct {
	investment schema.InvestmentID
	account    schema.AccountID
	plan       schema.PlanID
	amount     fixed.Decimal
}

// creditor is an investment that is owed something. The first is the greatest: it is in front of the tree.
type creditor schema.InvestmentID

func (c creditor) Less(other creditor) bool { return c > other }

// add notes a debt of an asset.
func (d *debts) add(asset schema.AssetID, owed debt) {
	for int(asset) > len(d.order) {
		d.order = append(d.order, tree.Tree[creditor]{})
	}
	place, at := d.all.Take()
	*at = owed
	d.order[asset-1].Put(&d.nodes, creditor(owed.investment), place)
	d.count++
	d.of[owed.account]++
}

// first is the debt of an asset that is paid first, or nil.
func (d *debts) first(asset schema.AssetID) *debt {
	if int(asset) > len(d.order) {
		return nil
	}
	if last := d.order[asset-1].Last(); last.Found() {
		return d.all.At(last.Item())
	}
	return nil
}

// take takes the first debt of an asset away.
func (d *debts) take(asset schema.AssetID) debt {
	place := d.order[asset-1].Last().Item()
	owed := *d.all.At(place)
	d.order[asset-1].Remove(&d.nodes, creditor(owed.investment))
	d.all.Give(place)
	d.count--
	if d.of[owed.account]--; d.of[owed.account] == 0 {
		delete(d.of, owed.account)
	}
	return owed
}

// owes reports whether anything of an asset is owed.
func (e *Earn) owes(asset schema.AssetID) bool { return e.debts.first(asset) != nil }

// pays reports whether a credit can be paid: nothing is owed before it, and there is as much.
func (e *Earn) pays(asset schema.AssetID, amount fixed.Decimal) bool {
	return !e.owes(asset) && amount.Cmp(e.ledger.Available(e.house(asset))) <= 0
}

// owe adds to what an investment is owed.
func (e *Earn) owe(v *investment, asset schema.AssetID, amount fixed.Decimal) {
	d := &e.debts
	if int(asset) <= len(d.order) {
		if spot := d.order[asset-1].Find(&d.nodes, creditor(v.id)); spot.Found() {
			at := d.all.At(spot.Item())
			at.amount = plus(at.amount, amount)
			return
		}
	}
	d.add(asset, debt{v.id, v.account, v.plan, amount})
}

// covers reports whether the first debt of an asset can be paid.
func (e *Earn) covers(asset schema.AssetID) bool {
	first := e.debts.first(asset)
	return first != nil && first.amount.Cmp(e.ledger.Available(e.house(asset))) <= 0
}

// payable reports whether any debt can be paid.
func (e *Earn) payable() bool {
	if e.debts.count == 0 {
		return false
	}
	for i := range e.debts.order {
		if e.covers(schema.AssetID(i + 1)) {
			return true
		}
	}
	return false
}

// payDebts pays what can be paid, some at once.
func (e *Earn) payDebts() {
	left := debtSlice
	for i := range e.debts.order {
		asset := schema.AssetID(i + 1)
		for ; left > 0 && e.covers(asset); left-- {
			owed := e.debts.take(asset)
			v := &investment{id: owed.investment, account: owed.account, plan: owed.plan, main: e.ledger.Open(owed.account, schema.Main, asset)}
			e.toMain(v, e.house(asset), asset, owed.amount)
			e.earned(v, asset, owed.amount, schema.EarnDaily)
		}
	}
}
