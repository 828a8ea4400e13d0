package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"bourse/internal/console"
	"bourse/internal/operator"
)

// operatorCmd is everything that operators do on a running exchange, through their API.
type operatorCmd struct {
	URL       string `name:"url" default:"http://127.0.0.1:8081" env:"BOURSE_OPERATOR_URL" placeholder:"URL" help:"Where operators are served (--operator of 'bourse serve'); by default http://127.0.0.1:8081."`
	TokenFile string `placeholder:"FILE" type:"path" help:"The file with your token."`
	Data      string `default:"data" placeholder:"DIR" type:"path" help:"The data directory of the exchange, for its operators/operator.token; by default ./data."`
	JSON      bool   `name:"json" help:"Print the JSON that the exchange answers instead of tables."`

	Accounts   accountsCmd   `cmd:"" help:"Open, list, change and block accounts."`
	Keys       keysCmd       `cmd:"" help:"Make, restrict, switch and delete API keys."`
	Invite     inviteCmd     `cmd:"" help:"Make a link by which a person becomes the user of an account and signs in."`
	Users      usersCmd      `cmd:"" help:"Print the people who sign in."`
	Sessions   sessionsCmd   `cmd:"" help:"Print and end the sessions of an account."`
	Assets     assetsCmd     `cmd:"" help:"List and change assets and their networks."`
	Markets    marketsCmd    `cmd:"" help:"List and change markets; plan maintenance and delisting."`
	Collateral collateralCmd `cmd:"" help:"List and set what assets are worth as collateral."`
	Fees       feesCmd       `cmd:"" help:"Assign fees to an account on a market."`

	Deposit   depositCmd   `cmd:"" help:"Give an account money out of nowhere, as a sandbox does."`
	Confirm   confirmCmd   `cmd:"" help:"Make money of held deposits fully usable."`
	Withdraw  withdrawCmd  `cmd:"" help:"Take money out of an account's main wallet, at once and for good."`
	Balances  balancesCmd  `cmd:"" help:"Print what an account has."`
	Statement statementCmd `cmd:"" help:"Print every change of an account's balances."`

	Chain       chainCmd       `cmd:"" help:"Name and pause chains; make blocks and payments of sandboxes."`
	Deposits    depositsCmd    `cmd:"" help:"Print deposits that came by chains, newest first."`
	Decide      decideCmd      `cmd:"" help:"Credit, cancel or freeze a deposit that came by a chain."`
	Withdrawals withdrawalsCmd `cmd:"" help:"Print withdrawals by chains, newest first, or say what a payment provider paid."`
	Withdrawal  withdrawalCmd  `cmd:"" help:"Approve, cancel, freeze or release a withdrawal by a chain."`
	Invoices    invoicesCmd    `cmd:"" help:"Print invoices by which fiat money is to come, newest first."`
	Invoice     invoiceCmd     `cmd:"" help:"Say that an invoice was paid, or failed."`
	Owed        owedCmd        `cmd:"" help:"Print what accounts owe because a chain took back what they had spent."`
	Forgive     forgiveCmd     `cmd:"" help:"Write off what an account owes because a chain took back what it had spent."`

	Proposals proposalsCmd `cmd:"" help:"Print what waits for a second operator, or for its time."`
	Proposal  proposalCmd  `cmd:"" help:"Approve or cancel what another operator asked for."`

	Tiers    tiersCmd    `cmd:"" help:"Print and set how much may leave accounts in a day and a month."`
	Credit   creditCmd   `cmd:"" help:"Lend accounts money of the operator, and take it back."`
	Verdicts verdictsCmd `cmd:"" help:"Print and set what checks of addresses end with."`

	Webhooks webhooksCmd `cmd:"" help:"Print, set, verify and pause webhooks; look at deliveries and repeat them."`

	Partners partnersCmd `cmd:"" help:"Print, add and change clients of OAuth: programs of others that customers let act for them."`
	Grants   grantsCmd   `cmd:"" help:"Print and end the access that clients of OAuth have to an account."`

	VASPs  vaspsCmd  `cmd:"" name:"vasps" help:"Print, set and remove the services that keep wallets and are known, for the travel rule."`
	Travel travelCmd `cmd:"" help:"Print who sent a deposit, or receives a withdrawal, as the travel rule asks."`

	Margin marginCmd `cmd:"" help:"Print what an account has and owes as collateral, and its positions."`
	Close  closeCmd  `cmd:"" help:"Close a position of an account at the market."`
	Funds  fundsCmd  `cmd:"" help:"Print, fill and drain the insurance fund, the pool of loans, the inventory of conversions and what interest and miners are paid from."`

	Conversion  conversionCmd  `cmd:"" help:"Print whether there are conversions and what bounds them, and set it."`
	Plan        planCmd        `cmd:"" help:"Print, offer, change and assign plans in which partners invest."`
	Investments investmentsCmd `cmd:"" help:"Print what an account has invested."`
	Pool        poolCmd        `cmd:"" help:"Print and set how the mining pool works and pays, and bar mining accounts."`

	Index    indexCmd    `cmd:"" help:"Print, set and clear index prices."`
	Platform platformCmd `cmd:"" help:"Print and switch what holds for the whole exchange."`
	Audit    auditCmd    `cmd:"" help:"Print what operators did and tried, newest first."`
	Key      keyCmd      `cmd:"" help:"Make the key by which you sign large withdrawals, on your own machine."`
	Token    tokenCmd    `cmd:"" help:"Make a token for another operator, on the machine of the exchange."`
}

func (operatorCmd) Help() string {
	return `Runs an exchange that is being served: each command asks its operator's API, and prints a table for
people or, with --json, the answer as it came. Nothing asks back but what signs with your key: what you type
is done.

Who you are is in your token. It is read from --token-file, otherwise taken from BOURSE_OPERATOR_TOKEN,
otherwise read from the data directory, where a new exchange puts the one of the operator named
'operator'. 'bourse operator audit' shows who did what.

Amounts and prices are exact decimals such as 0.25, fees and bands are in percent; a rebate is written
--maker-fee=-0.01. A time is like 2026-10-01T12:00:00Z, or Unix seconds, or from now such as +10m or
+2h. Tables show local times, and '-' where nothing is set.`
}

// tokenVariable holds a token itself.
const tokenVariable = "BOURSE_OPERATOR_TOKEN"

// console is the way to the exchange.
func (c *operatorCmd) console() (*console.Console, error) {
	to := &console.Console{URL: c.URL}
	if to.Token = os.Getenv(tokenVariable); c.TokenFile == "" && to.Token != "" {
		to.Source = tokenVariable
	} else {
		to.Source = c.TokenFile
		if to.Source == "" {
			to.Source = filepath.Join(c.Data, "operators", operator.First+".token")
		}
		text, err := os.ReadFile(to.Source)
		if err != nil {
			return nil, fmt.Errorf("reading your token: %w; say where it is with --token-file or --data, or put it into %s", err, tokenVariable)
		}
		to.Token = strings.TrimSpace(string(text))
	}
	// What is no token could not even be sent.
	if to.Token == "" || strings.Trim(to.Token, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("%s does not hold an operator's token", to.Source)
	}
	return to, nil
}

// ask asks for one thing and prints the answer, for people with show.
func (c *operatorCmd) ask(out stdout, r console.Request, show func(stdout, json.RawMessage) error) error {
	to, err := c.console()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	answer, err := to.Ask(ctx, r)
	var waiting *console.Waiting
	switch {
	case errors.As(err, &waiting):
		return c.print(out, waiting.Answer, printWaiting(waiting))
	case err != nil:
		return err
	}
	return c.print(out, answer, show)
}

func (c *operatorCmd) print(out stdout, answer json.RawMessage, show func(stdout, json.RawMessage) error) error {
	if c.JSON {
		return printJSON(out, answer)
	}
	return show(out, answer)
}

// askAll asks for a list that comes in pages, for all of it.
func (c *operatorCmd) askAll(ctx context.Context, path string) (json.RawMessage, error) {
	const page = 1000
	to, err := c.console()
	if err != nil {
		return nil, err
	}
	all := []byte{'['}
	for offset := 0; ; offset += page {
		answer, err := to.Ask(ctx, console.Request{
			Method: "GET", Path: path,
			Query: url.Values{"limit": {fmt.Sprint(page)}, "offset": {fmt.Sprint(offset)}},
		})
		if err != nil {
			return nil, err
		}
		var items []json.RawMessage
		if err := json.Unmarshal(answer, &items); err != nil {
			return nil, fmt.Errorf("reading the answer to GET %s: %w", path, err)
		}
		for _, item := range items {
			if len(all) > 1 {
				all = append(all, ',')
			}
			all = append(all, item...)
		}
		if len(items) < page {
			return append(all, ']'), nil
		}
	}
}

// tokenCmd does not ask the exchange: only who can write its files may let others in.
type tokenCmd struct {
	Name string `arg:"" help:"The operator's name, as the audit will show it."`
}

func (tokenCmd) Help() string {
	return `Writes DIR/operators/NAME.token, which counts at once; give it to NAME on a safe way, for --token-file.
Remove the file and the token counts no more. A name has letters, digits, dots, dashes, underscores.`
}

func (t *tokenCmd) Run(c *operatorCmd, out stdout) error {
	dir := filepath.Join(c.Data, "operators")
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%w; --data names the data directory of an exchange that was served at least once", err)
	}
	tokens, err := operator.OpenTokens(dir)
	if err != nil {
		return err
	}
	if _, err := tokens.Make(t.Name); err != nil {
		return err
	}
	answer, err := json.Marshal(struct {
		Operator string `json:"operator"`
		File     string `json:"file"`
	}{t.Name, filepath.Join(dir, t.Name+".token")})
	if err != nil {
		return err
	}
	return c.print(out, answer, printObject)
}
