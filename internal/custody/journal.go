package custody

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"syscall"

	"bourse/internal/fixed"
	"bourse/internal/schema"
	"bourse/internal/wire"
)

// JournalFile of a signer's directory is what it remembers: what it signed for whom. A signer without it could be made to pay twice, so
// only 'bourse signer init' makes one.
const JournalFile = "signer.journal"

// record is a line of the journal: something that is signed once the record is durable, or that a person released.
type record struct {
	At     schema.Time // microseconds since 1970
	Payout schema.PayoutID
	// Released says that the payout never pays its withdrawals, so that another one may. The rest is of payouts that are signed.
	Released bool
	Chain    string
	Asset    string
	Anchor   string
	Payees   []payee
	Coins    []spent // that the journal did not have
	Fee      fixed.Decimal
}

func (m *record) Fields(c *wire.Coder) {
	wire.Int(c, 1, "at", &m.At)
	wire.Uint(c, 2, "payout", &m.Payout)
	c.Bool(3, "released", &m.Released)
	wire.Text(c, 4, "chain", &m.Chain)
	wire.Text(c, 5, "asset", &m.Asset)
	wire.Text(c, 6, "anchor", &m.Anchor)
	wire.List(c, 7, "payees", &m.Payees)
	wire.List(c, 8, "coins", &m.Coins)
	c.Decimal(9, "fee", &m.Fee)
}

// payee is who gets something by a payout, and for which withdrawal.
type payee struct {
	Withdrawal schema.WithdrawalID
	Address    string
	Amount     fixed.Decimal
}

func (m *payee) Fields(c *wire.Coder) {
	wire.Uint(c, 1, "withdrawal", &m.Withdrawal)
	wire.Text(c, 2, "address", &m.Address)
	c.Decimal(3, "amount", &m.Amount)
}

// spent is a coin that a payout spends, and what it was said to be worth.
type spent struct {
	ID     string
	Amount fixed.Decimal
}

func (m *spent) Fields(c *wire.Coder) {
	wire.Text(c, 1, "id", &m.ID)
	c.Decimal(2, "amount", &m.Amount)
}

// journal is the file, open for one process alone. A line is a checksum, a blank, and a record as JSON.
type journal struct {
	file *os.File
	err  error // of writing: after it nobody knows what is on the disk, and nothing is written any more
}

// errJournal is wrapped by errors about a journal that is damaged.
var errJournal = errors.New("the signer's journal is damaged")

// openJournal reads a journal from its beginning. A last line without an end is cut off: it was being written when the machine died,
// so nothing was signed for it.
func openJournal(path string, each func(*record) error) (*journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the signer's journal: %w; without it nobody knows what was signed before", err)
	}
	j := &journal{file: file}
	if err := j.read(path, each); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

func (j *journal) read(path string, each func(*record) error) error {
	if err := syscall.Flock(int(j.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("the signer's journal %s is in use: stop the signer that has it", path)
	}
	in := bufio.NewReader(j.file)
	var end int64
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var r *record
		if err == nil {
			r, err = parseLine(line)
		}
		if err == nil {
			err = each(r)
		}
		if err != nil {
			return fmt.Errorf("%w: %s, line %d: %w", errJournal, path, number, err)
		}
		end += int64(len(line))
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	if _, err := j.file.Seek(end, io.SeekStart); err != nil {
		return err
	}
	return j.file.Sync()
}

func parseLine(line []byte) (*record, error) {
	sum, text, ok := bytes.Cut(bytes.TrimSuffix(line, []byte{'\n'}), []byte{' '})
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if !ok || err != nil || uint32(want) != checksum(text) {
		return nil, errors.New("its checksum is wrong")
	}
	var r record
	return &r, wire.DecodeJSON(text, &r)
}

func checksum(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

// append writes a record and returns when it is durable.
func (j *journal) append(r *record) error {
	if j.err == nil {
		text := wire.AppendJSON(nil, r)
		_, err := fmt.Fprintf(j.file, "%08x %s\n", checksum(text), text)
		if err == nil {
			err = j.file.Sync()
		}
		j.err = err
	}
	if j.err != nil {
		return fmt.Errorf("writing the signer's journal: %w", j.err)
	}
	return nil
}

// close gives the journal up before it closes it: a process that is being started has a copy of the open file for a moment.
func (j *journal) close() error {
	return errors.Join(syscall.Flock(int(j.file.Fd()), syscall.LOCK_UN), j.file.Close())
}
