package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"bourse/internal/webhook"
)

// send makes a request as the exchange does, with another secret or nonce if a test wants that.
func send(t *testing.T, at, key, secret, body string) (int, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	payload, signature := webhook.Sign(secret, []byte(body))
	q.Header.Set("X-TXC-APIKEY", key)
	q.Header.Set("X-TXC-PAYLOAD", payload)
	q.Header.Set("X-TXC-SIGNATURE", signature)
	q.Header.Set("X-Bourse-Event", "7")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Do(q)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	return r.StatusCode, nil
}

func TestWebhookListenJudgesWhatArrives(t *testing.T) {
	at, printed := listening(t, &webhookListen{Key: "key", Secret: "secret", Fail: 1})
	for _, c := range []struct {
		key, secret, body string
		status            int
		verdict           string
	}{
		{"key", "secret", `{"params":{"nonce":5}}`, 500, "good event 7, answered 500"},
		{"key", "secret", `{"params":{"nonce":6}}`, 200, "good event 7, answered 200"},
		{"key", "secret", `{"params":{"nonce":6}}`, 200, "WRONG NONCE event 7"},
		{"key", "other", `{"params":{"nonce":7}}`, 200, "WRONG SIGNATURE event 7"},
		{"other", "secret", `{"params":{"nonce":7}}`, 200, "WRONG KEY event 7"},
	} {
		status, err := send(t, at, c.key, c.secret, c.body)
		if err != nil || status != c.status || !strings.HasPrefix(printed.last(), c.verdict) {
			t.Errorf("%s: %d %v, and it printed %q", c.body, status, err, printed.last())
		}
	}
	for path, want := range map[string]string{"/service-verification.txt": "key\n", "/service-verification": "[\"key\"]\n"} {
		r, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if string(text) != want {
			t.Errorf("%s: %q", path, text)
		}
	}
	moved, _ := listening(t, &webhookListen{Key: "key", Secret: "secret", Redirect: "http://127.0.0.1:1/"})
	if status, err := send(t, moved, "key", "secret", `{"params":{"nonce":1}}`); err != nil || status != http.StatusFound {
		t.Errorf("a redirect is %d, %v", status, err)
	}
}
