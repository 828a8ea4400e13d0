package ws

import "bourse/internal/api"

// The schemas of results and pushes, in the types of api: they stand beside the code that writes, and
// the tests hold every frame that they see to its schema.
type (
	shape    = api.Shape
	property = api.Member
)

// The schemas that all others are made of.
var (
	decimal = &shape{Kind: api.DecimalShape, Name: "Decimal", Text: "An exact decimal number as a string, without trailing zeros."}
	instant = &shape{Kind: api.MomentShape, Name: "Moment", Text: "Unix time in seconds, with microseconds as six decimals."}
	seconds = &shape{Kind: api.WholeShape, Name: "Seconds", Text: "Unix time in whole seconds."}
	whole   = &shape{Kind: api.WholeShape}
	yesOrNo = &shape{Kind: api.FlagShape}
	justYes = &shape{Kind: api.TrueShape}
	justNo  = &shape{Kind: api.FalseShape}
	anyText = &shape{Kind: api.TextShape}
)

// successShape is the result of what has no other.
var successShape = record("Success", "The request was done.", always("status", word("success"), "Always success."))

func word(words ...string) *shape { return &shape{Kind: api.WordShape, Words: words} }

func listOf(s *shape) *shape { return &shape{Kind: api.ListShape, Of: s} }

func mapOf(s *shape) *shape { return &shape{Kind: api.MapShape, Of: s} }

func tupleOf(parts ...*shape) *shape { return &shape{Kind: api.TupleShape, Parts: parts} }

func oneOf(shapes ...*shape) *shape { return &shape{Kind: api.OneOfShape, Parts: shapes} }

func record(name, text string, members ...property) *shape {
	return &shape{Kind: api.RecordShape, Name: name, Text: text, Members: members}
}

// called is a schema with a text of its own.
func called(text string, s *shape) *shape {
	named := *s
	named.Name, named.Text = "", text
	return &named
}

// named is a schema that several places share under a name.
func named(name, text string, s *shape) *shape {
	shared := *s
	shared.Name, shared.Text = name, text
	return &shared
}

// always is a member that every object of its schema has.
func always(name string, s *shape, text string) property {
	return property{Name: name, Shape: s, Text: text}
}

// sometimes is a member that is left out where it has no meaning.
func sometimes(name string, s *shape, text string) property {
	return property{Name: name, Shape: s, Text: text, Optional: true}
}

// pageOf is a page of records, with what stands before them.
func pageOf(name, text string, of *shape, more ...property) *shape {
	members := append([]property{
		always("limit", whole, "Maximum number of records, as requested."),
		always("offset", whole, "Number of newest records that were skipped, as requested."),
	}, more...)
	return record(name, text, append(members, always("records", listOf(of), "The records, newest first."))...)
}
