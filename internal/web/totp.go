package web

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"image/png"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"bourse/internal/login"
	"bourse/internal/schema"
)

// Codes as authenticators make them by default (RFC 6238).
const (
	stepSeconds = 30
	seedBytes   = 20
	issuer      = "Bourse"
	offerLife   = 15 * 60 * schema.Second
	picture     = 200 // pixels
)

const offerPurpose = "totp offer"

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// offer is a seed that is proposed, with what an authenticator takes it by. The ticket is the seed, sealed: nothing is kept here meanwhile.
type offer struct {
	Secret string `json:"secret"`
	URI    string `json:"uri"`
	QR     string `json:"qr"` // a picture, as a data: address
	Ticket string `json:"ticket"`
}

// makeOffer proposes a seed to one with a login. Who is what the ticket is good for.
func (s *Server) makeOffer(name, who string) (*offer, error) {
	seed := make([]byte, seedBytes)
	_, _ = rand.Read(seed) // it never fails
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: name, Secret: seed})
	if err != nil {
		return nil, err
	}
	image, err := key.Image(picture, picture)
	if err != nil {
		return nil, err
	}
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, image); err != nil {
		return nil, err
	}
	sealed := s.api.Key().Seal(append(binary.BigEndian.AppendUint64(nil, uint64(s.api.Now()+offerLife)), seed...), offerPurpose+" "+who)
	return &offer{
		base32Text.EncodeToString(seed), key.String(), "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn.Bytes()),
		base64.RawURLEncoding.EncodeToString(sealed),
	}, nil
}

// accepted is the seed of an offer, and the step of the code by which it was shown to be in an authenticator.
func (s *Server) accepted(ticket, code, who string) (seed []byte, step uint64, err error) {
	sealed, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil {
		return nil, 0, errBody
	}
	plain, err := s.api.Key().Open(sealed, offerPurpose+" "+who)
	if err != nil || len(plain) != 8+seedBytes {
		return nil, 0, errBody
	}
	if s.api.Now() >= schema.Time(binary.BigEndian.Uint64(plain)) {
		return nil, 0, wrong("code", "This took too long. Please begin again with another secret.")
	}
	seed = plain[8:]
	if step = s.stepOf(seed, code, 0); step == 0 {
		return nil, 0, wrong("code", "The code is wrong.")
	}
	return seed, step, nil
}

// stepOf is the step that a code is of, 0 if it is none of these moments. Clocks may be a step apart. A step that was not used comes
// first: two steps may have the same code.
func (s *Server) stepOf(seed []byte, code string, used uint64) (found uint64) {
	now := uint64(s.api.Now()/schema.Second) / stepSeconds
	secret := base32Text.EncodeToString(seed)
	for step := now - 1; step <= now+1; step++ {
		want, err := hotp.GenerateCodeCustom(secret, step, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 && found <= used {
			found = step
		}
	}
	return found
}

// judgeCode is what the code of a user is worth, after the right password. Who has no authenticator needs none, unless there is a passkey:
// then a password is not enough.
func (s *Server) judgeCode(u *schema.User, code string) (schema.Proof, error) {
	switch {
	case !u.Protected():
		return schema.Proof{Kind: schema.ByPassword}, nil
	case len(u.TOTP) == 0 || code == "":
		return schema.Proof{}, errWrong
	}
	step := s.stepOf(login.OpenSeed(s.api.Key(), u.TOTP), code, u.Step)
	return schema.Proof{Kind: schema.ByTOTP, Wrong: step == 0, Step: step}, nil
}
