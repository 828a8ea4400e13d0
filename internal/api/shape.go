package api

// Shape is what an answer, or a part of one, looks like. Answers are written by hand, member by
// member; shapes stand beside the code that writes, and the tests hold every answer that they see
// to its shape: what is not described may not be sent.
type Shape struct {
	Kind    ShapeKind
	Name    string   // of shapes that are used in several places, or worth one
	Text    string   // what it is, for those who read the document
	Null    bool     // it may be null instead
	Words   []string // all that a word may be
	Members []Member // of a record, in the order in which they are written
	Parts   []*Shape // of a tuple, in their order; or the shapes of which it has one
	Of      *Shape   // the elements of a list, the values of a map, the members of a record that are not listed
}

// ShapeKind is the kind of a shape.
type ShapeKind uint8

const (
	DecimalShape ShapeKind = iota + 1 // an exact number as a text
	WholeShape
	MomentShape // seconds with six decimals
	FlagShape
	TrueShape // true and nothing else
	FalseShape
	TextShape
	WordShape // one of some texts
	NullShape
	RecordShape // an object with the members that are listed, and no others unless Of says what they are
	MapShape    // an object with any names
	ListShape
	TupleShape // an array of so many elements, each with its own shape
	OneOfShape
)

// Member of a record.
type Member struct {
	Name     string
	Shape    *Shape
	Text     string
	Optional bool
}

// The shapes that all others are made of.
var (
	decimal   = &Shape{Kind: DecimalShape, Name: "Decimal", Text: "An exact decimal number as a string, without trailing zeros."}
	moment    = &Shape{Kind: MomentShape, Name: "Moment", Text: "Unix time in seconds, with microseconds as six decimals."}
	seconds   = &Shape{Kind: WholeShape, Name: "Seconds", Text: "Unix time in whole seconds."}
	whole     = &Shape{Kind: WholeShape}
	yesOrNo   = &Shape{Kind: FlagShape}
	justYes   = &Shape{Kind: TrueShape}
	justNo    = &Shape{Kind: FalseShape}
	anyText   = &Shape{Kind: TextShape}
	justNil   = &Shape{Kind: NullShape}
	doneShape = &Shape{Kind: TupleShape, Name: "Done", Text: "An empty array: the request succeeded."}
)

func oneWord(words ...string) *Shape { return &Shape{Kind: WordShape, Words: words} }

func listOf(s *Shape) *Shape { return &Shape{Kind: ListShape, Of: s} }

func mapOf(s *Shape) *Shape { return &Shape{Kind: MapShape, Of: s} }

func tupleOf(parts ...*Shape) *Shape { return &Shape{Kind: TupleShape, Parts: parts} }

func oneOf(shapes ...*Shape) *Shape { return &Shape{Kind: OneOfShape, Parts: shapes} }

func record(name, text string, members ...Member) *Shape {
	return &Shape{Kind: RecordShape, Name: name, Text: text, Members: members}
}

// orNull is a shape that may be null.
func orNull(s *Shape) *Shape {
	nullable := *s
	nullable.Null = true
	return &nullable
}

// called is a shape with a text of its own.
func called(text string, s *Shape) *Shape {
	named := *s
	named.Name, named.Text = "", text
	return &named
}

// beside is a record that may have more members, of one shape.
func beside(of, s *Shape) *Shape {
	open := *s
	open.Of = of
	return &open
}

// always is a member that every record of its shape has.
func always(name string, s *Shape, text string) Member { return Member{name, s, text, false} }

// sometimes is a member that is left out where it has no meaning.
func sometimes(name string, s *Shape, text string) Member { return Member{name, s, text, true} }
