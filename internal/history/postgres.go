package history

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"bourse/internal/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// postgresStore keeps records in a database. The accounts are in parts, and each part is written in transactions of
// its own: what a row costs is spent in the one process that serves a connection, so two of them write
// nearly twice as much. Parts may be at different batches for a moment, or after a crash; an account is in one
// part, so that its pages are as of one batch. Several stores may work on one database: the one that writes
// a part holds its row of parts.
type postgresStore struct {
	pool *pgxpool.Pool
	// known is the last batch of each part that this one saw in the database. If there is less, the
	// database was put back to an earlier state.
	known [parts]atomic.Uint64
}

// parts is in how many parts the accounts are. The table parts has a row for each.
const parts = 2

func partOf(account schema.AccountID) int { return int(account % parts) }

// settings of every connection, unless the connection string has others. The journal has
// everything, so commits need not wait for the disk. Every page is a piece of an index: the planner
// must not think of another way, nor think again for every page.
var settings = map[string]string{
	"application_name":   "bourse",
	"synchronous_commit": "off",
	"plan_cache_mode":    "force_generic_plan",
	"enable_seqscan":     "off",
	"enable_bitmapscan":  "off",
	"enable_sort":        "off",
	"enable_hashjoin":    "off",
	"enable_mergejoin":   "off",
	"jit":                "off",
}

// CheckPostgres reports whether a text can be the address of a database, without asking it. The error
// ends the sentence "this is not …"; it does not repeat the text, which may hold a password.
func CheckPostgres(url string) error {
	if _, err := pgxpool.ParseConfig(url); err != nil {
		return errors.New("one of PostgreSQL; write postgres://user:password@host:5432/database")
	}
	return nil
}

// OpenPostgres connects to the database of a connection string and makes its tables, or brings
// them up to date.
func OpenPostgres(ctx context.Context, url string) (Store, error) {
	if err := CheckPostgres(url); err != nil {
		return nil, fmt.Errorf("the connection string of the history is not %w", err)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	for name, value := range settings {
		if _, set := config.ConnConfig.RuntimeParams[name]; !set {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	place := fmt.Sprintf("database %q of PostgreSQL at %s:%d", config.ConnConfig.Database, config.ConnConfig.Host, config.ConnConfig.Port)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the history in %s: %w", place, err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("opening the history: cannot reach %s: %w; make sure that it runs and lets this user in", place, err)
	}
	if err := migrate(ctx, pool, newest); err != nil {
		pool.Close()
		return nil, fmt.Errorf("opening the history: making the tables in %s: %w; the user must be allowed to create tables", place, err)
	}
	return &postgresStore{pool: pool}, nil
}

// newest is the last version of the tables, whatever its number.
const newest = math.MaxInt64

// migrate brings the tables up to a version. Of several nodes that start at once one does it.
func migrate(ctx context.Context, pool *pgxpool.Pool, version int64) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 60), lock.WithUnlockTimeout(1, 60)) // seconds, times
	if err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(pool)
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName("history_migrations"), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = provider.UpTo(ctx, version)
	}
	return errors.Join(err, db.Close())
}

// Trouble is never known beforehand: a database says so when it is written.
func (*postgresStore) Trouble() error { return nil }

func (p *postgresStore) Close() error {
	p.pool.Close()
	return nil
}

// Seq is the batch that all parts have.
func (p *postgresStore) Seq(ctx context.Context) (uint64, error) {
	rows, err := p.pool.Query(ctx, "SELECT seq FROM parts ORDER BY part")
	if err != nil {
		return 0, fmt.Errorf("asking PostgreSQL how far the history is: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err == nil && len(all) != parts {
		err = fmt.Errorf("it is in %d parts instead of %d", len(all), parts)
	}
	if err != nil {
		return 0, fmt.Errorf("asking PostgreSQL how far the history is: %w", err)
	}
	for i, seq := range all {
		p.known[i].Store(uint64(seq))
	}
	return uint64(slices.Min(all)), nil
}
