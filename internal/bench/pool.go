package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"bourse/internal/network/driver"
	"bourse/internal/pool"
	"bourse/internal/pool/work"
	"bourse/internal/schema"
)

// What the pool must bear: shares a second on one core, and over TCP on two.
const (
	sharesBar = 100_000
	tcpBar    = 30_000
)

const (
	poolTxs      = 4095 // of the template: 12 branches
	poolBits     = 0x1d00ffff
	sharesOfJob  = 100_000 // before the next job
	sharesTimed  = 50_000  // of a round; the least disturbed counts
	sharesRounds = 20
	sharesWarmed = 10_000

	tcpConns    = 16
	tcpShares   = 20_000 // of each connection
	tcpAtOnce   = 50
	tcpPatience = 10 * time.Second
	poolMargin  = 1000 // of so many hashes at most one is above the easiest target
)

func poolTemplate() *driver.Template {
	t := &driver.Template{Height: 900_000, Version: 0x20000000, Bits: poolBits, Time: uint32(futuresStart / schema.Second), Value: 312_500_000, Commitment: make([]byte, 38)}
	for i := range poolTxs {
		tx := driver.TemplateTx{Raw: []byte{0}}
		binary.BigEndian.PutUint32(tx.ID[:], uint32(i))
		t.Txs = append(t.Txs, tx)
	}
	return t
}

// poolShares verifies shares on one core: the first transaction, 12 branches and the header are hashed, and it is looked whether the hash
// meets both targets and was seen before. A job has as many shares as 10,000 workers bring in eight minutes.
func poolShares(r *report) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	body, err := work.NewBody(poolTemplate(), make([]byte, 22))
	if err != nil {
		return err
	}
	var room work.Room
	var share work.Share
	target, job, number, good := work.OfExponent(work.LeastExponent), (*work.Job)(nil), uint32(0), 0
	verify := func() {
		if number%sharesOfJob == 0 {
			job = body.Job(1, number/sharesOfJob+1, false)
		}
		number++
		share.Nonce = number
		binary.BigEndian.PutUint32(share.Extra2[:], number)
		if hash := job.Hash(&share, &room); !job.Network.Met(&hash) && target.Met(&hash) && job.First(&hash) {
			good++
		}
	}
	for range sharesWarmed {
		verify()
	}
	allocations := testing.AllocsPerRun(sharesWarmed, func() { job.Hash(&share, &room) })
	if allocations != 0 {
		return fmt.Errorf("hashing a share allocates memory %v times", allocations)
	}
	rate := 0.0
	for range sharesRounds {
		good = 0
		began := time.Now()
		for range sharesTimed {
			verify()
		}
		rate = max(rate, sharesTimed/time.Since(began).Seconds())
		if good < sharesTimed-sharesTimed/poolMargin {
			return fmt.Errorf("%d of %d shares are good", good, sharesTimed)
		}
	}
	r.add(Result{Name: "pool.shares", Value: rate, Unit: "shares/s", Ratio: rate / sharesBar, RatioTo: "the bar, " + strconv.Itoa(sharesBar)})
	return nil
}

// poolDesk is all that a pool stands upon. Its clock goes on by ten seconds whenever it is looked at, so that shares are never too fast: what is
// measured is shares, and no changes of the difficulty.
type poolDesk struct {
	mu  sync.Mutex
	now time.Time
}

func (d *poolDesk) Now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(10 * time.Second)
	return d.now
}

func (*poolDesk) Timer(time.Duration) (<-chan time.Time, func() bool) {
	return nil, func() bool { return true }
}

func (*poolDesk) Terms() (uint8, string) { return 32, "" }

func (*poolDesk) Find(string) (schema.MiningID, bool) { return 1, true }

func (*poolDesk) Lease(context.Context) (schema.LeaseID, error) { return 1, nil }

func (*poolDesk) Report(context.Context, *schema.ReportShares) (schema.Rejection, error) {
	return schema.Rejection{}, nil
}

func (*poolDesk) Found(context.Context, *schema.FoundBlock) (schema.Rejection, error) {
	return schema.Rejection{}, nil
}

func (*poolDesk) Template(context.Context) (*driver.Template, error) { return poolTemplate(), nil }

func (*poolDesk) Submit(context.Context, []byte) error { return driver.ErrBlock }

// poolTCP sends shares over TCP from this process, which hashes nothing, and waits for the answers.
func poolTCP(r *report) error {
	desk := &poolDesk{now: time.UnixMicro(int64(futuresStart))}
	bounds := pool.NewBounds()
	bounds.Start = work.LeastExponent
	p := pool.New(pool.Options{Source: desk, Book: desk, Reporter: desk, Script: make([]byte, 22), Bounds: bounds, Clock: desk})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()
	rate, err := poolLoad(ln.Addr().String())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := errors.Join(err, p.Close(ctx), <-served); err != nil {
		return err
	}
	r.add(Result{Name: "pool.tcp", Value: rate, Unit: "shares/s", Ratio: rate / tcpBar, RatioTo: "the bar, " + strconv.Itoa(tcpBar)})
	return nil
}

// poolLoad is how many shares a second are answered.
func poolLoad(at string) (float64, error) {
	var miners []*poolMiner
	for range tcpConns {
		m, err := dialPool(at)
		for deadline := time.Now().Add(tcpPatience); err != nil; m, err = dialPool(at) { // a pool that just began sends miners away
			if time.Now().After(deadline) {
				return 0, err
			}
			time.Sleep(time.Millisecond)
		}
		defer m.nc.Close()
		miners = append(miners, m)
	}
	var load sync.WaitGroup
	failed := make([]error, len(miners))
	began := time.Now()
	for i, m := range miners {
		load.Go(func() { failed[i] = m.run() })
	}
	load.Wait()
	return tcpConns * tcpShares / time.Since(began).Seconds(), errors.Join(failed...)
}

// poolMiner is a connection that brings shares.
type poolMiner struct {
	nc    net.Conn
	lines *bufio.Reader
	job   string
}

func dialPool(at string) (*poolMiner, error) {
	nc, err := net.Dial("tcp", at)
	if err != nil {
		return nil, err
	}
	m := &poolMiner{nc: nc, lines: bufio.NewReaderSize(nc, 1<<16)}
	if _, err = nc.Write([]byte(`{"id":1,"method":"mining.subscribe","params":[]}` + "\n" + `{"id":2,"method":"mining.authorize","params":["a.b","x"]}` + "\n")); err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	for m.job == "" {
		line, err := m.lines.ReadBytes('\n')
		if err != nil {
			return nil, errors.Join(err, nc.Close())
		}
		var said struct {
			Method string
			Params []any
			Error  any
		}
		if err := json.Unmarshal(line, &said); err != nil || said.Error != nil {
			_ = nc.Close()
			return nil, fmt.Errorf("the pool says %s: %w", line, err)
		}
		if said.Method == "mining.notify" {
			m.job = said.Params[0].(string)
		}
	}
	return m, nil
}

// run sends shares, some at once, and waits until all are answered.
func (m *poolMiner) run() error {
	var out []byte
	good, stamp := 0, fmt.Sprintf("%08x", uint32(futuresStart/schema.Second))
	for n := 0; n < tcpShares; {
		out = out[:0]
		for range tcpAtOnce {
			out = fmt.Appendf(out, `{"id":%d,"method":"mining.submit","params":["a.b",%q,"0000000000000000",%q,"%08x"]}`+"\n", n, m.job, stamp, n)
			n++
		}
		if _, err := m.nc.Write(out); err != nil {
			return err
		}
		for range tcpAtOnce {
			line, err := m.lines.ReadSlice('\n')
			if err != nil {
				return err
			}
			if bytes.Contains(line, []byte(`"result":true`)) {
				good++
			}
		}
	}
	if good < tcpShares-max(tcpShares/poolMargin, 10) {
		return fmt.Errorf("%d of %d shares were accepted", good, tcpShares)
	}
	return nil
}
