package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestADemoIsMined: by its own miner, and by 'bourse mine', whose shares it accepts.
func TestADemoIsMined(t *testing.T) {
	d := runDemo(t, filepath.Join(t.TempDir(), "data"))
	if !strings.HasPrefix(d.miners, "stratum+tcp://127.0.0.1:") {
		t.Fatalf("miners come in at %q", d.miners)
	}
	mine := exec.Command(binary, "mine", d.miners, "--user", "demo.test", "--rate", "60000", "--every", "100ms")
	out, err := mine.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	mine.Stderr = &errs
	if err := mine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mine.Process.Kill() })
	said := transcribe(out)
	said.await(t, "H/s  accepted 1  rejected 0\n")
	if err := mine.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	said.whole()
	if err := mine.Wait(); err != nil || errs.Len() != 0 {
		t.Errorf("%v %s", err, &errs)
	}
}

func TestOnlyPoolsCanBeMinedFor(t *testing.T) {
	for args, says := range map[string]string{
		"mine http://127.0.0.1:3333 --user anna.rig":                      "must look like stratum+tcp://HOST:PORT",
		"mine stratum+tcp://127.0.0.1:3333":                               "missing flags: --user",
		"mine stratum+tls://127.0.0.1:3333 --user anna.rig --ca go.mod.x": "go.mod.x",
	} {
		if out, errs, code := run(t, "", strings.Fields(args)...); code == 0 || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %q %q, want %q", args, code, out, errs, says)
		}
	}
}

func TestHashratesArePrintedForPeople(t *testing.T) {
	for rate, want := range map[float64]string{0: "0.00 H/s", 999: "999.00 H/s", 1500: "1.50 kH/s", 3.7e6: "3.70 MH/s", 2e9: "2.00 GH/s", 2e13: "20000.00 GH/s"} {
		if got := hashrate(rate); got != want {
			t.Errorf("%v: %s, want %s", rate, got, want)
		}
	}
}
