package conform_test

import (
	"crypto/rsa"
	"encoding/base64"
	"encoding/binary"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"bourse/internal/api/account"
	"bourse/internal/conform"
	"bourse/internal/exchange"
	"bourse/internal/schema"
)

// tokenClaims are what services read in a JWT.
type tokenClaims struct {
	jwt.RegisteredClaims
	Key string `json:"key_id"`
}

// TestTokens goes through jwt and profile/websocket_token.
func TestTokens(t *testing.T) {
	t.Parallel()
	clock := newClock()
	var dir string
	v := venue{conform.Inside(t, worldOf(t, plain("TOK_USDT"), plain("alice", "bob")), func(o *exchange.Options) {
		o.Node.Clock, dir = clock.read, o.Node.Journal.Dir
	})}

	t.Run("a JWT is known by the public key of the signer", func(t *testing.T) {
		alice := v.trader(t, "alice")
		signer, err := account.LoadSigner(filepath.Join(dir, "jwt.key"), v.Exchange.Node.Key())
		if err != nil {
			t.Fatal(err)
		}
		answer := alice.must("jwt", nil)
		is(t, "answer", answer, obj{"data": obj{"token": pattern(`"[\w-]+\.[\w-]+\.[\w-]+"`), "expires_at": clock.seconds() + 3600}})
		text := answer["data"].(map[string]any)["token"].(string)
		now := time.UnixMicro(int64(clock.read()))
		parse := func(key *rsa.PublicKey, at time.Time) (*jwt.Token, error) {
			parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithTimeFunc(func() time.Time { return at }), jwt.WithExpirationRequired())
			return parser.ParseWithClaims(text, new(tokenClaims), func(*jwt.Token) (any, error) { return key, nil })
		}
		token, err := parse(&signer.PublicKey, now)
		if err != nil {
			t.Fatal(err)
		}
		claims := token.Claims.(*tokenClaims)
		is(t, "alg", token.Header["alg"], "RS256")
		is(t, "sub", claims.Subject, strconv.Itoa(int(v.account("alice").ID)))
		is(t, "key_id", claims.Key, strconv.Itoa(int(v.Exchange.API.Directory().Key([]byte("alice-key")).ID)))
		if got := claims.ExpiresAt.Unix(); got != int64(clock.seconds()+3600) {
			t.Errorf("it expires at %d", got)
		}
		if _, err := parse(&signer.PublicKey, now.Add(time.Hour+time.Second)); err == nil {
			t.Error("it is good after its end")
		}
		stranger := *signer.N
		stranger.Add(&stranger, &stranger)
		if _, err := parse(&rsa.PublicKey{N: &stranger, E: signer.E}, now); err == nil {
			t.Error("it is good with another key")
		}
	})

	t.Run("everything that is wrong with who asks for a JWT is told in one way", func(t *testing.T) {
		wrong := v.Client("alice-key", "not the secret")
		r := wrong.Post("/api/v4/jwt", nil)
		refuses(t, r, refusal{401, 0, "Invalid API key, signature, or nonce", obj{}})
	})

	t.Run("a WebSocket token opens with the master key", func(t *testing.T) {
		for _, name := range []string{"alice", "bob"} {
			answer := v.trader(t, name).must("profile/websocket_token", nil)
			is(t, "answer", answer, obj{"websocket_token": pattern(`"[\w-]+"`)})
			sealed, err := base64.RawURLEncoding.DecodeString(answer["websocket_token"].(string))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Exchange.Node.Key().Open(sealed, "api secret"); err == nil {
				t.Error("it opens for another purpose")
			}
			// Any number of times: nothing about it is used up.
			for range 2 {
				plain, err := v.Exchange.Node.Key().Open(sealed, "websocket token")
				if err != nil {
					t.Fatal(err)
				}
				if len(plain) != 16 {
					t.Fatalf("%d bytes", len(plain))
				}
				if id := schema.AccountID(binary.BigEndian.Uint32(plain)); id != v.account(name).ID {
					t.Errorf("it is for account %d", id)
				}
				if key := schema.KeyID(binary.BigEndian.Uint32(plain[4:])); key != v.Exchange.API.Directory().Key([]byte(name+"-key")).ID {
					t.Errorf("it is for key %d", key)
				}
				if end := schema.Time(binary.BigEndian.Uint64(plain[8:])); end != clock.read()+24*3600*schema.Second {
					t.Errorf("it ends at %d", end)
				}
			}
		}
	})
}
