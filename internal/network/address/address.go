// Package address says whether a text is an address of a network, in the standard forms of its family
// only, and gives its canonical form: addresses are the same receiver if and only if their canonical forms
// are equal. The same for memos.
//
// A text that is not certainly an address is refused: what is paid to a wrong one is lost. Nothing is
// repaired, blanks around it neither. It is pure computation over at most 128 bytes.
package address

import "errors"

// Family of networks, whose addresses have the same forms. The zero value is none.
type Family uint8

const (
	Bitcoin Family = iota + 1
	EVM
	TRON
	XRP
	Solana
	TON
)

// families: what a family is called in settings, how its addresses are read, and its memos where it has any.
var families = [...]struct {
	word  string
	parse func(Net, string) (string, error)
	memo  func(string) (string, error)
}{
	Bitcoin: {word: "bitcoin", parse: parseBitcoin},
	EVM:     {word: "evm", parse: parseEVM},
	TRON:    {word: "tron", parse: parseTRON},
	XRP:     {word: "xrp", parse: parseXRP, memo: parseTag},
	Solana:  {word: "solana", parse: parseSolana},
	TON:     {word: "ton", parse: parseTON, memo: parseComment},
}

// ParseFamily reads the word of a family.
func ParseFamily(word string) (Family, bool) {
	for f := Bitcoin; f <= TON; f++ {
		if families[f].word == word {
			return f, true
		}
	}
	return 0, false
}

func (f Family) known() bool { return f >= Bitcoin && f <= TON }

func (f Family) String() string {
	if !f.known() {
		return "unknown"
	}
	return families[f].word
}

// Net is one of the nets of a family. Only Bitcoin and TON write it into their addresses; the addresses of
// the other families look the same on all nets. The zero value is none.
type Net uint8

const (
	Mainnet Net = iota + 1
	Testnet
	Signet
	Regtest
	Simnet
)

var netWords = [...]string{Mainnet: "mainnet", Testnet: "testnet", Signet: "signet", Regtest: "regtest", Simnet: "simnet"}

// ParseNet reads the word of a net.
func ParseNet(word string) (Net, bool) {
	for n := Mainnet; n <= Simnet; n++ {
		if netWords[n] == word {
			return n, true
		}
	}
	return 0, false
}

func (n Net) known() bool { return n >= Mainnet && n <= Simnet }

func (n Net) String() string {
	if !n.known() {
		return "unknown"
	}
	return netWords[n]
}

// Why a text is refused, for the customer who gave it.
var (
	ErrUnknown   = errors.New("this network is not known")
	ErrEmpty     = errors.New("the address is empty")
	ErrLong      = errors.New("the address is too long")
	ErrCharacter = errors.New("the address has a character that does not belong there")
	ErrCase      = errors.New("the address mixes capital and small letters")
	ErrLength    = errors.New("the length of the address is wrong")
	ErrChecksum  = errors.New("the checksum is wrong")
	ErrForm      = errors.New("this is not a standard address of the network")
	ErrXAddress  = errors.New("this is an X-address: give the address that begins with r, and the tag as memo")

	ErrNoMemo        = errors.New("this network has no memo")
	ErrMemoLong      = errors.New("the memo is too long")
	ErrMemoTag       = errors.New("the memo must be a whole number from 0 to 4294967295, in digits only and without leading zeros")
	ErrMemoCharacter = errors.New("the memo has a character that cannot be in a text")
	ErrMemoBlank     = errors.New("the memo begins or ends with a blank")
)

// WrongNet refuses an address of another net. Where several nets write theirs alike it names the first.
type WrongNet Net

func (e WrongNet) Error() string { return "this is an address of " + Net(e).String() }

// sizeBytesMax is above every address and memo; what is longer is not looked at.
const sizeBytesMax = 128

// Parse gives the canonical form of an address, or why the text is none.
func (f Family) Parse(net Net, text string) (canonical string, err error) {
	switch {
	case len(text) > sizeBytesMax:
		return "", ErrLong
	case !f.known() || !net.known():
		return "", ErrUnknown
	case text == "":
		return "", ErrEmpty
	}
	return families[f].parse(net, text)
}

// ParseMemo gives the canonical form of a memo, or why the text is none. An empty text is no memo, which
// every family has: whether a network asks for one is its setting.
func (f Family) ParseMemo(text string) (canonical string, err error) {
	switch {
	case len(text) > sizeBytesMax:
		return "", ErrMemoLong
	case !f.known():
		return "", ErrUnknown
	case text == "":
		return "", nil
	case families[f].memo == nil:
		return "", ErrNoMemo
	}
	return families[f].memo(text)
}
