package custody

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/psbt/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"bourse/internal/fixed"
	"bourse/internal/network/driver"
	"bourse/internal/network/evm"
	"bourse/internal/schema"
)

// signs asks a guard for a signature, which it gives.
func (g *Guard) signs(t *testing.T, r *driver.Request) []byte {
	t.Helper()
	raw, err := g.Sign(context.Background(), r)
	if err != nil {
		t.Fatalf("payout %d.%d: %v", r.Payout, r.Variant, err)
	}
	return raw
}

// refuses asks a guard for a signature, which it does not give; and it remembers nothing of it.
func (g *Guard) refuses(t *testing.T, name string, r *driver.Request, says string) {
	t.Helper()
	before := len(g.payouts)
	raw, err := g.Sign(context.Background(), r)
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), says) || raw != nil {
		t.Errorf("%s: %v, want %q", name, err, says)
	}
	if len(g.payouts) != before {
		t.Errorf("%s: it is remembered", name)
	}
}

func script(t testing.TB, text string) []byte {
	t.Helper()
	key, err := bitcoinChain(t).Key(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestGuardSignsWhatItUnderstands(t *testing.T) {
	g := aGuard(t)
	r := aPayout(t)
	raw := g.signs(t, r)
	if _, err := bitcoinChain(t).Signed(r.Unsigned, raw, ""); err != nil {
		t.Error(err)
	}
	if again := g.signs(t, aPayout(t)); !bytes.Equal(again, raw) {
		t.Error("asked again, it signs something else")
	}
	if hot, err := NewHot(testSeed(t)).Sign(context.Background(), r); err != nil || !bytes.Equal(hot, raw) {
		t.Errorf("a hot signer signs something else: %v", err)
	}
	for payout, token := range []bool{false, true} {
		r := transfer(t, schema.PayoutID(20+payout), uint64(payout), token, nil)
		r.Contract = strings.ToLower(r.Contract)
		raw := g.signs(t, r)
		want, _, _ := publicOf(t, testSeed(t), eth.Space()).Address(driver.Place{Own: schema.Hot})
		if sender, err := evm.Sender(raw); err != nil || sender != want {
			t.Errorf("%s signed, want %s, %v", sender, want, err)
		}
		if again := g.signs(t, r); !bytes.Equal(again, raw) {
			t.Error("asked again, it signs something else")
		}
	}
}

func TestGuardRefusesAChangedPSBT(t *testing.T) {
	stolen := script(t, stranger)
	for name, c := range map[string]struct {
		change func(*psbt.Packet)
		says   string
	}{
		"payee":         {func(p *psbt.Packet) { p.UnsignedTx.TxOut[0].PkScript = stolen }, "withdrawal 11: the transaction pays " + stranger},
		"amount":        {func(p *psbt.Packet) { p.UnsignedTx.TxOut[1].Value++ }, "withdrawal 12: the transaction pays 25000001 units"},
		"change":        {func(p *psbt.Packet) { p.UnsignedTx.TxOut[2].PkScript = stolen }, "an own output: the transaction pays " + stranger},
		"less change":   {func(p *psbt.Packet) { p.UnsignedTx.TxOut[2].Value-- }, "the transaction costs"},
		"more change":   {func(p *psbt.Packet) { p.UnsignedTx.TxOut[2].Value++ }, "an own output: the transaction pays"},
		"order":         {func(p *psbt.Packet) { o := p.UnsignedTx.TxOut; o[0], o[1] = o[1], o[0] }, "withdrawal 11: the transaction pays 25000000 units"},
		"worth more":    {func(p *psbt.Packet) { p.Inputs[0].WitnessUtxo.Value += 1000 }, "the transaction costs"},
		"worth less":    {func(p *psbt.Packet) { p.Inputs[0].WitnessUtxo.Value = 1000 }, "pays more than it spends"},
		"worth nothing": {func(p *psbt.Packet) { p.Inputs[0].WitnessUtxo.Value = -1 }, "cannot be"},
		"one more": {func(p *psbt.Packet) {
			p.UnsignedTx.TxOut, p.Outputs = append(p.UnsignedTx.TxOut, wire.NewTxOut(1000, stolen)), append(p.Outputs, psbt.POutput{})
			p.UnsignedTx.TxOut[2].Value -= 1000
		}, "has 4 outputs, and the request 3"},
		"one less": {func(p *psbt.Packet) {
			p.UnsignedTx.TxOut[2].Value += p.UnsignedTx.TxOut[1].Value
			p.UnsignedTx.TxOut = append(p.UnsignedTx.TxOut[:1], p.UnsignedTx.TxOut[2])
			p.Outputs = p.Outputs[:2]
		}, "has 2 outputs, and the request 3"},
		"burnt": {func(p *psbt.Packet) { p.UnsignedTx.TxOut[0].PkScript = []byte{txscript.OP_RETURN, 1, 2} }, "not that of an address"},
		"bare": {func(p *psbt.Packet) {
			p.UnsignedTx.TxOut[0].PkScript = append(append([]byte{33}, unhex(t, "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")...), txscript.OP_CHECKSIG)
		}, "not that of an address"},
		"signature of nothing": {func(p *psbt.Packet) { p.Inputs[1].SighashType = txscript.SigHashNone }, "another signature than one of the whole"},
		"signature alone":      {func(p *psbt.Packet) { p.Inputs[1].SighashType = txscript.SigHashAll | txscript.SigHashAnyOneCanPay }, "another signature"},
		"another coin":         {func(p *psbt.Packet) { p.UnsignedTx.TxIn[0].PreviousOutPoint.Index = 99 }, "does not spend"},
		"unknown worth":        {func(p *psbt.Packet) { p.Inputs[0].WitnessUtxo = nil }, "cannot be read"},
		"somebody's coin":      {func(p *psbt.Packet) { p.Inputs[1].WitnessUtxo.PkScript = script(t, customer) }, "is not our address of the request"},
	} {
		aGuard(t).refuses(t, name, rewritten(t, aPayout(t), c.change), c.says)
	}
}

// TestGuardSignsDividedChange: each part goes to our own address, or nothing is signed. What comes back to us counts in no limit, and
// another variant may divide it otherwise.
func TestGuardSignsDividedChange(t *testing.T) {
	pays := []driver.Paid{paid(11, "0.5"), paid(12, "0.25")}
	divided := func() *driver.Request { return order{payout: 7, rate: 10, pays: pays, divided: true}.request(t) }
	stolen := script(t, stranger)
	for part := range schema.MaxChange {
		at := len(pays) + part
		says := "an own output: the transaction pays " + stranger
		aGuard(t).refuses(t, fmt.Sprint("part ", part), rewritten(t, divided(), func(p *psbt.Packet) { p.UnsignedTx.TxOut[at].PkScript = stolen }), says)
		r := divided()
		r.Owns[part].Own++
		aGuard(t).refuses(t, fmt.Sprint("another address of part ", part), r, "an own output: the transaction pays")
	}
	r := divided()
	r.Owns = r.Owns[:7]
	aGuard(t).refuses(t, "a part that the request does not have", r, "has 10 outputs, and the request 9")

	g, r := aGuard(t), divided()
	if text := Describe(r); len(r.Owns) != 8 || strings.Count(text, "Back to us: "+r.Owns[0].Amount.String()+" BTC to address 8 of the exchange itself\n") < 7 {
		t.Errorf("%v\n%s", r.Owns, text)
	}
	if _, err := bitcoinChain(t).Signed(r.Unsigned, g.signs(t, r), ""); err != nil {
		t.Error(err)
	}
	if hour, _ := g.left[lane{"BTC", "BTC"}].sums(g.time()); hour != fixed.MustParse("0.75") {
		t.Errorf("%s left", hour)
	}
	g.signs(t, order{payout: 7, variant: 1, rate: 20, pays: pays}.request(t))
}

func TestGuardRefusesAChangedRequest(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*driver.Request)
		says   string
	}{
		"payee":               {func(r *driver.Request) { r.Withdrawals[0].Address = stranger }, "withdrawal 11: the transaction pays"},
		"amount":              {func(r *driver.Request) { r.Withdrawals[0].Amount = fixed.MustParse("0.4") }, "withdrawal 11: the transaction pays"},
		"too precise":         {func(r *driver.Request) { r.Withdrawals[0].Amount = fixed.MustParse("0.500000001") }, "withdrawal 11: the transaction pays"},
		"memo":                {func(r *driver.Request) { r.Withdrawals[0].Memo = "1" }, "has a memo"},
		"own address":         {func(r *driver.Request) { r.Owns[0].Own++ }, "an own output: the transaction pays"},
		"a customer's":        {func(r *driver.Request) { r.Owns[0] = schema.OwnOutput{Index: 2, Amount: r.Owns[0].Amount} }, "change goes to addresses of the exchange itself"},
		"nobody's":            {func(r *driver.Request) { r.Owns[0].Own = 0 }, "an own output: an address is"},
		"own amount":          {func(r *driver.Request) { r.Owns[0].Amount = fixed.MustParse("1") }, "an own output: the transaction pays"},
		"fee":                 {func(r *driver.Request) { r.Fee = fixed.MustParse("0.00000001") }, "the transaction costs"},
		"places":              {func(r *driver.Request) { r.Places = r.Places[:2] }, "has 3 inputs, and the request 2"},
		"place":               {func(r *driver.Request) { r.Places[1].Index = 9 }, "is not our address of the request"},
		"form of the address": {func(r *driver.Request) { r.Places[0].Type = schema.Bech32 }, "is not our address of the request"},
		"anchor":              {func(r *driver.Request) { r.Anchor = schema.OutputID(fmt.Sprintf("%064x", 77), 0) }, "does not spend"},
		"no PSBT":             {func(r *driver.Request) { r.Unsigned = []byte("nonsense") }, "cannot be read"},
		"something behind it": {func(r *driver.Request) { r.Unsigned = append(r.Unsigned, 0) }, "cannot be read"},
		"chain":               {func(r *driver.Request) { r.Chain.Name = "LTC" }, `no limits for chain "LTC"`},
		"net":                 {func(r *driver.Request) { r.Chain.Net = schema.Mainnet }, "not {bitcoin mainnet}"},
		"family":              {func(r *driver.Request) { r.Chain.Family = schema.EVM }, "not {evm regtest}"},
		"number":              {func(r *driver.Request) { r.Chain.Number = 1 }, "with number 1"},
		"asset":               {func(r *driver.Request) { r.Asset = "ETH" }, `no limits for asset "ETH"`},
		"decimals":            {func(r *driver.Request) { r.Decimals = 6 }, "with 8 decimals here"},
		"contract":            {func(r *driver.Request) { r.Contract = usdt }, "the chain's own asset with 8 decimals here"},
		"no payout":           {func(r *driver.Request) { r.Payout = 0 }, "no number"},
		"no withdrawal":       {func(r *driver.Request) { r.Withdrawals[0].ID = 0 }, "has no number"},
		"twice":               {func(r *driver.Request) { r.Withdrawals[1].ID = 11 }, "withdrawal 11 is there twice"},
	} {
		r := aPayout(t)
		c.change(r)
		aGuard(t).refuses(t, name, r, c.says)
	}
}

func TestGuardRefusesAChangedTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		token  bool
		change func(*evm.Transaction)
		says   string
	}{
		"payee":           {false, func(tx *evm.Transaction) { tx.To[0]++ }, "withdrawal 107: the transaction pays"},
		"amount":          {false, func(tx *evm.Transaction) { tx.Value.Add(tx.Value, big.NewInt(1)) }, "withdrawal 107: the transaction pays"},
		"chain":           {false, func(tx *evm.Transaction) { tx.Chain = 1 }, "for the chain with number 1, not 1337"},
		"a call":          {false, func(tx *evm.Transaction) { tx.Data = []byte{1, 2, 3, 4} }, "something else than to pay"},
		"gas":             {false, func(tx *evm.Transaction) { tx.Gas++ }, "the transaction costs"},
		"price":           {false, func(tx *evm.Transaction) { tx.Cap++ }, "the transaction costs"},
		"without measure": {false, func(tx *evm.Transaction) { tx.Cap, tx.Gas = 1<<64-1, 1<<64-1 }, "more than can be"},
		"token payee":     {true, func(tx *evm.Transaction) { tx.Data[30]++ }, "withdrawal 107: the transaction pays"},
		"token amount":    {true, func(tx *evm.Transaction) { tx.Data[67]++ }, "withdrawal 107: the transaction pays"},
		"fake token":      {true, func(tx *evm.Transaction) { tx.To[0]++ }, "the transaction pays the token"},
		"approval":        {true, func(tx *evm.Transaction) { copy(tx.Data, []byte{0x09, 0x5e, 0xa7, 0xb3}) }, "something else than to pay"},
		"value too":       {true, func(tx *evm.Transaction) { tx.Value = big.NewInt(1) }, "something else than to pay"},
		"own asset":       {true, func(tx *evm.Transaction) { tx.Data = nil }, "pays the chain's own asset, not the token"},
	} {
		aGuard(t).refuses(t, name, transfer(t, 7, 0, c.token, c.change), c.says)
	}
	r := transfer(t, 7, 0, false, nil)
	r.Places = append(r.Places, r.Places[0])
	aGuard(t).refuses(t, "two accounts", r, "the request has 2")
	r = transfer(t, 7, 0, false, nil)
	r.Unsigned = r.Unsigned[:len(r.Unsigned)-1]
	aGuard(t).refuses(t, "cut off", r, "cannot be read")
}

// TestAWithdrawalIsPaidOnce: what was signed binds, also after a restart.
func TestAWithdrawalIsPaidOnce(t *testing.T) {
	dir, c := aSigner(t), &clock{time.Unix(1_800_000_000, 0)}
	g := openGuard(t, dir, c)
	raw := g.signs(t, aPayout(t))
	g.signs(t, transfer(t, 20, 5, true, nil))
	both := []driver.Paid{paid(11, "0.5"), paid(12, "0.25")}
	for range 2 {
		if again := g.signs(t, aPayout(t)); !bytes.Equal(again, raw) {
			t.Error("it signs something else")
		}
		g.refuses(t, "another payout", order{payout: 8, coin: 1, rate: 10, pays: both[:1]}.request(t), "withdrawal 11 is paid by payout 7 already")
		g.refuses(t, "another payout with the same coins", order{payout: 8, rate: 10, pays: both}.request(t), "withdrawal 11 is paid by payout 7 already")
		g.refuses(t, "another anchor", order{payout: 7, variant: 1, coin: 1, rate: 12, pays: both}.request(t), "in all its variants")
		g.refuses(t, "fewer payees", order{payout: 7, variant: 1, rate: 12, pays: both[:1]}.request(t), "payout 7 was signed for others")
		g.refuses(t, "more payees", order{payout: 7, variant: 1, rate: 12, pays: append(both, paid(13, "0.1"))}.request(t), "payout 7 was signed for others")
		g.refuses(t, "another amount", order{payout: 7, variant: 1, rate: 12, pays: []driver.Paid{paid(11, "0.6"), paid(12, "0.25")}}.request(t), "payout 7 was signed for others")
		g.refuses(t, "another nonce", transfer(t, 20, 6, true, nil), "in all its variants")
		lies := rewritten(t, order{payout: 8, rate: 10, pays: []driver.Paid{paid(13, "0.1")}}.request(t), func(p *psbt.Packet) { p.Inputs[2].WitnessUtxo.Value -= 1 })
		g.refuses(t, "another worth", lies, "was said to be worth 1.5, and now 1.49999999")
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		g = openGuard(t, dir, c)
	}
	g.signs(t, order{payout: 7, variant: 1, rate: 12, pays: both}.request(t))
	// A variant that gives up pays nobody but us, and spends the same.
	g.signs(t, order{payout: 7, variant: 2, rate: 14}.request(t))
	g.refuses(t, "a give-up elsewhere", order{payout: 7, variant: 3, coin: 1, rate: 16}.request(t), "in all its variants")
	g.refuses(t, "another payout after a give-up", order{payout: 8, coin: 1, rate: 10, pays: both}.request(t), "withdrawal 11 is paid by payout 7 already")
	give := transfer(t, 20, 5, false, func(tx *evm.Transaction) {
		hot, _, _ := publicOf(t, testSeed(t), eth.Space()).Address(driver.Place{Own: schema.Hot})
		copy(tx.To[:], unhex(t, hot[2:]))
		tx.Value.SetUint64(0)
	})
	give.Withdrawals, give.Owns = nil, []schema.OwnOutput{{Own: schema.Hot}}
	g.signs(t, give)
	g.refuses(t, "payees of a payout that had none", order{payout: 9, coin: 2, rate: 10, pays: both[:1]}.request(t), "withdrawal 11 is paid by payout 7 already")
}

// TestAPersonReleasesWithdrawals that a payout never pays.
func TestAPersonReleasesWithdrawals(t *testing.T) {
	dir, c := aSigner(t), &clock{time.Unix(1_800_000_000, 0)}
	g := openGuard(t, dir, c)
	g.signs(t, aPayout(t))
	g.signs(t, order{payout: 9, coin: 9, rate: 2}.request(t))
	for id, says := range map[schema.PayoutID]string{8: "never signed", 9: "pays no withdrawals"} {
		if _, err := g.Release(id); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d: %v", id, err)
		}
	}
	freed, err := g.Release(7)
	if err != nil || fmt.Sprint(freed) != "[11 12]" {
		t.Fatal(freed, err)
	}
	released := "was released"
	for range 2 {
		if _, err := g.Release(7); err == nil || !strings.Contains(err.Error(), "released already") {
			t.Error(err)
		}
		g.refuses(t, "the released payout", aPayout(t), released)
		released = "is paid by payout 8 already"
		g.signs(t, order{payout: 8, coin: 1, rate: 10, pays: []driver.Paid{paid(11, "0.5")}}.request(t))
		g.refuses(t, "a third payout", order{payout: 10, coin: 2, rate: 10, pays: []driver.Paid{paid(11, "0.5")}}.request(t), "withdrawal 11 is paid by payout 8 already")
		g.Close()
		g = openGuard(t, dir, c)
	}
}

func TestLimitsBindWhatLeaves(t *testing.T) {
	start := time.Unix(1_800_000_000, 0).Truncate(time.Hour)
	dir, c := aSigner(t), &clock{start}
	g := openGuard(t, dir, c)
	next := schema.PayoutID(0)
	pay := func(amount string, rate uint64) *driver.Request {
		next++
		return order{payout: next, coin: int(next), rate: rate, pays: []driver.Paid{paid(schema.WithdrawalID(next), amount)}}.request(t)
	}
	g.refuses(t, "a payout", pay("2.00000001", 1), "in this payout, and the limit is 2")
	first := pay("2", 1)
	g.signs(t, first)
	g.refuses(t, "an hour", pay("1.00000001", 1), "would make 3.00000001 of it in this hour, and the limit is 3")
	g.signs(t, pay("1", 1))
	g.signs(t, first) // asked again it counts once
	c.Time = start.Add(-time.Hour)
	g.refuses(t, "a clock that goes back", pay("0.5", 1), "in this hour")
	c.Time = start.Add(time.Hour)
	g.refuses(t, "a day", pay("1.00000001", 1), "would make 4.00000001 of it in this day, and the limit is 4")
	g.signs(t, pay("1", 1))
	g.Close()
	g = openGuard(t, dir, c)
	g.refuses(t, "after a restart", pay("0.001", 1), "in this day")
	c.Time = start.Add(24 * time.Hour)
	g.signs(t, pay("1", 1))
}

func TestLimitsBindFees(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	g := openGuard(t, aSigner(t), &clock{start})
	high := func(payout schema.PayoutID, variant uint32, rate uint64) *driver.Request {
		return order{payout: payout, variant: variant, coin: int(payout), rate: rate}.request(t)
	}
	g.refuses(t, "a transaction", high(1, 0, 500), "is above the limit of 0.001")
	last := high(1, 0, 200)
	for variant := range uint32(10) { // of one payout only one variant is ever mined
		last = high(1, variant, 200+10*uint64(variant))
		g.signs(t, last)
	}
	more := high(2, 0, 300)
	if sum := last.Fee.Add(more.Fee); !fixed.MustParse("0.0015").Less(sum) {
		t.Fatalf("fees are %s together", sum)
	}
	g.refuses(t, "a day", more, "in this day, and the limit is 0.0015")
	g.signs(t, high(2, 0, 150))
}

// TestTheJournalSurvivesATornLine, and refuses to forget a whole one.
func TestTheJournalSurvivesATornLine(t *testing.T) {
	dir, c := aSigner(t), &clock{time.Unix(1_800_000_000, 0)}
	g := openGuard(t, dir, c)
	g.signs(t, aPayout(t))
	g.signs(t, order{payout: 8, coin: 1, rate: 10, pays: []driver.Paid{paid(13, "0.1")}}.request(t))
	g.Close()
	path := filepath.Join(dir, JournalFile)
	whole, err := os.ReadFile(path)
	if err != nil || bytes.Count(whole, []byte{'\n'}) != 2 {
		t.Fatalf("%s %v", whole, err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := first; cut < len(whole); cut += 7 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		g := openGuard(t, dir, c)
		if len(g.payouts) != 1 || g.withdrawals[11] != 7 || g.withdrawals[13] != 0 {
			t.Fatalf("%d bytes: %v", cut, g.withdrawals)
		}
		g.signs(t, order{payout: 8, coin: 1, rate: 10, pays: []driver.Paid{paid(13, "0.1")}}.request(t))
		g.Close()
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
			t.Fatalf("%d bytes: %s, %v", cut, again, err)
		}
	}
	for name, text := range map[string][]byte{
		"a changed line": bytes.Replace(whole, []byte(customer), []byte(strings.ToUpper(customer)), 1),
		"a lost line":    append([]byte("\n"), whole...),
		"zeros":          append(bytes.Repeat([]byte{0}, 10), append([]byte{'\n'}, whole...)...),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenGuard(dir, c.now); !errors.Is(err, errJournal) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenGuard(dir, c.now); err == nil || !strings.Contains(err.Error(), "nobody knows what was signed before") {
		t.Error(err)
	}
}

func TestAJournalHasOneGuard(t *testing.T) {
	dir, c := aSigner(t), &clock{time.Unix(1_800_000_000, 0)}
	openGuard(t, dir, c)
	if _, err := OpenGuard(dir, c.now); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
}

// TestWhatIsNotDurableIsNotSigned: after an error of the disk nothing is signed any more.
func TestWhatIsNotDurableIsNotSigned(t *testing.T) {
	g := aGuard(t)
	g.journal.file.Close()
	for range 2 {
		if raw, err := g.Sign(context.Background(), aPayout(t)); err == nil || raw != nil || errors.Is(err, ErrRefused) {
			t.Error(raw, err)
		}
	}
}

func TestLimitsAreReadStrictly(t *testing.T) {
	path := filepath.Join(t.TempDir(), LimitsFile)
	for change, says := range map[string]string{
		`"feeDay"|"feeDays"`:                `unknown field "feeDays"`,
		`"fee": "0.001"|"fee": "0"`:         `chain BTC: fee is "0"`,
		`"0.001", "feeDay"|"x", "feeDay"`:   `chain BTC: fee is "x"`,
		`"hour": "3", |`:                    `asset BTC: hour is ""`,
		`"decimals": 8|"decimals": 6`:       "asset BTC: it has 6 decimals; the own asset of bitcoin chains has 8",
		`"decimals": 6|"decimals": 19`:      "asset USDT: it has 19 decimals",
		`"number": 1337, |`:                 "chain ETH: its number is 0",
		`"net": "regtest"|"net": "moon"`:    `"bitcoin" "moon" is none of`,
		`"family": "evm"|"family": "xrp"`:   `"xrp" "testnet" is none of`,
		usdt + `|0x12`:                      "asset USDT: contract: the length of the address is wrong",
		`"chains": {|"chains": {"X": null,`: "chain X: it says nothing",
		`}}}}}|}}}}`:                        "unexpected EOF",
	} {
		from, to, _ := strings.Cut(change, "|")
		text := strings.Replace(testLimits, from, to, 1)
		if text == testLimits {
			t.Fatal(change)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLimits(path); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", change, err, says)
		}
	}
}

func BenchmarkHot(b *testing.B) {
	hot := NewHot(testSeed(b))
	for name, r := range map[string]*driver.Request{"bitcoin3": aPayout(b), "evm": transfer(b, 7, 0, true, nil)} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, err := hot.Sign(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestGuardSignsAChild: a payout that spends the change of another one, which is in no block. It pays only ourselves, and its fee counts.
func TestGuardSignsAChild(t *testing.T) {
	g, parent := aGuard(t), aPayout(t)
	raw := g.signs(t, parent)
	tx, err := bitcoinChain(t).Signed(parent.Unsigned, raw, "")
	if err != nil {
		t.Fatal(err)
	}
	size, err := bitcoinChain(t).Size(raw)
	if err != nil {
		t.Fatal(err)
	}
	change := driver.Place{Own: parent.Owns[0].Own}
	text, public, err := publicOf(t, testSeed(t), bitcoinRegtest).Address(change)
	if err != nil {
		t.Fatal(err)
	}
	to, _, err := publicOf(t, testSeed(t), bitcoinRegtest).Address(driver.Place{Own: schema.ChangeOf(8)})
	if err != nil {
		t.Fatal(err)
	}
	child := func(variant uint32, rate uint64) *driver.Request {
		d, err := bitcoinChain(t).Compose(context.Background(), &driver.Order{
			Chain: &btc, Rate: rate, Must: 1, Change: to, Parent: &driver.Parent{Size: size, Fee: parent.Fee},
			Coins: []driver.Input{{ID: schema.OutputID(tx, 2), Amount: parent.Owns[0].Amount, Address: text, Place: change, Public: public}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return &driver.Request{
			Chain: btc, Payout: 8, Variant: variant, Unsigned: d.Unsigned, Places: []driver.Place{change}, Asset: "BTC", Decimals: 8, Fee: d.Fee, Anchor: d.Inputs[0],
			Owns: []schema.OwnOutput{{Own: schema.ChangeOf(8), Amount: d.Change[0]}},
		}
	}
	stolen := script(t, stranger)
	g.refuses(t, "to a stranger", rewritten(t, child(0, 20), func(p *psbt.Packet) { p.UnsignedTx.TxOut[0].PkScript = stolen }), "an own output: the transaction pays "+stranger)
	g.refuses(t, "for too much", child(0, 300), "is above the limit of 0.001")
	first := child(0, 20)
	if _, err := bitcoinChain(t).Signed(first.Unsigned, g.signs(t, first), ""); err != nil {
		t.Error(err)
	}
	g.signs(t, child(1, 30))
	if _, day := g.fees["BTC"].sums(g.last); day != parent.Fee.Add(child(1, 30).Fee) {
		t.Errorf("fees of %s count", day)
	}
	other := child(2, 31)
	other.Payout = 7
	g.refuses(t, "as a variant of its parent", other, "payout 7 spends")
}
