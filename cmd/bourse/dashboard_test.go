package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDashboardShowsWhatThereIs: every figure and every label that the dashboard asks for is one that a
// running exchange has.
func TestDashboardShowsWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../../deploy/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	type target struct{ Expr, LegendFormat string }
	var dashboard struct {
		Title  string
		Panels []struct {
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
			Targets                  []target
		}
		Templating struct {
			List []struct {
				Name  string
				Query any
			}
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	known := figures(t)
	var shown []string
	for i, p := range dashboard.Panels {
		for _, q := range dashboard.Panels[:i] {
			a, b := p.GridPos, q.GridPos
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%q lies on %q", p.Title, q.Title)
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("%+v shows nothing or does not say what", p)
		}
		for _, g := range p.Targets {
			names := checkExpression(t, known, g.Expr, regexp.MustCompile(`{{(\w+)}}`).FindAllStringSubmatch(g.LegendFormat, -1))
			if len(names) == 0 {
				t.Errorf("%q asks for nothing: %s", p.Title, g.Expr)
			}
			shown = append(shown, names...)
		}
	}
	for _, v := range dashboard.Templating.List {
		if query, is := v.Query.(map[string]any); is {
			checkExpression(t, known, query["query"].(string), nil)
		}
	}
	for name := range known {
		family := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_sum"), "_count"), "_bucket")
		if strings.HasPrefix(name, "bourse_") && !slices.ContainsFunc(shown, func(s string) bool { return strings.HasPrefix(s, family) }) {
			t.Errorf("nobody sees %s", name)
		}
	}
}

// checkExpression checks the figures and labels of an expression, and of its legend, and returns the names
// of the figures.
func checkExpression(t *testing.T, known map[string]string, expression string, legend [][]string) (names []string) {
	t.Helper()
	names = regexp.MustCompile(`\b(?:bourse|go|process)_\w+`).FindAllString(expression, -1)
	labels := slices.Clone(legend)
	labels = append(labels, regexp.MustCompile(`[{,](\w+)=`).FindAllStringSubmatch(expression, -1)...)
	for _, by := range regexp.MustCompile(`by \(([^)]*)\)`).FindAllStringSubmatch(expression, -1) {
		for label := range strings.SplitSeq(by[1], ", ") {
			labels = append(labels, []string{"", label})
		}
	}
	for _, name := range names {
		sample, there := known[name]
		if !there {
			t.Errorf("%s asks for %s, which there is not", expression, name)
		}
		for _, label := range labels {
			// Prometheus adds the instance.
			if label[1] != "instance" && !strings.Contains(sample, label[1]+`="`) {
				t.Errorf("%s: %s has no label %s", expression, name, label[1])
			}
		}
	}
	if strings.Count(expression, "(") != strings.Count(expression, ")") || strings.Count(expression, "{") != strings.Count(expression, "}") {
		t.Errorf("%s is not closed", expression)
	}
	return names
}

// withPool is a set-up file of the example venue with a mining pool.
func withPool(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/venue.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "venue.json")
	if err := os.WriteFile(path, bytes.Replace(text, []byte("{"), []byte(`{"pool": {"open": true, "unit": 32, "rate": "3.125"},`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// figures are samples of a running exchange by the names of the figures. A request was refused there, so
// that there is a sample of this too.
func figures(t *testing.T) map[string]string {
	t.Helper()
	clients, operators := serve(t, nil, "--setup", withPool(t), "--data", filepath.Join(t.TempDir(), "data"))
	refused := []string{"BOURSE_URL=" + clients, "BOURSE_API_KEY=alice-key", "BOURSE_API_SECRET=wrong"}
	if said, _, _ := try(t, "", refused, "../../examples/order.sh", "BTC_USDT", "buy", "1", "1"); !strings.Contains(said, "Unauthorized") {
		t.Fatal(said)
	}
	response, err := http.Get(operators + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name := regexp.MustCompile(`^\w+`).FindString(line); name != "" {
			samples[name] = line
		}
	}
	return samples
}
