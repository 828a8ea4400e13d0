package ws

import "bourse/internal/api"

// shape is the schema of a result or a push, in the types of api. Most objects have theirs from the api.Encoder
// that writes them; others stand beside the code that writes, and the tests hold every frame that they see to its
// schema.
type shape = api.ResponseSchema

// successEncoder writes the result of what has no other.
var successEncoder = api.Encode("Success", "The request was done.",
	api.ConstantField[struct{}]("status", api.Enum("success"), "Always success.", `"success"`))

var successShape, success = successEncoder.Schema(), successEncoder.Append(nil, &struct{}{})

// named is a schema that several places share under a name.
func named(name, text string, s *shape) *shape {
	shared := *s
	shared.Name, shared.Description = name, text
	return &shared
}

// records are what stands on a page.
type records struct {
	page
	total int // on all pages, where that is shown
	n     int
	one   func(dst []byte, i int) []byte
}

// pageOf writes a page of records, with what stands before them.
func pageOf(name, text string, of *shape, more ...api.Field[records]) *api.Encoder[records] {
	fields := append([]api.Field[records]{
		api.IntegerField("limit", "Maximum number of records, as requested.", func(r *records) int64 { return int64(r.limit) }),
		api.IntegerField("offset", "Number of newest records that were skipped, as requested.", func(r *records) int64 { return int64(r.offset) }),
	}, more...)
	return api.Encode(name, text, append(fields, api.NewField("records", api.ArrayOf(of), "The records, newest first.", appendRecords))...)
}

func appendRecords(dst []byte, r *records) []byte {
	dst = append(dst, '[')
	for i := range r.n {
		dst = r.one(api.AppendComma(dst, i), i)
	}
	return append(dst, ']')
}
