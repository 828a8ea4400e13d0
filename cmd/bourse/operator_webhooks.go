package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"bourse/internal/console"
)

type webhooksCmd struct {
	List   webhooksList   `cmd:"" help:"Print webhooks: where events of accounts are sent."`
	Set    webhooksSet    `cmd:"" help:"Make the webhook of an account or change it; a new secret is printed once."`
	Verify webhooksVerify `cmd:"" help:"Look whether the host of a webhook has its public key."`
	Log    webhooksLog    `cmd:"" help:"Print the events of the last two days and what became of them."`
	Resend webhooksResend `cmd:"" help:"Send an event once more."`
	Pause  webhooksPause  `cmd:"" help:"Hold deliveries back; events wait, for a day at most."`
	Resume webhooksResume `cmd:"" help:"Let deliveries go on."`
	Delete webhooksDelete `cmd:"" help:"Delete a webhook; what waits for it is dropped."`
}

func (webhooksCmd) Help() string {
	return `Deposits, withdrawals, refunds, codes and address checks of an account are announced to a server of the customer. An
account has one webhook, which sends once its host is verified: the public key must stand in a TXT record of the host, in
its file /service-verification.txt, or in the JSON array that its path /service-verification answers with.

'bourse webhook listen' is a server to try it with.`
}

// oneWebhook is a command about the webhook of an account.
type oneWebhook struct {
	Account string `arg:"" help:"The name of the account."`
}

func (w *oneWebhook) path(more ...string) string {
	return console.Path(append([]string{"accounts", w.Account, "webhook"}, more...)...)
}

func (w *oneWebhook) post(c *operatorCmd, out stdout, what string, body any) error {
	return c.ask(out, console.Request{Method: "POST", Path: w.path(what), Body: body}, printObject)
}

type webhooksList struct{}

func (webhooksList) Run(c *operatorCmd, out stdout) error {
	ctx, stop := interruptible()
	defer stop()
	answer, err := c.askAll(ctx, console.Path("webhooks"))
	if err != nil {
		return err
	}
	return c.print(out, answer, table("no webhooks", "account", "url", "on", "verified", "active", "paused", "announced", "waiting"))
}

type webhooksSet struct {
	oneWebhook
	To       string `arg:"" optional:"" name:"url" help:"Where events are sent: https, a host name, port 443. Without it: as before."`
	Settings struct {
		Event []string `json:"events,omitempty" placeholder:"EVENT" help:"An event to announce, such as deposit.processed; again for more. Without one: as before, at first all."`
		Key   *string  `json:"key,omitempty" placeholder:"TEXT" help:"The public part of a new pair, otherwise it is made up."`
	} `embed:""`
	On         bool   `xor:"on" help:"Let it send."`
	Off        bool   `xor:"on" help:"Announce nothing."`
	Rotate     bool   `help:"Make a new key and a new secret; the host must be verified again."`
	SecretFile string `placeholder:"FILE" type:"path" help:"Take the secret of a new pair from a file, '-' for standard input; otherwise it is made up."`
}

func (w *webhooksSet) Run(c *operatorCmd, out stdout, errs stderr) error {
	settings := members(w.Settings)
	if w.To != "" {
		settings["url"], _ = json.Marshal(w.To) // texts cannot fail
	}
	if w.On || w.Off {
		settings["on"] = json.RawMessage(strconv.FormatBool(w.On))
	}
	if w.Rotate {
		settings["rotate"] = json.RawMessage("true")
	}
	if w.SecretFile != "" {
		text, err := readInput(w.SecretFile)
		if err != nil {
			return fmt.Errorf("reading the secret: %w", err)
		}
		settings["secret"], _ = json.Marshal(strings.TrimSpace(string(text))) // texts cannot fail
	}
	return c.ask(out, console.Request{Method: "PUT", Path: w.path(), Body: settings}, func(out stdout, answer json.RawMessage) error {
		var made struct {
			Secret string `json:"secret"`
		}
		if err := json.Unmarshal(answer, &made); err != nil {
			return err
		}
		if made.Secret != "" {
			fmt.Fprintln(errs, "Keep the secret: it is not shown again.")
		}
		return printObject(out, answer)
	})
}

type webhooksVerify struct{ oneWebhook }

func (w *webhooksVerify) Run(c *operatorCmd, out stdout) error {
	return w.post(c, out, "verification", struct{}{})
}

type webhooksLog struct {
	oneWebhook
	Limit int `default:"100" help:"How many events to print at most."`
}

func (w *webhooksLog) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "GET", Path: w.path("deliveries"), Query: url.Values{"limit": {strconv.Itoa(w.Limit)}}},
		table("no events", "event", "type", "time", "outcome", "attempts", "status", "milliseconds", "tried", "due"))
}

type webhooksResend struct {
	oneWebhook
	Event uint64 `arg:"" help:"The number of the event, as 'log' prints it."`
}

func (w *webhooksResend) Run(c *operatorCmd, out stdout) error {
	return w.post(c, out, "resend", map[string]uint64{"event": w.Event})
}

type webhooksPause struct{ oneWebhook }

func (w *webhooksPause) Run(c *operatorCmd, out stdout) error {
	return w.post(c, out, "pause", map[string]bool{"paused": true})
}

type webhooksResume struct{ oneWebhook }

func (w *webhooksResume) Run(c *operatorCmd, out stdout) error {
	return w.post(c, out, "pause", map[string]bool{"paused": false})
}

type webhooksDelete struct{ oneWebhook }

func (w *webhooksDelete) Run(c *operatorCmd, out stdout) error {
	return c.ask(out, console.Request{Method: "DELETE", Path: w.path()}, printObject)
}
