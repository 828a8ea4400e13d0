package api

import (
	"context"

	"bourse/internal/history"
	"bourse/internal/schema"
)

// Ending is what a notice says of something that lets people or programs into an account.
type Ending uint8

const (
	SessionEnded Ending = iota + 1
	KeyEnded
	KeyIdle     // a key was switched off because nobody used it
	AccessEnded // of a client of OAuth
)

// Notice is something that ended, when and why.
type Notice struct {
	At     schema.Time
	Ending Ending
	history.Notice
}

var endings = map[history.Class]Ending{
	history.SessionEnded: SessionEnded, history.KeyEnded: KeyEnded, history.KeyIdle: KeyIdle, history.AccessEnded: AccessEnded,
}

// Notices are what ended last in an account, the newest first.
func (a *API) Notices(ctx context.Context, account schema.AccountID, most int) ([]Notice, error) {
	c := &Call{API: a, Context: ctx}
	records, err := c.PastOf(account, &history.Query{Kind: history.Notices, Limit: most})
	list := make([]Notice, len(records))
	for i := range records {
		list[i] = Notice{records[i].Time, endings[records[i].Class], *records[i].Payload.(*history.Notice)}
	}
	return list, err
}
