package main

import (
	"bytes"
	"context"
	"net"
	"strings"
	"sync"
	"testing"
)

func TestOperatorWebhooks(t *testing.T) {
	d := openDesk(t)
	d.prints(d.do("webhooks", "list"), "no webhooks\n")
	d.do("webhooks", "set", "alice", "https://Hooks.example:443/bourse?x=1", "--event", "deposit.processed", "--event", "code.apply", "--key", "hook-key", "--off")
	d.prints(d.do("webhooks", "list"), `
account  url                               on  verified  active  paused  announced  waiting
alice    https://hooks.example/bourse?x=1  no  no        no      no              0        0
`)
	d.do("webhooks", "pause", "alice")
	d.same(d.json("webhooks", "resume", "alice"), parsed(t, `{"account":"alice","url":"https://hooks.example/bourse?x=1","key":"hook-key","events":["code.apply","deposit.processed"],
		"on":false,"verified":false,"active":false,"paused":false,"checked":null,"announced":0,"waiting":0}`))
	d.prints(d.do("webhooks", "log", "alice"), "no events\n")
	d.refuses(1, "the event is not kept: it was not announced, or more than two days ago", "webhooks", "resend", "alice", "1")
	d.refuses(1, "there is no event \"deposit\" (events)", "webhooks", "set", "alice", "--event", "deposit")
	d.prints(d.do("webhooks", "delete", "alice"), "deleted  alice\n")
	d.refuses(1, "the account has no webhook", "webhooks", "verify", "alice")
}

// lines is what a program printed so far.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.Split(strings.TrimSpace(l.text.String()), "\n")
	return all[len(all)-1]
}

// listening runs 'bourse webhook listen' for a test.
func listening(t *testing.T, l *webhookListen) (at string, printed *lines) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	printed = &lines{}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- l.serve(ctx, ln, printed) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String(), printed
}
