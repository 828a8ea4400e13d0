package convert

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// A key of a client has so many characters.
const (
	shortestKey = 8
	longestKey  = 128
)

// autoExchange asks for a conversion in one step.
type autoExchange struct {
	exchange
	key string // "": there is none
}

func (q *autoExchange) Read(f *api.Form) {
	q.exchange.Read(f)
	key, s := f.Text("idempotencyKey")
	n := utf8.RuneCountInString(key)
	switch {
	case s == api.Malformed:
		f.Fail(422, 30, "idempotencyKey", notText)
	case s == api.Good && (n < shortestKey || n > longestKey):
		f.Fail(422, 30, "idempotencyKey", fmt.Sprintf("The idempotencyKey must have %d to %d characters.", shortestKey, longestKey))
	}
	q.key = key
}

// keyOf is what the log has of a key of an account: always of one length, and for this account only.
func keyOf(account schema.AccountID, key string) schema.Digest {
	if key == "" {
		return schema.Digest{}
	}
	return sha256.Sum256(append(binary.BigEndian.AppendUint32([]byte("conversion "), uint32(account)), key...))
}

var aboutAutoConfirm = &api.About{
	Summary: "Convert in one step",
	Text: "Quotes and converts at once, from and to the trade balance. With an idempotencyKey the same request can be sent again: it converts once, and the answer is the same for 24 hours. " +
		"A request that was refused leaves the key free. Without a key every request converts. An account can use 10,000 keys in 24 hours.",
	Parameters: func() map[string]string {
		all := map[string]string{"idempotencyKey": "Any text of 8 to 128 characters, chosen by the client for this conversion."}
		for name, text := range explained {
			all[name] = text
		}
		return all
	}(),
	Response: autoDoneEncoder.Schema(),
	Refusals: append(slices.Clone(unpriced), schema.ConversionKeyUsed, schema.ConversionKeysTooMany),
}

func autoConfirm(c api.WriteCall, q *autoExchange) (api.Answer, error) {
	var result schema.Result
	command := &schema.AutoConvert{Exchange: q.of(c.Account.ID, c.Directory()), Key: keyOf(c.Account.ID, q.key)}
	if err := c.Submit(command, &result); err != nil {
		return nil, err
	}
	return autoDoneEncoder.Answer(&converted{result.Conversion, c.Directory()}), nil
}
