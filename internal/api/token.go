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
	Summary: "A token that other services can check",
	Text:    "A JWT, signed with RS256, with the number of the account in sub. It is good for an hour.",
	Answer: record("", "", always("data", record("Token", "A JWT.",
		always("token", anyText, "The token."),
		always("expires_at", seconds, "Until when it is good.")), "The token.")),
	Faults: []*Error{errSigning},
}

var errSigning = &Error{Status: 500, Code: 0, Message: "Server configuration issues"}

// jwtToken issues a JWT, signed so that other services can check it with a public key alone.
func jwtToken(c *Call, _ *nothing) (Answer, error) {
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
		dst = appendInt(dst, expires.Unix())
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

// socketLife is how long a WebSocket token may be used to authorize a connection, any number of
// times.
const socketLife = 5 * 60 * schema.Second

const socketPurpose = "websocket token"

var aboutSocketToken = &About{
	Summary: "A token for the WebSocket",
	Text:    "It authorizes any number of connections for five minutes.",
	Answer:  record("SocketToken", "A token.", always("websocket_token", anyText, "The token.")),
}

// socketToken issues a token for the WebSocket. It is sealed by the master key, so that every
// node can open it and nobody else can make one, and nothing has to be remembered.
func socketToken(c *Call, _ *nothing) (Answer, error) {
	plain := binary.BigEndian.AppendUint32(nil, uint32(c.Account.ID))
	plain = binary.BigEndian.AppendUint32(plain, uint32(c.Origin.Key))
	plain = binary.BigEndian.AppendUint64(plain, uint64(c.API.options.Now()+socketLife))
	token := base64.RawURLEncoding.EncodeToString(c.API.node.Key().Seal(plain, socketPurpose))
	return Bytes(`{"websocket_token":"` + token + `"}`), nil
}
