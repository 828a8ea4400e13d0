package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"

	"bourse/internal/demo"
	"bourse/internal/exchange"
	"bourse/internal/operator"
	"bourse/internal/schema"
)

// checkDemo refuses a demo that strangers could reach: its accounts have keys that are printed, and
// money that is nobody's.
func (c *serveCmd) checkDemo() error {
	if !c.Demo {
		if c.Force {
			return errors.New("--force goes with --demo")
		}
		return nil
	}
	if c.Setup != "" {
		return errors.New("--demo brings a world of its own; leave out --setup")
	}
	if c.TLSCert != "" {
		return errors.New("--demo is for this machine and speaks plain HTTP; leave out --tls-cert and --tls-key")
	}
	if c.Region != schema.Global.String() {
		return errors.New("--demo is a global exchange: in another region its makers could not quote; leave out --region")
	}
	for flag, address := range map[string]string{"--listen": c.Listen, "--operator": c.Operator, "--pool-listen": c.Pool.Listen, "--pool-tls-listen": c.Pool.TLSListen} {
		if !c.Force && !loopback(address) {
			return fmt.Errorf("%s %s can be reached from other machines, and a demo hands out its keys; "+
				"listen on 127.0.0.1, or add --force if that is what you want", flag, address)
		}
	}
	return nil
}

// loopback reports whether only this machine can reach an address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true // it is no address, which is said elsewhere
	}
	if host == "localhost" {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && at.IsLoopback()
}

// live lets the demo live at its addresses until the context ends. What it returns waits for that.
func live(ctx context.Context, w *demo.World, x *exchange.Exchange, d *doors, out io.Writer, log *slog.Logger) (wait func(), err error) {
	token, err := x.Tokens.Read(operator.First)
	if err != nil {
		return nil, err
	}
	at := reachable(d.clients.Addr())
	place := demo.Place{
		REST: "http://" + at, WS: "ws://" + at + "/ws", Operator: "http://" + reachable(d.operators.Addr()), Token: token,
	}
	if w.Mines() && d.miners != nil {
		place.Pool = "stratum+tcp://" + reachable(d.miners.Addr())
	}
	if err := w.Save(place); err != nil {
		return nil, err
	}
	w.Banner(out, place)
	var bots sync.WaitGroup
	bots.Go(func() {
		if err := w.Trade(ctx, place.REST, log); err != nil {
			log.Error("the demo's traders stopped", "error", err)
		}
	})
	if place.Pool != "" {
		bots.Go(func() {
			if err := w.Mine(ctx, place.Pool, log); err != nil {
				log.Error("the demo's miner stopped", "error", err)
			}
		})
	}
	return bots.Wait, nil
}

// reachable is an address that a program on this machine can call: one that listens everywhere
// listens on loopback too.
func reachable(a net.Addr) string {
	tcp := a.(*net.TCPAddr)
	if tcp.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", tcp.Port)
	}
	return a.String()
}
