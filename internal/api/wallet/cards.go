package wallet

import (
	"encoding/base64"
	"fmt"
	"strings"

	"bourse/internal/api"
	"bourse/internal/schema"
	"bourse/internal/seal"
)

// A card token stands for the number of a card, for its account alone, so that no number of a card enters the log or the history.
const cardPurpose = "card token"

// Digits that the number of a card may have.
const (
	leastCard = 12
	mostCard  = 19
)

// cardRequest asks for the token of a card.
type cardRequest struct{ number string }

var wrongCard = api.NewError(422, 1, api.ValidationFailed, "cardNumber", "The cardNumber field is invalid.")

func (q *cardRequest) Read(f *api.Form) {
	number, s := f.Text("cardNumber")
	if q.number = number; s == api.Missing {
		f.Lack(wrongCard.Status, wrongCard.Code, "cardNumber", wrongCard.Fields[0].Texts[0])
	} else if !isCard(number) {
		f.Fail(wrongCard.Status, wrongCard.Code, "cardNumber", wrongCard.Fields[0].Texts[0])
	}
}

// isCard reports whether a text is the number of a card: some digits, of which the last is right.
func isCard(number string) bool {
	sum := 0
	for i := range len(number) {
		digit := int(number[len(number)-1-i]) - '0'
		if digit < 0 || digit > 9 {
			return false
		}
		if i%2 == 1 {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		sum += digit
	}
	return len(number) >= leastCard && len(number) <= mostCard && sum%10 == 0
}

// cardToken is the token of a card of an account.
func cardToken(key *seal.Key, account schema.AccountID, number string) string {
	return base64.RawURLEncoding.EncodeToString(key.Seal(fmt.Appendf(nil, "%d %s", account, number), cardPurpose))
}

// isCardToken reports whether a text is the token of a card of the account.
func isCardToken(key *seal.Key, account schema.AccountID, token string) bool {
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return false
	}
	text, err := key.Open(sealed, cardPurpose)
	return err == nil && strings.HasPrefix(string(text), fmt.Sprintf("%d ", account))
}

var cardEncoder = api.Encode("CardToken", "What stands for the number of a card.",
	api.StringField("token", "Token, to be given as the address of withdrawals by VISAMASTER. Only the account that asked for it can use it.", func(token *string) string { return *token }))

var aboutCard = &api.About{
	Summary:    "Get a token for a card",
	Text:       "The number of the card is not kept. Every call returns another token, all of them stay valid.",
	Parameters: map[string]string{"cardNumber": "Number of the card, 12 to 19 digits."},
	Response:   cardEncoder.Schema(),
	Faults:     []*api.Error{wrongCard},
}

func tokenOfCard(c *api.Call, q *cardRequest) (api.Answer, error) {
	token := cardToken(c.API.Key(), c.Account.ID, q.number)
	return cardEncoder.Answer(&token), nil
}
