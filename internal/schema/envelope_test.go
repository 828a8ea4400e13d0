package schema

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"bourse/internal/wire"
)

// TestCommandNumbersArePinned: a log that was written once must mean the same for ever.
func TestCommandNumbersArePinned(t *testing.T) {
	want := map[string]Kind{
		"Continue": 14, "Tick": 15, "PlaceOrder": 16, "PlaceBulk": 17, "CancelOrder": 18, "CancelBulk": 19, "CancelAll": 20, "ModifyOrder": 21,
		"SetKillSwitch": 22, "PlaceOCO": 23, "CancelGroup": 24, "ClosePosition": 25, "SetLeverage": 26, "SetHedgeMode": 27, "PlaceTPSL": 28, "Deposit": 32, "ConfirmDeposit": 33, "Withdraw": 34, "Transfer": 35, "FundSystem": 36, "TakeFaucet": 37, "CreateCode": 38, "ApplyCode": 39,
		"OpenAddress": 40, "ChainBlock": 41, "ChainRewind": 42, "DecideDeposit": 43, "ForgiveOwed": 44, "MineSandbox": 45, "ReorgSandbox": 46, "PaySandbox": 47, "SetAsset": 48, "SetMarket": 49,
		"PlanMaintenance": 50, "PlanDelisting": 51, "SetFeature": 52, "SetIndex": 53, "SetCollateral": 54, "SetFaucet": 55, "SetChain": 56, "SetTier": 57, "SetVerdict": 58, "SetVASP": 59, "SetAccount": 64, "SetKey": 65, "DeleteKey": 66, "SetFee": 67, "RequestWithdrawal": 68, "DecideWithdrawal": 69,
		"RefundDeposit": 70, "OpenCredit": 71, "ChargeCredit": 72, "RepayCredit": 73, "CheckAddress": 74, "RequestExpress": 75, "PayExpress": 76, "SubmitTravel": 77,
		"SetKeys": 60, "RefillHot": 61, "ResumeChain": 62, "PlanPayout": 78, "SignPayout": 79, "AbandonPayout": 80, "RequestInvoice": 81, "SettleInvoice": 82, "SettleWithdrawal": 83, "PayFaucet": 84,
		"ConfirmWithdrawal": 63, "SetSub": 85, "DeleteSub": 86, "BlockSub": 87, "MoveSub": 88, "OpenKey": 89, "EditKey": 90, "SetKeyAddress": 91, "CloseKey": 92, "ResetKey": 93, "TouchKeys": 94,
		"Invite": 103, "Enrol": 104, "SignIn": 105, "StepUp": 106, "SignOut": 107, "SetFactor": 108, "TouchSession": 109,
		"SetPartner": 113, "AuthorizePartner": 114, "RedeemGrant": 115, "RefreshGrant": 116, "TakeSecret": 117, "RevokePartner": 118,
		"VerifySub":     119,
		"SetConversion": 120, "QuoteConversion": 121, "ConfirmConversion": 122, "AutoConvert": 123,
		"SetPlan": 124, "AssignPlan": 125, "Invest": 126, "Divest": 127, "SetReinvest": 128,
		"SetPool": 129, "SetPoolRate": 130, "OpenMining": 131, "BarMining": 132, "SetMiningPayout": 133, "WatchMining": 134, "LeasePool": 135, "ReportShares": 136, "FoundBlock": 137, "AdoptSpend": 138, "BookSurplus": 139, "DecideProposal": 140,

		"SetWebhook": 95, "VerifyWebhook": 96, "ClaimShards": 97, "SettleWebhooks": 98, "ResendWebhook": 99, "PauseWebhook": 100,
	}
	last := Kind(0)
	for _, c := range Commands() {
		name := typeOf(c).Name()
		if want[name] != c.Kind() {
			t.Errorf("%s has number %d, want %d", name, c.Kind(), want[name])
		}
		if c.Kind() <= last {
			t.Errorf("%s comes after number %d", name, last)
		}
		last = c.Kind()
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

func TestEnvelopesStandInARow(t *testing.T) {
	var row []byte
	var sent []Envelope
	for i, c := range Commands() {
		for _, command := range []Command{reflect.New(typeOf(c)).Interface().(Command), filled(c)} {
			e := Envelope{Time: Time(i) * Second, Command: command}
			row = AppendEnvelope(row, &e)
			sent = append(sent, e)
		}
	}
	for i := range sent {
		got, rest, err := NextEnvelope(row)
		if err != nil {
			t.Fatalf("envelope %d (%T): %v", i, sent[i].Command, err)
		}
		if !reflect.DeepEqual(got, sent[i]) {
			t.Errorf("got %+v, want %+v", got, sent[i])
		}
		row = rest
	}
	if len(row) != 0 {
		t.Errorf("%d bytes are left", len(row))
	}
}

func TestEnvelopeIsRefusedWhenCutOffOrEmpty(t *testing.T) {
	whole := AppendEnvelope(nil, &Envelope{Time: 1, Command: filled(new(PlaceOrder))})
	for cut := range whole {
		if _, _, err := NextEnvelope(whole[:cut]); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("cut at %d of %d: %v", cut, len(whole), err)
		}
	}
	for name, data := range map[string][]byte{
		"no command":                {0x02, 0x08, 0x02},
		"nothing at all":            {0x00},
		"length that has no end":    bytes.Repeat([]byte{0xff}, 11),
		"length beyond all memory":  {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"command of a later number": {0x03, 0xfa, 0x0f, 0x00},
		"client id with a space":    {0x0a, 0x82, 0x01, 0x07, 0x12, 0x05, 0x6a, 0x03, 'a', ' ', 'b'},
	} {
		if _, _, err := NextEnvelope(data); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzEnvelope reads arbitrary bytes as a journal. Whatever can be read means the same after it
// was written and read again.
func FuzzEnvelope(f *testing.F) {
	for _, c := range Commands() {
		f.Add(AppendEnvelope(nil, &Envelope{Time: 3, Command: filled(c)}))
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		first, rest, err := NextEnvelope(data)
		if err != nil {
			return
		}
		if len(rest) >= len(data) {
			t.Fatal("an envelope of no bytes was read")
		}
		second, rest, err := NextEnvelope(AppendEnvelope(nil, &first))
		if err != nil || len(rest) != 0 {
			t.Fatalf("%+v was read and does not come back: %v", first, err)
		}
		if !reflect.DeepEqual(first, second) {
			t.Fatalf("read %+v, and after writing it %+v", first, second)
		}
	})
}
