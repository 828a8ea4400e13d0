package main

import (
	"crypto/sha512"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// asOperator sends a request with the token of a data directory.
func asOperator(t *testing.T, data, method, url, body string) (status int, answer string) {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(data, "operators", "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, method, url, body, map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(token))})
}

// nonces are those of asClient.
var nonces atomic.Int64

// asClient sends a signed request of an account of the venue in examples.
func asClient(t *testing.T, address, name, path string) (status int, answer string) {
	t.Helper()
	body := fmt.Sprintf(`{"request":%q,"nonce":%d}`, path, nonces.Add(1))
	return ask(t, "POST", address+path, body, map[string]string{
		"X-TXC-APIKEY": name + "-key", "X-TXC-PAYLOAD": based(body), "X-TXC-SIGNATURE": hexed(mac(sha512.New, name+"-secret", based(body))),
	})
}

func ask(t *testing.T, method, url, body string, headers map[string]string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
