package web

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"bourse/internal/schema"
)

// deviceLife is how long a device stays known after it signed in.
const deviceLife = 180 * 24 * time.Hour

const (
	devicePurpose = "known device"
	deviceBytes   = 16
)

// sealDevice is what a browser shows to be one that a user signed in by. A change of factors makes all devices unknown.
func (s *Server) sealDevice(u *schema.User) string {
	plain := binary.BigEndian.AppendUint32(nil, uint32(u.ID))
	plain = binary.BigEndian.AppendUint32(plain, u.Generation)
	plain = binary.BigEndian.AppendUint64(plain, uint64(s.api.Now()+schema.Time(deviceLife/time.Microsecond)))
	return base64.RawURLEncoding.EncodeToString(s.api.Key().Seal(plain, devicePurpose))
}

// device is what the browser of a request shows, if that is a device of the user.
func (s *Server) knownDevice(r *request, u *schema.User) (shown string, known bool) {
	shown = string(r.Request.Header.Cookie(r.site.cookie(deviceCookie)))
	if u == nil || shown == "" {
		return "", false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(shown)
	if err != nil {
		return "", false
	}
	plain, err := s.api.Key().Open(sealed, devicePurpose)
	if err != nil || len(plain) != deviceBytes || schema.UserID(binary.BigEndian.Uint32(plain)) != u.ID ||
		binary.BigEndian.Uint32(plain[4:]) != u.Generation || s.api.Now() >= schema.Time(binary.BigEndian.Uint64(plain[8:])) {
		return "", false
	}
	return shown, true
}
