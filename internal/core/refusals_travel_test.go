package core

import (
	"fmt"
	"strings"
	"testing"

	"bourse/internal/schema"
)

// travelAccounts let the first account of genesis be in the EU and the third blocked. Of the deposits of the first, one waits for who sent
// it and another for blocks; it has some money that can leave.
func travelAccounts() []schema.Command {
	const play schema.ChainID = 1
	pay := &schema.PaySandbox{Chain: play, Receipt: schema.Receipt{Asset: 4, Amount: d("3"), Index: 1, Text: "address"}}
	return []schema.Command{
		&schema.SetChain{Chain: schema.Chain{Name: "PLAY", Driver: schema.Sandbox, Family: schema.EVM, Net: schema.Testnet}},
		&schema.SetAsset{Asset: schema.Asset{
			Ticker: "DDD", Class: schema.Crypto, Scale: 8, Precision: 8, CanDeposit: true, CanWithdraw: true,
			Networks: []schema.Network{{Name: "PLAY", Chain: play, CanDeposit: true, CanWithdraw: true, ConfirmationsForTrading: 1, Confirmations: 2}},
		}},
		&schema.SetAccount{Account: schema.Account{ID: 101, Name: "trader0", Region: schema.EU}},
		&schema.SetAccount{Account: schema.Account{ID: 103, Name: "trader2", Region: schema.EU, Blocked: true}},
		&schema.OpenAddress{Account: 101, Chain: play},
		&schema.OpenAddress{Account: 102, Chain: play},
		&schema.Deposit{Account: 101, Asset: 4, Amount: d("5")},
		&schema.Deposit{Account: 102, Asset: 4, Amount: d("5")},
		pay,
		&schema.MineSandbox{Chain: play, Blocks: 1},
		pay,
		&schema.MineSandbox{Chain: play, Blocks: 1},
	}
}

func TestTravelIsRefused(t *testing.T) {
	vasp := func(id, name string) *schema.SetVASP { return &schema.SetVASP{VASP: schema.VASP{ID: id, Name: name}} }
	submit := func(change func(*schema.SubmitTravel)) *schema.SubmitTravel {
		c := changed(schema.SubmitTravel{Account: 101, Deposit: 1, Sealed: []byte("x")}, change)
		return &c
	}
	leave := func(change func(*schema.RequestWithdrawal)) *schema.RequestWithdrawal {
		c := changed(schema.RequestWithdrawal{Account: 101, Asset: 4, Chain: 1, Amount: d("1"), Address: "a", Unique: "u", Travel: []byte("x"), VASP: "v"}, change)
		return &c
	}
	refuse(t, []refusal{
		{"a VASP without an id", vasp("", "n"), schema.VASPInvalid},
		{"an id of 101 bytes", vasp(strings.Repeat("v", 101), "n"), schema.VASPInvalid},
		{"an id of 101 bytes forgotten", vasp(strings.Repeat("v", 101), ""), schema.VASPInvalid},
		{"a name of 201 bytes", vasp("v", strings.Repeat("n", 201)), schema.VASPInvalid},
		{"nobody says it", submit(func(c *schema.SubmitTravel) { c.Account = 999 }), schema.AccountUnknown},
		{"the house says it", submit(func(c *schema.SubmitTravel) { c.Account = schema.House }), schema.AccountUnknown},
		{"a blocked account says it", submit(func(c *schema.SubmitTravel) { c.Account = 103 }), schema.AccountBlocked},
		{"another account says it", submit(func(c *schema.SubmitTravel) { c.Account = 102 }), schema.DepositUnknown},
		{"of no deposit", submit(func(c *schema.SubmitTravel) { c.Deposit = 3 }), schema.DepositUnknown},
		{"of one that waits for blocks", submit(func(c *schema.SubmitTravel) { c.Deposit = 2 }), schema.TravelNotAsked},
		{"says nothing", submit(func(c *schema.SubmitTravel) { c.Sealed = nil }), schema.TravelInvalid},
		{"says 8193 bytes", submit(func(c *schema.SubmitTravel) { c.Sealed = make([]byte, 8193) }), schema.TravelInvalid},
		{"leaves without it", leave(func(c *schema.RequestWithdrawal) { c.Travel = nil }), schema.TravelMissing},
		{"leaves without it, and is nothing", leave(func(c *schema.RequestWithdrawal) { c.Travel, c.Amount = nil, d("0") }), schema.TravelMissing},
		{"leaves with 8193 bytes", leave(func(c *schema.RequestWithdrawal) { c.Travel = make([]byte, 8193) }), schema.TravelInvalid},
		{"leaves to a VASP of 101 bytes", leave(func(c *schema.RequestWithdrawal) { c.VASP = strings.Repeat("v", 101) }), schema.TravelInvalid},
		{"stays with 8193 bytes", leave(func(c *schema.RequestWithdrawal) { c.Index, c.Travel = 2, make([]byte, 8193) }), schema.TravelInvalid},
		{"leaves from elsewhere with 8193 bytes", leave(func(c *schema.RequestWithdrawal) { c.Account, c.Travel = 102, make([]byte, 8193) }), schema.TravelInvalid},
		{"leaves to nowhere without it", leave(func(c *schema.RequestWithdrawal) { c.Travel, c.Address = nil, "" }), schema.WithdrawAddressInvalid},
	}, travelAccounts()...)

	var known []schema.Command
	for n := range 1000 {
		known = append(known, vasp(fmt.Sprint("v", n), "n"))
	}
	refuse(t, []refusal{{"a VASP more than 1,000", vasp("v", "n"), schema.VASPsTooMany}}, known...)
}
