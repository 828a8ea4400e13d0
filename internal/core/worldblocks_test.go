package core

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"bourse/internal/core/ledger"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// chainBlock draws the next block of a chain, or the next part of it, mostly.
func (w *world) chainBlock(t *dice, c *worldChain) *schema.ChainBlock {
	b := &schema.ChainBlock{Chain: w.chain(t, c), Height: pick[uint64](t, 1, 7, 1<<40), Hash: w.chains.name(), Parts: pick[uint32](t, 0, 1, 1, 1, 1, 1, 2, 3)}
	switch {
	case c.part != nil:
		b.Height, b.Hash, b.Parent, b.Part, b.Parts = c.part.Height, c.part.Hash, c.part.Parent, c.part.Part+1, c.part.Parts
	case len(c.blocks) > 0:
		last := c.blocks[len(c.blocks)-1]
		b.Height, b.Parent = last.height+1, last.hash
	case rarely(t):
		b.Height = 1<<62 - uint64(chance(t, 20)) + 2
	}
	if c.hurry > 0 {
		c.hurry--
		b.Parts = max(b.Part+1, 1)
		if c.part != nil {
			b.Parts = c.part.Parts
		}
	} else {
		for range pick(t, 0, 1, 1, 1, 2, 2, 3) {
			r := w.receipt(t, c)
			if !slices.ContainsFunc(b.Receipts, func(other schema.Receipt) bool { return other.ID == r.ID }) || rarely(t) {
				b.Receipts = append(b.Receipts, r)
			}
		}
	}
	if chance(t, 12) == 0 {
		switch chance(t, 7) {
		case 0:
			b.Height += pick[uint64](t, 1, math.MaxUint64)
		case 1:
			b.Parent = w.chains.name()
		case 2:
			b.Hash = pick(t, schema.Digest{}, b.Parent)
		case 3:
			b.Part += pick[uint32](t, 1, 2, math.MaxUint32)
		case 4:
			b.Parts += pick[uint32](t, 1, math.MaxUint32)
		case 5:
			b.Height = 0
		case 6:
			b.Receipts = append(b.Receipts, slices.Repeat([]schema.Receipt{{}}, pick(t, 1, schema.MaxReceipts, schema.MaxReceipts+1))...)
		}
	}
	return b
}

// receipt draws what a block pays: something new, or what a block paid that was rewound, sometimes something else by its name.
func (w *world) receipt(t *dice, c *worldChain) schema.Receipt {
	if len(c.missing) > 0 && coin(t) {
		r := c.missing[chance(t, len(c.missing))]
		switch chance(t, 12) {
		case 0:
			r.Amount = w.paidAmount(t, r.Asset)
		case 1:
			r.Index = w.payee(t, c)
		case 2:
			r.Asset = schema.AssetID(1 + chance(t, worldAssets))
		case 3:
			r.Text, r.Memo = "elsewhere", "m"
		}
		return r
	}
	r := w.payment(t, c)
	w.chains.named++
	r.ID = fmt.Sprintf("receipt %d", w.chains.named)
	if rarely(t) {
		r.ID = pick(t, "", strings.Repeat("i", schema.MaxReceiptID), strings.Repeat("i", schema.MaxReceiptID+1))
	}
	if known := c.blocks; len(known) > 0 && rarely(t) {
		if b := known[chance(t, len(known))]; len(b.receipts) > 0 {
			r.ID = b.receipts[0].ID
		}
	}
	return r
}

// payment draws who gets how much.
func (w *world) payment(t *dice, c *worldChain) schema.Receipt {
	r := schema.Receipt{Asset: schema.AssetID(1 + chance(t, 2)), Index: w.payee(t, c), Text: "address"}
	if r.Index == 0 && c.Driver != schema.Sandbox || rarely(t) {
		r.Own = schema.Hot
	}
	if c.Driver == schema.BitcoinNode && chance(t, 8) == 0 {
		r.Index, r.Own = 0, schema.PoolOwn
	}
	if rarely(t) {
		r.Own = pick(t, schema.PoolOwn, schema.PoolOwn, schema.PoolOwn-1, schema.PoolOwn+1)
	}
	if chance(t, 8) != 0 { // one that comes by the chain
		for asset := range schema.AssetID(worldAssets) {
			if w.comesBy(asset+1, c.ID) {
				r.Asset = asset + 1
			}
		}
	}
	if chance(t, 60) == 0 {
		r.Asset = pick(t, schema.AssetID(0), 3, 4)
	}
	r.Amount = w.paidAmount(t, r.Asset)
	if chance(t, 60) == 0 {
		r.Text = strings.Repeat("t", pick(t, 0, schema.MaxAddressText, schema.MaxAddressText+1))
	}
	if chance(t, 60) == 0 {
		r.Memo = strings.Repeat("m", pick(t, 1, schema.MaxMemo, schema.MaxMemo+1))
	}
	return r
}

// payee is the index of an address, mostly one that was opened.
func (w *world) payee(t *dice, c *worldChain) schema.AddressIndex {
	last := w.chains.last[c.Space()]
	if chance(t, 16) == 0 {
		return pick(t, 0, 0, 0, last+1)
	}
	if last == 0 {
		return 0
	}
	return schema.AddressIndex(1 + chance(t, int(last)))
}

func (w *world) paidAmount(t *dice, asset schema.AssetID) fixed.Decimal {
	amount := pick(t, fixed.FromInt(int64(1+chance(t, 300))), fixed.FromInt(int64(1+chance(t, 1000))), fixed.FromUnits(int64(100+chance(t, 90000)), 2))
	if w.edges != nil {
		amount = fixed.FromInt(int64(1 + chance(t, 1000)))
		if chance(t, 8) == 0 {
			half, _ := fixed.Div(ledger.Limit, fixed.FromInt(2), 0, fixed.Down)
			amount = pick(t, w.edges.money(t, asset), half)
		}
	}
	if chance(t, 50) == 0 {
		amount = pick(t, fixed.Zero, fixed.FromInt(-1), smallest, fixed.One.Add(smallest), fixed.Max, ledger.Limit, cut(ledger.Limit, 12))
	}
	return amount
}

// chainRewind rewinds a chain by a few blocks.
func (w *world) chainRewind(t *dice, c *worldChain) *schema.ChainRewind {
	r := &schema.ChainRewind{Chain: w.chain(t, c), Hash: w.chains.name()}
	if len(c.blocks) == 0 {
		return r
	}
	depth := 1 + chance(t, 6)
	if c.part != nil && coin(t) {
		depth = 0
	}
	to := c.blocks[max(0, len(c.blocks)-1-depth)]
	r.Height, r.Hash = to.height, to.hash
	switch chance(t, 60) {
	case 0:
		r.Hash = w.chains.name()
	case 1:
		r.Height += pick[uint64](t, 1, 100)
	case 2:
		r.Height = c.blocks[0].height - 1 // deeper than anybody remembers
	}
	return r
}

func (w *world) reorg(t *dice, c *worldChain) *schema.ReorgSandbox {
	r := &schema.ReorgSandbox{Chain: w.chain(t, c), Depth: uint32(1 + chance(t, 6)), DropAll: chance(t, 4) == 0}
	if coin(t) {
		r.Drop = schema.SandboxReceipt(c.Name, 1+uint64(chance(t, int(c.paid)+1)))
	}
	if rarely(t) {
		r.Depth = pick[uint32](t, 0, 50, 100, 101)
	}
	if rarely(t) {
		r.Drop = strings.Repeat("d", pick(t, schema.MaxReceiptID, schema.MaxReceiptID+1))
	}
	return r
}

// took notes a block that was taken, or a part of one.
func (c *worldChain) took(b *schema.ChainBlock) {
	c.partly = append(c.partly, b.Receipts...)
	for _, r := range b.Receipts {
		c.missing = slices.DeleteFunc(c.missing, func(m schema.Receipt) bool { return m.ID == r.ID })
	}
	if c.part = b; b.Part+1 < max(b.Parts, 1) {
		return
	}
	c.blocks = append(c.blocks, worldBlock{b.Height, b.Hash, c.partly})
	c.part, c.partly = nil, nil
}

// rewound notes what is missing now, and says how many blocks went.
func (c *worldChain) rewound(r *schema.ChainRewind) (depth int) {
	if r.Height < c.blocks[0].height {
		return 0 // it is halted
	}
	c.missing = append(c.missing, c.partly...)
	c.part, c.partly = nil, nil
	for c.blocks[len(c.blocks)-1].height > r.Height {
		c.missing = append(c.missing, c.blocks[len(c.blocks)-1].receipts...)
		c.blocks = c.blocks[:len(c.blocks)-1]
		depth++
	}
	return depth
}
