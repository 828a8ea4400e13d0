package history

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

func TestTwoFollowersOfOneDatabase(t *testing.T) {
	x := open(t)
	defer x.stop()
	url := database(t)
	first, second := Follow(x.node, openPostgres(t, url), Options{}), Follow(x.node, openPostgres(t, url), Options{})
	for i := range 100 {
		x.cancel(x.place(x.alice, schema.Sell, "1", "100", fmt.Sprint("order", i)))
	}
	one, two := x.page(first, Query{Kind: Orders, Account: x.alice}), x.page(second, Query{Kind: Orders, Account: x.alice})
	if err := same(one, two); err != nil || len(one) != 100 {
		t.Errorf("%d records: %v", len(one), err)
	}
	closeStore(t, first)
	// The one that is left goes on.
	x.cancel(x.place(x.alice, schema.Sell, "1", "100", "last"))
	if page := x.page(second, Query{Kind: Orders, Account: x.alice, Tag: "last"}); len(page) != 1 {
		t.Errorf("got %s", story(page))
	}
	closeStore(t, second)
	var rows int
	if err := connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM records WHERE kind = 1").Scan(&rows); err != nil || rows != 101 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestNodesMayMakeTheTablesAtOnce(t *testing.T) {
	url := database(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			store, err := OpenPostgres(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

func TestLostConnectionsLoseNothing(t *testing.T) {
	x := open(t)
	defer x.stop()
	url := database(t)
	h := Follow(x.node, openPostgres(t, url), Options{})
	defer closeStore(t, h)
	conn := connect(t, url)
	for i := range 30 {
		x.cancel(x.place(x.alice, schema.Sell, "1", "100", fmt.Sprint("order", i)))
		if i%5 == 0 {
			if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"+
				" WHERE application_name = 'bourse' AND datname = current_database()"); err != nil {
				t.Fatal(err)
			}
		}
	}
	// A page may meet a connection that is gone; the next one does not.
	page, err := h.Page(t.Context(), &Query{Kind: Orders, Account: x.alice, Limit: 100})
	for tries := 0; err != nil && tries < 10; tries++ {
		page, err = h.Page(t.Context(), &Query{Kind: Orders, Account: x.alice, Limit: 100})
	}
	if err != nil || len(page) != 30 {
		t.Errorf("%d records, %v", len(page), err)
	}
}

// A database that is put back to an earlier state, say by a standby that had not received
// everything, is filled up again while the exchange runs.
func TestDatabaseThatLostItsEndIsFilledUp(t *testing.T) {
	x := open(t)
	defer x.stop()
	url := database(t)
	h := Follow(x.node, openPostgres(t, url), Options{})
	defer closeStore(t, h)
	var middle uint64
	for i := range 20 {
		x.cancel(x.place(x.alice, schema.Sell, "1", "100", fmt.Sprint("order", i)))
		if i == 9 {
			middle = x.node.Applied()
		}
	}
	want := x.page(h, Query{Kind: Orders, Account: x.alice})
	conn := connect(t, url)
	for _, sql := range []string{"DELETE FROM records WHERE seq > $1", "UPDATE parts SET seq = $1"} {
		if _, err := conn.Exec(t.Context(), sql, int64(middle)); err != nil {
			t.Fatal(err)
		}
	}
	x.cancel(x.place(x.alice, schema.Sell, "1", "100", "last"))
	got := x.page(h, Query{Kind: Orders, Account: x.alice})
	if len(got) != 21 {
		t.Fatalf("%d records", len(got))
	}
	if err := same(got[1:], want); err != nil {
		t.Error(err)
	}
}

// TestPartsThatDifferMeetAgain: a crash between the transactions of two parts leaves one behind. It is
// written again, and the other is not written twice.
func TestPartsThatDifferMeetAgain(t *testing.T) {
	url := database(t)
	store := openPostgres(t, url)
	defer store.Close()
	batch := func(seq uint64) (list []Record) {
		for account := range schema.AccountID(4) {
			id := 10*seq + uint64(account)
			list = append(list, Record{
				Kind: Transfers, Account: schema.FirstCustomer + account, Asset: 1, Time: schema.Time(seq), ID: id, Seq: seq,
				Class: Move(schema.Main, schema.Trade), Payload: &schema.Transferred{ID: schema.TransferID(id)},
			})
		}
		return list
	}
	for seq := uint64(1); seq <= 2; seq++ {
		if err := store.Write(t.Context(), seq, batch(seq)); err != nil {
			t.Fatal(err)
		}
	}
	conn := connect(t, url)
	for _, sql := range []string{"DELETE FROM records WHERE account % 2 = 1 AND seq > $1", "UPDATE parts SET seq = $1 WHERE part = 1"} {
		if _, err := conn.Exec(t.Context(), sql, int64(1)); err != nil {
			t.Fatal(err)
		}
	}
	if seq, err := store.Seq(t.Context()); seq != 1 || err != nil {
		t.Fatalf("it is at batch %d: %v", seq, err)
	}
	if err := store.Write(t.Context(), 3, append(batch(2), batch(3)...)); err != nil {
		t.Fatal(err)
	}
	if seq, err := store.Seq(t.Context()); seq != 3 || err != nil {
		t.Errorf("it is at batch %d: %v", seq, err)
	}
	for account := range schema.AccountID(4) {
		page, err := store.Page(t.Context(), &Query{Kind: Transfers, Account: schema.FirstCustomer + account, Limit: 10})
		if err != nil || len(page) != 3 || page[0].Seq != 3 || page[1].Seq != 2 || page[2].Seq != 1 {
			t.Errorf("account %d has %+v: %v", account, page, err)
		}
	}
	// A record that cannot be is refused before any part is written.
	bad := batch(4)
	bad[3].Kind = 99
	if err := store.Write(t.Context(), 4, bad); err == nil {
		t.Error("a record of an unknown kind was written")
	}
	if seq, err := store.Seq(t.Context()); seq != 3 || err != nil {
		t.Errorf("after a refused write it is at batch %d: %v", seq, err)
	}
}

func TestViewsSpeakTheWordsOfTheSchema(t *testing.T) {
	url := database(t)
	store := openPostgres(t, url)
	defer store.Close()
	var records []Record
	var want []string
	add := func(r Record, words ...any) {
		r.ID, r.Seq, r.Time, r.Account = uint64(len(records)+1), 1, schema.Time(len(records)+1), schema.FirstCustomer
		if r.Kind == Payments {
			r.ID <<= 1 // deposits are the even ones
			if r.Payload.(*Payment).Withdrawal.ID != 0 {
				r.ID |= 1
			}
		}
		if r.Kind.foundBy(byID) {
			r.Ref = r.ID
		}
		records = append(records, r)
		want = append(want, fmt.Sprintln(words...))
	}
	order := func(side schema.Side, kind schema.OrderType, status schema.Status) *schema.Order {
		return &schema.Order{Side: side, Type: kind, Status: status}
	}
	for status := schema.Open; status <= schema.Maintenance; status++ {
		o := order(schema.Buy, schema.Limit, status)
		add(Record{Kind: Orders, Class: outcome(o), Payload: o}, "orders", o.Side, o.Type, status)
	}
	for kind := schema.Limit; schema.Valid(kind); kind++ {
		o := order(schema.Sell, kind, schema.Filled)
		add(Record{Kind: Orders, Class: outcome(o), Payload: o}, "orders", o.Side, kind, o.Status)
	}
	for class, cause := range map[Class]schema.Cause{Maintained: schema.ByMaintenance, Delisted: schema.ByDelisting} {
		o := order(schema.Sell, schema.StopLimit, schema.Canceled)
		add(Record{Kind: Ended, Class: class, Payload: &schema.OrderChanged{Cause: cause, Order: *o}}, "ended", o.Side, cause, o.Status)
	}
	for role, word := range map[Role]string{Maker: "maker", Taker: "taker"} {
		add(Record{Kind: Deals, Payload: &Deal{Side: schema.Sell, Role: role}}, "deals", schema.Sell, word, "0")
	}
	for _, class := range Moves(0, 0) {
		from, to := schema.Wallet(class>>4), schema.Wallet(class&15)
		add(Record{Kind: Transfers, Class: class, Payload: &schema.Transferred{Transfer: schema.Transfer{From: from, To: to}}}, "transfers", from, to, "0")
	}
	took := &schema.FaucetTaken{Taken: schema.TakeFaucet{Asset: 7, Amount: fixed.FromInt(250)}, Left: fixed.FromInt(9750)}
	add(Record{Kind: Faucet, Asset: 7, Payload: took}, "faucet", "7", "250", "9750")
	for class, status := range map[Class]schema.CodeStatus{CodeActive: schema.CodeActive, CodeApplied: schema.CodeApplied, CodeReturned: schema.CodeReturned} {
		code := &schema.Code{Asset: 7, Amount: fixed.FromInt(5), Status: status, Description: "rent"}
		add(Record{Kind: Codes, Asset: 7, Class: class, Payload: code}, "codes", "-5", status, "rent")
		if status != schema.CodeActive {
			add(Record{Kind: Codes, Asset: 7, Class: CodeMoney, Payload: code}, "codes", "5", status, "rent")
		}
	}
	odd := &schema.Code{Asset: 7, Amount: fixed.FromInt(5), Status: schema.CodeActive, Description: "\x00"}
	add(Record{Kind: Codes, Asset: 7, Class: CodeActive, Payload: odd}, "codes", "-5", odd.Status, `{"base64":"AA=="}`)
	for status := schema.DepositConfirming; status <= schema.DepositReview; status++ {
		d := schema.ChainDeposit{ID: 5, Chain: 3, Amount: fixed.FromInt(5), Fee: fixed.One, Status: status, Height: 12, Address: "bc1q", Memo: "7"}
		add(Record{Kind: Payments, Class: depositClasses[status], Payload: &Payment{Deposit: d}}, "deposits", "3 5 1 12", status, "bc1q 7")
	}
	sent := schema.ChainDeposit{ID: 5, Chain: 3, Amount: fixed.FromInt(5), Status: schema.DepositCredited, From: 104, Address: "bc1q", Memo: "7"}
	add(Record{Kind: Payments, Class: DepositInside, Payload: &Payment{Deposit: sent}}, "deposits", "3 5 0 0 104", sent.Status, "bc1q 7")
	for status := schema.WithdrawalReview; status <= schema.WithdrawalCanceled; status++ {
		w := schema.Withdrawal{
			ID: 5, Chain: 3, Amount: fixed.FromInt(5), Fee: fixed.One, Status: status, Height: 12, Tx: "f00d", To: 104, Needed: 1, Approver: "olga",
			Address: "bc1q", Memo: "7", Unique: "rent",
		}
		add(Record{Kind: Payments, Class: withdrawalClasses[status], Payload: &Payment{Withdrawal: w}}, "withdrawals", "3 5 1 12 104 1", status, "bc1q 7 rent f00d olga")
	}
	for status, risk := range map[schema.CheckStatus]schema.Risk{schema.CheckRunning: 0, schema.CheckFailed: 0, schema.CheckSucceeded: schema.HighRisk} {
		c := &schema.Check{Network: "BTC", Address: "bc1q", Status: status, Risk: risk, Description: "Stolen."}
		word := ""
		if risk != 0 {
			word = risk.String()
		}
		add(Record{Kind: Checks, Class: checked(c).Class, Payload: c}, "checks", "BTC bc1q", status, word+" Stolen.")
	}
	swap := &schema.Conversion{
		ID: 5, From: 7, To: 8, Give: fixed.FromInt(5), Receive: fixed.FromInt(10), Rate: fixed.FromInt(2), Path: make([]schema.Hop, 2), Done: 3 * schema.Second,
	}
	add(Record{Kind: Conversions, Asset: 7, Tag: Into(8), Payload: swap}, "conversions", "7 8 2", "5 10 2", "00:00:03")
	for _, v := range []struct {
		schema.Investment
		kind, closed string
	}{{schema.Investment{}, "flex", "false"}, {schema.Investment{Due: 9 * schema.Second}, "fixed", "false"}, {schema.Investment{Due: 9 * schema.Second, Closed: true}, "fixed", "true"}} {
		v.ID, v.Plan, v.Amount, v.Interest, v.Paid = 5, 3, fixed.FromInt(5), fixed.One, fixed.FromInt(2)
		add(Record{Kind: Investments, Asset: 7, Class: investment(&v.Investment, 7).Class, Tag: InvestedIn(3), Payload: &v.Investment}, "investments", "3 7 "+v.kind, "5 1 2", v.closed)
	}
	for action := schema.EarnInvested; action <= schema.EarnBeganFixed; action++ {
		e := &schema.Earned{Investment: 5, Plan: 3, Asset: 7, Amount: fixed.FromInt(5), Action: action}
		add(Record{Kind: Earnings, Asset: 7, Class: Action(action), Tag: InvestedIn(3), Payload: e}, "earnings", "3 7", "5", action)
	}
	for status := schema.RewardPending; status <= schema.RewardCanceled; status++ {
		r := &schema.Reward{
			Mining: 3, Work: 9, Unit: 16, Rate: fixed.FromInt(4), Total: fixed.FromInt(5), Fee: fixed.FromInt(2), Amount: fixed.FromInt(3), Status: status, Withdrawal: 8,
			Address: "bc1q", Tx: "f00d", Paid: 3 * schema.Second,
		}
		add(Record{Kind: Rewards, Asset: 7, Class: rewardClasses[status], Payload: r}, "rewards", "3 9 16 4 5 2 3 8", status, "bc1q f00d 00:00:03")
	}
	brought := &schema.MiningMeasured{Mining: 1, Work: 9, Accepted: 8, Rejected: 1}
	add(Record{Kind: Measured, Tag: "1", Payload: brought}, "measured", "", "9", "8 1")
	add(Record{Kind: WorkerShares, Ref: 5, Tag: "5/rig", Payload: &schema.WorkerShares{Mining: 5, Worker: "rig", Work: 9, Accepted: 8, Rejected: 1}}, "workers", "5 rig", "9", "8 1")
	add(Record{Kind: Blocks, Tag: "5", Payload: &schema.PoolBlock{Mining: 5, Worker: "rig", Height: 700, Hash: schema.Digest{1}}}, "blocks", "5 rig", "700", strings.Repeat("0", 62)+"01")
	for paid, quoted := range map[string]fixed.Decimal{"100": fixed.Zero, "110": fixed.FromInt(110)} {
		p := &ClosedPosition{Position: schema.Position{Side: schema.LongSide, Paid: fixed.FromInt(100), QuotedPaid: quoted}, Received: fixed.FromInt(120)}
		p.Position.Updated = schema.Time(len(records) + 1)
		add(Record{Kind: Closed, Payload: p}, "closed", "LONG", paid, "120")
	}
	for _, refusal := range []string{"", "The name is taken."} {
		act := &schema.AuditRecord{Operator: "olga", Refusal: refusal, Command: &schema.DeleteKey{Key: "k"}}
		add(Record{Kind: Acts, Class: Done, Tag: "olga", Payload: act}, "acts", "olga", refusal, `{"delete_key": {"key": "k"}}`)
	}
	if err := store.Write(t.Context(), 1, records); err != nil {
		t.Fatal(err)
	}
	rows, err := connect(t, url).Query(t.Context(), `
		SELECT 'orders', side, type, status, finished AS at FROM orders
		UNION ALL SELECT 'ended', side, cause, status, finished FROM ended
		UNION ALL SELECT 'deals', side, role, price::text, at FROM deals
		UNION ALL SELECT 'transfers', from_wallet, to_wallet, amount::text, at FROM transfers
		UNION ALL SELECT 'faucet', asset::text, amount::text, "left"::text, at FROM faucet
		UNION ALL SELECT 'codes', amount::text, status, description, at FROM codes
		UNION ALL SELECT 'deposits', concat_ws(' ', chain, amount, fee, height, nullif(sender, 0)), status, address || ' ' || memo, created FROM deposits
		UNION ALL SELECT 'withdrawals', concat_ws(' ', chain, amount, fee, height, receiver, needed), status,
			concat_ws(' ', address, memo, unique_id, transaction, approver), created FROM withdrawals
		UNION ALL SELECT 'checks', network || ' ' || address, status, risk || ' ' || description, created FROM checks
		UNION ALL SELECT 'conversions', concat_ws(' ', gave, received, hops), concat_ws(' ', give, receive, rate), to_char(done AT TIME ZONE 'UTC', 'HH24:MI:SS'), quoted
			FROM conversions
		UNION ALL SELECT 'investments', concat_ws(' ', plan, asset, kind), concat_ws(' ', amount, interest, paid), closed::text, created FROM investments
		UNION ALL SELECT 'earnings', concat_ws(' ', plan, asset), amount::text, action, time FROM earnings
		UNION ALL SELECT 'rewards', concat_ws(' ', mining, work, unit, rate, total, fee, amount, withdrawal), status,
			concat_ws(' ', address, transaction, to_char(paid AT TIME ZONE 'UTC', 'HH24:MI:SS')), day FROM rewards
		UNION ALL SELECT 'measured', '', work::text, accepted || ' ' || rejected, time FROM mining_measured
		UNION ALL SELECT 'workers', mining || ' ' || worker, work::text, accepted || ' ' || rejected, time FROM worker_shares
		UNION ALL SELECT 'blocks', mining || ' ' || worker, height::text, hash, found FROM pool_blocks
		UNION ALL SELECT 'closed', side, paid::text, received::text, closed FROM closed
		UNION ALL SELECT 'acts', operator, refusal, command::text, at FROM acts
		ORDER BY at`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintln(values[:4]...))
	}
	if strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("the views say\n%sinstead of\n%s", strings.Join(got, ""), strings.Join(want, ""))
	}
}

func TestDatabaseThatCannotBeReached(t *testing.T) {
	_, err := OpenPostgres(t.Context(), "postgres://bourse:secret@127.0.0.1:1/exchange?sslmode=disable")
	if err == nil || !strings.Contains(err.Error(), `cannot reach database "exchange" of PostgreSQL at 127.0.0.1:1`) ||
		!strings.Contains(err.Error(), "make sure that it runs") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	if _, err = OpenPostgres(t.Context(), "postgres://bourse:secret@[/exchange"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	store := openPostgres(t, database(t))
	closeStore(t, store)
	if _, err := store.Seq(t.Context()); err == nil || errors.Unwrap(err) == nil {
		t.Errorf("got %v", err)
	}
}

// A database of an earlier version is emptied and filled from the log, without anybody's help. A
// program of that version that still runs can neither read nor write there.
func TestDatabaseOfAnEarlierVersionIsMadeAgain(t *testing.T) {
	x := open(t)
	defer x.stop()
	url := database(t)
	earlier, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer earlier.Close()
	if err := migrate(t.Context(), earlier, 3); err != nil {
		t.Fatal(err)
	}
	const insert = `INSERT INTO records (kind, account, time, id, ref, seq, market, class, tag, payload)
		VALUES (1, 101, 5, 1, 1, 1, 1, 1, '', '{}')`
	for _, sql := range []string{insert, "UPDATE progress SET seq = 1000"} {
		if _, err := earlier.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	x.cancel(x.place(x.alice, schema.Sell, "1", "100", "first"))
	log := &lines{}
	h := Follow(x.node, openPostgres(t, url), Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	defer closeStore(t, h)
	x.tells(h, Query{Kind: Orders, Account: x.alice}, `orders 1 of 101 tag "first": sell 1 filled 0 CANCELED`)
	if log.count("the history is made from the log") != 1 {
		t.Errorf("logged %q", log.text.String())
	}
	for _, sql := range []string{insert, "SELECT payload FROM records", "UPDATE progress SET seq = 1000"} {
		if _, err := earlier.Exec(t.Context(), sql); err == nil {
			t.Errorf("the earlier version may %s", sql)
		}
	}
}
