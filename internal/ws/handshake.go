package ws

import (
	"crypto/sha1"
	"encoding/base64"
	"strings"

	"github.com/valyala/fasthttp"

	"bourse/internal/api"
)

// handshake looks at the headers of a request (RFC 6455, 4.2) and returns the key that accepts it,
// or else why it is refused. Extensions and subprotocols are never agreed on.
func handshake(h *fasthttp.RequestHeader) (accept string, refused *api.Error) {
	key := string(h.Peek("Sec-WebSocket-Key"))
	nonce, err := base64.StdEncoding.DecodeString(key)
	refusal := func(status int, message string) (string, *api.Error) {
		return "", &api.Error{Status: status, Message: message}
	}
	switch {
	case !h.IsGet():
		return refusal(fasthttp.StatusMethodNotAllowed, "A WebSocket is opened with GET.")
	case !h.IsHTTP11():
		return refusal(fasthttp.StatusBadRequest, "A WebSocket is opened with HTTP/1.1.")
	case !has(h.PeekAll("Upgrade"), "websocket") || !has(h.PeekAll("Connection"), "upgrade"):
		return refusal(fasthttp.StatusUpgradeRequired, "This is a WebSocket: send Connection: Upgrade and Upgrade: websocket.")
	case string(h.Peek("Sec-WebSocket-Version")) != "13":
		return refusal(fasthttp.StatusUpgradeRequired, "Version 13 of the WebSocket protocol is spoken here.")
	case err != nil || len(nonce) != 16:
		return refusal(fasthttp.StatusBadRequest, "Sec-WebSocket-Key must be 16 bytes in base64.")
	}
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:]), nil
}

// has reports whether a header that is a list has a word.
func has(headers [][]byte, word string) bool {
	for _, header := range headers {
		for part := range strings.SplitSeq(string(header), ",") {
			if strings.EqualFold(strings.TrimSpace(part), word) {
				return true
			}
		}
	}
	return false
}

// refuse answers with an error, as the API does for what is none of its operations.
func refuse(ctx *fasthttp.RequestCtx, e *api.Error) {
	body, status := api.AppendError(nil, api.Private, e)
	ctx.Response.Header.SetContentType("application/json")
	ctx.SetStatusCode(status)
	ctx.SetBody(body)
}

// switching is the answer that makes a WebSocket of a connection.
func switching(accept string) []byte {
	return []byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n")
}
