package rules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const apiDocs = "../../docs/api"

var (
	// A page and its sections: "spot-trading 6.15 and 5", "spot-trading 6.4 to 6.7".
	sectionCitation = regexp.MustCompile(`\b(market-data|spot-trading|collateral-trading|trading-rules|account-wallet|sub-accounts|authentication|errors-and-limits|websocket) (\d+(?:\.\d+)?(?:(?:, | and | to )\d+(?:\.\d+)?)*)`)
	decision        = regexp.MustCompile(`\b[Dd]ecisions? (\d+)`)
	// A heading of exchange.md: "Spec, order/new rule 6", "Spec, States: …".
	specCitation = regexp.MustCompile(`\bSpec, ([A-Za-z/_ ]+?)(?: rule \d+| and |:|,| \()`)
	number       = regexp.MustCompile(`\d+(?:\.\d+)?`)
	// Ways to cite that lead nowhere.
	deadCitation = regexp.MustCompile(`\bfact sheet|\bsheet \d|\.md, section|shared/(?:spec|design|style)`)
)

// hints are texts of which every line with a citation has one: expressions are slow, and most lines cite nothing.
var hints = []string{
	"market-data ", "-trading ", "trading-rules ", "account-wallet ", "sub-accounts ", "authentication ", "errors-and-limits ", "websocket ",
	"ecision", "Spec, ", "sheet", ".md, section", "shared/",
}

// citing are the lines of a text that may cite something.
func citing(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		if slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(line, hint) }) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// TestEveryCitationLeadsSomewhere follows what code, tests, stories and documents say of the API's
// documents: each section is a heading there, each decision a row.
func TestEveryCitationLeadsSomewhere(t *testing.T) {
	headings := map[string][]string{}
	pages, err := filepath.Glob(filepath.Join(apiDocs, "*.md"))
	if err != nil || len(pages) < 8 {
		t.Fatalf("%v %v", pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		for _, h := range regexp.MustCompile(`(?m)^##+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
			headings[name] = append(headings[name], h[1])
		}
		for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(string(text), -1) {
			headings[name] = append(headings[name], "row "+row[1])
		}
	}
	section := func(page, number string) bool {
		return slices.ContainsFunc(headings[page], func(h string) bool {
			return strings.HasPrefix(h, number+". ") || strings.HasPrefix(h, number+" ")
		})
	}
	cited := 0
	err = filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains([]string{".git", "node_modules", "bin", "data", "dist"}, name):
			return fs.SkipDir
		case e.IsDir() || !slices.Contains([]string{".go", ".md", ".txt", ".mjs", ".js", ".proto"}, filepath.Ext(name)) || name == "citations_test.go":
			return nil
		}
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := citing(string(file))
		for _, c := range sectionCitation.FindAllStringSubmatch(text, -1) {
			for _, n := range number.FindAllString(c[2], -1) {
				cited++
				if !section(c[1], n) {
					t.Errorf("%s cites %s %s, which there is not", path, c[1], n)
				}
			}
		}
		for _, c := range decision.FindAllStringSubmatch(text, -1) {
			cited++
			if !slices.Contains(headings["decisions"], "row "+c[1]) {
				t.Errorf("%s cites decision %s, which there is not", path, c[1])
			}
		}
		for _, c := range specCitation.FindAllStringSubmatch(text, -1) {
			cited++
			if !slices.Contains(headings["exchange"], c[1]) {
				t.Errorf("%s cites %q of the spec, which is no heading of exchange.md", path, c[1])
			}
		}
		for _, c := range deadCitation.FindAllString(text, -1) {
			t.Errorf("%s cites %q, which is not in the repository", path, c)
		}
		return nil
	})
	if err != nil || cited < 100 {
		t.Errorf("%d citations, %v", cited, err)
	}
}
