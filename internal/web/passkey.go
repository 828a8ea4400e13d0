package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"bourse/internal/api"
	"bourse/internal/login"
	"bourse/internal/schema"
)

// What passkeys are asked for.
const (
	signInPurpose = "sign-in"
	againPurpose  = "again" // step-up
	enrolPurpose  = "enrol"
	addPurpose    = "add"
)

// passkeyLife is how long a person may take.
const passkeyLife = 5 * time.Minute

var (
	errPasskey   = &api.Error{Status: http.StatusUnauthorized, Message: "The passkey is unknown here, or its answer is wrong or late."}
	errNoPasskey = &api.Error{Status: http.StatusNotFound, Message: "Browsers have no passkeys for a bare address. Open the exchange by its name, on this machine as localhost."}
)

// person is a user as passkeys know him.
type person struct {
	id          []byte
	name        string
	credentials []webauthn.Credential
}

func (p *person) WebAuthnID() []byte                         { return p.id }
func (p *person) WebAuthnName() string                       { return p.name }
func (p *person) WebAuthnDisplayName() string                { return p.name }
func (p *person) WebAuthnCredentials() []webauthn.Credential { return p.credentials }

// personOf is the user of an account, who may not have enrolled yet.
func (s *Server) personOf(account schema.AccountID, name string, u *schema.User) *person {
	handle := s.api.Key().Digest("passkey user", strconv.FormatUint(uint64(account), 10))
	p := &person{id: handle[:], name: name}
	if u == nil {
		return p
	}
	for _, key := range u.Passkeys {
		p.credentials = append(p.credentials, webauthn.Credential{
			ID: key.ID, PublicKey: key.Key, Flags: webauthn.CredentialFlags{UserPresent: true, UserVerified: true, BackupEligible: key.Backup},
			Authenticator: webauthn.Authenticator{SignCount: key.Counter},
		})
	}
	return p
}

// relying is the party that passkeys of a site are for.
func relying(at *site) (*webauthn.WebAuthn, error) {
	if !at.passkeys() {
		return nil, errNoPasskey
	}
	return webauthn.New(&webauthn.Config{
		RPID: at.host, RPDisplayName: issuer, RPOrigins: []string{at.origin},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
		AttestationPreference: protocol.PreferNoAttestation,
	})
}

// ceremony is what is asked of a passkey, as a cookie keeps it until the answer comes.
type ceremony struct {
	Purpose string               `json:"purpose"`
	Expires schema.Time          `json:"expires"`
	Data    webauthn.SessionData `json:"data"`
}

const ceremonyPurpose = "passkey ceremony"

// beginPasskey asks a passkey to sign, or a device to make one.
func (s *Server) beginPasskey(r *request) (any, error) {
	var q struct {
		Purpose string `json:"purpose"`
		Token   string `json:"token"` // of the invitation
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	party, err := relying(&r.site)
	if err != nil {
		return nil, err
	}
	var options any
	var data *webauthn.SessionData
	switch {
	case q.Purpose == signInPurpose:
		options, data, err = party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	case q.Purpose == againPurpose && r.session != nil && s.user(r) != nil && len(s.user(r).Passkeys) > 0:
		u := s.user(r)
		options, data, err = party.BeginLogin(s.personOf(u.Account, "", u), webauthn.WithUserVerification(protocol.VerificationRequired))
	case q.Purpose == addPurpose && r.session != nil && s.user(r) != nil:
		u := s.user(r)
		options, data, err = register(party, s.personOf(u.Account, login.OpenName(s.api.Key(), u.Name), u))
	case q.Purpose == enrolPurpose:
		link, open := s.invited(r, q.Token)
		if open != nil {
			return nil, open
		}
		options, data, err = register(party, s.personOf(link.Account, login.OpenName(s.api.Key(), link.Name), nil))
	default:
		return nil, wrong("purpose", "A passkey can sign in, prove again who is there, or be made.")
	}
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(ceremony{q.Purpose, s.api.Now() + schema.Time(passkeyLife/time.Microsecond), *data})
	if err != nil {
		return nil, err
	}
	r.setCookie(passkeyCookie, base64.RawURLEncoding.EncodeToString(s.api.Key().Seal(plain, ceremonyPurpose)), passkeyLife)
	return options, nil
}

func register(party *webauthn.WebAuthn, p *person) (any, *webauthn.SessionData, error) {
	return party.BeginRegistration(p, webauthn.WithExclusions(webauthn.Credentials(p.credentials).CredentialDescriptors()))
}

// begun is what was asked of a passkey for a purpose. The cookie is forgotten.
func (s *Server) begun(r *request, purpose string) (c ceremony, party *webauthn.WebAuthn, err error) {
	text := string(r.Request.Header.Cookie(r.site.cookie(passkeyCookie)))
	r.setCookie(passkeyCookie, "", 0)
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, nil, errPasskey
	}
	plain, err := s.api.Key().Open(sealed, ceremonyPurpose)
	if err != nil || json.Unmarshal(plain, &c) != nil || c.Purpose != purpose || s.api.Now() >= c.Expires {
		return c, nil, errPasskey
	}
	party, err = relying(&r.site)
	return c, party, err
}

// provenBy is the user whose passkey signed what was asked for a purpose.
func (s *Server) provenBy(r *request, purpose string, answer []byte) (*schema.User, schema.Proof, error) {
	c, party, err := s.begun(r, purpose)
	if err != nil {
		return nil, schema.Proof{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, schema.Proof{}, errPasskey
	}
	u := s.api.Directory().UserByPasskey(parsed.RawID)
	if u == nil {
		return nil, schema.Proof{}, errPasskey
	}
	who := s.personOf(u.Account, "", u)
	if purpose == signInPurpose {
		_, _, err = party.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return who, nil }, c.Data, parsed)
	} else {
		_, err = party.ValidateLogin(who, c.Data, parsed)
	}
	if err != nil {
		return nil, schema.Proof{}, errPasskey
	}
	return u, schema.Proof{
		Kind: schema.ByPasskey, Passkey: parsed.RawID, Counter: parsed.Response.AuthenticatorData.Counter, Challenge: login.Hash(c.Data.Challenge),
	}, nil
}

func (s *Server) signInByPasskey(r *request, answer []byte) (any, error) {
	u, proof, err := s.provenBy(r, signInPurpose, answer)
	if err != nil {
		return nil, err
	}
	cookie, err := s.begin(r, u, proof, true)
	if err != nil {
		return nil, err
	}
	return s.welcome(r, cookie, s.api.Directory().User(u.ID))
}

// madePasskey is the passkey that a device made for one who was asked.
func (s *Server) madePasskey(r *request, purpose string, who *person, answer []byte, title string) (schema.Passkey, error) {
	c, party, err := s.begun(r, purpose)
	if err != nil {
		return schema.Passkey{}, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return schema.Passkey{}, errPasskey
	}
	made, err := party.CreateCredential(who, c.Data, parsed)
	if err != nil {
		return schema.Passkey{}, errPasskey
	}
	if title == "" {
		title = r.device()
	}
	if len(title) > schema.MaxDevice {
		return schema.Passkey{}, wrong("title", "A title has at most 64 bytes.")
	}
	return schema.Passkey{ID: made.ID, Key: made.PublicKey, Counter: made.Authenticator.SignCount, Backup: made.Flags.BackupEligible, Title: title}, nil
}
