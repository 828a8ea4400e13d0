package history

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"bourse/internal/schema"
)

// Prune removes what is old. Others go on reading and writing meanwhile; only while counted records
// are removed, which are few, writers wait.
func (p *postgresStore) Prune(ctx context.Context, before schema.Time) (int, error) {
	var uncounted, counted []int16
	for k := range kinds {
		switch {
		case !Kind(k).known() || Kind(k) == Acts:
		case kinds[k].counted:
			counted = append(counted, int16(k))
		default:
			uncounted = append(uncounted, int16(k))
		}
	}
	removed, err := p.pruneKinds(ctx, before, uncounted, false)
	if err == nil && len(counted) > 0 {
		var more int
		more, err = p.pruneKinds(ctx, before, counted, true)
		removed += more
	}
	if err != nil {
		return removed, fmt.Errorf("removing old history from PostgreSQL: %w", err)
	}
	return removed, nil
}

func (p *postgresStore) pruneKinds(ctx context.Context, before schema.Time, of []int16, count bool) (removed int, err error) {
	err = pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		statement := "DELETE FROM records WHERE time < $1 AND kind = ANY ($2)"
		if count {
			for part := range parts {
				if _, err := lockProgress(ctx, tx, part); err != nil {
					return err
				}
			}
			statement += " RETURNING kind, account, asset, class"
		}
		if _, err := tx.Exec(ctx, "SET LOCAL enable_bitmapscan = on"); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, statement, int64(before), of)
		if err != nil {
			return err
		}
		gone := counts{}
		if err := gone.subtract(rows); err != nil {
			return err
		}
		removed = int(rows.CommandTag().RowsAffected())
		return countRows(ctx, tx, gone)
	})
	return removed, err
}
