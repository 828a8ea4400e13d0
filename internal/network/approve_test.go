package network_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/custody"
	"bourse/internal/fixed"
	"bourse/internal/network/bitcoin/nodetest"
	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// aside is a remote signer with the seed of a house, which can be stopped and started with other limits.
type aside struct {
	*pair
	dir  string
	stop func()
}

// newAside lets a pair be signed for by a remote signer for which amounts above two bounds need signatures.
func newAside(t *testing.T, above, above2 string) *aside {
	t.Helper()
	a := &aside{pair: newPair(t, schema.Simnet, nodetest.Btcd), dir: filepath.Join(t.TempDir(), "signer"), stop: func() {}}
	if err := custody.Init(a.dir, "", a.seed); err != nil {
		t.Fatal(err)
	}
	a.serve(above, above2)
	t.Cleanup(func() { a.stop() })
	return a
}

// operatorKey is the key of an operator.
func operatorKey(name string) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(fmt.Sprintf("%-32s", "the key of "+name)))
}

// serve stops the signer, and starts it again with these bounds.
func (a *aside) serve(above, above2 string) {
	a.t.Helper()
	a.stop()
	public := func(name string) string { return custody.PublicText(operatorKey(name).Public().(ed25519.PublicKey)) }
	limits := fmt.Sprintf(`{"operators": {"olga": %q, "otto": %q}, "chains": {"BTC": {"family": "bitcoin", "net": "simnet", "fee": "0.01", "feeDay": "0.1",
		"assets": {"BTC": {"decimals": 8, "payout": "5", "hour": "10", "day": "10", "approveAbove": %q, "approve2Above": %q}}}}}`, public("olga"), public("otto"), above, above2)
	if err := os.WriteFile(filepath.Join(a.dir, custody.LimitsFile), []byte(limits), 0o600); err != nil {
		a.t.Fatal(err)
	}
	guard, err := custody.OpenGuard(a.dir, "", time.Now)
	if err != nil {
		a.t.Fatal(err)
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- custody.Serve(ctx, at, a.dir, guard, slog.New(slog.NewTextHandler(io.Discard, nil))) }()
	a.stop = func() {
		cancel()
		if err := errors.Join(<-ended, guard.Close()); err != nil {
			a.t.Error(err)
		}
		a.stop = func() {}
	}
	if a.signer, err = custody.NewRemote("https://"+at.Addr().String(), filepath.Join(a.dir, custody.ClientFile)); err != nil {
		a.t.Fatal(err)
	}
	a.restart() // the exchange, too
}

// signs lets an operator sign what the exchange shows about a withdrawal, with a key.
func (a *aside) signs(operator, key string, v schema.Verdict, id schema.WithdrawalID) {
	a.t.Helper()
	w := a.withdrawal(id)
	var print schema.Digest
	a.house.node.Read(func(m core.View) {
		keys, _ := m.Chains().Keys(a.chain.Space(), false)
		print = keys.Print
	})
	signature := custody.NewApproval(&a.chain, print, "BTC", "", &driver.Paid{ID: id, Address: w.Address, Memo: w.Memo, Amount: w.Amount}).Sign(operatorKey(key))
	a.decides(operator, &schema.DecideWithdrawal{Withdrawal: id, Decision: v, Signature: signature})
}

func (a *aside) decides(operator string, c schema.Command) {
	a.t.Helper()
	var r schema.Result
	if err := a.house.node.SubmitFrom(context.Background(), schema.Origin{Operator: operator}, c, &r); err != nil || r.Rejection.Refused() {
		a.t.Fatalf("%T: %v %s", c, err, r.Rejection.Text())
	}
}

// lacks wants a signer to have said that a withdrawal lacks something.
func (a *aside) lacks(id schema.WithdrawalID, want string) {
	a.t.Helper()
	if got := a.link.Lacks(id); (got == "") != (want == "") || !strings.Contains(got, want) {
		a.t.Errorf("withdrawal %d lacks %q, want %q", id, got, want)
	}
}

// TestLargeWithdrawalsAreSignedByOperators: what needs a signature waits for it and keeps nothing else waiting, over restarts of both.
func TestLargeWithdrawalsAreSignedByOperators(t *testing.T) {
	t.Parallel()
	a := newAside(t, "0.25", "1")
	a.deposit("4")
	a.network(func(n *schema.Network) { n.ApproveAbove = fixed.MustParse("0.2") })
	large := a.withdraw(a.native, a.world.other(1), "0.5")
	huge := a.withdraw(a.native, a.world.other(2), "1.5")
	a.decides("olga", &schema.DecideWithdrawal{Withdrawal: large, Decision: schema.ApproveWithdrawal})
	a.signs("olga", "olga", schema.ApproveWithdrawal, huge)
	small := a.withdraw(a.native, a.world.other(3), "0.1")
	a.is(schema.WithdrawalQueued, large, huge, small)

	a.step()
	a.is(schema.WithdrawalSent, small)
	a.is(schema.WithdrawalQueued, large, huge)
	a.lacks(small, "")
	a.lacks(large, "withdrawal 1 of 0.5 BTC must be signed by 1 of the operators olga, otto: 'bourse operator withdrawal 1 sign --key FILE'")
	a.lacks(huge, "withdrawal 2 of 1.5 BTC must be signed by 2 of the operators olga, otto, and is by olga: ")
	a.mine(3)
	a.is(schema.WithdrawalDone, small)
	a.restart()
	a.step()
	a.lacks(large, "must be signed by 1")
	if len(a.payouts()) != 1 {
		t.Errorf("%d payouts are under way", len(a.payouts()))
	}

	a.signs("otto", "eve", schema.SignWithdrawal, large)
	a.step()
	a.is(schema.WithdrawalQueued, large, huge)
	a.lacks(large, "the signature of otto is by another key, or of something else")
	a.signs("otto", "otto", schema.SignWithdrawal, large)
	a.serve("0.25", "1")
	a.step()
	a.is(schema.WithdrawalSent, large)
	a.is(schema.WithdrawalQueued, huge)
	a.lacks(large, "")
	a.mine(3) // its change is a coin again
	a.signs("eve", "eve", schema.SignWithdrawal, huge)
	a.step()
	a.lacks(huge, "and is by olga; eve is no operator of limits.json")
	a.signs("otto", "otto", schema.SignWithdrawal, huge)
	a.step()
	a.is(schema.WithdrawalSent, huge)
	a.mine(3)
	a.is(schema.WithdrawalDone, large, huge)
	a.audit()

	// One that is canceled is not spoken of any more.
	canceled := a.withdraw(a.native, a.world.other(4), "0.6")
	a.decides("olga", &schema.DecideWithdrawal{Withdrawal: canceled, Decision: schema.ApproveWithdrawal})
	a.step()
	a.lacks(canceled, "must be signed by 1")
	a.do(&schema.DecideWithdrawal{Withdrawal: canceled, Decision: schema.CancelWithdrawal})
	last := a.withdraw(a.native, a.world.other(5), "0.1")
	a.step()
	a.lacks(canceled, "")
	a.is(schema.WithdrawalSent, last)
}

// TestAPlanMayBeSignedLater: a payout that was planned before the signer wanted signatures is refused until they are there.
func TestAPlanMayBeSignedLater(t *testing.T) {
	t.Parallel()
	a := newAside(t, "5", "5")
	a.deposit("2")
	id := a.withdraw(a.native, a.world.other(1), "0.5")
	remote := a.signer
	a.signer = silent{remote}
	a.join()
	if err := a.try(); !errors.Is(err, errSilent) {
		t.Fatal(err)
	}
	a.is(schema.WithdrawalPlanned, id)
	a.serve("0.25", "1")
	if err := a.try(); !errors.Is(err, custody.ErrRefused) || !strings.Contains(err.Error(), "payout 1: the signer refuses: withdrawal 1 of 0.5 BTC must be signed by 1") {
		t.Fatal(err)
	}
	a.is(schema.WithdrawalPlanned, id)
	a.signs("otto", "otto", schema.SignWithdrawal, id)
	a.step()
	a.mine(3)
	a.is(schema.WithdrawalDone, id)
}

// TestManyWithoutSignaturesKeepNothingWaiting: more of them than fit into a transaction stand in front.
func TestManyWithoutSignaturesKeepNothingWaiting(t *testing.T) {
	t.Parallel()
	a := newAside(t, "0", "5")
	a.deposit("3")
	ids := make([]schema.WithdrawalID, 0, schema.MaxPaid+5)
	for range cap(ids) {
		a.names = len(ids)
		ids = append(ids, a.do(&schema.RequestWithdrawal{
			Account: a.alice, Chain: a.chain.ID, Asset: a.native, Amount: fixed.MustParse("0.01"), Pay: true, Address: a.world.other(1), Unique: fmt.Sprint("many ", len(ids)),
		}).Withdrawal.ID)
	}
	last := ids[len(ids)-1]
	a.signs("olga", "olga", schema.SignWithdrawal, last)
	a.step()
	a.is(schema.WithdrawalQueued, ids[:len(ids)-1]...)
	a.is(schema.WithdrawalSent, last)
}

// TestAnAssetThatTheSignerDoesNotKnow: it keeps the others of the chain neither from being paid nor from being collected.
func TestAnAssetThatTheSignerDoesNotKnow(t *testing.T) {
	t.Parallel()
	h := newEVM(t)
	at := h.address()
	h.ether(at, "3")
	h.tokens(at, "500")
	h.mine(3)
	h.settle()
	answers := &answering{Signer: hot(h.house)}
	h.signer = answers
	h.restart()
	token, ether := h.withdraw(h.token, bob, "100"), h.withdraw(h.native, bob, "1")
	answers.answer = func(r *driver.Request) ([]driver.Unapproved, error) {
		if r.Contract != "" {
			return nil, fmt.Errorf("%w: no such asset", custody.ErrRefused)
		}
		return nil, nil
	}
	if err := h.try(); !errors.Is(err, custody.ErrRefused) {
		t.Error(err)
	}
	h.is(schema.WithdrawalQueued, token)
	h.is(schema.WithdrawalSent, ether)
	answers.answer = func(*driver.Request) ([]driver.Unapproved, error) {
		return []driver.Unapproved{{Withdrawal: 99, Lacks: "all"}}, nil
	}
	if err := h.try(); err == nil || err.Error() != "the signer speaks of withdrawal 99, about which it was not asked" {
		t.Error(err)
	}
	answers.answer = func(*driver.Request) ([]driver.Unapproved, error) { return nil, errSilent }
	if err := h.try(); !errors.Is(err, errSilent) {
		t.Error(err)
	}
	h.is(schema.WithdrawalQueued, token)
	answers.answer = func(*driver.Request) ([]driver.Unapproved, error) { return nil, nil }
	h.step()
	h.is(schema.WithdrawalSent, token)
}

// answering is a signer that says what it is given to say about signatures.
type answering struct {
	driver.Signer
	answer func(*driver.Request) ([]driver.Unapproved, error)
}

func (a *answering) Unapproved(_ context.Context, r *driver.Request) ([]driver.Unapproved, error) {
	return a.answer(r)
}

var errSilent = errors.New("nobody answers")

// silent is a signer that does not answer.
type silent struct{ driver.Signer }

func (s silent) Sign(context.Context, *driver.Request) ([]byte, error) { return nil, errSilent }

// network changes the network of the native asset.
func (h *house) network(change func(*schema.Network)) {
	h.t.Helper()
	var a schema.Asset
	h.node.Read(func(m core.View) { a = *m.Listing().Asset(h.native) })
	a.Networks = append([]schema.Network{}, a.Networks...)
	change(&a.Networks[0])
	h.do(&schema.SetAsset{Asset: a})
}
