package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"bourse/internal/journal"
)

// peers is how a node and the others on the same log keep an eye on each other.
type peers struct {
	me        journal.ID
	reports   chan *journal.Report // ours, to be published
	snapshots chan *journal.Snapshot
}

// newPeers gives the node an identity, another one at every start: a state that was lost with
// the memory has no say in what comes after.
func newPeers() (*peers, error) {
	p := &peers{reports: make(chan *journal.Report, 16), snapshots: make(chan *journal.Snapshot, 1)}
	_, err := rand.Read(p.me[:])
	return p, err
}

// checkpoint has the hash of the state made when it is time to compare it.
func (n *Node) checkpoint() {
	if n.peers != nil && n.seq.mark.Seq%uint64(n.options.CompareBatches) == 0 {
		n.builder.poke()
	}
}

// report tells the other nodes the hash of a place.
func (n *Node) report(seq uint64, hash journal.Hash) {
	r := &journal.Report{Seq: seq, Node: n.peers.me, Name: n.options.Name, Hash: hash}
	select {
	case n.peers.reports <- r:
	default:
		n.options.Log.Warn("the hash of a state is not published: earlier ones still wait", "batch", r.Seq)
	}
}

// share offers a snapshot to the other nodes, beside the work. One that still waits for its turn
// makes room: the newest is the one that counts.
func (n *Node) share(s *journal.Snapshot) {
	if n.peers == nil {
		return
	}
	select {
	case <-n.peers.snapshots:
	default:
	}
	n.peers.snapshots <- s // there is room: nobody else puts any in
}

// shareLast offers the snapshot that was written at the end, when nobody else does it any more.
func (n *Node) shareLast() {
	if n.peers == nil {
		return
	}
	select {
	case s := <-n.peers.snapshots:
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		if err := n.shared.SaveSnapshot(ctx, s); err != nil {
			n.options.Log.Warn("telling the other nodes", "problem", err)
		}
	default:
	}
}

// shareTime is how long handing a snapshot or a hash to the other nodes may take.
const shareTime = time.Minute

// tellPeers hands over hashes and snapshots. What fails is only logged: the log is what counts.
func (n *Node) tellPeers(ctx context.Context) {
	for {
		var err error
		select {
		case r := <-n.peers.reports:
			err = n.tell(ctx, func(ctx context.Context) error { return n.shared.SaveReport(ctx, r) })
		case s := <-n.peers.snapshots:
			err = n.tell(ctx, func(ctx context.Context) error { return n.shared.SaveSnapshot(ctx, s) })
		case <-ctx.Done():
			return
		}
		if err != nil {
			n.options.Log.Warn("telling the other nodes", "problem", err)
		}
	}
}

func (n *Node) tell(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, shareTime)
	defer cancel()
	return do(ctx)
}

// hearPeers compares the hashes of all nodes, and stops this one if it is the odd one out.
func (n *Node) hearPeers(ctx context.Context) {
	jury := jury{me: n.peers.me}
	for ctx.Err() == nil {
		err := n.shared.FollowReports(ctx, jury.hear)
		if errors.Is(err, ErrDiffers) {
			n.fail(err)
			n.withdraw(ctx, jury.agreed())
			return
		}
		if ctx.Err() == nil {
			n.options.Log.Warn("comparing states", "problem", err)
			_ = pause(ctx, 6)
		}
	}
}

// withdraw takes back the shared snapshots after the last place where states were the same: they
// may be wrong, and nobody must begin with them. The log has everything.
func (n *Node) withdraw(ctx context.Context, agreed uint64) {
	err := n.tell(context.WithoutCancel(ctx), func(ctx context.Context) error {
		return n.shared.RemoveSnapshots(ctx, agreed)
	})
	if err != nil {
		n.options.Log.Error("shared snapshots of a wrong state could not be taken back: remove them by hand",
			"after batch", agreed, "problem", err)
	}
}

// ErrDiffers means that other nodes have another state after the same log.
var ErrDiffers = errors.New("the state of this node is not the one that the log stands for")

// compared is how many places of the log a jury remembers.
const compared = 8

// jury compares what nodes say about the same places of the log. The more numerous are right.
// When as many say one thing as another nobody can tell who is right; if that lasts for two
// places both sides stop, because a wrong state must not go on trading.
type jury struct {
	me     journal.ID
	places []place // in the order they were first heard of
}

type place struct {
	seq   uint64
	votes map[journal.ID]journal.Report
}

// hear takes a report into account. It returns an error when this node has to stop.
func (j *jury) hear(r *journal.Report) error {
	j.place(r.Seq).votes[r.Node] = *r
	ties := 0
	for i := range j.places {
		agree, differ, other := j.places[i].count(j.me)
		switch {
		case agree == 0 || differ == 0 || agree > differ:
			continue
		case agree == differ:
			ties++
		}
		if agree < differ || ties == 2 {
			return fmt.Errorf("%w: after batch %d it differs from that of %q (%d nodes agree with this one, %d do not); "+
				"remove its snapshots and start it again to rebuild the state from the log",
				ErrDiffers, j.places[i].seq, other, agree, differ)
		}
	}
	return nil
}

// agreed is the last place known where this node and others all said the same.
func (j *jury) agreed() (seq uint64) {
	for i := range j.places {
		if agree, differ, _ := j.places[i].count(j.me); agree > 1 && differ == 0 {
			seq = max(seq, j.places[i].seq)
		}
	}
	return seq
}

// place finds what was said about a place of the log, and forgets what is long ago.
func (j *jury) place(seq uint64) *place {
	for i := range j.places {
		if j.places[i].seq == seq {
			return &j.places[i]
		}
	}
	if len(j.places) == compared {
		j.places = append(j.places[:0], j.places[1:]...)
	}
	j.places = append(j.places, place{seq, map[journal.ID]journal.Report{}})
	return &j.places[len(j.places)-1]
}

// count is how many nodes agree with one, itself included, and the most that agree on something
// else, with the name of one of them. It is all zero as long as that node has not spoken.
func (p *place) count(me journal.ID) (agree, differ int, other string) {
	mine, spoken := p.votes[me]
	if !spoken {
		return 0, 0, ""
	}
	others := map[journal.Hash]int{}
	for _, v := range p.votes {
		if v.Hash == mine.Hash {
			agree++
			continue
		}
		others[v.Hash]++
		if others[v.Hash] > differ {
			differ, other = others[v.Hash], v.Name
		}
	}
	return agree, differ, other
}
