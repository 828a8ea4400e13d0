package history

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// Page merges the groups of one index in the database.
func (p *postgresStore) Page(ctx context.Context, q *Query) ([]Record, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.empty() {
		return nil, nil
	}
	page, err := p.page(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("reading %s of account %d from PostgreSQL: %w", q.Kind, q.Account, err)
	}
	return page, nil
}

func (p *postgresStore) page(ctx context.Context, q *Query) ([]Record, error) {
	groups, err := q.groups(func() ([]group, error) { return p.find(ctx, q) })
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	text, args := q.statement(groups)
	rows, err := p.pool.Query(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, q.scan)
}

// condition chooses what an index is for. It names what the index leaves out too, without which
// the index would not be used.
func (q *Query) condition(i index, bind func(any) string) string {
	text := "kind = " + bind(int16(q.Kind)) + " AND account = " + bind(int64(q.Account))
	switch i {
	case byMarket:
		text += " AND market <> 0"
	case byClass:
		text += " AND class <> 0"
	case byRef:
		text += " AND ref <> 0 AND ref = " + bind(int64(q.Ref))
	case byTag:
		text += " AND tag <> '' AND tag = " + bind(q.Tag)
	}
	return text
}

// member chooses a group of an index, in the words of that index.
func (g group) member(i index, bind func(any) string) string {
	switch i {
	case byTime:
		return ""
	case byMarket:
		return " AND shelf = " + bind(int64(g.market)<<8|int64(g.class))
	case byClass:
		return " AND status = " + bind(int16(g.class))
	default:
		return " AND market = " + bind(int64(g.market)) + " AND class = " + bind(int16(g.class))
	}
}

// statement is the SQL of a page. It finds the keys of the page in the index first, and then
// their rows: rows that the offset passes over are not looked at. A row is found as the newest
// one that is not newer than its key; asked for in this way no other index than that of the
// primary key can be used.
func (q *Query) statement(groups []group) (string, []any) {
	var args []any
	bind := func(arg any) string {
		args = append(args, arg)
		return fmt.Sprintf("$%d", len(args))
	}
	i := q.index()
	at := "at"
	if i == byTime {
		at = "time"
	}
	from, to := q.times()
	chosen := q.condition(i, bind) + " AND " + at + " BETWEEN " + bind(int64(from)) + " AND " + bind(int64(to))
	offset, limit, end := bind(int64(q.Offset)), bind(int64(q.Limit)), bind(int64(q.Offset)+int64(q.Limit))
	newestFirst := " ORDER BY " + at + " DESC, id DESC, ref DESC LIMIT "
	arms := make([]string, len(groups))
	for n, g := range groups {
		arms[n] = "(SELECT " + at + ", id, ref FROM records WHERE " + chosen + g.member(i, bind) + newestFirst + end + ")"
	}
	return "SELECT r.time, r.id, r.ref, r.seq, r.market, r.class, r.tag, r.payload FROM" +
		" (SELECT " + at + ", id, ref FROM (" + strings.Join(arms, " UNION ALL ") + ") a" + newestFirst + limit + " OFFSET " + offset + ") k" +
		" CROSS JOIN LATERAL (SELECT * FROM records WHERE kind = $1 AND account = $2 AND (time, id, ref) <= (k." + at + ", k.id, k.ref)" +
		" ORDER BY time DESC, id DESC, ref DESC LIMIT 1) r" +
		" ORDER BY k." + at + " DESC, k.id DESC, k.ref DESC", args
}

// find jumps from group to group of an order or a client order id.
func (p *postgresStore) find(ctx context.Context, q *Query) ([]group, error) {
	var args []any
	chosen := q.condition(q.index(), func(arg any) string {
		args = append(args, arg)
		return fmt.Sprintf("$%d", len(args))
	})
	const first = " ORDER BY market, class LIMIT 1"
	rows, err := p.pool.Query(ctx, "WITH RECURSIVE g AS ("+
		"(SELECT market, class FROM records WHERE "+chosen+first+")"+
		" UNION ALL "+
		"SELECT n.market, n.class FROM g, LATERAL (SELECT market, class FROM records WHERE "+chosen+
		" AND (market, class) > (g.market, g.class)"+first+") n"+
		") SELECT market, class FROM g", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (group, error) {
		var market int64
		var class int16
		err := row.Scan(&market, &class)
		return group{schema.MarketID(market), Class(class)}, err
	})
}

// scan reads a row of a page.
func (q *Query) scan(row pgx.CollectableRow) (Record, error) {
	r := Record{Kind: q.Kind, Account: q.Account, Payload: kinds[q.Kind].payload()}
	var at, id, ref, seq, market int64
	var class int16
	var payload []byte
	if err := row.Scan(&at, &id, &ref, &seq, &market, &class, &r.Tag, &payload); err != nil {
		return r, err
	}
	r.Time, r.ID, r.Ref, r.Seq = schema.Time(at), uint64(id), uint64(ref), uint64(seq)
	r.Market, r.Class = schema.MarketID(market), Class(class)
	if err := wire.DecodeJSON(payload, r.Payload); err != nil {
		return r, fmt.Errorf("record %d of batch %d: %w", r.ID, r.Seq, err)
	}
	return r, nil
}
