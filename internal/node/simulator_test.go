package node

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/journal"
	"bourse/internal/replay"
	"bourse/internal/schema"
)

// The simulator runs nodes without goroutines, disks or networks: a seed decides what happens
// next, and the same seed gives the same run. It drives what the node drives, the moves of the
// sequencer, against a log that does what a journal promises and no more.
var (
	simulations = flag.Int("simulations", 100, "how many seeds to simulate; 'make soak' has more")
	simulateOne = flag.Uint64("simulation", 0, "the only seed to simulate")
)

func TestSimulation(t *testing.T) {
	if *simulateOne != 0 {
		simulate(t, *simulateOne, &seen{})
		return
	}
	var all seen
	for seed := range uint64(*simulations) {
		simulate(t, seed+1, &all)
		if t.Failed() {
			t.Fatalf("go test ./internal/node -run TestSimulation -simulation %d", seed+1)
		}
	}
	t.Logf("%+v", all)
	// A simulator that no longer meets trouble proves nothing.
	if *simulations >= 100 && slices.Contains(all.counts(), 0) {
		t.Errorf("some kind of trouble never happened: %+v", all)
	}
}

// seen counts what the runs met.
type seen struct {
	Stored, Conflicts, Unknown, LostAnswers, LostRequests, Late, FoundOwn, Again, Crashes, FromSnapshot, Stale, Acknowledged int
}

func (s *seen) counts() (all []int) {
	v := reflect.ValueOf(*s)
	for i := range v.NumField() {
		all = append(all, int(v.Field(i).Int()))
	}
	return all
}

// simulation is one run.
type simulation struct {
	*testing.T
	*rand.Rand
	seen    *seen
	seed    uint64
	calm    bool // no more trouble, no more commands
	log     [][]byte
	nodes   []*simulated
	wire    []request // on the way to the log
	tickets []*ticket
	lastID  uint64
}

// simulated is a node: the sequencer, and what the driver around it knows.
type simulated struct {
	seq       *sequencer
	queue     []*ticket
	next      move
	waits     uint64 // the request whose answer it waits for; 0: none
	followed  uint64 // how far the log was read by the follower
	clock     schema.Time
	snapshots []journal.Snapshot
}

// request is a batch on its way.
type request struct {
	id   uint64
	from *simulated
	data []byte
	last uint64
}

func simulate(t *testing.T, seed uint64, seen *seen) {
	s := &simulation{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), seen: seen, seed: seed}
	for range 1 + s.IntN(4) {
		n := &simulated{clock: schema.Time(1_000_000 + s.IntN(1_000_000))}
		s.nodes = append(s.nodes, n)
		s.recover(n)
	}
	for _, c := range simulatedVenue() {
		s.submit(s.nodes[0], c)
	}
	s.settle()
	s.calm = false
	for range 200 + s.IntN(600) {
		s.step()
	}
	s.settle()
	s.check()
}

func (s *simulation) failf(format string, args ...any) {
	s.Helper()
	s.Fatalf("seed %d: %s", s.seed, fmt.Sprintf(format, args...))
}

// simulatedVenue has a market and traders with money, so that results depend on the order.
func simulatedVenue() []schema.Command {
	commands := []schema.Command{
		&schema.SetAsset{Asset: schema.Asset{Ticker: "USDT", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetAsset{Asset: schema.Asset{Ticker: "BTC", CanDeposit: true, CanWithdraw: true, Class: schema.Crypto, Scale: 18, Precision: 8}},
		&schema.SetMarket{Market: schema.MarketInfo{
			Name: "BTC_USDT", Base: 2, Quote: 1, Type: schema.Spot, Enabled: true,
			TickSize: fixed.FromInt(1), StepSize: fixed.FromInt(1), FeePrec: 8,
		}},
	}
	for i := range schema.AccountID(2) {
		commands = append(commands, account(fmt.Sprint("trader", i)))
		for asset := range schema.AssetID(2) {
			id, plenty := schema.FirstCustomer+i, fixed.FromInt(1_000_000)
			commands = append(commands, &schema.Deposit{Account: id, Asset: asset + 1, Amount: plenty},
				&schema.Transfer{Account: id, Asset: asset + 1, Amount: plenty, From: schema.Main, To: schema.Trade})
		}
	}
	return commands
}

// name tells commands apart; the venue's have none.
func name(c schema.Command) string {
	switch c := c.(type) {
	case *schema.SetAccount:
		return c.Account.Name
	case *schema.PlaceOrder:
		return c.Order.ClientID.String()
	}
	return ""
}

func (s *simulation) command() schema.Command {
	id := fmt.Sprintf("c%d", len(s.tickets))
	if s.IntN(4) == 0 {
		return account(id)
	}
	client, err := schema.ParseClientID(id)
	if err != nil {
		s.failf("%v", err)
	}
	return &schema.PlaceOrder{Account: schema.FirstCustomer + schema.AccountID(s.IntN(2)), Order: schema.OrderRequest{
		Market: 1, Side: schema.Side(1 + s.IntN(2)), Type: schema.Limit, ClientID: client,
		Price: fixed.FromInt(int64(95 + s.IntN(10))), Amount: fixed.FromInt(int64(1 + s.IntN(9))),
	}}
}

func (s *simulation) submit(n *simulated, c schema.Command) {
	t := &ticket{command: c, done: make(chan error, 1)}
	s.tickets = append(s.tickets, t)
	n.queue = append(n.queue, t)
}

// step lets one thing happen.
func (s *simulation) step() {
	n := s.nodes[s.IntN(len(s.nodes))]
	switch p := s.IntN(100); {
	case p < 20:
		s.submit(n, s.command())
	case p < 55:
		s.act(n)
	case p < 75:
		s.deliver()
	case p < 79:
		s.loseRequest()
	case p < 83:
		s.timeout(n)
	case p < 93:
		s.follow(n)
	case p < 95:
		n.clock += schema.Time(s.IntN(4_000_000) - 2_000_000)
	case p < 98:
		n.snapshots = append(n.snapshots, journal.Snapshot{Mark: n.seq.mark, State: n.seq.machine.Snapshot()})
	default:
		s.crash(n)
	}
}

// chance is true now and then, while there is trouble.
func (s *simulation) chance(percent int) bool { return !s.calm && s.IntN(100) < percent }

// act makes the next move of a node, if there is one to make.
func (s *simulation) act(n *simulated) {
	if n.seq.flight == nil {
		s.depart(n)
		return
	}
	switch n.next {
	case send:
		s.send(n)
	case look:
		s.look(n)
	case measure:
		last := uint64(len(s.log))
		var err error
		switch {
		case s.chance(20):
			err = errors.New("no answer")
		case s.chance(20):
			s.seen.Stale++
			last = s.Uint64N(last + 1)
		}
		s.told(n)(n.seq.measured(last, err))
	}
}

func (s *simulation) depart(n *simulated) {
	if len(n.queue) == 0 {
		return
	}
	s.lastID++
	var id journal.ID
	binary.LittleEndian.PutUint64(id[:], s.lastID)
	// A small limit makes batches of one to a few commands.
	taken := n.seq.depart(n.queue, id, n.clock, 100+s.IntN(400))
	n.queue = n.queue[taken:]
	n.next = send
	n.clock += schema.Time(s.IntN(1000))
}

func (s *simulation) send(n *simulated) {
	if n.waits != 0 {
		return
	}
	s.lastID++
	n.waits = s.lastID
	s.wire = append(s.wire, request{id: n.waits, from: n, data: slices.Clone(n.seq.bytes()), last: n.seq.mark.Seq})
}

// look reads the log as the node would; a copy that is late does not have the newest batches.
func (s *simulation) look(n *simulated) {
	place := n.seq.mark.Seq + 1
	switch {
	case s.chance(10):
		s.told(n)(n.seq.looked(nil, false, errors.New("no answer")))
	case place > uint64(len(s.log)) || s.chance(20):
		s.told(n)(n.seq.looked(nil, false, nil))
	default:
		b := s.batch(place)
		if n.seq.flight.id == b.ID {
			s.seen.FoundOwn++
		}
		s.told(n)(n.seq.looked(&b, true, nil))
	}
}

// told takes what the sequencer wants next.
func (s *simulation) told(n *simulated) func(move, error) {
	return func(next move, err error) {
		if err != nil {
			s.failf("a node gave up: %v", err)
		}
		n.next = next
	}
}

func (s *simulation) batch(seq uint64) journal.Batch {
	b, err := journal.DecodeBatch(seq, s.log[seq-1])
	if err != nil {
		s.failf("%v", err)
	}
	return b
}

// deliver lets a request reach the log. It may come again, and its answer may be lost.
func (s *simulation) deliver() {
	if len(s.wire) == 0 {
		return
	}
	i := s.IntN(len(s.wire))
	r := s.wire[i]
	if s.chance(10) {
		s.seen.Again++
	} else {
		s.wire = slices.Delete(s.wire, i, i+1)
	}
	answer := s.store(&r)
	switch {
	case r.from.waits != r.id:
		s.seen.Late++
	case s.chance(15):
		s.seen.LostAnswers++
		s.answer(r.from, journal.ErrUnknown)
	default:
		s.answer(r.from, answer)
	}
}

// store is what a journal does: behind the expected place or not at all.
func (s *simulation) store(r *request) error {
	if uint64(len(s.log)) != r.last {
		s.seen.Conflicts++
		return journal.ErrConflict
	}
	s.seen.Stored++
	s.log = append(s.log, r.data)
	return nil
}

func (s *simulation) answer(n *simulated, err error) {
	n.waits = 0
	if errors.Is(err, journal.ErrUnknown) {
		s.seen.Unknown++
	}
	s.told(n)(n.seq.answered(err))
}

func (s *simulation) loseRequest() {
	if len(s.wire) == 0 {
		return
	}
	i := s.IntN(len(s.wire))
	r := s.wire[i]
	s.wire = slices.Delete(s.wire, i, i+1)
	s.seen.LostRequests++
	if r.from.waits == r.id {
		s.answer(r.from, journal.ErrUnknown)
	}
}

// timeout: the node stops waiting, its request is still on the way.
func (s *simulation) timeout(n *simulated) {
	if n.waits != 0 {
		s.answer(n, journal.ErrUnknown)
	}
}

// follow hands a node the next batch of the log; now and then it begins again further back.
func (s *simulation) follow(n *simulated) {
	if n.seq.flight != nil || n.followed >= uint64(len(s.log)) {
		return
	}
	if s.chance(10) {
		n.followed -= min(n.followed, s.Uint64N(5))
	}
	b := s.batch(n.followed + 1)
	if err := n.seq.arrived(&b); err != nil {
		s.failf("a node gave up: %v", err)
	}
	n.followed = b.Seq
}

// crash takes a node's memory. Nobody is told anything; what it sent is still on the way.
func (s *simulation) crash(n *simulated) {
	s.seen.Crashes++
	s.recover(n)
}

// recover brings a node to life from one of its snapshots, or from nothing, and the log.
func (s *simulation) recover(n *simulated) {
	n.queue, n.waits, n.next = nil, 0, landed
	n.seq = &sequencer{machine: core.New(), applied: func(*schema.Outcome) {}, stepped: func(uint64) {}, maxShorter: maxShorter}
	if len(n.snapshots) > 0 && s.IntN(3) > 0 {
		s.seen.FromSnapshot++
		snapshot := n.snapshots[s.IntN(len(n.snapshots))]
		machine, err := core.Restore(snapshot.State)
		if err != nil {
			s.failf("%v", err)
		}
		n.seq.machine, n.seq.mark = machine, snapshot.Mark
	}
	for n.seq.mark.Seq < uint64(len(s.log)) {
		b := s.batch(n.seq.mark.Seq + 1)
		if err := n.seq.arrived(&b); err != nil {
			s.failf("recovering: %v", err)
		}
	}
	n.followed = n.seq.mark.Seq
}

// settle ends the trouble and lets everyone finish and catch up.
func (s *simulation) settle() {
	s.calm = true
	for range 100_000 {
		for _, n := range s.nodes {
			s.act(n)
			s.deliver()
			s.follow(n)
		}
		if len(s.wire) == 0 && !slices.ContainsFunc(s.nodes, s.busy) {
			return
		}
	}
	s.failf("the nodes do not come to rest")
}

func (s *simulation) busy(n *simulated) bool {
	return n.seq.flight != nil || len(n.queue) > 0 || n.seq.mark.Seq < uint64(len(s.log))
}

// check holds everything against a replay of the log from zero.
func (s *simulation) check() {
	machine, mark, results := s.replayFromZero()
	for i, n := range s.nodes {
		if n.seq.mark != mark || n.seq.machine.Hash() != machine.Hash() {
			s.failf("node %d ends at batch %d with another state than the log's, which ends at %d", i, n.seq.mark.Seq, mark.Seq)
		}
	}
	for _, t := range s.tickets {
		select {
		case err := <-t.done:
			s.checkTicket(t, err, results)
		default: // its node crashed
		}
	}
	if err := machine.Verify(); err != nil {
		s.failf("%v", err)
	}
}

func (s *simulation) checkTicket(t *ticket, err error, results map[string]schema.Result) {
	if err != nil {
		s.failf("a command was answered with %v", err)
	}
	s.seen.Acknowledged++
	id := name(t.command)
	if id == "" {
		return
	}
	want, there := results[id]
	if !there {
		s.failf("command %s was acknowledged and is not in the log", id)
	}
	if !reflect.DeepEqual(t.result, want) {
		s.failf("command %s was answered with %+v; in the log it is %+v", id, t.result, want)
	}
}

// replayFromZero replays the log from zero: every batch and every command once, time never back.
func (s *simulation) replayFromZero() (*core.Machine, journal.Mark, map[string]schema.Result) {
	machine, mark := core.New(), journal.Mark{}
	results := map[string]schema.Result{}
	ids := map[journal.ID]bool{}
	var now schema.Time
	for seq := range uint64(len(s.log)) {
		b := s.batch(seq + 1)
		if err := b.Follows(mark.Seq, mark.Hash); err != nil {
			s.failf("%v", err)
		}
		if ids[b.ID] {
			s.failf("batch %x stands in the log twice", b.ID)
		}
		ids[b.ID], mark = true, journal.Mark{Seq: b.Seq, Hash: b.Hash()}
		commands, err := replay.Decode(&b)
		if err != nil {
			s.failf("%v", err)
		}
		for _, c := range commands {
			out := machine.Apply(c.Time, c.Command)
			if !out.Result.Rejection.Refused() {
				if out.Time < now {
					s.failf("time goes back in batch %d", b.Seq)
				}
				now = out.Time
			}
			s.remember(results, name(c.Command), out)
		}
	}
	return machine, mark, results
}

func (s *simulation) remember(results map[string]schema.Result, id string, out *schema.Outcome) {
	if id == "" {
		return
	}
	if _, twice := results[id]; twice {
		s.failf("command %s is in the log twice", id)
	}
	mine := out.Result
	mine.Time, mine.Items = out.Time, slices.Clone(mine.Items)
	results[id] = mine
}
