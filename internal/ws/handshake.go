package ws

import (
	"crypto/sha1"
	"encoding/base64"
	"strings"

	"github.com/valyala/fasthttp"
)

// handshake looks at the headers of a request (RFC 6455, 4.2) and returns the key that accepts it,
// or else the status and the text of a refusal. Extensions and subprotocols are never agreed on.
func handshake(h *fasthttp.RequestHeader) (accept string, status int, problem string) {
	key := string(h.Peek("Sec-WebSocket-Key"))
	nonce, err := base64.StdEncoding.DecodeString(key)
	switch {
	case !h.IsGet():
		return "", fasthttp.StatusMethodNotAllowed, "A WebSocket is opened with GET."
	case !has(h.Peek("Upgrade"), "websocket") || !has(h.Peek("Connection"), "upgrade"):
		return "", fasthttp.StatusUpgradeRequired, "This is a WebSocket: send Connection: Upgrade and Upgrade: websocket."
	case string(h.Peek("Sec-WebSocket-Version")) != "13":
		return "", fasthttp.StatusUpgradeRequired, "Version 13 of the WebSocket protocol is spoken here."
	case err != nil || len(nonce) != 16:
		return "", fasthttp.StatusBadRequest, "Sec-WebSocket-Key must be 16 bytes in base64."
	}
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:]), 0, ""
}

// has reports whether a header that is a list has a word.
func has(header []byte, word string) bool {
	for part := range strings.SplitSeq(string(header), ",") {
		if strings.EqualFold(strings.TrimSpace(part), word) {
			return true
		}
	}
	return false
}

// refuse answers with an error, as the public side of the API does.
func refuse(ctx *fasthttp.RequestCtx, status int, message string) {
	ctx.Response.Header.SetContentType("application/json")
	ctx.SetStatusCode(status)
	ctx.SetBodyString(`{"success":false,"message":"` + message + `","errors":["` + message + `"]}`)
}

// switching is the answer that makes a WebSocket of a connection.
func switching(accept string) []byte {
	return []byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + "\r\n\r\n")
}
