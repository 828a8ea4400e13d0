package evm

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"bourse/internal/schema"
)

// TestTracesAreNotWaitedForWithoutEnd: a node that makes no end of them has none of the block, and one who gives up hears so.
func TestTracesAreNotWaitedForWithoutEnd(t *testing.T) {
	ended := make(chan struct{})
	node := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-ended:
		}
	}))
	defer node.Close()
	defer close(ended)
	c, err := Dial(node.URL, schema.Chain{Name: "ETH", Driver: schema.EVMNode, Family: schema.EVM, Net: schema.Regtest, Number: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := &block{Transactions: []transaction{{}}}
	c.node.patience = time.Millisecond
	if found, err := c.traces(t.Context(), b, 7); found != nil || err != nil {
		t.Errorf("%v %v", found, err)
	}
	c.node.patience = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if found, err := c.traces(ctx, b, 7); found != nil || err == nil {
		t.Errorf("%v %v", found, err)
	}
}
