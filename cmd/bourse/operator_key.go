package main

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"bourse/internal/console"
	"bourse/internal/custody"
)

// keyCmd is about the key of an operator. It asks no exchange: the key stays where it is made.
type keyCmd struct {
	Create keyCreate `cmd:"" help:"Make a key in a new file, and print its public half."`
	Show   keyShow   `cmd:"" help:"Print the public half of a key."`
}

func (keyCmd) Help() string {
	return `A remote signer can want large withdrawals to be signed by operators whose keys it knows, so that who takes over
the exchange cannot approve them. Each operator makes a key on a machine of their own, and keeps the file there: it is
sent nowhere, and who has it signs in the operator's name. The public half goes to the people at the signer, on a
way that the exchange has no part in; they write it into "operators" of limits.json ('bourse signer --help').`
}

type keyCreate struct {
	File string `arg:"" type:"path" help:"The file, which must not be there."`
}

func (k *keyCreate) Run(c *operatorCmd, out stdout) error {
	public, err := custody.CreateOperatorKey(k.File)
	if err != nil {
		return err
	}
	return c.printKey(out, k.File, public)
}

type keyShow struct {
	File string `arg:"" type:"path" help:"The file of the key."`
}

func (k *keyShow) Run(c *operatorCmd, out stdout) error {
	key, err := custody.ReadOperatorKey(k.File)
	if err != nil {
		return err
	}
	return c.printKey(out, k.File, key.Public().(ed25519.PublicKey))
}

func (c *operatorCmd) printKey(out stdout, file string, public ed25519.PublicKey) error {
	answer, err := json.Marshal(struct {
		File   string `json:"file"`
		Public string `json:"public"`
	}{file, custody.PublicText(public)})
	if err != nil {
		return err
	}
	return c.print(out, answer, printObject)
}

var errNotSigned = errors.New("nothing was signed or decided: only 'yes' signs")

// signApproval shows what the exchange says that it would pay, and signs it when the operator says so. The exchange may lie about it: what is
// signed is what was shown, so a lie can only be shown too.
func (c *operatorCmd) signApproval(withdrawal uint64, file string, errs stderr) ([]byte, error) {
	key, err := custody.ReadOperatorKey(file)
	if err != nil {
		return nil, err
	}
	to, err := c.console()
	if err != nil {
		return nil, err
	}
	ctx, stop := interruptible()
	defer stop()
	answer, err := to.Ask(ctx, console.Request{Method: "GET", Path: console.Path("withdrawals", fmt.Sprint(withdrawal), "approval")})
	if err != nil {
		return nil, err
	}
	var a custody.Approval
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("reading what is to be signed: %w", err)
	}
	if a.Withdrawal != withdrawal {
		return nil, fmt.Errorf("the exchange shows withdrawal %d instead of %d", a.Withdrawal, withdrawal)
	}
	fmt.Fprintf(errs, "%s\nType 'yes' to sign this: ", a.Describe())
	said, err := answered(ctx)
	if err != nil {
		return nil, err
	}
	if said != "yes" {
		return nil, errNotSigned
	}
	return a.Sign(key), nil
}

// answered is the next line of who sits at the terminal. It does not wait for one after an interruption.
func answered(ctx context.Context) (string, error) {
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(os.Stdin).ReadString('\n') // the end is no answer
		line <- strings.TrimSpace(text)
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case text := <-line:
		return text, nil
	}
}
