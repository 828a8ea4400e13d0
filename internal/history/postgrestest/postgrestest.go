// Package postgrestest starts a PostgreSQL server of one's own for tests and figures: on the
// loopback interface, with a directory that the caller removes, without passwords and without
// care for the disk. It is not for data that anyone wants to keep.
package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"bourse/internal/port"
)

// startTimeout is how long a server may take to come up.
const startTimeout = time.Minute

// Start makes a database in a directory, which must be empty, and starts a server on it. It
// returns the connection string and a function that ends this server and waits for its end.
func Start(dir string) (url string, stop func(), err error) {
	s := &server{data: filepath.Join(dir, "data"), socket: dir}
	if err := s.start(dir); err != nil {
		return "", nil, fmt.Errorf("starting a PostgreSQL server in %s: %w", dir, err)
	}
	return s.url(), s.stop, nil
}

type server struct {
	data    string
	socket  string
	owner   *syscall.SysProcAttr
	port    int
	process *exec.Cmd
	output  bytes.Buffer
	ended   chan struct{}
}

func (s *server) url() string {
	return fmt.Sprintf("postgres://bourse@127.0.0.1:%d/postgres?sslmode=disable", s.port)
}

func (s *server) start(dir string) error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	if err := s.own(dir); err != nil {
		return err
	}
	initdb := s.command(filepath.Join(bin, "initdb"), "-D", s.data, "-U", "bourse", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, output)
	}
	// Another program may take the port between the moment it was found free and its use.
	for range 3 {
		if err = s.serve(filepath.Join(bin, "postgres")); err == nil {
			return nil
		}
	}
	return err
}

// binaries is the directory of the server's programs.
func binaries() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil && has(filepath.Dir(path)) {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	for _, dir := range slices.Backward(found) {
		if has(dir) {
			return dir, nil
		}
	}
	return "", errors.New("its programs are not on this machine: apt-get install postgresql")
}

func has(dir string) bool {
	_, postgres := os.Stat(filepath.Join(dir, "postgres"))
	_, initdb := os.Stat(filepath.Join(dir, "initdb"))
	return postgres == nil && initdb == nil
}

// own gives the directory to somebody who may run the server: it refuses to be run by root.
func (s *server) own(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		return fmt.Errorf("root may not run it and there is neither a user postgres nor nobody: %w", err)
	}
	uid, err := strconv.ParseUint(who.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(who.Gid, 10, 32)
	if err != nil {
		return err
	}
	s.owner = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	if err := reachable(dir); err != nil {
		return err
	}
	return os.Chown(dir, int(uid), int(gid))
}

// reachable lets other users pass through the directories above one, where they are temporary.
func reachable(dir string) error {
	for at := filepath.Dir(dir); at != filepath.Dir(at); at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o001 != 0 {
			continue
		}
		if inside, err := filepath.Rel(os.TempDir(), at); err != nil || !filepath.IsLocal(inside) || inside == "." {
			return fmt.Errorf("other users may not enter %s: choose a directory below %s", at, os.TempDir())
		}
		if err := os.Chmod(at, info.Mode().Perm()|0o011); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir, c.SysProcAttr = s.socket, s.owner
	return c
}

// serve starts the server and waits until it answers.
func (s *server) serve(postgres string) (err error) {
	if s.port, err = port.Free(); err != nil {
		return err
	}
	s.output.Reset()
	s.process = s.command(postgres, "-D", s.data, "-p", strconv.Itoa(s.port), "-h", "127.0.0.1", "-k", "",
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=256MB", "-c", "max_wal_size=4GB")
	s.process.Stdout, s.process.Stderr = &s.output, &s.output
	if err := s.process.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func(process *exec.Cmd, ended chan struct{}) {
		_ = process.Wait() // how it ended stands in its output
		close(ended)
	}(s.process, s.ended)
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.url())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.ended:
			return fmt.Errorf("it ended at once: %s", s.output.Bytes())
		case <-ctx.Done():
			s.stop()
			return fmt.Errorf("it does not answer: %w: %s", err, s.output.Bytes())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stop asks the server to break off its connections and end, and makes it if it does not.
func (s *server) stop() {
	_ = s.process.Process.Signal(syscall.SIGINT) // fails only if it ended by itself
	select {
	case <-s.ended:
	case <-time.After(startTimeout):
		_ = s.process.Process.Kill()
		<-s.ended
	}
}
