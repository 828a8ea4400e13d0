package history

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"bourse/internal/schema"
)

// subtract counts rows of kind, account, asset and class as gone.
func (c counts) subtract(rows pgx.Rows) error {
	var kind, class int16
	var account, asset int32
	_, err := pgx.ForEachRow(rows, []any{&kind, &account, &asset, &class}, func() error {
		c.add(&Record{Kind: Kind(kind), Account: schema.AccountID(account), Asset: schema.AssetID(asset), Class: Class(class)}, -1)
		return nil
	})
	return err
}

// countRows changes the counts that are stored. The caller holds the row of the part of the accounts.
func countRows(ctx context.Context, tx pgx.Tx, more counts) error {
	if len(more) == 0 {
		return nil
	}
	var accounts, assets []int32
	var kindsOf, classes []int16
	var numbers []int64
	for c, n := range more {
		accounts, assets = append(accounts, int32(c.account)), append(assets, int32(c.asset))
		kindsOf, classes = append(kindsOf, int16(c.kind)), append(classes, int16(c.class))
		numbers = append(numbers, n)
	}
	_, err := tx.Exec(ctx, "INSERT INTO counts AS c (account, kind, asset, class, records)"+
		" SELECT * FROM unnest($1::integer[], $2::smallint[], $3::integer[], $4::smallint[], $5::bigint[])"+
		" ON CONFLICT (account, kind, asset, class) DO UPDATE SET records = c.records + excluded.records",
		accounts, kindsOf, assets, classes, numbers)
	return err
}

// Count adds up what is stored of the account's assets and classes, however many records there are, or else counts the records that are
// chosen.
func (p *postgresStore) Count(ctx context.Context, q *Query) (int, error) {
	if err := q.check(); err != nil {
		return 0, err
	}
	if q.Tag != tagOf(q.Tag) {
		return 0, nil
	}
	b := &binder{}
	var text string
	if q.summed() {
		text = "SELECT coalesce(sum(records), 0)::bigint FROM counts WHERE account = " + b.bind(int32(q.Account)) + " AND kind = " + b.bind(int16(q.Kind))
		if q.Asset != 0 {
			text += " AND asset = " + b.bind(int32(q.Asset))
		}
		if len(q.Classes) > 0 {
			text += " AND class = ANY (" + b.bind(classNumbers(q.Classes)) + ")"
		}
	} else {
		i := q.index()
		from, to := q.times()
		text = "SELECT count(*) FROM (SELECT FROM records WHERE " + q.condition(i, b) + q.filter(b)
		switch i {
		case byTag:
			switch {
			case !q.Kind.foundBy(byMarket):
				text += " AND market = 0"
			case q.Market != 0:
				text += " AND market = " + b.bind(int32(q.Market))
			}
		case byClass, byMarket, byAsset: // the index is by class
			text += " AND class = ANY (" + b.bind(classNumbers(q.classes())) + ")"
		}
		text += " AND " + q.timeColumn() + " BETWEEN " + b.bind(int64(from)) + " AND " + b.bind(int64(to)) + " LIMIT " + b.bind(int64(MostCounted)) + ") r"
	}
	var n int64
	if err := p.pool.QueryRow(ctx, text, b.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("counting %s of account %d in PostgreSQL: %w", q.Kind, q.Account, err)
	}
	return int(n), nil
}
