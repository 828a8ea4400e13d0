package ws

import "bourse/internal/api"

// The schemas of results and pushes, in the types of api: they stand beside the code that writes, and
// the tests hold every frame that they see to its schema.
var (
	decimal = &api.Shape{Kind: api.DecimalShape, Name: "Decimal", Text: "An exact decimal number as a string, without trailing zeros."}
	instant = &api.Shape{Kind: api.MomentShape, Name: "Moment", Text: "Unix time in seconds, with microseconds as six decimals."}
	seconds = &api.Shape{Kind: api.WholeShape, Name: "Seconds", Text: "Unix time in whole seconds."}
	whole   = &api.Shape{Kind: api.WholeShape}
	yesOrNo = &api.Shape{Kind: api.FlagShape}
	justYes = &api.Shape{Kind: api.TrueShape}
	anyText = &api.Shape{Kind: api.TextShape}
)

// successShape is the result of what has no other.
var successShape = record("Success", "The request was done.", always("status", word("success"), "Always success."))

func word(words ...string) *api.Shape { return &api.Shape{Kind: api.WordShape, Words: words} }

func listOf(s *api.Shape) *api.Shape { return &api.Shape{Kind: api.ListShape, Of: s} }

func mapOf(s *api.Shape) *api.Shape { return &api.Shape{Kind: api.MapShape, Of: s} }

func tupleOf(parts ...*api.Shape) *api.Shape { return &api.Shape{Kind: api.TupleShape, Parts: parts} }

func oneOf(shapes ...*api.Shape) *api.Shape { return &api.Shape{Kind: api.OneOfShape, Parts: shapes} }

func record(name, text string, members ...api.Member) *api.Shape {
	return &api.Shape{Kind: api.RecordShape, Name: name, Text: text, Members: members}
}

// called is a schema with a text of its own.
func called(text string, s *api.Shape) *api.Shape {
	named := *s
	named.Name, named.Text = "", text
	return &named
}

// named is a schema that several places share under a name.
func named(name, text string, s *api.Shape) *api.Shape {
	shared := *s
	shared.Name, shared.Text = name, text
	return &shared
}

// always is a member that every object of its schema has.
func always(name string, s *api.Shape, text string) api.Member {
	return api.Member{Name: name, Shape: s, Text: text}
}

// sometimes is a member that is left out where it has no meaning.
func sometimes(name string, s *api.Shape, text string) api.Member {
	return api.Member{Name: name, Shape: s, Text: text, Optional: true}
}

// pageOf is a page of records, with what stands before them.
func pageOf(name, text string, of *api.Shape, more ...api.Member) *api.Shape {
	members := append([]api.Member{
		always("limit", whole, "Maximum number of records, as requested."),
		always("offset", whole, "Number of newest records that were skipped, as requested."),
	}, more...)
	return record(name, text, append(members, always("records", listOf(of), "The records, newest first."))...)
}
