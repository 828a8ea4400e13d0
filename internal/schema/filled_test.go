package schema

import (
	"fmt"
	"reflect"

	"bourse/internal/fixed"
	"bourse/internal/wire"
)

// filler sets every field of a message, each to a value that no other field has, so that two
// fields which change places are noticed.
type filler struct{ n int }

func typeOf(m any) reflect.Type { return reflect.TypeOf(m).Elem() }

// filled sets every field of m and returns it.
func filled[M wire.Message](m M) M {
	f := &filler{}
	f.fill(reflect.ValueOf(m).Elem())
	return m
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch p := v.Addr().Interface().(type) {
	case *fixed.Decimal:
		*p = fixed.FromUnits(int64(f.n)*1_000_003, 7)
		if f.n%2 == 1 {
			*p = p.Neg()
		}
		return
	case *Optional:
		*p = Some(fixed.FromUnits(int64(f.n), f.n%19))
		return
	case *ClientID:
		id, err := ParseClientID(fmt.Sprintf("client-%d", f.n))
		if err != nil {
			panic(err)
		}
		*p = id
		return
	case *Command:
		set := &SetTier{}
		f.fill(reflect.ValueOf(set).Elem())
		*p = set
		return
	case *[]byte:
		*p = fmt.Appendf(nil, "sealed %d\x00\xff", f.n)
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.n))
	case reflect.Int64:
		v.SetInt(-int64(f.n))
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d é", f.n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		panic(fmt.Sprintf("a field of kind %s", v.Kind()))
	}
}
