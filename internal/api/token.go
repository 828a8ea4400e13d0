package api

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"bourse/internal/schema"
)

// tokenLife is how long a JWT is good for.
const tokenLife = time.Hour

var aboutJwtToken = &About{
	Summary: "Create a JWT for other services",
	Text:    "A JWT signed with RS256, with the account id in sub. Valid for one hour.",
	Answer: record("", "", always("data", record("Token", "A JWT.",
		always("token", anyText, "Token."),
		always("expires_at", seconds, "Time of expiry.")), "Token.")),
	Faults: []*Error{errSigning},
}

var errSigning = &Error{Status: 500, Code: 0, Message: "Server configuration issues"}

// once puts the nonce of a request for a token into the log: a token outlives its request, so the
// request must not be good for another one at any node. Reads are kept by the node that answers them.
// A tick carries it, which asks for nothing: timers whose time has come would run anyway.
func (c *Call) once() error {
	var result schema.Result
	return c.submit(&schema.Tick{}, &result)
}

// jwtToken issues a JWT, signed so that other services can check it with a public key alone.
func jwtToken(c *Call, _ *nothing) (Answer, error) {
	if err := c.once(); err != nil {
		return nil, err
	}
	now := time.UnixMicro(int64(c.API.options.Now()))
	expires := now.Add(tokenLife)
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		Issuer: "bourse", Subject: strconv.FormatUint(uint64(c.Account.ID), 10),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
	}).SignedString(c.API.options.Signer)
	if err != nil {
		c.API.options.Log.Error("signing a token", "error", err)
		return nil, errSigning
	}
	return answerFunc(func(dst []byte) []byte {
		dst = append(dst, `{"data":{"token":"`...)
		dst = append(dst, token...)
		dst = append(dst, `","expires_at":`...)
		dst = AppendInt(dst, expires.Unix())
		return append(dst, `}}`...)
	}), nil
}

// credentials is how the jwt endpoint speaks of everything that is wrong with who calls.
func credentials(e *Error) *Error {
	if e.Status != 401 || e.Code == 4 {
		return e
	}
	return &Error{Status: 401, Code: 0, Message: "Invalid API key, signature, or nonce"}
}

// socketLife is how long a WebSocket token may be used to authorize connections, any number of
// times.
const socketLife = 24 * 3600 * schema.Second

const socketPurpose = "websocket token"

var aboutSocketToken = &About{
	Summary: "Create a WebSocket token",
	Text:    "Authorizes any number of connections for 24 hours, from the IP addresses that the API key allows. The connection has the permissions that the key has at the time, never more than over REST.",
	Answer:  record("SocketToken", "A token.", always("websocket_token", anyText, "Token.")),
}

// socketToken issues a token for the WebSocket. It is sealed by the master key, so that every
// node can open it and nobody else can make one, and nothing has to be remembered.
func socketToken(c *Call, _ *nothing) (Answer, error) {
	if err := c.once(); err != nil {
		return nil, err
	}
	plain := make([]byte, 0, socketSize)
	plain = binary.BigEndian.AppendUint32(plain, uint32(c.Account.ID))
	plain = binary.BigEndian.AppendUint32(plain, uint32(c.Origin.Key))
	plain = binary.BigEndian.AppendUint64(plain, uint64(c.API.options.Now()+socketLife))
	token := base64.RawURLEncoding.EncodeToString(c.API.node.Key().Seal(plain, socketPurpose))
	return Bytes(`{"websocket_token":"` + token + `"}`), nil
}

// socketSize is the length of what a token says, in bytes.
const socketSize = 16

// SocketToken is what a WebSocket token says: whose rights it gives.
type SocketToken struct {
	Account schema.AccountID
	Key     schema.KeyID
}

// OpenSocketToken reads a WebSocket token.
func (a *API) OpenSocketToken(text string) (t SocketToken, good bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return t, false
	}
	plain, err := a.node.Key().Open(sealed, socketPurpose)
	if err != nil || len(plain) != socketSize || a.Now() > schema.Time(binary.BigEndian.Uint64(plain[8:])) {
		return t, false
	}
	t = SocketToken{schema.AccountID(binary.BigEndian.Uint32(plain)), schema.KeyID(binary.BigEndian.Uint32(plain[4:]))}
	return t, true
}
