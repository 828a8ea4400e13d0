package main

import (
	"fmt"
	"io"
	"os"

	"bourse/internal/story"
)

type playCmd struct {
	File string `arg:"" optional:"" help:"The story to play; '-' reads standard input. Without one: a tour of the exchange."`
}

func (playCmd) Help() string {
	return `A story is a text with one command a line, such as

  alice buys 1 BTC_USDT @ 100 postonly

Below each line stands what came of it. The exchange lives in memory and ends with the story.
A market whose name ends in _PERP is a future, which is traded with collateral; 'market AAPL_USD tradfi'
lists one with prices in USD:

  give bob 1000 USDT as collateral
  bob uses leverage 100
  bob buys 1 BTC_PERP @ 50000
  index BTC_PERP 49270
  show margin bob

A spot market with a leverage has margin too; an order there says so if collateral pays for it:

  market BTC_USDT leverage 10 liquidationband 2
  bob buys 1.9 BTC_USDT @ 50000 margin

Orders that collateral pays for can depend on each other: an order with its take profit and stop
loss, two orders of which the first fill ends the other, a take profit or stop loss for a whole
position:

  bob buys 1 BTC_PERP @ 50000 take profit 51000 stop loss 49500
  bob sells 1 BTC_PERP @ 51000 or @ 49400 once 49500
  bob protects BTC_PERP stop loss 49500

Without a file the tour is played, which shows what can be said. A line that is not understood is
answered with how such lines are written.`
}

func (c *playCmd) Run(out stdout) error {
	switch c.File {
	case "":
		return story.Run(out, "tour", story.Default())
	case "-":
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return fmt.Errorf("reading the story: %w", err)
		}
		return story.Run(out, "standard input", string(text))
	default:
		text, err := os.ReadFile(c.File)
		if err != nil {
			return fmt.Errorf("reading the story: %w", err)
		}
		return story.Run(out, c.File, string(text))
	}
}
