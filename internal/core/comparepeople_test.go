package core

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bourse/internal/schema"
	"bourse/internal/wire"
)

// comparePeople compares users, invitations, when sessions were last used, clients of OAuth, and what they were given.
func (tr *trial) comparePeople() error {
	users := tr.slow.Users()
	got := tr.fast.Identity().Users()
	if len(got) != len(users) {
		return fmt.Errorf("%d users instead of %d", len(got), len(users))
	}
	for i := range users {
		if !bytes.Equal(wire.Append(nil, got[i]), wire.Append(nil, &users[i])) {
			return fmt.Errorf("user:\n got %+v\nwant %+v", *got[i], users[i])
		}
	}
	open := map[schema.AccountID]schema.Invitation{}
	for _, i := range tr.slow.Invitations() {
		open[i.Account] = i
		if got, is := tr.fast.Identity().Invitation(i.Digest, tr.fast.Time()); !is || !bytes.Equal(wire.Append(nil, &got), wire.Append(nil, &i)) {
			return fmt.Errorf("invitation:\n got %+v\nwant %+v", got, i)
		}
	}
	for _, a := range tr.fast.Accounts().All() {
		if got, want := tr.fast.Identity().Invited(a.ID, tr.fast.Time()), open[a.ID].Expires; got != want {
			return fmt.Errorf("account %d is invited until %d, want %d", a.ID, got, want)
		}
	}
	for _, k := range tr.slow.Keys() {
		if k.Web {
			if got, want := tr.fast.Identity().LastUsed(k.ID), tr.slow.SessionUsed(k.ID); got != want {
				return fmt.Errorf("session %d was last used at %d, want %d", k.ID, got, want)
			}
		}
	}
	return tr.compareClients()
}

func (tr *trial) compareClients() error {
	partners := tr.slow.Partners()
	got := tr.fast.OAuth().Partners()
	if len(got) != len(partners) {
		return fmt.Errorf("%d clients instead of %d", len(got), len(partners))
	}
	for i := range partners {
		if !bytes.Equal(wire.Append(nil, got[i]), wire.Append(nil, &partners[i])) {
			return fmt.Errorf("client:\n got %+v\nwant %+v", *got[i], partners[i])
		}
	}
	var grants []schema.Grant
	for _, a := range tr.fast.Accounts().All() {
		for _, g := range tr.fast.OAuth().Grants(a.ID) {
			grants = append(grants, *g)
		}
	}
	want := tr.slow.Grants()
	if len(grants) != len(want) {
		return fmt.Errorf("grants:\n got %+v\nwant %+v", grants, want)
	}
	for i := range want {
		if !bytes.Equal(wire.Append(nil, &grants[i]), wire.Append(nil, &want[i])) {
			return fmt.Errorf("grant:\n got %+v\nwant %+v", grants[i], want[i])
		}
	}
	return nil
}

// TestPeopleAgainstNaive is TestAgainstNaive for those who sign in and for clients of OAuth.
func TestPeopleAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := roll(t)
		tr := newTrial(slice)
		w := &peopleWorld{now: start, oracle: tr.slow}
		var log []moment
		send := func(m moment) {
			log = append(log, m)
			if err := sender(tr.apply).run(m); err != nil {
				t.Fatalf("%s", story(slices.Clone(log), func() sender { return newTrial(slice).apply }))
			}
		}
		for _, cmd := range w.birth(r) {
			send(moment{at: w.now, cmd: cmd})
		}
		for range 1 + chance(r, 150) {
			m := w.next(r)
			send(m)
			w.learn(r, m, tr.answer)
		}
	})
}
