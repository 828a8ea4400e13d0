package wire_test

import (
	"testing"

	"bourse/internal/wire"
)

func TestProtoDescribesEveryKindOfField(t *testing.T) {
	const want = `syntax = "proto3";

message sample {
  uint64 small = 1;
  uint64 number = 2;
  sint64 signed = 3;
  sint64 narrow = 4;
  bool flag = 5;
  string name = 6;
  repeated string names = 7;
  bytes raw = 8;
  string code = 9;
  bytes amount = 10;  // decimal
  optional bytes limit = 11;  // decimal; absent is not zero
  inner inner = 12;
  repeated inner list = 13;
  bytes key = 14;
  repeated uint64 numbers = 15 [packed = false];
  oneof choice {
    left left = 16;
    right right = 18;
  }
}

message inner {
  uint64 number = 1;
  string text = 2;
}

message left {
  uint64 a = 1;
}

message right {
  string b = 1;
}
`
	if got := wire.Proto("syntax = \"proto3\";\n", new(sample)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
