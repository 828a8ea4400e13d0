package history

import (
	"math"
	"strconv"

	"bourse/internal/node"
	"bourse/internal/schema"
)

// What miners brought is recorded three times: of a mining account by five minutes, which its customer sees; of all mining accounts together, which
// everyone sees; and of each worker. The last two belong to no account, so that theirs is 0. The workers of a mining account are found by its
// number, and one of them by its tag.

// rewardClasses are those of rewards, by their states.
var rewardClasses = [...]Class{
	schema.RewardPending: RewardPending, schema.RewardSuccessful: RewardSuccessful, schema.RewardCanceled: RewardCanceled,
}

// rewarded is the state of a reward. Its time is the day that it is for.
func rewarded(r *schema.Reward) Record {
	return Record{
		Kind: Rewards, Account: r.Account, Asset: r.Asset, Time: r.Day, ID: uint64(r.ID), Ref: uint64(r.ID), Class: rewardClasses[r.Status],
		Tag: MinedBy(r.Mining), Payload: r,
	}
}

// MinedBy is the tag of what belongs to a mining account.
func MinedBy(id schema.MiningID) string { return strconv.FormatUint(uint64(id), 10) }

// WorkerOf is the tag of what a worker of a mining account brought.
func WorkerOf(id schema.MiningID, worker string) string { return MinedBy(id) + "/" + worker }

// measured is what a mining account brought in five minutes, of which there is one record.
func measured(e *schema.MiningMeasured) Record {
	return Record{Kind: Measured, Account: e.Account, Time: e.Time, ID: uint64(e.Mining), Tag: MinedBy(e.Mining), Payload: e}
}

// appendMeasured records what a mining account brought, and adds it to what all brought of which the command told before.
func appendMeasured(dst []Record, e *schema.MiningMeasured, first int, number uint64) []Record {
	for i := first; i < len(dst); i++ {
		if all, is := dst[i].Payload.(*schema.MiningMeasured); is && dst[i].Kind == PoolMeasured && all.Time == e.Time {
			all.Work, all.Accepted, all.Rejected = saturated(all.Work, e.Work), saturated(all.Accepted, e.Accepted), saturated(all.Rejected, e.Rejected)
			return append(dst, measured(e))
		}
	}
	all := *e
	all.Mining, all.Account = 0, 0
	return append(dst, Record{Kind: PoolMeasured, Time: e.Time, ID: number, Payload: &all}, measured(e))
}

// saturated is the sum of two numbers, or the greatest that there is.
func saturated(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// appendWorkers records what workers brought. Their rows are about the past; one of a listener whose clock is ahead is of the moment of the report.
func appendWorkers(dst []Record, e *schema.SharesReported, h *node.CommandEvents, number uint64) []Record {
	for i := range e.Workers {
		w := &e.Workers[i]
		dst = append(dst, Record{
			Kind: WorkerShares, Time: min(w.Time, h.Time), ID: number + uint64(i), Ref: uint64(w.Mining), Tag: WorkerOf(w.Mining, w.Worker), Payload: w,
		})
	}
	return dst
}

// found is a block that the pool found.
func found(b *schema.PoolBlock, number uint64) Record {
	return Record{Kind: Blocks, Time: b.Time, ID: number, Tag: MinedBy(b.Mining), Payload: b}
}
