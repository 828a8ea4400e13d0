package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"bourse/internal/demo"
	"bourse/internal/exchange"
	"bourse/internal/pool"
	"bourse/internal/pool/work"
)

// poolFlags are where miners come in, and what they work on.
type poolFlags struct {
	Listen     string   `placeholder:"ADDRESS" help:"Serve miners of the mining pool there (Stratum v1), such as 0.0.0.0:3333; by default nowhere."`
	TLSListen  string   `name:"tls-listen" placeholder:"ADDRESS" help:"Serve miners over TLS there, such as 0.0.0.0:3334, with the certificate of --pool-cert."`
	Cert       string   `placeholder:"FILE" type:"existingfile" help:"The certificate for --pool-tls-listen; --pool-key holds its key. Both are read again when they change."`
	Key        string   `placeholder:"FILE" type:"existingfile" help:"The key of --pool-cert."`
	Chain      string   `placeholder:"NAME" help:"The chain whose blocks are mined, by its name here: one of Bitcoin with a node (--chain-node), or a sandbox."`
	Address    string   `placeholder:"ADDRESS" help:"Where blocks of a chain of Bitcoin pay to; by default an address of the exchange itself, and the money is the mining pool's."`
	Bits       string   `default:"1d3fffc0" placeholder:"HEX" help:"How hard blocks of a sandbox are, as a header has it, by default 1d3fffc0: 67 million hashes."`
	Difficulty float64  `default:"16384" placeholder:"NUMBER" help:"What a new worker begins with, by default 16384, and never more than a block of the chain needs; later it gets 12 shares a minute."`
	URL        []string `name:"url" placeholder:"URL" help:"Where miners reach the pool, such as stratum+tcp://pool.example.com:3333, as customers see it; again for more; by default the addresses of --pool-listen and --pool-tls-listen."`
	Location   string   `placeholder:"TEXT" help:"Where the pool is, as everyone sees it."`
	PerAddress int      `name:"connections-per-address" default:"1024" placeholder:"COUNT" help:"How many miners may come from an address, by default 1024; an IPv6 address counts by its /64."`
}

// on reports whether miners are served.
func (f *poolFlags) on() bool { return f.Listen != "" || f.TLSListen != "" }

// play lets a demo mine, on this machine, if nothing else was said.
func (f *poolFlags) play() {
	if !f.on() {
		f.Listen, f.Chain = "127.0.0.1:0", demo.MinedChain
	}
}

// check looks for settings that make no sense without others.
func (f *poolFlags) check() error {
	switch {
	case (f.Cert == "") != (f.Key == ""):
		return errors.New("--pool-cert and --pool-key go together")
	case (f.TLSListen == "") != (f.Cert == ""):
		return errors.New("--pool-tls-listen and --pool-cert go together")
	case f.on() && f.Chain == "":
		return errors.New("--pool-listen needs a chain whose blocks are mined; name it with --pool-chain")
	case !f.on() && f.Chain != "":
		return errors.New("--pool-chain is for miners; say where they come in with --pool-listen")
	case f.Address != "" && f.Chain == "":
		return errors.New("--pool-address is where blocks pay to; name their chain with --pool-chain")
	}
	return nil
}

// checkBits wants a target.
func checkBits(text string) error {
	bits, err := strconv.ParseUint(text, 16, 32)
	if _, is := work.OfBits(uint32(bits)); err != nil || !is {
		return errors.New("a target as a header has it, such as 1d00ffff")
	}
	return nil
}

// checkStratum wants an address that miners can connect to.
func checkStratum(text string) error {
	scheme, at, _ := strings.Cut(text, "://")
	host, port, err := net.SplitHostPort(at)
	if scheme != "stratum+tcp" && scheme != "stratum+tls" || err != nil || host == "" || checkAddress(net.JoinHostPort("", port)) != nil {
		return errors.New("a place such as stratum+tcp://pool.example.com:3333")
	}
	return nil
}

// checkLocation wants a few words.
func checkLocation(text string) error {
	if len(text) > 100 {
		return errors.New("at most 100 bytes")
	}
	return nil
}

// checkDifficulty wants a difficulty that a target can have.
func checkDifficulty(d float64) error {
	if e, is := work.Exponent(d); !is || e < work.LeastExponent || e > 100 {
		return errors.New("a difficulty such as 16384")
	}
	return nil
}

// listen opens the doors for miners.
func (f *poolFlags) listen(d *doors) (err error) {
	if f.Listen != "" {
		if d.miners, err = listen(f.Listen, "--pool-listen"); err != nil {
			return err
		}
	}
	if f.TLSListen != "" {
		d.minersTLS, err = listen(f.TLSListen, "--pool-tls-listen")
	}
	return err
}

// stratum is where miners on this machine reach the doors.
func (d *doors) stratum() (urls []string) {
	if d.miners != nil {
		urls = append(urls, "stratum+tcp://"+reachable(d.miners.Addr()))
	}
	if d.minersTLS != nil {
		urls = append(urls, "stratum+tls://"+reachable(d.minersTLS.Addr()))
	}
	return urls
}

// serve serves miners, if they are to be served.
func (f *poolFlags) serve(x *exchange.Exchange, d *doors, out io.Writer, served chan<- error) error {
	if !f.on() {
		return nil
	}
	bits, _ := strconv.ParseUint(f.Bits, 16, 32) // it was checked, as the difficulty
	bounds := pool.NewBounds()
	bounds.Start, _ = work.Exponent(f.Difficulty)
	bounds.PerAddress = f.PerAddress
	if err := x.OpenPool(exchange.PoolOptions{Chain: f.Chain, Address: f.Address, Bits: uint32(bits), Certificate: f.Cert, Key: f.Key, Bounds: bounds}); err != nil {
		return err
	}
	if d.miners != nil {
		fmt.Fprintf(out, "miners on stratum+tcp://%s\n", d.miners.Addr())
		go func() { served <- x.ServePool(d.miners, false) }()
	}
	if d.minersTLS != nil {
		fmt.Fprintf(out, "miners on stratum+tls://%s\n", d.minersTLS.Addr())
		go func() { served <- x.ServePool(d.minersTLS, true) }()
	}
	return nil
}
