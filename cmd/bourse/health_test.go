package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	clients, operators := serve(t, nil, "--data", data)
	if said := good(t, "", "health", "--url", operators); said != "well\n" {
		t.Errorf("%q", said)
	}
	awaitReady(t, operators)

	token, err := os.ReadFile(filepath.Join(data, "operators", "operator.token"))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest("PATCH", operators+"/v1/platform", strings.NewReader(`{"maintenance":true}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != 200 {
		t.Fatal(response, err)
	}
	response.Body.Close()
	if said := good(t, "", "health", "--url", operators); said != "well\n" {
		t.Errorf("an exchange in maintenance lives: %q", said)
	}

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := silent.Addr().String()
	defer silent.Close()
	for _, c := range []struct{ flags, says string }{
		{"--ready --url " + operators, `is not well: {"status":"maintenance"`},
		{"--url " + clients, "is not where operators of an exchange are served; it answers 404"},
		{"--timeout 10ms --url http://" + nobody, "did not answer within 10ms"},
		{"--url http://127.0.0.1:1", "is it running, with --operator 127.0.0.1:1?"},
		{"--url 127.0.0.1:8081", `--url is an address such as http://127.0.0.1:8081, not "127.0.0.1:8081"`},
	} {
		out, errs, code := run(t, "", append([]string{"health"}, strings.Fields(c.flags)...)...)
		if code != exitFailed || out != "" || !strings.HasPrefix(errs, "bourse: ") || !strings.Contains(errs, c.says) {
			t.Errorf("%s: %d %q %q, want %q", c.flags, code, out, errs, c.says)
		}
	}
}
