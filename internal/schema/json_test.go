package schema

import (
	"reflect"
	"testing"

	"bourse/internal/wire"
)

func TestCommandsComeBackFromJSON(t *testing.T) {
	for _, c := range Commands() {
		for _, command := range []Command{reflect.New(typeOf(c)).Interface().(Command), filled(c)} {
			sent := Envelope{Time: 5, Command: command}
			data := wire.AppendJSON(nil, &sent)
			var got Envelope
			if err := wire.DecodeJSON(data, &got); err != nil {
				t.Errorf("%s: %v", data, err)
			} else if !reflect.DeepEqual(got, sent) {
				t.Errorf("%s: got %+v, want %+v", data, got, sent)
			}
		}
	}
}

func TestEventsComeBackFromJSON(t *testing.T) {
	for _, make := range events {
		e := make()
		sent := filled(e)
		data := wire.AppendJSON(nil, sent)
		got := reflect.New(typeOf(e)).Interface().(Event)
		if err := wire.DecodeJSON(data, got); err != nil || !reflect.DeepEqual(got, sent) {
			t.Errorf("%s: got %+v %v, want %+v", data, got, err, sent)
		}
	}
}
