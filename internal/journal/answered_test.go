package journal

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// TestClusterIsAskedUntilItAnswers: silence and "not available" are an election; another refusal is an answer.
func TestClusterIsAskedUntilItAnswers(t *testing.T) {
	silence := func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a question without a bound")
		}
		return context.DeadlineExceeded
	}
	refusal := func(code int) func(context.Context) error {
		return func(context.Context) error { return &jetstream.APIError{Code: code} }
	}
	fine := func(context.Context) error { return nil }
	var refused *jetstream.APIError
	for name, c := range map[string]struct {
		answers []func(context.Context) error
		asked   int
		refused int
	}{
		"at once":           {[]func(context.Context) error{fine}, 1, 0},
		"after an election": {[]func(context.Context) error{silence, refusal(503), refusal(503), fine}, 4, 0},
		"another refusal":   {[]func(context.Context) error{silence, refusal(400), fine}, 2, 400},
	} {
		asked := 0
		got, err := answered(t.Context(), func(ctx context.Context) (int, error) {
			asked++
			return asked, c.answers[asked-1](ctx)
		})
		if asked != c.asked || got != asked || (c.refused == 0) != (err == nil) || errors.As(err, &refused) && refused.Code != c.refused {
			t.Errorf("%s: asked %d times, %d, %v", name, asked, got, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := answered(gone, func(context.Context) (int, error) { return 0, context.Canceled }); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
}
