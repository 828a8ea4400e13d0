package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestImageCallsTheProgram: what the image does by itself, the program understands.
func TestImageCallsTheProgram(t *testing.T) {
	text, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, found := range regexp.MustCompile(`(?m)^(ENTRYPOINT|HEALTHCHECK|CMD)\b[^\[\n]*(\[.*\])$`).FindAllSubmatch(text, -1) {
		var line []string
		if err := json.Unmarshal(found[2], &line); err != nil {
			t.Fatalf("%s: %v", found[0], err)
		}
		lines[string(found[1])] = line
	}
	understands(t, lines["HEALTHCHECK"])
	// The demo that the head of the file and README describe.
	demo := regexp.MustCompile("docker run --rm .* bourse (serve --demo [^`\n]*)")
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	here, there := demo.FindSubmatch(text), demo.FindSubmatch(readme)
	if here == nil || there == nil || !bytes.Equal(here[0], there[0]) {
		t.Fatalf("the demo in a container is %q and %q", here, there)
	}
	understands(t, append([]string{"/bourse"}, strings.Fields(string(here[1]))...))
	understands(t, append(lines["ENTRYPOINT"], lines["CMD"]...))
	// The composition adds where log and history are; the places in the container are the same.
	composition := composed(t).Services["bourse-1"].Command
	for flag, place := range map[string]string{"--data": "/data", "--listen": "0.0.0.0:8080", "--operator": "0.0.0.0:8081"} {
		at := slices.Index(lines["CMD"], flag)
		if at < 0 || lines["CMD"][at+1] != place || !slices.Contains(composition, flag+"="+place) {
			t.Errorf("image and composition differ about %s", flag)
		}
	}
}

// TestUnitCallsTheProgram: what systemd starts, the program understands; systemd reads the unit where it
// is there.
func TestUnitCallsTheProgram(t *testing.T) {
	text, err := os.ReadFile("../../deploy/bourse.service")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/bourse serve (.*)$`).FindSubmatch(text)
	if found == nil {
		t.Fatal("it starts nothing")
	}
	dir := t.TempDir()
	settings := filepath.Join(dir, "bourse.yaml")
	if err := os.WriteFile(settings, []byte(good(t, "", "config", "--example")), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := strings.NewReplacer("${STATE_DIRECTORY}", dir, "/etc/bourse/bourse.yaml", settings).Replace(string(found[1]))
	if said := good(t, "", append([]string{"config"}, strings.Fields(flags)...)...); !strings.Contains(said, dir) {
		t.Error(said)
	}
	// The lines by which the master key comes as a credential.
	key := regexp.MustCompile(`(?m)^#   (LoadCredential=master.key:.*)\n#   (Environment=(BOURSE_MASTER_KEY)=%d/master.key)$`).FindSubmatch(text)
	if key == nil {
		t.Fatal("its head does not say how the master key is kept apart")
	}
	if said, errs, code := try(t, "", []string{string(key[3]) + "=" + filepath.Join(dir, "master.key")}, binary, "config"); code != 0 || !strings.Contains(said, dir) {
		t.Errorf("%d %s %s", code, said, errs)
	}
	text = bytes.Replace(text, []byte("\n[Service]\n"), fmt.Appendf(nil, "\n[Service]\n%s\n%s\n", key[1], key[2]), 1)
	if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
		unit := filepath.Join(dir, "bourse.service")
		if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/bourse", binary)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(analyze, "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v %s", err, out)
		}
	}
}

// TestServiceManagerHearsHowItIs starts the program as systemd starts a service of Type=notify.
func TestServiceManagerHearsHowItIs(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	hears := func(want string) {
		t.Helper()
		text := make([]byte, 100)
		if n, err := manager.Read(text); err != nil || string(text[:n]) != want {
			t.Errorf("%q %v, want %q", text[:n], err, want)
		}
	}
	p := start(t, []string{"NOTIFY_SOCKET=" + socket}, "--data", filepath.Join(t.TempDir(), "data"))
	hears("READY=1")
	awaitReady(t, p.operators)
	p.stop(t)
	hears("STOPPING=1")
	unit, err := os.ReadFile("../../deploy/bourse.service")
	if err != nil || !regexp.MustCompile(`(?m)^Type=notify$`).Match(unit) || !regexp.MustCompile(`(?m)^TimeoutStartSec=infinity$`).Match(unit) {
		t.Errorf("the unit does not wait for that: %v", err)
	}
}

// TestReleasesArePackedAlike packs a release for this machine twice, in different places: the same bytes,
// with what belongs into it.
func TestReleasesArePackedAlike(t *testing.T) {
	name := "bourse_v1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH
	var sums []string
	var out string
	for range 2 {
		out = t.TempDir()
		pack := exec.Command("../../deploy/dist.sh", "v1.2.3", out, runtime.GOOS+"/"+runtime.GOARCH)
		pack.Env = append(os.Environ(), "BOURSE="+binary)
		if said, err := pack.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		sum, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(sum))
	}
	if sums[0] != sums[1] || !regexp.MustCompile(`^[0-9a-f]{64}  `+regexp.QuoteMeta(name)+`\.tar\.gz\n$`).MatchString(sums[0]) {
		t.Errorf("%q", sums)
	}
	files := unpacked(t, filepath.Join(out, name+".tar.gz"))
	for _, want := range []string{
		"bourse", "bourse.1", "README.md", "examples/venue.json", "examples/trade.py", "examples/trade/main.go", "deploy/compose.yaml", "deploy/bourse.service", "deploy/grafana.json",
		"deploy/alerts.yml", "LICENSE", "CHANGELOG.md", "THIRD_PARTY_LICENSES", "docs/upgrades.md", "docs/api/spot-trading.md",
	} {
		if files[name+"/"+want] == nil {
			t.Errorf("%s is not there", want)
		}
	}
	for _, part := range []string{"github.com/nats-io/nats-server/v2 v", "github.com/cockroachdb/pebble/v2 v", "Go go1.", "swagger-ui"} {
		if !bytes.Contains(files[name+"/THIRD_PARTY_LICENSES"], []byte(part)) {
			t.Errorf("the licence of %s is not there", part)
		}
	}
	for path := range files {
		if strings.Contains(path, "node_modules") || strings.Contains(path, ".env") {
			t.Errorf("%s does not belong there", path)
		}
	}
	program := filepath.Join(t.TempDir(), "bourse")
	if err := os.WriteFile(program, files[name+"/bourse"], 0o700); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(program, "version").Output(); err != nil || !strings.HasPrefix(string(said), "bourse v1.2.3 ") {
		t.Errorf("%v %s", err, said)
	}
}

// unpacked is what the files of an archive hold, by their paths.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	// A program that is looked over for races unzips twenty times as slowly.
	plain, err := exec.Command("gzip", "-dc", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(bytes.NewReader(plain)); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.Gid != 0 || header.Mode&0o022 != 0 {
			t.Errorf("%s belongs to %d:%d with mode %o", header.Name, header.Uid, header.Gid, header.Mode)
		}
		if header.Typeflag == tar.TypeReg {
			if files[header.Name], err = io.ReadAll(archive); err != nil {
				t.Fatal(err)
			}
		}
	}
}
