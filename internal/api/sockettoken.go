package api

import (
	"encoding/base64"
	"encoding/binary"
	"net/netip"

	"bourse/internal/directory"
	"bourse/internal/schema"
)

// SocketToken is what a WebSocket token says: whose rights it gives. It is sealed by the master key, so
// that every node can open it and nobody else can make one, and nothing has to be remembered.
type SocketToken struct {
	Account schema.AccountID
	Key     schema.KeyID
}

// socketLife is how long a WebSocket token may be used to authorize connections, any number of
// times.
const socketLife = 24 * 3600 * schema.Second

const socketPurpose = "websocket token"

// socketSize is the length of what a token says, in bytes.
const socketSize = 16

// SealSocketToken writes a WebSocket token that is good from now on.
func (a *API) SealSocketToken(t SocketToken) string {
	plain := make([]byte, 0, socketSize)
	plain = binary.BigEndian.AppendUint32(plain, uint32(t.Account))
	plain = binary.BigEndian.AppendUint32(plain, uint32(t.Key))
	plain = binary.BigEndian.AppendUint64(plain, uint64(a.Now()+socketLife))
	return base64.RawURLEncoding.EncodeToString(a.node.Key().Seal(plain, socketPurpose))
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

// Holder is the account for which the holder of a token may call a path from an address now; nil
// when it may not, or may no longer. The token stands for the key that it was given to.
func (a *API) Holder(t SocketToken, from netip.Addr, path string) *schema.Account {
	key := a.directory.KeyByID(t.Key)
	caller := a.Caller(key, from)
	if caller.Account == nil || caller.Account.ID != t.Account || !a.allows(&caller, path) {
		return nil
	}
	a.Touch(key)
	return caller.Account
}

// Keeps reports whether who uses a key may call a path from an address with the settings that the key got.
func (a *API) Keeps(k *directory.Key, from netip.Addr, path string) bool {
	caller := a.Caller(k, from)
	return a.allows(&caller, path)
}

// allows is Allow by the path of an operation. An empty path asks for no right to anything in particular.
// A path that no operation has yet is a right of keys that may call everything.
func (a *API) allows(c *Caller, path string) bool {
	if path == "" {
		return Admit(c) == nil
	}
	operation := a.byPath[path]
	if operation == nil {
		operation = &Operation{Path: path, Auth: AuthSigned}
	}
	return Allow(c, operation) == nil
}
