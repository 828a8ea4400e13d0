package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestAlertsWatchWhatThereIs: every figure and label of the alert rules is one that a running
// exchange has, and every alert says whom it wakes and what to do.
func TestAlertsWatchWhatThereIs(t *testing.T) {
	file, err := os.Open("../../deploy/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	if err := decoder.Decode(&rules); err != nil {
		t.Fatal(err)
	}
	known, seen := figures(t), map[string]bool{}
	// Prometheus adds the job, as it adds the instance.
	added := regexp.MustCompile(`job="bourse",?`)
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			if r.Alert == "" || seen[r.Alert] || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%+v says too little, or twice", r)
			}
			seen[r.Alert] = true
			if s := r.Labels["severity"]; s != "page" && s != "ticket" {
				t.Errorf("%s: whom does %q wake?", r.Alert, s)
			}
			names := checkExpression(t, known, added.ReplaceAllString(r.Expr, ""), nil)
			if len(names) == 0 && !strings.HasPrefix(r.Expr, "up{") {
				t.Errorf("%s watches nothing: %s", r.Alert, r.Expr)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d alerts", len(seen))
	}
}

func TestBuildInfoSaysWhichProgramRuns(t *testing.T) {
	line := figures(t)["bourse_build_info"]
	if !regexp.MustCompile(`^bourse_build_info\{goversion="go1\.[^"]+",revision="[^"]+",version="development"\} 1\n$`).MatchString(line) {
		t.Errorf("%q", line)
	}
}
