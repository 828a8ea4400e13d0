package wire

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// proto collects the .proto text of messages while their walks are being described.
type proto struct {
	lines   []string
	indent  string // of the next line within its message
	pending []Message
	names   map[string]bool
}

// Proto prints messages, and those inside them, as a .proto file that describes the bytes
// which Append writes. head stands at its top.
func Proto(head string, roots ...Message) string {
	p := &proto{names: map[string]bool{}}
	for _, m := range roots {
		p.add(m)
	}
	var text strings.Builder
	text.WriteString(head)
	for len(p.pending) > 0 {
		m := p.pending[0]
		p.pending = p.pending[1:]
		p.lines = nil
		m.Fields(&Coder{mode: describing, proto: p})
		fmt.Fprintf(&text, "\nmessage %s {\n", typeName(m))
		for _, line := range p.lines {
			fmt.Fprintf(&text, "  %s\n", line)
		}
		text.WriteString("}\n")
	}
	return text.String()
}

func typeName(m Message) string { return reflect.TypeOf(m).Elem().Name() }

func (p *proto) add(m Message) {
	if !p.names[typeName(m)] {
		p.names[typeName(m)] = true
		p.pending = append(p.pending, m)
	}
}

func (p *proto) line(format string, args ...any) {
	p.lines = append(p.lines, p.indent+fmt.Sprintf(format, args...))
}

func (p *proto) field(n int, name, kind string, repeated bool) {
	if repeated {
		kind = "repeated " + kind
	}
	p.line("%s %s = %d;", kind, name, n)
}

func (p *proto) decimal(n int, name string) { p.line("bytes %s = %d;  // decimal", name, n) }

func (p *proto) optionalDecimal(n int, name string) {
	p.line("optional bytes %s = %d;  // decimal; absent is not zero", name, n)
}

// open begins a choice of fields, of which a message has at most one.
func (p *proto) open(name string) {
	p.line("oneof %s {", name)
	p.indent = "  "
}

func (p *proto) close() {
	p.indent = ""
	p.line("}")
}

func (p *proto) message(n int, field string, m Message, repeated bool) {
	p.field(n, field, typeName(m), repeated)
	p.add(m)
}

// snake spells a Go name the way .proto files spell fields.
func snake(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
