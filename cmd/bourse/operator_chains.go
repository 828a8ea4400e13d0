package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bourse/internal/console"
	"bourse/internal/fixed"
)

type chainCmd struct {
	List     chainList     `cmd:"" help:"Print all chains and where they stand."`
	Show     chainShow     `cmd:"" help:"Print a chain, and what the exchange has on it of each asset."`
	Create   chainCreate   `cmd:"" help:"Name a new chain."`
	Pause    chainPause    `cmd:"" help:"Let a chain take no blocks, and make none."`
	Resume   chainResume   `cmd:"" help:"Let a paused chain go on, or, with --at, a halted one."`
	Stick    chainStick    `cmd:"" help:"Let blocks of a sandbox pay nothing out, as if no miner took what is sent, or let them again."`
	Interval chainInterval `cmd:"" help:"Set how often blocks of a sandbox come by themselves."`
	Mine     chainMine     `cmd:"" help:"Make blocks of a sandbox."`
	Reorg    chainReorg    `cmd:"" help:"Replace the last blocks of a sandbox by one more."`
	Send     chainSend     `cmd:"" help:"Send money out of nowhere to an address on a sandbox."`
	Faucet   chainFaucet   `cmd:"" help:"Send money out of nowhere to an account, on the sandbox by which the asset usually comes."`
	Payouts  chainPayouts  `cmd:"" help:"Print the transactions of the exchange that are under way on a chain that others live on."`
	Audit    chainAudit    `cmd:"" help:"Print how the books stand to a chain that others live on, and where they differ."`
	GiveUp   chainGiveUp   `cmd:"" name:"give-up" help:"Replace a transaction that no block takes by one that pays only ourselves."`
	Abandon  chainAbandon  `cmd:"" help:"Say that a transaction can never be in a block; two operators have to."`
	Adopt    chainAdopt    `cmd:"" help:"Let the exchange bear a transaction that the log has no plan of; two operators have to."`
	Surplus  chainSurplus  `cmd:"" help:"Book money at an address of the exchange that blocks did not show; two operators have to."`
	Refill   chainRefill   `cmd:"" help:"Say how much of an asset should come back from cold storage."`
	FeeCap   chainFeeCap   `cmd:"" name:"fee-cap" help:"Set the most that is bid for a place in a block."`
}

func (chainCmd) Help() string {
	return `Money comes and goes by chains: a network of an asset names one ('assets networks set BTC BTC --chain BTC'). A
sandbox is a chain that lives in the exchange: its addresses look real and are nobody's, and its blocks
are made by the interval while something waits for one, or by 'mine'. Chains of the drivers bitcoin and evm are
those that others live on: 'bourse serve --chain-node BTC=URL' follows one by a node of it. A provider ('chain
create SEPA --driver provider') is a payment provider of fiat money: it has no blocks, 'invoice' and 'withdrawals
settle' say what it was paid and what it paid, and a network of a fiat asset that names it has the provider's name.

'coins' is what blocks paid to addresses of the exchange less what they paid out, 'booked' what of that is
on its books, and 'difference' what is not: deposits that wait for blocks, less withdrawals that do, and
less deposits that were booked and are in no block any more: they are taken back if they do not return in
time. On a sandbox coins may be below zero: what it pays comes from nowhere.`
}

// chainOf is a command about a chain.
type chainOf struct {
	Name string `arg:"" help:"The name of the chain, such as BTC."`
}

// do asks for something about the chain and prints it.
func (o *chainOf) do(c *operatorCmd, out stdout, method string, body any, more ...string) error {
	path := console.Path(append([]string{"chains", o.Name}, more...)...)
	return c.ask(out, console.Request{Method: method, Path: path, Body: body, OnlyNew: method == "PUT"}, printChain)
}

var printChain = parts(printed{"bookings", "nothing came by it"})

type chainList struct{}

func (chainList) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("chains")},
		table("no chains", "name", "driver", "family", "net", "interval", "paused", "stuck", "height", "busy", "halted", "waiting"))
}

type chainShow struct{ chainOf }

func (o *chainShow) Run(c *operatorCmd, out stdout) error { return o.do(c, out, "GET", nil) }

// chainFlags are the settings of a new chain.
type chainFlags struct {
	Driver   string `json:"driver" default:"sandbox" placeholder:"DRIVER" help:"What the exchange hears of it by: sandbox, as without it, bitcoin, evm or provider; never changes."`
	Number   uint64 `json:"number,omitempty" placeholder:"ID" help:"The chain id of an evm chain, such as 1; never changes."`
	Family   string `json:"family,omitempty" placeholder:"FAMILY" help:"What its addresses look like: bitcoin, evm, tron, xrp, solana or ton; never changes. A provider has none."`
	Net      string `json:"net,omitempty" placeholder:"NET" help:"Which net of the family: mainnet, testnet, signet, regtest or simnet; never changes. A provider has none."`
	Interval *span  `json:"interval,omitempty" placeholder:"TIME" help:"How often blocks come by themselves, such as 5s; by default they do not."`
	Paused   bool   `json:"paused" help:"It takes no blocks and makes none until it is resumed."`
}

type chainCreate struct {
	chainOf
	chainFlags
}

func (chainCreate) Help() string {
	return `Driver, family, net and number never change. From the first block of a chain that others live on some changes take
two operators, a network for an asset that has none there among them: create it with --paused, set up its assets, and
let it begin by 'chain resume'.`
}

func (o *chainCreate) Run(c *operatorCmd, out stdout) error { return o.do(c, out, "PUT", o.chainFlags) }

type chainPayouts struct{ chainOf }

func (chainPayouts) Help() string {
	return `A payout is one transaction in one or more variants, which all spend the same coin or nonce: at most one of
them is ever in a block. 'planned' is not signed yet, 'sent' waits for a block, 'mined' is in one, 'failed' is in
one and paid nothing but its fee. One that is too deep to be rewound is forgotten here. On Bitcoin one may have a
'parent': it spends the change of that, to pay for both where a receiver keeps the parent out of blocks.`
}

func (o *chainPayouts) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("chains", o.Name, "payouts")},
		table("no payouts", "id", "created", "asset", "status", "height", "withdrawals", "variants", "fee", "tx", "parent", "giving_up"))
}

type chainAudit struct{ chainOf }

func (chainAudit) Help() string {
	return `Every ten minutes the books are held against the node of a chain, coin by coin or address by address, and without
a pause as long as the chain has less than the books: then nothing is paid there ('less'). More on the chain is no harm
('surplus'): two operators can book it ('chain surplus'). Each address that has nothing in the books is looked at once a
day. This prints the last time, and where the two differ.`
}

func (o *chainAudit) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: console.Path("chains", o.Name, "audit")}, printChainAudit)
}

// printChainAudit prints the sums of an audit, and then where it found differences.
func printChainAudit(out stdout, answer json.RawMessage) error {
	var audit struct {
		Height uint64
		Assets []console.Object
	}
	if err := json.Unmarshal(answer, &audit); err != nil {
		return err
	}
	if audit.Height == 0 {
		_, err := fmt.Fprintln(out, "no audit yet: chains that others live on are held against their nodes where they are followed ('bourse serve --chain-node')")
		return err
	}
	sums, places := &rows{out: out, empty: "no assets"}, &rows{out: out, empty: "no differences"}
	for _, a := range audit.Assets {
		if err := sums.add(append([]cell{{"block", audit.Height}}, cells(a, []string{"asset", "books", "chain", "less", "surplus"})...)...); err != nil {
			return err
		}
		var list []console.Object
		if err := json.Unmarshal(a.Get("differences"), &list); err != nil {
			return err
		}
		for _, d := range list {
			if err := places.add(append(cells(a, []string{"asset"}), cells(d, []string{"books", "chain", "address", "coin"})...)...); err != nil {
				return err
			}
		}
	}
	return errors.Join(sums.flush(), places.flush())
}

// payoutOf is a decision about a payout.
type payoutOf struct {
	Payout uint64 `arg:"" name:"id" help:"The number of the payout; 'bourse operator chain payouts' shows it."`
}

type chainGiveUp struct{ payoutOf }

func (chainGiveUp) Help() string {
	return `The next variant of the payout pays only ourselves. When that is deep enough in a block, the withdrawals
that it should have paid go to review: approve them to pay them by another transaction, or cancel them.`
}

func (o *chainGiveUp) Run(c *operatorCmd, out stdout) error {
	return c.decide(out, "payouts", o.Payout, map[string]any{"decision": "give up"})
}

type chainAbandon struct{ payoutOf }

func (chainAbandon) Help() string {
	return `For a payout whose coin was taken back by the chain, and has not come back for as many blocks as can be
rewound. A second, different operator says it again; then its withdrawals go to review.`
}

func (o *chainAbandon) Run(c *operatorCmd, out stdout) error {
	return c.decide(out, "payouts", o.Payout, map[string]any{"decision": "abandon"})
}

type chainFeeCap struct {
	chainOf
	Rate uint64 `arg:"" help:"Satoshi for a virtual byte, or wei for gas; 0: no bound."`
}

func (o *chainFeeCap) Run(c *operatorCmd, out stdout) error {
	return o.do(c, out, "PATCH", map[string]any{"fee_rate_max": o.Rate})
}

type chainPause struct{ chainOf }

func (o *chainPause) Run(c *operatorCmd, out stdout) error {
	return o.do(c, out, "PATCH", map[string]any{"paused": true})
}

type chainResume struct {
	chainOf
	At string `placeholder:"HEIGHT:HASH" help:"The block from which a halted chain goes on: usually the last, which 'chain show' prints. A second, different operator has to say the same."`
}

func (chainResume) Help() string {
	return `A chain is halted when its node replaced more blocks than the exchange remembers, or when something of
ours was spent that the log has no plan of: a theft, or a log that is older than the chain. Nothing is credited or
paid there until two operators let it go on. Compare the log with the chain first: a node of another net or
with lost data is put right, and then the chain goes on from its last block. What the blocks above say is read
again; where that still is not what the exchange knows, the chain halts again. A transaction that people know is
adopted ('chain adopt').`
}

func (o *chainResume) Run(c *operatorCmd, out stdout) error {
	if o.At == "" {
		return o.do(c, out, "PATCH", map[string]any{"paused": false})
	}
	height, hash, _ := strings.Cut(o.At, ":")
	number, err := strconv.ParseUint(height, 10, 64)
	if err != nil {
		return fmt.Errorf("--at: %q is not HEIGHT:HASH, as 'bourse operator chain show %s' prints them", o.At, o.Name)
	}
	return o.do(c, out, "POST", map[string]any{"height": number, "hash": hash}, "resumption")
}

type chainAdopt struct {
	chainOf
	Tx string `arg:"" help:"The transaction, as the log, /readyz and 'bourse verify --chain-node' name it."`
}

func (chainAdopt) Help() string {
	return `A chain is halted when a transaction spends what is ours that the log has no plan of: a theft, or a payout of a
log that was lost. When people know what it is, two operators adopt it by its name: the chain goes on, and what it took
is the exchange's loss, which is booked when it is confirmed. If the keys leaked, move what is left first. If a
log was lost, first freeze the withdrawals that the transaction paid ('withdrawal ID freeze'), or they are paid once
more. What it paid back to the exchange is a deposit of nobody ('deposits --status uncredited').`
}

func (o *chainAdopt) Run(c *operatorCmd, out stdout) error {
	return o.do(c, out, "POST", map[string]any{"tx": o.Tx}, "adoption")
}

type chainSurplus struct {
	chainOf
	Asset   string `arg:"" help:"The asset, such as ETH."`
	Amount  string `arg:"" help:"How much of it blocks did not show, as the audit says."`
	Address string `arg:"" help:"The address where it is: of an account, or of the exchange itself."`
	Coin    string `placeholder:"TXID:NUMBER" help:"The output that it is, on Bitcoin."`
}

func (chainSurplus) Help() string {
	return `Audits show more on a chain than the books have (bourse_custody_difference) when money came inside a contract,
or before the exchange followed the chain. Two operators book it: it is a deposit of the last block then, of the account
whose address it is or of nobody, and when it is confirmed it waits for a decision ('bourse operator decide').`
}

func (o *chainSurplus) Run(c *operatorCmd, out stdout) error {
	body := map[string]any{"asset": o.Asset, "amount": o.Amount, "address": o.Address, "coin": o.Coin}
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("chains", o.Name, "surplus"), Body: body}, printObject)
}

type chainRefill struct {
	chainOf
	Asset  string `arg:"" help:"The asset, such as BTC."`
	Amount string `arg:"" help:"How much should come back; 0: nothing."`
}

func (chainRefill) Help() string {
	return `What is above the hot cap of a network ('assets networks set BTC BTC --hot-cap 10') goes to cold storage: to
addresses of a seed that is online nowhere. This asks for some of it. The exchange that has 'serve --cold DIR' writes a
transaction into DIR, people sign it with 'bourse custody sign' where that seed is, and bring it back. On
Bitcoin whole coins come, so it can be more than was asked for.`
}

func (o *chainRefill) Run(c *operatorCmd, out stdout) error {
	return o.do(c, out, "POST", map[string]any{"asset": o.Asset, "amount": o.Amount}, "refill")
}

type chainStick struct {
	chainOf
	State string `arg:"" enum:"on,off" help:"on or off."`
}

func (o *chainStick) Run(c *operatorCmd, out stdout) error {
	return o.do(c, out, "PATCH", map[string]any{"stuck": o.State == "on"})
}

type chainInterval struct {
	chainOf
	Interval span `arg:"" help:"The time between two blocks, such as 5s or 250ms; 0: none come by themselves."`
}

func (o *chainInterval) Run(c *operatorCmd, out stdout) error {
	return o.do(c, out, "PATCH", map[string]any{"interval": o.Interval})
}

// span is a time between two moments, which sheets have in seconds.
type span time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 || d%time.Microsecond != 0 {
		return fmt.Errorf("%q is not a time: write it like 5s, 250ms or 1m30s", text)
	}
	*s = span(d)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (s span) MarshalJSON() ([]byte, error) {
	return json.Marshal(fixed.FromUnits(time.Duration(s).Microseconds(), 6).String())
}

type chainMine struct {
	chainOf
	Blocks uint32 `arg:"" default:"1" help:"How many blocks, at most 100; by default one."`
}

func (o *chainMine) Run(c *operatorCmd, out stdout) error {
	return o.do(c, out, "POST", map[string]any{"blocks": o.Blocks}, "blocks")
}

type chainReorg struct {
	chainOf
	Depth uint32 `arg:"" help:"How many blocks are replaced, at most 100."`
	Drop  string `placeholder:"RECEIPT" help:"The payment that does not come again, as 'deposits' shows its receipt, or all."`
}

func (chainReorg) Help() string {
	return `What the blocks paid is paid again by those that replace them, unless it is dropped: then it is as if its
sender had spent it otherwise. A deposit that does not come back within as many blocks as it needs to be
confirmed, and at least 6, is lost.`
}

func (o *chainReorg) Run(c *operatorCmd, out stdout) error {
	body := map[string]any{"depth": o.Depth}
	if o.Drop == "all" {
		body["drop_all"] = true
	} else {
		body["drop"] = o.Drop
	}
	return o.do(c, out, "POST", body, "reorganisations")
}

type chainSend struct {
	chainOf
	Address string `arg:"" help:"The address. One that nobody has can be paid to as well: what arrives there is nobody's."`
	Amount  string `arg:"" help:"The amount, such as 0.5."`
	Asset   string `required:"" placeholder:"TICKER" help:"The asset, such as BTC."`
	Memo    string `placeholder:"TEXT" help:"The memo, where addresses go with one."`
}

func (o *chainSend) Run(c *operatorCmd, out stdout) error {
	body := map[string]any{"address": o.Address, "amount": o.Amount, "asset": o.Asset, "memo": o.Memo}
	return c.ask(out, console.Request{Method: "POST", Path: console.Path("chains", o.Name, "payments"), Body: body}, printObject)
}

type chainFaucet struct{ movement }

func (chainFaucet) Help() string {
	return `The account gets an address if it has none. The money is on its way as any payment: it waits for a block,
and is confirmed by more of them. 'bourse operator deposit' brings money at once, without a chain.`
}

func (o *chainFaucet) Run(c *operatorCmd, out stdout) error {
	return o.ask(c, out, "faucet", nil, printObject)
}

// byChains asks for what came or goes by chains.
type byChains struct {
	Chain   string `placeholder:"NAME" help:"Only those by this chain."`
	Account string `placeholder:"NAME" help:"Only those of this account."`
	Limit   string `default:"100" placeholder:"N" help:"The most that are printed, up to 1000; by default 100."`
}

func (b *byChains) list(c *operatorCmd, out stdout, what, status string, columns ...string) error {
	query := url.Values{"limit": {b.Limit}}
	for name, value := range map[string]string{"chain": b.Chain, "account": b.Account, "status": status} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return c.ask(out, console.Request{Method: "GET", Path: console.Path(what), Query: query}, table("no "+what, columns...))
}

// decide sends a decision about one of them.
func (c *operatorCmd) decide(out stdout, what string, id uint64, body map[string]any) error {
	return c.ask(out, console.Request{Method: "POST", Path: console.Path(what, fmt.Sprint(id), "decision"), Body: body}, printObject)
}

type depositsCmd struct {
	byChains
	Status string `placeholder:"STATUS" help:"Only those that are confirming, held, credited, uncredited, frozen, canceled, lost, travel or review."`
}

func (depositsCmd) Help() string {
	return `Deposits that came by chains, newest first. 'confirming' waits for blocks; 'held' can be traded with and not
leave; 'credited' is the account's; 'uncredited' is not credited by itself, because it is too little or too
much, deposits are off, or the address is nobody's; 'frozen' and 'canceled' were decided; 'lost' was taken
back by the chain. One that was credited and taken back after that is 'reversed': the exchange bears it.
'travel' is of an account in the EU that has not said yet who sent it, and 'review' of one that has: 'bourse
operator travel deposit ID' prints it.
Those that are credited and deep enough are forgotten here; the history of their account has them.`
}

func (d *depositsCmd) Run(c *operatorCmd, out stdout) error {
	return d.list(c, out, "deposits", d.Status,
		"id", "created", "chain", "account", "asset", "amount", "fee", "status", "reversed", "height", "confirmations", "memo", "receipt")
}

type decideCmd struct {
	Deposit  uint64 `arg:"" help:"The number of the deposit; 'bourse operator deposits' shows it."`
	Decision string `arg:"" enum:"credit,cancel,freeze" help:"credit: give it to its account; cancel: do not accept it; freeze: hold it back until it is decided again."`
	Account  string `placeholder:"NAME" help:"The account that gets a deposit that is nobody's."`
}

func (decideCmd) Help() string {
	return `What waits for a decision lies in suspense until then. It is credited in full, without the fee of the
network. What is nobody's can only be credited to an account, or be frozen.`
}

func (d *decideCmd) Run(c *operatorCmd, out stdout) error {
	return c.decide(out, "deposits", d.Deposit, map[string]any{"decision": d.Decision, "account": d.Account})
}

type withdrawalsCmd struct {
	List   withdrawalsList   `cmd:"" default:"withargs" help:"Print withdrawals by chains, newest first, as without a word."`
	Settle withdrawalsSettle `cmd:"" help:"Say what a payment provider paid of a withdrawal."`
}

type withdrawalsList struct {
	byChains
	Status string `placeholder:"STATUS" help:"Only those that are in review, frozen, queued, sent, mined or done: --status review."`
}

func (withdrawalsList) Help() string {
	return `Withdrawals by chains, newest first. 'review' waits for as many operators as 'needed' says; 'frozen' is held
back; 'queued' waits to be sent, or for its payment provider; 'sent' is in no block, because its block was replaced; 'mined' is in a
block; 'done' is confirmed. 'amount' is what the receiver gets, and the account pays the fee beside it.
'to' is a customer who gets it without a chain; 'refund' is the canceled deposit that goes back, out of
suspense and not out of the account. 'signed' are the operators who signed it with their keys, and 'lacks' says which
signatures the signer still wants before a queued one is paid. Those that are canceled, and those that are done and deep enough, are
forgotten here; the history of their account has them.`
}

func (w *withdrawalsList) Run(c *operatorCmd, out stdout) error {
	return w.list(c, out, "withdrawals", w.Status,
		"id", "created", "chain", "account", "asset", "amount", "fee", "status", "needed", "approver", "signed", "refund", "to", "address", "memo", "height", "confirmations",
		"tx", "lacks")
}

type withdrawalCmd struct {
	Withdrawal uint64 `arg:"" name:"id" help:"The number of the withdrawal; 'bourse operator withdrawals' shows it."`
	Decision   string `arg:"" enum:"approve,cancel,freeze,release,sign" help:"approve: let it go; cancel: give the account its money back; freeze: hold it back; release: let a frozen one be reviewed again; sign: only sign it with --key."`
	Key        string `placeholder:"FILE" type:"path" help:"Sign it with the key in this file, which 'bourse operator key create' made: with 'approve' or 'sign'."`
}

func (withdrawalCmd) Help() string {
	return `What an account withdraws in 24 hours above approve_above of the network needs the approval of an operator,
above approve2_above that of two different ones. What all accounts together withdraw in an hour above
hour_cap needs one, too. 'needed' says how many are still missing; a release asks for one at least. Nothing
can be decided about a withdrawal once a block has paid it.

A remote signer may want large withdrawals to be signed by operators whose keys it knows: then approve with
--key FILE. It prints what will be signed, and signs when you type 'yes'. Compare it with what you know from
elsewhere than the exchange: the signer asks for your signature because the exchange may be in the hands of
somebody else. One that was approved without it is signed with 'sign' until a block pays it, also a second
time: your last signature counts.`
}

// Validate is called by kong.
func (w *withdrawalCmd) Validate() error {
	switch {
	case w.Decision == "sign" && w.Key == "":
		return errors.New("sign needs --key FILE")
	case w.Key != "" && w.Decision != "sign" && w.Decision != "approve":
		return fmt.Errorf("%s brings no signature: leave out --key", w.Decision)
	}
	return nil
}

func (w *withdrawalCmd) Run(c *operatorCmd, out stdout, errs stderr) error {
	body := map[string]any{"decision": w.Decision}
	if w.Key != "" {
		signature, err := c.signApproval(w.Withdrawal, w.Key, errs)
		if err != nil {
			return err
		}
		body["signature"] = hex.EncodeToString(signature)
	}
	return c.decide(out, "withdrawals", w.Withdrawal, body)
}

type owedCmd struct{}

func (owedCmd) Help() string {
	return `An account owes what it traded away of a deposit that was held and that the chain took back then. The
exchange has paid it, and is paid back by what comes to the account next and by what its canceled orders
give back; until then nothing leaves the account.`
}

func (owedCmd) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("owed"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("nothing is owed"))
}

type forgiveCmd struct{ movement }

func (m *forgiveCmd) Run(c *operatorCmd, out stdout) error {
	return m.do(c, out, "forgiveness", nil)
}
