package bench

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"bourse/internal/journal"
	"bourse/internal/port"
	"bourse/internal/relay"
)

// clusterDurable measures orders through one node on three NATS servers with a stream of three
// copies. All of them share this process, its two cores and one disk: it is an upper bound of
// what replication costs.
func clusterDurable(r *report) error {
	c, err := startCluster(false)
	if err != nil {
		return err
	}
	defer c.stop()
	for _, clients := range inFlight {
		n, done, err := freshNode(journal.Options{URL: c.servers[0].ClientURL(), Replicas: 3})
		if err != nil {
			return err
		}
		result, err := load(clients, durableSeconds, trade(n, clients))
		done()
		if err != nil {
			return err
		}
		result.Name = fmt.Sprintf("cluster.durable.%d", clients)
		r.add(result)
	}
	return nil
}

// cluster is three servers on loopback.
type cluster struct {
	dir     string
	servers []*server.Server
	relays  [3][3]*relay.Relay // from one server to another, where there are any
}

// startCluster starts three servers and waits until they agree on a leader. If it is relayed, one of
// them can be cut off from the others, to whom that is what its death looks like; but a relay
// takes time.
func startCluster(relayed bool) (c *cluster, err error) {
	c = &cluster{}
	if c.dir, err = os.MkdirTemp("", "bourse-bench"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	var ports [3]int
	for i := range ports {
		if ports[i], err = port.Free(); err != nil {
			return nil, err
		}
	}
	for i, own := range ports {
		between := server.ClusterOpts{Name: "bench", Host: "127.0.0.1", Port: own}
		if relayed {
			// The address that servers tell each other leads nowhere: only the relays do.
			nowhere, err := port.Free()
			if err != nil {
				return nil, err
			}
			between.PoolSize, between.Advertise = -1, fmt.Sprintf("127.0.0.1:%d", nowhere)
		}
		var routes []*url.URL
		for j, other := range ports {
			if i == j {
				continue
			}
			to := fmt.Sprintf("127.0.0.1:%d", other)
			if relayed {
				if c.relays[i][j], err = relay.Start(to); err != nil {
					return nil, err
				}
				to = c.relays[i][j].Address()
			}
			routes = append(routes, &url.URL{Scheme: "nats-route", Host: to})
		}
		s, err := journal.NewMember(&server.Options{
			ServerName: fmt.Sprintf("bench%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(c.dir, fmt.Sprint(i)), SyncAlways: true, MaxPayload: 2 * journal.MaxBatch,
			Cluster: between, Routes: routes,
		})
		if err != nil {
			return nil, err
		}
		s.Start()
		c.servers = append(c.servers, s)
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		ready := 0
		for _, s := range c.servers {
			if s.JetStreamIsCurrent() {
				ready++
			}
		}
		if ready == len(c.servers) {
			return c, nil
		}
		if time.Now().After(deadline) {
			return nil, errors.New("the three servers do not find each other")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// leader is the server that leads the stream, other than one; -1: none does.
func (c *cluster) leader(except int) int {
	for i, s := range c.servers {
		if i != except && s.JetStreamIsStreamLeader("$G", journal.StreamName) {
			return i
		}
	}
	return -1
}

// cut parts a server from the others, or joins it again.
func (c *cluster) cut(i int, off bool) {
	for j := range c.relays {
		if i != j {
			c.relays[i][j].Cut(off)
			c.relays[j][i].Cut(off)
		}
	}
}

// stop ends the servers and removes what they stored.
func (c *cluster) stop() {
	defer os.RemoveAll(c.dir)
	for _, s := range c.servers {
		s.Shutdown()
		s.WaitForShutdown()
	}
	for _, from := range c.relays {
		for _, r := range from {
			if r != nil {
				r.Close()
			}
		}
	}
}
