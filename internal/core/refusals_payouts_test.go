package core

import (
	"testing"

	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// payoutChains let a chain of coins and one of accounts stand four blocks high. The first account of genesis has money on both, which is
// deep enough, and wants one withdrawal by each: 1 by the first chain, 2 by the second. One payout of the first, which pays nobody else,
// is signed; the second has one that is not.
func payoutChains() []schema.Command {
	const coins, accounts, play schema.ChainID = 1, 2, 3
	at := func(height uint64) schema.Digest { return schema.Digest{byte(height), 31: 1} }
	block := func(on schema.ChainID, height uint64, receipts ...schema.Receipt) *schema.ChainBlock {
		return &schema.ChainBlock{Chain: on, Height: height, Hash: at(height), Parent: at(height - 1), Receipts: receipts}
	}
	network := func(on schema.ChainID, contract string, decimals uint8) []schema.Network {
		return []schema.Network{{
			Name: "MAIN", Chain: on, CanDeposit: true, CanWithdraw: true, ConfirmationsForTrading: 1, Confirmations: 2, Contract: contract, Decimals: decimals,
		}}
	}
	listed := func(ticker string, networks []schema.Network) *schema.SetAsset {
		return &schema.SetAsset{Asset: schema.Asset{
			Ticker: ticker, Class: schema.Crypto, Scale: 18, Precision: 8, CanDeposit: true, CanWithdraw: true, Networks: networks,
		}}
	}
	return []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "COINS", Driver: schema.BitcoinNode, Family: schema.Bitcoin, Net: schema.Regtest}},
		&schema.SetChain{Chain: schema.Chain{Name: "ACCOUNTS", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Mainnet, Number: 1}},
		&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}},
		listed("DDD", network(coins, "", 8)),
		listed("EEE", network(accounts, "", 18)),
		&schema.OpenAddress{Account: 101, Chain: coins},
		&schema.OpenAddress{Account: 101, Chain: accounts},
		block(coins, 1, schema.Receipt{ID: "a", Asset: 4, Amount: d("5"), Index: 1}, schema.Receipt{ID: "b", Asset: 4, Amount: d("5"), Index: 1}),
		block(coins, 2),
		block(accounts, 1, schema.Receipt{ID: "a", Asset: 5, Amount: d("5"), Own: schema.Hot}, schema.Receipt{ID: "b", Asset: 5, Amount: d("5"), Index: 1}),
		block(accounts, 2),
		&schema.RequestWithdrawal{Account: 101, Asset: 4, Chain: coins, Amount: d("1"), Address: "x", Unique: "1"},
		&schema.RequestWithdrawal{Account: 101, Asset: 5, Chain: accounts, Amount: d("1"), Address: "x", Unique: "2"},
		&schema.PlanPayout{
			Chain: coins, Payout: 1, Asset: 4, Inputs: []string{"a"}, Outputs: []schema.OwnOutput{{Own: 2, Amount: d("4")}}, Fee: d("1"), Tx: "t", Unsigned: []byte("u"),
		},
		&schema.SignPayout{Payout: 1, Tx: "t", Raw: []byte("r")},
		&schema.PlanPayout{Chain: accounts, Payout: 2, Asset: 5, Own: schema.Hot, Outputs: []schema.OwnOutput{{Index: 1, Amount: d("1")}}, Fee: d("1"), Unsigned: []byte("u")},
	}
}

func TestPayoutsAreRefused(t *testing.T) {
	plan := func(change func(*schema.PlanPayout)) *schema.PlanPayout {
		c := changed(schema.PlanPayout{
			Chain: 1, Payout: 3, Asset: 4, Withdrawals: []schema.WithdrawalID{1}, Inputs: []string{"b"}, Outputs: []schema.OwnOutput{{Own: 4, Amount: d("3")}},
			Fee: d("1"), Tx: "t3", Unsigned: []byte("u"),
		}, change)
		return &c
	}
	pays := func(change func(*schema.PlanPayout)) *schema.PlanPayout {
		c := changed(schema.PlanPayout{
			Chain: 2, Payout: 3, Asset: 5, Withdrawals: []schema.WithdrawalID{2}, Own: schema.Hot, Nonce: 1, Fee: d("1"), Unsigned: []byte("u"),
		}, change)
		return &c
	}
	sign := func(change func(*schema.SignPayout)) *schema.SignPayout {
		c := changed(schema.SignPayout{Payout: 2, Tx: "t2", Raw: []byte("r")}, change)
		return &c
	}
	block := func(change func(*schema.ChainBlock)) *schema.ChainBlock {
		c := changed(schema.ChainBlock{Chain: 1, Height: 3, Hash: schema.Digest{3}, Parent: schema.Digest{2, 31: 1}, Results: []schema.PayoutResult{{Payout: 1, Fee: d("1")}}}, change)
		return &c
	}
	keys := func(change func(*schema.Keys)) *schema.SetKeys {
		return &schema.SetKeys{Keys: changed(schema.Keys{Family: schema.Bitcoin, Net: schema.Regtest, Print: schema.Digest{2}, Sealed: []byte("s")}, change)}
	}
	prepared := append(payoutChains(), keys(func(k *schema.Keys) { k.Print = schema.Digest{1} }))
	refuse(t, []refusal{
		{"no chain", plan(func(c *schema.PlanPayout) { c.Chain = 9 }), schema.ChainUnknown},
		{"a sandbox", plan(func(c *schema.PlanPayout) { c.Chain = 3 }), schema.ChainOwnBlocks},
		{"a number beyond the next", plan(func(c *schema.PlanPayout) { c.Payout = 4 }), schema.PayoutElsewhere},
		{"a payout of another chain", plan(func(c *schema.PlanPayout) { c.Payout = 2 }), schema.PayoutElsewhere},
		{"no fee", plan(func(c *schema.PlanPayout) { c.Fee = fixed.Zero }), schema.PayoutInvalid},
		{"a transaction twice", plan(func(c *schema.PlanPayout) { c.Tx = "t" }), schema.PayoutInvalid},
		{"a withdrawal that is not there", plan(func(c *schema.PlanPayout) { c.Withdrawals[0] = 9 }), schema.WithdrawalNotQueued},
		{"a coin of another", plan(func(c *schema.PlanPayout) { c.Inputs[0] = "a" }), schema.CoinUnavailable},
		{"it does not add up", plan(func(c *schema.PlanPayout) { c.Fee = d("2") }), schema.PayoutInvalid},
		{"a variant that costs no more", plan(func(c *schema.PlanPayout) {
			c.Payout, c.Withdrawals, c.Inputs, c.Outputs = 1, nil, []string{"a"}, []schema.OwnOutput{{Own: 2, Amount: d("4")}}
		}), schema.PayoutInvalid},
		{"an address pays others", pays(func(c *schema.PlanPayout) { c.Own, c.Index, c.Nonce = 0, 1, 0 }), schema.PayoutInvalid},
		{"more than is left", pays(func(c *schema.PlanPayout) { c.Fee = d("2.01") }), schema.CoinUnavailable},
		{"another nonce", pays(func(c *schema.PlanPayout) { c.Nonce = 0 }), schema.PayoutElsewhere},
		{"no such payout is signed", sign(func(c *schema.SignPayout) { c.Payout = 3 }), schema.PayoutUnknown},
		{"no such variant is signed", sign(func(c *schema.SignPayout) { c.Variant = 1 }), schema.PayoutInvalid},
		{"signed without bytes", sign(func(c *schema.SignPayout) { c.Raw = nil }), schema.PayoutInvalid},
		{"signed twice", sign(func(c *schema.SignPayout) { c.Payout, c.Tx = 1, "t" }), schema.PayoutDecided},
		{"nobody gives up", &schema.AbandonPayout{Payout: 1}, schema.OperatorMissing},
		{"a result that is not signed", block(func(c *schema.ChainBlock) { c.Results[0].Payout = 2 }), schema.BlockInvalid},
		{"another fee", block(func(c *schema.ChainBlock) { c.Results[0].Fee = d("0.9") }), schema.BlockInvalid},
		{"a result that failed", block(func(c *schema.ChainBlock) { c.Results[0].Failed = true }), schema.BlockInvalid},
		{"a result before the last part", block(func(c *schema.ChainBlock) { c.Parts = 2 }), schema.BlockInvalid},
		{"keys of no chain", keys(func(k *schema.Keys) { k.Net = schema.Mainnet }), schema.ChainUnknown},
		{"keys of a sandbox", keys(func(k *schema.Keys) { k.Family, k.Net = schema.EVM, schema.Testnet }), schema.KeysInvalid},
		{"other keys", keys(func(*schema.Keys) {}), schema.ImmutableChanged},
	}, prepared...)

	m := lively(t)
	apply(t, m, m.Time(), prepared...)
	apply(t, m, m.Time(), plan(func(*schema.PlanPayout) {}), pays(func(c *schema.PlanPayout) { c.Payout = 4 }), sign(func(*schema.SignPayout) {}), block(func(*schema.ChainBlock) {}))
	if p, known := m.Chains().Payout(1); !known || p.Status != schema.PayoutMined {
		t.Errorf("%+v", p)
	}
}
