package port

import (
	"fmt"
	"net"
	"testing"
)

func TestFree(t *testing.T) {
	seen := map[int]bool{}
	for range 100 {
		p, err := Free()
		if err != nil {
			t.Fatal(err)
		}
		if p < first || p > last || seen[p] {
			t.Fatalf("port %d is out of %d to %d or was given before", p, first, last)
		}
		seen[p] = true
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
}
