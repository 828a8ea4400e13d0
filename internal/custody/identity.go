package custody

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"time"
)

// Files by which a signer and an exchange know each other. The second one goes from the signer's directory into the data directory.
const (
	ServerFile = "signer.pem"
	ClientFile = "exchange.pem"
)

// pin is what a peer is known by: the SHA-256 of its public key. No authority vouches for anyone, and nothing expires.
type pin [sha256.Size]byte

// pinBlock is the block of a file that has the pin of the peer, after the own certificate and its key.
const pinBlock = "BOURSE PEER SHA-256"

var errStranger = errors.New("the other side has another key than the one that was agreed")

// identity is one of the two sides of a connection.
type identity struct {
	own  tls.Certificate
	peer pin
}

// newIdentities makes the two sides, as the texts of their files.
func newIdentities() (server, client []byte, err error) {
	serverText, serverPin, err := newCertificate("bourse signer")
	if err != nil {
		return nil, nil, err
	}
	clientText, clientPin, err := newCertificate("bourse exchange")
	if err != nil {
		return nil, nil, err
	}
	of := func(p pin) []byte { return pem.EncodeToMemory(&pem.Block{Type: pinBlock, Bytes: p[:]}) }
	return append(serverText, of(clientPin)...), append(clientText, of(serverPin)...), nil
}

func newCertificate(name string) (text []byte, p pin, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, p, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Unix(0, 0),
		NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), // never (RFC 5280)
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, p, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, p, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, p, err
	}
	var out bytes.Buffer
	err = errors.Join(pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: certificate}), pem.Encode(&out, &pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	return out.Bytes(), sha256.Sum256(public), err
}

// readIdentity reads a file of newIdentities.
func readIdentity(path string) (*identity, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading what signer and exchange know each other by: %w; 'bourse signer init' makes it", err)
	}
	var id identity
	if id.own, err = tls.X509KeyPair(text, text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == pinBlock && copy(id.peer[:], block.Bytes) == len(id.peer) {
			return &id, nil
		}
	}
	return nil, fmt.Errorf("%s does not say who is on the other side", path)
}

// config is that of both sides. The handshake proves that the peer has the key of its certificate; which key that is, is checked here and
// nowhere else.
func (id *identity) config() *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		Certificates:       []tls.Certificate{id.own},
		ClientAuth:         tls.RequireAnyClientCert,
		InsecureSkipVerify: true, // of authorities, which there are none of: the pin below counts
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || pin(sha256.Sum256(state.PeerCertificates[0].RawSubjectPublicKeyInfo)) != id.peer {
				return errStranger
			}
			return nil
		},
	}
}
