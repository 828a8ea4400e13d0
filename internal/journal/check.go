package journal

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// CheckURL checks whether a text can be the address of a server, or of several with commas between
// them, without asking anybody. The error ends the sentence "this is not …".
func CheckURL(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Hostname() == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return errors.New("the address of a NATS server such as nats://127.0.0.1:4222, or several with commas between them")
		}
	}
	return nil
}

// CheckCredentials checks whether a file holds credentials. The error ends the sentence "this is
// not …".
func CheckCredentials(file string) error {
	o := nats.GetDefaultOptions()
	if err := nats.UserCredentials(file)(&o); err != nil {
		return fmt.Errorf("a file of NATS credentials: %w", err)
	}
	_, err := o.UserJWT()
	if err == nil {
		_, err = o.SignatureCB([]byte("nonce"))
	}
	if err != nil {
		return fmt.Errorf("a file of NATS credentials: %w", err)
	}
	return nil
}
