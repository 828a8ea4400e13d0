package main

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/nats-io/nkeys"
	"go.yaml.in/yaml/v3"
)

// setting is a line of `bourse config --json`.
type setting struct {
	Setting, Origin, At string
	Value               any
}

// effective runs `bourse config` and returns what it says, by the names of the settings.
func effective(t *testing.T, args ...string) map[string]setting {
	t.Helper()
	all := map[string]setting{}
	for line := range strings.Lines(good(t, "", append([]string{"config", "--json"}, args...)...)) {
		var s setting
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all[s.Setting] = s
	}
	return all
}

// written makes a file and returns its name.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// model is what kong knows of the commands.
func model() *kong.Application {
	var c cli
	return newParser(&c).Model
}

func TestAFlagComesBeforeAVariableBeforeTheFileBeforeTheDefault(t *testing.T) {
	file := written(t, "bourse.yaml", "# mine\nlimit-factor: 2\n")
	want := func(value float64, origin, at string, args ...string) {
		t.Helper()
		got := effective(t, args...)["limit-factor"]
		if got.Value != value || got.Origin != origin || got.At != at {
			t.Errorf("%+v, want %v from %s %s", got, value, origin, at)
		}
	}
	want(1, "default", "")
	want(2, "file", file+":2", "--config", file)
	t.Setenv("BOURSE_LIMIT_FACTOR", "3")
	want(3, "variable", "BOURSE_LIMIT_FACTOR", "--config", file)
	want(4, "flag", "", "--config", file, "--limit-factor", "4")
	t.Setenv("BOURSE_LIMIT_FACTOR", "")
	t.Setenv("BOURSE_CONFIG", file)
	want(2, "file", file+":2")
	if got := effective(t)["config"]; got.Value != file || got.Origin != "variable" || got.At != "BOURSE_CONFIG" {
		t.Errorf("%+v", got)
	}
	want(1, "default", "", "--config=")
}

// unusual are values of settings that are not their defaults and go together, as they are written
// on a command line: those of an exchange for others, and those of a demo.
func unusual(t *testing.T) []map[string]string {
	certificate, key := keyPair(t)
	return []map[string]string{{
		"data": filepath.Join(t.TempDir(), "data"), "master-key": filepath.Join(t.TempDir(), "exchange.key"), "listen": "127.0.0.1:9001", "operator": "[::1]:9002", "setup": written(t, "venue.json", "{}"),
		"region": "eu", "database": "postgres://bob@db/venue", "history-keep": "1h30m0s", "tls-cert": certificate, "tls-key": key,
		"proxy": "10.0.0.0/8,fd00::/8", "trusted": "10.0.0.0/8,fd00::/8", "limit-factor": "7", "no-limits": "true",
		"public-url": "https://a.example", "pool-url": "stratum+tcp://a.example:3333,stratum+tls://a.example:3334", "pool-location": "Europe", "cors-origin": "https://a.example,https://b.example", "connections-per-address": "9", "operator-host": "a.example,b.example", "webhook-deny": "203.0.113.0/24,2001:db8::/32",
		"clock-bound": "2m0s", "accept-clock": "true", "chain-node": "BTC=http://a:8332,ETH=https://b", "signer": "manual:slips", "retire": "long-stp=2027-03-01,flat-travel-rule=2027-06-01", "cold": filepath.Dir(written(t, "custody.public", "")),
		"tick": "1s", "log-level": "error", "log-json": "true", "sync": "interval", "nats": "nats://a:4222", "replicas": "3",
		"credentials": written(t, "creds", credentials(t)), "ca": certificate, "cert": certificate, "key": key,
		"pool-listen": "127.0.0.1:9003", "pool-tls-listen": "[::1]:9004", "pool-cert": certificate, "pool-key": key, "pool-chain": "PLAY", "pool-address": "bc1q",
		"pool-bits": "1d00ffff", "pool-difficulty": "2.5", "pool-connections-per-address": "7",
	}, {
		"demo": "true", "force": "true",
	}}
}

// keyPair are the files of a certificate and its key.
func keyPair(t *testing.T) (certificate, key string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return written(t, "cert.pem", text("CERTIFICATE", signed)), written(t, "key.pem", text("PRIVATE KEY", plain))
}

// credentials are those of a user of a NATS server.
func credentials(t *testing.T) string {
	t.Helper()
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	return "-----BEGIN NATS USER JWT-----\na.b.c\n------END NATS USER JWT------\n\n" +
		"-----BEGIN USER NKEY SEED-----\n" + string(seed) + "\n------END USER NKEY SEED------\n"
}

// TestEverySettingCanBeSetInEveryWay goes through the flags of serve, whichever there are.
func TestEverySettingCanBeSetInEveryWay(t *testing.T) {
	count := 0
	for _, values := range unusual(t) {
		count += len(values)
		setInEveryWay(t, values)
	}
	if all := len(child(model().Node, "serve").Flags) - 1; count != all { // without --config
		t.Errorf("%d of %d settings were set", count, all)
	}
}

func setInEveryWay(t *testing.T, values map[string]string) {
	t.Helper()
	file, flags := map[string]any{}, []string{}
	for _, flag := range child(model().Node, "serve").Flags {
		text, set := values[flag.Name]
		if !set {
			continue
		}
		flags = append(flags, "--"+flag.Name+"="+text)
		file[flag.Name] = text
		if flag.IsSlice() {
			file[flag.Name] = strings.Split(text, ",")
		}
	}
	yamlText, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	byFlag := effective(t, flags...)
	byFile := effective(t, "--config", written(t, "bourse.yaml", string(yamlText)))
	for _, flag := range flags {
		name, text, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		t.Setenv(variable(name), text)
	}
	byVariable := effective(t)
	if len(file) != len(values) {
		t.Fatalf("%d of %d settings are known", len(file), len(values))
	}
	for name := range file {
		os.Unsetenv(variable(name))
	}
	usual := effective(t)
	for name := range file {
		a, b, c, d := byFlag[name], byVariable[name], byFile[name], usual[name]
		if a.Origin != "flag" || b.Origin != "variable" || c.Origin != "file" || d.Origin != "default" {
			t.Errorf("%s comes from %s, %s, %s, %s", name, a.Origin, b.Origin, c.Origin, d.Origin)
		}
		if !reflect.DeepEqual(a.Value, b.Value) || !reflect.DeepEqual(b.Value, c.Value) || reflect.DeepEqual(c.Value, d.Value) {
			t.Errorf("%s is %v by flag, %v by variable, %v by file, %v by default", name, a.Value, b.Value, c.Value, d.Value)
		}
	}
}

func TestServeReadsTheFile(t *testing.T) {
	dir := t.TempDir()
	file := written(t, "bourse.yaml", fmt.Sprintf("listen: 127.0.0.1:0\noperator: 127.0.0.1:0\ndata: %s/data\nlog-json: true\n", dir))
	serve := exec.Command(binary, "serve", "--config", file)
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = serve.Process.Signal(syscall.SIGTERM)
	if wait := serve.Wait(); err != nil || wait != nil || !strings.HasPrefix(line, "listening on http://127.0.0.1:") {
		t.Errorf("%q %v %v", line, err, wait)
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		t.Error(err)
	}
}

func TestAWrongSettingIsNamedWithItsPlaceAndWhatIsRight(t *testing.T) {
	for _, c := range []struct{ name, variable, file, says string }{
		{"a variable nobody knows", "BOURSE_LISTNE=x", "", "variable BOURSE_LISTNE: there is no setting of this name; did you mean BOURSE_LISTEN?"},
		{"a variable far from all", "BOURSE_XYZZY=x", "", "variable BOURSE_XYZZY: there is no setting of this name\n"},
		{"a number", "BOURSE_LIMIT_FACTOR=many", "", `--limit-factor: variable BOURSE_LIMIT_FACTOR says "many", which is not a whole number`},
		{"one of a few", "BOURSE_REGION=moon", "", `--region: variable BOURSE_REGION says "moon", which is not one of global, eu`},
		{"a duration", "BOURSE_TICK=soon", "", `--tick: variable BOURSE_TICK says "soon", which is not a duration such as 90s or 1h30m`},
		{"true or false", "BOURSE_NO_LIMITS=perhaps", "", `--no-limits: variable BOURSE_NO_LIMITS says "perhaps", which is not true or false`},
		{"a range", "BOURSE_TRUSTED=10.0.0.0/8,everybody", "", "which is not a range of addresses such as 10.0.0.0/8, or several with commas between them"},
		{"a file that is not there", "BOURSE_SETUP=/no/such/file", "", `--setup: variable BOURSE_SETUP says "/no/such/file", which is not what it takes: stat /no/such/file: no such file or directory`},
		{"no settings file", "BOURSE_CONFIG=/no/such/file", "", "--config: open /no/such/file: no such file or directory"},

		{"a key nobody knows", "", "data: x\nlisten-at: y\n", `bourse.yaml:2: there is no setting "listen-at" in a file; did you mean listen?`},
		{"the file in the file", "", "config: x\n", `bourse.yaml:1: there is no setting "config" in a file`},
		{"a key twice", "", "data: x\n\ndata: y\n", "bourse.yaml:3: data is set a second time; the first is in line 1"},
		{"a number in the file", "", "listen: 127.0.0.1:1\nlimit-factor: 1.5\n", `bourse.yaml:2 says "1.5", which is not a whole number`},
		{"one of a few in the file", "", "region: moon\n", `bourse.yaml:1 says "moon", which is not one of global, eu`},
		{"no value", "", "listen:\n", "--listen: file "},
		{"no value, again", "", "listen:\n", "bourse.yaml:1: there is no value; write one, or take the line away"},
		{"a list for one", "", "listen: [a, b]\n", "bourse.yaml:1: it takes one value and not a list"},
		{"a map", "", "listen: {a: b}\n", "bourse.yaml:1: it takes a text or a number and nothing nested"},
		{"a map in a list", "", "proxy:\n  - 10.0.0.0/8\n  - {a: b}\n", "bourse.yaml:3: it takes a text or a number and nothing nested"},
		{"a range in a list", "", "proxy: [10.0.0.0/8, all]\n", `bourse.yaml:1 says "10.0.0.0/8,all", which is not a range of addresses`},
		{"a list for all", "", "- listen\n", "bourse.yaml:1: settings are lines such as 'listen: 127.0.0.1:8080'"},
		{"no YAML", "", "listen: [\n", "bourse.yaml: yaml: line 1"},
		{"two documents", "", "listen: a\n---\nlisten: b\n", "only one YAML document is read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if name, value, ok := strings.Cut(c.variable, "="); ok {
				t.Setenv(name, value)
			}
			args := []string{}
			if c.file != "" {
				args = append(args, "--config", written(t, "bourse.yaml", c.file))
			}
			for _, command := range []string{"serve", "config"} {
				out, errs, code := run(t, "", append([]string{command}, args...)...)
				if code != exitUsage || out != "" || !strings.HasPrefix(errs, "bourse: ") || !strings.Contains(errs, c.says) {
					t.Errorf("%s: %d %q %q, want %q", command, code, out, errs, c.says)
				}
			}
		})
	}
}

// TestAWrongValueIsFoundBeforeAnythingIsMade gives every setting that can have a wrong value one:
// the exit code is that of wrong settings, the error names the setting and the value, and nothing
// is left behind.
func TestAWrongValueIsFoundBeforeAnythingIsMade(t *testing.T) {
	certificate, key := keyPair(t)
	otherCertificate, _ := keyPair(t)
	noise, bad := written(t, "noise", "noise"), map[string]bool{}
	for _, c := range []struct{ setting, value, says string }{
		{"config", "/no/such/file", "/no/such/file"},
		{"data", "", "the name of a directory"},
		{"data", noise, noise + " is a file"},
		{"data", noise + "/below", "not a directory"},
		{"listen", "foo", "an address such as 127.0.0.1:8080"},
		{"listen", "127.0.0.1:http-ish", "an address such as 127.0.0.1:8080"},
		{"listen", "127.0.0.1:65536", "an address such as 127.0.0.1:8080"},
		{"listen", "127.0.0.1:", "an address such as 127.0.0.1:8080"},
		{"listen", "127.0.0.1:8081", "--listen and --operator are both 127.0.0.1:8081"},
		{"operator", "foo", "an address such as 127.0.0.1:8080"},
		{"demo", "perhaps", "--demo"},
		{"force", "true", "--force goes with --demo"},
		{"setup", "/no/such/file", "no such file"},
		{"setup", noise, "a set-up file"},
		{"setup", written(t, "impossible.json", `{"accounts":[{"name":"alice","region":"global","deposits":{"BTC":"1"}}]}`), "money of account alice: BTC is not listed"},
		{"region", "moon", "global"},
		{"database", "mysql://geheim@h", "one of PostgreSQL"},
		{"database", "postgres://h:port/db", "one of PostgreSQL"},
		{"history-keep", "-1s", "from 0s to"},
		{"history-keep", "soon", "duration"},
		{"tls-cert", noise, "--tls-cert and --tls-key go together"},
		{"tls-key", noise, "--tls-cert and --tls-key go together"},
		{"tls-cert", noise + " --tls-key=" + key, "the certificate of the key"},
		{"tls-cert", otherCertificate + " --tls-key=" + key, "private key does not match"},
		{"proxy", "everybody", "--proxy"},
		{"trusted", "10.0.0.0/33", "--trusted"},
		{"limit-factor", "0", "from 1 to 1000000"},
		{"limit-factor", "-3", "from 1 to 1000000"},
		{"no-limits", "perhaps", "--no-limits"},
		{"public-url", "*", "a scheme and a host such as https://example.com"},
		{"public-url", "https://example.com/", "a scheme and a host such as https://example.com"},
		{"cors-origin", "example.com", "an origin such as https://example.com"},
		{"cors-origin", "https://example.com/page", "an origin such as https://example.com"},
		{"connections-per-address", "0", "from 1 to 1000000"},
		{"operator-host", "a.example:8081", "the name of a host, without a port"},
		{"webhook-deny", "203.0.113.0/33", "--webhook-deny"},
		{"clock-bound", "10ms", "from 1s to 24h0m0s"},
		{"accept-clock", "perhaps", "--accept-clock"},
		{"chain-node", "BTC", "the name of a chain and the URL of a node of it"},
		{"retire", "long-stp", "an older form and the day on which it is refused, such as long-stp=2027-03-01; there are long-stp, flat-travel-rule"},
		{"retire", "long-stp=tomorrow", "the day on which it is refused"},
		{"retire", "short-stp=2027-03-01", "an older form"},
		{"chain-node", "BTC=ftp://user:geheim@a", "the name of a chain and the URL of a node of it"},
		{"master-key", t.TempDir(), "which is not the file of the master key: "},
		{"master-key", noise, "does not hold a key of 64 hexadecimal digits"},
		{"master-key", filepath.Join(t.TempDir(), "none", "exchange.key"), "looking at the directory of the master key"},
		{"signer", "cold", "hot, manual:DIR, remote:URL or none"},
		{"cold", filepath.Dir(noise), "a directory with custody.public"},
		{"pool-listen", "3333 --pool-chain=PLAY", "an address such as 127.0.0.1:8080"},
		{"pool-listen", "127.0.0.1:3333", "name it with --pool-chain"},
		{"pool-chain", "PLAY", "say where they come in with --pool-listen"},
		{"pool-tls-listen", "127.0.0.1:3334 --pool-chain=PLAY", "--pool-tls-listen and --pool-cert go together"},
		{"pool-cert", certificate, "--pool-cert and --pool-key go together"},
		{"pool-cert", noise + " --pool-chain=PLAY --pool-tls-listen=127.0.0.1:3334 --pool-key=" + key, "the certificate of the key"},
		{"pool-key", key, "--pool-cert and --pool-key go together"},
		{"pool-address", "bc1q", "name their chain with --pool-chain"},
		{"pool-url", "http://pool.example.com:3333", "a place such as stratum+tcp://pool.example.com:3333"},
		{"pool-url", "stratum+tcp://pool.example.com", "a place such as stratum+tcp://pool.example.com:3333"},
		{"pool-url", "stratum+tls://pool.example.com:3334,stratum+tcp://:3333", "a place such as stratum+tcp://pool.example.com:3333"},
		{"pool-location", strings.Repeat("x", 101), "at most 100 bytes"},
		{"pool-bits", "1d800000", "a target as a header has it"},
		{"pool-bits", "easy", "a target as a header has it"},
		{"pool-difficulty", "0", "a difficulty such as 16384"},
		{"pool-difficulty", "-1", "a difficulty such as 16384"},
		{"pool-connections-per-address", "0", "from 1 to 1000000"},
		{"tick", "0s", "from 1ms to 1m0s"},
		{"tick", "1h", "from 1ms to 1m0s"},
		{"log-level", "loud", "debug"},
		{"log-json", "perhaps", "--log-json"},
		{"sync", "never", "always"},
		{"nats", "nowhere", "the address of a NATS server"},
		{"nats", "nats://a:4222,http://b", "the address of a NATS server"},
		{"replicas", "2", "must be one of"},
		{"replicas", "3", "name it with --nats"},
		{"credentials", noise, "name it with --nats"},
		{"credentials", noise + " --nats=nats://a:4222", "a file of NATS credentials"},
		{"ca", noise + " --nats=nats://a:4222", "certificates in PEM form"},
		{"cert", certificate + " --nats=nats://a:4222", "--cert and --key go together"},
		{"key", key, "--cert and --key go together"},
		{"cert", noise + " --nats=nats://a:4222 --key=" + key, "the certificate of the key"},
	} {
		bad[c.setting] = true
		t.Run(c.setting+" "+c.value, func(t *testing.T) {
			dir := t.TempDir()
			values := strings.Split("--"+c.setting+"="+c.value, " ")
			args := append([]string{"--data=" + filepath.Join(dir, "data")}, values...)
			for _, command := range []string{"serve", "config"} {
				out, errs, code := run(t, "", append([]string{command}, args...)...)
				if code != exitUsage || out != "" || !strings.Contains(errs, "--"+c.setting) || !strings.Contains(errs, c.says) || strings.Contains(errs, "geheim") {
					t.Errorf("%s: %d %q %q, want %q", command, code, out, errs, c.says)
				}
			}
			if left, err := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 || err != nil {
				t.Errorf("it leaves %v %v", left, err)
			}
		})
	}
	for _, name := range settingNames(model()) {
		if !bad[name] {
			t.Errorf("no wrong value of %s was tried", name)
		}
	}
}

// TestASetupFileThatAnExchangeRefuses: what is listed already counts, and a file that does not fit to it
// is wrong usage too.
func TestASetupFileThatAnExchangeRefuses(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	start(t, nil, "--setup", "../../examples/venue.json", "--data", data).stop(t)
	more := func(ticker string) string {
		return written(t, "more.json", `{"accounts":[{"name":"more","region":"global","deposits":{"`+ticker+`":"1"}}]}`)
	}
	_, errs, code := run(t, "", "serve", "--data", data, "--listen=127.0.0.1:0", "--operator=127.0.0.1:0", "--setup", more("NONE"))
	if code != exitUsage || !strings.Contains(errs, "more.json: the set-up file cannot be applied: money of account more: NONE is not listed") ||
		!strings.Contains(errs, "correct the file and start again") {
		t.Errorf("%d %s", code, errs)
	}
	start(t, nil, "--setup", more("USDT"), "--data", data).stop(t)
}

func TestAWrongValueIsNamedWithItsPlace(t *testing.T) {
	file := written(t, "bourse.yaml", "tick: 1s\nlisten: foo\n")
	if _, errs, code := run(t, "", "serve", "--config", file); code != exitUsage || !strings.Contains(errs, `--listen: file `+file+`:2 says "foo", which is not an address`) {
		t.Errorf("%d %s", code, errs)
	}
	t.Setenv("BOURSE_LISTEN", "bar")
	if _, errs, code := run(t, "", "serve", "--config", file); code != exitUsage || !strings.Contains(errs, `--listen: variable BOURSE_LISTEN says "bar", which is not an address`) {
		t.Errorf("%d %s", code, errs)
	}
}

// TestAnAddressThatIsTakenLeavesNothing: it may be free later, so it is not a wrong setting.
func TestAnAddressThatIsTakenLeavesNothing(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, flag := range []string{"--listen", "--operator"} {
		data := filepath.Join(t.TempDir(), "data")
		args := []string{"serve", "--data", data, "--listen=127.0.0.1:0", "--operator=127.0.0.1:0", flag + "=" + taken.Addr().String()}
		_, errs, code := run(t, "", args...)
		if _, err := os.Stat(data); code != exitFailed || !strings.Contains(errs, "choose another address with "+flag) || err == nil {
			t.Errorf("%s: %d %s %v", flag, code, errs, err)
		}
	}
}

func TestAFileMayBeEmpty(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "\n\n"} {
		if got := effective(t, "--config", written(t, "bourse.yaml", text)); got["listen"].Value != "127.0.0.1:8080" {
			t.Errorf("%q: %+v", text, got["listen"])
		}
	}
}

func TestVariablesOfOthersAreLetThrough(t *testing.T) {
	for _, name := range []string{
		"BOURSE_URL", "BOURSE_API_SECRET", "BOURSE_KILLS", "BOURSE_OPERATOR_TOKEN",
		"BOURSE_SERVICE_HOST", "BOURSE_SERVICE_PORT_HTTP", "BOURSE_PORT", "BOURSE_PORT_8080_TCP_ADDR",
	} {
		t.Setenv(name, "x")
	}
	effective(t)
	if _, _, code := run(t, "", "play", "-"); code != 0 {
		t.Error(code)
	}
	// Without an exchange nobody is asked for the variables of one.
	t.Setenv("BOURSE_LISTNE", "x")
	if _, errs, code := run(t, "", "version"); code != 0 {
		t.Errorf("%d %s", code, errs)
	}
}

// TestEveryVariableOfTheHouseIsKnown looks for names in the whole repository: an exchange that is
// started where one of them is set must not refuse it.
func TestEveryVariableOfTheHouseIsKnown(t *testing.T) {
	m := model()
	known := otherVariables(m.Node)
	for _, name := range settingNames(m) {
		if why, both := known[variable(name)]; both {
			t.Errorf("%s is a setting and also %s", variable(name), why)
		}
		known[variable(name)] = "setting"
	}
	kinds := []string{".go", ".sh", ".md", ".mjs", ".js", ".ts", ".yml", ".yaml", ""}
	names, files := regexp.MustCompile(`\bBOURSE_[A-Z]+(_[A-Z]+)*\b`), 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "node_modules" || name == "bin" || name == "data"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(name)) || name == "settings_test.go":
			return nil
		}
		text, err := os.ReadFile(path)
		files++
		for _, name := range names.FindAllString(string(text), -1) {
			if _, ok := known[name]; !ok {
				t.Errorf("%s has %s, which is neither a setting nor in the list of others", path, name)
			}
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestTheExampleFileSaysWhatIsSoAnyway(t *testing.T) {
	text := good(t, "", "config", "--example")
	file := written(t, "bourse.yaml", text)
	want, got := effective(t), effective(t, "--config", file)
	fromFile := 0
	for name, s := range want {
		if name == fileFlag {
			continue
		}
		if !reflect.DeepEqual(got[name].Value, s.Value) {
			t.Errorf("%s is %v and was %v", name, got[name].Value, s.Value)
		}
		if !strings.Contains(text, "\n"+name+": ") && !strings.Contains(text, "\n#"+name+": ") {
			t.Errorf("%s is not in\n%s", name, text)
		}
		if got[name].Origin == "file" {
			fromFile++
		}
	}
	if fromFile < 8 || strings.Contains(text, "config: ") {
		t.Errorf("%d settings come from\n%s", fromFile, text)
	}
	// Nothing is said about the exchange of the one who asks.
	if again := good(t, "", "config", "--example", "--database", "postgres://u:geheim@h/db"); again != text {
		t.Errorf("the example changed to\n%s", again)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	flags := []string{"--database", "postgres://bob:geheim@db/venue?sslpassword=geheim&x=1", "--nats", "nats://geheim@a:4222,nats://u:geheim@b:4222"}
	table, lines := good(t, "", append([]string{"config"}, flags...)...), effective(t, flags...)
	if got := lines["database"].Value; got != "postgres://bob:***@db/venue?sslpassword=***&x=1" {
		t.Error(got)
	}
	if got := lines["nats"].Value; got != "nats://***@a:4222,nats://u:***@b:4222" {
		t.Error(got)
	}
	if strings.Contains(table, "geheim") || !strings.Contains(table, "postgres://bob:***@db") {
		t.Error(table)
	}
	for text, want := range map[string]string{
		"":                               "",
		"postgres://bob@db/venue":        "postgres://bob@db/venue",
		"nats://a:4222":                  "nats://a:4222",
		"host=db user=bob password=x":    "***",
		"postgres://bob:p@ss:wor/d@db/v": "***",
	} {
		flag := findFlag(child(model().Node, "serve").Flags, "database")
		if got := masked(flag, text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if secret := findFlag(child(model().Node, "sign").Flags, "secret"); masked(secret, "geheim") != "***" {
		t.Error("a whole secret is not hidden")
	}
}

func TestConfigPrintsATable(t *testing.T) {
	out := good(t, "", "config", "--trusted", "127.0.0.0/8,10.0.0.0/8", "--no-limits")
	for _, want := range []string{
		`(?m)^setting +value +origin +at$`,
		`(?m)^listen +127\.0\.0\.1:8080 +default +-$`,
		`(?m)^trusted +127\.0\.0\.0/8,10\.0\.0\.0/8 +flag +-$`,
		`(?m)^no-limits +true +flag +-$`,
		`(?m)^database +- +default +-$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"listen", "limit-factor", "log-json", "data"}
	for word, want := range map[string]string{
		"listne": "listen", "listen-at": "listen", "limitfactor": "limit-factor", "dta": "data", "log_json": "log-json", "whatever": "", "x": "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestKeygenMakesANewKeyEachTime(t *testing.T) {
	form := regexp.MustCompile(`^key     [0-9a-f]{32}\nsecret  [0-9a-f]{64}\n$`)
	one, two := good(t, "", "keygen"), good(t, "", "keygen")
	if !form.MatchString(one) || !form.MatchString(two) || one == two {
		t.Errorf("%q %q", one, two)
	}
	var pair struct{ Key, Secret string }
	if err := json.Unmarshal([]byte(good(t, "", "keygen", "--json")), &pair); err != nil || len(pair.Key) != 32 || len(pair.Secret) != 64 {
		t.Errorf("%v %+v", err, pair)
	}
}

func TestPublicURLIsThatOfTheListener(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ listen, cert, at, want string }{
		{"127.0.0.1:0", "", "127.0.0.1:4711", "http://127.0.0.1:4711"},
		{":8080", "", "[::]:8080", "http://127.0.0.1:8080"},
		{"[::1]:0", "", "[::1]:4711", "http://[::1]:4711"},
		{"exchange.example:0", "cert.pem", "127.0.0.2:4711", "https://exchange.example:4711"},
	} {
		c := serveCmd{Listen: tt.listen, TLSCert: tt.cert}
		if got := c.publicURL(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(tt.at))); got != tt.want {
			t.Errorf("--listen %s at %s: %s, should be %s", tt.listen, tt.at, got, tt.want)
		}
	}
}
