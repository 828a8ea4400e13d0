package demo

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"bourse/internal/core"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// paid is a deposit or a withdrawal in the history.
type paid struct {
	Method    int
	Status    int
	Amount    decimal
	Address   string
	Memo      string
	UniqueID  string `json:"uniqueId"`
	Confirmed *struct {
		Actual, Required int
	} `json:"confirmations"`
}

// bank is a demo whose sandboxes make blocks only when they are asked to, with its depositor.
type bank struct {
	*house
	*depositor
}

func openBank(t *testing.T) *bank {
	t.Helper()
	h := enter(t, t.TempDir())
	var chains []schema.Chain
	h.Node.Read(func(m core.View) { chains = m.Chains().All() })
	for _, c := range chains {
		c.Interval = 0
		h.command(&schema.SetChain{Chain: c})
	}
	return &bank{h, &depositor{newClient(h.gate, h.world.depositors[0]), seeded(1)}}
}

// command does what an operator would.
func (h *house) command(c schema.Command) {
	h.t.Helper()
	var result schema.Result
	if err := h.Node.Submit(h.t.Context(), c, &result); err != nil || result.Rejection.Refused() {
		h.t.Fatalf("%T: %v %s", c, err, result.Rejection.Text())
	}
}

// mine makes blocks of the sandbox by which an asset comes.
func (b *bank) mine(ticker string, blocks uint32) {
	b.t.Helper()
	var on schema.ChainID
	b.Node.Read(func(m core.View) { on = m.Chains().SandboxOf(m.Listing().AssetByTicker(ticker)).Chain })
	b.command(&schema.MineSandbox{Chain: on, Blocks: blocks})
}

// acts lets the depositor act, and returns all that there is of the asset in its history, the newest first.
func (b *bank) acts(h *habit) []paid {
	b.t.Helper()
	if err := b.act(b.t.Context(), h); err != nil {
		b.t.Fatal(err)
	}
	return b.past(h)
}

func (b *bank) past(h *habit) []paid {
	b.t.Helper()
	var page struct{ Records []paid }
	b.ask(b.client, "/api/v4/main-account/history", fields{"ticker": h.ticker}, &page)
	return page.Records
}

// has is what it has of an asset in its main wallet.
func (b *bank) has(ticker string) (money fixed.Decimal) {
	b.Node.Read(func(m core.View) {
		money, _, _ = m.Balance(m.Accounts().ByName("depositor-one").ID, schema.Main, m.Listing().AssetByTicker(ticker).ID)
	})
	return money
}

// TestMoneyComesAndGoes: pieces come until they are enough, then all of it leaves to an address outside, and it begins again with nothing.
func TestMoneyComesAndGoes(t *testing.T) {
	b := openBank(t)
	unique := map[string]bool{}
	for _, h := range []*habit{&inUSDT, &inXRP, &inBTC, &inETH} {
		for range 2 {
			before := len(b.past(h))
			for b.has(h.ticker).Cmp(h.enough) < 0 {
				b.acts(h)
				b.mine(h.ticker, 1)
				first := b.past(h)[0]
				if first.Method != 1 || first.Amount.Decimal != h.piece || first.Confirmed.Actual != 1 {
					t.Fatalf("%s: %+v is no deposit in its first block", h.ticker, first)
				}
				if n := len(b.past(h)); first.Status == 15 && len(b.acts(h)) != n {
					t.Errorf("%s: it acted while a deposit confirmed", h.ticker)
				}
				b.mine(h.ticker, 11)
			}
			if b.has(h.ticker) != h.enough {
				t.Errorf("it has %s %s", b.has(h.ticker), h.ticker)
			}
			b.acts(h)
			b.mine(h.ticker, 1)
			left := b.past(h)[0]
			if left.Method != 2 || left.Address != h.address || left.Memo != h.memo || left.UniqueID == "" || unique[left.UniqueID] {
				t.Errorf("%s: %+v is no withdrawal", h.ticker, left)
			}
			unique[left.UniqueID] = true
			b.mine(h.ticker, 11)
			if all := b.past(h); all[0].Status != 3 || b.has(h.ticker).Sign() != 0 || len(all) == before {
				t.Errorf("%s: %+v is not done, or %s is left", h.ticker, all[0], b.has(h.ticker))
			}
		}
	}
}

// TestADayIsWithinTheFaucet: what the depositor takes in a day on the average, the faucet gives.
func TestADayIsWithinTheFaucet(t *testing.T) {
	limits := map[string]fixed.Decimal{}
	for _, f := range faucets {
		limits[f.ticker] = f.limit
	}
	acts := int64(24 * time.Hour / ((depositPauseMin + depositPauseMax) / 2))
	share := map[*habit]int64{}
	for _, h := range habits {
		share[h]++
	}
	for h, n := range share {
		pieces := count(h.enough, h.piece, fixed.Up)
		deposits := acts * n / int64(len(habits)) * pieces / (pieces + 1) // the rest are withdrawals
		if taken := multiply(h.piece, fixed.FromInt(deposits)); taken.Cmp(limits[h.ticker]) > 0 {
			t.Errorf("it takes %s %s a day, and the faucet gives %s", taken, h.ticker, limits[h.ticker])
		}
	}
}

// TestAnEmptyFaucetIsNoTrouble: nothing comes, and nothing is complained about.
func TestAnEmptyFaucetIsNoTrouble(t *testing.T) {
	b := openBank(t)
	var id schema.AssetID
	b.Node.Read(func(m core.View) { id = m.Listing().AssetByTicker("USDT").ID })
	for _, limit := range []fixed.Decimal{fixed.One, fixed.Zero} { // too little, and no faucet
		b.command(&schema.SetFaucet{Asset: id, Limit: limit})
		if all := b.acts(&inUSDT); len(all) > 0 {
			t.Errorf("it got %+v", all)
		}
	}
}

// TestTheDepositorStops when the demo does, in the middle of a pause.
func TestTheDepositorStops(t *testing.T) {
	b := openBank(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		b.depositor.live(ctx, slog.New(slog.NewTextHandler(b.log, nil)))
		close(ended)
	}()
	eventually(t, soon, "an address that it opened", func() (opened bool) {
		b.Node.Read(func(m core.View) {
			id := m.Accounts().ByName("depositor-one").ID
			for _, space := range m.Chains().Spaces() {
				_, has := m.Chains().First(id, space, 0)
				opened = opened || has
			}
		})
		return opened
	})
	cancel()
	<-ended
	if lines := b.log.lines(); len(lines) > 0 {
		t.Errorf("it complained: %v", lines)
	}
}
