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
	if q.empty() || q.Tag != tagOf(q.Tag) {
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

// binder gives arguments their places in a statement.
type binder struct{ args []any }

func (b *binder) bind(arg any) string {
	b.args = append(b.args, arg)
	return fmt.Sprintf("$%d", len(b.args))
}

// condition chooses what an index is for. It names what the index leaves out too, without which
// the index would not be used.
func (q *Query) condition(i index, b *binder) string {
	text := "account = " + b.bind(int32(q.Account)) + " AND kind = " + b.bind(int16(q.Kind))
	switch i {
	case byMarket:
		text += " AND market <> 0 AND market = " + b.bind(int32(q.Market))
	case byAsset:
		text += " AND asset <> 0 AND asset = " + b.bind(int32(q.Asset))
	case byID, byRef:
		text += " AND ref <> 0 AND ref = " + b.bind(int64(q.Ref))
	case byTag:
		text += " AND tag <> '' AND tag = " + b.bind(q.Tag)
	}
	return text
}

// filter chooses from what an index leads to.
func (q *Query) filter(b *binder) (text string) {
	i := q.index()
	if q.Market != 0 && (i == byID || i == byRef) {
		text += " AND market = " + b.bind(int32(q.Market))
	}
	if q.Asset != 0 && i != byAsset {
		text += " AND asset = " + b.bind(int32(q.Asset))
	}
	if len(q.Classes) > 0 && (i == byID || i == byRef || i == byTag) {
		text += " AND class = ANY (" + b.bind(classNumbers(q.Classes)) + ")"
	}
	return text
}

func classNumbers(classes []Class) []int16 {
	list := make([]int16, len(classes))
	for i, c := range classes {
		list[i] = int16(c)
	}
	return list
}

// member chooses a group of an index.
func (g group) member(i index, b *binder) string {
	switch i {
	case byID, byRef:
		return ""
	case byTag:
		return " AND market = " + b.bind(int32(g.market))
	default:
		return " AND class = " + b.bind(int16(g.class))
	}
}

// timeColumn is the time as the index of a query has it.
func (q *Query) timeColumn() string {
	if q.index() == byClass {
		return "time"
	}
	return "at"
}

// statement is the SQL of a page. It finds the keys of the page in the index first, and then
// their rows: rows that the offset passes over are not looked at. A row is found as the newest
// one of its class that is not newer than its key; asked for in this way no other index than that of
// the primary key can be used.
func (q *Query) statement(groups []group) (string, []any) {
	b := &binder{}
	i := q.index()
	at := q.timeColumn()
	from, to := q.times()
	chosen := q.condition(i, b) + " AND " + at + " BETWEEN " + b.bind(int64(from)) + " AND " + b.bind(int64(to)) + q.filter(b)
	offset, limit, end := b.bind(int64(q.Offset)), b.bind(int64(q.Limit)), b.bind(int64(q.Offset)+int64(q.Limit))
	newestFirst := " ORDER BY " + at + " DESC, id DESC, ref DESC LIMIT "
	arms := make([]string, len(groups))
	for n, g := range groups {
		arms[n] = "(SELECT class, " + at + ", id, ref FROM records WHERE " + chosen + g.member(i, b) + newestFirst + end + ")"
	}
	return "SELECT r.time, r.id, r.ref, r.seq, r.market, r.asset, r.class, r.tag, r.message FROM" +
		" (SELECT class, " + at + ", id, ref FROM (" + strings.Join(arms, " UNION ALL ") + ") a" + newestFirst + limit + " OFFSET " + offset + ") k" +
		" CROSS JOIN LATERAL (SELECT * FROM records WHERE account = $1 AND kind = $2 AND class = k.class" +
		" AND (time, id, ref) <= (k." + at + ", k.id, k.ref) ORDER BY time DESC, id DESC, ref DESC LIMIT 1) r" +
		" ORDER BY k." + at + " DESC, k.id DESC, k.ref DESC", b.args
}

// find jumps from market to market of a tag.
func (p *postgresStore) find(ctx context.Context, q *Query) ([]group, error) {
	b := &binder{}
	chosen := q.condition(byTag, b)
	const first = " ORDER BY market LIMIT 1"
	rows, err := p.pool.Query(ctx, "WITH RECURSIVE g AS ("+
		"(SELECT market FROM records WHERE "+chosen+first+")"+
		" UNION ALL "+
		"SELECT n.market FROM g, LATERAL (SELECT market FROM records WHERE "+chosen+" AND market > g.market"+first+") n"+
		") SELECT market FROM g", b.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (group, error) {
		var market int32
		err := row.Scan(&market)
		return group{market: schema.MarketID(market)}, err
	})
}

// scan reads a row of a page.
func (q *Query) scan(row pgx.CollectableRow) (Record, error) {
	r := Record{Kind: q.Kind, Account: q.Account, Payload: kinds[q.Kind].payload()}
	var at, id, ref, seq int64
	var market, asset int32
	var class int16
	var payload []byte
	if err := row.Scan(&at, &id, &ref, &seq, &market, &asset, &class, &r.Tag, &payload); err != nil {
		return r, err
	}
	r.Time, r.ID, r.Ref, r.Seq = schema.Time(at), uint64(id), uint64(ref), uint64(seq)
	r.Market, r.Asset, r.Class = schema.MarketID(market), schema.AssetID(asset), Class(class)
	if err := wire.DecodeJSON(payload, r.Payload); err != nil {
		return r, fmt.Errorf("record %d of batch %d: %w", r.ID, r.Seq, err)
	}
	return r, nil
}
