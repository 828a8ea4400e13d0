package api

import (
	"context"
	"strconv"
	"strings"
	"time"

	"bourse/internal/schema"
)

// Operation is a row of the table: something that a client may ask.
type Operation struct {
	Method      string
	Path        string // a last part in braces is a parameter, as in /trades/{market}
	ErrorFormat ErrorFormat
	Group       Group // by which keys are given rights; "" for public operations
	Limit       Limit
	// Writes tells operations that send a command, whose nonce the log keeps, from the others.
	Writes bool
	// Open operations answer also while the platform is in maintenance.
	Open bool
	// Gate is the feature that an account must have, nil for none.
	Gate func(*schema.Account) bool
	// Refuse bends what the table of the schema says about a rejection of the core, where this
	// endpoint answers otherwise; nil where it does not. It must not change what it is given.
	Refuse func(*Error) *Error
	handling
}

// handling is what an operation does: how it reads what it is asked, what it does then, and what
// the documentation says about it.
type handling struct {
	read  func(*Form)
	run   func(*Call) error
	About *About
}

// Group of URLs that a key is given rights for together.
type Group string

// The groups, as people see them.
const (
	Trading   Group = "Trading"
	TradeInfo Group = "Trade balance and order history"
	Wallet    Group = "Wallet balance and history"
	Transfers Group = "Balance Transfer"
	Tokens    Group = "Account"
)

// Limit is how often an address may call within a window.
type Limit struct {
	Count  int
	Window time.Duration
}

// per10 is the common form.
func per10(count int) Limit { return Limit{count, 10 * time.Second} }

// Call is one request on its way through its operation. It is used again.
type Call struct {
	API       *API
	Context   context.Context
	Operation *Operation
	Form      Form
	// Account and Origin are who calls; nil and zero on public operations.
	Account *schema.Account
	Origin  schema.Origin
	// Body is the answer.
	Body []byte
	// Journaled says that the log has the command of the call, and with it the nonce.
	Journaled bool
}

// Reset makes the call ready for another request and keeps its memory.
func (c *Call) Reset() {
	c.Form.Reset()
	*c = Call{API: c.API, Form: c.Form, Body: c.Body[:0]}
}

// Do runs the operation.
func (c *Call) Do() *Error {
	if err := c.Operation.run(c); err != nil {
		return c.Operation.Error(err)
	}
	return nil
}

// Error is what a client of the operation sees of an error.
func (o *Operation) Error(err error) *Error {
	e := failure(err)
	if o.Refuse != nil {
		return o.Refuse(e)
	}
	return e
}

// request reads itself from a form.
type request[Q any] interface {
	*Q
	read(*Form)
}

// nothing is the request of operations that ask for nothing.
type nothing struct{}

func (*nothing) read(*Form) {}

// handler makes what an operation runs from a handler of typed requests.
func handler[Q any, P request[Q]](do func(*Call, P) (Answer, error), about *About) handling {
	read := func(f *Form) { P(new(Q)).read(f) }
	run := func(c *Call) error {
		q := P(new(Q))
		q.read(&c.Form)
		if err := c.Form.Err(); err != nil {
			return err
		}
		answer, err := do(c, q)
		if err != nil {
			return err
		}
		c.Body = answer.AppendTo(c.Body)
		return nil
	}
	return handling{read, run, about}
}

// submit lets a command happen. A refusal of the core comes back as an *Error.
func (c *Call) submit(command schema.Command, result *schema.Result) error {
	ctx := c.Context
	if c.API.options.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.API.options.Timeout)
		defer cancel()
		ctx = limited
	}
	if err := c.API.node.SubmitFrom(ctx, c.Origin, command, result); err != nil {
		return err
	}
	c.Journaled = true
	if result.Rejection.Refused() {
		return refusal(result.Rejection)
	}
	return nil
}

// region is that whose rules hold for the caller.
func (c *Call) region() schema.Region {
	if c.Account == nil {
		return c.API.options.Region
	}
	return schema.Stricter(c.Account.Region, c.API.options.Region)
}

// offered is a market that the caller may see, or nil.
func (c *Call) offered(name string) *schema.MarketInfo {
	m := c.API.directory.Market(name)
	if m == nil || !m.Offered(c.region()) {
		return nil
	}
	return m
}

// Prefix of a path with a parameter, and the parameter's name; "" when there is none.
func (o *Operation) Prefix() (prefix, parameter string) {
	before, after, found := strings.Cut(o.Path, "{")
	if !found {
		return "", ""
	}
	return before, strings.TrimSuffix(after, "}")
}

// Unauthorized are the errors of the doors about who calls. They are always 401.
var (
	ErrNoPayload    = unauthorized(0, "Payload not provided.")
	ErrUnknownKey   = unauthorized(0, "This action is unauthorized.")
	ErrKeyOff       = unauthorized(2, "This action is unauthorized. Enable your key in API settings")
	ErrPayload      = unauthorized(9, "Invalid payload.")
	ErrSignature    = unauthorized(10, "Unauthorized request.")
	ErrNoRequest    = unauthorized(0, "Request not provided.")
	ErrBlocked      = refusal(schema.Refuse(schema.AccountBlocked))
	ErrNoNonce      = unauthorized(0, "Nonce not provided.")
	ErrNonceWindow  = unauthorized(0, "Invalid nonceWindow.")
	ErrNotAllowed   = unauthorized(4, "This API Key is not authorized to perform this action.")
	ErrNoPermission = &Error{Status: 403, Code: 0, Message: "You don't have permission to use this endpoint. Please contact support for more details"}
)

func unauthorized(code int, message string) *Error {
	return &Error{Status: 401, Code: code, Message: message}
}

// Origin reads the members that every signed request carries. The request must be for the path
// that was called: a signature for one is none for another.
func (f *Form) Origin(path string) (o schema.Origin, err error) {
	f.blank.note("request", TextField)
	f.blank.note("nonce", WholeField)
	f.blank.must("request nonce")
	request := f.find("request")
	nonce := f.find("nonce")
	window, s := f.Bool("nonceWindow")
	switch {
	case request.kind != text || len(request.value) == 0:
		return o, ErrNoRequest
	case string(request.value) != path:
		return o, ErrSignature
	case nonce.kind != text && nonce.kind != number:
		return o, ErrNoNonce
	}
	n, err := strconv.ParseUint(string(nonce.value), 10, 64)
	switch {
	case err != nil:
		return o, ErrNoNonce
	case s == malformed:
		return o, ErrNonceWindow
	}
	return schema.Origin{Nonce: n, Window: window}, nil
}

// Nonce is what a client sees of a nonce that cannot be used; nil if it can.
func Nonce(r schema.Reason) error {
	if r == schema.OK {
		return nil
	}
	return refusal(schema.Refuse(r))
}
