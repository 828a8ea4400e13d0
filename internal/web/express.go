package web

import (
	"bourse/internal/api"
	"bourse/internal/fixed"
	"bourse/internal/schema"
)

// Express payments: a partner sends a customer here with a token, who sees what it asks for and pays it, or does not.

// shownExpress is what a token asks for. Who pays names all of it again, so that nobody pays anything else than was shown.
type shownExpress struct {
	Partner string      `json:"partner"`
	Ticker  string      `json:"ticker"`
	Amount  string      `json:"amount"`
	Expires schema.Time `json:"expires"`
}

var errExpress = api.Refusal(schema.Refuse(schema.ExpressUnknown))

func (s *Server) showExpress(r *request) (any, error) {
	var q struct {
		Token string `json:"token"`
	}
	if err := r.read(&q); err != nil {
		return nil, err
	}
	if err := s.mayPay(r); err != nil {
		return nil, err
	}
	asked, _, there := s.api.Express(q.Token)
	if !there {
		return nil, errExpress
	}
	return shownExpress{s.api.Directory().Account(asked.Account).Name, s.api.Directory().Ticker(asked.Asset), asked.Amount.String(), seconds(asked.Expires)}, nil
}

// mayPay refuses those who cannot pay anything: for a sub-account its master pays.
func (s *Server) mayPay(r *request) error {
	if err := s.admit(r); err != nil {
		return err
	}
	if s.account(r).IsSub() {
		return api.Refusal(schema.Refuse(schema.SubNotPermitted))
	}
	return nil
}

func (a *act) payExpress() (any, error) {
	var q struct {
		Token  string `json:"token"`
		Factor factor `json:"factor"`
		shownExpress
	}
	if err := a.read(&q); err != nil {
		return nil, err
	}
	if err := a.mayPay(a.request); err != nil {
		return nil, err
	}
	_, digest, there := a.api.Express(q.Token)
	partner, asset := a.api.AccountByName(q.Partner), a.api.Directory().Asset(q.Ticker)
	amount, err := fixed.Parse(q.Amount)
	if !there || partner == nil || asset == nil || err != nil || amount.IsZero() {
		return nil, errExpress
	}
	if err := a.proven(&q.Factor); err != nil {
		return nil, err
	}
	return done{}, a.submit(&schema.PayExpress{Account: a.session.Account, Digest: digest, Partner: partner.ID, Asset: asset.ID, Amount: amount})
}
