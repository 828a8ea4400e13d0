package conform

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// Disk is a file system of some megabytes that only programs started on it see where they look for
// it. It lives in a mount namespace of its own, for which nobody needs a right, and ends with the test.
type Disk struct {
	// Place is where programs on the disk find it.
	Place  string
	t      testing.TB
	keeper *exec.Cmd
}

// NewDisk makes a disk of some megabytes.
func NewDisk(t testing.TB, megabytes int) *Disk {
	t.Helper()
	d := &Disk{t: t, Place: t.TempDir()}
	d.keeper = exec.Command("sh", "-c", fmt.Sprintf("mount -t tmpfs -o size=%dm tmpfs %s && echo mounted && exec cat", megabytes, d.Place))
	d.keeper.SysProcAttr = apart()
	d.keeper.Stderr = os.Stderr
	in, err := d.keeper.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.keeper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.keeper.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = d.keeper.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "mounted\n" {
		t.Fatalf("the disk was not mounted: %q %v", line, err)
	}
	return d
}

// Path is a file on the disk, seen from outside.
func (d *Disk) Path(name string) string {
	return filepath.Join("/proc", strconv.Itoa(d.keeper.Process.Pid), "root", d.Place, name)
}

// Command is a program that sees the disk.
func (d *Disk) Command(program string, args ...string) *exec.Cmd {
	into := []string{"--target", strconv.Itoa(d.keeper.Process.Pid), "--user", "--mount", "--preserve-credentials", program}
	return exec.Command("nsenter", append(into, args...)...)
}

// Fill leaves no room at all; Remove of the file brings it back.
func (d *Disk) Fill(name string) {
	d.t.Helper()
	f, err := os.Create(d.Path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
}

// Free makes room again.
func (d *Disk) Free(name string) {
	d.t.Helper()
	if err := os.Remove(d.Path(name)); err != nil {
		d.t.Fatal(err)
	}
}

// Mount changes how the disk is mounted: "ro" takes away the right to write, "rw" gives it back.
func (d *Disk) Mount(how string) {
	d.t.Helper()
	if out, err := d.Command("mount", "-o", "remount,"+how, d.Place).CombinedOutput(); err != nil {
		d.t.Fatalf("mounting: %v %s", err, out)
	}
}
