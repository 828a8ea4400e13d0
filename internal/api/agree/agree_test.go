package agree

import (
	"slices"
	"testing"

	"bourse/internal/api"
)

var thing = api.Object("", "",
	api.Required("id", api.Integer, "Id."),
	api.Optional("price", api.Decimal, "Price."),
	api.Required("side", api.Enum("buy", "sell"), "Side."),
	api.Required("at", api.Timestamp, "Time."),
	api.Required("levels", api.ArrayOf(api.TupleOf(api.Decimal, api.Boolean)), "Levels."),
	api.Required("by", api.Nullable(api.MapOf(api.String)), "By name."),
	api.Optional("more", api.OneOf(api.True, api.Null), "More."))

func TestAgreement(t *testing.T) {
	c := New(thing)
	for text, good := range map[string]bool{
		`{"id":1,"price":"2.5","side":"buy","at":1.000000,"levels":[["1",true]],"by":{"x":"y"},"more":true}`: true,
		`{"id":-1,"side":"sell","at":1.000000,"levels":[],"by":null,"more":null}`:                            true,
		`{"side":"buy","id":1,"at":1.000000,"levels":[],"by":null}`:                                          false, // another order
		`{"id":1,"side":"buy","price":"1","at":1.000000,"levels":[],"by":null}`:                              false,
		`{"id":1,"side":"buy","at":1.000000,"levels":[]}`:                                                    false, // one is missing
		`{"id":1,"side":"buy","at":1.000000,"levels":[],"by":null,"other":1}`:                                false, // one too many
		`{"id":"1","side":"buy","at":1.000000,"levels":[],"by":null}`:                                        false, // other types
		`{"id":1,"price":"1.0","side":"buy","at":1.000000,"levels":[],"by":null}`:                            false,
		`{"id":1,"side":"hold","at":1.000000,"levels":[],"by":null}`:                                         false,
		`{"id":1,"side":"buy","at":1.5,"levels":[],"by":null}`:                                               false,
		`{"id":1,"side":"buy","at":1.000000,"levels":[["1"]],"by":null}`:                                     false,
		`{"id":1,"side":"buy","at":1.000000,"levels":null,"by":null}`:                                        false,
		`{"id":1,"side":"buy","at":1.000000,"levels":[],"by":{"x":1}}`:                                       false,
		`{"id":1,"side":"buy","at":1.000000,"levels":[],"by":null,"more":false}`:                             false,
		`[]`: false, `{"id":1`: false,
	} {
		if err := Check(thing, []byte(text)); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
		if good {
			_ = c.Check([]byte(text))
		}
	}
	if unseen := c.Unseen(); !slices.Equal(unseen, []string{"$.more"}) {
		t.Errorf("never left out or never there: %v", unseen)
	}
}
