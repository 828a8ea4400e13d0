package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"bourse/internal/archive"
	"bourse/internal/core"
	"bourse/internal/exchange"
	"bourse/internal/network"
)

type verifyCmd struct {
	dataFlag
	keyFlag
	ChainNode []string `name:"chain-node" placeholder:"NAME=URL" help:"Also hold the books against a node of a chain, as 'bourse serve --chain-node' names it; can be given several times."`
}

func (verifyCmd) Help() string {
	return `Reads every batch of the log, checks its checksum and that it continues the batch before it,
lives through all commands from the beginning, checks every invariant (that the money adds up, that
books and orders agree), restores every snapshot, and holds the watermark and the snapshots against
the log. Nothing in the directory is changed.

With --chain-node every coin that the books have on a chain is looked for there, as of the block where the
exchange stopped, and what was spent since without a plan of the log is named. That needs the master key.

Each finding stands on a line of its own and says what to do. The exit code is 0 when all is well
and 1 otherwise.`
}

func (c *verifyCmd) Validate() error {
	if err := each(c.ChainNode, checkChainNode); err != nil {
		return fmt.Errorf("--chain-node: %w", err)
	}
	return nil
}

func (c *verifyCmd) Run(out stdout, errs stderr) error {
	return c.look(errs, func(ctx context.Context, a *archive.Archive) error {
		report, err := a.Verify(ctx)
		if err != nil {
			return err
		}
		for _, finding := range report.Findings {
			fmt.Fprintf(out, "finding: %s\n", finding)
		}
		if err := report.Err(); err != nil {
			return fmt.Errorf("%s is not in order: %w", c.Data, err)
		}
		findings, err := c.chains(ctx, out, report.State, a.Progress)
		if err != nil {
			return err
		}
		if findings > 0 {
			return fmt.Errorf("the log is in order, but chains do not have what it says: %d findings", findings)
		}
		fmt.Fprintf(out, "all is well: batches %d, commands %d, snapshots %d\nhash %x\n",
			report.Batches, report.Commands, report.Snapshots, report.Hash)
		return nil
	})
}

// chains holds the books against the nodes that were named.
func (c *verifyCmd) chains(ctx context.Context, out io.Writer, books core.View, show archive.Progress) (findings int, err error) {
	for _, at := range chainNodes(c.ChainNode) {
		v, err := c.chain(ctx, at, books, show)
		if err != nil {
			return 0, fmt.Errorf("chain %s: %w", at.Chain, err)
		}
		for i := range v.Assets {
			a := &v.Assets[i]
			fmt.Fprintf(out, "chain %s, block %d: %s %s in the books, %s on the chain\n", at.Chain, v.At.Height, a.Ticker, a.Books, a.Chain)
			if a.Less.Sign() > 0 {
				findings++
				fmt.Fprintf(out, "finding: chain %s has %s %s less than the books: look for what spent it; nothing is paid there until that is explained\n", at.Chain, a.Less, a.Ticker)
			}
		}
		for _, tx := range v.Foreign {
			findings++
			fmt.Fprintf(out, "finding: transaction %s of chain %s spends what is ours and the log has no plan of it: a theft, or an older log than the one that planned it\n", tx, at.Chain)
		}
	}
	return findings, nil
}

func (c *verifyCmd) chain(ctx context.Context, at exchange.ChainNodes, books core.View, show archive.Progress) (*network.Verification, error) {
	found := books.Chains().ByName(at.Chain)
	if found == nil {
		return nil, errors.New("there is none of this name")
	}
	d, err := at.Dial(*found, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	key, err := c.read(c.Data)
	if err != nil {
		return nil, err
	}
	return network.Verify(ctx, network.Books{View: books, Key: key, Chain: *found, Progress: show}, d)
}
