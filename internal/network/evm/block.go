package evm

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// block is a block with its transactions.
type block struct {
	header
	Transactions []transaction `json:"transactions"`
}

type transaction struct {
	Hash  digest   `json:"hash"`
	From  account  `json:"from"`
	To    *account `json:"to"` // nil: it makes a contract
	Value quantity `json:"value"`
	Nonce quantity `json:"nonce"`
}

// receipt is what became of a transaction.
type receipt struct {
	Tx      digest   `json:"transactionHash"`
	Block   digest   `json:"blockHash"`
	Status  quantity `json:"status"`
	GasUsed quantity `json:"gasUsed"`
	Price   quantity `json:"effectiveGasPrice"`
	L1Fee   quantity `json:"l1Fee"` // what some chains charge for writing to the chain below them
	Logs    []event  `json:"logs"`
}

// event is something that a contract said.
type event struct {
	Contract account  `json:"address"`
	Topics   []digest `json:"topics"`
	Data     string   `json:"data"`
}

const (
	blockReceipts = "eth_getBlockReceipts"
	oneReceipt    = "eth_getTransactionReceipt"
)

// Block implements driver.Chain. ErrMoved if the node does not know the block any more.
func (c *Chain) Block(ctx context.Context, at driver.Point, ours driver.Lookup) (*driver.Block, error) {
	var b block
	if err := c.read(ctx, ask("eth_getBlockByHash", &b, digest(at.Hash).String(), true)); err != nil {
		return nil, fmt.Errorf("block %d: %w", at.Height, err)
	}
	if got, err := b.point(); err != nil || got != at {
		return nil, fmt.Errorf("block %d: asked for %s, the node gave block %s with %s", at.Height, digest(at.Hash), b.Number, b.Hash)
	}
	receipts, err := c.receipts(ctx, &b)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", at.Height, err)
	}
	traces, err := c.traces(ctx, &b, at.Height)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", at.Height, err)
	}
	found := &driver.Block{Point: at, Parent: schema.Digest(b.Parent)}
	for i := range b.Transactions {
		tx := &b.Transactions[i]
		if err := scan(found, tx, &receipts[i], traces[tx.Hash], ours); err != nil {
			return nil, fmt.Errorf("block %d: transaction %s: %w", at.Height, tx.Hash, err)
		}
	}
	return found, nil
}

// read asks for something that is there as long as its block is.
func (c *Chain) read(ctx context.Context, q *call) error {
	if err := c.node.single(ctx, q); err != nil {
		return err
	}
	if q.absent {
		return fmt.Errorf("%s: %w", q.method, driver.ErrMoved)
	}
	return q.err()
}

// receipts of the transactions of a block, in their order.
func (c *Chain) receipts(ctx context.Context, b *block) ([]receipt, error) {
	if len(b.Transactions) == 0 {
		return nil, nil
	}
	var list []receipt
	all := ask(blockReceipts, &list, atHash(b.Hash))
	err := c.read(ctx, all)
	if all.fault != nil && all.fault.Code == codeNoMethod {
		list, err = c.receiptsOneByOne(ctx, b)
	}
	if err != nil {
		return nil, err
	}
	if len(list) != len(b.Transactions) {
		return nil, fmt.Errorf("%d transactions have %d receipts", len(b.Transactions), len(list))
	}
	for i := range list {
		if list[i].Tx != b.Transactions[i].Hash {
			return nil, fmt.Errorf("transaction %s has the receipt of %s", b.Transactions[i].Hash, list[i].Tx)
		}
		if list[i].Block != b.Hash { // the chain went another way between the two questions
			return nil, fmt.Errorf("transaction %s has a receipt of block %s: %w", list[i].Tx, list[i].Block, driver.ErrMoved)
		}
	}
	return list, nil
}

func (c *Chain) receiptsOneByOne(ctx context.Context, b *block) ([]receipt, error) {
	list, calls := make([]receipt, len(b.Transactions)), make([]*call, len(b.Transactions))
	for i := range calls {
		calls[i] = ask(oneReceipt, &list[i], b.Transactions[i].Hash.String())
	}
	if err := c.node.many(ctx, calls); err != nil {
		return nil, err
	}
	for _, q := range calls {
		if q.absent {
			return nil, fmt.Errorf("%s: %w", q.method, driver.ErrMoved)
		}
		if err := q.err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// scan adds what is ours in a transaction.
func scan(found *driver.Block, tx *transaction, r *receipt, steps []trace, ours driver.Lookup) error {
	sender, sends := ours.Place(tx.From[:])
	var payee driver.Place
	paid := false
	if tx.To != nil && !tx.Value.isZero() {
		payee, paid = ours.Place(tx.To[:])
	}
	if !sends && !paid && len(r.Logs) == 0 && len(steps) < 2 {
		return nil
	}
	failed, err := r.failed()
	if err != nil {
		return err
	}
	if paid && !failed {
		units, err := tx.Value.units()
		if err != nil {
			return err
		}
		found.Receipts = append(found.Receipts, driver.Receipt{
			ID: tx.Hash.String() + ":v", Tx: tx.Hash.String(), Place: payee, Text: written(*tx.To), Units: units,
		})
	}
	if failed {
		r.Logs, steps = nil, nil // there are none, whatever the node says
	}
	moves := r.transfers(ours)
	for _, m := range moves {
		if place, our := ours.Place(m.to[:]); our {
			found.Receipts = append(found.Receipts, driver.Receipt{
				ID: fmt.Sprintf("%s:%d", tx.Hash, m.position), Tx: tx.Hash.String(), Place: place, Text: written(m.to),
				Contract: written(m.contract), Units: m.units,
			})
		}
	}
	within, err := inside(tx, steps, ours)
	if err != nil {
		return err
	}
	found.Receipts = append(found.Receipts, within...)
	if !sends {
		found.Spends = append(found.Spends, taken(tx, moves, ours)...)
		return nil
	}
	spend := driver.Spend{Tx: tx.Hash.String(), From: sender, Sent: true, Failed: failed, Moves: moved(moves)}
	if !failed && !tx.Value.isZero() {
		if spend.Value, err = tx.Value.units(); err != nil {
			return err
		}
	}
	if spend.Nonce, err = tx.Nonce.uint(); err != nil {
		return err
	}
	if spend.Fee, err = r.fee(); err != nil {
		return err
	}
	found.Spends = append(found.Spends, spend)
	return nil
}

func (r *receipt) failed() (bool, error) {
	switch r.Status {
	case "0x1":
		return false, nil
	case "0x0":
		return true, nil
	}
	return false, fmt.Errorf("its receipt has the status %.80q", string(r.Status))
}

// fee is what a transaction cost.
func (r *receipt) fee() (driver.Units, error) {
	used, err := r.GasUsed.units()
	if err != nil {
		return nil, fmt.Errorf("gasUsed: %w", err)
	}
	price, err := r.Price.units()
	if err != nil {
		return nil, fmt.Errorf("effectiveGasPrice: %w", err)
	}
	fee := new(big.Int).Mul(used, price)
	if r.L1Fee == "" {
		return fee, nil
	}
	below, err := r.L1Fee.units()
	if err != nil {
		return nil, fmt.Errorf("l1Fee: %w", err)
	}
	return fee.Add(fee, below), nil
}

// transferEvent is the first topic of what a token says when it moves.
var transferEvent = digest(keccak([]byte("Transfer(address,address,uint256)")))

// transfer is a move of a listed token. Its position is that in the logs of its own receipt: that in the block is another one when
// the transaction comes into another block.
type transfer struct {
	contract, from, to account
	units              driver.Units
	position           int
}

// transfers of listed tokens. One of nothing is none: tokens let anybody move nothing from any address, and some do that to be seen in
// the history of others.
func (r *receipt) transfers(ours driver.Lookup) []transfer {
	var list []transfer
	for i := range r.Logs {
		e := &r.Logs[i]
		if len(e.Topics) != 3 || e.Topics[0] != transferEvent || !ours.Contract(e.Contract[:]) {
			continue
		}
		units, err := e.units()
		from, isFrom := accountOf(e.Topics[1][:])
		to, isTo := accountOf(e.Topics[2][:])
		if err != nil || !isFrom || !isTo || units.Sign() == 0 {
			continue
		}
		list = append(list, transfer{contract: e.Contract, from: from, to: to, units: units, position: i})
	}
	return list
}

// units is the amount of a transfer: a word of 32 bytes and nothing else.
func (e *event) units() (driver.Units, error) {
	var word digest
	if err := word.UnmarshalText([]byte(e.Data)); err != nil {
		return nil, err
	}
	return new(big.Int).SetBytes(word[:]), nil
}

// taken are the transfers from addresses of ours in a transaction of somebody else, a spend for each address: we allowed it, or the
// token lets its issuer do that.
func taken(tx *transaction, moves []transfer, ours driver.Lookup) []driver.Spend {
	var spends []driver.Spend
	var seen []account
	for i, m := range moves {
		place, our := ours.Place(m.from[:])
		if !our || slices.Contains(seen, m.from) {
			continue
		}
		seen = append(seen, m.from)
		var same []transfer
		for _, other := range moves[i:] {
			if other.from == m.from {
				same = append(same, other)
			}
		}
		spends = append(spends, driver.Spend{Tx: tx.Hash.String(), From: place, Moves: moved(same)})
	}
	return spends
}

func moved(list []transfer) []driver.Move {
	var moves []driver.Move
	for _, m := range list {
		moves = append(moves, driver.Move{Contract: written(m.contract), From: written(m.from), To: written(m.to), Units: m.units})
	}
	return moves
}
