// Package address says whether a text is an address of a network, in the standard forms of its family
// only, and gives its canonical form: addresses are the same receiver if and only if their canonical forms
// are equal. The same for memos.
//
// A text that is not certainly an address is refused: what is paid to a wrong one is lost. Nothing is
// repaired, blanks around it neither. It is pure computation over at most 128 bytes.
package address

import (
	"errors"

	"bourse/internal/schema"
)

// families: how addresses of a family are read, and its memos where it has any.
var families = [...]struct {
	parse func(schema.Net, string) (string, error)
	memo  func(string) (string, error)
}{
	schema.Bitcoin: {parse: parseBitcoin},
	schema.EVM:     {parse: parseEVM},
	schema.TRON:    {parse: parseTRON},
	schema.XRP:     {parse: parseXRP, memo: parseTag},
	schema.Solana:  {parse: parseSolana},
	schema.TON:     {parse: parseTON, memo: parseComment},
}

// HasMemo reports whether addresses of a family go with a memo.
func HasMemo(family schema.Family) bool { return schema.Valid(family) && families[family].memo != nil }

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
type WrongNet schema.Net

func (e WrongNet) Error() string { return "this is an address of " + schema.Net(e).String() }

// sizeBytesMax is above every address and memo; what is longer is not looked at.
const sizeBytesMax = 128

// Parse gives the canonical form of an address, or why the text is none. Only Bitcoin and TON write the net into
// their addresses; those of the other families look the same on all nets.
func Parse(space schema.Space, text string) (canonical string, err error) {
	switch {
	case len(text) > sizeBytesMax:
		return "", ErrLong
	case !schema.Valid(space.Family) || !schema.Valid(space.Net):
		return "", ErrUnknown
	case text == "":
		return "", ErrEmpty
	}
	return families[space.Family].parse(space.Net, text)
}

// ParseMemo gives the canonical form of a memo, or why the text is none. An empty text is no memo, which
// every family has: whether a network asks for one is its setting.
func ParseMemo(family schema.Family, text string) (canonical string, err error) {
	switch {
	case len(text) > sizeBytesMax:
		return "", ErrMemoLong
	case !schema.Valid(family):
		return "", ErrUnknown
	case text == "":
		return "", nil
	case families[family].memo == nil:
		return "", ErrNoMemo
	}
	return families[family].memo(text)
}
