package operator

import (
	"net/http"
	"slices"
	"time"

	"bourse/internal/api"
	"bourse/internal/core"
	"bourse/internal/login"
	"bourse/internal/oauth"
	"bourse/internal/schema"
)

// partner is a client of OAuth as operators see it.
type partner struct {
	Client    string    `json:"client"`
	Title     string    `json:"title"`
	URIs      []string  `json:"uris"`
	Scopes    []string  `json:"scopes"`
	Addresses []string  `json:"addresses"`
	On        bool      `json:"on"`
	Created   time.Time `json:"created"`
}

// newPartner is a client with its secret, which is shown once: empty if there is no new one.
type newPartner struct {
	partner
	Secret string `json:"secret"`
}

// askedPartner is what is to be set. What is not named stays.
type askedPartner struct {
	Client    string   `json:"client"` // of a new one, without it it is made up
	Title     string   `json:"title"`
	URIs      []string `json:"uris"`
	Scopes    []string `json:"scopes"`
	Addresses []string `json:"addresses"`
	On        bool     `json:"on"`
	Rotate    bool     `json:"rotate"` // a new secret, of one that is there
}

func partnerOf(p *schema.Partner) partner {
	return partner{p.Client, p.Title, slices.Clone(p.URIs), slices.Clone(p.Scopes), slices.Clone(p.Addresses), p.On, moment(p.Created)}
}

func (s *Server) listPartners(c *call) (any, error) {
	limit, offset, err := c.page()
	if err != nil {
		return nil, err
	}
	list := []partner{}
	s.look(func(m core.View) {
		for _, p := range window(m.OAuth().Partners(), limit, offset) {
			list = append(list, partnerOf(p))
		}
	})
	return list, nil
}

// findPartner is a client by the id that it is known by.
func (s *Server) findPartner(id string) (found schema.Partner, err error) {
	s.look(func(m core.View) {
		for _, p := range m.OAuth().Partners() {
			if p.Client == id {
				found = *p
			}
		}
	})
	if found.ID == 0 {
		return found, missing("client of OAuth", id)
	}
	return found, nil
}

func (s *Server) makePartner(c *call) (any, error) {
	asked := askedPartner{On: true}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	if asked.Client == "" {
		asked.Client = login.Random()[:16]
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if _, err := s.findPartner(asked.Client); err == nil {
		return nil, &Error{Status: http.StatusConflict, Field: "client", Message: "there is such a client of OAuth already"}
	}
	asked.Rotate = true
	return s.setPartner(c, &asked, schema.Partner{Client: asked.Client})
}

func (s *Server) changePartner(c *call) (any, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	old, err := s.findPartner(c.PathValue("partner"))
	if err != nil {
		return nil, err
	}
	asked := askedPartner{old.Client, old.Title, slices.Clone(old.URIs), slices.Clone(old.Scopes), slices.Clone(old.Addresses), old.On, false}
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	if asked.Client != old.Client {
		return nil, &Error{Status: http.StatusUnprocessableEntity, Field: "client", Message: "the id of a client cannot be changed; make another client"}
	}
	return s.setPartner(c, &asked, old)
}

func (s *Server) setPartner(c *call, asked *askedPartner, next schema.Partner) (any, error) {
	for _, uri := range asked.URIs {
		if problem := oauth.CheckRedirect(uri, s.options.Sandbox); problem != "" {
			return nil, &Error{Status: http.StatusUnprocessableEntity, Field: "uris", Message: problem}
		}
	}
	next.Created = 0 // which the core knows
	next.Title, next.URIs, next.Scopes, next.Addresses, next.On = asked.Title, asked.URIs, asked.Scopes, asked.Addresses, asked.On
	made := newPartner{}
	if next.Secret = (schema.Digest{}); asked.Rotate {
		made.Secret = login.Random()
		next.Secret = login.Hash(made.Secret)
	}
	if _, err := s.do(c, &schema.SetPartner{Partner: next}); err != nil {
		return nil, err
	}
	now, err := s.findPartner(next.Client)
	made.partner = partnerOf(&now)
	return made, err
}

// grant is what an account gave a client, as operators see it.
type grant struct {
	Client  string     `json:"client"`
	Title   string     `json:"title"`
	Key     *string    `json:"key"` // the API key that was issued; null: none
	URLs    []string   `json:"urls"`
	Until   *time.Time `json:"until"` // when its tokens end, unless they are refreshed before; null: it has none
	Created time.Time  `json:"created"`
}

func (s *Server) grantsOf(a schema.AccountID) []grant {
	list := []grant{}
	s.look(func(m core.View) {
		for _, one := range api.AccessesOf(m, a, m.Time()) {
			shown := grant{one.Partner.Client, one.Partner.Title, nil, slices.Clone(one.URLs()), momentOrNull(one.Until), moment(one.Created)}
			if one.Key != nil {
				external := one.Key.External
				shown.Key = &external
			}
			list = append(list, shown)
		}
	})
	return list
}

func (s *Server) listGrants(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	return s.grantsOf(a.ID), nil
}

// revokeGrant ends all that an account gave a client.
func (s *Server) revokeGrant(c *call) (any, error) {
	a, err := s.customer(c)
	if err != nil {
		return nil, err
	}
	p, err := s.findPartner(c.PathValue("partner"))
	if err != nil {
		return nil, err
	}
	if _, err := s.do(c, &schema.RevokePartner{Account: a.ID, Partner: p.ID, Whole: true}); err != nil {
		return nil, err
	}
	return s.grantsOf(a.ID), nil
}
