package main

import (
	"fmt"
	"os"

	"bourse/internal/custody"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// custodyCmd is about the seed that all keys on chains of others come from.
type custodyCmd struct {
	Create custodyCreateCmd `cmd:"" help:"Make the seed that all keys on chains of others come from."`
	Public custodyPublicCmd `cmd:"" help:"Print the fingerprints of the keys and the first addresses, for each net."`
	Sign   custodySignCmd   `cmd:"" help:"Sign a transaction that waits for a person, on a machine without a network."`
}

func (custodyCmd) Help() string {
	return `An exchange that real chains pay to has a seed: 32 random bytes that the keys of all its addresses come from, in
DIR/custody.seed, sealed by the master key. Who has both files has the coins; without both nobody has them,
for ever. Keep copies of both, apart from each other and from the machine; 'bourse backup' holds them only with
--with-keys. An exchange that signs for real coins does not start with both in its data directory: --master-key names
another file for the key, here and everywhere.

'bourse serve --signer' says who signs: hot (the seed is in the process), manual:DIR (people, with the seed on a
machine without a network) or remote:URL ('bourse signer' on a machine of its own).`
}

// seedFlag is where a seed is.
type seedFlag struct {
	Data    string `required:"" placeholder:"DIR" type:"path" help:"The directory that has the seed and the master key: the data directory of the exchange, or one on another machine."`
	keyFlag `embed:""`
}

func (f *seedFlag) open() (*custody.Seed, error) {
	if _, err := os.Stat(f.Data); err != nil { // which the master key would not need
		return nil, fmt.Errorf("--data: %w", err)
	}
	key, err := f.load(f.Data)
	if err != nil {
		return nil, err
	}
	return custody.Open(f.Data, key)
}

type custodyCreateCmd struct {
	seedFlag `embed:""`
}

func (custodyCreateCmd) Help() string {
	return `Makes DIR/custody.seed, and the master key, in DIR/master.key or where --master-key says, where there is none. A seed that is there is never replaced. The directory is made if
it is not there: a seed that people sign with is made on the machine that they sign on, not on the exchange's.

Make copies of custody.seed and master.key before the first customer gets an address.`
}

func (c *custodyCreateCmd) Run(out stdout) error {
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return err
	}
	key, err := c.load(c.Data)
	if err != nil {
		return err
	}
	if _, err := custody.Create(c.Data, key); err != nil {
		return err
	}
	fmt.Fprintf(out, "made the seed in %s\ncopy it and the master key to two other places, now: without them nobody can spend what customers pay in\n", c.Data)
	return nil
}

type custodyPublicCmd struct {
	seedFlag `embed:""`
	Out      string `placeholder:"FILE" type:"path" help:"Also write the public keys into this file, for an exchange whose people sign on this machine. Nothing can be spent with it, but it shows every address, and with the key of a single one all others could be computed: keep it secret."`
	JSON     bool   `name:"json" help:"Print JSON."`
}

func (custodyPublicCmd) Help() string {
	return `The fingerprint says which keys a space of addresses has; nodes, signers and the log must agree on it. The first address is that of
the first customer, in the usual form; the hot address is the exchange's own, which operators top up.

With --out the public keys go into a file. Bring it into the directory of 'bourse serve --signer manual:DIR' as DIR/custody.public.`
}

func (c *custodyPublicCmd) Run(out stdout) error {
	seed, err := c.open()
	if err != nil {
		return err
	}
	table := &rows{out: out, json: c.JSON}
	var list []custody.Public
	for _, family := range []schema.Family{schema.Bitcoin, schema.EVM} {
		for net := schema.Mainnet; schema.Valid(net); net++ {
			p, err := seed.Public(schema.Space{Family: family, Net: net})
			if err != nil {
				return err
			}
			first, _, err := p.Address(driver.Place{Index: 1})
			if err != nil {
				return err
			}
			hot, _, err := p.Address(driver.Place{Own: schema.Hot})
			if err != nil {
				return err
			}
			list = append(list, p)
			if err := table.add(cell{"family", family.String()}, cell{"net", net.String()}, cell{"fingerprint", p.Fingerprint()},
				cell{"first_address", first}, cell{"hot_address", hot}); err != nil {
				return err
			}
		}
	}
	if c.Out != "" {
		if err := custody.WritePublic(c.Out, list); err != nil {
			return err
		}
	}
	return table.flush()
}

type custodySignCmd struct {
	File     string `arg:"" type:"existingfile" help:"The .json file of what is to be signed."`
	seedFlag `embed:""`
	Show     bool `help:"Only print what the transaction does."`
}

func (custodySignCmd) Help() string {
	return `An exchange with '--signer manual:DIR' writes what is to be signed into DIR as payout-ID-VARIANT.json. Bring that file to the machine with the
seed, look at it with --show, sign it, and bring payout-ID-VARIANT.signed back into DIR.

  bourse custody sign --data vault payout-7-0.json --show
  bourse custody sign --data vault payout-7-0.json

The transaction is read before it is signed: one that does anything else than what is printed is refused.`
}

func (c *custodySignCmd) Run(out stdout) error {
	seed, err := c.open()
	if err != nil {
		return err
	}
	r, err := custody.ReadRequest(c.File)
	if err != nil {
		return err
	}
	if err := seed.Check(c.Data, r); err != nil {
		return err
	}
	fmt.Fprint(out, custody.Describe(r))
	if c.Show {
		return nil
	}
	signed, err := seed.SignFile(c.Data, c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nsigned: %s\n", signed)
	return nil
}
