// Package operator is the API of those who run the exchange, on a listener of its own: accounts,
// keys, chains, deposits and withdrawals by them, assets, collateral, conversions, markets, fees, money, plans, the mining pool, prices, margin, funds, tiers, credits, verdicts on addresses, webhooks, clients of OAuth,
// and how the exchange is doing. People use it through `bourse operator`.
//
// What must hold: nobody does or sees anything without a token, except whether the exchange is
// well and its figures; everything that changes something is a command in the log with the name
// of who gave it, and is answered after it happened, or waits for a second operator; a change of
// some settings of a thing leaves its other settings as they are.
package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/history"
	"bourse/internal/network"
	"bourse/internal/node"
	"bourse/internal/schema"
	"bourse/internal/sheet"
	"bourse/internal/webhook"
)

// Options of a server.
type Options struct {
	Node    *node.Node
	History *history.History
	// Book says how addresses of accounts are written.
	Book   *network.Book
	Tokens *Tokens
	// Webhooks sends events to servers of customers.
	Webhooks *webhook.Webhooks
	// Version of the program, for people who read the description of the API.
	Version string
	// Hosts are names of the server beside its addresses, localhost and the name of the machine.
	Hosts []string
	// PublicURL is where people reach the exchange, for the links that invite them.
	PublicURL string
	// Sandbox says that the exchange is for play: clients of OAuth may be on the machine of who tries it.
	Sandbox bool
	// Figures are shown at /metrics.
	Figures prometheus.Gatherer
	// Lags says how far behind the parts of the exchange are, in batches.
	Lags func() map[string]uint64
	// Problems says what is wrong with the parts of the exchange.
	Problems func() []Problem
	// Lacks says which signatures the signer wants of operators before it signs what pays a withdrawal; "": it did not say so here.
	Lacks func(schema.WithdrawalID) string
	Log   *slog.Logger
}

// Problem is something that is wrong with a part of the exchange.
type Problem struct {
	Part   string
	Reason error
	// Status is what /readyz answers instead of ready; empty: clients notice nothing.
	Status Status
}

// Status of an exchange that clients should not be sent to.
type Status string

// What keeps clients away.
const (
	Stuck    Status = "stuck"    // a part does not go on: clients get answers that are old, or errors
	Starting Status = "starting" // a part is not there yet: clients wait for it
)

// Server answers operators.
type Server struct {
	options Options
	server  *http.Server
	// changing is held while settings are read, changed and sent back as a command: of two who
	// change different settings of one thing neither undoes what the other did.
	changing sync.Mutex
	// replaying is held while the log is read for a statement; one is enough.
	replaying sync.Mutex
	// copying is held while a backup is made.
	copying sync.Mutex
}

// Time that a request may take to arrive and an answer to be taken, and bytes that a request may
// have.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 30 * time.Second
	maxBody       = 1 << 20
)

// commandTimeout is how long a command may be on its way.
const commandTimeout = 10 * time.Second

// New makes a server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{options: o}
	s.server = &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// Serve answers on a listener until Close.
func (s *Server) Serve(ln net.Listener) error {
	if err := s.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close answers what was asked, as long as the context lives, and ends.
func (s *Server) Close(ctx context.Context) error {
	if err := s.server.Shutdown(ctx); err != nil {
		return s.server.Close()
	}
	return nil
}

// Act is something that an operator may ask.
type Act struct {
	Method, Path string
	// Changes tells acts that give a command from those that only look.
	Changes bool
	do      func(*Server, *call) (any, error)
}

// Acts is everything that an operator may ask.
func Acts() []Act { return acts }

var acts = []Act{
	{"GET", "/v1/accounts", false, (*Server).listAccounts},
	{"POST", "/v1/accounts", true, (*Server).openAccount},
	{"GET", "/v1/accounts/{account}", false, (*Server).showAccount},
	{"PATCH", "/v1/accounts/{account}", true, (*Server).changeAccount},
	{"GET", "/v1/accounts/{account}/keys", false, (*Server).listKeys},
	{"POST", "/v1/accounts/{account}/keys", true, (*Server).makeKey},
	{"PATCH", "/v1/keys/{key}", true, (*Server).changeKey},
	{"DELETE", "/v1/keys/{key}", true, (*Server).deleteKey},
	{"GET", "/v1/accounts/{account}/fees", false, (*Server).listFees},
	{"PUT", "/v1/accounts/{account}/fees/{market}", true, (*Server).setFee},
	{"DELETE", "/v1/accounts/{account}/fees/{market}", true, (*Server).clearFee},
	{"GET", "/v1/accounts/{account}/balances", false, (*Server).balances},
	{"POST", "/v1/accounts/{account}/deposits", true, (*Server).deposit},
	{"POST", "/v1/accounts/{account}/confirmations", true, (*Server).confirm},
	{"POST", "/v1/accounts/{account}/withdrawals", true, (*Server).withdraw},
	{"GET", "/v1/assets", false, (*Server).listAssets},
	{"GET", "/v1/assets/{asset}", false, (*Server).showAsset},
	{"PUT", "/v1/assets/{asset}", true, (*Server).listAsset},
	{"PATCH", "/v1/assets/{asset}", true, (*Server).changeAsset},
	{"PUT", "/v1/assets/{asset}/networks/{network}", true, (*Server).addNetwork},
	{"PATCH", "/v1/assets/{asset}/networks/{network}", true, (*Server).changeNetwork},
	{"DELETE", "/v1/assets/{asset}/networks/{network}", true, (*Server).removeNetwork},
	{"GET", "/v1/assets/{asset}/index", false, (*Server).showIndex},
	{"GET", "/v1/collateral", false, (*Server).listCollateral},
	{"PATCH", "/v1/collateral/{asset}", true, (*Server).setCollateral},
	{"GET", "/v1/collateral/{asset}", false, (*Server).showCollateral},
	{"GET", "/v1/conversion", false, (*Server).showConversion},
	{"PATCH", "/v1/conversion", true, (*Server).setConversion},
	{"GET", "/v1/markets", false, (*Server).listMarkets},
	{"GET", "/v1/markets/{market}", false, (*Server).showMarket},
	{"PUT", "/v1/markets/{market}", true, (*Server).listMarket},
	{"PATCH", "/v1/markets/{market}", true, (*Server).changeMarket},
	{"PUT", "/v1/markets/{market}/maintenance", true, (*Server).planMaintenance},
	{"DELETE", "/v1/markets/{market}/maintenance", true, (*Server).endMaintenance},
	{"PUT", "/v1/markets/{market}/delisting", true, (*Server).planDelisting},
	{"DELETE", "/v1/markets/{market}/delisting", true, (*Server).cancelDelisting},
	{"PUT", "/v1/markets/{market}/index", true, (*Server).setIndex},
	{"DELETE", "/v1/markets/{market}/index", true, (*Server).clearIndex},
	{"GET", "/v1/accounts/{account}/margin", false, (*Server).showMargin},
	{"DELETE", "/v1/accounts/{account}/positions/{position}", true, (*Server).closePosition},
	{"GET", "/v1/funds", false, (*Server).listFunds},
	{"POST", "/v1/funds/{fund}/deposits", true, (*Server).fundIn},
	{"POST", "/v1/funds/{fund}/withdrawals", true, (*Server).fundOut},
	{"GET", "/v1/chains", false, (*Server).listChains},
	{"GET", "/v1/chains/{chain}", false, (*Server).showChain},
	{"PUT", "/v1/chains/{chain}", true, (*Server).addChain},
	{"PATCH", "/v1/chains/{chain}", true, (*Server).changeChain},
	{"POST", "/v1/chains/{chain}/payments", true, (*Server).send},
	{"POST", "/v1/accounts/{account}/faucet", true, (*Server).faucet},
	{"POST", "/v1/chains/{chain}/blocks", true, (*Server).mine},
	{"POST", "/v1/chains/{chain}/reorganisations", true, (*Server).reorganise},
	{"GET", "/v1/deposits", false, (*Server).listArrivals},
	{"POST", "/v1/deposits/{deposit}/decision", true, (*Server).decide},
	{"GET", "/v1/withdrawals", false, (*Server).listDepartures},
	{"POST", "/v1/withdrawals/{withdrawal}/decision", true, (*Server).judge},
	{"GET", "/v1/owed", false, (*Server).listOwed},
	{"POST", "/v1/accounts/{account}/forgiveness", true, (*Server).forgive},
	{"GET", "/v1/tiers", false, (*Server).listTiers},
	{"PUT", "/v1/tiers/{tier}", true, (*Server).setTier},
	{"GET", "/v1/credits", false, (*Server).listCredits},
	{"POST", "/v1/accounts/{account}/credit", true, (*Server).openCredit},
	{"POST", "/v1/accounts/{account}/credit/charges", true, (*Server).chargeCredit},
	{"POST", "/v1/accounts/{account}/credit/repayments", true, (*Server).repayCredit},
	{"GET", "/v1/verdicts", false, (*Server).listVerdicts},
	{"PUT", "/v1/verdicts/{address}", true, (*Server).setVerdict},
	{"DELETE", "/v1/verdicts/{address}", true, (*Server).clearVerdict},
	{"GET", "/v1/vasps", false, (*Server).listVASPs},
	{"PUT", "/v1/vasps/{vasp}", true, (*Server).setVASP},
	{"DELETE", "/v1/vasps/{vasp}", true, (*Server).removeVASP},
	{"GET", "/v1/deposits/{deposit}/travel", false, (*Server).showOriginator},
	{"GET", "/v1/withdrawals/{withdrawal}/travel", false, (*Server).showBeneficiary},
	{"POST", "/v1/withdrawals/{withdrawal}/settlement", true, (*Server).settleDeparture},
	{"GET", "/v1/withdrawals/{withdrawal}/approval", false, (*Server).showApproval},
	{"GET", "/v1/invoices", false, (*Server).listInvoices},
	{"POST", "/v1/invoices/{invoice}/settlement", true, (*Server).settleInvoice},
	{"GET", "/v1/chains/{chain}/payouts", false, (*Server).listPayouts},
	{"POST", "/v1/payouts/{payout}/decision", true, (*Server).abandon},
	{"POST", "/v1/chains/{chain}/refill", true, (*Server).refill},
	{"POST", "/v1/chains/{chain}/resumption", true, (*Server).resume},
	{"POST", "/v1/chains/{chain}/adoption", true, (*Server).adopt},
	{"POST", "/v1/chains/{chain}/surplus", true, (*Server).bookSurplus},
	{"GET", "/v1/proposals", false, (*Server).listProposals},
	{"POST", "/v1/proposals/{proposal}/approve", true, (*Server).approveProposal},
	{"POST", "/v1/proposals/{proposal}/cancel", true, (*Server).cancelProposal},
	{"GET", "/v1/platform", false, (*Server).showPlatform},
	{"PATCH", "/v1/platform", true, (*Server).changePlatform},
	{"GET", "/v1/audit", false, (*Server).audit},

	{"POST", "/v1/accounts/{account}/invitations", true, (*Server).invite},
	{"GET", "/v1/users", false, (*Server).listUsers},
	{"GET", "/v1/accounts/{account}/sessions", false, (*Server).listSessions},
	{"DELETE", "/v1/accounts/{account}/sessions", true, (*Server).endSessions},

	{"GET", "/v1/webhooks", false, (*Server).listWebhooks},
	{"GET", "/v1/accounts/{account}/webhook/deliveries", false, (*Server).listDeliveries},
	{"PUT", "/v1/accounts/{account}/webhook", true, (*Server).setWebhook},
	{"POST", "/v1/accounts/{account}/webhook/verification", true, (*Server).verifyWebhook},
	{"POST", "/v1/accounts/{account}/webhook/pause", true, (*Server).pauseWebhook},
	{"POST", "/v1/accounts/{account}/webhook/resend", true, (*Server).resendWebhook},
	{"DELETE", "/v1/accounts/{account}/webhook", true, (*Server).deleteWebhook},

	{"GET", "/v1/partners", false, (*Server).listPartners},
	{"POST", "/v1/partners", true, (*Server).makePartner},
	{"PATCH", "/v1/partners/{partner}", true, (*Server).changePartner},
	{"GET", "/v1/accounts/{account}/grants", false, (*Server).listGrants},
	{"DELETE", "/v1/accounts/{account}/grants/{partner}", true, (*Server).revokeGrant},

	{"GET", "/v1/plans", false, (*Server).listPlans},
	{"PUT", "/v1/plans/{plan}", true, (*Server).offerPlan},
	{"GET", "/v1/plans/{plan}", false, (*Server).showPlan},
	{"PATCH", "/v1/plans/{plan}", true, (*Server).changePlan},
	{"PUT", "/v1/plans/{plan}/accounts/{account}", true, (*Server).assignPlan},
	{"DELETE", "/v1/plans/{plan}/accounts/{account}", true, (*Server).hidePlan},
	{"GET", "/v1/accounts/{account}/investments", false, (*Server).listInvestments},

	{"GET", "/v1/pool", false, (*Server).showPool},
	{"PATCH", "/v1/pool", true, (*Server).setPool},
	{"PUT", "/v1/pool/rate", true, (*Server).setPoolRate},
	{"GET", "/v1/pool/accounts", false, (*Server).listMinings},
	{"PUT", "/v1/pool/accounts/{mining}/bar", true, (*Server).barMining},
	{"DELETE", "/v1/pool/accounts/{mining}/bar", true, (*Server).unbarMining},
}

// routes are the acts, and what is not JSON.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, a := range acts {
		mux.Handle(a.Method+" "+a.Path, s.guarded(func(w http.ResponseWriter, c *call) error {
			answer, err := a.do(s, c)
			return answered(w, answer, err)
		}))
	}
	mux.Handle("GET /v1/accounts/{account}/statement", s.guarded(s.statement))
	mux.Handle("GET /v1/backup", s.guarded(s.backup))
	mux.Handle("/debug/pprof/", s.guarded(profile))
	s.watch(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, &Error{Status: http.StatusNotFound, Message: r.Method + " " + r.URL.Path + " is nothing that operators can ask for"})
	})
	return mux
}

// call is a request of an operator.
type call struct {
	*http.Request
	who string
}

// guarded lets in who has a token, and answers errors.
func (s *Server) guarded(do func(http.ResponseWriter, *call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.addressed(r)
		var who string
		if err == nil {
			who, err = s.authenticate(r)
		}
		if err == nil {
			err = arrive(w, r)
		}
		if err == nil {
			err = do(w, &call{r, who})
		}
		if err != nil {
			s.refuse(w, err)
		}
	})
}

// arrive waits until all of a request is here, so that nothing is held for a client that takes its
// time.
func arrive(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &Error{Status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("the request is larger than %d bytes", large.Limit)}
	case err != nil:
		return &Error{Status: http.StatusBadRequest, Message: "the request did not arrive: " + err.Error()}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// authenticate is who asks. Tokens come as bearer tokens, or as passwords for programs that know
// only those, such as `go tool pprof http://operator:TOKEN@…`.
func (s *Server) authenticate(r *http.Request) (string, error) {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		_, token, _ = r.BasicAuth()
	}
	who, found, err := s.options.Tokens.who(token)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the operators' tokens: %w", err)
	case !found:
		return "", &Error{Status: http.StatusUnauthorized, Message: "an operator's token is needed: send it as 'Authorization: Bearer TOKEN'; DATA/operators/NAME.token holds it"}
	}
	return who, nil
}

// Error is why something was not done, as operators see it.
type Error struct {
	Status  int    `json:"-"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"` // the setting that is at fault
}

func (e *Error) Error() string { return e.Message }

func invalid(err error) *Error {
	return &Error{Status: http.StatusUnprocessableEntity, Message: err.Error()}
}

func missing(what, name string) *Error {
	return &Error{Status: http.StatusNotFound, Message: fmt.Sprintf("there is no %s %q", what, name)}
}

func exists(what, name string) *Error {
	return &Error{Status: http.StatusPreconditionFailed, Message: fmt.Sprintf("%s %q is there already", what, name)}
}

// failure is what an operator sees of an error.
func (s *Server) failure(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, node.ErrUnknown):
		return &Error{Status: http.StatusInternalServerError, Message: "it is not known whether this was done; look before trying again"}
	case errors.Is(err, node.ErrBusy), errors.Is(err, node.ErrStopped), errors.Is(err, node.ErrClock):
		return &Error{Status: http.StatusServiceUnavailable, Message: err.Error()}
	default:
		s.options.Log.Error("an operator's request failed", "error", err)
		return &Error{Status: http.StatusInternalServerError, Message: err.Error()}
	}
}

func (s *Server) refuse(w http.ResponseWriter, err error) {
	e := s.failure(err)
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="operator", Basic realm="operator"`)
	}
	_ = writeJSON(w, e.Status, e) // who asked is gone if this fails
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // the status is out: who asked sees a cut-off answer
	return nil
}

// read reads the body over what v holds.
func (c *call) read(v any) error {
	if err := sheet.Decode(c.Body, v); err != nil {
		return &Error{Status: http.StatusBadRequest, Message: "the request cannot be read: " + err.Error()}
	}
	return nil
}

// onlyNew reports whether a PUT is to make something new and not to replace what is there.
func (c *call) onlyNew() bool { return c.Header.Get("If-None-Match") == "*" }

// do lets a command happen in the name of who asks, and returns the id of what it made.
func (s *Server) do(c *call, command schema.Command) (uint64, error) {
	result, err := s.submit(c, command)
	return result.ID, err
}

// submit is do for commands that make more than an id.
func (s *Server) submit(c *call, command schema.Command) (result schema.Result, err error) {
	ctx, cancel := context.WithTimeout(c.Context(), commandTimeout)
	defer cancel()
	if err := s.options.Node.SubmitFrom(ctx, schema.Origin{Operator: c.who}, command, &result); err != nil {
		return result, err
	}
	if r := result.Rejection; r.Refused() {
		return result, refusal(r)
	}
	if result.Proposal != 0 {
		return result, waiting(result.Proposal, command)
	}
	return result, nil
}

// refusal is what an operator sees of a refusal of the core.
func refusal(r schema.Rejection) *Error {
	return &Error{Status: refusedStatus(r), Message: r.Text(), Field: member(api.FieldOf(r.Reason))}
}

// member is how sheets spell a field of the refusal table: tickSize is tick_size.
func member(field string) string {
	var b strings.Builder
	for _, c := range field {
		if unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// refusedStatus is the HTTP status of a refusal. Those of the table are for customers: an account
// that is not there or blocked is nothing that an operator is unauthorized for.
func refusedStatus(r schema.Rejection) int {
	switch {
	case r.Reason == schema.AccountUnknown, r.Reason == schema.KeyUnknown, r.Reason == schema.GrantUnknown:
		return http.StatusNotFound
	case api.Status(r.Reason) == http.StatusUnauthorized, r.Reason == schema.NameTaken:
		return http.StatusConflict
	default:
		return http.StatusUnprocessableEntity
	}
}

// look reads the state.
func (s *Server) look(look func(core.View)) { s.options.Node.Read(look) }

// page reads limit and offset of a query.
func (c *call) page() (limit, offset int, err error) {
	if limit, err = c.number("limit", 100, 1, 1000); err != nil {
		return 0, 0, err
	}
	offset, err = c.number("offset", 0, 0, 1<<30)
	return limit, offset, err
}

func (c *call) number(name string, otherwise, low, high int) (int, error) {
	text := c.FormValue(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, &Error{Status: http.StatusBadRequest, Field: name, Message: fmt.Sprintf("%s is a whole number from %d to %d, not %q", name, low, high, text)}
	}
	return n, nil
}

// window is the piece of a list that a page shows.
func window[T any](list []T, limit, offset int) []T {
	offset = min(offset, len(list))
	return list[offset:min(offset+limit, len(list))]
}
