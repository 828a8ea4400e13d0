package exchange

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// rater sets what a block is worth to the pool when a node begins and each midnight of UTC, as the chain says. The exchange takes no step of
// more than a half from a node: the chain's node may be deceived, or far behind. Then it is an operator's to set.
type rater struct {
	desk  poolDesk
	chain schema.ChainID
	// worth is what the next block is worth, in units of 10^-8.
	worth func(context.Context) (uint64, error)
	log   *slog.Logger
	last  error // that was logged

	stop context.CancelFunc
	done sync.WaitGroup
}

// startRater lets a rater run until it is closed.
func startRater(r *rater) *rater {
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.done.Go(func() { r.run(ctx) })
	return r
}

func (r *rater) close() {
	r.stop()
	r.done.Wait()
}

const (
	// coinPlaces are the decimals of what chains of Bitcoin count in.
	coinPlaces = 8
	// lookForRate is how long after a failure the next attempt is.
	lookForRate = time.Minute
)

// run sets the rate until the context ends.
func (r *rater) run(ctx context.Context) {
	for {
		wait, err := r.once(ctx)
		if err != nil && ctx.Err() == nil && (r.last == nil || r.last.Error() != err.Error()) {
			r.log.Warn("what a block is worth to the pool could not be set", "error", err)
		}
		r.last = err
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// once sets the rate, and says how long it holds. It leaves a pool alone that pays another asset than the chain's own.
func (r *rater) once(ctx context.Context) (time.Duration, error) {
	now := time.UnixMicro(int64(r.desk.now())).UTC()
	tomorrow := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	places, before, pays := r.pool()
	if !pays {
		return lookForRate, nil
	}
	units, err := r.worth(ctx)
	if err != nil {
		return lookForRate, err
	}
	rate, _ := fixed.FromUnits(int64(units), coinPlaces).Round(places, fixed.Down)
	if rate == before {
		return tomorrow, nil
	}
	no, err := r.desk.submit(ctx, &schema.SetPoolRate{Rate: rate})
	switch {
	case err != nil:
		return lookForRate, err
	case no.Reason == schema.PoolRateJumps:
		return tomorrow, fmt.Errorf("a block is worth %s by the chain and %s until now; a step like that is an operator's: 'bourse operator pool rate %[1]s'", rate, before)
	case no.Refused():
		return tomorrow, fmt.Errorf("a block is worth %s by the chain: %s", rate, no.Text())
	}
	r.log.Info("what a block is worth to the pool changed", "from", before.String(), "to", rate.String())
	return tomorrow, nil
}

// pool is how precise the rate may be and what it is, if there is a pool that pays the chain's own coin.
func (r *rater) pool() (places int, rate fixed.Decimal, pays bool) {
	r.desk.node.Read(func(m core.View) {
		var terms schema.PoolTerms
		if terms, rate = m.Mining().Terms(); terms.Asset == 0 {
			return
		}
		asset := m.Listing().Asset(terms.Asset)
		n := asset.NetworkOn(r.chain)
		places, pays = int(asset.Precision), n != nil && n.Contract == ""
	})
	return places, rate, pays
}
