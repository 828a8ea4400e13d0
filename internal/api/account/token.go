package account

import (
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"bourse/internal/api"
	"bourse/internal/schema"
)

// tokenLife is how long a JWT is good for.
const tokenLife = time.Hour

// signed is a JWT and when it ends.
type signed struct {
	token   string
	expires schema.Time
}

var (
	signedEncoder = api.Encode("Token", "A JWT.",
		api.StringField("token", "Token.", func(s *signed) string { return s.token }),
		api.SecondsField("expires_at", "Time of expiry.", func(s *signed) schema.Time { return s.expires }))
	signedAnswer = api.Encode("", "", api.ObjectField("data", signedEncoder, "Token.", func(s *signed) *signed { return s }))
)

var aboutJwtToken = &api.About{
	Summary:  "Create a JWT for other services",
	Text:     "A JWT signed with RS256, with the account id in sub and the id of the API key in key_id. Valid for one hour, and no longer than that key.",
	Response: signedAnswer.Schema(),
	Faults:   []*api.Error{errSigning},
}

var errSigning = &api.Error{Status: 500, Code: 0, Message: "Server configuration issues"}

// once puts the nonce of a request for a token into the log: a token outlives its request, so the
// request must not be good for another one at any node. Reads are kept by the node that answers them.
// A tick carries it, which asks for nothing: timers whose time has come would run anyway.
func once(c api.WriteCall) error {
	var result schema.Result
	return c.Submit(&schema.Tick{}, &result)
}

// claims are what a JWT says. It names the key that asked for it and dies with it: who accepts one looks whether the key is still on.
type claims struct {
	jwt.RegisteredClaims
	Key string `json:"key_id"`
}

// jwtToken issues a JWT, signed so that other services can check it with a public key alone.
func jwtToken(c api.WriteCall, _ *api.Nothing) (api.Answer, error) {
	if err := once(c); err != nil {
		return nil, err
	}
	now := time.UnixMicro(int64(c.API.Now()))
	expires := now.Add(tokenLife)
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: "bourse", Subject: strconv.FormatUint(uint64(c.Account.ID), 10),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
		},
		Key: strconv.FormatUint(uint64(c.Origin.Key), 10),
	}).SignedString(c.API.Signer())
	if err != nil {
		c.API.Log().Error("signing a token", "error", err)
		return nil, errSigning
	}
	return signedAnswer.Answer(&signed{token, schema.Time(expires.UnixMicro())}), nil
}

var socketTokenEncoder = api.Encode("SocketToken", "A token.",
	api.StringField("websocket_token", "Token.", func(token *string) string { return *token }))

var aboutSocketToken = &api.About{
	Summary:  "Create a WebSocket token",
	Text:     "Authorizes any number of connections for 24 hours, from the IP addresses that the API key allows. The connection has the permissions that the key has at the time, never more than over REST.",
	Response: socketTokenEncoder.Schema(),
}

// socketToken issues a token for the WebSocket.
func socketToken(c api.WriteCall, _ *api.Nothing) (api.Answer, error) {
	if err := once(c); err != nil {
		return nil, err
	}
	token := c.API.SealSocketToken(api.SocketToken{Account: c.Account.ID, Key: c.Origin.Key})
	return socketTokenEncoder.Answer(&token), nil
}
