package siege

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"bourse/internal/conform"
)

var kills = []Attack{
	{"kill.load", "killed under orders: all that was acknowledged is there once, verify is content", killedUnderLoad},
	{"kill.start", "killed at every stage of starting: the next start finds everything", killedWhileStarting},
	{"kill.snapshot", "killed while it writes a snapshot: half a snapshot harms nobody", killedWhileSaving},
	{"kill.stop", "killed at every stage of stopping: nothing is lost", killedWhileStopping},
	{"term.load", "SIGTERM under orders: exit code 0, nothing is lost", stoppedUnderLoad},
	{"stop.load", "SIGSTOP and SIGCONT under orders: goes on as if nothing had been", suspendedUnderLoad},
}

// hands is how many traders work at once: enough for batches of several commands.
const hands = 8

// back holds an exchange that was killed to being whole: its data before the start, then everything
// that was acknowledged.
func (s *Siege) back(v *conform.Venue, l *load) {
	s.Helper()
	s.verified(v)
	v.Restart()
	s.ready(v)
	l.check(v)
}

func killedUnderLoad(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	var longest time.Duration
	for range s.size(2, 20) {
		l.begin(v)
		l.until(s.size(300, 5000))
		died := time.Now()
		v.Kill()
		l.finish()
		v.Restart()
		l.begin(v)
		l.until(1)
		longest = max(longest, l.first.Load().Sub(died))
		v.Kill()
		l.finish()
		s.back(v, l)
	}
	s.note("%d acknowledged; orders were taken again %v after a kill at the latest", l.acks.Load(), longest.Round(time.Millisecond))
}

func killedWhileStarting(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	l.begin(v)
	l.until(s.size(1000, 60_000))
	v.Kill()
	l.finish()
	began := time.Now()
	v.Restart()
	takes := time.Since(began)
	v.Kill()
	// No snapshot was written, so that most of a start is replay.
	stages := s.size(6, 40)
	for i := range stages {
		v.Launch()
		time.Sleep(takes * time.Duration(i) / time.Duration(stages))
		v.Kill()
	}
	s.back(v, l)
	s.note("%d kills within the %v of a start with %d requests in the log", stages, takes.Round(time.Millisecond), l.acks.Load())
}

func killedWhileSaving(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	hit := 0
	for range s.size(3, 20) {
		l.begin(v)
		l.until(s.size(300, 5000))
		before := names(s, v)
		v.Signal(syscall.SIGTERM)
		for i := 0; ; i++ { // a new file: the snapshot has begun
			if len(names(s, v)) != len(before) {
				hit++
				break
			}
			if i == 100_000 {
				break
			}
		}
		v.Kill()
		l.finish()
		s.back(v, l)
	}
	if hit == 0 {
		s.Error("no snapshot was seen")
	}
	s.note("%d kills at a snapshot", hit)
}

// names are the snapshots of an exchange, those that are not finished too.
func names(s *Siege, v *conform.Venue) []os.DirEntry {
	s.Helper()
	all, err := os.ReadDir(filepath.Join(v.Data(), "snapshots"))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	return all
}

func killedWhileStopping(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	stages := s.size(4, 30)
	for i := range stages {
		l.begin(v)
		l.until(s.size(200, 2000))
		v.Signal(syscall.SIGTERM)
		time.Sleep(100 * time.Millisecond * time.Duration(i) / time.Duration(stages))
		v.Kill()
		l.finish()
		s.back(v, l)
	}
}

func stoppedUnderLoad(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	for range s.size(1, 10) {
		l.begin(v)
		l.until(s.size(300, 3000))
		began := time.Now()
		v.Signal(syscall.SIGTERM)
		if code := v.Wait(); code != 0 {
			s.Errorf("the exit code is %d", code)
		}
		s.note("stopped within %v", since(began))
		l.finish()
		s.back(v, l)
	}
}

func suspendedUnderLoad(s *Siege) {
	v, l := s.start(), s.newLoad(hands)
	l.begin(v)
	for range s.size(1, 5) {
		l.until(s.size(100, 1000))
		v.Signal(syscall.SIGSTOP)
		time.Sleep(s.spell() / 4)
		v.Signal(syscall.SIGCONT)
		l.until(s.size(100, 1000))
	}
	l.finish()
	s.ready(v)
	l.check(v)
	s.end(v)
}
