package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.yaml.in/yaml/v3"

	"bourse/internal/history/postgrestest"
)

// composition is what deploy/compose.yaml may say. A word that is not here is a mistake.
type composition struct {
	Name     string
	Services map[string]service
	Networks map[string]struct{ Internal bool }
	Volumes  map[string]struct{}
	Configs  map[string]struct{ File, Content string }
	NATS     any `yaml:"x-nats"`
	Bourse   any `yaml:"x-bourse"`
}

type service struct {
	Image       string
	Build       struct{ Context, Dockerfile string }
	Profiles    []string
	Restart     string
	NetworkMode string `yaml:"network_mode"`
	Networks    []string
	Ports       []string
	Volumes     []string
	Configs     []struct{ Source, Target string }
	Entrypoint  []string
	Command     []string
	Environment map[string]string
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck struct {
		Test              []string
		Interval, Timeout time.Duration
		StartPeriod       time.Duration `yaml:"start_period"`
		Retries           int
	}
	StopGracePeriod time.Duration `yaml:"stop_grace_period"`
	ReadOnly        bool          `yaml:"read_only"`
	CapDrop         []string      `yaml:"cap_drop"`
	SecurityOpt     []string      `yaml:"security_opt"`
	Ulimits         map[string]int
}

func composed(t *testing.T) *composition {
	t.Helper()
	file, err := os.Open("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var c composition
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// TestComposeFileHoldsTogether: what a service names is there, and what it tells the program the program
// understands.
func TestComposeFileHoldsTogether(t *testing.T) {
	c := composed(t)
	for name, s := range c.Services {
		for _, network := range s.Networks {
			if _, there := c.Networks[network]; !there {
				t.Errorf("%s: no network %s", name, network)
			}
		}
		for _, volume := range s.Volumes {
			volume, _, _ = strings.Cut(volume, ":")
			if _, there := c.Volumes[volume]; !there {
				t.Errorf("%s: no volume %s", name, volume)
			}
		}
		for _, config := range s.Configs {
			if _, there := c.Configs[config.Source]; !there {
				t.Errorf("%s: no config %s", name, config.Source)
			}
		}
		for other, how := range s.DependsOn {
			of, there := c.Services[other]
			switch {
			case !there, how.Condition == "service_healthy" && of.Healthcheck.Test == nil:
				t.Errorf("%s waits for %s in vain", name, other)
			}
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: %s is open to everybody", name, port)
			}
		}
	}
	for name, config := range c.Configs {
		if config.File == "" {
			if err := yaml.Unmarshal([]byte(config.Content), new(any)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if _, err := os.Stat(filepath.Join("../../deploy", config.File)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"bourse-1", "bourse-2"} {
		s := c.Services[name]
		if s.Command[0] != "serve" {
			t.Errorf("%s: %q", name, s.Command)
		}
		places := mounted(c, s)
		var flags []string
		for _, flag := range s.Command[1:] {
			flags = append(flags, places.Replace(flag))
		}
		good(t, "", append([]string{"config"}, flags...)...)
		understands(t, s.Healthcheck.Test[1:])
	}
	for _, name := range []string{"nats-1", "nats-2", "nats-3"} {
		s := c.Services[name]
		if s.Image != c.Services["bourse-1"].Image {
			t.Errorf("%s runs %s", name, s.Image)
		}
		var line []string
		for _, word := range s.Command {
			line = append(line, mounted(c, s).Replace(word))
		}
		understands(t, append([]string{"/bourse"}, line...))
		understands(t, s.Healthcheck.Test[1:])
	}
}

// mounted replaces the places of configurations in a container by their files here.
func mounted(c *composition, s service) *strings.Replacer {
	var pairs []string
	for _, config := range s.Configs {
		pairs = append(pairs, config.Target, filepath.Join("../../deploy", c.Configs[config.Source].File))
	}
	return strings.NewReplacer(pairs...)
}

// understands checks that the program takes a command line, which begins with its name, without doing
// what it says.
func understands(t *testing.T, line []string) {
	t.Helper()
	if line[0] != "/bourse" {
		t.Errorf("%q does not call the program", line)
	}
	var c cli
	if _, err := newParser(&c).Parse(line[1:]); err != nil {
		t.Errorf("%q: %v", line, err)
	}
}

func TestPrometheusAsksTheNodes(t *testing.T) {
	text, err := os.ReadFile("../../deploy/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Rules  []string `yaml:"rule_files"`
		Scrape []struct {
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(text, &p); err != nil || len(p.Scrape) != 1 || len(p.Scrape[0].Static) != 1 {
		t.Fatal(p, err)
	}
	if got := p.Scrape[0].Static[0].Targets; !slices.Equal(got, []string{"bourse-1:8081", "bourse-2:8081"}) {
		t.Error(got)
	}
	// Rules are found beside the configuration.
	if !slices.Equal(p.Rules, []string{"alerts.yml"}) {
		t.Error(p.Rules)
	}
	c := composed(t)
	targets := map[string]string{}
	for _, config := range c.Services["prometheus"].Configs {
		targets[config.Target] = c.Configs[config.Source].File
	}
	if targets["/etc/prometheus/prometheus.yml"] != "./prometheus.yml" || targets["/etc/prometheus/alerts.yml"] != "./alerts.yml" {
		t.Error(targets)
	}
}

// TestCompositionBeginsWithMarkets: the set-up file of the composition lists markets and makes no
// key known.
func TestCompositionBeginsWithMarkets(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	_, operators := serve(t, nil, "--setup", "../../deploy/venue.json", "--data", data)
	ask := func(what string) string {
		return good(t, "", "operator", what, "list", "--json", "--url", operators, "--data", data)
	}
	if markets := ask("markets"); strings.Count(markets, `"enabled": true`) != 3 {
		t.Error(markets)
	}
	if accounts := strings.TrimSpace(ask("accounts")); accounts != "[]" {
		t.Error(accounts)
	}
}

// TestComposedExchangeRuns runs what the compose file describes, without containers: three servers of the log
// with their configuration, a database that wants its password, a node with its flags, its way to hand over
// the keys, and the second node. A customer then trades on both, and goes on when a NATS server is gone.
func TestComposedExchangeRuns(t *testing.T) {
	c := composed(t)
	servers := logServers(t, c)
	at, password := database(t)
	// Containers find each other by name; here each name stands for an address.
	var names []string
	for i, s := range servers {
		names = append(names, fmt.Sprintf("nats-%d:4222", i+1), s.clients)
	}
	// The customers of the example trade here: the composition begins without any.
	names = append(names, "database:5432", at, "/bourse?", "/postgres?", "/etc/bourse/venue.json", "../../examples/venue.json")
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	node := func(name, dir string) (clients, operators string) {
		t.Helper()
		places := strings.NewReplacer(append(names, "/data", dir)...)
		var flags []string
		for _, flag := range c.Services[name].Command[1:] {
			flags = append(flags, places.Replace(flag))
		}
		return serve(t, []string{"PGPASSWORD=" + password}, flags...)
	}

	first, operators := node("bourse-1", one)
	awaitReady(t, operators)
	if err := os.Mkdir(two, 0o755); err != nil {
		t.Fatal(err)
	}
	handOver(t, c, one, two)
	second, _ := node("bourse-2", two)
	handOver(t, c, one, two) // as every start of the composition does
	for _, file := range []string{"master.key", "jwt.key", "operators/operator.token"} {
		a, err := os.ReadFile(filepath.Join(one, file))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(two, file))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the nodes do not share it: %v", file, err)
		}
	}

	order := func(url, line, status string) {
		t.Helper()
		said, errs, code := try(t, "", []string{"BOURSE_URL=" + url}, "../../examples/order.sh", strings.Fields(line)...)
		if code != 0 || !strings.Contains(said, `"status":"`+status+`"`) {
			t.Fatalf("%s: %d %s %s", line, code, said, errs)
		}
	}
	order(first, "BTC_USDT sell 0.5 60000 bob-key bob-secret", "OPEN")
	order(second, "BTC_USDT buy 0.1 60000", "FILLED")
	// One that does not lead: how long an election takes is another matter, and tested with the node.
	leader := leaderOfLog(t, servers[0].clients)
	gone := slices.IndexFunc(servers, func(s *logServer) bool { return s.name != leader })
	servers[gone].stop(t)
	order(second, "BTC_USDT buy 0.1 60000", "FILLED")
	order(first, "BTC_USDT buy 0.3 60000", "FILLED")

	// A backup of a node has the whole log of the cluster, and becomes an exchange of its own.
	file, alone := filepath.Join(t.TempDir(), "exchange.tar"), filepath.Join(t.TempDir(), "alone")
	good(t, "", "backup", "--data", one, "--url", operators, "--out", file)
	good(t, "", "restore", "--data", alone, "--in", file)
	wantTrades := 3
	if said := good(t, "", "replay", "--data", alone, "--json", "trades", "BTC_USDT"); strings.Count(said, "\n") != wantTrades {
		t.Errorf("%d trades are wanted:\n%s", wantTrades, said)
	}

	conn, err := pgx.Connect(context.Background(), fmt.Sprintf("postgres://bourse:%s@%s/postgres?sslmode=disable", password, at))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	await(t, "the history has both sides of three deals", func() bool {
		var deals int
		if err := conn.QueryRow(context.Background(), "select count(*) from deals").Scan(&deals); err != nil {
			t.Fatal(err)
		}
		return deals == 6
	})
}

// database is a PostgreSQL that lets nobody in without the password.
func database(t *testing.T) (address, password string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bourse-postgres")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	open, stop, err := postgrestest.Start(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, open)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	password = "correct-horse"
	if _, err := conn.Exec(ctx, "alter user bourse password '"+password+"'"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data", "pg_hba.conf"), []byte("host all all 127.0.0.1/32 scram-sha-256\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "select pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	where, err := url.Parse(open)
	if err != nil {
		t.Fatal(err)
	}
	await(t, "nobody is let in without a password", func() bool {
		c, err := pgx.Connect(ctx, open)
		if err == nil {
			c.Close(ctx)
		}
		return err != nil
	})
	return where.Host, password
}

// handOver does what the service keys does.
func handOver(t *testing.T, c *composition, one, two string) {
	t.Helper()
	s := c.Services["keys"]
	places := strings.NewReplacer("/one", one, "/two", two)
	line := append([]string{}, s.Entrypoint...)
	for _, part := range s.Command {
		line = append(line, places.Replace(part))
	}
	// The user of the image is not one who may own files here.
	shell := strings.ReplaceAll(line[len(line)-1], "65532:65532", fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid()))
	if out, err := exec.Command(line[0], append(line[1:len(line)-1], shell)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestAMasterKeyThatIsASecretIsNotHandedOver: it is in neither volume, and everything else comes over; one that is in the first comes as well,
// also where it lacks only that.
func TestAMasterKeyThatIsASecretIsNotHandedOver(t *testing.T) {
	c, one, two := composed(t), t.TempDir(), t.TempDir()
	lay := func(name string) {
		t.Helper()
		path := filepath.Join(one, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	has := func(names ...string) {
		t.Helper()
		handOver(t, c, one, two)
		for _, name := range names {
			if text, err := os.ReadFile(filepath.Join(two, name)); err != nil || string(text) != name {
				t.Errorf("%s: %q %v", name, text, err)
			}
		}
		if left, err := os.ReadDir(two); err != nil || len(left) != len(names) {
			t.Errorf("%v %v", left, err)
		}
	}
	lay("jwt.key")
	lay("operators/operator.token")
	has("jwt.key", "operators/operator.token")
	lay("master.key")
	has("jwt.key", "operators/operator.token", "master.key")
}

// awaitReady waits for an exchange that was started: orders are taken before market data and history are back.
func awaitReady(t *testing.T, operators string) {
	t.Helper()
	await(t, "the exchange is ready", func() bool {
		said, _, code := run(t, "", "health", "--url", operators, "--ready")
		return code == 0 && said == "ready\n"
	})
}

// await waits until something holds, and fails if that takes too long.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("waited too long until %s", what)
		}
	}
}
