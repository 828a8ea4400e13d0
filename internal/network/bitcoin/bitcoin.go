// Package bitcoin asks a node of Bitcoin (Bitcoin Core and its forks, or btcd) by JSON-RPC, reads its blocks, and makes and signs
// transactions. It trusts the node for which chain is the longest, for fees and for what waits for a block; what a block says is held
// against its hash, its work and its merkle root. It keeps nothing.
package bitcoin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"

	"bourse/internal/network/driver"
	"bourse/internal/schema"
)

// decimals of the coin: it is counted in satoshi.
const decimals = 8

// dust is what an output must have at least, in satoshi: nodes do not pass on less, and what is less is not worth a record.
const dust = 546

var nets = [...]*chaincfg.Params{
	schema.Mainnet: &chaincfg.MainNetParams,
	schema.Testnet: &chaincfg.TestNet3Params,
	schema.Signet:  &chaincfg.SigNetParams,
	schema.Regtest: &chaincfg.RegressionNetParams,
	schema.Simnet:  &chaincfg.SimNetParams,
}

// Chain is a Bitcoin chain as a node shows it.
type Chain struct {
	space          schema.Space
	params         *chaincfg.Params
	url            string
	user, password string
	client         *http.Client
}

var _ driver.Chain = (*Chain)(nil)

// Dial prepares for asking the node at a URL, which has the user and the password of its RPC. The node is not asked yet.
func Dial(at string, c schema.Chain) (*Chain, error) {
	if c.Family != schema.Bitcoin || !schema.Valid(c.Net) {
		return nil, fmt.Errorf("%s is %s of %s, not a net of bitcoin", c.Name, c.Net, c.Family)
	}
	parsed, err := url.Parse(at)
	if err != nil { // the error of the library shows the password
		return nil, errors.New("the URL of the bitcoin node cannot be read")
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return nil, errors.New("the URL of the bitcoin node must begin with http:// or https:// and have a host")
	}
	password, _ := parsed.User.Password()
	node := &Chain{space: c.Space(), params: nets[c.Net], user: parsed.User.Username(), password: password}
	parsed.User = nil
	node.url = parsed.String()
	node.client = &http.Client{
		// A node hangs up after 30 seconds without a question.
		Transport:     &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: 20 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return node, nil
}

// Check fails if the node is one of another net. All signets have the same first block: which of them a node is of is not seen.
func (c *Chain) Check(ctx context.Context) error {
	first, ok, err := c.At(ctx, 0)
	if err != nil {
		return err
	}
	if want := digest(*c.params.GenesisHash); !ok || first.Hash != want {
		return fmt.Errorf("the bitcoin node is not on %s: its first block is %x, not %x", c.space.Net, first.Hash, want)
	}
	return nil
}

// Tip is the last block of the node.
func (c *Chain) Tip(ctx context.Context) (driver.Point, error) {
	var info struct {
		Blocks        uint64 `json:"blocks"`
		BestBlockHash string `json:"bestblockhash"`
	}
	if err := c.call(ctx, &info, "getblockchaininfo"); err != nil {
		return driver.Point{}, err
	}
	hash, err := readHash(info.BestBlockHash)
	return driver.Point{Height: info.Blocks, Hash: digest(hash)}, err
}

// At is the block of a height on the chain of the node.
func (c *Chain) At(ctx context.Context, height uint64) (driver.Point, bool, error) {
	if height > 1<<31-1 {
		return driver.Point{}, false, nil
	}
	var text string
	if err := c.call(ctx, &text, "getblockhash", height); err != nil {
		var no *refusal
		if errors.As(err, &no) && strings.Contains(no.Message, "out of range") { // code -8 of Core, -1 of btcd
			err = nil
		}
		return driver.Point{}, false, err
	}
	hash, err := readHash(text)
	if err != nil {
		return driver.Point{}, false, err
	}
	return driver.Point{Height: height, Hash: digest(hash)}, true, nil
}

// Nonce is 0: there are none.
func (c *Chain) Nonce(context.Context, string) (uint64, error) { return 0, nil }

// digest is a hash in the order in which people and nodes write it: the last byte first.
func digest(h chainhash.Hash) schema.Digest {
	slices.Reverse(h[:])
	return schema.Digest(h)
}

// readHash reads a hash as nodes write it. The library takes shorter ones for small numbers.
func readHash(text string) (chainhash.Hash, error) {
	var h chainhash.Hash
	if len(text) != hex.EncodedLen(len(h)) {
		return h, fmt.Errorf("%.80q is no hash", text)
	}
	if _, err := hex.Decode(h[:], []byte(text)); err != nil {
		return h, fmt.Errorf("%q is no hash", text)
	}
	slices.Reverse(h[:])
	return h, nil
}
