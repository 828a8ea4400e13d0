package schema

import (
	"context"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// These tests read our bytes with an implementation of Protocol Buffers that is not ours, by
// nothing but bourse.proto, and the other way round.

func compiled(t *testing.T) protoreflect.MessageDescriptors {
	t.Helper()
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{}}
	files, err := compiler.Compile(context.Background(), "bourse.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Messages()
}

func TestEnvelopesAreReadByAForeignImplementation(t *testing.T) {
	messages := compiled(t)
	for _, command := range Commands() {
		name := typeOf(command).Name()
		t.Run(name, func(t *testing.T) {
			for _, full := range []bool{true, false} {
				e := &Envelope{Time: -5, Command: reflect.New(typeOf(command)).Interface().(Command)}
				if full {
					filled(e.Command)
				}
				read := exchange(t, messages.ByName("Envelope"), e, new(Envelope))
				chosen := read.WhichOneof(read.Descriptor().Oneofs().ByName("command"))
				if chosen == nil || int(chosen.Number()) != int(command.Kind()) {
					t.Fatalf("the command stands in field %v instead of %d", chosen, command.Kind())
				}
				if us := read.Get(read.Descriptor().Fields().ByName("time_us")).Int(); us != -5 {
					t.Errorf("the time is %d", us)
				}
				if err := equal(reflect.ValueOf(e.Command).Elem(), read.Get(chosen).Message()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestEventsAreReadByAForeignImplementation(t *testing.T) {
	messages := compiled(t)
	for _, make := range events {
		event := make()
		name := typeOf(event).Name()
		t.Run(name, func(t *testing.T) {
			filled(event)
			read := exchange(t, messages.ByName(protoreflect.Name(name)), event, reflect.New(typeOf(event)).Interface().(Event))
			if err := equal(reflect.ValueOf(event).Elem(), read); err != nil {
				t.Error(err)
			}
		})
	}
}

// exchange gives the bytes of m to the foreign implementation, has it write them again, and
// reads those into back, which must then equal m. It returns what the other side read.
func exchange(t *testing.T, d protoreflect.MessageDescriptor, m, back wire.Message) protoreflect.Message {
	t.Helper()
	data := wire.Append(nil, m)
	theirs := dynamicpb.NewMessage(d)
	if err := proto.Unmarshal(data, theirs); err != nil {
		t.Fatalf("% x is not protobuf: %v", data, err)
	}
	if unknown := unknownFields(theirs); unknown > 0 {
		t.Fatalf("%d bytes of fields are not in bourse.proto", unknown)
	}
	written, err := proto.MarshalOptions{Deterministic: true}.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.Decode(written, back); err != nil {
		t.Fatalf("what they wrote cannot be read: %v", err)
	}
	if !reflect.DeepEqual(back, m) {
		t.Fatalf("after their writing got %+v, want %+v", back, m)
	}
	return theirs
}

func unknownFields(m protoreflect.Message) int {
	n := len(m.GetUnknown())
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				n += unknownFields(v.List().Get(i).Message())
			}
		default:
			n += unknownFields(v.Message())
		}
		return true
	})
	return n
}

// equal holds a struct of ours against a message of theirs, field by field. Fields are matched
// by name, not by number: numbers were what wrote them.
func equal(ours reflect.Value, theirs protoreflect.Message) error {
	fields := theirs.Descriptor().Fields()
	count := fields.Len()
	for i := range theirs.Descriptor().Oneofs().Len() { // of ours it is one field
		count -= theirs.Descriptor().Oneofs().Get(i).Fields().Len() - 1
	}
	names, values := flat(ours)
	if count != len(values) {
		return fmt.Errorf("%s has %d fields and %s %d", ours.Type(), len(values), theirs.Descriptor().Name(), count)
	}
	for i, name := range names {
		if command, is := values[i].Interface().(Command); is {
			chosen := theirs.WhichOneof(theirs.Descriptor().Oneofs().ByName("command"))
			if chosen == nil || int(chosen.Number()) != int(command.Kind()) {
				return fmt.Errorf("the command stands in field %v instead of %d", chosen, command.Kind())
			}
			if err := equal(reflect.ValueOf(command).Elem(), theirs.Get(chosen).Message()); err != nil {
				return err
			}
			continue
		}
		var field protoreflect.FieldDescriptor
		for j := range fields.Len() {
			if strings.EqualFold(name, plainName(fields.Get(j))) {
				field = fields.Get(j)
			}
		}
		if field == nil {
			return fmt.Errorf("%s.%s has no field in bourse.proto", ours.Type(), name)
		}
		if err := equalField(values[i], theirs.Has(field), theirs.Get(field)); err != nil {
			return fmt.Errorf("%s.%s: %w", ours.Type(), name, err)
		}
	}
	return nil
}

// flat are the fields of a struct, with those of a struct that it embeds: on the wire they stand side by side.
func flat(v reflect.Value) (names []string, values []reflect.Value) {
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			inner, of := flat(v.Field(i))
			names, values = append(names, inner...), append(values, of...)
			continue
		}
		names, values = append(names, v.Type().Field(i).Name), append(values, v.Field(i))
	}
	return names, values
}

func plainName(f protoreflect.FieldDescriptor) string {
	return strings.ReplaceAll(strings.TrimSuffix(string(f.Name()), "_us"), "_", "")
}

func equalField(ours reflect.Value, there bool, theirs protoreflect.Value) error {
	var got, want any
	switch v := ours.Interface().(type) {
	case fixed.Decimal:
		got, want = decimalOf(theirs.Bytes()), v.String()
	case Optional:
		got, want = fmt.Sprint(there, decimalOf(theirs.Bytes())), fmt.Sprint(v.Set(), v.Value().String())
	case ClientID:
		got, want = theirs.String(), v.String()
	case []byte:
		got, want = string(theirs.Bytes()), string(v)
	case Digest:
		got, want = string(theirs.Bytes()), ""
		if !v.IsZero() {
			want = string(v[:])
		}
	default:
		switch ours.Kind() {
		case reflect.Struct:
			return equal(ours, theirs.Message())
		case reflect.Slice:
			return equalList(ours, theirs.List())
		case reflect.Bool:
			got, want = theirs.Bool(), ours.Bool()
		case reflect.String:
			got, want = theirs.String(), ours.String()
		case reflect.Int64:
			got, want = theirs.Int(), ours.Int()
		default:
			got, want = theirs.Uint(), ours.Uint()
		}
	}
	if got != want {
		return fmt.Errorf("they read %v, we wrote %v", got, want)
	}
	return nil
}

func equalList(ours reflect.Value, theirs protoreflect.List) error {
	if theirs.Len() != ours.Len() {
		return fmt.Errorf("they read %d items, we wrote %d", theirs.Len(), ours.Len())
	}
	for i := range ours.Len() {
		if err := equalField(ours.Index(i), true, theirs.Get(i)); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

// decimalOf reads a decimal the way the head of bourse.proto explains it.
func decimalOf(b []byte) string {
	bigEndian := slices.Clone(b)
	slices.Reverse(bigEndian)
	n := new(big.Int).SetBytes(bigEndian)
	if len(b) > 0 && b[len(b)-1] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	value := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
	text := value.FloatString(18)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
