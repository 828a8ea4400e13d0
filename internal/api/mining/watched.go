package mining

import (
	"context"
	"encoding/json"
	"time"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/history"
	"bourse/internal/schema"
	"bourse/internal/watch"
)

// rewardsShown is how many rewards a page shows of a mining account.
const rewardsShown = 30

// Watcher shows what links permit to see of mining accounts.
type Watcher struct {
	api   *api.API
	crews crews
}

// NewWatcher makes a watcher.
func NewWatcher(a *api.API) *Watcher { return &Watcher{api: a} }

// Page is what is at a path: a page, or the same as JSON. Found is false where there is no link, or it has ended, or its owner may do nothing.
func (w *Watcher) Page(ctx context.Context, path string) (body []byte, contentType string, found bool, err error) {
	id, asJSON := watch.Read(w.api.Key(), path)
	page, err := w.page(&api.Call{API: w.api, Context: ctx}, id)
	switch {
	case err != nil:
		return nil, "", false, err
	case asJSON:
		body, err = json.Marshal(page)
		return body, "application/json", page != nil, err
	}
	return page.HTML(), "text/html; charset=utf-8", page != nil, nil
}

// page is what a link shows, nil if there is none that lives.
func (w *Watcher) page(c *api.Call, id schema.WatchID) (*watch.Page, error) {
	var link schema.Watch
	var shown []schema.MiningAccount
	lives, now := false, w.api.Now()
	w.api.Read(func(v core.View) {
		if link, lives = v.Mining().Watch(id); !lives {
			return
		}
		for _, mining := range link.Minings {
			m, _ := v.Mining().Account(mining)
			shown = append(shown, m)
		}
	})
	if !lives || link.Until != 0 && link.Until <= now || !w.acts(link.Account) {
		return nil, nil
	}
	page := &watch.Page{Name: link.Name, Until: int64(link.Until / second)}
	for i := range shown {
		a, err := w.account(c, &shown[i], link.Rights, now)
		if err != nil {
			return nil, err
		}
		page.Accounts = append(page.Accounts, a)
	}
	return page, nil
}

// acts reports whether an account may do what customers do.
func (w *Watcher) acts(account schema.AccountID) bool {
	owner := w.api.Directory().Account(account)
	c := api.Caller{Account: owner}
	if owner != nil && owner.IsSub() {
		c.Master = w.api.Directory().Account(owner.Parent)
	}
	return api.Admit(&c) == nil
}

// account is what a link shows of a mining account. One that the pool has barred brings and earns nothing.
func (w *Watcher) account(c *api.Call, m *schema.MiningAccount, rights schema.WatchRights, now schema.Time) (watch.Account, error) {
	a := watch.Account{Name: m.Name}
	var err error
	if rights&schema.WatchDashboard != 0 {
		if a.Dashboard, err = w.dashboard(c, m, now); err != nil {
			return a, err
		}
	}
	if rights&schema.WatchRewards != 0 && !m.Barred {
		records, err := c.PastOf(m.Account, &history.Query{Kind: history.Rewards, Tag: history.MinedBy(m.ID), Limit: rewardsShown})
		if err != nil {
			return a, err
		}
		for _, r := range rewardsIn(c.API, records) {
			a.Rewards = append(a.Rewards, watch.Reward{
				Date: int64(r.Day / second), Text: moment(r.Day).Format(time.DateOnly), Amount: r.Amount.String(), Currency: r.ticker, Status: r.Status.String(),
			})
		}
	}
	if rights&schema.WatchWorkers != 0 {
		if a.Workers, err = w.workers(c, m, now); err != nil {
			return a, err
		}
	}
	return a, nil
}

func moment(t schema.Time) time.Time { return time.UnixMicro(int64(t)).UTC() }

func (w *Watcher) dashboard(c *api.Call, m *schema.MiningAccount, now schema.Time) (*watch.Dashboard, error) {
	t, err := w.crews.tally(c, m.ID, now)
	if err != nil {
		return nil, err
	}
	d := &watch.Dashboard{Hashrate: "0", Online: t.online, Offline: t.offline, Low: t.low, Points: []watch.Point{}}
	if m.Barred {
		return d, nil
	}
	var s span
	if err := s.check(now); err != nil {
		return nil, err
	}
	points, err := measured(c, m, &s, intervals["1h"], now)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		d.Points = append(d.Points, watch.Point{Time: int64(p.begin / second), Text: moment(p.begin).Format("2006-01-02 15:04"), Hashrate: p.hashes})
	}
	records, err := c.PastOf(m.Account, &history.Query{
		Kind: history.Measured, Tag: history.MinedBy(m.ID), From: max(now/bucket*bucket-lowSpan, 1), Limit: int(lowSpan/bucket) + 1,
	})
	if err != nil {
		return nil, err
	}
	var hour point
	for i := range records {
		hour.add(records[i].Payload.(*schema.MiningMeasured).Work, 0, 0)
	}
	d.Hashrate = hashrate(&hour.work, terms(c.API).Unit, int64(lowSpan/second)).String()
	return d, nil
}

func (w *Watcher) workers(c *api.Call, m *schema.MiningAccount, now schema.Time) ([]watch.Worker, error) {
	all, _, err := w.crews.look(c, m.ID, now)
	if err != nil {
		return nil, err
	}
	unit, list := terms(c.API).Unit, []watch.Worker{}
	for _, k := range sorted(all) {
		if k.last < now/bucket*bucket-lowSpan {
			continue
		}
		status := "offline"
		switch {
		case k.online(now) && k.low():
			status = "low"
		case k.online(now):
			status = "online"
		}
		list = append(list, watch.Worker{Name: k.name, Status: status, Hashrate: places(hashrate(&k.hour, unit, int64(lowSpan/second)), tera)})
	}
	return list, nil
}
