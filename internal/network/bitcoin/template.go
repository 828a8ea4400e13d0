package bitcoin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/btcsuite/btcd/chainhash/v2"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// commits is how the script begins that binds the witnesses of a block: an output that returns nothing, and a mark. btcd gives the hash behind it alone.
const commits = "6a24aa21a9ed"

const sizeHeader = 80 // bytes

// Template is a block to be mined now, as the node would make it.
func (c *Chain) Template(ctx context.Context) (*driver.Template, error) {
	rules := []string{"segwit"}
	if c.space.Net == schema.Signet {
		rules = append(rules, "signet")
	}
	var said struct {
		Version    uint32 `json:"version"`
		Parent     string `json:"previousblockhash"`
		Value      uint64 `json:"coinbasevalue"`
		MinTime    uint32 `json:"mintime"`
		Time       uint32 `json:"curtime"`
		Bits       string `json:"bits"`
		Height     uint64 `json:"height"`
		Commitment string `json:"default_witness_commitment"`
		Txs        []struct {
			Data string `json:"data"`
			ID   string `json:"txid"`
		} `json:"transactions"`
	}
	if err := c.call(ctx, &said, "getblocktemplate", map[string]any{"rules": rules, "capabilities": []string{"coinbasevalue"}}); err != nil {
		return nil, err
	}
	bits, err := strconv.ParseUint(said.Bits, 16, 32)
	if err != nil {
		return nil, fmt.Errorf("bitcoin node: the bits of a template are %.20q", said.Bits)
	}
	parent, err := readHash(said.Parent)
	if err != nil {
		return nil, err
	}
	t := &driver.Template{
		Height: said.Height, Parent: parent, Version: said.Version, Bits: uint32(bits), MinTime: said.MinTime, Time: said.Time, Value: said.Value,
	}
	if said.Commitment != "" {
		text := said.Commitment
		if !strings.HasPrefix(text, commits) {
			text = commits + text
		}
		if t.Commitment, err = hex.DecodeString(text); err != nil {
			return nil, fmt.Errorf("bitcoin node: what binds the witnesses of a template is %.100q", said.Commitment)
		}
	}
	for _, tx := range said.Txs {
		raw, err := hex.DecodeString(tx.Data)
		if err != nil {
			return nil, fmt.Errorf("bitcoin node: transaction %.80s of a template cannot be read", tx.ID)
		}
		id, err := readHash(tx.ID)
		if err != nil {
			return nil, err
		}
		t.Txs = append(t.Txs, driver.TemplateTx{ID: id, Raw: raw})
	}
	return t, nil
}

// Submit gives a block to the node. It was taken if it is on the node's chain then: btcd says no less of one that lost against another.
func (c *Chain) Submit(ctx context.Context, block []byte) error {
	var no *string
	if err := c.call(ctx, &no, "submitblock", hex.EncodeToString(block)); err != nil {
		return err
	}
	if no != nil && *no != "duplicate" && !strings.Contains(*no, "already have block") {
		return fmt.Errorf("%w: %.200s", driver.ErrBlock, *no)
	}
	var header struct {
		Confirmations int `json:"confirmations"`
	}
	hash := digest(chainhash.DoubleHashH(block[:min(len(block), sizeHeader)]))
	var unknown *refusal
	switch err := c.call(ctx, &header, "getblockheader", hex.EncodeToString(hash[:]), true); {
	case errors.As(err, &unknown), err == nil && header.Confirmations < 0:
		return fmt.Errorf("%w: another of its height was first", driver.ErrBlock)
	default:
		return err
	}
}
