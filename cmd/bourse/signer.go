package main

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"bourse/internal/custody"
	"bourse/internal/schema"
)

// signerCmd is a signer on a machine of its own.
type signerCmd struct {
	Init    signerInitCmd    `cmd:"" help:"Make the directory of a signer: its keys, its journal, and what it and the exchange know each other by."`
	Serve   signerServeCmd   `cmd:"" help:"Sign for an exchange."`
	Release signerReleaseCmd `cmd:"" help:"Say that a payout never pays its withdrawals, so that another one may."`
}

func (signerCmd) Help() string {
	return `A signer has the seed on a machine of its own and believes nothing that the exchange says. It reads every transaction itself and
derives the exchange's addresses itself; it pays a withdrawal by one payout only, whatever happens to the exchange and its log; and it
pays no more than people wrote down beside it. Who takes over the exchange gets what the limits let through, and not the keys.

The directory has

  limits.json     what it signs; people write it, and it is read at the start
  signer.journal  what it signed, durable before a signature leaves
  signer.pem      its certificate, and the pin of the exchange's
  exchange.pem    the same for the exchange: move it into the exchange's data directory
  custody.seed, master.key, master.check

Where limits.json lets real coins leave (mainnets), the signer does not start with the seed and the master key in one place: who copies the
directory would have the coins. --master-key names another file for the key, from 'signer init' on.

limits.json names chains as the exchange does. What is not in it is not signed:

  {"chains": {"BTC": {"family": "bitcoin", "net": "mainnet", "fee": "0.002", "feeDay": "0.05",
                      "assets": {"BTC": {"decimals": 8, "payout": "1", "hour": "2", "day": "10"}}},
              "ETH": {"family": "evm", "net": "mainnet", "number": 1, "fee": "0.05", "feeDay": "1",
                      "assets": {"ETH":  {"decimals": 18, "payout": "20", "hour": "40", "day": "200"},
                                 "USDT": {"contract": "0xdAC17F958D2ee523a2206206994597C13D831ec7", "decimals": 6,
                                          "payout": "50000", "hour": "100000", "day": "500000"}}}}}

A payout is a transaction, an hour one of the clock, a day that hour and the 23 before it. fee bounds what a transaction costs and feeDay what all of a
day do, in the chain's own asset.

Large withdrawals can need the signatures of operators. "operators" beside "chains" has their public keys, by the names by which the
exchange knows them ('bourse operator key show' prints a key), and an asset has "approveAbove", above which a withdrawal needs one
of them, and "approve2Above" for two; "0" is all withdrawals:

  {"operators": {"olga": "…64 hexadecimal digits…", "otto": "…"}, "chains": …  "day": "10", "approveAbove": "0.5", "approve2Above": "2"

Operators sign with 'bourse operator withdrawal ID approve --key FILE'. What lacks a signature stays queued in the exchange.`
}

// signerDir is the directory of a signer.
type signerDir struct {
	Dir     string `arg:"" type:"path" help:"The directory of the signer."`
	keyFlag `embed:""`
}

type signerInitCmd struct {
	signerDir `embed:""`
	From      string `placeholder:"DIR" type:"existingdir" help:"Take the seed of this directory instead of a new one, for an exchange that has addresses already."`
	FromKey   string `name:"from-master-key" placeholder:"FILE" type:"existingfile" help:"The master key of --from, if it is not in that directory."`
}

func (signerInitCmd) Help() string {
	return `Move exchange.pem into the data directory of the exchange, write limits.json, and keep copies of custody.seed and master.key apart. A seed that
was elsewhere before (--from) is safe here only when it is there no more.

The journal is the signer's memory: a signer that lost it, or got an older one from a backup, can be made to pay again what it paid. Never
make a second signer with the same seed.`
}

// Validate is called by kong.
func (c *signerInitCmd) Validate() error {
	if c.FromKey != "" && c.From == "" {
		return errors.New("--from-master-key is the key of a directory; name that with --from")
	}
	return nil
}

func (c *signerInitCmd) Run(out stdout) error {
	var from *custody.Seed
	if c.From != "" {
		var err error
		if from, err = (&seedFlag{c.From, keyFlag{c.FromKey}}).open(); err != nil {
			return err
		}
	}
	if err := custody.Init(c.Dir, c.MasterKey, from); err != nil {
		return err
	}
	fmt.Fprintf(out, "made the signer in %s\nmove %s into the data directory of the exchange\nwrite what may leave into %s: until then nothing is signed\n",
		c.Dir, filepath.Join(c.Dir, custody.ClientFile), filepath.Join(c.Dir, custody.LimitsFile))
	return nil
}

type signerServeCmd struct {
	signerDir `embed:""`
	Listen    string   `default:"127.0.0.1:8455" placeholder:"ADDRESS" help:"Where the exchange reaches the signer; by default 127.0.0.1:8455."`
	Check     bool     `help:"Only check the directory."`
	Log       logFlags `embed:""`
}

func (signerServeCmd) Help() string {
	return `Serves until SIGTERM or Ctrl-C. Only the exchange that has exchange.pem of this directory is heard; 'bourse serve --signer
remote:https://ADDRESS' is how it asks. Whatever is signed or refused is logged with its reason.`
}

func (c *signerServeCmd) Run(out stdout, errs stderr) (err error) {
	guard, err := custody.OpenGuard(c.Dir, c.MasterKey, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, guard.Close()) }()
	if c.Check {
		return nil
	}
	ctx, stop := interruptible()
	defer stop()
	at, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	fmt.Fprintf(out, "signing at https://%s\n", at.Addr())
	return custody.Serve(ctx, at, c.Dir, guard, c.Log.logger(errs))
}

type signerReleaseCmd struct {
	signerDir `embed:""`
	Payout    uint64 `arg:"" help:"The number of the payout."`
}

func (signerReleaseCmd) Help() string {
	return `A withdrawal is paid by one payout. If that failed on its chain, or was given up, or is dead because its coins are gone, the
exchange pays the withdrawal by another one, which the signer refuses until a person says here that the first never pays. Look at the chain before:
who is wrong lets the withdrawals be paid twice. The signer must not be running.`
}

func (c *signerReleaseCmd) Run(out stdout) (err error) {
	guard, err := custody.OpenGuard(c.Dir, c.MasterKey, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, guard.Close()) }()
	freed, err := guard.Release(schema.PayoutID(c.Payout))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "payout %d pays nobody any more; another one may pay withdrawals %v\n", c.Payout, freed)
	return nil
}
