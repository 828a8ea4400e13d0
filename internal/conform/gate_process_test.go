package conform

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The program as its operator sees it: how it starts, how it does not, and how it stops.

// certificate writes a certificate for loopback and its key, and returns the pool that knows it.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pool = x509.NewCertPool()
	if parsed, err := x509.ParseCertificate(der); err == nil {
		pool.AddCert(parsed)
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", plain), pool
}

func TestGateOverTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	v := Start(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), "--no-limits", "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(v.URL, "https://") {
		t.Fatal(v.URL)
	}
	v.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	v.Get(pathPing).expect(t, 200, pong)
	v.gateClient("alice").Post(pathBalance, nil).ok(t)
	t.Run("a body too large", func(t *testing.T) {
		v.Send("POST", pathOrder, nil, make([]byte, 200_000)).expect(t, 413, gateError(0, "Payload Too Large"))
	})
	t.Run("old versions are refused", func(t *testing.T) {
		if c, err := tls.Dial("tcp", v.Address(), &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}); err == nil {
			c.Close()
			t.Error("TLS 1.1 was spoken")
		}
	})
	t.Run("plain HTTP is refused", func(t *testing.T) {
		c := v.dial(t)
		c.write("GET " + pathPing + " " + publicHeader + "\r\n")
		if text, _ := io.ReadAll(c); strings.Contains(string(text), "pong") {
			t.Errorf("%q", text)
		}
	})
	v.Get(pathPing).expect(t, 200, pong)
	v.Stop()
}

func TestGateThatCannotStart(t *testing.T) {
	v := Start(t, gateWorld(gateAccount("alice", "", gateKey("alice", ""))), "--no-limits")
	cert, key, _ := certificate(t)
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data := func() string { return filepath.Join(t.TempDir(), "data") }
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a directory in use", []string{"--data", v.Data(), "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0"}, 1, "the data directory is in use by another process"},
		{"an address in use", []string{"--data", data(), "--listen", v.Address()}, 1, "address already in use; choose another address with --listen"},
		{"an address that is none", []string{"--data", data(), "--listen", "nowhere"}, 2, `--listen: the command line says "nowhere", which is not an address such as 127.0.0.1:8080`},
		{"an operators' address in use", []string{"--data", data(), "--listen", "127.0.0.1:0", "--operator", v.Address()}, 1, "address already in use; choose another address with --operator"},
		{"a certificate without its key", []string{"--data", data(), "--tls-cert", cert}, 2, "--tls-cert and --tls-key go together"},
		{"a key without its certificate", []string{"--data", data(), "--tls-key", key}, 2, "--tls-cert and --tls-key go together"},
		{"a certificate that is none", []string{"--data", data(), "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0", "--tls-cert", key, "--tls-key", key}, 2, "which is not the certificate of the key"},
		{"a set-up that is not there", []string{"--data", data(), "--setup", "/no/such/file"}, 2, "/no/such/file"},
		{"a set-up that is not JSON", []string{"--data", data(), "--setup", write("a", "hello")}, 2, "reading the set-up"},
		{"a set-up with an unknown word", []string{"--data", data(), "--setup", write("b", `{"marketz":[]}`)}, 2, `unknown field "marketz"`},
		{"a set-up that cannot be", []string{"--data", data(), "--setup", write("c", `{"markets":[`+gateMarket("BTC_USDT", "")+`]}`)}, 2, "market BTC_USDT: Base and quote must be two listed assets."},
		{"an unknown flag", []string{"--nothing"}, 2, "unknown flag --nothing"},
		{"an unknown region", []string{"--region", "moon"}, 2, "--region must be one of"},
		{"a prefix that is none", []string{"--trusted", "everybody"}, 2, "--trusted"},
		{"a factor that is none", []string{"--limit-factor", "many"}, 2, "--limit-factor"},
		{"a flag without its value", []string{"--data"}, 2, "--data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, said := Run(t, append([]string{"serve"}, c.args...)...)
			if code != c.code || !strings.Contains(said, c.says) || !strings.Contains(said, "bourse: ") || strings.Contains(said, "goroutine") {
				t.Errorf("exit code %d, want %d, and: %s\nwant: %s", code, c.code, said, c.says)
			}
		})
	}
	v.Get(pathPing).expect(t, 200, pong)
}

// While requests are under way the program is told to stop: each is answered, its client is told
// that the connection ends, no new connection is taken, and what was acknowledged is there
// afterwards.
func TestGateStopsWithoutLosingARequest(t *testing.T) {
	const clients = 8
	var keys []string
	for i := range clients {
		keys = append(keys, gateKey(fmt.Sprint("key", i), ""))
	}
	v := Start(t, gateWorld(gateAccount("alice", "", keys...)), "--no-limits")
	idle, half := v.dial(t), v.dial(t)
	idle.write("GET " + pathPing + " " + publicHeader + "\r\n")
	idle.read("GET").expect(t, 200, pong)
	half.write("GET " + pathPing + " HTTP/1.1\r\nHost")

	var acknowledged, signalled atomic.Int64
	var warm, all sync.WaitGroup
	warm.Add(clients)
	for i := range clients {
		c, conn := v.gateClient(fmt.Sprint("key", i)), v.dial(t)
		all.Go(func() {
			for n := 0; ; n++ {
				if n == 20 {
					warm.Done()
				}
				body := c.Body(pathTransfer, Fields{"ticker": "USDT", "amount": "1", "method": "deposit"})
				var request strings.Builder
				fmt.Fprintf(&request, "POST %s %sContent-Length: %d\r\n", pathTransfer, publicHeader, len(body))
				for name, value := range c.Sign(body) {
					fmt.Fprintf(&request, "%s: %s\r\n", name, value)
				}
				_, err := io.WriteString(conn, request.String()+"\r\n"+string(body))
				at := signalled.Load()
				late := at != 0 && time.Now().UnixMilli()-at > 100
				var response *http.Response
				if err == nil {
					response, err = http.ReadResponse(conn.reader, nil)
				}
				if err != nil {
					// A client that waits for long may find the connection closed, and nothing done.
					if !late {
						t.Errorf("request %d was not answered: %v", n, err)
					}
					return
				}
				text, err := io.ReadAll(response.Body)
				if err != nil || response.StatusCode != 200 || string(text) != "[]" {
					t.Errorf("request %d: %d %s %v", n, response.StatusCode, text, err)
					return
				}
				acknowledged.Add(1)
				if response.Close {
					return
				}
			}
		})
	}
	warm.Wait()
	signalled.Store(time.Now().UnixMilli())
	v.Signal(syscall.SIGTERM)
	all.Wait()
	idle.ended()
	half.read("GET").expect(t, 408, gateError(0, "Request Timeout"))
	half.ended()
	if c, err := net.Dial("tcp", v.Address()); err == nil {
		c.Close()
		t.Error("a new connection was taken")
	}
	if code := v.Wait(); code != 0 {
		t.Errorf("the program stopped with exit code %d", code)
	}

	v.Restart()
	var balance map[string]struct{ Available json.Number }
	v.gateClient("key0").Post(pathTrade, nil).ok(t).Read(t, &balance)
	if want := fmt.Sprint(50_000 + acknowledged.Load()); balance["USDT"].Available.String() != want {
		t.Errorf("%s USDT, want %s", balance["USDT"].Available, want)
	}
}

// Interrupts stop it as well, and at once when nobody is there.
func TestGateStopsOnInterrupt(t *testing.T) {
	v := Start(t, gateWorld())
	v.Signal(syscall.SIGINT)
	if code := v.Wait(); code != 0 {
		t.Errorf("the program stopped with exit code %d", code)
	}
}
