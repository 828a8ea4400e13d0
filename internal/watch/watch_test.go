package watch

import (
	"strings"
	"testing"

	"bourse/internal/seal"
)

// TestPaths: a link is found by its own path alone, as a page or as JSON, and by that of no other key.
func TestPaths(t *testing.T) {
	key, err := seal.Load(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := seal.Load(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	path := Path(key, 7)
	if !strings.HasPrefix(path, "/watch/7-") || len(path) != len("/watch/7-")+32 {
		t.Errorf("the path is %s", path)
	}
	if id, asJSON := Read(key, path); id != 7 || asJSON {
		t.Errorf("%s is %d, %v", path, id, asJSON)
	}
	if id, asJSON := Read(key, path+".json"); id != 7 || !asJSON {
		t.Errorf("%s.json is %d, %v", path, id, asJSON)
	}
	for _, wrong := range []string{
		"", "/watch/", "/watch/7", "/watch/7-", path + "0", path[:len(path)-1], path + "/", strings.ToUpper(path), strings.Replace(path, "/7-", "/8-", 1),
		strings.Replace(path, "/7-", "/07-", 1), strings.Replace(path, "/7-", "/+7-", 1), Path(other, 7), path + ".json.json", "/watch/99999999999999999999-0",
	} {
		if id, _ := Read(key, wrong); id != 0 {
			t.Errorf("%s is %d", wrong, id)
		}
	}
}

// TestWhatClientsSayIsText: names are text, and there is a page where there is no link.
func TestWhatClientsSayIsText(t *testing.T) {
	p := &Page{Name: "<script>", Accounts: []Account{{Name: "<b>", Dashboard: &Dashboard{Hashrate: "5"}, Workers: []Worker{{Name: "<i>", Status: "online"}}}}}
	if text := string(p.HTML()); strings.Contains(text, "<script") || strings.Contains(text, "<b>") || strings.Contains(text, "<i>") || !strings.Contains(text, "5 H/s") {
		t.Errorf("the page is %s", text)
	}
	if text := string((*Page)(nil).HTML()); !strings.Contains(text, "Link not found") {
		t.Errorf("of no link the page says %s", text)
	}
}
