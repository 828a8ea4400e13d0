package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bourse/internal/core"
	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// meeting is a block that a halted chain does not take, and the transaction in it that nobody planned or adopted; "": there is none.
type meeting struct {
	block schema.Digest
	tx    string
}

// halted says why a chain is halted, as far as the node's next block shows it, and what operators can do.
func (l *Link) halted(ctx context.Context, s *stand) error {
	tx, err := l.foreign(ctx, s)
	if err != nil || tx == "" {
		return errors.Join(errors.New("it is halted: it was rewound too deep, or something of ours was spent that the log has no plan of. Compare the log with the chain; 'bourse operator chain resume --at' lets it go on"), err)
	}
	return fmt.Errorf("it is halted: transaction %s in its next block spends what is ours, and the log has no plan of it: a theft, or a log that is older than the chain. "+
		"When people know what it is, two operators let the exchange bear it: 'bourse operator chain adopt %s %s'", tx, l.o.Chain, tx)
}

// foreign is the transaction in the node's next block that a chain was halted for; "" if there is none. A block is read once.
func (l *Link) foreign(ctx context.Context, s *stand) (string, error) {
	if len(s.points) == 0 {
		return "", nil
	}
	cursor := s.cursor()
	at, known, err := l.o.Driver.At(ctx, cursor.Height)
	if err != nil || !known || at.Hash != cursor.Hash {
		return "", err
	}
	next, known, err := l.o.Driver.At(ctx, cursor.Height+1)
	if err != nil || !known || next.Hash == l.met.block {
		return l.met.tx, err
	}
	b, err := l.o.Driver.Block(ctx, next, &scan{index: &l.index, ctx: ctx})
	if err != nil {
		return "", err
	}
	whole, err := l.blockOf(b)
	if err != nil {
		return "", err
	}
	l.met = meeting{next.Hash, whole.Foreign}
	return l.met.tx, nil
}

// adopted are the transactions that operators adopted.
func (l *Link) adopted() (list []string) {
	l.o.Node.Read(func(m core.View) { list = m.Chains().Adopted(l.id) })
	return list
}

// adopt writes what an adopted transaction took as the log has it. Somebody else's may have moved tokens of several addresses: it comes once
// for each.
func (l *Link) adopt(m *schema.ChainBlock, s *driver.Spend, list []offered, native *offered) error {
	at := slices.IndexFunc(m.Adopted, func(a schema.ForeignSpend) bool { return a.Tx == s.Tx })
	if at < 0 {
		at = len(m.Adopted)
		m.Adopted = append(m.Adopted, schema.ForeignSpend{Tx: s.Tx})
	}
	spend := &m.Adopted[at]
	if len(s.Coins) > 0 {
		spend.Inputs = s.Coins
		spend.Asset = l.assetOf(s.Coins[0], native)
		return nil
	}
	if s.Sent {
		spend.Index, spend.Own, spend.Nonce = s.From.Index, s.From.Own, s.Nonce
		if native != nil {
			take(spend, native, s.From, s.Value)
			take(spend, native, s.From, s.Fee)
		}
	}
	for _, move := range s.Moves {
		key, err := l.o.Driver.Key(move.From)
		if err != nil {
			return err
		}
		asset := find(list, move.Contract, l.o.Driver)
		if from, ours := l.index.Place(key); ours && asset != nil {
			take(spend, asset, from, move.Units)
		}
	}
	return nil
}

// assetOf is the asset of a coin of ours. One that its own block made is of the asset that is offered.
func (l *Link) assetOf(id string, native *offered) (asset schema.AssetID) {
	l.o.Node.Read(func(m core.View) { asset, _, _ = m.Chains().Coin(l.id, id) })
	if asset == 0 && native != nil {
		asset = native.id
	}
	return asset
}

// take adds an amount to what a transaction took from an address. More than a ledger holds is as much as that: no address has more.
func take(spend *schema.ForeignSpend, asset *offered, from driver.Place, units driver.Units) {
	if units == nil || units.Sign() == 0 {
		return
	}
	most, _ := ledger.Limit.Round(int(asset.decimals), fixed.Down)
	amount, fits := driver.Amount(units, asset.decimals)
	if !fits {
		amount = most
	}
	amount = fixed.MinOf(most, amount)
	at := slices.IndexFunc(spend.Takes, func(t schema.ForeignTake) bool {
		return t.Asset == asset.id && t.Index == from.Index && t.Own == from.Own
	})
	if at < 0 {
		spend.Takes = append(spend.Takes, schema.ForeignTake{Asset: asset.id, Index: from.Index, Own: from.Own, Amount: amount})
		return
	}
	spend.Takes[at].Amount = fixed.MinOf(most, spend.Takes[at].Amount.Add(amount))
}
