package api

// ResponseSchema is what an answer, or a part of one, looks like. Most objects have theirs from the Encoder
// that writes them; others stand beside the code that writes, and the tests hold every answer that they see to
// its schema: what is not described may not be sent.
type ResponseSchema struct {
	Type        ResponseType
	Name        string // of schemas that are used in several places, or worth one
	Description string
	Nullable    bool              // it may be null instead
	Enum        []string          // all that a string may be
	Properties  []Property        // of an object, in the order in which they are written
	Parts       []*ResponseSchema // of a tuple, in their order; or the schemas of which it has one
	Of          *ResponseSchema   // the elements of an array, the values of a map, the members of an object that are not listed
}

// ResponseType is the type of a part of an answer.
type ResponseType uint8

const (
	DecimalType ResponseType = iota + 1 // an exact number as a string
	IntegerType
	TimestampType // seconds with six decimals
	RatioType     // a number from 0 to 1, with at most four decimals
	BooleanType
	TrueType // true and nothing else
	FalseType
	StringType
	EnumType // one of some strings
	NullType
	ObjectType // with the properties that are listed, and no others unless Of says what they are
	MapType    // an object with any names
	ArrayType
	TupleType // an array of so many elements, each with its own schema
	OneOfType
)

// Property of an object.
type Property struct {
	Name        string
	Schema      *ResponseSchema
	Description string
	Optional    bool
}

// The schemas that all others are made of.
var (
	Decimal   = &ResponseSchema{Type: DecimalType, Name: "Decimal", Description: "An exact decimal number as a string, without trailing zeros."}
	Timestamp = &ResponseSchema{Type: TimestampType, Name: "Moment", Description: "Unix time in seconds, with microseconds as six decimals."}
	Seconds   = &ResponseSchema{Type: IntegerType, Name: "Seconds", Description: "Unix time in whole seconds."}
	Ratio     = &ResponseSchema{Type: RatioType}
	Integer   = &ResponseSchema{Type: IntegerType}
	Boolean   = &ResponseSchema{Type: BooleanType}
	True      = &ResponseSchema{Type: TrueType}
	False     = &ResponseSchema{Type: FalseType}
	String    = &ResponseSchema{Type: StringType}
	Null      = &ResponseSchema{Type: NullType}
	Done      = &ResponseSchema{Type: TupleType, Name: "Done", Description: "An empty array: the request succeeded."}
)

// Enum is one of some strings.
func Enum(words ...string) *ResponseSchema { return &ResponseSchema{Type: EnumType, Enum: words} }

// ArrayOf is an array of any length.
func ArrayOf(s *ResponseSchema) *ResponseSchema { return &ResponseSchema{Type: ArrayType, Of: s} }

// MapOf is an object with any names, whose values have one schema.
func MapOf(s *ResponseSchema) *ResponseSchema { return &ResponseSchema{Type: MapType, Of: s} }

// TupleOf is an array of so many elements.
func TupleOf(parts ...*ResponseSchema) *ResponseSchema {
	return &ResponseSchema{Type: TupleType, Parts: parts}
}

// OneOf is what has one of some schemas.
func OneOf(schemas ...*ResponseSchema) *ResponseSchema {
	return &ResponseSchema{Type: OneOfType, Parts: schemas}
}

// Object is an object with the properties that are listed and no others.
func Object(name, description string, properties ...Property) *ResponseSchema {
	return &ResponseSchema{Type: ObjectType, Name: name, Description: description, Properties: properties}
}

// Nullable is a schema whose value may be null.
func Nullable(s *ResponseSchema) *ResponseSchema {
	nullable := *s
	nullable.Nullable = true
	return &nullable
}

// Described is a schema with a description of its own.
func Described(description string, s *ResponseSchema) *ResponseSchema {
	named := *s
	named.Name, named.Description = "", description
	return &named
}

// Extensible is an object that may have more properties, of one schema.
func Extensible(of, s *ResponseSchema) *ResponseSchema {
	open := *s
	open.Of = of
	return &open
}

// Required is a property that every object of its schema has.
func Required(name string, s *ResponseSchema, description string) Property {
	return Property{name, s, description, false}
}

// Optional is a property that is left out where it has no meaning.
func Optional(name string, s *ResponseSchema, description string) Property {
	return Property{name, s, description, true}
}
