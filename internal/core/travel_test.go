package core

import (
	"bytes"
	"testing"

	"bourse/internal/schema"
)

// TestTheTravelRule: what is sealed is seen by those who look at the state, survives a snapshot, and goes with what it is about; an
// exchange that asks for none of it is as it was.
func TestTheTravelRule(t *testing.T) {
	const (
		alice, ben = schema.FirstCustomer, schema.FirstCustomer + 1
		toy        = schema.AssetID(1)
		play       = schema.ChainID(1)
	)
	from, to := []byte("from an aunt"), []byte("to an uncle")
	m := NewExchange()
	for _, c := range []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "TOY", Class: schema.Crypto, Scale: 8, Precision: 4, CanDeposit: true, CanWithdraw: true,
			Networks: []schema.Network{{Name: "PLAY", Chain: play, CanDeposit: true, CanWithdraw: true, ConfirmationsForTrading: 1, Confirmations: 2}},
		}},
		&schema.SetAccount{Account: schema.Account{Name: "alice", Region: schema.EU}},
		&schema.SetAccount{Account: schema.Account{Name: "ben", Region: schema.Global}},
		&schema.OpenAddress{Account: alice, Chain: play},
		&schema.Deposit{Account: ben, Asset: toy, Amount: d("5")},
	} {
		apply(t, m, start, c)
	}
	before := m.Snapshot()
	out := func(travel []byte, vasp string) *schema.RequestWithdrawal {
		return &schema.RequestWithdrawal{Account: ben, Asset: toy, Chain: play, Amount: d("1"), Address: "elsewhere", Unique: vasp + "1", Travel: travel, VASP: vasp}
	}
	europe := schema.Origin{Region: schema.EU}
	if r := m.ApplyFrom(start, europe, out(nil, "bank")).Result.Rejection; r.Reason != schema.TravelMissing {
		t.Errorf("refused with %s", r.Text())
	}
	apply(t, m, start, &schema.SetVASP{VASP: schema.VASP{ID: "bank", Name: "The bank"}}, &schema.SetVASP{VASP: schema.VASP{ID: "bank"}})
	if !bytes.Equal(m.Snapshot(), before) {
		t.Error("an exchange that knows no VASP has another snapshot")
	}
	apply(t, m, start,
		&schema.SetVASP{VASP: schema.VASP{ID: "bank", Name: "The bank"}},
		&schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: toy, Amount: d("3"), Index: 1, Text: "address"}},
		&schema.MineSandbox{Chain: play, Blocks: 2},
		&schema.SubmitTravel{Account: alice, Deposit: 1, Sealed: from})
	for _, vasp := range []string{"bank", ""} {
		if r := m.ApplyFrom(start, europe, out(to, vasp)).Result.Rejection; r.Refused() {
			t.Errorf("refused with %s", r.Text())
		}
	}
	back, err := Restore(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Machine{m, back} {
		chains := m.Chains()
		if list := chains.VASPs(); len(list) != 1 || list[0] != (schema.VASP{ID: "bank", Name: "The bank"}) {
			t.Errorf("%+v are known", list)
		}
		if deposit, _ := chains.Deposit(1); deposit.Status != schema.DepositReview || !bytes.Equal(chains.Travel(1), from) {
			t.Errorf("the deposit is %s, %q is known of it", deposit.Status, chains.Travel(1))
		}
		for id, want := range map[schema.WithdrawalID]schema.WithdrawalStatus{1: schema.WithdrawalQueued, 2: schema.WithdrawalReview} {
			if w, _ := chains.Withdrawal(id); w.Status != want || !bytes.Equal(chains.TravelOf(id), to) {
				t.Errorf("withdrawal %d is %s, %q is known of it", id, w.Status, chains.TravelOf(id))
			}
		}
		apply(t, m, start, &schema.DecideDeposit{Deposit: 1, Decision: schema.CreditDeposit}, &schema.MineSandbox{Chain: play, Blocks: 2})
		if has, _, _ := m.Balance(alice, schema.Main, toy); has != d("3") || chains.Travel(1) != nil {
			t.Errorf("alice has %s, and %q is known", has, chains.Travel(1))
		}
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
	}
	if m.Hash() != back.Hash() {
		t.Error("the machine that was restored went another way")
	}
}
