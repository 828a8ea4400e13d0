package sub

import (
	"bourse/internal/api"
	"bourse/internal/kyc"
	"bourse/internal/schema"
)

// link is where the person who uses a sub-account is verified.
type link struct{ url string }

var linkEncoder = api.Encode("KycUrl", "A link to the verification.",
	api.StringField("url", "Address of the page.", func(l *link) string { return l.url }),
	api.IntegerField("expiresIn", "Seconds until the link ends.", func(*link) int64 { return int64(kyc.Life / schema.Second) }))

// cannot answers for a sub-account that cannot be verified, in the words that the core would refuse it with.
func cannot(r schema.Reason) *api.Error {
	return &api.Error{Status: 400, Code: 400, Message: schema.Refuse(r).Text()}
}

var (
	errNotYours    = api.NewError(400, 0, api.ValidationFailed, "id", "validation.exists")
	errUnconfirmed = cannot(schema.SubNotConfirmed)
	errShared      = cannot(schema.SubSharesKYC)
	errInactive    = cannot(schema.SubInactive)
)

var aboutKYC = &api.About{
	Summary: "Get a link to the verification of a sub-account",
	Text: "The person who uses the sub-account is verified on the page behind the link, which needs no sign-in: hand it to nobody else. " +
		"For active sub-accounts that do not share the verification of the main account. Requires a feature that the exchange enables for the account.",
	Parameters: idParameter,
	Response:   linkEncoder.Schema(),
	Faults:     []*api.Error{errNotYours, errUnconfirmed, errShared, errInactive},
}

func kycLink(c *api.Call, q *byID) (api.Answer, error) {
	sub, err := find(c.API, c.Account, q.id)
	switch {
	case err != nil:
		return nil, errNotYours
	case sub.Status == schema.SubPending:
		return nil, errUnconfirmed
	case sub.ShareKYC:
		return nil, errShared
	case sub.Blocked || sub.Status != schema.SubActive:
		return nil, errInactive
	}
	return linkEncoder.Answer(&link{c.API.PublicURL() + kyc.Link(c.API.Key(), sub.ID, c.API.Now()+kyc.Life)}), nil
}
