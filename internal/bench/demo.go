package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// demoTime is how long a demo may take to live before that is an error.
const demoTime = time.Minute

// demoStart measures how long the demo takes from the start of its process until every market has
// quotes on both sides and a trade: in an empty directory, and after it was killed.
func demoStart(r *report) error {
	dir, err := os.MkdirTemp("", "bourse-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"demo.start", "demo.restart"} {
		took, err := startDemo(filepath.Join(dir, "data"))
		if err != nil {
			return err
		}
		r.add(Result{Name: name, Value: took.Seconds(), Unit: "s"})
	}
	return nil
}

// startDemo is how long a demo takes to live. It is killed then.
func startDemo(data string) (took time.Duration, err error) {
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	process := exec.Command(program, "serve", "--demo", "--data", data, "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0")
	out, err := process.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := process.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = process.Process.Signal(syscall.SIGKILL)
		_ = process.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the demo did not start: %w", err)
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "listening on http://"))
	for time.Since(began) < demoTime {
		alive, err := demoLives(address)
		if err != nil {
			return 0, err
		}
		if alive {
			return time.Since(began), nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return 0, errors.New("the demo does not live")
}

// demoLives reports whether all markets have quotes and a trade that is not of the synthetic past.
func demoLives(address string) (bool, error) {
	var tickers map[string]struct{}
	if err := readJSON(address, "/api/v4/public/ticker", &tickers); err != nil {
		return false, err
	}
	for name := range tickers {
		var book struct{ Asks, Bids [][2]string }
		if err := readJSON(address, "/api/v4/public/orderbook/"+name+"?limit=1", &book); err != nil {
			return false, err
		}
		var trades []struct{ TradeID uint64 }
		if err := readJSON(address, "/api/v4/public/trades/"+name, &trades); err != nil {
			return false, err
		}
		if len(trades) == 0 || trades[0].TradeID == 0 || len(book.Asks) == 0 || len(book.Bids) == 0 {
			return false, nil
		}
	}
	return len(tickers) > 0, nil
}

// readJSON is a public answer of the API.
func readJSON(address, path string, into any) error {
	body, err := fetch(address, get(path))
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
