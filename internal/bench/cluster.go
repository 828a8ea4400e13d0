package bench

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"bourse/internal/journal"
)

// clusterDurable measures orders through one node on three NATS servers with a stream of three
// copies. All of them share this process, its two cores and one disk: it is an upper bound of
// what replication costs.
func clusterDurable(r *report) error {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	servers, err := startCluster(dir)
	if err != nil {
		return err
	}
	defer func() {
		for _, s := range servers {
			s.Shutdown()
			s.WaitForShutdown()
		}
	}()
	for _, clients := range inFlight {
		n, done, err := freshNode(journal.Options{URL: servers[0].ClientURL(), Replicas: 3})
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

// startCluster starts three servers on loopback and waits until they agree on a leader.
func startCluster(dir string) ([]*server.Server, error) {
	var ports []int
	for range 3 {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	var routes []*url.URL
	for _, port := range ports {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	var servers []*server.Server
	for i, port := range ports {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprintf("bench%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(dir, fmt.Sprint(i)), SyncAlways: true, MaxPayload: 2 * journal.MaxBatch,
			Cluster: server.ClusterOpts{Name: "bench", Host: "127.0.0.1", Port: port}, Routes: routes,
		})
		if err != nil {
			return servers, err
		}
		s.Start()
		servers = append(servers, s)
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		ready := 0
		for _, s := range servers {
			if s.JetStreamIsCurrent() {
				ready++
			}
		}
		if ready == len(servers) {
			return servers, nil
		}
		if time.Now().After(deadline) {
			return servers, errors.New("the three servers do not find each other")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
