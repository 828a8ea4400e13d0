package ws

import "bourse/internal/api"

// shape is the schema of a result or a push, in the types of api. Schemas stand beside the code that
// writes, and the tests hold every frame that they see to its schema.
type shape = api.ResponseSchema

// successShape is the result of what has no other.
var successShape = api.Object("Success", "The request was done.", api.Required("status", api.Enum("success"), "Always success."))

// named is a schema that several places share under a name.
func named(name, text string, s *shape) *shape {
	shared := *s
	shared.Name, shared.Description = name, text
	return &shared
}

// pageOf is a page of records, with what stands before them.
func pageOf(name, text string, of *shape, more ...api.Property) *shape {
	properties := append([]api.Property{
		api.Required("limit", api.Integer, "Maximum number of records, as requested."),
		api.Required("offset", api.Integer, "Number of newest records that were skipped, as requested."),
	}, more...)
	return api.Object(name, text, append(properties, api.Required("records", api.ArrayOf(of), "The records, newest first."))...)
}
