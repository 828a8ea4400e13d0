package history

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"bourse/internal/wire"
)

// Write writes all parts at once, each in a transaction that copies its records and moves its place
// in the log. A part that fails is written again by the next call, and one that did not has nothing to do then.
func (p *postgresStore) Write(ctx context.Context, seq uint64, records []Record) error {
	if err := checkAll(records); err != nil {
		return fmt.Errorf("writing history up to batch %d to PostgreSQL: %w", seq, err)
	}
	var split [parts][]Record
	for i := range records {
		part := partOf(records[i].Account)
		split[part] = append(split[part], records[i])
	}
	var errs [parts]error
	var all sync.WaitGroup
	for part := range parts {
		all.Go(func() { errs[part] = p.writePart(ctx, part, seq, split[part]) })
	}
	all.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("writing history up to batch %d to PostgreSQL: %w", seq, err)
	}
	return nil
}

func (p *postgresStore) writePart(ctx context.Context, part int, seq uint64, records []Record) error {
	have := seq
	err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) (err error) {
		have, err = p.write(ctx, tx, part, seq, records)
		return err
	})
	if err == nil {
		p.known[part].Store(have)
	}
	return err
}

// write returns up to which batch the part is when the transaction is over.
func (p *postgresStore) write(ctx context.Context, tx pgx.Tx, part int, seq uint64, records []Record) (uint64, error) {
	row, err := lockProgress(ctx, tx, part)
	if err != nil {
		return 0, err
	}
	have := uint64(row)
	switch known := p.known[part].Load(); {
	case have < known:
		return 0, fmt.Errorf("the database is at batch %d and was at %d before", have, known)
	case seq <= have:
		return have, nil
	}
	if records = fresh(records, have); len(records) > 0 {
		if err := replaceRows(ctx, tx, records); err != nil {
			return 0, err
		}
		if _, err := tx.Conn().PgConn().CopyFrom(ctx, newCopyStream(records), copyStatement); err != nil {
			return 0, err
		}
	}
	_, err = tx.Exec(ctx, "UPDATE parts SET seq = $1 WHERE part = $2", int64(seq), int16(part))
	return seq, err
}

// lockProgress waits until this transaction is the only one that writes a part, and returns how far the
// part is.
func lockProgress(ctx context.Context, tx pgx.Tx, part int) (seq int64, err error) {
	err = tx.QueryRow(ctx, "SELECT seq FROM parts WHERE part = $1 FOR UPDATE", int16(part)).Scan(&seq)
	return seq, err
}

// replaceRows removes the states that records had before, and counts. They are older ones: the
// database has no record of a batch that it does not have, and it takes none of a batch that it has.
func replaceRows(ctx context.Context, tx pgx.Tx, records []Record) error {
	more := counts{}
	var accounts []int32
	var kindsOf []int16
	var ids []int64
	for i := range records {
		r := &records[i]
		more.add(r, 1)
		if kinds[r.Kind].changes {
			accounts, kindsOf, ids = append(accounts, int32(r.Account)), append(kindsOf, int16(r.Kind)), append(ids, int64(r.ID))
		}
	}
	if len(ids) > 0 {
		rows, err := tx.Query(ctx, "DELETE FROM records r USING unnest($1::integer[], $2::smallint[], $3::bigint[]) AS k (account, kind, ref)"+
			" WHERE r.account = k.account AND r.kind = k.kind AND r.ref = k.ref AND r.ref <> 0"+
			" RETURNING r.kind, r.account, r.asset, r.class", accounts, kindsOf, ids)
		if err != nil {
			return err
		}
		if err := more.subtract(rows); err != nil {
			return err
		}
	}
	return countRows(ctx, tx, more)
}

const copyStatement = "COPY records (account, kind, class, time, at, id, ref, seq, market, asset, tag, message) FROM STDIN (FORMAT binary)"

// copyStream is records in the binary form of COPY, account by account: then rows that follow each
// other go to the same pages of the indexes, all of which begin with the account, and cost the server
// a fifth less.
type copyStream struct {
	records []Record
	order   []uint64 // account and place in records of what is not prepared yet
	begun   bool
	ended   bool
	memory  []byte
	rest    []byte // of the memory, what is not read yet
}

func newCopyStream(records []Record) *copyStream {
	s := &copyStream{records: records, order: make([]uint64, len(records))}
	for i := range records {
		s.order[i] = uint64(records[i].Account)<<32 | uint64(i)
	}
	slices.Sort(s.order)
	return s
}

// copyChunk is how much is prepared at once: while the server works on it the next is.
const copyChunk = 64 << 10

func (s *copyStream) Read(b []byte) (int, error) {
	if len(s.rest) == 0 && !s.fill() {
		return 0, io.EOF
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// fill prepares the next chunk, if there is one.
func (s *copyStream) fill() bool {
	s.memory = s.memory[:0]
	if !s.begun {
		s.begun = true
		s.memory = append(s.memory, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	n := 0
	for ; n < len(s.order) && len(s.memory) < copyChunk; n++ {
		s.memory = appendRow(s.memory, &s.records[uint32(s.order[n])])
	}
	if s.order = s.order[n:]; len(s.order) == 0 && !s.ended {
		s.ended = true
		s.memory = append(s.memory, 0xff, 0xff)
	}
	s.rest = s.memory
	return len(s.rest) > 0
}

// appendRow adds a row: how many fields it has, then each with its length before it.
func appendRow(dst []byte, r *Record) []byte {
	dst = binary.BigEndian.AppendUint16(dst, 12)
	dst = appendInt4(dst, uint32(r.Account))
	dst = appendInt2(dst, uint16(r.Kind))
	dst = appendInt2(dst, uint16(r.Class))
	dst = appendInt8(dst, uint64(r.Time))
	dst = appendInt8(dst, uint64(r.Time))
	dst = appendInt8(dst, r.ID)
	dst = appendInt8(dst, r.Ref)
	dst = appendInt8(dst, r.Seq)
	dst = appendInt4(dst, uint32(r.Market))
	dst = appendInt4(dst, uint32(r.Asset))
	dst = append(binary.BigEndian.AppendUint32(dst, uint32(len(r.Tag))), r.Tag...)
	size := len(dst)
	dst = wire.AppendJSON(append(dst, 0, 0, 0, 0), r.Payload)
	binary.BigEndian.PutUint32(dst[size:], uint32(len(dst)-size-4))
	return dst
}

func appendInt2(dst []byte, n uint16) []byte {
	return binary.BigEndian.AppendUint16(append(dst, 0, 0, 0, 2), n)
}

func appendInt4(dst []byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, 0, 0, 0, 4), n)
}

func appendInt8(dst []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, 0, 0, 0, 8), n)
}
