package schema

import (
	"fmt"
	"strings"

	"bourse/internal/wire"
)

// Proto is the text of bourse.proto: what the journal keeps and what events look like, for
// programs that are not ours.
func Proto() string {
	roots := []wire.Message{new(Envelope)}
	for _, make := range events {
		roots = append(roots, make())
	}
	return wire.Proto(protoHead(), roots...)
}

// protoHead explains what the types of Protocol Buffers cannot say.
func protoHead() string {
	var head strings.Builder
	head.WriteString(`// The bytes of Bourse: the commands that its journal keeps and the events that they cause.
// Written by the program (package schema); a test keeps this file true.
//
// The journal is a row of envelopes, each after its length as a varint. Fields stand in the
// order of their numbers; zero values are left out.
//
// A decimal is its value × 10^18 as the shortest little-endian two's complement: at most 16
// bytes, and none for zero. Times are microseconds since 1970, where 0 is never; timeout_us is
// a span of microseconds.
//
// Enumerations are sent by number:
//
`)
	for _, e := range []struct {
		name  string
		words []string
	}{
		{"side, taker_side", sideWords[:]},
		{"type of an order", typeWords[:]},
		{"stp", stpWords[:]},
		{"bbo", []string{BBONone: "none", BBOQueue: "the best price of the own side", BBOCounterparty: "the best price of the other side"}},
		{"status", statusWords[:]},
		{"wallet, from, to", walletWords[:]},
		{"region", regionWords[:]},
		{"type of a market", marketWords[:]},
		{"class", classWords[:]},
		{"feature", featureWords[:]},
		{"change", changeWords[:]},
		{"cause", causeWords[:]},
	} {
		head.WriteString(enumeration(e.name, e.words))
	}
	fmt.Fprintf(&head, `//
// products is a sum of %d (spot), %d (margin) and %d (futures); 0 means all. Accounts below %d
// are not customers: %d the world outside, %d the fees, %d the insurance fund, %d the house.
syntax = "proto3";

package bourse;
`, SpotOrders, MarginOrders, FuturesOrders, FirstCustomer, Outside, Fees, Insurance, House)
	return head.String()
}

// enumeration lists the words of an enumeration with their numbers in lines of a comment.
func enumeration(name string, words []string) string {
	const indent, width = "//   ", 96
	var out strings.Builder
	line := indent + name + ":"
	for n, word := range words {
		if word == "" {
			continue
		}
		item := fmt.Sprintf(" %d %s", n, word)
		if n < len(words)-1 {
			item += ","
		}
		if len(line)+len(item) > width {
			out.WriteString(line + "\n")
			line = indent + " "
		}
		line += item
	}
	return out.String() + line + "\n"
}
